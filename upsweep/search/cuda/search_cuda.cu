// The library's own searches on CUDA: elements of built-in types as the images of sort_order.hpp, so that a kernel is
// compiled for a width and not for a type, and their entries in the catalog.
#include "upsweep/search/search_cuda.cuh"

#include <array>
#include <cmath>

#include "upsweep/search/search_problem.hpp"
#include "upsweep/sort/sort_thresholds.hpp"

namespace upsweep::detail::search_impl {

namespace {

// Computes all three images and selects one: a branch at every read would be compiled as often as a loop is unrolled.
template <class U>
struct image_at {
  const U* x;
  key_order order;
  UPSWEEP_HD U operator()(std::uint64_t i) const {
    const U bits = x[i];
    U image = order == key_order::with_sign ? order_bits_of<key_order::with_sign>(bits) : bits;
    // There is no float of one byte.
    if constexpr (sizeof(U) > 1)
      image = order == key_order::floating ? order_bits_of<key_order::floating>(bits) : image;
    return image;
  }
};

struct passes_interval {
  interval t;
  UPSWEEP_HD bool operator()(std::uint64_t image) const {
    return (t.low <= image && image <= t.high) != (t.others != 0);
  }
};

// A NaN's image is all ones: it is equal to nothing, and not `apart` from anything.
template <class U>
struct same_images {
  bool floating;
  UPSWEEP_HD bool operator()(U a, U b) const { return a == b && !(floating && a == static_cast<U>(~U{0})); }
};
template <class U>
struct images_apart {
  bool floating;
  UPSWEEP_HD bool operator()(U a, U b) const { return a < b && !(floating && b == static_cast<U>(~U{0})); }
};
struct lesser_image {
  template <class U>
  UPSWEEP_HD bool operator()(U a, U b) const {
    return a < b;
  }
};
// For floats NaNs are last: all ones plus one is 0.
template <class U>
struct greater_image {
  U more;
  UPSWEEP_HD bool operator()(U a, U b) const { return static_cast<U>(a + more) > static_cast<U>(b + more); }
};

template <class F>
void with_word(dtype type, F f) {
  switch (size_of(type)) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

template <class U>
image_at<U> images(memory m, dtype type) {
  return {m.as<const U>(), order_of(type)};
}

void run_count(device& d, const problem& p) {
  with_word(p.type, [&]<class U>(U) {
    const passes_interval test{interval_of(p.type, p.test, p.threshold)};
    cuda::count_places(d, p.n, passes_at<image_at<U>, passes_interval>{images<U>(p.in, p.type), test},
                       p.out.as<std::uint64_t>());
  });
}

void run_find(device& d, const problem& p) {
  with_word(p.type, [&]<class U>(U) {
    using at = image_at<U>;
    using equal = same_images<U>;
    using less = images_apart<U>;
    const at in = images<U>(p.in, p.type), in2 = images<U>(p.in2, p.type);
    const bool floating = is_floating(p.type);
    const auto first = [&](const auto& has) {
      cuda::first_place(d, places_of(p.how, p.n, p.m), p.n, has, p.out.as<std::uint64_t>());
    };
    switch (p.how) {
      case seek::passing: {
        passes_interval test{interval_of(p.type, p.test, p.threshold)};
        if (p.negated) test.t.others ^= 1;
        return first(passes_at<at, passes_interval>{in, test});
      }
      case seek::adjacent: return first(adjacent_at<at, equal>{in, {floating}});
      case seek::one_of: return first(one_of_at<at, at, equal>{in, in2, p.m, {floating}});
      case seek::beginning: return first(beginning_at<at, at, equal>{in, in2, p.m, {floating}});
      case seek::unequal: return first(unequal_at<at, at, equal>{in, in2, {floating}});
      case seek::apart: return first(apart_at<at, at, less>{in, in2, {floating}});
    }
  });
}

void run_argmin(device& d, const problem& p) {
  with_word(p.type, [&]<class U>(U) {
    const image_at<U> in = images<U>(p.in, p.type);
    auto* const out = p.out.as<std::uint64_t>();
    if (p.which == extreme::min) return cuda::best_place(d, p.n, in, lesser_image{}, out);
    cuda::best_place(d, p.n, in, greater_image<U>{static_cast<U>(is_floating(p.type))}, out);
  });
}

template <bound Side, class U, class Out>
void run_side(device& d, const problem& p, Out* out) {
  cuda::for_each_index(d, p.n,
                       bound_at<Side, image_at<U>, image_at<U>, lesser_image, Out>{
                           images<U>(p.in, p.type), p.m, images<U>(p.in2, p.type), {}, out});
}

void run_bounds(device& d, const problem& p) {
  with_word(p.type, [&]<class U>(U) {
    switch (p.side) {
      case bound::lower:
        if (p.narrow) return run_side<bound::lower, U>(d, p, p.out.as<std::uint32_t>());
        return run_side<bound::lower, U>(d, p, p.out.as<std::uint64_t>());
      case bound::upper:
        if (p.narrow) return run_side<bound::upper, U>(d, p, p.out.as<std::uint32_t>());
        return run_side<bound::upper, U>(d, p, p.out.as<std::uint64_t>());
      case bound::found: return run_side<bound::found, U>(d, p, p.out.as<std::uint8_t>());
    }
  });
}

}  // namespace

std::span<const variant> cuda() {
  constexpr formula one{"1", [](double) { return 1.0; }}, linear{"n", [](double n) { return n; }};
  constexpr formula two{"2", [](double) { return 2.0; }};
  const auto entry = [&](std::string_view name, primitive what, std::string_view teaches, formula work,
                         formula launches, formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::cuda, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
    v.source = "upsweep", v.teaches = teaches;
    v.work = work, v.span = one, v.launches = launches, v.traffic = traffic, v.run = run;
    return v;
  };
  static const std::array list{
      entry("count-if/strided-threads", primitive::count_if,
            "Threads count every so many-th element, a block adds theirs up and once to the answer.", linear, two,
            linear, run_count),
      entry("find-if/least-index", primitive::find_if,
            "A tile a block; the least place that was found is kept, and no tile behind it is looked at.", linear, two,
            linear, run_find),
      entry("mismatch/least-index", primitive::mismatch,
            "A tile a block; the least place that was found is kept, and no tile behind it is looked at.", linear, two,
            {"2n", [](double n) { return 2 * n; }}, run_find),
      entry("argmin/strided-threads", primitive::argmin,
            "Threads keep the best of every so many-th element; a block brings theirs together, one more block the "
            "blocks'.",
            linear, two, linear, run_argmin),
      entry("bounds/bisection", primitive::bounds, "One bisection a thread.",
            {"n log2 m", [](double n) { return n * std::log2(n + 2); }}, one, {"2n", [](double n) { return 2 * n; }},
            run_bounds),
  };
  return list;
}

}  // namespace upsweep::detail::search_impl
