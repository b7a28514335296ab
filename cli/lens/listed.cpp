#include "cli/lens/listed.hpp"

#include <algorithm>

#include "cli/names.hpp"
#include "lens/textbook_variants.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

const std::vector<variant>& variants_on_lens_alone() {
  static const std::vector<variant> all = [] {
    std::vector<variant> list;
    if (std::ranges::any_of(catalog(), [](const variant& v) { return v.where == backend::cuda; })) return list;
    for (const lens::textbook_variant& r : lens::textbook_variants()) {
      const lens::variant_at* usual = r.at(r.standard);
      if (!usual) usual = &r.sizes.front();
      list.push_back({.name = r.name,
                      .where = backend::cuda,
                      .what = r.what,
                      .kind = variant_kind::textbook,
                      .year = r.year,
                      .source = r.source,
                      .teaches = r.teaches,
                      .work = usual->work,
                      .span = usual->span,
                      .launches = usual->launches,
                      .traffic = usual->traffic,
                      .max_n = usual->max_n,
                      .needs_commutative = !r.keeps_order,
                      .folds = r.folds(),
                      .limits = r.limits});
    }
    return list;
  }();
  return all;
}

void refuse_on_lens_alone(const std::string& name) {
  if (name.empty() || names_primitive(name)) return;
  if (std::ranges::any_of(catalog(), [&](const variant& v) { return means(name, v); })) return;
  std::string names;
  std::size_t count = 0;
  for (const variant& v : variants_on_lens_alone())
    if (v.name == name || v.name.find(name) != std::string_view::npos) {
      names += (count++ ? ", " : "") + std::string(v.name);
      if (v.name == name) {
        names = name, count = 1;
        break;
      }
    }
  if (count == 0) return;
  throw error(fault::unsupported, "variant '" + name + "'",
              (count == 1 ? std::string("it ") : "these are " + names + ": each ") + needs_cuda_build,
              "`upsweep lens " + (count == 1 ? names : std::string("NAME")) + "` runs it there");
}
