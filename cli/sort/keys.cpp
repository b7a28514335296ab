#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "cli/sort/sort.hpp"
#include "cli/stream/chunks.hpp"

using namespace upsweep;

namespace {

// "8..16": bits 8 to 15.
std::pair<unsigned, unsigned> bit_range(const std::string& text, dtype type) {
  const unsigned width = 8 * static_cast<unsigned>(size_of(type));
  unsigned first = 0, past = 0;
  const char* const end = text.data() + text.size();
  const auto [dots, bad_first] = std::from_chars(text.data(), end, first);
  const bool dotted = end - dots > 2 && dots[0] == '.' && dots[1] == '.';
  const auto [stop, bad_past] =
      dotted ? std::from_chars(dots + 2, end, past) : std::from_chars_result{dots, std::errc::invalid_argument};
  const std::string option = "--key-bits '" + text + "'";
  if (bad_first != std::errc{} || bad_past != std::errc{} || stop != end)
    throw error(fault::bad_argument, option, "it is no range of bits",
                "write A..B for bits A to B - 1, bit 0 being the lowest");
  if (first >= past || past > width)
    throw error(fault::bad_argument, option,
                first >= past ? "it holds no bits" : fmt::format("keys of type {} have {} bits", name_of(type), width),
                fmt::format("give A..B with 0 <= A < B <= {}", width));
  return {first, past};
}

}  // namespace

problem sort_problem(dtype type, const sort_options& o) {
  problem p;
  p.what = primitive::sort;
  p.type = type;
  p.descending = o.descending;
  if (!o.bits.empty()) {
    const auto [first, past] = bit_range(o.bits, type);
    p.first_bit = static_cast<std::uint8_t>(first);
    p.last_bit = static_cast<std::uint8_t>(past);
  }
  return p;
}

key_sorter::key_sorter(const context& where, const problem& order, bool indices, const std::string& device_memory)
    : where_(where), order_(order), indices_(indices) {
  // On a device, keys and indices and as much again to sort them through.
  const std::uint64_t each = 3 * (size_of(order.type) + (indices ? 8 : 0));
  const std::uint64_t room = where.kind() == backend::cpu ? ~std::uint64_t{0} : where.dev().free_memory() / 10 * 8;
  most_ = std::max<std::uint64_t>(
      1, (device_memory.empty() ? room : std::min(room, bytes_of_text("--device-memory", device_memory))) / each);
}

void key_sorter::sort(void* keys, std::uint64_t* indices, std::uint64_t n, std::uint64_t base) {
  const std::uint64_t size = size_of(order_.type);
  problem p = order_;
  p.n = n;
  workplace key_place(where_, n * size);
  p.in = p.out = key_place.bring(keys, n * size);
  if (!indices_) {
    run(where_.dev(), p);
    return key_place.take_back(keys, n * size);
  }
  p.indices = true;
  const bool narrow = n <= std::uint64_t{1} << 32;
  p.value_bytes = narrow ? 4 : 8;
  workplace index_place(where_, n * p.value_bytes);
  const auto small = narrow ? std::make_unique_for_overwrite<std::uint32_t[]>(n) : nullptr;
  void* const to = narrow ? static_cast<void*>(small.get()) : indices;
  p.out2 = index_place.at(to);
  run(where_.dev(), p);
  key_place.take_back(keys, n * size);
  index_place.take_back(to, n * p.value_bytes);
  constexpr std::uint64_t piece = 1 << 16;
  oneapi::tbb::parallel_for(std::uint64_t{0}, (n + piece - 1) / piece, [&](std::uint64_t k) {
    const std::uint64_t end = std::min(n, (k + 1) * piece);
    for (std::uint64_t i = k * piece; i < end; ++i) indices[i] = (narrow ? small[i] : indices[i]) + base;
  });
}

bool key_sorter::has_top() const {
  if (order_.last_bit != 0) return false;
  problem p = order_;
  p.what = primitive::top_k;
  p.n = p.m = 1;
  for (const variant& v : catalog())
    if (v.what == p.what && why_not(v, where_.dev(), p).empty()) return true;
  return false;
}

void key_sorter::top(void* keys, std::uint64_t* indices, std::uint64_t n, std::uint64_t m) {
  const std::uint64_t size = size_of(order_.type);
  problem p = order_;
  p.what = primitive::top_k;
  p.n = n;
  p.m = m;
  workplace in(where_, n * size), out(where_, m * size), where(where_, m * sizeof(std::uint64_t));
  const auto first = std::make_unique_for_overwrite<std::byte[]>(m * size);
  p.in = in.bring(keys, n * size);
  p.out = out.at(first.get());
  p.out2 = where.at(indices);
  run(where_.dev(), p);
  out.take_back(first.get(), m * size);
  where.take_back(indices, m * sizeof(std::uint64_t));
  std::copy_n(first.get(), m * size, static_cast<std::byte*>(keys));
}
