// A temporary file without a name, so that nothing is left of it however the command ends.
#pragma once

#include <cstdint>
#include <string>

class spool {
 public:
  explicit spool(const std::string& directory);
  ~spool();
  spool(const spool&) = delete;
  spool& operator=(const spool&) = delete;

  void write(const void* from, std::uint64_t bytes) { write(from, bytes, claim(bytes)); }  // at its end
  // Reserves space at its end, to be written later.
  std::uint64_t claim(std::uint64_t bytes);
  void write(const void* from, std::uint64_t bytes, std::uint64_t offset);
  void read(void* to, std::uint64_t bytes, std::uint64_t offset) const;
  std::uint64_t size() const { return size_; }
  // This will be read next.
  void soon(std::uint64_t offset, std::uint64_t bytes) const;
  // [offset, offset + bytes) is not read again: its disk space is released if the file system supports that.
  void forget(std::uint64_t offset, std::uint64_t bytes) const;

  // $TMPDIR, else /tmp.
  static std::string usual_directory();
  // For what does not fit in memory: $TMPDIR, else where the output goes, which has to have room for as much.
  static std::string directory_beside(const std::string& output);

 private:
  [[noreturn]] void fail(int number) const;

  std::string directory_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};
