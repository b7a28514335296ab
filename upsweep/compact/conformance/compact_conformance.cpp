// The conformance tests of compaction by stencils and of run offsets: every moved element is compared bit by bit, and
// memory after the results must be unchanged.
#include <algorithm>
#include <cstring>

#include "upsweep/compact/compact_problem.hpp"
#include "upsweep/conformance/first_difference.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/operators/runtime_operators.hpp"

namespace upsweep::detail::compact_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

// ---- by a stencil

template <primitive what>
std::vector<problem> forms(bool sample) {
  std::vector<problem> all;
  for (dtype type : all_dtypes)
    for (bool negated : {false, true})
      for (std::uint32_t bytes : {1u, 2u, 4u, 8u}) {
        const unsigned turn = static_cast<unsigned>(type) + negated;
        if ((sample || type != dtype::u32) && bytes != 1u << turn % 4) continue;
        problem p;
        p.what = what, p.type = type, p.element_bytes = bytes, p.negated = negated;
        p.two_outputs = what == primitive::stencil_partition && turn % 3 != 0;
        all.push_back(p);
        if (what == primitive::stencil_partition && type == dtype::u32)
          p.two_outputs = !p.two_outputs, all.push_back(p);
      }
  return all;
}

void complete(problem& p, std::uint64_t seed, std::uint64_t turn) {
  p.test = comparison::less, p.threshold = samples::quantile(p.type, 0.5);
  if (turn % 4 == 1) return;
  p.test = all_comparisons[turn % 6];
  // An element of the stencil, which may be NaN, or what some inputs are full of.
  if (turn % 4 == 0)
    p.threshold = samples::one_of_few(p.type, turn / 4);
  else
    samples(p.type, input_kind::uniform, p.n, seed).fill(p.threshold.bytes, turn % std::max<std::uint64_t>(p.n, 1), 1);
}

std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  std::vector<array> all{{&problem::in, p.n, p.element_bytes,
                          [seed, bytes = p.element_bytes](void* to, std::uint64_t first, std::uint64_t count) {
                            fill_bytes(seed + 1, to, first * bytes, count * bytes);
                          }},
                         {&problem::in2, p.n, size_of(p.type),
                          [s = samples(p.type, kind, p.n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
                            s.fill(to, first, count);
                          }},
                         {&problem::out, p.n, p.element_bytes, {}, true}};
  if (p.two_outputs) all.push_back({&problem::out2, p.n, p.element_bytes, {}, true});
  all.push_back({&problem::count, 1, 8, {}, true});
  return all;
}

std::string wrong_count(std::uint64_t got, std::uint64_t want) {
  return "the count is " + std::to_string(got) + ", not " + std::to_string(want);
}

// What passes is counted piece by piece; then each piece knows where its elements belong, and they are held against the
// output on all processors.
std::string wrong(const problem& p, double) {
  return with_any_type(p.type, [&]<class T>(type_tag<T>) -> std::string {
    const compared<T> test{p.test, p.threshold.as<T>()};
    const auto passes = [&](std::uint64_t i) { return test(p.in2.as<const T>()[i]) != p.negated; };
    const std::uint64_t piece = checked_at_once, size = p.element_bytes;
    std::vector<std::uint64_t> before(p.n / piece + 2);
    cpu::for_each_piece(p.n, piece, [&](std::uint64_t begin, std::uint64_t end) {
      std::uint64_t count = 0;
      for (std::uint64_t i = begin; i < end; ++i) count += passes(i);
      before[begin / piece + 1] = count;
    });
    for (std::size_t k = 1; k < before.size(); ++k) before[k] += before[k - 1];
    const std::uint64_t passed = before.back();
    if (const std::uint64_t count = *p.count.as<const std::uint64_t>(); count != passed)
      return wrong_count(count, passed);

    const bool all_move = p.what == primitive::stencil_partition;
    const memory rest = p.two_outputs ? p.out2 : p.out;
    const std::uint64_t rest_begins = p.two_outputs ? 0 : passed;
    // The first element of [begin, end) that is not where it belongs, and what is to be said of it.
    const auto misplaced = [&](std::uint64_t begin, std::uint64_t end) -> std::string {
      std::uint64_t kept = before[begin / piece], other = rest_begins + begin - kept;
      for (std::uint64_t i = begin; i < end; ++i) {
        const bool passing = passes(i);
        if (!passing && !all_move) continue;
        const std::uint64_t to = passing ? kept++ : other++;
        if (std::memcmp((passing ? p.out : rest).as<const char>() + to * size, p.in.as<const char>() + i * size,
                        size) == 0)
          continue;
        return (passing || !p.two_outputs ? "element " : "other element ") + std::to_string(to) +
               ": it is not element " + std::to_string(i) + " of the input";
      }
      return {};
    };
    const std::uint64_t bad =
        first_found(0, p.n, piece, [&](std::uint64_t begin, std::uint64_t end, std::uint64_t found) {
          return misplaced(begin, end).empty() ? found : begin;
        });
    if (bad != p.n) return misplaced(bad, std::min(p.n, bad + piece));

    // Beyond the results nothing was written.
    const auto touched = [&](const char* what, memory out, std::uint64_t first) -> std::string {
      const auto* bytes = out.as<const unsigned char>();
      const std::uint64_t i = first_bad(first * size, p.n * size, [&](std::uint64_t k) { return bytes[k] != poison; });
      if (i == p.n * size) return {};
      return what + std::to_string(i / size) + ": it lies beyond the " + std::to_string(first) +
             " of the result and was written";
    };
    if (all_move && !p.two_outputs) return {};
    const std::string first = touched("element ", p.out, passed);
    return first.empty() && p.two_outputs ? touched("other element ", p.out2, p.n - passed) : first;
  });
}

