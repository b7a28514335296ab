#include "upsweep/nbody/conformance/nbody_force_errors.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "upsweep/buffer.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/nbody/conformance/nbody_force_truth.hpp"
#include "upsweep/nbody/cpu/nbody_pairs.hpp"
#include "upsweep/nbody/nbody_tree_times.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

// A thread takes a block of bodies and adds the forces of all masses on them.
void truth_on_cpu(const truth_asked& asked, const gravitation& g) {
  const pair_kernels<double>& with = find_pair_kernels<double>();
  const std::uint64_t block = with.block, blocks = cpu::block_count(asked.count, block);
  std::vector<double> axes(4 * asked.n), few(3 * blocks * block), sums(3 * blocks * block);
  double* const of[4] = {axes.data(), &axes[asked.n], &axes[2 * asked.n], &axes[3 * asked.n]};
  for (std::uint64_t i = 0; i < asked.n; ++i) {
    const vec4<double>& b = asked.bodies[i];
    of[0][i] = b.x, of[1][i] = b.y, of[2][i] = b.z, of[3][i] = b.w;
  }
  cpu::for_each_block(blocks, [&](std::uint64_t b, const cpu::stop_flag&) {
    double* const here = &few[3 * b * block];
    double* const sum = &sums[3 * b * block];
    for (std::uint64_t k = 0; k < block; ++k) {
      const vec4<double>& one = asked.few[std::min(b * block + k, asked.count - 1)];
      here[k] = one.x, here[block + k] = one.y, here[2 * block + k] = one.z;
    }
    // The distance of a body from itself is 0, which contributes nothing.
    with.pull({of[0], of[1], of[2], of[3], asked.n},
              {here, here + block, here + 2 * block, sum, sum + block, sum + 2 * block, nullptr, block},
              g.softening * g.softening, reach::guarded, nobody);
    for (std::uint64_t k = 0; k < block && b * block + k < asked.count; ++k)
      asked.pulls[b * block + k] = {g.constant * sum[k], g.constant * sum[block + k], g.constant * sum[2 * block + k],
                                    0};
  });
}

void find_truth(device& d, const truth_asked& asked, const gravitation& g) {
#if UPSWEEP_WITH_CUDA
  if (d.kind() == backend::cuda) return truth_on_cuda(d, asked, g);
#endif
  (void)d;
  truth_on_cpu(asked, g);
}

}  // namespace

}  // namespace upsweep::detail::nbody_impl

namespace upsweep::nbody {

namespace {

template <class T>
std::vector<T> sorted(std::vector<T> v) {
  std::sort(v.begin(), v.end());
  return v;
}

double part_of(const std::vector<double>& ascending, double part) {
  const auto last = static_cast<double>(ascending.size() - 1);
  return ascending[static_cast<std::size_t>(std::ceil(part * last))];
}

}  // namespace

template <class T>
struct force_reference<T>::inside {
  context where;
  std::uint64_t n;
  buffer<vec4<T>> in, out;
  std::vector<std::uint64_t> checked;
  std::vector<vec4<double>> truth;
};

template <class T>
force_reference<T>::force_reference(const context& where, const bodies<double>& start, const parameters& rules,
                                    std::uint64_t checked) {
  const std::uint64_t n = start.size();
  detail::nbody_impl::require_parameters(rules);
  require_bodies(start, rules);
  if (n == 0 || checked == 0)
    throw error(fault::bad_argument, "force_reference", "there are no bodies to compare",
                "give bodies, and a number of them");
  std::vector<vec4<T>> all(n);
  std::vector<vec4<double>> wide(n), few;
  for (std::uint64_t i = 0; i < n; ++i) {
    all[i] = {static_cast<T>(start.x[i]), static_cast<T>(start.y[i]), static_cast<T>(start.z[i]),
              static_cast<T>(start.mass[i])};
    wide[i] = {all[i].x, all[i].y, all[i].z, all[i].w};
  }
  const std::uint64_t count = std::min(n, checked);
  inside_ = std::make_unique<inside>(inside{where, n, buffer<vec4<T>>(where, all), buffer<vec4<T>>(where, n), {}, {}});
  for (std::uint64_t s = 0; s < count; ++s) {
    const std::uint64_t i = count == 1 ? 0 : s * (n - 1) / (count - 1);
    inside_->checked.push_back(i), few.push_back(wide[i]);
  }
  inside_->truth.resize(count);
  const detail::nbody_impl::problem p = detail::nbody_impl::problem_of(where, rules, dtype_of<double>, n);
  detail::nbody_impl::find_truth(where.device(), {wide.data(), n, few.data(), count, inside_->truth.data()}, p.gravity);
}

template <class T>
force_reference<T>::force_reference(force_reference&&) noexcept = default;
template <class T>
force_reference<T>::~force_reference() = default;

template <class T>
force_report force_reference<T>::examine(const parameters& rules, int repeats) {
  detail::nbody_impl::require_parameters(rules);
  device& d = inside_->where.device();
  detail::nbody_impl::problem p = detail::nbody_impl::problem_of(d, rules, dtype_of<T>, inside_->n);
  p.gravity.potentials = false;
  p.in = inside_->in.span().where(), p.out = inside_->out.span().where();
  force_report found;

  d.fill(p.out, 0xff, inside_->n * sizeof(vec4<T>));
  detail::nbody_impl::run(d, p);
  std::vector<vec4<T>> pulls(inside_->n);
  inside_->out.download(pulls);
  std::vector<double> errors;
  for (std::size_t k = 0; k < inside_->checked.size(); ++k) {
    const vec4<T>& got = pulls[inside_->checked[k]];
    const vec4<double>& right = inside_->truth[k];
    const double off = std::hypot(got.x - right.x, got.y - right.y, got.z - right.z),
                 all = std::hypot(right.x, right.y, right.z);
    errors.push_back(off == 0 ? 0 : std::isnan(off) ? std::numeric_limits<double>::infinity() : off / all);
  }
  errors = sorted(std::move(errors));
  found.errors = {part_of(errors, 0.5), part_of(errors, 0.9), part_of(errors, 0.99), part_of(errors, 0.999),
                  errors.back()};

  std::vector<double> whole, parts[detail::nbody_impl::tree_part_count];
  for (int r = 0; r < repeats; ++r) {
    d.synchronize();
    const auto before = std::chrono::steady_clock::now();
    detail::nbody_impl::run(d, p);
    d.synchronize();
    whole.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
    detail::nbody_impl::tree_clock clock(d);
    detail::nbody_impl::run(d, p);
    for (int part = 0; part < detail::nbody_impl::tree_part_count; ++part) parts[part].push_back(clock.seconds[part]);
  }
  if (repeats <= 0) return found;
  const auto median = [](const std::vector<double>& v) { return part_of(sorted(v), 0.5); };
  found.whole = median(whole);
  found.parts = {median(parts[0]), median(parts[1]), median(parts[2]), median(parts[3]), median(parts[4])};
  return found;
}

template class force_reference<float>;
template class force_reference<double>;

}  // namespace upsweep::nbody
