// Selects the variant that runs a problem. A call searches only the few variants of its algorithm; the text of an error
// is created only when it is thrown. X_registry.cpp of each algorithm X instantiates these templates.
#pragma once

#include <concepts>

#include "upsweep/context.hpp"
#include "upsweep/core/calls_in_progress.hpp"
#include "upsweep/core/throwing.hpp"
#include "upsweep/core/variant.hpp"

namespace upsweep {

// The device for a call, and the variants that its context requests.
class target {
 public:
  target(const context& c) : device_(c.device()), chosen_(c.chosen()), deterministic_(c.deterministic()) {}
  target(device& d) : device_(d) {}  // the fastest variant of each primitive
  target(device& d, const chosen_variants& these) : device_(d), chosen_(&these) {}

  device& on() const { return device_; }
  // The requested variant of that primitive, which points to a variant_of the algorithm's problem; null: the fastest.
  const void* asked_for(std::string_view primitive) const;
  bool same_on_every_device() const { return deterministic_ == determinism::across_devices; }

 private:
  device& device_;
  const chosen_variants* chosen_ = nullptr;
  determinism deterministic_ = determinism::run_to_run;
};

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

// The data for the text of a refusal.
struct refused_call {
  std::string_view variant, limits, primitive;
  backend where = backend::cpu;
  dtype type = dtype::u32;
  std::optional<op_kind> op;
  std::uint64_t max_n = 0, n = 0;
};
std::string sentence(refusal, const refused_call&, const device&);
[[noreturn]] void no_variant_takes(const refused_call&, const device&);
[[noreturn]] void out_of_host_memory(std::string_view variant, std::uint64_t n);
[[noreturn]] void cannot_run(refusal, const refused_call&, const device&);
[[noreturn]] void differs_by_device(std::string_view call, const device&);

// Whether variants of the algorithm may return different bits on different devices. An algorithm that rounds
// intermediate results declares `bool rounds(const problem&)` for its problem.
template <class P>
bool differs_across_devices(const P& p) {
  if constexpr (requires { rounds(p); }) {
    return rounds(p);
  } else {
    return false;
  }
}
// Whether reductions and scans with this operator round, so that their result depends on the grouping.
constexpr bool rounds_by(op_kind op, dtype type) {
  return is_floating(type) && (op == op_kind::plus || op == op_kind::multiplies);
}

template <class P>
refusal refused(const variant_of<P>& v, const device& d, const P& p) {
  if (v.where != d.kind()) return {obstacle::other_backend};
  if (v.what != p.what) return {obstacle::other_primitive};
  if (v.device_lacks)
    if (const char* what = v.device_lacks(d)) return {obstacle::device_lacks, what};
  if (!d.supports(p.type)) return {obstacle::no_such_type};
  if constexpr (std::derived_from<P, folding>) {
    if (!accepts(p.op, p.type) || !v.takes(p.op, p.type)) return {obstacle::not_taken};
  } else {
    if (v.takes != accepts && !v.takes(op_kind::plus, p.type)) return {obstacle::not_taken};
  }
  if (v.cannot)
    if (const char* what = v.cannot(p)) return {obstacle::of_the_problem, what};
  if constexpr (std::derived_from<P, folding>) {
    if (p.transform != transform_kind::identity && !v.transforms) return {obstacle::transform};
    if (v.needs_commutative && !commutes(p.op)) return {obstacle::order};
  }
  if constexpr (requires { p.inclusive; }) {
    if (p.inclusive && !v.inclusive) return {obstacle::exclusive_only};
    if (!p.inclusive && !v.exclusive) return {obstacle::inclusive_only};
  }
  if (p.n > v.max_n) return {obstacle::too_many};
  return {};
}

template <class P>
refused_call about(const variant_of<P>* v, const P& p) {
  refused_call c;
  c.primitive = name_of(p.what), c.type = p.type, c.n = p.n;
  if constexpr (std::derived_from<P, folding>) c.op = p.op;
  if (v) c.variant = v->name, c.limits = v->limits, c.where = v->where, c.max_n = v->max_n;
  return c;
}

template <class P>
const variant_of<P>* fastest(lists_of<P> own, const device& d, const P& p) {
  for (auto list = own.rbegin(); list != own.rend(); ++list) {
    if (list->empty() || list->front().where != d.kind()) continue;
    for (auto v = list->rbegin(); v != list->rend(); ++v)
      if (refused(*v, d, p).why == obstacle::none) return &*v;
  }
  return nullptr;
}

template <class P>
const variant_of<P>* asked_for(const target& to, const P& p) {
  return static_cast<const variant_of<P>*>(to.asked_for(name_of(p.what)));
}

// The variant that would run `p`: the requested one, or the fastest that supports it. Throws if no variant does.
template <class P>
const variant_of<P>& choose(lists_of<P> own, const target& to, const P& p) {
  if (to.same_on_every_device() && differs_across_devices(p)) differs_by_device(name_of(p.what), to.on());
  if (const variant_of<P>* v = asked_for(to, p)) {
    if (const refusal r = refused(*v, to.on(), p); r.why != obstacle::none) cannot_run(r, about(v, p), to.on());
    return *v;
  }
  if (const variant_of<P>* v = fastest(own, to.on(), p)) return *v;
  no_variant_takes(about<P>(nullptr, p), to.on());
}

template <class P>
bool can_run(lists_of<P> own, const target& to, const P& p) {
  if (to.same_on_every_device() && differs_across_devices(p)) return false;
  if (const variant_of<P>* v = asked_for(to, p)) return refused(*v, to.on(), p).why == obstacle::none;
  return fastest(own, to.on(), p) != nullptr;
}

template <class P>
void run_as(const variant_of<P>& v, const target& to, const P& p) {
  const bool enough = core::has_memory_for([&] {
    const core::running_call scratch_in_use(v.name);
    v.run(to.on(), p);
  });
  if (!enough) out_of_host_memory(v.name, p.n);
  to.on().last = &v.name;
}

template <class P>
void run(lists_of<P> own, const target& to, const P& p) {
  upsweep::run_as(choose(own, to, p), to, p);
}

}  // namespace upsweep
