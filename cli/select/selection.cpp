#include "cli/select/selection.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "upsweep/select.hpp"

using namespace upsweep;

chunk_selection::chunk_selection(const context& where, dtype type, std::uint64_t chunk, bool indices)
    : context_(where),
      type_(type),
      indices_(indices),
      in_(where, indices ? 0 : chunk * size_of(type)),
      out_(where, indices ? 0 : chunk * size_of(type)),
      flags_(where, chunk),
      places_(where, indices ? chunk * 4 : 0),
      kept_places_(where, indices ? chunk * 4 : 0) {
  if (!indices) return;
  iota_.resize(chunk);
  kept_.resize(chunk);
  std::iota(iota_.begin(), iota_.end(), 0u);
  places_.bring(iota_.data(), chunk * 4);
}

std::byte* chunk_selection::turn(std::uint64_t bytes) {
  const std::size_t k = calls_++ % 2;
  if (sizes_[k] < bytes) {
    results_[k] = std::make_unique_for_overwrite<std::byte[]>(bytes);
    sizes_[k] = bytes;
  }
  return results_[k].get();
}

template <class Select>
piece chunk_selection::elements(const void* data, std::uint64_t n, Select select) {
  return with_any_type(type_, [&]<class T>(type_tag<T>) {
    std::byte* const result = turn(n * sizeof(T));
    const device_span<const T> in(in_.bring(data, n * sizeof(T)), n);
    const std::uint64_t kept = select(in, device_span<T>(out_.at(result), n));
    out_.take_back(result, kept * sizeof(T));
    return piece{result, kept};
  });
}

piece chunk_selection::places(const std::uint8_t* flags, std::uint64_t n, std::uint64_t first) {
  const device_span<const std::uint32_t> in(places_.at(iota_.data()), n);
  const device_span<const std::uint8_t> kinds(flags_.bring(flags, n), n);
  const std::uint64_t kept =
      select_flagged(context_, in, kinds, device_span<std::uint32_t>(kept_places_.at(kept_.data()), n));
  kept_places_.take_back(kept_.data(), kept * 4);
  auto* const result = reinterpret_cast<std::int64_t*>(turn(n * sizeof(std::int64_t)));
  for (std::uint64_t i = 0; i < kept; ++i) result[i] = static_cast<std::int64_t>(first + kept_[i]);
  return {result, kept};
}

piece chunk_selection::where(const void* data, std::uint64_t n, comparison how, scalar threshold, std::uint64_t first) {
  if (!indices_)
    return elements(data, n, [&]<class T>(device_span<const T> in, device_span<T> out) {
      return copy_if(context_, in, out, compared<T>{how, threshold.as<T>()});
    });
  passed_.resize(n);
  with_any_type(type_, [&]<class T>(type_tag<T>) {
    const T* const x = static_cast<const T*>(data);
    std::transform(x, x + n, passed_.begin(), compared<T>{how, threshold.as<T>()});
  });
  return places(passed_.data(), n, first);
}

piece chunk_selection::flagged(const void* data, std::uint64_t n, const std::uint8_t* flags, std::uint64_t first) {
  if (indices_) return places(flags, n, first);
  const device_span<const std::uint8_t> kinds(flags_.bring(flags, n), n);
  return elements(data, n, [&]<class T>(device_span<const T> in, device_span<T> out) {
    return select_flagged(context_, in, kinds, out);
  });
}

piece chunk_selection::unique(const void* data, std::uint64_t n) {
  return elements(data, n, [&]<class T>(device_span<const T> in, device_span<T> out) {
    return upsweep::unique(context_, in, out);
  });
}

std::uint64_t encode_runs(const context& where, dtype type, memory elements, std::uint64_t n, memory firsts,
                          memory lengths) {
  return with_any_type(type, [&]<class T>(type_tag<T>) {
    return run_length_encode(where, device_span<const T>(elements, n), device_span<T>(firsts, n),
                             device_span<std::uint64_t>(lengths, n));
  });
}

void decode_runs(const context& where, dtype type, memory firsts, memory lengths, std::uint64_t n, memory elements,
                 std::uint64_t m) {
  with_any_type(type, [&]<class T>(type_tag<T>) {
    run_length_decode(where, device_span<const T>(firsts, n), device_span<const std::uint64_t>(lengths, n),
                      device_span<T>(elements, m));
  });
}

bool equal_elements(const void* a, const void* b, dtype type) {
  return with_any_type(type, [&]<class T>(type_tag<T>) {
    T x, y;
    std::memcpy(static_cast<void*>(&x), a, sizeof x);
    std::memcpy(static_cast<void*>(&y), b, sizeof y);
    return x == y;
  });
}
