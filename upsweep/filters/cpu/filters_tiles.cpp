#include "upsweep/filters/cpu/filters_tiles.hpp"

#include <algorithm>

namespace upsweep::detail::filters_impl {

channel_reader::channel_reader(const problem& p, std::uint64_t radius)
    : in_(p.in.as<const float>()), pitch_(in_pitch(p)), radius_(radius), channels_(p.channels) {
  const auto places_along = [&](std::uint64_t size, border edge) {
    std::vector<std::int64_t> at;
    const auto reach = static_cast<std::int64_t>(radius), n = static_cast<std::int64_t>(size);
    for (std::int64_t i = -reach; i < n + reach; ++i) at.push_back(border_index(edge, i, n));
    return at;
  };
  columns_ = places_along(p.size.x, p.edge), rows_ = places_along(p.size.y, edge_down(p));
}

void channel_reader::read(std::uint64_t x, std::uint64_t y, std::uint64_t width, std::uint64_t height, std::uint32_t c,
                          std::uint64_t stride, float* to) const {
  const std::uint64_t wide = width + 2 * radius_;
  for (std::uint64_t j = 0; j < height + 2 * radius_; ++j, to += stride) {
    const std::int64_t row = rows_[y + j];
    const float* const from = row < 0 ? nullptr : in_ + static_cast<std::uint64_t>(row) * pitch_ + c;
    const auto beyond = [&](std::uint64_t i) {
      const std::int64_t column = columns_[x + i];
      to[i] = !from || column < 0 ? 0.0f : from[static_cast<std::uint64_t>(column) * channels_];
    };
    // Copies the part inside at once, and elements beyond the edges one by one.
    const std::uint64_t first = !from         ? wide
                                : x < radius_ ? std::min(wide, radius_ - x)
                                              : 0,
                        last = std::max(first, std::min(wide, columns_.size() - radius_ - x));
    for (std::uint64_t i = 0; i < first; ++i) beyond(i);
    if (first < last) {
      const float* const inside = from + (x + first - radius_) * channels_;
      for (std::uint64_t i = first; i < last; ++i) to[i] = inside[(i - first) * channels_];
    }
    for (std::uint64_t i = last; i < wide; ++i) beyond(i);
    std::fill(to + wide, to + stride, 0.0f);
  }
}

}  // namespace upsweep::detail::filters_impl
