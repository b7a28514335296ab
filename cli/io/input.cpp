#include "cli/io/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/io/packed.hpp"
#include "cli/io/zip.hpp"
#include "cli/stream/spool.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

input::input(const std::string& path, contents wanted) : path_(path), name_(path == "-" ? "standard input" : path) {
  const bool unpacked = wanted == contents::unpacked && path != "-";
  const member_path parts = unpacked ? parted_at_member(path) : member_path{path, ""};
  fd_ = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(parts.file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw error(fault::bad_argument, name_, std::string("cannot read it: ") + std::strerror(errno));
  struct stat there{};
  if (fstat(fd_, &there) == 0) {
    if (S_ISDIR(there.st_mode)) {
      close(fd_);
      throw error(fault::bad_argument, name_, "it is a directory", "name a file");
    }
    if (S_ISREG(there.st_mode)) {
      // Standard input may be a file whose beginning another program has read already.
      const off_t at = lseek(fd_, 0, SEEK_CUR);
      size_ = there.st_size > at && at >= 0 ? static_cast<std::uint64_t>(there.st_size - at) : 0;
      posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
    } else if (S_ISFIFO(there.st_mode)) {
      fcntl(fd_, F_SETPIPE_SZ, 1 << 20);  // sixteen times fewer turns between writer and reader; refused is fine, too
    }
  }
  if (!unpacked) return;
  try {
    if (is_npz(parts.file)) open_member(parts.member);
    if (const packing kind = packing_of(path); kind != packing::none) {
      size_.reset();
      unpacker_ = open_unpacker(kind, name_, [this](void* to, std::uint64_t bytes) { return read_file(to, bytes); });
    }
  } catch (...) {
    close(fd_);
    throw;
  }
}

void input::open_member(const std::string& member) {
  if (!size_)
    throw error(fault::unsupported, name_, "an .npz must be a regular file, because it is read from its end",
                "save it in a file");
  const zip_member chosen = chosen_member(zip_directory(fd_, name_, *size_), name_, member);
  unpacker_ = ::open_member(fd_, name_, chosen);
  size_ = chosen.size;
}

input::~input() {
  if (fd_ >= 0) close(fd_);
}

std::uint64_t input::read_some(void* to, std::uint64_t bytes) {
  return unpacker_ ? unpacker_->read(to, bytes) : read_file(to, bytes);
}

std::uint64_t input::read_file(void* to, std::uint64_t bytes) {
  std::uint64_t got = 0;
  while (got < bytes) {
    const ssize_t some =
        ::read(fd_, static_cast<char*>(to) + got, std::min<std::uint64_t>(bytes - got, std::uint64_t{1} << 30));
    if (some == 0) break;
    if (some < 0) {
      if (errno == EINTR) continue;
      throw error(fault::bad_argument, name_, std::string("cannot read it: ") + std::strerror(errno));
    }
    got += static_cast<std::uint64_t>(some);
  }
  return got;
}

std::string_view input::peek(std::size_t bytes) {
  if (ahead_.size() < bytes) {
    const std::size_t had = ahead_.size();
    ahead_.resize(bytes);
    ahead_.resize(had + read_some(ahead_.data() + had, bytes - had));
  }
  return std::string_view(ahead_).substr(0, bytes);
}

std::uint64_t input::read(void* to, std::uint64_t bytes) {
  const std::uint64_t first = std::min<std::uint64_t>(ahead_.size(), bytes);
  if (first > 0) {
    std::memcpy(to, ahead_.data(), first);
    ahead_.erase(0, first);
  }
  char* const rest = static_cast<char*>(to) + first;
  if (rewound_) return first + read_kept(rest, bytes - first);
  const std::uint64_t some = first < bytes ? read_some(rest, bytes - first) : 0;
  if (kept_) kept_->write(to, first + some);
  return first + some;
}

void input::skip(std::uint64_t bytes) {
  if (unpacker_ || !size_)
    throw error(fault::unsupported, name_, "a compressed or piped input cannot be read from the middle",
                "save it uncompressed, or start one process only");
  const std::uint64_t first = std::min<std::uint64_t>(ahead_.size(), bytes);
  ahead_.erase(0, first);
  if (lseek(fd_, static_cast<off_t>(bytes - first), SEEK_CUR) < 0)
    throw error(fault::bad_argument, name_, std::string("cannot read it: ") + std::strerror(errno));
}

void input::keep() {
  if (!unpacker_ && size_.value_or(0) > 0)
    kept_from_ = lseek(fd_, 0, SEEK_CUR) - static_cast<off_t>(ahead_.size());
  else
    kept_ = std::make_unique<spool>(spool::usual_directory());
}

void input::rewind() {
  if (kept_) {
    rewound_ = true;
    again_ = 0;
  } else {
    ahead_.clear();
    lseek(fd_, kept_from_, SEEK_SET);
  }
}

std::uint64_t input::read_kept(void* to, std::uint64_t bytes) {
  bytes = std::min(bytes, kept_->size() - again_);
  kept_->read(to, bytes, again_);
  again_ += bytes;
  return bytes;
}
