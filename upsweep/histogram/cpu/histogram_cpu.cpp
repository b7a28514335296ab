// Histograms and range counts on the CPU.
//
// Every thread counts in tables of its own, which are added up at the end. They hold integers, so that the result does
// not depend on which thread counted a sample. With few bins a thread has several tables, so that equal neighbours do
// not wait for each other's store. Samples of one byte are counted by value, and the 256 counts are added to bins
// afterwards; for other samples bins are found a tile at a time.
#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <type_traits>
#include <vector>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/cpu/cancellation_point.hpp"
#include "upsweep/histogram/cpu/histogram_cpu_kernels.hpp"
#include "upsweep/histogram/cpu/histogram_rules.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/histogram/histogram_weights.hpp"

namespace upsweep::detail::histogram_impl {

namespace {

using cpu::stop_flag;

struct cpu_tuning {
  std::uint64_t block;                // samples that a thread takes at a time
  std::uint64_t few_bins, some_bins;  // numbers of counters up to which a thread has four tables, or two
  std::uint64_t table_bytes;          // of all threads' tables together; beyond it fewer threads are used
  std::uint64_t looked_up_from;       // samples of two bytes from which a table of all their values is faster
};
inline constexpr cpu_tuning cpu_tuned{1 << 16, 2048, 1 << 15, std::uint64_t{1} << 30, 1 << 20};

inline constexpr std::uint64_t combine_bytes = 1 << 17;  // totals of a block of bins

// The rule that maps a problem's samples to bins, with its kernel.
template <class T>
class binning {
 public:
  explicit binning(const problem& p) {
    with_bins<T>(p, [&](const auto& rule) {
      if constexpr (sizeof(T) <= 2) {
        const bool slow = p.edges || dtype_of<T> == dtype::f16;
        if (sizeof(T) == 1 || (slow && p.n >= cpu_tuned.looked_up_from)) {
          table_.resize(std::size_t{1} << 8 * sizeof(T));
          for (std::size_t bits = 0; bits < table_.size(); ++bits)
            table_[bits] = rule(__builtin_bit_cast(T, static_cast<pattern>(bits)));
          find_ = cpu::find_bins(p.type, cpu::bin_rule::looked_up);
          rule_ = table_.data();
          return;
        }
      }
      find_ = cpu::find_bins(p.type, p.edges ? cpu::bin_rule::edges : cpu::bin_rule::even);
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(rule)>, edge_bins<T>>)
        rule_ = &(edges_ = rule);
      else
        rule_ = &(even_ = rule);
    });
  }
  binning(const binning&) = delete;
  binning& operator=(const binning&) = delete;

  void find(const T* x, std::uint64_t n, std::uint32_t* bins) const { find_(x, n, rule_, bins); }
  const std::vector<std::uint32_t>& table() const {
    return table_;
  }  // indexed by the sample's bits; always used for samples of one byte

