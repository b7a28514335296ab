#include "cli/image/stored_picture.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "upsweep/cpu/block_partition.hpp"

namespace {

template <class T>
float float_of(T v, const stored_picture& p) {
  return static_cast<float>(v) / static_cast<float>(p.most);
}

// The float of each integer of 8 bits.
std::array<float, 256> floats_of_bytes(const stored_picture& p) {
  std::array<float, 256> all;
  for (unsigned v = 0; v < all.size(); ++v) all[v] = float_of(v, p);
  return all;
}

// Every `step`th sample of n, from the one at `from` on.
void widen(const stored_picture& p, const std::array<float, 256>& of_byte, const std::uint8_t* from, std::uint64_t n,
           std::uint32_t step, float* to) {
  if (p.depth == 8) {
    for (std::uint64_t i = 0; i < n; ++i) to[i] = of_byte[from[i * step]];
    return;
  }
  for (std::uint64_t i = 0; i < n; ++i) {
    std::uint16_t v;
    std::memcpy(&v, from + 2 * i * step, 2);
    to[i] = float_of(v, p);
  }
}

template <class T>
void narrow(float most, const float* from, std::uint64_t n, std::uint32_t step, std::uint8_t* to) {
  for (std::uint64_t i = 0; i < n; ++i) {
    const float v = from[i];
    const T whole = static_cast<T>(v >= 1 ? most : v > 0 ? v * most + 0.5f : 0.0f);  // NaN is black
    std::memcpy(to + i * step * sizeof(T), &whole, sizeof(T));
  }
}

void narrow(const stored_picture& p, const float* from, std::uint64_t n, std::uint32_t step, std::uint8_t* to) {
  if (p.depth == 8)
    narrow<std::uint8_t>(static_cast<float>(p.most), from, n, step, to);
  else
    narrow<std::uint16_t>(static_cast<float>(p.most), from, n, step, to);
}

template <class Work>
void for_rows(std::uint64_t rows, const Work& work) {
  upsweep::cpu::for_each_block(rows, [&](std::uint64_t y, const upsweep::cpu::stop_flag&) { work(y); });
}

}  // namespace

stored_picture empty_stored(std::uint64_t width, std::uint64_t height, std::uint32_t channels, std::uint32_t depth) {
  stored_picture p{width, height, channels, depth, depth == 8 ? 255u : 65535u, {}, {}};
  p.bytes.resize(p.row_bytes() * height);
  return p;
}

picture floats_of(const stored_picture& p) { return floats_of_rows(p, 0, p.height); }

picture floats_of_rows(const stored_picture& p, std::uint64_t first, std::uint64_t rows) {
  picture out{p.width, rows, p.channels, p.depth, {}};
  const std::uint64_t row = p.width * p.channels;
  out.samples.resize(rows * row);
  const auto of_byte = floats_of_bytes(p);
  for_rows(rows, [&](std::uint64_t y) {
    widen(p, of_byte, &p.bytes[(first + y) * p.row_bytes()], row, 1, &out.samples[y * row]);
  });
  return out;
}

picture floats_of_channel(const stored_picture& p, std::uint32_t channel) {
  picture out{p.width, p.height, 1, p.depth, {}};
  out.samples.resize(p.width * p.height);
  const auto of_byte = floats_of_bytes(p);
  for_rows(p.height, [&](std::uint64_t y) {
    widen(p, of_byte, &p.bytes[y * p.row_bytes() + channel * p.depth / 8], p.width, p.channels,
          &out.samples[y * p.width]);
  });
  return out;
}

stored_picture stored_of(const picture& p) {
  stored_picture out = empty_stored(p.width, p.height, p.channels, p.depth);
  put_rows(out, 0, p, 0, p.height);
  return out;
}

void put_rows(stored_picture& to, std::uint64_t first, const picture& from, std::uint64_t skipped, std::uint64_t rows) {
  const std::uint64_t row = to.width * to.channels;
  for_rows(rows, [&](std::uint64_t y) {
    narrow(to, &from.samples[(skipped + y) * row], row, 1, &to.bytes[(first + y) * to.row_bytes()]);
  });
}

void put_channel(stored_picture& to, std::uint32_t channel, const picture& from) {
  for_rows(to.height, [&](std::uint64_t y) {
    narrow(to, &from.samples[y * to.width], to.width, to.channels,
           &to.bytes[y * to.row_bytes() + channel * to.depth / 8]);
  });
}

namespace {

template <class Change>
stored_picture through_floats(const stored_picture& p, stored_picture to, const Change& change) {
  constexpr std::uint64_t rows = 64;
  to.metadata = p.metadata;
  for (std::uint64_t y = 0; y < p.height; y += rows) {
    const std::uint64_t n = std::min(rows, p.height - y);
    put_rows(to, y, change(floats_of_rows(p, y, n)), 0, n);
  }
  return to;
}

}  // namespace

stored_picture with_depth(const stored_picture& p, std::uint32_t depth) {
  return through_floats(p, empty_stored(p.width, p.height, p.channels, depth), [](picture rows) { return rows; });
}

stored_picture composited_on_white(const stored_picture& p) {
  return through_floats(p, empty_stored(p.width, p.height, p.colours(), p.depth),
                        [](const picture& rows) { return composited_on_white(rows); });
}
