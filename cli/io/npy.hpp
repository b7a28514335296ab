// NumPy's .npy format, versions 1 to 3: reads and writes headers. `stored_type` describes the elements of a file; it
// adds bool and the byte order to the built-in types.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/types.hpp"

struct stored_type {
  char kind = 'f';  // 'b' bool, 'i' signed, 'u' unsigned, 'f' floating
  int size = 8;     // bytes
  bool swapped = false;

  // The built-in type with the same values; bool is u8.
  upsweep::dtype builtin() const;
  friend bool operator==(const stored_type&, const stored_type&) = default;
};

// Parses "f64", "float64", "<f8", "|u1", "bool"; empty if the type is not supported.
std::optional<stored_type> stored_type_named(std::string_view name);
std::string name_of(const stored_type&);
std::string npy_descr(upsweep::dtype);  // "<f8", "|u1"

struct npy_header {
  stored_type type;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  // empty: one element without axes
  std::uint64_t count = 0;           // the product of `shape`
  std::uint64_t bytes = 0;           // of the header itself
};

inline constexpr std::string_view npy_magic{"\x93NUMPY", 6};

// Reads the header from a stream: `read` fills at most the given number of bytes and returns how many it read. `name`
// is for error messages.
npy_header read_npy_header(const std::string& name, const std::function<std::uint64_t(void*, std::uint64_t)>& read);

// 128 bytes for any count, so that a count known only at the end can be written in place. `truth`: u8 elements are
// written as bool.
std::string npy_header_text(upsweep::dtype, std::uint64_t count, bool truth = false);
// Of an array of several axes.
std::string npy_header_text(upsweep::dtype, const std::vector<std::uint64_t>& shape);