 private:
  using pattern = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
  cpu::bins_kernel find_ = nullptr;
  const void* rule_ = nullptr;
  even_bins<T> even_;
  edge_bins<T> edges_;
  std::vector<std::uint32_t> table_;
};

// Runs count(worker, first, count) over blocks of samples, worker by worker on no more than `workers` threads.
template <class Count>
void share_out(device& d, std::uint64_t n, std::uint64_t workers, const Count& count) {
  const std::uint64_t blocks = cpu::block_count(n, cpu_tuned.block);
  std::atomic<std::uint64_t> taken{0};
  cpu::cancellation_point cancellation;
  const auto work = [&](std::uint64_t worker, const stop_flag& stop) {
    for (std::uint64_t b; !stop.raised() && (b = taken.fetch_add(1, std::memory_order_relaxed)) < blocks;) {
      cancellation.poll();
      count(worker, b * cpu_tuned.block, std::min(cpu_tuned.block, n - b * cpu_tuned.block));
    }
  };
  cpu::for_each_block(d, workers, work);
}

std::uint64_t workers_for(device& d, std::uint64_t n) {
  return std::clamp<std::uint64_t>(cpu::block_count(n, cpu_tuned.block), 1,
                                   static_cast<std::uint64_t>(cpu::threads_of(d)));
}

// Whether each channel always has the same bytes of a word.
bool counts_bytes(std::uint32_t channels) { return channels == 1 || channels == 2 || channels == 4 || channels == 8; }

template <class T>
void count_one_byte(device& d, const problem& p, const binning<T>& bins) {
  static_assert(cpu_tuned.block % 8 == 0);  // every block begins with the first channel
  const std::uint64_t workers = workers_for(d, p.n);
  std::vector<std::array<std::uint64_t, 8 * 256>> counts(workers);
  share_out(d, p.n, workers, [&](std::uint64_t worker, std::uint64_t first, std::uint64_t count) {
    cpu::count_bytes(p.in.as<const unsigned char>() + first, count, p.channels, counts[worker].data());
  });
  auto* out = p.out.as<std::uint64_t>();
  std::fill_n(out, p.m * p.channels, 0);
  for (const auto& mine : counts)
    for (std::size_t i = 0; i < 256 * p.channels; ++i)
      if (const std::uint32_t b = bins.table()[i % 256]; b != no_bin) out[i / 256 * p.m + b] += mine[i];
}

// Sums: u32 or u64 counts, and of weights the largest exponents, or integers of 128 bits. merge(total, sum) adds one
// table's entry to the total.
template <class T, class Sum, class Total, class AddTile, class Merge, class Finish>
void count_in_tables(device& d, const problem& p, const binning<T>& bins, const AddTile& add_tile, const Merge& merge,
                     const Finish& finish) {
  const std::uint64_t all = p.m * p.channels,
                      row = (all + 1 + 15) / 16 * 16;  // the last entry is for samples in no bin
  const std::uint64_t tables = all <= cpu_tuned.few_bins    ? 4
                               : all <= cpu_tuned.some_bins ? 2
                                                            : 1,
                      bytes = tables * row * sizeof(Sum);
  const std::uint64_t workers =
      std::min(workers_for(d, p.n), std::max<std::uint64_t>(1, cpu_tuned.table_bytes / bytes));
  auto* sums = d.scratch("histogram/tables", workers * bytes).template as<Sum>();
  const T* x = p.in.as<const T>();
  std::vector<unsigned char> begun(workers);  // a thread clears its own tables
  std::vector<std::uint32_t> offsets(p.channels > 1 ? cpu::bin_tile + p.channels
                                                    : 0);  // of each sample's channel, wherever a tile begins
  for (std::uint64_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::uint32_t>(i % p.channels * p.m);

  share_out(d, p.n, workers, [&](std::uint64_t worker, std::uint64_t first, std::uint64_t count) {
    Sum* const mine = sums + worker * tables * row;
    if (!begun[worker]) std::fill_n(mine, tables * row, Sum{});
    begun[worker] = 1;
    alignas(64) std::uint32_t bin[cpu::bin_tile];
    for (std::uint64_t end = first + count; first < end; first += cpu::bin_tile) {
      const std::uint64_t some = std::min(end - first, cpu::bin_tile);
      bins.find(x + first, some, bin);
      if (p.channels == 1) {
        const auto nowhere = static_cast<std::uint32_t>(all);
        for (std::uint64_t i = 0; i < some; ++i) bin[i] = std::min(bin[i], nowhere);
      } else {
        const std::uint32_t* offset = offsets.data() + first % p.channels;
        const auto nowhere = static_cast<std::uint32_t>(all);
        for (std::uint64_t i = 0; i < some; ++i) bin[i] = bin[i] == no_bin ? nowhere : bin[i] + offset[i];
      }
      add_tile(bin, first, some, mine, tables == 1 ? 0 : row, tables == 4 ? 2 * row : 0);
    }
  });

  constexpr std::uint64_t combine_block = combine_bytes / sizeof(Total);
  cpu::for_each_block(d, cpu::block_count(all, combine_block), [&](std::uint64_t block, const stop_flag&) {
    const std::uint64_t first = block * combine_block, end = std::min(all, first + combine_block);
    Total total[combine_block];
    std::fill_n(total, end - first, Total{});
    for (std::uint64_t worker = 0; worker < workers; ++worker)
      for (std::uint64_t t = 0; begun[worker] && t < tables; ++t) {
        const Sum* from = sums + (worker * tables + t) * row + first;
        for (std::uint64_t b = 0; b < end - first; ++b) merge(total[b], from[b]);
      }
    for (std::uint64_t b = first; b < end; ++b) finish(b, total[b - first]);
  });
}

template <class T, class Sum>
void count_samples(device& d, const problem& p, const binning<T>& bins) {
  const auto add_tile = [](const std::uint32_t* bin, std::uint64_t, std::uint64_t n, Sum* table, std::uint64_t odd,
                           std::uint64_t upper) {
    std::uint64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      ++table[bin[i]];
      ++table[odd + bin[i + 1]];
      ++table[upper + bin[i + 2]];
      ++table[odd + upper + bin[i + 3]];
    }
    for (; i < n; ++i) ++table[bin[i]];
  };
  auto* out = p.out.as<std::uint64_t>();
  count_in_tables<T, Sum, std::uint64_t>(
      d, p, bins, add_tile, [](std::uint64_t& total, Sum count) { total += count; },
      [&](std::uint64_t b, std::uint64_t total) { out[b] = total; });
}

template <class T, class W>
void add_weights(device& d, const problem& p, const binning<T>& bins) {
  const W* weights = p.in2.as<const W>();
  const std::uint64_t all = p.m * p.channels;
  const int bits_of_n = bits_of_count(p.n);
  auto* exponents = d.scratch("histogram/exponents", (all + 1) * sizeof(std::uint32_t)).template as<std::uint32_t>();
  const auto note_tile = [&](const std::uint32_t* bin, std::uint64_t first, std::uint64_t n, std::uint32_t* table,
                             std::uint64_t odd, std::uint64_t upper) {
    alignas(64) std::uint32_t exponent[cpu::bin_tile];
    for (std::uint64_t i = 0; i < n; ++i) exponent[i] = parts_of(weights[first + i]).exponent;
    const auto note = [&](std::uint32_t* at, std::uint64_t i) { at[bin[i]] = std::max(at[bin[i]], exponent[i]); };
    std::uint64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      note(table, i);
      note(table + odd, i + 1);
      note(table + upper, i + 2);
      note(table + odd + upper, i + 3);
    }
    for (; i < n; ++i) note(table, i);
  };
  count_in_tables<T, std::uint32_t, std::uint32_t>(
      d, p, bins, note_tile, [](std::uint32_t& most, std::uint32_t mine) { most = std::max(most, mine); },
      [&](std::uint64_t b, std::uint32_t most) { exponents[b] = most; });
  // Samples in no bin are added to an entry that is not read; the largest exponent keeps their shifts valid.
  exponents[all] = not_finite - 1;

