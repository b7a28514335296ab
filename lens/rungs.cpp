#include "lens/rungs.hpp"

#include "upsweep/error.hpp"

namespace upsweep::lens {

std::span<const rung> rungs() {
  static const std::vector<rung> all = [] {
    std::vector<rung> list;
    for (std::vector<rung> (*room)() : {vector_add_rungs, reduce_rungs, scan_rungs, scan_tile_rungs, sort_rungs,
                                        select_rungs, histogram_rungs, integral_rungs, convolve_rungs, nbody_rungs})
      for (rung& r : room()) list.push_back(std::move(r));
    return list;
  }();
  return all;
}

const rung& require_rung(std::string_view name) {
  for (const rung& r : rungs())
    if (r.name == name) return r;
  const std::string who = "lens '" + std::string(name) + "'";
  for (const variant& v : catalog())
    if (v.name == name)
      throw error(fault::bad_argument, who, "the lens runs the textbook's CUDA rungs, and this is none of them",
                  "`upsweep lens --list` names them");
  std::string near;
  for (const rung& r : rungs())
    if (r.name.find(name) != std::string_view::npos) near += (near.empty() ? "" : ", ") + std::string(r.name);
  throw error(fault::bad_argument, who, "there is no rung of that name",
              near.empty() ? "`upsweep lens --list` names them" : "names that contain it: " + near);
}

}  // namespace upsweep::lens
