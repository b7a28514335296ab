// Convolution on the CPU.
//
// The result is cut into tiles, strips of columns by bands of rows, which threads take one after the other. A ring of
// lines, those that the next rows of results need, moves down each tile. Lines in the middle of a picture are read
// directly; those at its edges, and those of other types than the sums', are copied with their borders, so that no
// inner loop tests for edges.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "upsweep/convolve/convolve_box.hpp"
#include "upsweep/convolve/convolve_bytes.hpp"
#include "upsweep/convolve/convolve_choice.hpp"
#include "upsweep/convolve/convolve_fft.hpp"
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/cpu/convolve_cpu_lines.hpp"
#include "upsweep/convolve/cpu/convolve_tiles.hpp"

namespace upsweep::detail::convolve_impl {

namespace {

using cpu::line_step, cpu::most_rows, cpu::results, cpu::tile, cpu::whole_steps;

// The mask, or each factor, reversed if the problem is a convolution.
std::vector<std::byte> turned(const problem& p, const memory& from, std::uint64_t count,
                              std::vector<std::uint64_t> pieces) {
  const std::uint64_t size = size_of(p.mask_type);
  std::vector<std::byte> to(count * size);
  std::memcpy(to.data(), from.address(), to.size());
  if (!p.flipped) return to;
  const auto reverse = [&](auto* values) {
    std::uint64_t at = 0;
    while (at < count)
      for (const std::uint64_t piece : pieces) {
        std::reverse(values + at, values + at + piece);
        at += piece;
      }
  };
  size == 8 ? reverse(reinterpret_cast<std::uint64_t*>(to.data()))
            : reverse(reinterpret_cast<std::uint32_t*>(to.data()));
  return to;
}

// A ring of lines: the mask's rows, and as many more as rows of results are computed at once.
class ring {
 public:
  ring(char* memory, std::uint64_t lines, std::uint64_t bytes)
      : memory_(memory), lines_(lines), bytes_(bytes), at_(lines) {}
  char* slot(std::uint64_t row) { return memory_ + row % lines_ * bytes_; }
  void set(std::uint64_t row, const void* line) { at_[row % lines_] = line; }
  // The lines from `row` on, in order.
  void gather(std::uint64_t row, std::uint64_t count, const void** to) const {
    for (std::uint64_t i = 0; i < count; ++i) to[i] = at_[(row + i) % lines_];
  }

