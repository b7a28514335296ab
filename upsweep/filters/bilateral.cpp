#include <algorithm>
#include <cmath>
#include <vector>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/filters/backends.hpp"

namespace upsweep {

namespace {

// exp(-u) for 0 <= u < 17, 0 beyond, by the line between two of its values.
class falling {
 public:
  falling() {
    for (int i = 0; i <= steps + 1; ++i) at_[i] = std::exp(-static_cast<float>(i) / per_one);
  }
  float operator()(float u) const {
    const float place = u * per_one;
    if (!(place < steps)) return 0;
    const auto i = static_cast<int>(place);
    return at_[i] + (at_[i + 1] - at_[i]) * (place - static_cast<float>(i));
  }

 private:
  static constexpr float per_one = 256;
  static constexpr int steps = 17 * 256;
  float at_[steps + 2];
};

struct neighbour {
  std::int64_t x, y;
  float weight;
};

}  // namespace

void bilateral(const context& where, std::span<const float> in, const raster& r, float sigma_space, float sigma_range,
               std::span<float> out, border edge) {
  filters_room::require_filter("bilateral", in, r, out, r.size);
  if (edge == border::none)
    throw error(fault::bad_argument, "bilateral", "border::none is not for filters that keep a picture's size",
                "give another border");
  if (!(sigma_space > 0 && sigma_space <= 100 && sigma_range > 0))
    throw error(fault::bad_argument, "bilateral", "the sigmas are not above 0, and that of space up to 100",
                "give such");
  const auto radius = static_cast<std::int64_t>(std::max(1.0f, std::ceil(2.5f * sigma_space)));
  if (const auto* device = filters_room::filters_of("bilateral", where)) {
    filters_room::filter_call call;
    call.radius = static_cast<std::uint32_t>(radius), call.edge = edge, call.space = sigma_space,
    call.range = sigma_range;
    return filters_room::on_the_device(where, device->bilateral, call, in, {}, r, out, r.size);
  }
  static const falling table;
  std::vector<neighbour> disc;
  for (std::int64_t y = -radius; y <= radius; ++y)
    for (std::int64_t x = -radius; x <= radius; ++x)
      if (x * x + y * y <= radius * radius)
        disc.push_back({x, y, std::exp(-static_cast<float>(x * x + y * y) / (2 * sigma_space * sigma_space))});
  const std::uint64_t in_pitch = filters_room::in_pitch(r), out_pitch = filters_room::out_pitch(r, r.size);
  const float per_distance = 1 / (2 * sigma_range * sigma_range);
  // Where each row and column of the window lies, so that the inner loop knows no border.
  const auto places_along = [&](std::uint64_t size) {
    std::vector<std::int64_t> at;
    for (std::int64_t i = -radius; i < static_cast<std::int64_t>(size) + radius; ++i)
      at.push_back(place_of(edge, i, static_cast<std::int64_t>(size)));
    return at;
  };
  const auto columns = places_along(r.size.x), rows = places_along(r.size.y);
  constexpr float nothing[4]{};
  cpu::for_each_block(where.dev(), r.size.y, [&](std::uint64_t y, const cpu::stop_flag&) {
    for (std::uint64_t x = 0; x < r.size.x; ++x) {
      const float* here = &in[y * in_pitch + x * r.channels];
      float sums[4]{}, weights = 0;
      for (const neighbour& n : disc) {
        const std::int64_t from_x = columns[static_cast<std::uint64_t>(static_cast<std::int64_t>(x) + n.x + radius)],
                           from_y = rows[static_cast<std::uint64_t>(static_cast<std::int64_t>(y) + n.y + radius)];
        const float* there =
            from_x < 0 || from_y < 0
                ? nothing
                : &in[static_cast<std::uint64_t>(from_y) * in_pitch + static_cast<std::uint64_t>(from_x) * r.channels];
        float distance = 0;
        for (std::uint32_t c = 0; c < r.channels; ++c) distance += (there[c] - here[c]) * (there[c] - here[c]);
        const float weight = n.weight * table(distance * per_distance);
        for (std::uint32_t c = 0; c < r.channels; ++c) sums[c] += weight * there[c];
        weights += weight;
      }
      // The pixel itself has the weight 1, unless it is NaN.
      for (std::uint32_t c = 0; c < r.channels; ++c) out[y * out_pitch + x * r.channels + c] = sums[c] / weights;
    }
  });
}

}  // namespace upsweep
