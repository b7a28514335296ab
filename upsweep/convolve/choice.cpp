#include "upsweep/convolve/choice.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "upsweep/convolve/box.hpp"
#include "upsweep/convolve/tuning.hpp"

namespace upsweep::convolve_room {

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

double fft_cost(const problem& p) {
  const geometry g = geometry_of(p);
  const bool row = p.mask.y == 1;
  const std::uint64_t side_x = fft_side(g.out.x, p.mask.x, row ? row_tile : picture_tile);
  const std::uint64_t side_y = row ? 1 : fft_side(g.out.y, p.mask.y, picture_tile);
  const auto share = [](std::uint64_t side, std::uint64_t mask, std::uint64_t out) {
    return static_cast<double>(std::min(side - mask + 1, out)) / static_cast<double>(side);
  };
  const double results = share(side_x, p.mask.x, g.out.x) * (row ? 1 : share(side_y, p.mask.y, g.out.y));
  return cpu_cost.fft + (row ? cpu_cost.fft_row_level : cpu_cost.fft_picture_level) *
                            static_cast<double>(std::bit_width(side_x * side_y) - 1) / results;
}

}  // namespace

std::uint64_t fft_side(std::uint64_t places, std::uint64_t mask, const fft_tile& tile) {
  // The whole line, where that is small.
  return std::min(std::bit_ceil(places + mask - 1), std::max(tile.least, std::bit_ceil(tile.masks * mask)));
}

choice choose_algorithm(backend where, const problem& p) {
  const double products = static_cast<double>(p.mask.count());
  const auto count = [](double x) { return std::to_string(static_cast<std::uint64_t>(x)); };
  const double of_split = split_products(p);
  const std::string product_text =
      p.rank == 1 ? "the mask is a row times a column" + std::string(p.mask.z > 1 ? " times a pillar" : "")
                  : "the mask is the sum of " + std::to_string(p.rank) + " products of a row and a column";
  if (where != backend::cpu) {
    if (p.rank > 0 && of_split < products)
      return {algorithm::split, "separable: " + product_text + ", " + count(of_split) +
                                    " products an element instead of " + count(products)};
    return {algorithm::direct,
            "direct: " + count(products) + " products an element" +
                (p.rank == 0 && p.mask.y * p.mask.z > 1 ? ", and the mask does not split into fewer" : "")};
  }
  constexpr double never = std::numeric_limits<double>::infinity();
  const double as_direct = direct_cost(p);
  const double as_split = p.rank ? cpu_cost.split + cpu_cost.split_product * of_split : never;
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
                                  " products an element instead of " + count(products) + against(as_split)};
  if (as_fft < as_direct)
    return {algorithm::fft, "FFT: a mask of " + count(products) + " elements is large" +
                                (p.rank == 0 && p.mask.y > 1 ? ", and does not split into fewer" : "") +
                                against(as_fft)};
  return {algorithm::direct,
          "direct: " + count(products) + " products an element" +
              (p.rank == 0 && p.mask.y * p.mask.z > 1 ? ", and the mask does not split into fewer" : "") +
              against(as_direct)};
}

}  // namespace upsweep::convolve_room
