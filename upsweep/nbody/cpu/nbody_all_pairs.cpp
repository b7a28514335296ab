// All pairs on the CPU: bodies as one array an axis; threads take blocks of targets, which meet all masses a tile at a
// time.
#include <algorithm>
#include <cmath>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/nbody/cpu/nbody_cpu.hpp"
#include "upsweep/nbody/cpu/nbody_pairs.hpp"
#include "upsweep/nbody/nbody_motion_steps.hpp"
#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/nbody/nbody_tuning.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

inline constexpr std::uint64_t laid_out_at_once = 1 << 13;

// Bodies by axis, in scratch; what pads them to whole chunks repeats the last.
template <class T>
struct axes {
  T* of[7];
  reach far = reach::plain;
};

template <class T>
axes<T> laid_out(device& d, const problem& p, std::uint64_t padded) {
  const std::uint64_t kinds = p.gravity.jerks ? 7 : 4;
  axes<T> a;
  T* const all = d.scratch("nbody/axes", kinds * padded * sizeof(T)).template as<T>();
  for (std::uint64_t k = 0; k < kinds; ++k) a.of[k] = all + k * padded;
  const std::uint64_t blocks = cpu::block_count(padded, laid_out_at_once);
  T* const widest = d.scratch("nbody/widest", blocks * sizeof(T)).template as<T>();
  cpu::for_each_block(d, blocks, [&](std::uint64_t b, const cpu::stop_flag&) {
    T wide = 0;
    for (std::uint64_t i = b * laid_out_at_once, end = std::min(padded, i + laid_out_at_once); i < end; ++i) {
      const vec4<T> body = p.in.as<const vec4<T>>()[std::min(i, p.n - 1)];
      a.of[0][i] = body.x, a.of[1][i] = body.y, a.of[2][i] = body.z, a.of[3][i] = body.w;
      wide = std::max({wide, std::abs(body.x), std::abs(body.y), std::abs(body.z)});
      if (kinds == 4) continue;
      const vec4<T> speed = p.in2.as<const vec4<T>>()[std::min(i, p.n - 1)];
      a.of[4][i] = speed.x, a.of[5][i] = speed.y, a.of[6][i] = speed.z;
    }
    widest[b] = wide;
  });
  a.far = reach_of(*std::max_element(widest, widest + blocks), static_cast<T>(p.gravity.softening));
  return a;
}

template <class T>
void pull_all(device& d, const problem& p) {
  const std::uint64_t begin = first_pulled(p), count = pulled_by(p);
  if (count == 0) return;
  const pair_kernels<T>& with = find_pair_kernels<T>();
  const std::uint64_t chunk = cpu_blocks_at_once * with.block, chunks = cpu::block_count(p.n, chunk);
  // For a share of the bodies, chunks begin at the same places as for all bodies: the beginning of a chunk determines
  // how its sums are grouped.
  const std::uint64_t first_chunk = begin / chunk, own_chunks = cpu::block_count(begin + count, chunk) - first_chunk;
  const axes<T> body = laid_out<T>(d, p, chunks * chunk);
  const gravitation& g = p.gravity;
  const T softening = static_cast<T>(g.softening * g.softening), constant = static_cast<T>(g.constant);
  cpu::for_each_block(d, own_chunks, [&](std::uint64_t c, const cpu::stop_flag&) {
    alignas(64) T sums[7][cpu_blocks_at_once * most_targets_in_block] = {};
    const std::uint64_t at = (first_chunk + c) * chunk, end = std::min(begin + count, at + chunk);
    const pulled<T> to{body.of[0] + at,
                       body.of[1] + at,
                       body.of[2] + at,
                       sums[0],
                       sums[1],
                       sums[2],
                       g.potentials ? sums[3] : nullptr,
                       chunk};
    const std::uint64_t tile = g.compensated && !g.jerks ? p.n : cpu_masses_at_once;
    for (std::uint64_t j = 0; j < p.n; j += tile) {
      const masses<T> from{body.of[0] + j, body.of[1] + j, body.of[2] + j, body.of[3] + j, std::min(tile, p.n - j)};
      // Place of target 0 in the tile; modulo 2^64 if it is before the tile.
      const std::uint64_t first = at - j;
      if (g.jerks)
        with.pull_and_jerk({from, body.of[4] + j, body.of[5] + j, body.of[6] + j},
                           {to, body.of[4] + at, body.of[5] + at, body.of[6] + at, sums[4], sums[5], sums[6]},
                           softening, first);
      else if (g.compensated)
        with.pull_compensated(from, to, softening, first);
      else
        with.pull(from, to, softening, body.far, first);
    }
    for (std::uint64_t i = std::max(at, begin); i < end; ++i) {
      const std::uint64_t k = i - at;
      p.out.as<vec4<T>>()[i - begin] = {constant * sums[0][k], constant * sums[1][k], constant * sums[2][k],
                                        constant * sums[3][k]};
      if (g.jerks)
        p.out2.as<vec4<T>>()[i - begin] = {constant * sums[4][k], constant * sums[5][k], constant * sums[6][k], 0};
    }
  });
}

}  // namespace

void all_pairs_on_cpu(device& d, const problem& p) {
  p.type == dtype::f32 ? pull_all<float>(d, p) : pull_all<double>(d, p);
}

}  // namespace upsweep::detail::nbody_impl
