#include "cli/bench/data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "cli/bench/timing.hpp"
#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/histogram/histogram_problem.hpp"

using upsweep::backend;
using upsweep::memory;
using upsweep::primitive;
using upsweep::problem;

namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t grain = std::uint64_t{1} << 16;

std::unique_ptr<std::byte[]> uninitialised(std::uint64_t bytes) {
  return std::unique_ptr<std::byte[]>(new std::byte[std::max<std::uint64_t>(bytes, 1)]);
}

struct disagreement {
  double error = 0;
  std::uint64_t at = ~std::uint64_t{0};  // the first element beyond the tolerance
};

// Relative to the reference; not a number, where one was expected, is infinitely far away.
template <class T>
double distance(T got, T want) {
  if (got == want) return 0;
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<double>::infinity();
  const double off = std::abs(static_cast<double>(got) - static_cast<double>(want));
  const double relative = want == T(0) ? off : off / std::abs(static_cast<double>(want));
  return std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
}

template <class T>
disagreement compare(const T* got, const T* want, std::uint64_t n, double tolerance) {
  std::vector<disagreement> of_pieces(upsweep::cpu::block_count(n, grain));
  upsweep::cpu::for_each_piece(n, grain, [&](std::uint64_t first, std::uint64_t last) {
    disagreement& d = of_pieces[first / grain];
    for (std::uint64_t i = first; i < last; ++i) {
      const double e = distance(got[i], want[i]);
      d.error = std::max(d.error, e);
      if (!(e <= tolerance)) d.at = std::min(d.at, i);
    }
  });
  disagreement all;
  for (const disagreement& d : of_pieces) all = {std::max(all.error, d.error), std::min(all.at, d.at)};
  return all;
}

template <class T>
void make_positive(std::byte* from, std::uint64_t n) {
  T* x = reinterpret_cast<T*>(from);
  upsweep::cpu::for_each_piece(n, grain, [=](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) x[i] = std::abs(x[i]);
  });
}

// Conformance tests put an infinity or a NaN among the weights of some problems, whose sums are then undefined.
void make_finite(std::byte* from, std::uint64_t n) {
  for (float& w : std::span(reinterpret_cast<float*>(from), n))
    if (!std::isfinite(w)) w = 1;
}

}  // namespace

bench_data::bench_data(upsweep::device& d, const problem& shape, std::uint64_t seed, upsweep::input_kind kind,
                       bool shifted)
    : device_(d), shape_(shape), conformance_test_(upsweep::conformance_test_of(shape.what())) {
  conformance_test_.complete(shape_, seed, 1);
  arrays_ = conformance_test_.arrays(shape_, seed, kind);
  std::uint64_t each = 0, host = 0;
  for (const upsweep::array& a : arrays_) {
    each += a.bytes();
    host += a.written ? 2 * a.bytes() : a.bytes();
  }
  const std::uint64_t free = d.free_memory();
  // A tenth stays for scratch and for others. On the CPU the host's own arrays come out of the same memory.
  const std::uint64_t usable = free - free / 10, taken = d.kind() == backend::cpu ? host : 0;
  if (each + taken > usable)
    throw upsweep::error(
        upsweep::fault::out_of_memory, d.name(),
        std::to_string(each + taken) + " bytes of operands are needed and " + std::to_string(free) + " are free",
        "bench smaller sizes");
  const std::uint64_t count = std::clamp<std::uint64_t>(usable / 2 / std::max<std::uint64_t>(each, 1), 1, 3);
  host_.resize(arrays_.size());
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].fill) {
      host_[i] = uninitialised(arrays_[i].bytes());
      upsweep::fill_all(arrays_[i], host_[i].get());
      const auto* const counted = shape_.get_if<upsweep::detail::histogram_impl::problem>();
      if (counted && counted->weighted && arrays_[i].slot.name() == "in2")
        make_finite(host_[i].get(), arrays_[i].count);
      const bool sums = shape_.fold() && shape_.fold()->op == upsweep::op_kind::plus;
      if (sums && !shape_.get_if<upsweep::detail::vector_add_impl::problem>() && arrays_[i].slot.name() == "in") {
        if (shape_->type == upsweep::dtype::f32) make_positive<float>(host_[i].get(), arrays_[i].count);
        if (shape_->type == upsweep::dtype::f64) make_positive<double>(host_[i].get(), arrays_[i].count);
      }
    }
  if (has_reference(shape_)) refer();
  for (std::uint64_t c = 0; c < count; ++c) {
    places where;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const std::uint64_t shift = shifted ? arrays_[i].size : 0;
      held_.push_back(d.allocate(std::max<std::uint64_t>(arrays_[i].bytes(), 16) + shift));
      where.push_back(held_.back().plus_bytes(shift));
      if (host_[i]) {
        d.upload(where[i], host_[i].get(), arrays_[i].bytes());
      } else {
        d.fill(where[i], upsweep::poison, arrays_[i].bytes());
      }
    }
    copies_.push_back(std::move(where));
  }
}