std::string words(const problem& p) {
  std::string s = std::to_string(p.element_bytes) + " bytes by " + std::string(name_of(p.type));
  if (p.negated) s += ", negated";
  if (p.two_outputs) s += ", into two outputs";
  return s;
}

template <primitive what>
std::vector<problem> timed(dtype type, op_kind op, bool inclusive) {
  if (op != op_kind::plus || inclusive) return {};
  problem p;
  p.what = what, p.type = type, p.element_bytes = 4, p.two_outputs = what == primitive::stencil_partition;
  p.test = comparison::less, p.threshold = samples::quantile(type, 0.5);
  return {p};
}

traffic moves(const problem& p, input_kind) {
  const double n = static_cast<double>(p.n), size = p.element_bytes;
  return {n * (size + static_cast<double>(size_of(p.type))),
          n * size * (p.what == primitive::stencil_select ? 0.5 : 1) + 8};
}

template <primitive what>
conformance_test stencil_conformance_test() {
  conformance_test e;
  e.what = what;
  e.forms = forms<what>;
  e.complete = complete;
  e.most_checked = (1 << 22) + 4099;  // of a judge that takes one after the other
  e.arrays = arrays;
  e.wrong = wrong;
  e.words = words;
  e.timed = timed<what>;
  e.moves = moves;
  e.kinds = true;
  e.huge = [] {
    problem p;
    p.what = what, p.type = dtype::u8, p.element_bytes = 1;
    std::vector<problem> all{p};
    if (what == primitive::stencil_partition) p.two_outputs = true, all.push_back(p);
    return all;
  };
  e.huge_kinds = {input_kind::uniform, input_kind::constant};
  return e;
}

// ---- run offsets

std::vector<problem> forms_of_offsets(bool) {
  std::vector<problem> all;
  for (dtype type : all_dtypes) {
    problem p;
    p.what = primitive::run_offsets, p.type = type;
    all.push_back(p);
  }
  return all;
}

std::vector<array> arrays_of_offsets(const problem& p, std::uint64_t seed, input_kind kind) {
  array in{&problem::in, p.n, size_of(p.type), {}};
  if (kind == input_kind::sorted || kind == input_kind::reversed)
    in.fill = [r = runs(p.type, kind, p.n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
      r.fill(to, first, count);
    };
  else
    in.fill = [s = samples(p.type, kind, p.n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
      s.fill(to, first, count);
    };
  return {in, {&problem::out, p.n + 1, 8, {}, true}, {&problem::count, 1, 8, {}, true}};
}

std::string wrong_offsets(const problem& p, double) {
  return with_any_type(p.type, [&]<class T>(type_tag<T>) -> std::string {
    const T* x = p.in.as<const T>();
    const auto* offsets = p.out.as<const std::uint64_t>();
    std::uint64_t run = 0;
    for (std::uint64_t i = 0; i <= p.n; ++i) {
      if (i != 0 && i != p.n && x[i] == x[i - 1]) continue;
      if (offsets[run] != i)
        return "offset " + std::to_string(run) + ": " + std::to_string(offsets[run]) + " is not " + std::to_string(i);
      if (i != p.n) ++run;
    }
    const std::uint64_t count = *p.count.as<const std::uint64_t>();
    return count == run ? "" : wrong_count(count, run);
  });
}

conformance_test offsets_conformance_test() {
  conformance_test e;
  e.what = primitive::run_offsets;
  e.forms = forms_of_offsets;
  e.complete = [](problem&, std::uint64_t, std::uint64_t) {};
  e.arrays = arrays_of_offsets;
  e.wrong = wrong_offsets;
  e.words = [](const problem& p) { return std::string(name_of(p.type)); };
  e.timed = [](dtype type, op_kind op, bool inclusive) {
    if (op != op_kind::plus || inclusive) return std::vector<problem>();
    problem p;
    p.what = primitive::run_offsets, p.type = type;
    return std::vector<problem>{p};
  };
  e.moves = [](const problem& p, input_kind) -> traffic {
    return {static_cast<double>(p.n * size_of(p.type)), static_cast<double>(p.n * 8)};
  };
  e.kinds = true;
  e.huge = [] {
    problem p;
    p.what = primitive::run_offsets, p.type = dtype::u8;
    return std::vector{p};
  };
  e.huge_kinds = {input_kind::uniform, input_kind::constant};
  return e;
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  return {stencil_conformance_test<primitive::stencil_select>(),
          stencil_conformance_test<primitive::stencil_partition>(), offsets_conformance_test()};
}

}  // namespace upsweep::detail::compact_impl
