// The CPU's templates on words, for check and bench. A call compiles them for its own type in the caller's code.
#include "upsweep/rearrange/cpu/rearrange_cpu.hpp"

#include <array>

#include "upsweep/rearrange/rearrange_entries.hpp"

namespace upsweep::detail::rearrange_impl {

namespace {

template <class W, std::size_t Words>
struct element {
  W words[Words];
};

// Calls f(null pointer to an element's type) for elements of 1, 2, 3 or 4 words.
template <class F>
void with_element(const problem& p, F f) {
  with_any_type(p.type, [&]<class W>(type_tag<W>) {
    if constexpr (std::is_unsigned_v<W>) {
      switch (p.words) {
        case 1: return f(static_cast<W*>(nullptr));
        case 2: return f(static_cast<element<W, 2>*>(nullptr));
        case 3: return f(static_cast<element<W, 3>*>(nullptr));
        default: return f(static_cast<element<W, 4>*>(nullptr));
      }
    }
  });
}

void run_reverse(device& d, const problem& p) {
  with_element(p, [&]<class T>(T*) {
    if (in_place(d, p)) return cpu::reverse(d, p.out.as<T>(), p.n);
    cpu::reverse_copy(d, p.in.as<const T>(), p.n, p.out.as<T>());
  });
}

void run_rotate(device& d, const problem& p) {
  with_element(p, [&]<class T>(T*) {
    if (in_place(d, p)) return cpu::rotate(d, p.out.as<T>(), p.n, p.shift);
    cpu::rotate_copy(d, p.in.as<const T>(), p.n, p.shift, p.out.as<T>());
  });
}

void run_swap(device& d, const problem& p) {
  with_element(p, [&]<class T>(T*) {
    const T *in = p.in.as<const T>(), *in2 = p.in2.as<const T>();
    T *out = p.out.as<T>(), *out2 = p.out2.as<T>();
    if (out == in && out2 == in2) return cpu::swap_ranges(d, out, out2, p.n);
    cpu::for_each_part(d, p.n, 4 * sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        const T x = in[i];
        out[i] = in2[i], out2[i] = x;
      }
    });
  });
}

void run_shuffle(device& d, const problem& p) {
  with_element(p, [&]<class T>(T*) {
    const seeded_permutation place(p.n, p.seed);
    if (in_place(d, p)) return cpu::shuffle(d, p.out.as<T>(), p.n, place);
    cpu::shuffle_copy(d, p.in.as<const T>(), p.out.as<T>(), p.n, place);
  });
}

void run_permutation(device& d, const problem& p) {
  const seeded_permutation place(p.n, p.seed);
  if (p.type == dtype::u32) return cpu::store(d, p.out.as<std::uint32_t>(), p.n, place);
  cpu::store(d, p.out.as<std::uint64_t>(), p.n, place);
}

const char* not_compiled_here(const problem& p) {
  return p.words > 4 ? "elements of more than four words" : no_words(p);
}

}  // namespace

std::span<const variant> cpu() {
  constexpr backend here = backend::cpu;
  const auto by_words = [](variant v) {
    v.cannot = not_compiled_here;
    return v;
  };
  static const std::array list{
      by_words(entry(here, primitive::reverse, "reverse/parts", "Threads take parts of the half that is exchanged.",
                     run_reverse)),
      by_words(entry(here, primitive::rotate, "rotate/parts", "Two copies; in place three reversals.", run_rotate)),
      by_words(entry(here, primitive::swap_ranges, "swap-ranges/parts", "Threads take parts.", run_swap)),
      by_words(entry(here, primitive::shuffle, "shuffle/parts",
                     "Each element's place from its index and the seed; in place, of a copy.", run_shuffle)),
      entry(here, primitive::random_permutation, "random-permutation/parts",
            "Each place from its index and the seed alone.", run_permutation),
  };
  return list;
}

}  // namespace upsweep::detail::rearrange_impl
