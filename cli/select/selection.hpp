// Selections from a file's chunks, and runs of equal elements, on any device. The templates of upsweep/select.hpp are
// made here and nowhere else in the command.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "cli/stream/chunks.hpp"
#include "upsweep/core/catalog.hpp"

class chunk_selection {
 public:
  // For chunks of at most so many elements. With `indices`, what is kept are the elements' places.
  chunk_selection(const upsweep::context&, upsweep::dtype, std::uint64_t chunk, bool indices);

  // The selected elements remain valid until the call after the next. `first` is the index of the chunk's first
  // element.
  piece where(const void* data, std::uint64_t n, upsweep::comparison, upsweep::scalar threshold, std::uint64_t first);
  piece flagged(const void* data, std::uint64_t n, const std::uint8_t* flags, std::uint64_t first);
  piece unique(const void* data, std::uint64_t n);

 private:
  // `select` gets what is read and where the kept elements go, as device spans, and says how many are kept.
  template <class Select>
  piece elements(const void* data, std::uint64_t n, Select);
  piece places(const std::uint8_t* flags, std::uint64_t n, std::uint64_t first);
  std::byte* turn(std::uint64_t bytes);

  upsweep::context context_;
  upsweep::dtype type_;
  bool indices_;
  device_workspace in_, out_, flags_, places_, kept_places_;
  std::vector<std::uint32_t> iota_, kept_;
  std::vector<std::uint8_t> passed_;
  std::array<std::unique_ptr<std::byte[]>, 2> results_;  // one is written while the other is filled
  std::array<std::uint64_t, 2> sizes_{};
  std::size_t calls_ = 0;
};

// The first of each run of n equal elements, and its length; returns how many runs there are.
std::uint64_t encode_runs(const upsweep::context&, upsweep::dtype, upsweep::memory elements, std::uint64_t n,
                          upsweep::memory firsts, upsweep::memory lengths);
// Back again: n elements, each as often as its length says, which is m in all.
void decode_runs(const upsweep::context&, upsweep::dtype, upsweep::memory firsts, upsweep::memory lengths,
                 std::uint64_t n, upsweep::memory elements, std::uint64_t m);
// Whether two elements are one run.
bool equal_elements(const void* a, const void* b, upsweep::dtype);
