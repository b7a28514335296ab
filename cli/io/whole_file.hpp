// An output file that appears whole or not at all: it is written beside its place under another name, flushed to the
// disk, and then renamed. An error or a signal on the way removes it. Standard output ("-"), devices and pipes are
// written as they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

class whole_file {
 public:
  explicit whole_file(const std::string& path);
  whole_file(const whole_file&) = delete;
  whole_file& operator=(const whole_file&) = delete;
  ~whole_file();

  // Claims the disk space, where the file system can, so that a full disk is known before the work is done.
  void reserve(std::uint64_t bytes);
  void write(const void* data, std::uint64_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Bytes already written may be replaced, unless they went down a pipe.
  bool rewritable() const { return !temporary_.empty(); }
  void rewrite(std::uint64_t offset, const void* data, std::uint64_t bytes);
  // The file is complete: it takes its place.
  void commit();

  int descriptor() const { return fd_; }
  const std::string& name() const { return name_; }

 private:
  void open_beside(const std::string& target);
  [[noreturn]] void fail(int number) const;

  std::string name_;       // as the user knows it
  std::string target_;     // where it goes in the end
  std::string temporary_;  // where it is until then; empty for pipes and devices
  int fd_ = -1;
  int slot_ = -1;  // in the list of what a signal removes
};

void write_whole_file(const std::string& path, std::string_view text);
