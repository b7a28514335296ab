// reduce and scan of elements whose type, operator and transform are known at run time only. Their templates are made
// here and nowhere else in the command.
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

// Throws where no variant there takes n such elements, or the one that is preferred there does not.
void require_variant_for(const upsweep::context&, const fold_form&, std::uint64_t n);

// init ∘ x_0 ∘ … ∘ x_{n-1}
upsweep::scalar reduce_elements(const upsweep::context&, const fold_form&, upsweep::memory elements, std::uint64_t n,
                                upsweep::scalar init);
// In place.
void scan_elements(const upsweep::context&, const fold_form&, upsweep::memory elements, std::uint64_t n,
                   upsweep::scalar init);
// What the scan of the elements that follow begins with, from the last element and its result: an inclusive scan ends
// with it, an exclusive one lacks the last element.
upsweep::scalar init_after(const fold_form&, upsweep::scalar last_in, upsweep::scalar last_out);
