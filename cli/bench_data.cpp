#include "cli/bench_data.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/bench_timing.hpp"
#include "upsweep/oracle.hpp"

using upsweep::backend;
using upsweep::memory;
using upsweep::primitive;
using upsweep::problem;
using range = oneapi::tbb::blocked_range<std::uint64_t>;

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
  return oneapi::tbb::parallel_reduce(
      range(0, n, grain), disagreement{},
      [=](const range& r, disagreement d) {
        for (std::uint64_t i = r.begin(); i != r.end(); ++i) {
          const double e = distance(got[i], want[i]);
          d.error = std::max(d.error, e);
          if (!(e <= tolerance)) d.at = std::min(d.at, i);
        }
        return d;
      },
      [](disagreement a, disagreement b) {
        return disagreement{std::max(a.error, b.error), std::min(a.at, b.at)};
      });
}

void fill_at_once(const upsweep::random_input& input, std::byte* to, std::uint64_t n, std::uint64_t size) {
  oneapi::tbb::parallel_for(range(0, n, grain),
                            [&](const range& r) { input.fill(to + r.begin() * size, r.begin(), r.size()); });
}

}  // namespace

bench_data::bench_data(upsweep::device& d, const problem& shape, std::uint64_t seed) : device_(d), shape_(shape) {
  const std::uint64_t in = shape.n * size_of(shape.type), out = output_bytes(shape), each = input_bytes(shape) + out;
  const std::uint64_t free = d.free_memory(), host = input_bytes(shape) + 2 * out;
  // A tenth stays for scratch and for others. On the CPU the host's own arrays come out of the same memory.
  const std::uint64_t usable = free - free / 10, taken = d.kind() == backend::cpu ? host : 0;
  if (each + taken > usable)
    throw upsweep::error(
        upsweep::fault::out_of_memory, d.name(),
        std::to_string(each + taken) + " bytes of operands are needed and " + std::to_string(free) + " are free",
        "bench smaller sizes");
  const std::uint64_t count = std::clamp<std::uint64_t>(usable / 2 / std::max<std::uint64_t>(each, 1), 1, 3);
  shape_.init = identity_scalar(shape.op, shape.type);
  make_input(seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    copies_.push_back(
        {d.allocate(in), input2_ ? d.allocate(in) : memory{}, d.allocate(std::max<std::uint64_t>(out, 16))});
    d.upload(copies_.back().in, input_.get(), in);
    if (input2_) d.upload(copies_.back().in2, input2_.get(), in);
    d.fill(copies_.back().out, 0xa5, out);
  }
}

bench_data::~bench_data() {
  for (const copy& c : copies_)
    for (memory m : {c.in, c.in2, c.out})
      if (m.base) device_.release(m);
}

void bench_data::make_input(std::uint64_t seed) {
  const std::uint64_t size = size_of(shape_.type), n = shape_.n;
  input_ = uninitialised(n * size);
  fill_at_once({shape_.type, shape_.op, n, seed}, input_.get(), n, size);
  if (shape_.what == primitive::vector_add) {
    input2_ = uninitialised(n * size);
    fill_at_once({shape_.type, shape_.op, n, seed + 1}, input2_.get(), n, size);
  }
  upsweep::with_type(shape_.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      T* x = reinterpret_cast<T*>(input_.get());
      if (shape_.op == upsweep::op_kind::plus && shape_.what != primitive::vector_add)
        oneapi::tbb::parallel_for(range(0, n, grain), [=](const range& r) {
          for (std::uint64_t i = r.begin(); i != r.end(); ++i) x[i] = std::abs(x[i]);
        });
    }
  });
  reference_ = uninitialised(output_bytes(shape_));
  problem p = shape_;
  p.in = {input_.get(), 0};
  p.in2 = {input2_.get(), 0};
  p.out = {reference_.get(), 0};
  reference(p);
}

problem bench_data::next() {
  problem p = shape_;
  const copy& c = copies_[turn_++ % copies_.size()];
  p.in = c.in;
  p.in2 = c.in2;
  p.out = c.out;
  return p;
}

problem bench_data::first(std::uint64_t n) const {
  problem p = shape_;
  p.in = copies_[0].in;
  p.in2 = copies_[0].in2;
  p.out = copies_[0].out;
  p.n = n;
  return p;
}

problem bench_data::on_host() {
  if (!output_) output_ = uninitialised(output_bytes(shape_));
  problem p = shape_;
  p.in = {input_.get(), 0};
  p.in2 = {input2_.get(), 0};
  p.out = {output_.get(), 0};
  return p;
}

verdict bench_data::check(const std::function<void(const problem&)>& run, double tolerance) {
  const problem p = first(shape_.n);
  const std::uint64_t bytes = output_bytes(p), size = size_of(p.type);
  device_.fill(p.out, 0xa5, bytes);
  run(p);
  device_.synchronize();
  if (!piece_) piece_ = uninitialised(std::min(piece_bytes, bytes));
  verdict v;
  for (std::uint64_t done = 0; done < bytes; done += piece_bytes) {
    const std::uint64_t count = std::min(piece_bytes, bytes - done);
    device_.download(piece_.get(), p.out.plus_bytes(done), count);
    upsweep::with_type(p.type, [&](auto tag) {
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
  if (!is_floating(p.type)) return 0;
  const double eps =
      p.type == upsweep::dtype::f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  // A sum of positive elements: each of the chain's additions may round by eps/2 of what it holds. A product's errors add up
  // like a random walk's steps.
  if (p.op == upsweep::op_kind::plus) return (span + 4) * eps;
  if (p.op == upsweep::op_kind::multiplies) return (16 + 8 * std::sqrt(static_cast<double>(p.n))) * eps;
  return 0;
}
