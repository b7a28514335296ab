// An output file that appears whole or not at all: it is written beside its place without a name, flushed to the disk,
// and then named. However the process ends, nothing is left of it; where the file system has no nameless files it has
// another name, which an error, a signal or the next command that writes there takes away. Standard output ("-"),
// devices and pipes are written as they are. Where the name ends in .gz or .zst, what is written is packed on its way,
// and in .npz it becomes a zip's member.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

class packer;

class whole_file {
 public:
  // `named`: it has a name from the start, for a library that opens it by /proc/self/fd and asks what is behind that.
  explicit whole_file(const std::string& path, bool named = false);
  whole_file(const whole_file&) = delete;
  whole_file& operator=(const whole_file&) = delete;
  ~whole_file();

  // Claims the disk space, where the file system can, so that a full disk is known before the work is done.
  void reserve(std::uint64_t bytes);
  void write(const void* data, std::uint64_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Bytes already written may be replaced, unless they went down a pipe or were packed.
  bool rewritable() const { return !target_.empty() && !packer_; }
  void rewrite(std::uint64_t offset, const void* data, std::uint64_t bytes);
  // The file is complete: it takes its place.
  void commit();

  // For writing past it, where nothing is packed.
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
  int slot_ = -1;  // in the list of what a signal removes
};

// The name that another process's file has until it takes its place: a signal that ends this process removes it, too,
// since that one may have had no time to.
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
