// The sequential loop.
#include <algorithm>
#include <array>
#include <vector>

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/convolve_problem.hpp"

namespace upsweep::detail::convolve_impl {

namespace {

void convolve_sequentially(device&, const problem& p) {
  with_types(p, [&]<class In, class Mask, class Out>(type_tag<In>, type_tag<Mask>, type_tag<Out>) {
    using sum_type = accumulator_of<Mask>;
    const geometry g = geometry_of(p);
    const In* in = p.in.as<const In>();
    std::vector<Mask> mask(p.in2.as<const Mask>(), p.in2.as<const Mask>() + g.mask.count());
    if (p.flipped) std::reverse(mask.begin(), mask.end());
    const auto place = [&](std::uint64_t at, std::uint64_t before, std::uint64_t size) {
      return border_index(g.edge, static_cast<std::int64_t>(at) - static_cast<std::int64_t>(before),
                          static_cast<std::int64_t>(size));
    };
    for (std::uint64_t z = 0; z < g.out.z; ++z)
      for (std::uint64_t y = 0; y < g.out.y; ++y)
        for (std::uint64_t x = 0; x < g.out.x; ++x)
          for (std::uint64_t c = 0; c < g.channels; ++c) {
            sum_type sum = 0;
            const Mask* m = mask.data();
            for (std::uint64_t k = 0; k < g.mask.z; ++k)
              for (std::uint64_t j = 0; j < g.mask.y; ++j)
                for (std::uint64_t i = 0; i < g.mask.x; ++i, ++m) {
                  const std::int64_t sx = place(x + i, g.before.x, g.in.x), sy = place(y + j, g.before.y, g.in.y),
                                     sz = place(z + k, g.before.z, g.in.z);
                  if (sx < 0 || sy < 0 || sz < 0) continue;
                  const auto row = static_cast<std::uint64_t>(sz) * g.in.y + static_cast<std::uint64_t>(sy);
                  const In e = in[row * g.in_pitch + static_cast<std::uint64_t>(sx) * g.channels + c];
                  sum += static_cast<sum_type>(*m) * to_accumulator<sum_type>(e);
                }
            p.out.as<Out>()[(z * g.out.y + y) * g.out_pitch + x * g.channels + c] = stored<Out>(sum);
          }
  });
}

variant entry(std::string_view name, std::string_view source, int year, std::string_view teaches,
              void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = primitive::convolve, v.source = source, v.year = year, v.teaches = teaches;
  // Formulas are of n alone; they are told for a mask of nine elements.
  v.work = {"mask * n (9n for a mask of 9)", [](double n) { return 9 * n; }};
  v.span = v.launches = {"1", [](double) { return 1.0; }};
  v.traffic = {"2n", [](double n) { return 2 * n; }};
  v.cannot = wrong_types;
  v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cpu_textbook() {
  static const std::array list{entry("convolve/sequential", "utcs", 2018,
                                     "For each result, for each element of the mask: one multiplication, one addition, "
                                     "and a look where the picture ends.",
                                     convolve_sequentially)};
  return list;
}

}  // namespace upsweep::detail::convolve_impl