bench_data::~bench_data() {
  for (const memory m : held_) device_.deallocate(m);
}

void bench_data::refer() {
  problem p = shape_;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (arrays_[i].written) reference_ = uninitialised(arrays_[i].bytes());
    arrays_[i].slot(p) = {arrays_[i].written ? reference_.get() : host_[i].get(), 0};
  }
  reference(p);
}

problem bench_data::at(const places& where) const {
  problem p = shape_;
  for (std::size_t i = 0; i < arrays_.size(); ++i) arrays_[i].slot(p) = where[i];
  return p;
}

problem bench_data::next() { return at(copies_[turn_++ % copies_.size()]); }
problem bench_data::first() const { return at(copies_[0]); }

problem bench_data::first(std::uint64_t n) const {
  problem p = first();
  p->n = n;
  return p;
}

problem bench_data::on_host() {
  places where;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (!host_[i]) host_[i] = uninitialised(arrays_[i].bytes());
    where.push_back({host_[i].get(), 0});
  }
  return at(where);
}

verdict bench_data::check(const std::function<void(const problem&)>& run, double tolerance, double span) {
  const problem p = first();
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].written) device_.fill(arrays_[i].slot(p), upsweep::poison, arrays_[i].bytes());
  run(p);
  device_.synchronize();
  return has_reference(p) ? compare_with_reference(p, tolerance)
                          : check_result(p, span > 0 ? span : static_cast<double>(p->n));
}

verdict bench_data::check_result(const problem& p, double span) {
  problem host = on_host();
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].written) device_.download(arrays_[i].slot(host).base, arrays_[i].slot(p), arrays_[i].bytes());
  return {conformance_test_.wrong(host, span), 0};
}

verdict bench_data::compare_with_reference(const problem& p, double tolerance) {
  const std::uint64_t size = size_of(p->type),
                      bytes = (p.get_if<upsweep::detail::reduce_impl::problem>() ? 1 : p->n) * size;
  if (!piece_) piece_ = uninitialised(std::min(piece_bytes, bytes));
  memory out;
  for (const upsweep::array& a : arrays_)
    if (a.written) out = a.slot(p);
  verdict v;
  for (std::uint64_t done = 0; done < bytes; done += piece_bytes) {
    const std::uint64_t count = std::min(piece_bytes, bytes - done);
    device_.download(piece_.get(), out.plus_bytes(done), count);
    upsweep::with_type(p->type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T *got = reinterpret_cast<const T*>(piece_.get()),
              *want = reinterpret_cast<const T*>(reference_.get() + done);
      const disagreement d = compare(got, want, count / size, tolerance);
      v.error = std::max(v.error, d.error);
      if (d.at != ~std::uint64_t{0} && v.right())
        v.wrong = "element " + std::to_string(done / size + d.at) + " is " + std::to_string(got[d.at]) + ", not " +
                  std::to_string(want[d.at]);
    });
  }
  return v;
}

double rounding_tolerance(const problem& p, double span) {
  if (!is_floating(p->type)) return 0;
  const double eps =
      p->type == upsweep::dtype::f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  if (!p.fold()) return 0;
  const upsweep::op_kind op = p.fold()->op;
  // A sum of positive elements: each addition of the chain may round by eps/2 of the partial sum. The errors of a
  // product grow like a random walk.
  if (op == upsweep::op_kind::plus) return (span + 4) * eps;
  if (op == upsweep::op_kind::multiplies) return (16 + 8 * std::sqrt(static_cast<double>(p->n))) * eps;
  return 0;
}
