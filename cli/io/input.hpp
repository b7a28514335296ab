// A stream of bytes from a file, a pipe or standard input. Files whose name ends in .gz or .zst are decompressed;
// "data.npz:x" is the member x.npy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

class spool;
class unpacker;

class input {
 public:
  enum class contents : std::uint8_t { unpacked, as_they_lie };
  explicit input(const std::string& path, contents = contents::unpacked);  // "-" is standard input
  input(const input&) = delete;
  input& operator=(const input&) = delete;
  ~input();

  // Returns the first bytes, at most `bytes`, without consuming them; before any read.
  std::string_view peek(std::size_t bytes);
  // Reads until `bytes` bytes are available or the input ends; returns the number of bytes available.
  std::uint64_t read(void* to, std::uint64_t bytes);
  // Skips bytes of a regular file. Throws for other and compressed inputs.
  void skip(std::uint64_t bytes);
  // Bytes read after keep() can be read again after rewind(). A regular file is read again; data of a pipe or a
  // compressed file is stored in a temporary file.
  void keep();
  void rewind();
  // The length of a regular file or member; std::nullopt for pipes, devices and compressed streams.
  std::optional<std::uint64_t> size() const { return size_; }

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  int descriptor() const { return fd_; }

 private:
  void open_member(const std::string& member);
  std::uint64_t read_file(void* to, std::uint64_t bytes);
  std::uint64_t read_some(void* to, std::uint64_t bytes);
  std::uint64_t read_kept(void* to, std::uint64_t bytes);

  std::string path_, name_, ahead_;
  int fd_ = -1;
  std::unique_ptr<unpacker> unpacker_;
  std::optional<std::uint64_t> size_;
  std::int64_t kept_from_ = 0;  // in a regular file
  std::unique_ptr<spool> kept_;
  std::uint64_t again_ = 0;  // what of kept_ has been read again
  bool rewound_ = false;
};
