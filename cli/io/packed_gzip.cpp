// gzip by zlib, which libpng brings along.
#include "cli/io/packed.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

#if UPSWEEP_WITH_ZLIB

#include <zlib.h>

#include <algorithm>

namespace {

constexpr int window = 15, with_gzip_header = 16;

class gzip final : public unpacker {
 public:
  gzip(const std::string& name, reader read, bool raw) : unpacker(name, std::move(read)), raw_(raw), in_(block_bytes) {
    if (inflateInit2(&z_, raw ? -window : window + with_gzip_header) != Z_OK)
      throw error(fault::out_of_memory, name, "not enough memory to decompress it");
  }
  ~gzip() override { inflateEnd(&z_); }

 protected:
  std::uint64_t unpack(char* to, std::uint64_t capacity) override {
    z_.next_out = reinterpret_cast<Bytef*>(to);
    z_.avail_out = static_cast<uInt>(capacity);
    while (z_.avail_out == capacity) {
      if (z_.avail_in == 0) more();
      if (z_.avail_in == 0) {
        if (between_) return 0;
        cut_off();
      }
      if (between_ && !next_member()) continue;
      const int state = inflate(&z_, Z_NO_FLUSH);
      if (state == Z_STREAM_END) {
        between_ = true;
        if (raw_) return capacity - z_.avail_out;
      } else if (state != Z_OK && state != Z_BUF_ERROR) {
        damaged(begun_ ? "its compressed data or their checksum are wrong"
                       : "its extension is that of gzip but its data is not gzip");
      }
      begun_ = begun_ || z_.avail_out < capacity || between_;
    }
    return capacity - z_.avail_out;
  }

 private:
  void more() {
    z_.next_in = reinterpret_cast<Bytef*>(in_.data());
    z_.avail_in = static_cast<uInt>(read_(in_.data(), in_.size()));
  }
  // Files one behind the other are one file; zeros behind the last fill a tape's block.
  bool next_member() {
    if (raw_) damaged("data follows its compressed data");
    while (z_.avail_in > 0 && *z_.next_in == 0) {
      ++z_.next_in;
      --z_.avail_in;
      padded_ = true;
    }
    if (z_.avail_in == 0) return false;
    if (padded_ || *z_.next_in != 0x1f) damaged("data that is not gzip follows its compressed data");
    inflateReset(&z_);
    between_ = false;
    return true;
  }

  z_stream z_{};
  bool raw_, begun_ = false, between_ = false, padded_ = false;
  std::vector<char> in_;
};

class gzip_packer final : public packer {
 public:
  gzip_packer(const std::string& name, writer write) : write_(std::move(write)), out_(1 << 18) {
    if (deflateInit2(&z_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window + with_gzip_header, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw error(fault::out_of_memory, name, "not enough memory to compress it");
  }
  ~gzip_packer() override { deflateEnd(&z_); }

  void write(const void* from, std::uint64_t bytes) override {
    constexpr std::uint64_t most = 1 << 30;
    z_.next_in = const_cast<Bytef*>(static_cast<const Bytef*>(from));
    for (std::uint64_t left = bytes; left > 0;) {
      const std::uint64_t some = std::min(left, most);
      z_.avail_in = static_cast<uInt>(some);
      while (z_.avail_in > 0) turn(Z_NO_FLUSH);
      left -= some;
    }
  }
  void finish() override {
    while (turn(Z_FINISH) != Z_STREAM_END) {
    }
  }

 private:
  int turn(int how) {
    z_.next_out = reinterpret_cast<Bytef*>(out_.data());
    z_.avail_out = static_cast<uInt>(out_.size());
    const int state = deflate(&z_, how);
    write_(out_.data(), out_.size() - z_.avail_out);
    return state;
  }

  z_stream z_{};
  writer write_;
  std::vector<char> out_;
};

}  // namespace

std::unique_ptr<unpacker> open_gzip(const std::string& name, unpacker::reader read, bool raw_deflate) {
  return std::make_unique<gzip>(name, std::move(read), raw_deflate);
}

std::unique_ptr<packer> pack_gzip(const std::string& name, packer::writer write) {
  return std::make_unique<gzip_packer>(name, std::move(write));
}

std::uint32_t checksum_of(std::uint32_t before, const void* data, std::uint64_t bytes) {
  return static_cast<std::uint32_t>(crc32_z(before, static_cast<const Bytef*>(data), bytes));
}

#else

namespace {

[[noreturn]] void without_gzip(const std::string& name) {
  throw error(fault::unsupported, name, "gzip is off in this build",
              "install zlib1g-dev and build again, or gunzip it");
}

}  // namespace

std::unique_ptr<unpacker> open_gzip(const std::string& name, unpacker::reader, bool) { without_gzip(name); }
std::unique_ptr<packer> pack_gzip(const std::string& name, packer::writer) { without_gzip(name); }
std::uint32_t checksum_of(std::uint32_t, const void*, std::uint64_t) { without_gzip("zip"); }

#endif
