// Set operations on the built-in types on CUDA, and their catalog entries.
#include <array>

#include "upsweep/sets/sets_cuda.cuh"
#include "upsweep/sets/sets_problem.hpp"
#include "upsweep/sort/cuda/sort_merged.cuh"

namespace upsweep::detail::sets_impl {

namespace {

template <class U>
struct moves_bytes {
  const U *a, *b;
  U* out;
  const unsigned char *first_values, *second_values;
  unsigned char* values_out;
  std::uint32_t bytes, word;

  template <class Word>
  __host__ __device__ void move_words(std::uint64_t to, const unsigned char* from) const {
    for (std::uint32_t k = 0; k < bytes / sizeof(Word); ++k)
      reinterpret_cast<Word*>(values_out + to * bytes)[k] = reinterpret_cast<const Word*>(from)[k];
  }
  __host__ __device__ void operator()(std::uint64_t to, bool second, std::uint64_t i) const {
    out[to] = second ? b[i] : a[i];
    if (bytes == 0) return;
    const unsigned char* const from = (second ? second_values : first_values) + i * bytes;
    switch (word) {
      case 8: return move_words<std::uint64_t>(to, from);
      case 4: return move_words<std::uint32_t>(to, from);
      case 2: return move_words<std::uint16_t>(to, from);
      default: return move_words<std::uint8_t>(to, from);
    }
  }
};

template <class T>
struct before {
  using U = order_image<T>;
  order_window<U> window;
  __host__ __device__ bool operator()(U a, U b) const {
    return window(order_bits_of<order_for<T>>(a)) < window(order_bits_of<order_for<T>>(b));
  }
};

// The bitwise or of the values' addresses and width.
std::uintptr_t places_of_values(const problem& p) {
  return reinterpret_cast<std::uintptr_t>(p.in3.address()) | reinterpret_cast<std::uintptr_t>(p.in4.address()) |
         reinterpret_cast<std::uintptr_t>(p.out2.address()) | p.value_bytes;
}

void run_thread_a_piece(device& d, const problem& p) {
  const std::uintptr_t places = places_of_values(p);
  const auto word = static_cast<std::uint32_t>(places == 0 ? 1 : std::min<std::uintptr_t>(places & -places, 8));
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    using U = order_image<T>;
    const U *first = p.in.as<const U>(), *second = p.in2.as<const U>();
    cuda::keep_of_two(d, p.what, first, p.n, second, p.m, p.capacity,
                      before<T>{order_window<U>(p.first_bit, p.last_bit, p.descending)}, p.count.as<std::uint64_t>(),
                      moves_bytes<U>{first, second, p.out.as<U>(), p.in3.as<const unsigned char>(),
                                     p.in4.as<const unsigned char>(), p.out2.as<unsigned char>(), p.value_bytes, word});
  });
}

struct tells_count {
  std::uint64_t* count;
  std::uint64_t all;
  __host__ __device__ void operator()(std::uint64_t) const { *count = all; }
};

void run_merge_path(device& d, const problem& p) {
  // Values that are not aligned to a word of their width are moved by smaller ones.
  if (places_of_values(p) % p.value_bytes != 0) return run_thread_a_piece(d, p);
  cuda::with_merging_order(
      p.type, p.first_bit, p.last_bit, p.descending, [&]<class Key, class Less>(type_tag<Key>, const Less& less) {
        const auto merge = [&]<class Value>(type_tag<Value>) {
          cuda::merge_by_comparing(d, {p.in.address(), p.in2.address(), p.n, p.m, p.in3.address(), p.in4.address()},
                                   p.out.as<Key>(), p.out2.as<Value>(), less);
        };
        p.value_bytes == 4 ? merge(type_tag<std::uint32_t>{}) : merge(type_tag<std::uint64_t>{});
      });
  cuda::for_each_index(d, 1, tells_count{p.count.as<std::uint64_t>(), p.n + p.m});
}

const char* not_for_merge_path(const problem& p) {
  if (p.value_bytes != 4 && p.value_bytes != 8) return "values of other sizes than 4 and 8 bytes";
  return p.capacity < p.n + p.m ? "less room than there are elements" : nullptr;
}

}  // namespace

std::span<const variant> cuda() {
  const auto entry = [](std::string_view name, primitive what) {
    variant v;
    v.name = name, v.where = backend::cuda, v.what = what, v.kind = variant_kind::tuned, v.year = 2026;
    v.source = "upsweep";
    v.teaches =
        "Each thread walks sixteen steps of the merge path, cut where no pair is parted: to count, and to move.";
    v.work = {"2(n + m)", [](double n) { return 4 * n; }}, v.span = {"1", [](double) { return 1.0; }};
    v.launches = {"4", [](double) { return 4.0; }}, v.traffic = {"3.5(n + m)", [](double n) { return 7 * n; }};
    v.run = run_thread_a_piece;
    return v;
  };
  variant by_path = entry("merge-by-key/path", primitive::merge_by_key);
  by_path.teaches =
      "As merge/path: a block's piece of both inputs is brought to shared memory and merged there; each value is read "
      "where its key stood, and leaves beside it.";
  by_path.work = {"n + m", [](double n) { return 2 * n; }};
  by_path.launches = {"3", [](double) { return 3.0; }};
  by_path.traffic = {"2(n + m)", [](double n) { return 4 * n; }};
  by_path.cannot = not_for_merge_path;
  by_path.run = run_merge_path;
  static const std::array list{
      entry("merge-by-key/thread-a-piece", primitive::merge_by_key),
      by_path,
      entry("set-union/thread-a-piece", primitive::set_union),
      entry("set-intersection/thread-a-piece", primitive::set_intersection),
      entry("set-difference/thread-a-piece", primitive::set_difference),
      entry("set-symmetric-difference/thread-a-piece", primitive::set_symmetric_difference),
  };
  return list;
}

}  // namespace upsweep::detail::sets_impl
