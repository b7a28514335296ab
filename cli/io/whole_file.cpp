#include "cli/io/whole_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cli/io/packed.hpp"
#include "cli/io/zip.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

namespace {

// What a signal handler may touch: plain memory that is written before the file exists and cleared after it has its
// name.
struct unfinished {
  volatile std::sig_atomic_t used = 0;
  char path[PATH_MAX] = {};
};
std::array<unfinished, 8> unfinished_files;

// What was to happen on a signal before: the default, or a handler of the OpenCL compiler's, which has files of its own
// to remove.
struct sigaction before[NSIG];

extern "C" void remove_unfinished(int number) {
  for (unfinished& file : unfinished_files)
    if (file.used) unlink(file.path);
  sigaction(number, &before[number], nullptr);
  raise(number);
}

void catch_signals_once() {
  static const bool done = [] {
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ}) {
      sigaction(number, nullptr, &before[number]);
      if (before[number].sa_handler == SIG_IGN) continue;  // nohup's choice stands
      struct sigaction ours{};
      ours.sa_handler = remove_unfinished;
      sigaction(number, &ours, nullptr);
    }
    return true;
  }();
  static_cast<void>(done);
}

int claim_slot(const std::string& path) {
  for (std::size_t i = 0; i < unfinished_files.size(); ++i)
    if (!unfinished_files[i].used && path.size() < PATH_MAX) {
      std::memcpy(unfinished_files[i].path, path.c_str(), path.size() + 1);
      unfinished_files[i].used = 1;
      return static_cast<int>(i);
    }
  return -1;  // the destructor still removes it
}

void free_slot(int& slot) {
  if (slot >= 0) unfinished_files[static_cast<std::size_t>(slot)].used = 0;
  slot = -1;
}

}  // namespace

void whole_file::fail(int number) const {
  const std::string remedy = number == ENOSPC || number == EDQUOT ? "make room or write elsewhere" : "";
  throw error(fault::bad_argument, name_, std::string("cannot write it: ") + std::strerror(number), remedy);
}

whole_file::whole_file(const std::string& path) : name_(path) {
  if (path == "-" || path == "/dev/stdout") {
    name_ = "standard output";
    fd_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (fd_ < 0) fail(errno);
    return;
  }
  struct stat there{};
  if (stat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) fail(EISDIR);
    if (!S_ISREG(there.st_mode)) {  // renaming over /dev/null would replace the device
      fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd_ < 0) fail(errno);
      return;
    }
    if (access(path.c_str(), W_OK) != 0) fail(errno);
    // A symbolic link keeps pointing where it points; its target is replaced.
    char* real = realpath(path.c_str(), nullptr);
    if (!real) fail(errno);
    const std::string target = real;
    std::free(real);
    open_beside(target);
    open_packer();
    // The new file keeps the old one's permissions; where that is refused, the umask's are good enough.
    if (fchmod(fd_, there.st_mode & 07777) != 0) errno = 0;
    return;
  }
  if (errno != ENOENT) fail(errno);
  open_beside(path);
  open_packer();
}

void whole_file::open_packer() {
  const auto write = [this](const void* data, std::uint64_t bytes) { write_as_it_is(data, bytes); };
  packer_ = is_npz(name_) ? pack_npz(name_, write) : ::open_packer(packing_of(name_), name_, write);
}

void whole_file::open_beside(const std::string& target) {
  target_ = target;
  catch_signals_once();
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = target + ".upsweep-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    slot_ = claim_slot(temporary_);
    fd_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0) return;
    const int number = errno;
    free_slot(slot_);
    if (number != EEXIST) {
      temporary_.clear();
      fail(number);
    }
  }
  temporary_.clear();
  fail(EEXIST);
}

whole_file::~whole_file() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  free_slot(slot_);
}

void whole_file::reserve(std::uint64_t bytes) {
  if (!rewritable() || bytes == 0 || bytes > static_cast<std::uint64_t>(LLONG_MAX)) return;
  // KEEP_SIZE: what is claimed and not written is given back with the file's last close.
  while (fallocate(fd_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) fail(errno);
    return;  // a file system that cannot do this
  }
}

void whole_file::write(const void* data, std::uint64_t bytes) {
  packer_ ? packer_->write(data, bytes) : write_as_it_is(data, bytes);
}

void whole_file::write_as_it_is(const void* data, std::uint64_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t some = ::write(fd_, from, bytes);
    if (some < 0) {
      if (errno == EINTR) continue;
      fail(errno);
    }
    from += some;
    bytes -= static_cast<std::uint64_t>(some);
  }
}

void whole_file::rewrite(std::uint64_t offset, const void* data, std::uint64_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t some = pwrite(fd_, from, bytes, static_cast<off_t>(offset));
    if (some < 0) {
      if (errno == EINTR) continue;
      fail(errno);
    }
    from += some;
    offset += static_cast<std::uint64_t>(some);
    bytes -= static_cast<std::uint64_t>(some);
  }
}

void whole_file::commit() {
  if (packer_) packer_->finish();
  if (!temporary_.empty() && fsync(fd_) != 0) fail(errno);
  if (close(std::exchange(fd_, -1)) != 0) fail(errno);
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  free_slot(slot_);
}

void write_whole_file(const std::string& path, std::string_view text) {
  whole_file file(path);
  file.write(text);
  file.commit();
}
