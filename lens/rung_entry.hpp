// From a rung's template to its entry: for the files that compile the rungs alone.
#pragma once

#include "lens/rungs.hpp"
#include "upsweep/cuda/rung.cuh"
#include "upsweep/reduce/problem.hpp"
#include "upsweep/scan/problem.hpp"
#include "upsweep/vector_add/problem.hpp"

namespace upsweep::lens {

template <class Rung, auto what, unsigned bytes>
void run_rung(grid& g, const operands<bytes>& o) {
  using T = cell<bytes>;
  using kind = std::remove_const_t<decltype(what)>;
  if constexpr (std::is_same_v<kind, reduce_room::primitive>) Rung::template run<T>(g, o.in, o.out, o.n, o.op);
  if constexpr (std::is_same_v<kind, scan_room::primitive>)
    Rung::template run<T>(g, o.in, o.out, o.n, o.op, o.inclusive);
  if constexpr (std::is_same_v<kind, vector_add_room::primitive>)
    Rung::template run<T>(g, o.in, o.in2, o.out, o.n, o.op);
}

template <class Rung, auto what>
rung_at at_size(unsigned block) {
  return {block,
          Rung::work,
          Rung::span,
          Rung::launches,
          Rung::traffic,
          Rung::max_n,
          run_rung<Rung, what, 4>,
          run_rung<Rung, what, 8>};
}

template <class Rung, auto what>
rung described(unsigned standard) {
  return {Rung::name, what, Rung::teaches, Rung::limits, Rung::keeps_order, standard, {}};
}

// A rung whose block size its source fixes.
template <class Rung, auto what>
rung single() {
  rung r = described<Rung, what>(0);
  r.sizes.push_back(at_size<Rung, what>(0));
  return r;
}

// A rung at its own block size and at others.
template <template <unsigned> class Rung, auto what, unsigned standard, unsigned... others>
rung sized() {
  rung r = described<Rung<standard>, what>(standard);
  (r.sizes.push_back(at_size<Rung<others>, what>(others)), ...);
  return r;
}

// The same for a primitive that folds nothing: Room says which, and has run<Rung>(grid, problem, operands).
template <class Room, class Rung>
rung_at asked_at(unsigned block) {
  rung_at r{block, Rung::work, Rung::span, Rung::launches, Rung::traffic, Rung::max_n};
  r.run_problem = [](grid& g, const problem& p, const operand_blocks& o) {
    Room::template run<Rung>(g, p.as<typename Room::problem>(), o);
  };
  if constexpr (requires { Rung::counts_of; })
    r.counts_of = [](const problem& p) -> std::array<double, 4> {
      const auto c = Rung::counts_of(p.as<typename Room::problem>());
      return {c.work, c.span, c.launches, c.traffic};
    };
  return r;
}

template <class Room, template <unsigned> class Rung, unsigned standard, unsigned... others>
rung asked() {
  rung r = described<Rung<standard>, Room::what>(standard);
  r.cannot = [](const problem& p) { return Rung<standard>::cannot(p.as<typename Room::problem>()); };
  if constexpr (requires { Rung<standard>::by_digits; }) r.by_digits = Rung<standard>::by_digits;
  (r.sizes.push_back(asked_at<Room, Rung<others>>(others)), ...);
  return r;
}

}  // namespace upsweep::lens
