// A thread an element, or a pair of them; elements are words of a width, as many as they have.
#include <array>

#include "upsweep/for_each/for_each_cuda.cuh"
#include "upsweep/rearrange/rearrange_entries.hpp"

namespace upsweep::detail::rearrange_impl {

namespace {

template <class W>
struct exchange_ends {
  W* x;
  std::uint64_t n, words;
  __device__ void operator()(std::uint64_t i) const {
    W *a = x + i * words, *b = x + (n - 1 - i) * words;
    for (std::uint64_t w = 0; w < words; ++w) {
      const W first = a[w];
      a[w] = b[w], b[w] = first;
    }
  }
};

template <class W>
struct take_from_the_end {
  const W* in;
  W* out;
  std::uint64_t n, words;
  __device__ void operator()(std::uint64_t i) const {
    for (std::uint64_t w = 0; w < words; ++w) out[i * words + w] = in[(n - 1 - i) * words + w];
  }
};

// Kernels on words, whatever element the words belong to.
template <class W>
struct exchange {
  const W *in, *in2;
  W *out, *out2;
  __device__ void operator()(std::uint64_t i) const {
    const W a = in[i], b = in2[i];
    out[i] = b, out2[i] = a;
  }
};

template <class W>
struct take_from_place {
  const W* in;
  W* out;
  std::uint64_t words;
  seeded_permutation place;
  __device__ void operator()(std::uint64_t i) const {
    const std::uint64_t from = place(i);
    for (std::uint64_t w = 0; w < words; ++w) out[i * words + w] = in[from * words + w];
  }
};

template <class W>
struct tell_place {
  W* out;
  seeded_permutation place;
  __device__ void operator()(std::uint64_t i) const { out[i] = static_cast<W>(place(i)); }
};

template <class F>
void with_word(dtype type, F f) {
  switch (size_of(type)) {
    case 1: return f(type_tag<std::uint8_t>{});
    case 2: return f(type_tag<std::uint16_t>{});
    case 4: return f(type_tag<std::uint32_t>{});
    default: return f(type_tag<std::uint64_t>{});
  }
}

void run_reverse(device& d, const problem& p) {
  with_word(p.type, [&]<class W>(type_tag<W>) {
    if (in_place(d, p)) return cuda::for_each_index(d, p.n / 2, exchange_ends<W>{p.out.as<W>(), p.n, p.words});
    cuda::for_each_index(d, p.n, take_from_the_end<W>{p.in.as<W>(), p.out.as<W>(), p.n, p.words});
  });
}

void run_rotate(device& d, const problem& p) {
  if (in_place(d, p)) return rotate_by_reversing(p, [&](const problem& r) { run_reverse(d, r); });
  const std::uint64_t bytes = p.words * size_of(p.type);
  if (p.shift < p.n) d.copy(p.out, part_of(p, p.in, p.shift), (p.n - p.shift) * bytes);
  if (p.shift) d.copy(part_of(p, p.out, p.n - p.shift), p.in, p.shift * bytes);
}

void run_swap(device& d, const problem& p) {
  with_word(p.type, [&]<class W>(type_tag<W>) {
    cuda::for_each_index(d, p.n * p.words, exchange<W>{p.in.as<W>(), p.in2.as<W>(), p.out.as<W>(), p.out2.as<W>()});
  });
}

void run_shuffle(device& d, const problem& p) {
  if (p.n == 0) return;
  memory in = p.in;
  if (in_place(d, p)) {
    const std::uint64_t bytes = p.n * p.words * size_of(p.type);
    in = d.scratch("shuffle/aside", std::max<std::uint64_t>(bytes, 16));
    d.copy(in, p.in, bytes);
  }
  const seeded_permutation place(p.n, p.seed);
  with_word(p.type, [&]<class W>(type_tag<W>) {
    cuda::for_each_index(d, p.n, take_from_place<W>{in.as<W>(), p.out.as<W>(), p.words, place});
  });
}

void run_permutation(device& d, const problem& p) {
  const seeded_permutation place(p.n, p.seed);
  if (p.type == dtype::u32)
    cuda::for_each_index(d, p.n, tell_place<std::uint32_t>{p.out.as<std::uint32_t>(), place});
  else
    cuda::for_each_index(d, p.n, tell_place<std::uint64_t>{p.out.as<std::uint64_t>(), place});
}

}  // namespace

std::span<const variant> cuda() {
  constexpr backend here = backend::cuda;
  static const std::array list{
      entry(here, primitive::reverse, "reverse/thread-per-element", "A thread an element; in place, a pair.",
            run_reverse),
      entry(here, primitive::rotate, "rotate/by-reversing",
            "In place three reversals; else two of the driver's copies.", run_rotate),
      entry(here, primitive::swap_ranges, "swap-ranges/thread-per-element", "A thread a word.", run_swap),
      entry(here, primitive::shuffle, "shuffle/thread-per-element",
            "Each element's place from its index and the seed; in place, of a copy.", run_shuffle),
      entry(here, primitive::random_permutation, "random-permutation/thread-per-element",
            "Each place from its index and the seed alone.", run_permutation),
  };
  return list;
}

}  // namespace upsweep::detail::rearrange_impl
