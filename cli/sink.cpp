#include <fcntl.h>
#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cli/elements.hpp"
#include "cli/npy.hpp"
#include "cli/whole_file.hpp"
#include "upsweep/error.hpp"

using upsweep::dtype;
using upsweep::error;
using upsweep::fault;

namespace {

// Keeps what cannot be written yet, in a file without a name.
class spool {
 public:
  spool() {
    const char* set = std::getenv("TMPDIR");
    directory_ = set && *set ? set : "/tmp";
    fd_ = open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd_ < 0) {  // a file system without nameless files
      std::string path = directory_ + "/upsweep-XXXXXX";
      fd_ = mkostemp(path.data(), O_CLOEXEC);
      if (fd_ >= 0) unlink(path.c_str());
    }
    if (fd_ < 0) fail();
  }
  ~spool() { close(fd_); }
  spool(const spool&) = delete;
  spool& operator=(const spool&) = delete;

  void write(const char* from, std::uint64_t bytes) {
    while (bytes > 0) {
      const ssize_t some = ::write(fd_, from, bytes);
      if (some < 0 && errno == EINTR) continue;
      if (some < 0) fail();
      from += some;
      bytes -= static_cast<std::uint64_t>(some);
    }
  }
  void pour_into(whole_file& out) {
    std::vector<char> block(1 << 20);
    if (lseek(fd_, 0, SEEK_SET) != 0) fail();
    while (true) {
      const ssize_t some = read(fd_, block.data(), block.size());
      if (some < 0 && errno == EINTR) continue;
      if (some < 0) fail();
      if (some == 0) return;
      out.write(block.data(), static_cast<std::uint64_t>(some));
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw error(fault::bad_argument, directory_, std::string("cannot hold the output there until its length is known: ") + std::strerror(errno),
                "set TMPDIR to a directory with room, or write to a file with -o");
  }
  std::string directory_;
  int fd_ = -1;
};

class raw_sink final : public element_sink {
 public:
  raw_sink(const std::string& path, dtype type, std::optional<std::uint64_t> count) : file_(path), size_(upsweep::size_of(type)) {
    if (count) file_.reserve(*count * size_);
  }
  void write(const void* from, std::uint64_t n) override { file_.write(from, n * size_); }
  void commit() override { file_.commit(); }

 private:
  whole_file file_;
  std::uint64_t size_;
};

class npy_sink final : public element_sink {
 public:
  npy_sink(const std::string& path, dtype type, std::optional<std::uint64_t> count) : file_(path), type_(type), promised_(count) {
    const std::string header = npy_header_text(type_, count.value_or(0));
    if (promised_) file_.reserve(header.size() + *count * upsweep::size_of(type_));
    if (promised_ || file_.rewritable()) file_.write(header);
    else spool_ = std::make_unique<spool>();
  }
  void write(const void* from, std::uint64_t n) override {
    const std::uint64_t bytes = n * upsweep::size_of(type_);
    spool_ ? spool_->write(static_cast<const char*>(from), bytes) : file_.write(from, bytes);
    written_ += n;
  }
  void commit() override {
    const std::string header = npy_header_text(type_, written_);
    if (spool_) {
      file_.write(header);
      spool_->pour_into(file_);
    } else if (promised_ != written_) {
      file_.rewrite(0, header.data(), header.size());
    }
    file_.commit();
  }

 private:
  whole_file file_;
  dtype type_;
  std::optional<std::uint64_t> promised_;
  std::unique_ptr<spool> spool_;
  std::uint64_t written_ = 0;
};

class csv_sink final : public element_sink {
 public:
  csv_sink(const std::string& path, dtype type, const std::string& title, char separator) : file_(path), type_(type) {
    if (title.empty()) return;
    const bool plain = title.find_first_of(std::string("\"\r\n") + separator) == std::string::npos;
    std::string line;
    for (char c : title) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    file_.write(plain ? line + '\n' : '"' + line + "\"\n");
  }
  void write(const void* from, std::uint64_t n) override {
    upsweep::with_type(type_, [&](auto tag) {
      const auto* x = static_cast<const typename decltype(tag)::type*>(from);
      // Making shortest decimals takes longer than all else, so pieces are made side by side, a few megabytes at a time.
      for (std::uint64_t first = 0; first < n; first += at_once) {
        const std::uint64_t pieces = (std::min(n - first, at_once) + piece - 1) / piece;
        texts_.resize(pieces);
        oneapi::tbb::parallel_for(std::uint64_t{0}, pieces, [&](std::uint64_t p) {
          const std::uint64_t begin = first + p * piece, end = std::min(begin + piece, n);
          texts_[p].clear();
          for (std::uint64_t i = begin; i < end; ++i) fmt::format_to(fmt::appender(texts_[p]), "{}\n", x[i]);
        });
        for (const auto& text : texts_) file_.write(text.data(), text.size());
      }
    });
  }
  void commit() override { file_.commit(); }

 private:
  static constexpr std::uint64_t piece = 1 << 12, at_once = 1 << 18;
  whole_file file_;
  dtype type_;
  std::vector<fmt::memory_buffer> texts_;
};

// A shell's `upsweep scan x.npy -o - >> x.npy` would read what it writes, for ever.
void refuse_own_input(const std::string& path, const element_source& source) {
  struct stat out {};
  if (path != "-" || source.inode == 0 || fstat(STDOUT_FILENO, &out) != 0 || !S_ISREG(out.st_mode)) return;
  if (out.st_dev == source.device_number && out.st_ino == source.inode)
    throw error(fault::bad_argument, source.name, "standard output is the input file", "write with -o FILE, which may be the input's own name");
}

}  // namespace

std::unique_ptr<element_sink> open_sink(const std::string& path, const std::string& format, const element_source& source) {
  refuse_own_input(path, source);
  const file_format as = !format.empty() ? format_named(format) : format_of_extension(path).value_or(source.format);
  switch (as) {
    case file_format::npy: return std::make_unique<npy_sink>(path, source.type, source.count);
    case file_format::raw: return std::make_unique<raw_sink>(path, source.type, source.count);
    case file_format::csv: break;
  }
  return std::make_unique<csv_sink>(path, source.type, source.title, source.separator);
}
