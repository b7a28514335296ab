#include "upsweep/convolve/convolve_choice.hpp"
#include "upsweep/convolve/convolve_problem.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "upsweep/convolve/convolve_box.hpp"
#include "upsweep/convolve/convolve_bytes.hpp"
#include "upsweep/convolve/convolve_tuning.hpp"
#include "upsweep/convolve/cuda/convolve_cuda.hpp"
#include "upsweep/convolve/cuda/convolve_cuda_tuning.hpp"

namespace upsweep::detail::convolve_impl {

namespace {

std::string in_tenths(double x) {
  const auto tenths = static_cast<std::uint64_t>(x * 10 + 0.5);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

double direct_cost(const problem& p) {
  const double products = static_cast<double>(p.mask.count());
  if (p.mask.y == 1 && p.mask.z == 1) return cpu_cost.row + cpu_cost.row_product * products;
  return cpu_cost.direct + cpu_cost.direct_product * products;
}

double split_products(const problem& p) {
  return static_cast<double>(p.rank) * static_cast<double>(p.mask.x + p.mask.y + (p.mask.z > 1 ? p.mask.z : 0));
}

// Additions along the row and down the columns, in the units of plan_of_window.
double box_sums(const problem& p) {
  return (p.mask.x > 1 ? plan_of_window(p.mask.x).loads : 3) + (p.mask.y > 1 ? 9 : 0);
}

double share_of(const fft_tile& t, std::uint64_t places, std::uint64_t mask) {
  return static_cast<double>(std::min(t.points - mask + 1, places)) / static_cast<double>(t.points);
}

double fft_cost(const problem& p) {
  const geometry g = geometry_of(p);
  const bool row = p.mask.y == 1;
  const fft_tile x = fft_side(g.out.x, p.mask.x, row);
  if (row) return cpu_cost.fft_row + cpu_cost.fft_row_point * x.ns / share_of(x, g.out.x, p.mask.x);
  const fft_tile y = fft_side(g.out.y, p.mask.y, false);
  return cpu_cost.fft_picture + cpu_cost.fft_picture_point * std::max(x.ns, y.ns) /
                                    (share_of(x, g.out.x, p.mask.x) * share_of(y, g.out.y, p.mask.y));
}

// Whether CUDA's kernels for masks of known width can run it.
bool walks_directly(const problem& p) {
  return p.mask.x == p.mask.y && p.mask.z == 1 && p.channels == 1 && p.mask_type == dtype::f32 &&
         p.type == p.out_type && std::ranges::find(direct_walks, static_cast<int>(p.mask.x)) != std::end(direct_walks);
}

bool have_fft_on_cuda() {
#if UPSWEEP_WITH_CUDA
  return have_cufft();
#else
  return false;
#endif
}

bool in_tiles_on_cuda([[maybe_unused]] const problem& p) {
#if UPSWEEP_WITH_CUDA
  return tiles_are_fastest(p);
#else
  return false;
#endif
}

}  // namespace

fft_tile fft_side(std::uint64_t places, std::uint64_t mask, bool row) {
  const std::span<const fft_tile> all = row ? std::span<const fft_tile>(row_tiles) : picture_tiles;
  // Beyond the table: doubles the last side until at least half of a tile is result.
  fft_tile best = all.back();
  while (best.points < 2 * mask) best.points *= 2, best.ns *= 1.2;
  const auto cost = [&](const fft_tile& t) { return t.ns / share_of(t, places, mask); };
  for (const fft_tile& t : all)
    if (t.points > mask && cost(t) < cost(best)) best = t;
  return best;
}

choice choose_algorithm(backend where, const problem& p) {
  const double products = static_cast<double>(p.mask.count());
  const auto count = [](double x) { return std::to_string(static_cast<std::uint64_t>(x)); };
  const double of_split = split_products(p);
  const std::string product_text =
      p.rank == 1 ? "the mask is a row times a column" + std::string(p.mask.z > 1 ? " times a pillar" : "")
                  : "the mask is the sum of " + std::to_string(p.rank) + " products of a row and a column";
  if (where != backend::cpu) {
    if (where == backend::cuda && in_tiles_on_cuda(p))
      return {algorithm::tiles,
              (p.rank == 1 ? "separable: " + product_text + ", " + count(of_split) : "direct: " + count(products)) +
                  " products an element, in tiles"};
    if (p.rank > 0 && of_split < products)
      return {algorithm::split, "separable: " + product_text + ", " + count(of_split) +
                                    " products an element instead of " + count(products)};
    if (where == backend::cuda && have_fft_on_cuda() && !fft_cannot(p) &&
        products >= (p.mask.y == 1 ? cuda_fft_from.row : cuda_fft_from.picture) && !walks_directly(p))
      return {algorithm::fft, "FFT: a mask of " + count(products) + " elements is large" +
                                  (p.rank == 0 && p.mask.y > 1 ? ", and does not split into fewer" : "")};
    return {algorithm::direct,
            "direct: " + count(products) + " products an element" +
                (p.rank == 0 && p.mask.y * p.mask.z > 1 ? ", and the mask does not split into fewer" : "")};
  }
  constexpr double never = std::numeric_limits<double>::infinity();
  const double as_direct = direct_cost(p);
  const bool as_folded = p.rank == 1 && folded(p).has_value();
  const double as_split = as_folded ? cpu_cost.folded + cpu_cost.folded_product * of_split
                          : p.rank  ? cpu_cost.split + cpu_cost.split_product * of_split
                                    : never;
  const double as_box = box_cannot(p) ? never : cpu_cost.box + cpu_cost.box_sum * box_sums(p);
  const double as_fft = !have_fft() || fft_cannot(p) ? never : fft_cost(p);
  const auto against = [&](double mine) {
    std::string s = "; estimated " + in_tenths(mine) + " ns an element";
    if (mine != as_direct) s += ", direct " + in_tenths(as_direct);
    if (mine != as_split && as_split < never) s += ", separable " + in_tenths(as_split);
    if (mine != as_box && as_box < never) s += ", box " + in_tenths(as_box);
    if (mine != as_fft && as_fft < never) s += ", FFT " + in_tenths(as_fft);
    return s;
  };
  if (as_box < as_direct && as_box < as_split && as_box < as_fft)
    return {algorithm::box, "box: the mask is one number, so that sums of sums make " + count(products) +
                                " products an element needless" + against(as_box)};
  if (as_split <= as_direct && as_split <= as_fft)
    return {algorithm::split, "separable: " + product_text + ", " + count(of_split) +
                                  " products an element instead of " + count(products) +
                                  (as_folded ? ", in fixed point" : "") + against(as_split)};
  if (as_fft < as_direct)
    return {algorithm::fft, "FFT: a mask of " + count(products) + " elements is large" +
                                (p.rank == 0 && p.mask.y > 1 ? ", and does not split into fewer" : "") +
                                against(as_fft)};
  return {algorithm::direct,
          "direct: " + count(products) + " products an element" +
              (p.rank == 0 && p.mask.y * p.mask.z > 1 ? ", and the mask does not split into fewer" : "") +
              against(as_direct)};
}

}  // namespace upsweep::detail::convolve_impl
