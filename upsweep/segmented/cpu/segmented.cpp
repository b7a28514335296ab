// Folds and scans within runs on the CPU for the built-in types and operators: those of cpu.hpp, with long runs folded
// and scanned by vectors.
#include "upsweep/segmented/cpu/segmented.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "upsweep/cpu/fold.hpp"
#include "upsweep/cpu/types.hpp"
#include "upsweep/scan/cpu/vectors.hpp"
#include "upsweep/segmented/problem.hpp"
#include "upsweep/select/cpu/bits.hpp"

namespace upsweep::segmented_room {

namespace {

using cpu::head_bits;

// Folds and scans elements [first, last) of one run.
template <class T, class Op, class F>
class built_in_runs {
  static constexpr bool by_vectors = commutes(Op::kind);

 public:
  using carry = cpu::carry_of<T, Op>;

  built_in_runs(const T* in, T* out, const problem& p, F f)
      : in_(in), out_(out), init_(p.init.as<T>()), inclusive_(p.inclusive), f_(f) {
    if constexpr (by_vectors) {
      fold_.emplace(p.transform);
      scan_ = cpu::find_scan(dtype_of<T>, Op::kind, p.inclusive);
    }
  }

  static carry join(const carry& a, const carry& b) { return cpu::join<T, Op>(a, b); }
  T element(std::uint64_t i) const { return lifted(Op{}, T(f_(in_[i]))); }

  carry fold(std::uint64_t first, std::uint64_t last) const {
    if constexpr (by_vectors)
      if (last - first >= cpu_tuned.vector_run) return (*fold_)(in_ + first, last - first);
    T all = element(first);
    for (std::uint64_t i = first + 1; i < last; ++i) all = Op{}(all, element(i));
    return cpu::to_carry<T, Op>(all);
  }

  void scan(std::uint64_t first, std::uint64_t last, const carry* before) const {
    carry running = cpu::to_carry<T, Op>(lifted(Op{}, init_));
    if (before) running = join(running, *before);
    if (by_vectors && last - first >= cpu_tuned.vector_run) {
      scan_by_vectors(first, last, running);
    } else {
      T sum = cpu::from_carry<T, Op>(running);
      for (std::uint64_t i = first; i < last; ++i) {
        const T next = Op{}(sum, element(i));
        out_[i] = inclusive_ ? next : sum;
        sum = next;
      }
    }
    if (!inclusive_ && !before) out_[first] = init_;  // as it was given, not as the operator reads it
  }

 private:
  void scan_by_vectors(std::uint64_t first, std::uint64_t last, carry running) const {
    if (!fold_->prepare()) return scan_(in_ + first, last - first, out_ + first, &running);
    alignas(64) T prepared[cpu::tile_elements];
    for (; first < last; first += cpu::tile_elements) {
      const std::uint64_t tile = std::min(last - first, cpu::tile_elements);
      fold_->prepare()(in_ + first, tile, prepared);
      scan_(prepared, tile, out_ + first, &running);
    }
  }

  const T* in_;
  T* out_;
  T init_;
  bool inclusive_;
  F f_;
  struct none {
    auto prepare() const -> cpu::prepare_kernel { return nullptr; }
  };
  std::conditional_t<by_vectors, std::optional<cpu::block_fold<T, Op>>, std::optional<none>> fold_;
  cpu::scan_kernel scan_ = nullptr;
};

constexpr std::uint64_t elements_of_block(std::uint64_t bytes) {
  return cpu::block_elements(cpu_tuned.block_bytes, bytes) / 64 * 64;
}

// Runs of equal keys.
template <class T, class Op, class F>
class keyed_runs : public built_in_runs<T, Op, F> {
 public:
  keyed_runs(const problem& p, F f)
      : built_in_runs<T, Op, F>(p.in.as<const T>(), p.out.as<T>(), p, f),
        keys_(p.in2.as<const char>()),
        key_bytes_(size_of(p.key_type)),
        heads_(cpu::find_bit_kernels(p.key_type).heads) {}

  static std::uint64_t block() { return elements_of_block(sizeof(T)); }
  const void* keys(std::uint64_t first) const { return keys_ + first * key_bytes_; }
  std::uint64_t write_heads(std::uint64_t first, std::uint64_t count, std::uint64_t* bits) const {
    return heads_(keys(first), count, first == 0, bits);
  }

 private:
  const char* keys_;
  std::uint64_t key_bytes_;
  std::uint64_t (*heads_)(const void*, std::uint64_t, bool, std::uint64_t*);
};

// Segments given by offsets.
template <class T, class Op, class F>
class segment_runs : public built_in_runs<T, Op, F> {
 public:
  segment_runs(const problem& p, F f, const cpu::segment_list& segments, T* out)
      : built_in_runs<T, Op, F>(p.in.as<const T>() + segments.begin(), out, p, f), segments_(segments) {}

  static std::uint64_t block() { return elements_of_block(sizeof(T)); }
  std::uint64_t write_heads(std::uint64_t first, std::uint64_t count, std::uint64_t* bits) const {
    return segments_.write_heads(first, count, bits);
  }