  const auto add_tile = [&](const std::uint32_t* bin, std::uint64_t first, std::uint64_t n, fixed_point* table,
                            std::uint64_t odd, std::uint64_t upper) {
    const auto add = [&](fixed_point* to, std::uint64_t i) {
      const std::uint32_t b = bin[i], exponent = exponents[b];
      const weight_parts w = parts_of(weights[first + i]);
      const fixed_point x = fixed_of(w, exponent, bits_of_n);
      to[b] = is_subtracted(w, exponent) ? difference(to[b], x) : added(to[b], x);
    };
    std::uint64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      add(table, i);
      add(table + odd, i + 1);
      add(table + upper, i + 2);
      add(table + odd + upper, i + 3);
    }
    for (; i < n; ++i) add(table, i);
  };
  auto* out = p.out.as<double>();
  count_in_tables<T, fixed_point, fixed_point>(
      d, p, bins, add_tile, [](fixed_point& total, fixed_point sum) { total = added(total, sum); },
      [&](std::uint64_t b, fixed_point total) { out[b] = to_double(total, exponents[b], bits_of_n); });
}

// For so few samples that tables do not pay.
template <class T>
void count_few(const problem& p) {
  auto* counts = p.out.as<std::uint64_t>();
  std::fill_n(counts, p.m * p.channels, 0);
  const T* x = p.in.as<const T>();
  with_bins<T>(p, [&](const auto& bins) {
    for (std::uint64_t i = 0; i < p.n; ++i)
      if (const std::uint32_t b = bins(x[i]); b != no_bin) ++counts[i % p.channels * p.m + b];
  });
}

void count(device& d, const problem& p) {
  constexpr std::uint64_t few = 128;
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    if (p.n <= few && !p.weighted) return count_few<T>(p);
    const binning<T> bins(p);
    if (p.weighted)
      return p.weight_type == dtype::f64 ? add_weights<T, double>(d, p, bins) : add_weights<T, float>(d, p, bins);
    if constexpr (sizeof(T) == 1)
      if (counts_bytes(p.channels)) return count_one_byte(d, p, bins);
    if (p.n < std::uint64_t{1} << 32)
      count_samples<T, std::uint32_t>(d, p, bins);
    else
      count_samples<T, std::uint64_t>(d, p, bins);
  });
}

void answer(device& d, const problem& p) {
  constexpr std::uint64_t block = 1 << 14;
  const auto *prefix = p.in.as<const std::uint64_t>(), *pairs = p.in2.as<const std::uint64_t>();
  auto* out = p.out.as<std::uint64_t>();
  cpu::for_each_block(d, cpu::block_count(p.n, block), [&](std::uint64_t b, const stop_flag&) {
    for (std::uint64_t i = b * block, end = std::min(p.n, i + block); i < end; ++i) {
      const std::uint64_t from = pairs[2 * i], to = pairs[2 * i + 1];
      if (from > to || to > p.m) [[unlikely]]
        throw error(fault::bad_argument, "range_count",
                    "range " + std::to_string(i) + " is from " + std::to_string(from) + " to " + std::to_string(to),
                    "give ranges that end neither before they begin nor after " + std::to_string(p.m));
      out[i] = prefix[to] - prefix[from];
    }
  });
}

constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula linear{"n", [](double n) { return n; }};

variant entry(std::string_view name, primitive what, std::string_view source, int year, std::string_view teaches,
              formula launches, formula traffic, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.source = source, v.year = year, v.teaches = teaches;
  v.kind = variant_kind::tuned;
  v.work = linear, v.span = one, v.launches = launches, v.traffic = traffic, v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cpu() {
  static const std::array list{
      entry("histogram/private-tables", primitive::histogram, "upsweep", 2026,
            "Each core finds bins by vectors, a tile at a time, and counts in up to eight tables of its own, so that "
            "nobody waits for anybody's store.",
            {"2", [](double) { return 2.0; }}, linear, count),
      entry("range-counts/blocked", primitive::range_count, "upsweep", 2026,
            "Each core answers blocks of ranges, all of them checked.", one, {"5n", [](double n) { return 5 * n; }},
            answer),
  };
  return list;
}

}  // namespace upsweep::detail::histogram_impl
