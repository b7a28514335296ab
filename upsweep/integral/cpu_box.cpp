// Box filters on the CPU: bands of rows, one a thread at a time. Where they lie depends on the picture's and the box's shape alone.
#include "upsweep/cpu/blocks.hpp"
#include "upsweep/integral/cpu.hpp"
#include "upsweep/integral/cpu_box.hpp"

namespace upsweep::integral_room {

inline constexpr std::uint64_t band_bytes = 2 << 20;  // of sums that a thread holds

void box_in_bands(device& d, const problem& all) {
  for_each_slice(all, [&](const problem& p) {
    with_box(p, [&]<class Rule, class In, class Out>(Rule, type_tag<In>, type_tag<Out>) {
      // A band needs the radius' rows above and below it: not much, where it is some times as high.
      const std::uint64_t height = 2 * useful_radius(p.radius.y, p.size.y) + 1;
      const std::uint64_t fit = std::max<std::uint64_t>(band_bytes / (row_of(p) * sizeof(typename Rule::part)), 1);
      const std::uint64_t rows = std::clamp<std::uint64_t>(std::max(fit, 2 * height), 1, std::max<std::uint64_t>(16 * fit, 8));
      cpu::for_each_block(d, cpu::block_count(p.size.y, rows), [&](std::uint64_t b, const cpu::stop_flag&) {
        box_band<Rule, In, Out>(p).run(b * rows, std::min(p.size.y, (b + 1) * rows));
      });
    });
  });
}

}  // namespace upsweep::integral_room
