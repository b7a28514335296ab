#include "cli/stream/spool.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

spool::spool(const std::string& directory) : directory_(directory) {
  fd_ = open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0) {  // a file system without nameless files: no signal may come between the name and its removal
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    std::string path = directory_ + "/upsweep-XXXXXX";
    fd_ = mkostemp(path.data(), O_CLOEXEC);
    const int number = errno;
    if (fd_ >= 0) unlink(path.c_str());
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = number;
  }
  if (fd_ < 0) fail(errno);
}

spool::~spool() { close(fd_); }

void spool::fail(int number) const {
  throw error(fault::bad_argument, directory_,
              std::string("cannot write a temporary file there: ") + std::strerror(number),
              "set TMPDIR to a directory with free space");
}

std::uint64_t spool::claim(std::uint64_t bytes) {
  size_ += bytes;
  return size_ - bytes;
}

void spool::write(const void* from, std::uint64_t bytes, std::uint64_t offset) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t some = pwrite(fd_, at, bytes, static_cast<off_t>(offset));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) fail(errno);
    at += some;
    offset += static_cast<std::uint64_t>(some);
    bytes -= static_cast<std::uint64_t>(some);
  }
}

void spool::read(void* to, std::uint64_t bytes, std::uint64_t offset) const {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t some = pread(fd_, at, bytes, static_cast<off_t>(offset));
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) fail(some < 0 ? errno : EIO);
    at += some;
    offset += static_cast<std::uint64_t>(some);
    bytes -= static_cast<std::uint64_t>(some);
  }
}

void spool::soon(std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes > 0) posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
}

void spool::forget(std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes > 0 && fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                             static_cast<off_t>(bytes)) != 0)
    errno = 0;  // it takes more room, no more
}

std::string spool::usual_directory() {
  const char* set = std::getenv("TMPDIR");
  return set && *set ? set : "/tmp";
}

std::string spool::directory_beside(const std::string& output) {
  const char* set = std::getenv("TMPDIR");
  struct stat there{};
  const bool device = output.empty() || output == "-" || (stat(output.c_str(), &there) == 0 && !S_ISREG(there.st_mode));
  if ((set && *set) || device) return usual_directory();
  const auto slash = output.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : output.substr(0, slash);
}
