#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/core.h>

#include "cli/sort/sort.hpp"
#include "cli/stream/chunks.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/sort.hpp"

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
    throw error(fault::bad_argument, option, "it is not a range of bits",
                "write A..B for bits A to B - 1; bit 0 is the lowest");
  if (first >= past || past > width)
    throw error(
        fault::bad_argument, option,
        first >= past ? "the range is empty" : fmt::format("keys of type {} have {} bits", name_of(type), width),
        fmt::format("give A..B with 0 <= A < B <= {}", width));
  return {first, past};
}

}  // namespace

sort_order order_asked_for(dtype type, const sort_request& o) {
  sort_order order{.type = type, .descending = o.descending};
  if (!o.bits.empty()) std::tie(order.first_bit, order.last_bit) = bit_range(o.bits, type);
  return order;
}

key_sorter::key_sorter(const context& where, const sort_order& order, bool indices, const std::string& device_memory)
    : where_(where), order_(order), indices_(indices) {
  // On a device, keys and indices and as much again to sort them through.
  const std::uint64_t each = 3 * (size_of(order.type) + (indices ? 8 : 0));
  const std::uint64_t available = where.kind() == backend::cpu ? ~std::uint64_t{0} : where.free_memory() / 10 * 8;
  most_ = std::max<std::uint64_t>(
      1, (device_memory.empty() ? available : std::min(available, bytes_of_text("--device-memory", device_memory))) /
             each);
}

void key_sorter::sort(void* keys, std::uint64_t* indices, std::uint64_t n, std::uint64_t base) {
  const std::uint64_t size = size_of(order_.type);
  const bool narrow = n <= std::uint64_t{1} << 32;
  const std::uint64_t index_bytes = indices_ ? n * (narrow ? 4 : 8) : 0;
  device_workspace key_place(where_, n * size), index_place(where_, index_bytes);
  const auto small = indices_ && narrow ? std::make_unique_for_overwrite<std::uint32_t[]>(n) : nullptr;
  void* const to = small ? static_cast<void*>(small.get()) : indices;
  with_any_type(order_.type, [&]<class T>(type_tag<T>) {
    const device_span<T> there(key_place.bring(keys, n * size), n);
    const sort_options by{order_.descending, order_.first_bit, order_.last_bit};
    if (!indices_)
      upsweep::sort(where_, there, by);
    else if (narrow)
      argsort(where_, there, there, device_span<std::uint32_t>(index_place.at(to), n), by);
    else
      argsort(where_, there, there, device_span<std::uint64_t>(index_place.at(to), n), by);
  });
  key_place.take_back(keys, n * size);
  if (!indices_) return;
  index_place.take_back(to, index_bytes);
  constexpr std::uint64_t piece = 1 << 16;
  upsweep::cpu::for_each_piece(n, piece, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) indices[i] = (narrow ? small[i] : indices[i]) + base;
  });
}

bool key_sorter::has_top() {
  if (order_.last_bit != 0) return false;
  try {
    std::uint64_t key = 0, index = 0;
    top(&key, &index, 1, 1);
    return true;
  } catch (const error& e) {
    if (e.why() != fault::unsupported) throw;
    return false;
  }
}

void key_sorter::top(void* keys, std::uint64_t* indices, std::uint64_t n, std::uint64_t m) {
  const std::uint64_t size = size_of(order_.type);
  device_workspace in(where_, n * size), out(where_, m * size), places(where_, m * sizeof(std::uint64_t));
  const auto first = std::make_unique_for_overwrite<std::byte[]>(m * size);
  with_any_type(order_.type, [&]<class T>(type_tag<T>) {
    top_k(where_, device_span<const T>(in.bring(keys, n * size), n), device_span<T>(out.at(first.get()), m),
          device_span<std::uint64_t>(places.at(indices), m), {.descending = order_.descending});
  });
  out.take_back(first.get(), m * size);
  places.take_back(indices, m * sizeof(std::uint64_t));
  std::copy_n(first.get(), m * size, static_cast<std::byte*>(keys));
}
