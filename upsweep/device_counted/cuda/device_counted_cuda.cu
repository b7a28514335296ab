// A thread an element; elements are words of a width, as many as they have.
#include <algorithm>

#include "upsweep/device_counted/device_counted_steps.hpp"
#include "upsweep/for_each/for_each_cuda.cuh"

namespace upsweep::detail::device_counted_impl {

namespace {

struct held {
  const std::uint64_t* count;
  std::uint64_t size;
  __device__ std::uint64_t operator()() const { return *count < size ? *count : size; }
};

template <class W>
struct element {
  alignas(8) unsigned char bytes[most_bytes];
  __device__ W word(std::uint64_t w) const { return reinterpret_cast<const W*>(bytes)[w]; }
};

template <class W>
struct pad_with {
  const W* in;
  W* out;
  held n;
  std::uint64_t words;
  element<W> value;
  __device__ void operator()(std::uint64_t i) const {
    const bool there = i < n();
    for (std::uint64_t w = 0; w < words; ++w) out[i * words + w] = there ? in[i * words + w] : value.word(w);
  }
};

// A number in every built-in type, and one that floats hold apart from all others.
template <class W>
constexpr W pattern = static_cast<W>(0x3f3f3f3f3f3f3f3full);

template <class W>
struct pad_unlike_last {
  const W* in;
  W* out;
  held n;
  std::uint64_t words;
  __device__ void operator()(std::uint64_t i) const {
    const std::uint64_t many = n();
    bool zero = many > 0 && i >= many;
    if (zero)
      for (std::uint64_t w = 0; w < words; ++w) zero = zero && in[(many - 1) * words + w] == pattern<W>;
    for (std::uint64_t w = 0; w < words; ++w)
      out[i * words + w] = i < many ? in[i * words + w] : zero ? W{0} : pattern<W>;
  }
};

template <class W>
struct take_first {
  const W* in;
  W* out;
  held n;
  std::uint64_t words;
  __device__ void operator()(std::uint64_t i) const {
    if (i >= n()) return;
    for (std::uint64_t w = 0; w < words; ++w) out[i * words + w] = in[i * words + w];
  }
};

template <class W>
struct join_parts {
  const W *in, *in2;
  W* out;
  held n;
  std::uint64_t words;
  const std::uint64_t* kept;
  bool behind;
  __device__ void operator()(std::uint64_t i) const {
    if (i >= n()) return;
    const bool passes = i < kept[1];
    const W* const from = passes ? in : in2;
    const std::uint64_t at = passes ? i : i - kept[1] + (behind ? kept[0] : 0);
    for (std::uint64_t w = 0; w < words; ++w) out[i * words + w] = from[at * words + w];
  }
};

struct correct_count {
  const std::uint64_t* in;
  std::uint64_t* out;
  held n;
  bool each;
  __device__ void operator()(std::uint64_t) const {
    const std::uint64_t padded = n.size - n();
    *out = *in - (each || padded == 0 ? padded : 1);
  }
};

template <class W>
void run_on_words(device& d, const step& s) {
  const W* const in = s.in.as<W>();
  W* const out = s.out.as<W>();
  const held n{s.count.as<std::uint64_t>(), s.size};
  switch (s.what) {
    case step_kind::pad: {
      pad_with<W> f{in, out, n, s.words, {}};
      std::copy_n(s.value, most_bytes, f.value.bytes);
      return cuda::for_each_index(d, s.size, f);
    }
    case step_kind::pad_unlike_last: return cuda::for_each_index(d, s.size, pad_unlike_last<W>{in, out, n, s.words});
    case step_kind::take: return cuda::for_each_index(d, s.size, take_first<W>{in, out, n, s.words});
    default:
      return cuda::for_each_index(
          d, s.size, join_parts<W>{in, s.in2.as<W>(), out, n, s.words, s.kept.as<std::uint64_t>(), s.behind});
  }
}

}  // namespace

void run_cuda(device& d, const step& s) {
  if (s.what == step_kind::correct)
    return cuda::for_each_index(
        d, 1,
        correct_count{
            s.in.as<std::uint64_t>(), s.out.as<std::uint64_t>(), {s.count.as<std::uint64_t>(), s.size}, s.each});
  switch (s.word_bytes) {
    case 1: return run_on_words<std::uint8_t>(d, s);
    case 2: return run_on_words<std::uint16_t>(d, s);
    case 4: return run_on_words<std::uint32_t>(d, s);
    default: return run_on_words<std::uint64_t>(d, s);
  }
}

}  // namespace upsweep::detail::device_counted_impl
