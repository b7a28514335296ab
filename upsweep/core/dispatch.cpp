// From a problem to the variant that runs it. A sentence is made only where it is going to be thrown.
#include "upsweep/core/catalog.hpp"

namespace upsweep {

namespace {

enum class obstacle : std::uint8_t {
  none,
  other_backend,
  other_primitive,
  device_lacks,
  no_such_type,
  not_taken,
  of_the_problem,
  transform,
  order,
  exclusive_only,
  inclusive_only,
  too_many
};

struct refusal {
  obstacle why = obstacle::none;
  const char* what = nullptr;
};

refusal refused(const variant& v, const device& d, const problem& p) {
  if (v.where != d.kind()) return {obstacle::other_backend};
  if (v.what != p.what) return {obstacle::other_primitive};
  if (v.device_lacks)
    if (const char* what = v.device_lacks(d)) return {obstacle::device_lacks, what};
  if (!d.supports(p.type)) return {obstacle::no_such_type};
  if (folds_elements(p.what) ? !accepts(p.op, p.type) || !v.takes(p.op, p.type)
                             : v.takes != accepts && !v.takes(p.op, p.type))
    return {obstacle::not_taken};
  if (v.cannot)
    if (const char* what = v.cannot(p)) return {obstacle::of_the_problem, what};
  if (p.transform != transform_kind::identity && !v.transforms) return {obstacle::transform};
  if (v.needs_commutative && !commutes(p.op)) return {obstacle::order};
  if (p.what == primitive::scan && p.inclusive && !v.inclusive) return {obstacle::exclusive_only};
  if (p.what == primitive::scan && !p.inclusive && !v.exclusive) return {obstacle::inclusive_only};
  if (p.n > v.max_n) return {obstacle::too_many};
  return {};
}

// Within a room the fastest stands last, so the search starts there.
const variant* fastest(variant_lists own, const device& d, const problem& p) {
  for (auto list = own.rbegin(); list != own.rend(); ++list) {
    if (list->empty() || list->front().where != d.kind()) continue;
    for (auto v = list->rbegin(); v != list->rend(); ++v)
      if (refused(*v, d, p).why == obstacle::none) return &*v;
  }
  return nullptr;
}

const variant* forced(const device& d, primitive what) {
  if (d.forced.empty()) return nullptr;
  const auto found = d.forced.find(name_of(what));
  return found == d.forced.end() ? nullptr : found->second;
}

[[noreturn]] void nothing_takes(const device& d, const problem& p) {
  const std::string type(name_of(p.type));
  throw error(fault::unsupported, d.name(),
              "no variant of " + std::string(name_of(p.what)) + " takes " +
                  (folds_elements(p.what) ? std::string(name_of(p.op)) + " on " : "") + type + " here" +
                  (d.supports(p.type) ? "" : " (the device has no " + type + ")"),
              "see `upsweep list`");
}

}  // namespace

std::string why_not(const variant& v, const device& d, const problem& p) {
  const refusal r = refused(v, d, p);
  if (r.why == obstacle::none) return {};
  const std::string name(v.name), limits = v.limits.empty() ? "" : " (" + std::string(v.limits) + ")";
  switch (r.why) {
    case obstacle::other_backend: return name + " runs on " + std::string(name_of(v.where)) + ", not on " + d.name();
    case obstacle::other_primitive: return name + " is no " + std::string(name_of(p.what));
    case obstacle::device_lacks: return name + " needs " + r.what + ", which " + d.name() + " lacks";
    case obstacle::no_such_type: return d.name() + " (" + d.description() + ") has no " + std::string(name_of(p.type));
    case obstacle::not_taken:
      return name + " does not take " + std::string(name_of(p.op)) + " on " + std::string(name_of(p.type)) + limits;
    case obstacle::of_the_problem: return name + " does not take " + r.what + limits;
    case obstacle::transform: return name + " has no fused transform" + limits;
    case obstacle::order: return name + " needs an operator that commutes" + limits;
    case obstacle::exclusive_only: return name + " is an exclusive scan only" + limits;
    case obstacle::inclusive_only: return name + " is an inclusive scan only" + limits;
    default:
      return name + " takes at most " + std::to_string(v.max_n) + " elements, not " + std::to_string(p.n) + limits;
  }
}

const variant& choose(variant_lists own, const device& d, const problem& p) {
  if (const variant* v = forced(d, p.what)) {
    if (refused(*v, d, p).why != obstacle::none)
      throw error(fault::unsupported, d.name(), why_not(*v, d, p),
                  "choose another variant, or none for the fastest that can");
    return *v;
  }
  if (const variant* v = fastest(own, d, p)) return *v;
  nothing_takes(d, p);
}

bool can_run(variant_lists own, const device& d, const problem& p) {
  if (const variant* v = forced(d, p.what)) return refused(*v, d, p).why == obstacle::none;
  return fastest(own, d, p) != nullptr;
}

void run(variant_lists own, device& d, const problem& p) {
  const variant& v = choose(own, d, p);
  v.run(d, p);
  d.last = &v;
}

}  // namespace upsweep
