// The catalog: every variant of every primitive, by name. Tests, bench, command and report walk it and nothing else.
//
// A variant works on device memory with its types erased; the public templates of each room (reduce.hpp, scan.hpp) end here for
// built-in types and operators. Adding a variant is one file with the algorithm and one entry in its room's list.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/context.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {

enum class primitive : std::uint8_t { reduce, scan, vector_add };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"reduce", "scan", "vector-add"};
  return names[static_cast<int>(p)];
}

// One element of any built-in type.
struct scalar {
  alignas(8) std::byte bytes[8]{};
  template <class T>
  static scalar of(T value) {
    static_assert(sizeof(T) <= 8);
    scalar s;
    std::memcpy(s.bytes, &value, sizeof value);
    return s;
  }
  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
};

// What is to be computed. x_i stands for op-lifted transform(in[i]).
//   reduce:           out[0] = init ∘ x_0 ∘ … ∘ x_{n-1}
//   scan, exclusive:  out[i] = init ∘ x_0 ∘ … ∘ x_{i-1}
//   scan, inclusive:  out[i] = init ∘ x_0 ∘ … ∘ x_i
//   vector-add:       out[i] = in[i] + in2[i]
// `out` of a scan may be exactly `in`; any other overlap is the caller's error. n may be 0: reduce then yields init.
struct problem {
  primitive what = primitive::reduce;
  dtype type = dtype::u32;
  op_kind op = op_kind::plus;
  transform_kind transform = transform_kind::identity;
  bool inclusive = false;  // scan
  memory in, in2, out;
  std::uint64_t n = 0;
  scalar init;  // of `type`; set it to identity_scalar(op, type) for none
};

scalar identity_scalar(op_kind op, dtype type);

// A count as a function of the number of elements, and as the text people read ("2(n - 1)").
struct formula {
  const char* text = "";
  double (*value)(double n) = nullptr;
};

enum class rung : std::uint8_t { textbook, library };

struct variant {
  std::string_view name;  // "scan/blelloch-padded"
  backend where = backend::cpu;
  primitive what = primitive::reduce;
  rung kind = rung::textbook;
  int year = 0;
  std::string_view source;   // "harris2007", or "upsweep" for our own
  std::string_view teaches;  // one sentence: what it is and what it shows

  formula work;      // operator applications
  formula span;      // the longest chain of dependent applications; it also bounds the float error in units of eps·Σ|x|
  formula launches;  // kernels, or parallel phases on the CPU
  formula traffic;   // elements read and written in device memory

  // What it can take; `limits` says in words what is left out, and why.
  std::uint64_t max_n = ~std::uint64_t{0};
  bool inclusive = true, exclusive = true;  // scan
  bool transforms = true;                   // takes any transform but identity
  bool needs_commutative = false;
  bool (*takes)(op_kind, dtype) = accepts;
  // What a device lacks for it ("64-bit atomics"), or null; unset: nothing that any device of its backend could lack.
  const char* (*device_lacks)(const device&) = nullptr;
  std::string_view limits;

  // Enqueues the work (CPU: done on return). `p` has been checked against all of the above.
  void (*run)(device&, const problem& p) = nullptr;
};

// All variants in this build, in teaching order within a room, the fastest last.
std::span<const variant> catalog();

// The variant of that name on that backend, or null.
const variant* find_variant(std::string_view name, backend where);

// As above, but throws fault::bad_argument with the nearest names, or with the backends that have it.
const variant& require_variant(std::string_view name, backend where);

// Why `v` cannot do `p` on `d`, as a sentence; empty when it can.
std::string why_not(const variant& v, const device& d, const problem& p);

// The variant the device would run `p` with: the forced one, or the fastest for that device, size and type.
const variant& choose(const device& d, const problem& p);

// Chooses, checks and runs on the device; sets d.last.
void run(device& d, const problem& p);

// The same for operands in host memory (in.base and out.base are host addresses, offset 0): streams through the device in
// chunks when they do not fit, and returns when `out` is written. On the CPU nothing is copied.
void run_on_host(device& d, const problem& p);

// The init for the elements after p's, from its last input and output: an inclusive scan ends with it, an exclusive one lacks the last element.
scalar carry_after(const problem& p, scalar last_in, scalar last_out);

}  // namespace upsweep
