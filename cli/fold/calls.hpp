// reduce and scan with a type, operator and transform that are known only at run time. Their templates are instantiated
// only here.
#pragma once

#include <cstdint>

#include "upsweep/buffer.hpp"
#include "upsweep/core/catalog.hpp"

struct fold_form {
  enum class call : std::uint8_t { reduce, inclusive_scan, exclusive_scan };
  call what = call::reduce;
  upsweep::op_kind op = upsweep::op_kind::plus;
  upsweep::transform_kind transform = upsweep::transform_kind::identity;
  upsweep::dtype type = upsweep::dtype::f64;  // one that the operator accepts

  const char* name() const { return what == call::reduce ? "reduce" : "scan"; }
};

// Throws if no variant on the device, or the selected one, supports n such elements.
void require_variant_for(const upsweep::context&, const fold_form&, std::uint64_t n);

// init ∘ x_0 ∘ … ∘ x_{n-1}
upsweep::scalar reduce_elements(const upsweep::context&, const fold_form&, upsweep::memory elements, std::uint64_t n,
                                upsweep::scalar init);
// In place.
void scan_elements(const upsweep::context&, const fold_form&, upsweep::memory elements, std::uint64_t n,
                   upsweep::scalar init);
// Initial value of the scan of the following elements, from the last element and its result: an inclusive scan already
// includes the last element, an exclusive scan does not.
upsweep::scalar init_after(const fold_form&, upsweep::scalar last_in, upsweep::scalar last_out);
