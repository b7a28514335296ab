#include "upsweep/filters/pictures.hpp"

#include <algorithm>
#include <functional>

namespace upsweep::filters_room {

void require_filter(const char* where, std::span<const float> in, const raster& r, std::span<const float> out,
                    extent out_size) {
  const auto require = [&](const char* what, std::uint64_t there, extent size, std::uint64_t pitch) {
    // The contract of convolve's pictures, for a mask of one element.
    convolve_room::problem p;
    p.type = p.out_type = p.mask_type = dtype::f32;
    p.size = size, p.channels = r.channels, p.pitch = p.out_pitch = pitch, p.edge = border::zero;
    convolve_room::require_picture(where, p);
    const std::uint64_t wanted = convolve_room::span_of(size, r.channels, pitch);
    if (there < wanted)
      throw error(fault::bad_argument, where,
                  std::string(what) + " has " + std::to_string(there) + " elements, and the picture spans " +
                      std::to_string(wanted),
                  "give it that many");
  };
  if (r.size.z != 1 || out_size.z != 1)
    throw error(fault::unsupported, where, "it takes pictures and this is a volume", "filter its slices");
  require("the input", in.size(), r.size, in_pitch(r));
  require("the output", out.size(), out_size, out_pitch(r, out_size));
  const std::less<const float*> before;
  if (before(in.data(), out.data() + out.size()) && before(out.data(), in.data() + in.size()))
    throw error(fault::bad_argument, where, "the output overlaps the input", "give it memory of its own");
}

channel_reader::channel_reader(std::span<const float> in, const raster& r, border edge, std::uint64_t radius)
    : in_(in.data()), pitch_(in_pitch(r)), radius_(radius), channels_(r.channels) {
  const auto places_along = [&](std::uint64_t size) {
    std::vector<std::int64_t> at;
    const auto reach = static_cast<std::int64_t>(radius), n = static_cast<std::int64_t>(size);
    for (std::int64_t i = -reach; i < n + reach; ++i) at.push_back(place_of(edge, i, n));
    return at;
  };
  columns_ = places_along(r.size.x), rows_ = places_along(r.size.y);
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
    // The part inside at once, what is beyond place by place.
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

}  // namespace upsweep::filters_room
