// Tables on the CPU, in one pass: the picture is cut into strips of columns, one a thread, which are walked downward,
// each a few rows behind the strip to its left, from which it takes each row's sum so far. Strips begin at whole
// vectors and a row's sums run through them as through one row, so no result depends on how many there are.
#include <atomic>
#include <thread>
#include <vector>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/cpu/fold.hpp"
#include "upsweep/summed_area_table/cpu/summed_area_table_cpu.hpp"
#include "upsweep/summed_area_table/cpu/summed_area_table_rows.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::detail::summed_area_table_impl {

namespace {

using cpu::stop_flag;

struct cpu_tuning {
  std::uint64_t narrowest;     // strip, in elements: a few pages of the table a row
  std::uint64_t unit;          // a multiple of every vector and every pixel
  std::uint64_t ahead;         // elements, in whole rows, after which a strip says how far it is
  std::uint64_t alone;         // elements up to which one thread is faster
  std::uint64_t stream_bytes;  // from this size of table on, stores go past the caches
};
inline constexpr cpu_tuning cpu_tuned{768, 192, 1 << 13, 1 << 15, 8 << 20};

// How many rows a strip has done.
class progress {
 public:
  // Release: values written for these rows can be read after the wait of the next strip.
  void reach(std::uint64_t rows) { rows_.store(rows, std::memory_order_release); }
  // Returns false if the run has failed, so that no strip will reach these rows.
  bool wait(std::uint64_t rows, const stop_flag& stop) const {
    for (int looks = 0; rows_.load(std::memory_order_acquire) < rows; ++looks) {
      if (stop.raised()) return false;
      if (looks > 64) std::this_thread::yield();
    }
    return true;
  }

 private:
  alignas(64) std::atomic<std::uint64_t> rows_{0};
};

template <class In, class Out>
void make_table(device& d, const problem& p) {
  using Sum = sum_type<In, Out>;
  const std::uint64_t row = row_of(p), c = p.channels;
  const auto threads = static_cast<std::uint64_t>(cpu::threads_of(d));
  const bool alone = row * p.size.y <= cpu_tuned.alone;
  const std::uint64_t share = alone ? row : std::max((row + threads - 1) / threads, cpu_tuned.narrowest);
  const std::uint64_t width = (share + cpu_tuned.unit - 1) / cpu_tuned.unit * cpu_tuned.unit;
  const std::uint64_t strips = cpu::block_count(row, width), step = std::max<std::uint64_t>(cpu_tuned.ahead / width, 1);
  const row_kernel add_row = find_row(p.type, p.out_type);
  const bool large = row * p.size.y * sizeof(Out) >= cpu_tuned.stream_bytes;
  auto* const row_sums = d.scratch("integral/row sums", p.size.y * c * sizeof(Sum)).template as<Sum>();
  auto* const rows_above = d.scratch("integral/rows above", row * sizeof(Sum)).template as<Sum>();
  std::vector<progress> done(strips);

  const auto walk = [&](std::uint64_t strip, const stop_flag& stop) {
    const std::uint64_t x = strip * width, n = std::min(width, row - x);
    Sum* const above = rows_above + x;
    std::fill_n(above, n, Sum{});
    for (std::uint64_t y = 0; y < p.size.y; ++y) {
      if (y % step == 0 && strip > 0 && !done[strip - 1].wait(std::min(y + step, p.size.y), stop)) return;
      Sum left[most_channels] = {};
      if (strip > 0) std::copy_n(row_sums + y * c, c, left);
      Out* const out = p.out.as<Out>() + y * p.out_pitch + x;
      add_row(p.in.as<const In>() + y * p.pitch + x, n, p.channels, left, above, out,
              large && reinterpret_cast<std::uintptr_t>(out) % 64 == 0);
      std::copy_n(left, c, row_sums + y * c);
      if ((y + 1) % step == 0 || y + 1 == p.size.y) done[strip].reach(y + 1);
    }
    if (large) cpu::end_stream();
  };
  if (!alone) return cpu::for_each_block(d, strips, walk);
  const stop_flag never;
  walk(0, never);
}

}  // namespace

void table_in_strips(device& d, const problem& all) {
  for_each_slice(all, [&](const problem& p) {
    with_pair(p.type, p.out_type, [&]<class In, class Out>(type_tag<In>, type_tag<Out>) { make_table<In, Out>(d, p); });
  });
}

}  // namespace upsweep::detail::summed_area_table_impl
