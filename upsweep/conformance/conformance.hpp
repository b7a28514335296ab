// Conformance tests of each primitive: its forms, its operands, and the comparison of its results. The check, the
// benchmark, the lens and the tests use a primitive only through this description, so a new primitive needs only one
// more.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/core/catalog.hpp"

namespace upsweep {

// The distribution of an input, where it affects the speed.
enum class input_kind : std::uint8_t { uniform, sorted, reversed, few, zipf, constant };

inline constexpr std::array all_inputs{input_kind::uniform, input_kind::sorted, input_kind::reversed,
                                       input_kind::few,     input_kind::zipf,   input_kind::constant};

constexpr std::string_view name_of(input_kind k) {
  constexpr std::string_view names[]{"uniform", "sorted", "reversed", "few", "zipf", "constant"};
  return names[static_cast<int>(k)];
}

constexpr std::optional<input_kind> input_named(std::string_view name) {
  for (input_kind k : all_inputs)
    if (name_of(k) == name) return k;
  return std::nullopt;
}

// Every output holds this in every byte before a run.
inline constexpr unsigned char poison = 0xa5;

// One operand of a problem: `count` elements of `size` bytes. Inputs have `fill`, which writes elements [first, first +
// count) to `to` in any order and from any thread; outputs are `written`.
template <class Slot>
struct array_in {
  Slot slot{};
  std::uint64_t count = 0, size = 1;
  std::function<void(void* to, std::uint64_t first, std::uint64_t count)> fill;
  bool written = false;
  std::uint64_t bytes() const { return count * size; }
};
using array = array_in<slot>;
template <class P>
using array_of = array_in<memory P::*>;

// Bytes that any algorithm must read and write for a problem.
struct traffic {
  double read = 0, written = 0;
};

// An algorithm's conformance test of one primitive, on its own descriptors.
template <class P>
struct conformance_test_for {
  decltype(P::what) what{};

  // Every form of the primitive (types, operators, orders, ...), without n. `sample`: a shorter list that still
  // contains every variation once, for devices where each form must be compiled when it first runs.
  std::vector<P> (*forms)(bool sample) = nullptr;

  // Sets what depends on n, which is set: m, an initial value, a threshold, ...; `turn` varies it.
  void (*complete)(P&, std::uint64_t seed, std::uint64_t turn) = nullptr;

  // Elements that a check asks for at most, where the primitive's work grows faster than n.
  std::uint64_t most_checked = ~std::uint64_t{0};

  // The operands of a completed problem. A bench asks for input of one kind; a check takes all in turn.
  std::vector<array_of<P>> (*arrays)(const P&, std::uint64_t seed, input_kind) = nullptr;

  // Returns an empty string if the results are right, otherwise a message that names an element. Every address is host
  // memory: inputs as they were before the run, outputs as they are after it. `span` is the variant's longest chain of
  // applications, which bounds the rounding of floats.
  std::string (*wrong)(const P&, double span) = nullptr;

  // The form in words, without its size.
  std::string (*words)(const P&) = nullptr;

  // Outputs that may be exactly the memory of an input.
  std::vector<std::pair<memory P::*, memory P::*>> in_place = {};

  // For the bench: the forms worth timing for elements of this type, and the bytes that each must move.
  std::vector<P> (*timed)(dtype, op_kind, bool inclusive) = nullptr;
  traffic (*moves)(const P&, input_kind) = nullptr;
  bool kinds = false;   // the kind of input matters
  bool varied = false;  // it does not to how fast, but a check takes all kinds

  // Forms for more than 2^32 elements, and inputs for each; none when unset. A form that sets n itself has that many
  // elements of work in another way, such as pieces or prefixes of more than 2^32 elements. If all elements are equal,
  // a run, a digit or a count exceeds 2^32, too.
  std::vector<P> (*huge)() = nullptr;
  std::vector<input_kind> huge_kinds = {input_kind::uniform};
};

// A conformance test with the descriptor's type erased, as check, bench, lens and tests use it.
struct conformance_test {
  template <class P>
  conformance_test(const conformance_test_for<P>&);

  primitive what;
  std::function<std::vector<problem>(bool sample)> forms;
  std::function<void(problem&, std::uint64_t seed, std::uint64_t turn)> complete;
  std::uint64_t most_checked = ~std::uint64_t{0};
  std::function<std::vector<array>(const problem&, std::uint64_t seed, input_kind)> arrays;
  std::function<std::string(const problem&, double span)> wrong;
  std::function<std::string(const problem&)> words;
  std::vector<std::pair<slot, slot>> in_place = {};
  std::function<std::vector<problem>(dtype, op_kind, bool inclusive)> timed;
  std::function<traffic(const problem&, input_kind)> moves;
  bool kinds = false, varied = false;
  std::function<std::vector<problem>()> huge;
  std::vector<input_kind> huge_kinds;
};

// The conformance test of a primitive. Throws fault::unsupported if it has none.
const conformance_test& conformance_test_of(primitive);

// Fills all of an input, in parallel.
void fill_all(const array&, void* to);

template <class P>
conformance_test::conformance_test(const conformance_test_for<P>& e)
    : what(e.what),
      most_checked(e.most_checked),
      in_place(e.in_place.begin(), e.in_place.end()),
      kinds(e.kinds),
      varied(e.varied),
      huge_kinds(e.huge_kinds) {
  const auto all = [](const std::vector<P>& list) { return std::vector<problem>(list.begin(), list.end()); };
  forms = [=](bool sample) { return all(e.forms(sample)); };
  complete = [f = e.complete](problem& p, std::uint64_t seed, std::uint64_t turn) { f(p.as<P>(), seed, turn); };
  arrays = [f = e.arrays](const problem& p, std::uint64_t seed, input_kind kind) {
    std::vector<array> them;
    for (array_of<P>& a : f(p.as<P>(), seed, kind))
      them.push_back({slot(a.slot), a.count, a.size, std::move(a.fill), a.written});
    return them;
  };
  wrong = [f = e.wrong](const problem& p, double span) { return f(p.as<P>(), span); };
  words = [f = e.words](const problem& p) { return f(p.as<P>()); };
  timed = [=](dtype type, op_kind op, bool inclusive) { return all(e.timed(type, op, inclusive)); };
  moves = [f = e.moves](const problem& p, input_kind kind) { return f(p.as<P>(), kind); };
  if (e.huge) huge = [=] { return all(e.huge()); };
}

}  // namespace upsweep