 private:
  char* memory_;
  std::uint64_t lines_, bytes_;
  std::vector<const void*> at_;
};

void convolve_directly(device& d, const problem& p) {
  if (out_size(p).count() == 0) return;
  const cpu::line_reader reader(p);
  const geometry& g = reader.geometry();
  const results to(p, g.mask.z == 1);
  const std::uint64_t size = size_of(p.mask_type);
  const auto mask = turned(p, p.in2, g.mask.count(), {g.mask.count()});
  const cpu::weighted_kernel sums_of = cpu::weighted_sums(cpu::line_type(p.mask_type));
  const std::uint64_t lines = g.mask.y + most_rows - 1, halo = (g.mask.x - 1) * g.channels;
  const cpu::tiling tiles(d, g, g.mask.z * lines + most_rows, halo, size);
  const std::uint64_t line_bytes = (whole_steps(tiles.elements()) + halo) * size,
                      sum_bytes = whole_steps(tiles.elements()) * size;

  tiles.each(d, g.mask.z * lines * line_bytes + most_rows * sum_bytes, [&](const tile& t, char* memory) {
    const std::uint64_t count = t.width * g.channels, padded = whole_steps(count);
    std::vector<ring> slices;
    for (std::uint64_t k = 0; k < g.mask.z; ++k)
      slices.emplace_back(memory + k * lines * line_bytes, lines, line_bytes);
    char* const sums = memory + g.mask.z * lines * line_bytes;
    std::vector<const void*> under(lines);
    std::uint64_t read = 0;  // lines of the tile, of each slice
    for (std::uint64_t y = 0; y < t.height; y += most_rows) {
      const std::uint64_t rows = std::min(most_rows, t.height - y);
      for (; read < y + rows + g.mask.y - 1; ++read)
        for (std::uint64_t k = 0; k < g.mask.z; ++k)
          slices[k].set(read, reader.line(static_cast<std::int64_t>(t.x) - static_cast<std::int64_t>(g.before.x),
                                          t.width + g.mask.x - 1,
                                          static_cast<std::int64_t>(t.y + read) - static_cast<std::int64_t>(g.before.y),
                                          static_cast<std::int64_t>(t.z + k) - static_cast<std::int64_t>(g.before.z),
                                          padded + halo, slices[k].slot(read)));
      void* out[most_rows];
      char* row[most_rows];
      for (std::uint64_t r = 0; r < rows; ++r) {
        row[r] = to.row(t.x, t.y + y + r, t.z);
        out[r] = to.place(row[r], count, sums + r * sum_bytes);
      }
      for (std::uint64_t k = 0; k < g.mask.z; ++k) {
        slices[k].gather(y, rows + g.mask.y - 1, under.data());
        sums_of({under.data(), out, mask.data() + k * g.mask.x * g.mask.y * size, rows, padded, g.mask.x, g.mask.y,
                 g.channels, k > 0, to.bytes()});
      }
      for (std::uint64_t r = 0; r < rows; ++r) to.finish(out[r], row[r], count);
    }
  });
}

// One pass over the picture: each line is summed over the slices by the pillar, then along the row into a ring, from
// which the column computes the results.
void convolve_split(device& d, const problem& p) {
  if (out_size(p).count() == 0) return;
  if (const auto mask = folded(p)) return convolve_bytes(d, p, *mask);
  const cpu::line_reader reader(p);
  const geometry& g = reader.geometry();
  const results to(p, p.rank == 1);
  const std::uint64_t size = size_of(p.mask_type), each = factor_elements(g.mask);
  const auto factors = turned(p, p.in3, p.rank * each, {g.mask.x, g.mask.y, g.mask.z});
  const cpu::weighted_kernel sums_of = cpu::weighted_sums(cpu::line_type(p.mask_type));
  const std::uint64_t lines = g.mask.y + most_rows - 1, halo = (g.mask.x - 1) * g.channels;
  const cpu::tiling tiles(d, g, p.rank * lines + g.mask.z + 1 + most_rows, halo, size);
  const std::uint64_t sum_bytes = whole_steps(tiles.elements()) * size,
                      line_bytes = whole_steps(whole_steps(tiles.elements()) + halo) * size;
  const bool volume = g.mask.z > 1;
  const auto factor = [&](std::uint64_t r, std::uint64_t at) { return factors.data() + (r * each + at) * size; };
  // A pillar of one element is a factor, which the column's weights absorb.
  auto columns = factors;
  if (!volume)
    for (std::uint64_t r = 0; r < p.rank; ++r)
      with_types(p, [&]<class In, class Mask, class Out>(type_tag<In>, type_tag<Mask>, type_tag<Out>) {
        auto* values = reinterpret_cast<accumulator_of<Mask>*>(columns.data()) + r * each + g.mask.x;
        for (std::uint64_t j = 0; j < g.mask.y; ++j) values[j] *= values[g.mask.y];
      });

  const std::uint64_t bytes = p.rank * lines * sum_bytes + most_rows * sum_bytes + (g.mask.z + 1) * line_bytes;
  tiles.each(d, bytes, [&](const tile& t, char* memory) {
    const std::uint64_t count = t.width * g.channels, padded = whole_steps(count);
    std::vector<ring> rings;
    for (std::uint64_t r = 0; r < p.rank; ++r) rings.emplace_back(memory + r * lines * sum_bytes, lines, sum_bytes);
    char* const sums = memory + p.rank * lines * sum_bytes;
    char* const slices = sums + most_rows * sum_bytes;
    char* const pillar = slices + g.mask.z * line_bytes;
    std::vector<const void*> under(std::max(lines, g.mask.z)), slice(g.mask.z);
    std::uint64_t read = 0;
    for (std::uint64_t y = 0; y < t.height; y += most_rows) {
      const std::uint64_t rows = std::min(most_rows, t.height - y);
      for (; read < y + rows + g.mask.y - 1; ++read) {
        // The pillar's sums are computed for whole steps, including the halo.
        const std::uint64_t readable = volume ? whole_steps(padded + halo) : padded + halo;
        for (std::uint64_t k = 0; k < g.mask.z; ++k)
          slice[k] = reader.line(static_cast<std::int64_t>(t.x) - static_cast<std::int64_t>(g.before.x),
                                 t.width + g.mask.x - 1,
                                 static_cast<std::int64_t>(t.y + read) - static_cast<std::int64_t>(g.before.y),
                                 static_cast<std::int64_t>(t.z + k) - static_cast<std::int64_t>(g.before.z), readable,
                                 slices + k * line_bytes);
        for (std::uint64_t r = 0; r < p.rank; ++r) {
          const void* line = slice[0];
          if (volume) {
            void* to_pillar = pillar;
            sums_of({slice.data(), &to_pillar, factor(r, g.mask.x + g.mask.y), 1, readable, 1, g.mask.z, 1, false});
            line = pillar;
          }
          void* to_ring = rings[r].slot(read);
          sums_of({&line, &to_ring, factor(r, 0), 1, padded, g.mask.x, 1, g.channels, false});
          rings[r].set(read, to_ring);
        }
      }
      void* out[most_rows];
      char* row[most_rows];
      for (std::uint64_t i = 0; i < rows; ++i) {
        row[i] = to.row(t.x, t.y + y + i, t.z);
        out[i] = to.place(row[i], count, sums + i * sum_bytes);
      }
      for (std::uint64_t r = 0; r < p.rank; ++r) {
        rings[r].gather(y, rows + g.mask.y - 1, under.data());
        sums_of({under.data(), out, columns.data() + (r * each + g.mask.x) * size, rows, padded, 1, g.mask.y, 1, r > 0,
                 to.bytes()});
      }
      for (std::uint64_t i = 0; i < rows; ++i) to.finish(out[i], row[i], count);
    }
  });
}

void convolve_as_chosen(device& d, const problem& p) {
  switch (choose_algorithm(backend::cpu, p).which) {
    case algorithm::split: return convolve_split(d, p);
    case algorithm::box: return convolve_box(d, p);
    case algorithm::fft: return convolve_by_fft(d, p);
    default: return convolve_directly(d, p);
  }
}

// ---- entries

constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula linear{"2n", [](double n) { return 2 * n; }};

variant entry(std::string_view name, std::string_view source, int year, std::string_view teaches,
              void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = primitive::convolve, v.source = source, v.year = year, v.teaches = teaches;
  v.kind = variant_kind::tuned;
  // Formulas depend on n alone, so these are for a mask of nine elements.
  v.work = {"mask * n (9n for a mask of 9)", [](double n) { return 9 * n; }};
  v.span = one, v.launches = one, v.traffic = linear;
  v.cannot = wrong_types;
  v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cpu() {
  static const std::vector<variant> list = [] {
    std::vector<variant> all;
    all.push_back(entry("convolve/direct", "upsweep", 2026,
                        "Four rows of results at once stay in registers while lines of the picture go by; edges are "
                        "copied, so that no inner loop asks where it is.",
                        convolve_directly));
    variant split = entry("convolve/separable", "upsweep", 2026,
                          "A mask that is a sum of products of a row and a column: one pass, with a ring of row sums "
                          "from which the column makes results.",
                          convolve_split);
    split.work = {"rank * (width + height) * n (6n for 3 by 3)", [](double n) { return 6 * n; }};
    split.limits = "masks that come with their factors";
    split.cannot = [](const problem& p) -> const char* {
      return p.rank == 0 ? "a mask that is not split into rows and columns" : wrong_types(p);
    };
    all.push_back(split);
    all.push_back(box_entry());
    if (have_fft()) all.push_back(fft_entry());
    variant chosen =
        entry("convolve/chosen", "upsweep", 2026,
              "Direct, separable, box or FFT, whichever is the fastest for this mask by measured crossovers; "
              "explain() says which, and why.",
              convolve_as_chosen);
    if (have_fft()) chosen.span = fft_entry().span;
    all.push_back(chosen);
    return all;
  }();
  return list;
}

}  // namespace upsweep::detail::convolve_impl
