#include "upsweep/core/dispatch.hpp"

#include "upsweep/core/host_limits.hpp"

namespace upsweep {

const void* target::asked_for(std::string_view primitive) const {
  if (!chosen_) return nullptr;
  const auto found = chosen_->find(primitive);
  return found == chosen_->end() ? nullptr : found->second;
}

std::string sentence(refusal r, const refused_call& c, const device& d) {
  if (r.why == obstacle::none) return {};
  const std::string name(c.variant), type(name_of(c.type)),
      limits = c.limits.empty() ? "" : " (" + std::string(c.limits) + ")";
  switch (r.why) {
    case obstacle::other_backend: return name + " runs on " + std::string(name_of(c.where)) + ", not on " + d.name();
    case obstacle::other_primitive: return name + " is not a variant of " + std::string(c.primitive);
    case obstacle::device_lacks: return name + " needs " + r.what + ", which " + d.name() + " lacks";
    case obstacle::no_such_type: return d.name() + " (" + d.description() + ") has no " + type;
    case obstacle::not_taken:
      return name + " does not take " + std::string(name_of(c.op.value_or(op_kind::plus))) + " on " + type + limits;
    case obstacle::of_the_problem: return name + " does not take " + r.what + limits;
    case obstacle::transform: return name + " has no fused transform" + limits;
    case obstacle::order: return name + " needs an operator that commutes" + limits;
    case obstacle::exclusive_only: return name + " is an exclusive scan only" + limits;
    case obstacle::inclusive_only: return name + " is an inclusive scan only" + limits;
    default:
      return name + " takes at most " + std::to_string(c.max_n) + " elements, not " + std::to_string(c.n) + limits;
  }
}

void no_variant_takes(const refused_call& c, const device& d) {
  const std::string type(name_of(c.type));
  throw error(fault::unsupported, d.name(),
              "no variant of " + std::string(c.primitive) + " takes " +
                  (c.op ? std::string(name_of(*c.op)) + " on " : "") + type + " here" +
                  (d.supports(c.type) ? "" : " (the device has no " + type + ")"),
              "see `upsweep list`");
}

void out_of_host_memory(std::string_view variant, std::uint64_t n) {
  throw error(fault::out_of_memory, std::string(variant),
              "the host has no memory left for the temporaries of " + std::to_string(n) + " elements" +
                  core::said_of_host_limit(n),
              "work on fewer elements at a time");
}

void differs_by_device(std::string_view call, const device& d) {
  throw error(
      fault::unsupported, std::string(call),
      "floats are rounded in varying order on " + d.name() + ", and no variant gives the same bits on every device",
      "add integers, use reduce or reproducible_sum, or do not set .deterministic");
}

void cannot_run(refusal r, const refused_call& c, const device& d) {
  throw error(fault::unsupported, d.name(), sentence(r, c, d),
              "choose another variant, or none for the fastest supported one");
}

}  // namespace upsweep