 private:
  const cpu::segment_list& segments_;
};

// Calls f(T, op, transform).
template <class F>
void with_operands(const problem& p, const F& f) {
  cpu::with_types(p.type, p.op, [&]<class T, class Op>(type_tag<T> tag, Op op) {
    cpu::with_transform(p.transform, [&](auto transform) { f(tag, op, transform); });
  });
}

bool alone(std::uint64_t n, std::uint64_t bytes) { return n * bytes < cpu_tuned.parallel_bytes; }

void reduce_by_key(device& d, const problem& p) {
  with_operands(p, [&]<class T, class Op, class F>(type_tag<T>, Op, F f) {
    const keyed_runs<T, Op, F> work(p, f);
    const std::uint64_t key_bytes = size_of(p.key_type);
    const cpu::compress_kernel compress = cpu::find_compress(key_bytes);
    const auto slots = [&](std::uint64_t first, std::uint64_t count, const head_bits& heads, std::uint64_t runs) {
      cpu::line_writer writer;
      writer.begin(p.out2.as<char>() + runs * key_bytes, false);
      compress(work.keys(first), count, heads.words(), false, writer);
      writer.end();
      return cpu::consecutive_slots{runs};
    };
    T* out = p.out.as<T>();
    *p.count.as<std::uint64_t>() =
        cpu::reduce_runs(d, p.n, work, alone(p.n, sizeof(T)), slots,
                         [out](std::uint64_t place, const auto& fold) { out[place] = cpu::from_carry<T, Op>(fold); });
  });
}

void scan_by_key(device& d, const problem& p) {
  with_operands(p, [&]<class T, class Op, class F>(type_tag<T>, Op, F f) {
    const keyed_runs<T, Op, F> work(p, f);
    cpu::scan_runs(
        d, p.n, work, alone(p.n, sizeof(T)),
        [&](std::uint64_t first, std::uint64_t last, const auto* before) { work.scan(first, last, before); });
  });
}

void segmented_reduce(device& d, const problem& p) {
  if (p.m == 0) return;
  const cpu::segment_list segments(p.in2.as<const std::uint64_t>(), p.m, p.n, "segmented_reduce");
  with_operands(p, [&]<class T, class Op, class F>(type_tag<T>, Op, F f) {
    T* out = p.out.as<T>();
    const T init = p.init.as<T>();
    constexpr std::uint64_t block = 1 << 16;
    cpu::for_each_block(d, cpu::block_count(p.m, block), [&](std::uint64_t b, const cpu::stop_flag&) {
      std::fill(out + b * block, out + std::min(p.m, (b + 1) * block), init);  // what empty segments keep
    });
    const segment_runs<T, Op, F> work(p, f, segments, nullptr);
    const auto start = cpu::to_carry<T, Op>(lifted(Op{}, init));
    cpu::reduce_runs(
        d, segments.elements(), work, alone(segments.elements(), sizeof(T)),
        [&](std::uint64_t first, std::uint64_t, const head_bits&, std::uint64_t) { return segments.slots(first); },
        [&](std::uint64_t s, const auto& fold) { out[s] = cpu::from_carry<T, Op>(cpu::join<T, Op>(start, fold)); });
  });
}

void segmented_scan(device& d, const problem& p) {
  if (p.m == 0) return;
  const cpu::segment_list segments(p.in2.as<const std::uint64_t>(), p.m, p.n, "segmented_scan");
  with_operands(p, [&]<class T, class Op, class F>(type_tag<T>, Op, F f) {
    const segment_runs<T, Op, F> work(p, f, segments, p.out.as<T>() + segments.begin());
    cpu::scan_runs(
        d, segments.elements(), work, alone(segments.elements(), sizeof(T)),
        [&](std::uint64_t first, std::uint64_t last, const auto* before) { work.scan(first, last, before); });
  });
}

constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula linear{"n", [](double n) { return n; }};
constexpr formula twice{"2n", [](double n) { return 2 * n; }};
constexpr formula thrice{"3n", [](double n) { return 3 * n; }};

variant own(std::string_view name, primitive what, std::string_view teaches, formula traffic,
            void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.kind = rung::library, v.source = "upsweep", v.year = 2026, v.teaches = teaches;
  v.work = twice, v.launches = one, v.traffic = traffic, v.run = run;
  // What rounds: a short run's chain, or a block's fold and scan by vectors; carries have twice the precision.
  v.span = {"48, and n/64 in twice the precision", [](double) { return 48.0; }};
  return v;
}

}  // namespace

std::span<const variant> cpu() {
  constexpr std::string_view teaches =
      "Each core marks where runs begin in its block, passes on the fold of the one left open, and works through the "
      "block while it is in its cache: long runs by vectors.";
  static const std::array list{
      own("reduce-by-key/chained-blocks", primitive::reduce_by_key, teaches, thrice, reduce_by_key),
      own("scan-by-key/chained-blocks", primitive::scan_by_key, teaches, thrice, scan_by_key),
      own("segmented-reduce/chained-blocks", primitive::segmented_reduce, teaches, linear, segmented_reduce),
      own("segmented-scan/chained-blocks", primitive::segmented_scan, teaches, twice, segmented_scan),
  };
  return list;
}

}  // namespace upsweep::segmented_room
