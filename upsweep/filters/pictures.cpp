#include "upsweep/filters/pictures.hpp"

#include <functional>

namespace upsweep::filters_room {

void require_filter(const char* where, std::span<const float> in, const raster& r, std::span<const float> out,
                    extent out_size) {
  const auto require = [&](const char* what, std::uint64_t there, extent size, std::uint64_t pitch) {
    // The contract of convolve's pictures, for a mask of one element.
    problem p;
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

}  // namespace upsweep::filters_room
