// The exams of reduce, scan and the vector sum: random_input makes their elements, the oracle judges them.
#include <cmath>

#include "upsweep/core/rooms.hpp"
#include "upsweep/proof/exam.hpp"
#include "upsweep/proof/oracle.hpp"

namespace upsweep {

namespace {

// A sample meets every type and every operator, not all pairs of them, and every transform on some type.
bool in_sample(dtype type, op_kind op, transform_kind f) {
  const int t = static_cast<int>(type), o = static_cast<int>(op), types = static_cast<int>(folding_dtypes.size());
  if (op == op_kind::compose_affine) return f == transform_kind::identity;
  if (f != transform_kind::identity)
    return t == (o + static_cast<int>(f)) % types && (o + static_cast<int>(f)) % 3 == 0;
  return op == op_kind::plus || t == o % types || t == (o + 1) % types;
}

template <primitive what>
std::vector<problem> forms(bool sample) {
  std::vector<problem> all;
  for (dtype type : folding_dtypes)
    for (op_kind op : all_ops)
      for (transform_kind f : all_transforms)
        for (bool inclusive : {false, true}) {
          if (!accepts(op, type) || (inclusive && what != primitive::scan) || (sample && !in_sample(type, op, f)))
            continue;
          if (what == primitive::vector_add && (op != op_kind::plus || f != transform_kind::identity)) continue;
          problem p;
          p.what = what, p.type = type, p.op = op, p.transform = f, p.inclusive = inclusive;
          all.push_back(p);
        }
  return all;
}

void complete(problem& p, std::uint64_t seed, std::uint64_t turn) {
  const bool logical = p.op == op_kind::logical_and || p.op == op_kind::logical_or;
  p.init = identity_scalar(p.op, p.type);
  // A value that decides the result leaves little else to check.
  if (turn % 2 == 0 && p.what != primitive::vector_add && !(logical && p.n > 33))
    p.init = random_input(p.type, p.op, p.n, seed).start_value();
}

std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind) {
  const std::uint64_t size = size_of(p.type), outputs = p.what == primitive::reduce ? 1 : p.n;
  const auto random = [&](std::uint64_t s) {
    return [input = random_input(p.type, p.op, p.n, s)](void* to, std::uint64_t first, std::uint64_t count) {
      input.fill(to, first, count);
    };
  };
  std::vector<array> all{{&problem::in, p.n, size, random(seed)}};
  if (p.what == primitive::vector_add) all.push_back({&problem::in2, p.n, size, random(seed + 1)});
  all.push_back({&problem::out, outputs, size, {}, true});
  return all;
}

std::string wrong(const problem& p, double span) { return what_is_wrong(p, p.out.address(), span); }

std::string words(const problem& p) {
  std::string s(name_of(p.type));
  (s += ' ') += name_of(p.op);
  if (p.transform != transform_kind::identity) (s += ", ") += name_of(p.transform);
  if (p.what == primitive::scan) s += p.inclusive ? ", inclusive scan" : ", exclusive scan";
  if (std::memcmp(p.init.bytes, identity_scalar(p.op, p.type).bytes, size_of(p.type)) != 0)
    s += " from an initial value";
  return s;
}

template <primitive what>
std::vector<problem> timed(dtype type, op_kind op, bool inclusive) {
  if (!accepts(op, type) || (inclusive && what != primitive::scan)) return {};
  problem p;
  p.what = what, p.type = type, p.op = op, p.inclusive = inclusive, p.init = identity_scalar(op, type);
  return {p};
}

traffic moves(const problem& p, input_kind) {
  const double bytes = static_cast<double>(p.n * size_of(p.type));
  if (p.what == primitive::reduce) return {bytes, 0};
  return {p.what == primitive::vector_add ? 2 * bytes : bytes, bytes};
}

template <primitive what>
std::vector<problem> huge() {
  problem p;
  p.what = what, p.inclusive = true;
  return {p};
}

template <primitive what>
exam fold_exam() {
  exam e;
  e.what = what;
  e.forms = forms<what>;
  e.complete = complete;
  e.arrays = arrays;
  e.wrong = wrong;
  e.words = words;
  e.timed = timed<what>;
  e.moves = moves;
  if constexpr (what == primitive::scan) e.in_place = {{&problem::out, &problem::in}};
  if constexpr (what != primitive::vector_add) e.huge = huge<what>;
  return e;
}

}  // namespace

namespace vector_add_room {
std::vector<exam> exams() { return {fold_exam<primitive::vector_add>()}; }
}  // namespace vector_add_room
namespace reduce_room {
std::vector<exam> exams() { return {fold_exam<primitive::reduce>()}; }
}  // namespace reduce_room
namespace scan_room {
std::vector<exam> exams() { return {fold_exam<primitive::scan>()}; }
}  // namespace scan_room

}  // namespace upsweep
