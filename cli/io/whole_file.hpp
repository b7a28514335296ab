// An output file that is written atomically: it is created without a name in its folder, flushed to the disk, and then
// named. Nothing remains if the process ends earlier. On file systems without nameless files it has a temporary name,
// which is removed on an error, on a signal, or by the next command that writes there. Standard output ("-"), devices
// and pipes are written directly. Output is compressed if the name ends in .gz or .zst, and becomes a member of a zip
// file in .npz.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

class packer;

class whole_file {
 public:
  // `named`: the file has a name from the start, for a library that opens it through /proc/self/fd.
  explicit whole_file(const std::string& path, bool named = false);
  whole_file(const whole_file&) = delete;
  whole_file& operator=(const whole_file&) = delete;
  ~whole_file();

  // Reserves the disk space if the file system supports that, so that a full disk is detected before the work.
  void reserve(std::uint64_t bytes);
  void write(const void* data, std::uint64_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Replaces bytes that were written, unless the output is a pipe or compressed.
  bool rewritable() const { return !target_.empty() && !packer_; }
  void rewrite(std::uint64_t offset, const void* data, std::uint64_t bytes);
  // The file is complete: gives it its name.
  void commit();

  // The descriptor, for direct writes if nothing is compressed.
  int descriptor() const { return fd_; }
  const std::string& name() const { return name_; }

 private:
  void open_packer();
  void write_as_it_is(const void* data, std::uint64_t bytes);
  void open_beside(const std::string& target, bool named);
  template <class Make>
  void take_name(const Make& make);
  void give_name();
  [[noreturn]] void fail(int number) const;

  std::string name_;       // as the user knows it
  std::string target_;     // where it goes in the end; empty for pipes and devices
  std::string temporary_;  // its name until then, where it has one
  int fd_ = -1;
  std::unique_ptr<packer> packer_;
  int slot_ = -1;  // in the list of files that a signal handler removes
};

// The temporary name of another process's file: a signal that ends this process also removes that file, because the
// other process may have been killed.
class unfinished_name {
 public:
  explicit unfinished_name(std::string path);
  unfinished_name(const unfinished_name&) = delete;
  unfinished_name& operator=(const unfinished_name&) = delete;
  ~unfinished_name();
  void remove() const;

 private:
  std::string path_;
  int slot_;
};

void write_whole_file(const std::string& path, std::string_view text);
