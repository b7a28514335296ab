// What every function of upsweep.h does before it has the library's problem: no exception passes, arguments become
// operands, and what is none is refused in a sentence.
#pragma once

#include <limits>

#include "c/upsweep.h"
#include "upsweep/core/calls_in_progress.hpp"
#include "upsweep/core/image_shape.hpp"
#include "upsweep/core/operands.hpp"

struct upsweep_context {
  upsweep::context where;
  std::string name;
};

namespace upsweep::c {

using core::operand;

// Keeps the message of the exception that is being handled, and gives its status.
upsweep_status failed() noexcept;

template <class F>
upsweep_status guarded(F f) noexcept {
  try {
    const core::running_call scratch_in_use;
    f();
    return UPSWEEP_OK;
  } catch (...) {
    return failed();
  }
}

void require_given(const char* call, const char* what, const void* pointer);

// One of the `count` first numbers that stand for an E.
template <class E>
E chosen(const char* call, const char* what, int value, int count) {
  if (value < 0 || value >= count)
    throw error(fault::bad_argument, call, std::string(what) + " is " + std::to_string(value),
                "give one of upsweep.h's, 0 to " + std::to_string(count - 1));
  return static_cast<E>(value);
}

// A call by its name, in a context.
class call {
 public:
  call(const char* its_name, const upsweep_context* c) : name(its_name), where(required(its_name, c).where) {}

  const char* const name;
  const context& where;

  dtype type(int t) const { return chosen<dtype>(name, "the type", t, static_cast<int>(all_dtypes.size())); }
  comparison test(int t) const { return chosen<comparison>(name, "the comparison", t, 6); }
  border edge(int b) const { return chosen<border>(name, "the border", b, 6); }

  // `n` elements of `size` bytes.
  operand<const std::byte> in(const char* what, const void* pointer, std::uint64_t n, std::uint64_t size) const {
    return {{const_cast<void*>(pointer), 0}, bytes(what, pointer, n, size), false};
  }
  operand<std::byte> out(const char* what, void* pointer, std::uint64_t n, std::uint64_t size) const {
    return {{pointer, 0}, bytes(what, pointer, n, size), false};
  }
  operand<std::byte> out(const char* what, dtype t, void* pointer, std::uint64_t n) const {
    return out(what, pointer, n, size_of(t));
  }
  operand<const std::byte> in(const char* what, dtype t, const void* pointer, std::uint64_t n) const {
    return in(what, pointer, n, size_of(t));
  }
  template <class T>
  operand<const T> numbers(const char* what, const T* pointer, std::uint64_t n) const {
    bytes(what, pointer, n, sizeof(T));
    return {{const_cast<T*>(pointer), 0}, n, false};
  }
  // One more than there are segments.
  operand<const std::uint64_t> offsets(const std::uint64_t* pointer, std::uint64_t segments) const {
    if (segments == ~std::uint64_t{0})
      throw error(fault::bad_argument, name, "there are 2^64 - 1 segments, more than memory can hold", "give fewer");
    return numbers("the offsets", pointer, segments + 1);
  }
  // The one element that a host pointer leads to.
  scalar element(const char* what, const void* host, std::uint64_t size) const {
    require_given(name, what, host);
    scalar s;
    std::memcpy(s.bytes, host, size);
    return s;
  }

  // Type, operator, transform and init of a fold. What the operator does not take is refused where a variant is chosen.
  template <class P>
  void fold(P& p, int t, int op, int transform, const void* host_init) const {
    p.type = type(t);
    p.op = chosen<op_kind>(name, "the operator", op, static_cast<int>(all_ops.size()));
    p.transform = chosen<transform_kind>(name, "the transform", transform, static_cast<int>(all_transforms.size()));
    if (host_init)
      std::memcpy(p.init.bytes, host_init, size_of(p.type));
    else if (accepts(p.op, p.type))
      p.init = identity_scalar(p.op, p.type);
  }

  // The bytes of n elements of host memory, which has to be given where there are any.
  std::uint64_t host_bytes(const char* what, const void* pointer, std::uint64_t n, std::uint64_t size) const;

  // Memory to read from where the output is the very same as the input, which the caller allows and the room does not:
  // a copy set aside.
  memory aside(operand<const std::byte> from, operand<std::byte> to, const char* scratch) const;

 private:
  static const upsweep_context& required(const char* call, const upsweep_context* c) {
    require_given(call, "the context", c);
    return *c;
  }
  // Of device memory; refuses what upsweep_allocate gave for another device.
  std::uint64_t bytes(const char* what, const void* pointer, std::uint64_t n, std::uint64_t size) const;
};

// Elements that only move, by their size.
dtype bitwise_type(const char* call, std::uint32_t element_bytes);

}  // namespace upsweep::c
