// gzip and zstd, selected by the extension of a file: x.csv.gz, x.npy.zst. Reads and writes streams of any length.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

enum class packing : std::uint8_t { none, gzip, zstd };
packing packing_of(std::string_view path);
std::string_view without_packing(std::string_view path);  // "x.csv" of "x.csv.gz"

// Reads a compressed stream.
class unpacker {
 public:
  using reader = std::function<std::uint64_t(void*, std::uint64_t)>;  // as input::read

  virtual ~unpacker() = default;
  // Reads up to this number of bytes; fewer only at the end. The stream's end and checksum are verified before the last
  // bytes are returned.
  std::uint64_t read(void* to, std::uint64_t bytes);

 protected:
  unpacker(std::string name, reader read) : name_(std::move(name)), read_(std::move(read)), block_(block_bytes) {}
  // Returns some bytes, at most the given number; 0 at the end.
  virtual std::uint64_t unpack(char* to, std::uint64_t capacity) = 0;

  [[noreturn]] void cut_off() const;
  [[noreturn]] void damaged(const char* how) const;

  static constexpr std::uint64_t block_bytes = 1 << 18;
  std::string name_;
  reader read_;

 private:
  void refill();

  std::vector<char> block_;
  std::uint64_t at_ = 0, end_ = 0;
  bool ended_ = false;
};

// Writes a compressed stream.
class packer {
 public:
  using writer = std::function<void(const void*, std::uint64_t)>;

  virtual ~packer() = default;
  virtual void write(const void* from, std::uint64_t bytes) = 0;
  virtual void finish() = 0;  // writes the stream's end
};

// Opens the format of this file name. Throws if the build or the machine lacks the library.
std::unique_ptr<unpacker> open_unpacker(packing, const std::string& name, unpacker::reader);
std::unique_ptr<packer> open_packer(packing, const std::string& name, packer::writer);

// For implementations. `raw_deflate`: a zip's member, without gzip's header and trailer.
std::unique_ptr<unpacker> open_gzip(const std::string& name, unpacker::reader, bool raw_deflate = false);
std::unique_ptr<packer> pack_gzip(const std::string& name, packer::writer);
std::uint32_t checksum_of(std::uint32_t before, const void* data, std::uint64_t bytes);  // CRC-32, 0 to begin with
std::unique_ptr<unpacker> open_zstd(const std::string& name, unpacker::reader);
std::unique_ptr<packer> pack_zstd(const std::string& name, packer::writer);
