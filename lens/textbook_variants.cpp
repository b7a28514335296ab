#include "lens/textbook_variants.hpp"

#include "upsweep/error.hpp"

namespace upsweep::lens {

std::span<const textbook_variant> textbook_variants() {
  static const std::vector<textbook_variant> all = [] {
    std::vector<textbook_variant> list;
    for (std::vector<textbook_variant> (*algorithm)() :
         {vector_add_variants, reduce_variants, scan_variants, scan_tile_variants, sort_variants, select_variants,
          histogram_variants, summed_area_table_variants, convolve_variants, nbody_variants})
      for (textbook_variant& r : algorithm()) list.push_back(std::move(r));
    return list;
  }();
  return all;
}

const textbook_variant& require_textbook_variant(std::string_view name) {
  for (const textbook_variant& r : textbook_variants())
    if (r.name == name) return r;
  const std::string who = "lens '" + std::string(name) + "'";
  for (const variant& v : catalog())
    if (v.name == name)
      throw error(fault::bad_argument, who, "the lens runs CUDA textbook variants, and this is another variant",
                  "`upsweep lens --list` lists them");
  std::string near;
  for (const textbook_variant& r : textbook_variants())
    if (r.name.find(name) != std::string_view::npos) near += (near.empty() ? "" : ", ") + std::string(r.name);
  throw error(fault::bad_argument, who, "there is no textbook variant of that name",
              near.empty() ? "`upsweep lens --list` lists them" : "names that contain it: " + near);
}

}  // namespace upsweep::lens
