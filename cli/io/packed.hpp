// gzip and zstd, told by a file name's ending: x.csv.gz, x.npy.zst. Streams of any length, in and out.
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

// What comes out of a packed stream.
class unpacker {
 public:
  using reader = std::function<std::uint64_t(void*, std::uint64_t)>;  // as input::read

  virtual ~unpacker() = default;
  // Up to so many bytes; fewer only at the end. A stream's end, with its checksum, is looked at before the last bytes
  // are given out: whoever has all of them has what was packed.
  std::uint64_t read(void* to, std::uint64_t bytes);

 protected:
  unpacker(std::string name, reader read) : name_(std::move(name)), read_(std::move(read)), block_(block_bytes) {}
  // Some bytes, up to `room`; 0 at the end.
  virtual std::uint64_t unpack(char* to, std::uint64_t room) = 0;

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

// What goes into one.
class packer {
 public:
  using writer = std::function<void(const void*, std::uint64_t)>;

  virtual ~packer() = default;
  virtual void write(const void* from, std::uint64_t bytes) = 0;
  virtual void finish() = 0;  // writes the stream's end
};

// Of a file of this name. Where a build or machine lacks what it takes, a sentence.
std::unique_ptr<unpacker> open_unpacker(packing, const std::string& name, unpacker::reader);
std::unique_ptr<packer> open_packer(packing, const std::string& name, packer::writer);

// For the ways' own files. `raw_deflate`: a zip's member, without gzip's header and trailer.
std::unique_ptr<unpacker> open_gzip(const std::string& name, unpacker::reader, bool raw_deflate = false);
std::unique_ptr<packer> pack_gzip(const std::string& name, packer::writer);
std::uint32_t checksum_of(std::uint32_t before, const void* data, std::uint64_t bytes);  // CRC-32, 0 to begin with
std::unique_ptr<unpacker> open_zstd(const std::string& name, unpacker::reader);
std::unique_ptr<packer> pack_zstd(const std::string& name, packer::writer);
