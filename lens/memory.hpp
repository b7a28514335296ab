// The emulated machine's memory: bytes in the layout of the device, together with information that the device does not
// have: which elements were written, the longest chain of applications behind each value, and the last access.
#pragma once

#include <cstring>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "lens/counts.hpp"

namespace upsweep::lens {

// An element whose type only the operator knows: its bits, and the longest chain of applications that made it.
template <unsigned bytes>
struct cell {
  std::uint64_t bits = 0;
  std::uint32_t depth = 0;
};

// The layout of T in the device's memory.
template <class T>
struct layout {
  static constexpr std::size_t size = sizeof(T);
  static constexpr bool traced = false;
};
template <unsigned bytes>
struct layout<cell<bytes>> {
  static constexpr std::size_t size = bytes;
  static constexpr bool traced = true;
};

// Who touched an element, and when: enough to say whether another access is ordered after it.
struct access {
  std::uint32_t launch = 0;  // 0: no access yet
  std::uint32_t block = 0;
  std::uint32_t epoch = 0;   // block barriers that the block had passed
  std::uint32_t order = 0;   // warp barriers that the warp had passed
  std::uint32_t lanes = 0;   // of the warp
  std::uint32_t moment = 0;  // releases that all blocks had made
  std::uint16_t warp = 0, site = 0;
  std::uint16_t arrived = 0;  // barriers of its cluster that the thread had arrived at
  bool atomic = false;
  // Whether a copy engine made the access. It runs concurrently with the threads: no barrier of a block or a warp
  // orders its accesses.
  bool by_engine() const { return warp >= first_engine; }
  static constexpr std::uint16_t first_engine = 0x8000;
};

struct shadow {
  access write, read;
  std::vector<access> more_reads;  // by other warps, or not yet ordered
};

struct memory_block {
  std::string name;
  std::uint64_t address = 0;  // in its space; global ones are aligned as cudaMalloc aligns them
  std::size_t element = 1;    // bytes of one
  bool shared = false;
  bool real = false;  // of a floating-point type: for showing values
  // For raw memory: the size of the owner's elements in bytes, and their number in each dimension.
  std::size_t named = 0;
  std::vector<std::size_t> extents;
  std::vector<unsigned char> bytes;
  std::vector<std::uint32_t> depths;
  std::vector<unsigned char> written;
  std::vector<shadow> shadows;  // empty while races are not looked for

  std::size_t count() const { return written.size(); }
  // "tile[3][17]"
  std::string cell(std::int64_t i) const {
    if (named == 0) return name + "[" + std::to_string(i) + "]";
    std::size_t index = static_cast<std::size_t>(i) * element / named;
    if (extents.empty()) return name + "[" + std::to_string(index) + "]";
    std::string text;
    for (std::size_t d = extents.size(); d-- > 0; index /= extents[d]) {
      std::string place = "[";
      (place += std::to_string(d == 0 ? index : index % extents[d])) += "]";
      text.insert(0, place);
    }
    return name + (extents.size() == 1 && extents[0] == 1 ? "" : text);
  }
  void shape(std::size_t elements, std::size_t size, bool traced, bool watched) {
    element = size;
    bytes.assign(elements * size, 0);
    depths.assign(traced ? elements : 0, 0);
    written.assign(elements, 0);
    if (watched) shadows.assign(elements, {});
  }
  template <class T>
  T get(std::size_t i) const {
    if constexpr (layout<T>::traced) {
      T value;
      std::memcpy(&value.bits, bytes.data() + i * layout<T>::size, layout<T>::size);
      value.depth = depths[i];
      return value;
    } else {
      T value;
      std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
      return value;
    }
  }
  template <class T>
  void put(std::size_t i, const T& value) {
    if constexpr (layout<T>::traced) {
      std::memcpy(bytes.data() + i * layout<T>::size, &value.bits, layout<T>::size);
      depths[i] = value.depth;
    } else {
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    written[i] = 1;
  }
};

}  // namespace upsweep::lens
