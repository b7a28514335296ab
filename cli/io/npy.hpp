// NumPy's .npy format, versions 1 to 3: the header's reader and writer. What is stored is described by `stored_type`,
// which goes beyond the built-in types by bool and by byte order.
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

// From "f64", "float64", "<f8", "|u1", "bool"; empty when it names no type that can be read.
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

// Takes the header from a stream: `read` fills up to so many bytes and says how many there were. `name` is for the
// error's sentence.
npy_header read_npy_header(const std::string& name, const std::function<std::uint64_t(void*, std::uint64_t)>& read);

// 128 bytes whatever the count, so that a count known only at the end can be written in place. `truth`: u8 elements go
// as bool.
std::string npy_header_text(upsweep::dtype, std::uint64_t count, bool truth = false);
// Of an array of several axes.
std::string npy_header_text(upsweep::dtype, const std::vector<std::uint64_t>& shape);
