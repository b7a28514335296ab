// From the template of a textbook variant to its entry: for the files that compile the variants alone.
#pragma once

#include "lens/textbook_variants.hpp"
#include "upsweep/cuda/textbook_definitions.cuh"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/scan/scan_problem.hpp"
#include "upsweep/vector_add/vector_add_problem.hpp"

namespace upsweep::lens {

template <class Variant, auto what, unsigned bytes>
void run_variant(grid& g, const operands<bytes>& o) {
  using T = cell<bytes>;
  using kind = std::remove_const_t<decltype(what)>;
  if constexpr (std::is_same_v<kind, detail::reduce_impl::primitive>)
    Variant::template run<T>(g, o.in, o.out, o.n, o.op);
  if constexpr (std::is_same_v<kind, detail::scan_impl::primitive>)
    Variant::template run<T>(g, o.in, o.out, o.n, o.op, o.inclusive);
  if constexpr (std::is_same_v<kind, detail::vector_add_impl::primitive>)
    Variant::template run<T>(g, o.in, o.in2, o.out, o.n, o.op);
}

template <class Variant, auto what>
variant_at at_size(unsigned block) {
  return {block,
          Variant::work,
          Variant::span,
          Variant::launches,
          Variant::traffic,
          Variant::max_n,
          run_variant<Variant, what, 4>,
          run_variant<Variant, what, 8>};
}

template <class Variant, auto what>
textbook_variant described(unsigned standard) {
  textbook_variant r{Variant::name, what, Variant::teaches, Variant::limits, Variant::keeps_order, standard, {}};
  r.year = Variant::year, r.source = Variant::source;
  return r;
}

// A textbook variant whose source fixes its block size.
template <class Variant, auto what>
textbook_variant single() {
  textbook_variant r = described<Variant, what>(0);
  r.sizes.push_back(at_size<Variant, what>(0));
  return r;
}

// A textbook variant at its own block size and at others.
template <template <unsigned> class Variant, auto what, unsigned standard, unsigned... others>
textbook_variant sized() {
  textbook_variant r = described<Variant<standard>, what>(standard);
  (r.sizes.push_back(at_size<Variant<others>, what>(others)), ...);
  return r;
}

// A textbook variant of a primitive without a fold. Algorithm has run<Variant>(grid, problem, operands).
template <class Algorithm, class Variant>
variant_at asked_at(unsigned block) {
  variant_at r{block, Variant::work, Variant::span, Variant::launches, Variant::traffic, Variant::max_n};
  r.run_problem = [](grid& g, const problem& p, const operand_blocks& o) {
    Algorithm::template run<Variant>(g, p.as<typename Algorithm::problem>(), o);
  };
  if constexpr (requires { Variant::counts_of; })
    r.counts_of = [](const problem& p) -> std::array<double, 4> {
      const auto c = Variant::counts_of(p.as<typename Algorithm::problem>());
      return {c.work, c.span, c.launches, c.traffic};
    };
  return r;
}

template <class Algorithm, template <unsigned> class Variant, unsigned standard, unsigned... others>
textbook_variant asked() {
  textbook_variant r = described<Variant<standard>, Algorithm::what>(standard);
  r.cannot = [](const problem& p) { return Variant<standard>::cannot(p.as<typename Algorithm::problem>()); };
  if constexpr (requires { Variant<standard>::by_digits; }) r.by_digits = Variant<standard>::by_digits;
  (r.sizes.push_back(asked_at<Algorithm, Variant<others>>(others)), ...);
  return r;
}

}  // namespace upsweep::lens
