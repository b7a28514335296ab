// `upsweep sort`: sorts elements and rows of CSV files.
//
// Data that fits in memory is sorted there, in one piece on the CPU and in parts of a device's memory on other devices.
// Larger data is sorted in runs that are stored in a nameless temporary file. At the end all runs are merged into the
// output.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/io/input.hpp"
#include "cli/options.hpp"
#include "cli/stream/spool.hpp"
#include "upsweep/sort/sort_order.hpp"

struct sort_request {
  source_options source;
  device_options where;
  output_options output;
  std::string bits, by, memory, device_memory;
  std::uint64_t top = ~std::uint64_t{0};
  bool descending = false, indices = false, natural = false;
};

// Which keys, and by which bits of their order's image; last_bit 0 means all of them.
struct sort_order {
  upsweep::dtype type = upsweep::dtype::f64;
  unsigned first_bit = 0, last_bit = 0;
  bool descending = false;
};
sort_order order_asked_for(upsweep::dtype, const sort_request&);

template <class T>
upsweep::order_window<upsweep::order_image<T>> window_of(const sort_order& o) {
  return {o.first_bit, o.last_bit, o.descending};
}

// Sorts what fits on a device at once.
class key_sorter {
 public:
  // `device_memory` limits what is taken of the device, where it is not empty.
  key_sorter(const upsweep::context&, const sort_order& order, bool indices, const std::string& device_memory);
  std::uint64_t most_elements() const { return most_; }
  // Sorts keys in place. With `indices`, indices[i] = base + the original position of the i-th key.
  void sort(void* keys, std::uint64_t* indices, std::uint64_t n, std::uint64_t base);
  // keys[0..m) and indices become the m first of the n in sorted order.
  void top(void* keys, std::uint64_t* indices, std::uint64_t n, std::uint64_t m);
  bool has_top();

 private:
  upsweep::context where_;
  sort_order order_;
  bool indices_;
  std::uint64_t most_ = 0;
};

// By the ranks of a communicator.
struct command_group;
void sort_by(const command_group&, const sort_request&);

void sort_elements(const sort_request&, std::unique_ptr<input>);
// Sorts by the columns of --by; or, with --column, sorts the fields of one column as text of the file.
void sort_rows(const sort_request&, std::unique_ptr<input>);
