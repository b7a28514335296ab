// What all filters ask of their pictures.
#pragma once

#include "upsweep/filters.hpp"

namespace upsweep::filters_room {

// Throws upsweep::error where a filter cannot take it.
void require_filter(const char* where, std::span<const float> in, const raster&, std::span<const float> out,
                    extent out_size);

inline std::uint64_t in_pitch(const raster& r) { return r.pitch ? r.pitch : r.size.x * r.channels; }
inline std::uint64_t out_pitch(const raster& r, extent out) { return r.out_pitch ? r.out_pitch : out.x * r.channels; }

}  // namespace upsweep::filters_room
