// One case of a check: a descriptor, the placement of its operands, and the outcome when a variant runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "upsweep/conformance/conformance.hpp"

namespace upsweep {

// One case: a descriptor without addresses, and the placement of its operands.
struct check_case {
  problem p;
  input_kind kind = input_kind::uniform;
  bool in_place = false;
  std::uint64_t offset = 0;  // elements by which the operands are off their 256-byte alignment
  bool many = false;         // a form for more than 2^32 elements
};

// In words: "u32 plus inclusive in place, n = 1025, seed 1".
std::string text(const check_case&, std::uint64_t seed);

// Bytes on the host, gigabytes where there are more than 2^32 elements: they are first touched, set and compared on all
// processors.
class host_bytes {
 public:
  void resize(std::uint64_t bytes);  // the contents are lost
  void set_all(std::byte);
  std::byte* data() const { return bytes_.get(); }
  std::uint64_t size() const { return size_; }
  std::byte* begin() const { return data(); }
  std::byte* end() const { return data() + size_; }
  friend bool operator==(const host_bytes&, const host_bytes&);

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::uint64_t size_ = 0;
};

// Device memory that is used again from case to case.
class guarded_memory;

// Runs cases of one variant on one device.
class case_runner {
 public:
  case_runner(device&, const variant&);
  ~case_runner();

  // Some textbook variants do quadratic work, or all work in one thread. They are checked only at sizes that take about
  // a second or less.
  bool affordable(std::uint64_t n, double most_work = 0x1p31, double longest = 0x1p18) const;

  // Returns an empty string if the case passes: the result is right, the memory around it and the inputs did not
  // change, and a second run has the same bits.
  std::string outcome(const check_case&, std::uint64_t seed);

  // The operand that an output shares memory with, or null.
  const slot* input_under(const check_case&, const slot& output) const;

  // Gives the memory back.
  void forget();

  const conformance_test& its_conformance_test() const { return conformance_test_; }

 private:
  device& device_;
  const variant& variant_;
  const conformance_test& conformance_test_;
  std::vector<std::unique_ptr<guarded_memory>> memories_;  // one for each operand
  std::vector<host_bytes> results_, again_;
};

}  // namespace upsweep
