#include "upsweep/catalog.hpp"

#include <algorithm>
#include <numeric>

#include "upsweep/rooms.hpp"

namespace upsweep {

scalar identity_scalar(op_kind op, dtype type) {
  return with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_op(op, [&](auto o) {
      if constexpr (accepts(decltype(o)::kind, dtype_of<T>)) return scalar::of(identity_of<T>(o));
      return scalar{};
    });
  });
}

std::span<const variant> catalog() {
  static const std::vector<variant> all = [] {
    std::vector<variant> list;
    for (std::span<const variant> room : room_variants()) list.insert(list.end(), room.begin(), room.end());
    return list;
  }();
  return all;
}

const variant* find_variant(std::string_view name, backend where) {
  for (const variant& v : catalog())
    if (v.name == name && v.where == where) return &v;
  return nullptr;
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string nearest_names(std::string_view name) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const variant& v : catalog())
    if (std::none_of(ranked.begin(), ranked.end(), [&](const auto& r) { return r.second == v.name; })) {
      // A piece of a name ("blelloch") is nearer than any misspelling.
      const bool piece = name.size() > 2 && v.name.find(name) != std::string_view::npos;
      ranked.emplace_back(piece ? 0 : 1 + edit_distance(name, v.name), v.name);
    }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, ranked.size()); ++i) text += (i ? ", " : "") + std::string(ranked[i].second);
  return text;
}

}  // namespace

const variant& require_variant(std::string_view name, backend where) {
  if (const variant* v = find_variant(name, where)) return *v;
  std::string elsewhere;
  for (const variant& v : catalog())
    if (v.name == name) elsewhere += (elsewhere.empty() ? "" : " and ") + std::string(name_of(v.where));
  const std::string place = "variant '" + std::string(name) + "'";
  if (!elsewhere.empty())
    throw error(fault::unsupported, place, "it runs on " + elsewhere + ", not on " + std::string(name_of(where)),
                "choose another device or another variant");
  throw error(fault::bad_argument, place, "there is no variant of that name", "the nearest names are " + nearest_names(name));
}

std::string why_not(const variant& v, const device& d, const problem& p) {
  const std::string name(v.name);
  const std::string limits = v.limits.empty() ? "" : " (" + std::string(v.limits) + ")";
  if (v.where != d.kind()) return name + " runs on " + std::string(name_of(v.where)) + ", not on " + d.name();
  if (v.what != p.what) return name + " is no " + std::string(name_of(p.what));
  if (const char* what = v.device_lacks ? v.device_lacks(d) : nullptr) return name + " needs " + what + ", which " + d.name() + " lacks";
  if (!d.supports(p.type)) return d.name() + " (" + d.description() + ") has no " + std::string(name_of(p.type));
  if (folds_elements(p.what) ? !accepts(p.op, p.type) || !v.takes(p.op, p.type) : v.takes != accepts && !v.takes(p.op, p.type))
    return name + " does not take " + std::string(name_of(p.op)) + " on " + std::string(name_of(p.type)) + limits;
  if (const char* what = v.cannot ? v.cannot(p) : nullptr) return name + " does not take " + what + limits;
  if (p.transform != transform_kind::identity && !v.transforms) return name + " has no fused transform" + limits;
  if (v.needs_commutative && !commutes(p.op)) return name + " needs an operator that commutes" + limits;
  if (p.what == primitive::scan && p.inclusive && !v.inclusive) return name + " is an exclusive scan only" + limits;
  if (p.what == primitive::scan && !p.inclusive && !v.exclusive) return name + " is an inclusive scan only" + limits;
  if (p.n > v.max_n)
    return name + " takes at most " + std::to_string(v.max_n) + " elements, not " + std::to_string(p.n) + limits;
  return {};
}

const variant& choose(const device& d, const problem& p) {
  const auto forced = d.forced.find(name_of(p.what));
  if (forced != d.forced.end()) {
    if (std::string why = why_not(*forced->second, d, p); !why.empty())
      throw error(fault::unsupported, d.name(), why, "choose another variant, or none for the fastest that can");
    return *forced->second;
  }
  const auto all = catalog();
  // Teaching order ends with the fastest, so the search starts there; library variants before rungs.
  for (rung kind : {rung::library, rung::textbook})
    for (auto v = all.rbegin(); v != all.rend(); ++v)
      if (v->kind == kind && v->what == p.what && why_not(*v, d, p).empty()) return *v;
  throw error(fault::unsupported, d.name(),
              "no variant of " + std::string(name_of(p.what)) + " takes " +
                  (folds_elements(p.what) ? std::string(name_of(p.op)) + " on " : "") + std::string(name_of(p.type)) + " here" + (d.supports(p.type) ? "" : " (the device has no " + std::string(name_of(p.type)) + ")"),
              "see `upsweep list`");
}

void run(device& d, const problem& p) {
  const variant& v = choose(d, p);
  v.run(d, p);
  d.last = &v;
}

}  // namespace upsweep
