#include "cli/io/whole_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>

#include "cli/io/packed.hpp"
#include "cli/io/same_file.hpp"
#include "cli/io/zip.hpp"
#include "cli/process/answer.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

namespace {

// State for a signal handler: plain memory that is written before the file exists and cleared after the file has its
// name.
struct unfinished {
  volatile std::sig_atomic_t used = 0;
  char path[PATH_MAX] = {};
};
std::array<unfinished, 8> unfinished_files;

// The previous handlers of signals: the default, or a handler of the OpenCL compiler, which removes files of its own.
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
      if (before[number].sa_handler == SIG_IGN) continue;  // keeps nohup's setting
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

constexpr std::string_view mark = ".upsweep-";

std::string folder_part(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// OUT.upsweep-PID-N, cut where a file's name may not be that long.
std::string temporary_name(const std::string& target, int attempt) {
  const std::string folder = folder_part(target),
                    end = std::string(mark) + std::to_string(getpid()) + "-" + std::to_string(attempt);
  return folder + target.substr(folder.size(), NAME_MAX - end.size()) + end;
}

// The process that wrote this file, from the file's name; 0 if the name has another form.
pid_t writer_of(std::string_view name) {
  const auto at = name.rfind(mark);
  if (at == std::string_view::npos || at == 0) return 0;
  const std::string numbers(name.substr(at + mark.size()));
  int pid = 0, attempt = 0, end = 0;
  if (numbers.empty() || numbers.find_first_not_of("0123456789-") != std::string::npos || numbers.size() > 16 ||
      std::sscanf(numbers.c_str(), "%d-%d%n", &pid, &attempt, &end) != 2 || end != static_cast<int>(numbers.size()))
    return 0;
  return pid;
}

// Not flock, which HDF5 wants for itself.
bool lock(int fd) {
  struct flock all{};
  all.l_type = F_WRLCK;
  return fcntl(fd, F_OFD_SETLK, &all) == 0;
}

// Removes files left by killed processes. A writer holds a lock on its file, because a process id may belong to another
// name space.
void clear_abandoned(const std::string& folder) {
  static std::set<std::string> cleared;
  if (!cleared.insert(folder).second) return;
  DIR* const all = opendir(folder.empty() ? "." : folder.c_str());
  if (!all) return;
  while (const dirent* entry = readdir(all)) {
    const pid_t writer = writer_of(entry->d_name);
    if (writer <= 0 || kill(writer, 0) == 0 || errno != ESRCH) continue;
    const int fd = openat(dirfd(all), entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat there{};
    if (fd >= 0 && fstat(fd, &there) == 0 && S_ISREG(there.st_mode) && there.st_uid == geteuid() && lock(fd))
      unlinkat(dirfd(all), entry->d_name, 0);
    if (fd >= 0) close(fd);
  }
  closedir(all);
}

// A file without a name, of which nothing is left however the process ends; -1 where the file system has none, or
// where it could not be given a name.
int open_nameless(const std::string& folder) {
  const int fd = open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (fd < 0 || access(("/proc/self/fd/" + std::to_string(fd)).c_str(), F_OK) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

void whole_file::fail(int number) const {
  const std::string remedy = number == ENOSPC || number == EDQUOT ? "free some space, or write to another place" : "";
  throw error(fault::bad_argument, name_, std::string("cannot write it: ") + std::strerror(number), remedy);
}

whole_file::whole_file(const std::string& path, bool named) : name_(path) {
  if (path == "-" || path == "/dev/stdout") {
    name_ = "standard output";
    if (answer::wanted())
      throw error(fault::bad_argument, "--json", "the result and the output would both go to standard output",
                  "name a file for the output with -o");
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
    open_beside(target, named);
    open_packer();
    // The new file keeps the old one's permissions; where that is refused, the umask's are good enough.
    if (fchmod(fd_, there.st_mode & 07777) != 0) errno = 0;
    return;
  }
  if (errno != ENOENT) fail(errno);
  open_beside(end_of_links(path), named);
  open_packer();
}

void whole_file::open_packer() {
  const auto write = [this](const void* data, std::uint64_t bytes) { write_as_it_is(data, bytes); };
  packer_ = is_npz(name_) ? pack_npz(name_, write) : ::open_packer(packing_of(name_), name_, write);
}

void whole_file::open_beside(const std::string& target, bool named) {
  const std::string folder = folder_part(target);
  if (target.size() - folder.size() > NAME_MAX) fail(ENAMETOOLONG);
  target_ = target;
  clear_abandoned(folder);
  fd_ = named ? -1 : open_nameless(folder);
  if (fd_ >= 0) return;
  take_name([&](const char* name) { return fd_ = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
  lock(fd_);
}

// `make` gives a file this name, and fails where there is one.
template <class Make>
void whole_file::take_name(const Make& make) {
  catch_signals_once();
  int number = EEXIST;
  for (int attempt = 0; attempt < 100 && number == EEXIST; ++attempt) {
    temporary_ = temporary_name(target_, attempt);
    slot_ = claim_slot(temporary_);
    if (make(temporary_.c_str()) >= 0) return;
    number = errno;
    free_slot(slot_);
  }
  temporary_.clear();
  fail(number);
}

whole_file::~whole_file() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  free_slot(slot_);
}

unfinished_name::unfinished_name(std::string path) : path_(std::move(path)) {
  catch_signals_once();
  slot_ = claim_slot(path_);
}
unfinished_name::~unfinished_name() { free_slot(slot_); }
void unfinished_name::remove() const { unlink(path_.c_str()); }

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
  if (!target_.empty() && fsync(fd_) != 0) fail(errno);
  if (!target_.empty() && temporary_.empty()) give_name();
  struct stat there{};
  const std::uint64_t bytes = fstat(fd_, &there) == 0 ? static_cast<std::uint64_t>(there.st_size) : 0;
  if (close(std::exchange(fd_, -1)) != 0) fail(errno);
  if (!temporary_.empty()) {
    if (rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
    free_slot(slot_);
  }
  answer::wrote(name_, bytes);
}

// Links the file to its own name if that is free; else to a temporary name next to it, and renames it.
void whole_file::give_name() {
  const std::string nameless = "/proc/self/fd/" + std::to_string(fd_);
  const auto link_as = [&](const char* name) {
    return linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  };
  if (link_as(target_.c_str()) == 0) return;
  if (errno != EEXIST) fail(errno);
  take_name(link_as);
}

void write_whole_file(const std::string& path, std::string_view text) {
  whole_file file(path);
  file.write(text);
  file.commit();
}
