// Reproducible sums on the CPU, and the dispatch to the other backends.
#include "upsweep/reduce/reduce_reproducible.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/reduce/reduce_reproducible_entry.hpp"

namespace upsweep {

namespace {

template <class T>
struct digits_of {
  std::int64_t digit[exact_format<T>::digits]{};
  std::uint32_t flags = 0;
};

// Adds value · 2^offset, in units of the lowest bit.
void add_shifted(std::int64_t* digit, std::int64_t value, int offset) {
  std::int64_t* place = digit + (offset >> 5);
  const int shift = offset & 31;
  const std::uint64_t low = static_cast<std::uint64_t>(value & 0xffffffff) << shift;
  const std::int64_t high = (value >> 32) * (std::int64_t(1) << shift);
  place[0] += low & 0xffffffff;
  place[1] += (low >> 32) + (high & 0xffffffff);
  place[2] += high >> 32;
}

// One bin per exponent. Signed mantissas of one exponent are added without a shift, and the bins are shifted to their
// positions at the end. This takes one addition per float. A double's mantissa is added in halves, so that 2^30 of them
// fit. Consecutive elements go to different bins, because they mostly have the same exponent and would wait for each
// other's store.
template <class T>
class exponent_bins {
  using format = exact_format<T>;
  using bits = typename format::bits;
  static constexpr int halves = sizeof(T) / 4, copies = sizeof(T) == 4 ? 4 : 2, exponents = format::max_exponent + 1;

 public:
  static constexpr std::uint64_t capacity = std::uint64_t(1) << 28;

  // Takes at most `capacity` elements before the next flush.
  template <class F>
  std::uint32_t add(const T* x, std::uint64_t n, F f) {
    std::uint32_t flags = 0;
    std::uint64_t i = 0;
    for (; i + copies <= n; i += copies)
      for (int c = 0; c < copies; ++c) flags |= add(exact_bits(f(x[i + c])), c);
    for (; i < n; ++i) flags |= add(exact_bits(f(x[i])), 0);
    return flags;
  }

  void flush(std::int64_t* digit) {
    for (int c = 0; c < copies; ++c)
      for (int e = 0; e < format::max_exponent; ++e)
        for (int h = 0; h < halves; ++h)
          if (bin_[c][e][h]) add_shifted(digit, std::exchange(bin_[c][e][h], 0), (e ? e - 1 : 0) + 32 * h);
    exact_normalise<T>(digit, 1);
  }

 private:
  std::uint32_t add(bits b, int copy) {
    const int exponent = static_cast<int>(b >> format::mantissa) & format::max_exponent;
    if (exponent == format::max_exponent) [[unlikely]]
      return exact_flag<T>(b);
    const std::uint64_t m = (b & ((bits(1) << format::mantissa) - 1)) | static_cast<std::uint64_t>(exponent != 0)
                                                                            << format::mantissa;
    const std::int64_t sign = -static_cast<std::int64_t>(b >> (8 * sizeof b - 1));
    std::int64_t* bin = bin_[copy][exponent];
    if constexpr (halves == 1) {
      bin[0] += (static_cast<std::int64_t>(m) ^ sign) - sign;
    } else {
      bin[0] += (static_cast<std::int64_t>(m & 0xffffffff) ^ sign) - sign;
      bin[1] += (static_cast<std::int64_t>(m >> 32) ^ sign) - sign;
    }
    return 0;
  }

  alignas(64) std::int64_t bin_[copies][exponents][halves]{};
};

template <class T, class F>
void add_piece(const T* x, std::uint64_t n, F f, digits_of<T>& sum) {
  if (n < 2048) {  // too few to visit all exponents
    for (std::uint64_t i = 0; i < n; ++i) sum.flags |= exact_add<T>(sum.digit, 1, exact_bits(f(x[i])));
    return exact_normalise<T>(sum.digit, 1);
  }
  const auto bins = std::make_unique<exponent_bins<T>>();
  for (std::uint64_t done = 0; done < n; done += exponent_bins<T>::capacity) {
    sum.flags |= bins->add(x + done, std::min(n - done, exponent_bins<T>::capacity), f);
    bins->flush(sum.digit);
  }
}

// The result of exact sums does not depend on the split, so the split may depend on the number of threads.
template <class T, class F>
digits_of<T> add_all(device& d, const T* x, std::uint64_t n, F f) {
  const std::uint64_t pieces = std::clamp<std::uint64_t>(n >> 16, 1, 8 * cpu::threads_of(d));
  const auto start = [&](std::uint64_t p) { return n / pieces * p + std::min(p, n % pieces); };
  cpu::block_values<digits_of<T>> sums(d, "reduce/reproducible", pieces, {});
  cpu::for_each_block(d, pieces, [&](std::uint64_t p, const cpu::stop_flag&) {
    sums[p] = {};
    add_piece(x + start(p), start(p + 1) - start(p), f, sums[p]);
  });
  for (std::uint64_t p = 1; p < pieces; ++p) {
    for (int i = 0; i < exact_format<T>::digits; ++i) sums[0].digit[i] += sums[p].digit[i];
    exact_normalise<T>(sums[0].digit, 1);
    sums[0].flags |= sums[p].flags;
  }
  return sums[0];
}

template <class F>
decltype(auto) with_float(dtype t, F&& f) {
  return t == dtype::f32 ? f(type_tag<float>{}) : f(type_tag<double>{});
}

void run_reproducible(device& d, const detail::reduce_impl::problem& p) {
  with_float(p.type, [&]<class T>(type_tag<T>) {
    digits_of<T> sum = cpu::with_transform(p.transform, [&](auto f) { return add_all(d, p.in.as<T>(), p.n, f); });
    sum.flags |= exact_add<T>(sum.digit, 1, exact_bits(p.init.as<T>()));
    const auto bits = exact_round<T>(sum.digit, sum.flags);
    std::memcpy(p.out.address(), &bits, sizeof bits);
  });
}

}  // namespace

void add_exactly(device& d, dtype type, memory in, std::uint64_t n, std::int64_t* digits, std::uint32_t& flags) {
  if (n == 0) return;
  switch (d.kind()) {
    case backend::cpu:
      return with_float(type, [&]<class T>(type_tag<T>) {
        const digits_of<T> sum = add_all(d, in.as<T>(), n, identity{});
        for (int i = 0; i < exact_format<T>::digits; ++i) digits[i] += sum.digit[i];
        exact_normalise<T>(digits, 1);
        flags |= sum.flags;
      });
#if UPSWEEP_WITH_CUDA
    case backend::cuda: return detail::reduce_impl::add_exactly_cuda(d, type, in, n, digits, flags);
#endif
#if UPSWEEP_WITH_OPENCL
    case backend::opencl: return detail::reduce_impl::add_exactly_opencl(d, type, in, n, digits, flags);
#endif
    default:
      throw error(fault::unsupported, "reproducible_sum", "this build has no " + std::string(name_of(d.kind())),
                  "use a CPU context");
  }
}

namespace detail::reduce_impl {

std::span<const variant> reproducible_cpu() {
  static const std::array list{reproducible_entry(backend::cpu, run_reproducible)};
  return list;
}

}  // namespace detail::reduce_impl

}  // namespace upsweep
