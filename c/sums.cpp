// Sums of small numbers in wider ones, as C++'s reduce and scan make them where init or output are of another type.
#include "c/call.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"

using namespace upsweep;
using c::call;
using c::guarded;

namespace {

// f(T{}, A{}): elements of T, whose sums are of A.
template <class F>
void with_sums(const call& k, dtype t, F f) {
  switch (t) {
    case dtype::i8: return f(std::int8_t{}, std::int64_t{});
    case dtype::i16: return f(std::int16_t{}, std::int64_t{});
    case dtype::i32: return f(std::int32_t{}, std::int64_t{});
    case dtype::u8: return f(std::uint8_t{}, std::uint64_t{});
    case dtype::u16: return f(std::uint16_t{}, std::uint64_t{});
    case dtype::u32: return f(std::uint32_t{}, std::uint64_t{});
    default:
      throw error(fault::unsupported, k.name, "sums of " + std::string(name_of(t)) + " in a wider type",
                  "give i8, i16, i32, u8, u16 or u32; others have sums in their own type");
  }
}

template <class T>
std::span<T> numbers(const call& k, const char* what, const void* pointer, std::uint64_t n) {
  k.numbers(what, static_cast<const T*>(pointer), n);
  return {static_cast<T*>(const_cast<void*>(pointer)), n};
}

void require_cpu(const call& k) {
  if (k.where.kind() != backend::cpu)
    throw error(fault::unsupported, k.name, "sums in a wider type on a device", "convert the elements, or use the CPU");
}

}  // namespace

upsweep_status upsweep_wide_sum(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                void* out) {
  return guarded([&] {
    const call k("wide_sum", context);
    require_cpu(k);
    with_sums(k, k.type(type), [&]<class T, class A>(T, A) {
      const auto from = numbers<const T>(k, "the input", in, n);
      const auto to = numbers<A>(k, "the output", out, 1);
      to[0] = reduce(k.where, from, A{0});
    });
  });
}

upsweep_status upsweep_wide_running_sums(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                         void* out) {
  return guarded([&] {
    const call k("wide_running_sums", context);
    require_cpu(k);
    with_sums(k, k.type(type), [&]<class T, class A>(T, A) {
      inclusive_scan(k.where, numbers<const T>(k, "the input", in, n), numbers<A>(k, "the output", out, n), A{0},
                     plus{});
    });
  });
}
