// Selections from a file's chunks, on any device.
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

  // What is kept stays where it is until the next but one call. `first` is the place of the chunk's first element.
  piece where(const void* data, std::uint64_t n, upsweep::comparison, upsweep::scalar threshold, std::uint64_t first);
  piece flagged(const void* data, std::uint64_t n, const std::uint8_t* flags, std::uint64_t first);
  piece unique(const void* data, std::uint64_t n);

 private:
  piece keep(upsweep::problem, const void* data, std::uint64_t n, std::uint64_t first);
  std::byte* turn(std::uint64_t bytes);

  upsweep::context context_;
  upsweep::dtype type_;
  bool indices_;
  workplace in_, out_, flags_, places_, kept_places_;
  std::vector<std::uint32_t> iota_, kept_;
  std::array<std::unique_ptr<std::byte[]>, 2> results_;  // one is written while the other is filled
  std::array<std::uint64_t, 2> sizes_{};
  std::size_t calls_ = 0;
};
