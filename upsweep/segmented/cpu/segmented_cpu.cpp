// Folds and scans within runs on the CPU for the built-in types and operators: those of segmented_cpu.hpp, with long
// runs folded and scanned by vectors.
#include "upsweep/segmented/cpu/segmented_cpu.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/cpu/fold.hpp"
#include "upsweep/scan/cpu/scan_vectors.hpp"
#include "upsweep/segmented/cpu/segmented_vectors.hpp"
#include "upsweep/segmented/segmented_problem.hpp"
#include "upsweep/select/cpu/select_bit_mask.hpp"

namespace upsweep::detail::segmented_impl {

namespace {

using cpu::head_bits;

// Writes the beginnings of runs in a block: see Work.
using head_writer = std::function<std::uint64_t(std::uint64_t first, std::uint64_t count, std::uint64_t* bits)>;

// Folds and scans elements [first, last) of one run. One class for all run boundaries and all transforms: code that
// runs once a block or a run need not be compiled for each.
template <class T, class Op>
class built_in_runs {
  static constexpr bool by_vectors = commutes(Op::kind);

 public:
  using carry = cpu::carry_of<T, Op>;

  built_in_runs(const T* in, T* out, const problem& p, head_writer heads)
      : in_(in), out_(out), init_(p.init.as<T>()), inclusive_(p.inclusive), heads_(std::move(heads)) {
    if (p.transform != transform_kind::identity)
      prepare_ = cpu::find_prepare(p.type, p.transform, Op::kind);
    else
      scan_runs_ = cpu::find_runs_scan(dtype_of<T>, Op::kind,
                                       out == nullptr ? cpu::run_results::folds
                                       : p.inclusive  ? cpu::run_results::inclusive
                                                      : cpu::run_results::exclusive);
    if constexpr (by_vectors) {
      fold_.emplace(p.transform, p.type, out != nullptr);
      scan_ = cpu::find_scan(dtype_of<T>, Op::kind, p.inclusive);
    }
  }

  static std::uint64_t block() { return cpu::block_elements(cpu_tuned.block_bytes, sizeof(T)) / 64 * 64; }
  std::uint64_t write_heads(std::uint64_t first, std::uint64_t count, std::uint64_t* bits) const {
    return heads_(first, count, bits);
  }
  static carry join(const carry& a, const carry& b) { return cpu::join<T, Op>(a, b); }

  carry fold(std::uint64_t first, std::uint64_t last) const {
    if constexpr (by_vectors)
      if (last - first >= cpu_tuned.vector_run) return (*fold_)(in_ + first, last - first);
    return prepare_ ? fold_prepared(first, last) : chain(in_ + first, last - first);
  }

  void scan(std::uint64_t first, std::uint64_t last, const carry* before) const {
    const std::uint64_t begin = first;
    carry running = cpu::to_carry<T, Op>(to_accumulator(Op{}, init_));
    if (before) running = join(running, *before);
    if (by_vectors && last - first >= (std::is_integral_v<T> ? cpu_tuned.exact_scan_run : cpu_tuned.vector_run)) {
      scan_by_vectors(first, last, running);
    } else {
      if (prepare_)
        scan_prepared(first, last, running);
      else
        scan_chain(in_ + first, last - first, out_ + first, running);
    }
    if (!inclusive_ && !before) out_[begin] = init_;  // as it was given, not as the operator reads it
  }

  // Whether runs are so short, with that many in that many elements, that they are scanned together.
  bool are_short_to_scan(std::uint64_t count, std::uint64_t runs) const {
    return scan_runs_ && runs >= count / (std::is_integral_v<T> ? cpu_tuned.exact_scan_run : cpu_tuned.vector_run);
  }
  bool are_short_to_fold(std::uint64_t count, std::uint64_t runs) const {
    return scan_runs_ && runs >= count / cpu_tuned.vector_run;
  }
  void scan_short(std::uint64_t first, std::uint64_t count, const head_bits& heads,
                  const std::optional<carry>& before) const {
    carry running = cpu::to_carry<T, Op>(init_);
    if (before) running = join(running, *before);
    scan_runs_(in_ + first, count, heads.words(), &init_, out_ + first, &running);
  }
  // folds[i] = the fold of element first + i's run from its beginning, or from `first` on.
  void fold_short(std::uint64_t first, std::uint64_t count, const head_bits& heads, carry* folds) const {
    // Of floats -0, which changes no sum, not even that of negative zeros.
    const T nothing = std::is_floating_point_v<T> ? -T{} : identity_of<T>(Op{});
    carry running = cpu::to_carry<T, Op>(nothing);
    scan_runs_(in_ + first, count, heads.words(), &nothing, folds, &running);
  }

 private:
  static carry element(T x) { return cpu::to_carry<T, Op>(to_accumulator(Op{}, x)); }
  static constexpr bool pairs = std::is_same_v<carry, cpu::two_doubles>;
  static carry chain(const T* x, std::uint64_t n) {
    if constexpr (pairs) {
      T sum = x[0];
      for (std::uint64_t i = 1; i < n; ++i) sum += x[i];
      if (std::isfinite(sum)) return {sum, 0};
    }
    carry all = element(x[0]);
    for (std::uint64_t i = 1; i < n; ++i) all = join(all, element(x[i]));
    return all;
  }
  // In order, f64 gives the sequential definition itself, unless the preceding fold is outside its range.
  void scan_chain(const T* x, std::uint64_t n, T* y, carry& sum) const {
    if constexpr (pairs)
      if (!sum.far) {
        T all = cpu::from_carry<T, Op>(sum);
        scan_chain_in(x, n, y, all, [](T a, T b) { return a + b; });
        sum = {all, 0};
        return;
      }
    scan_chain_in(x, n, y, sum, [](const carry& a, T b) { return join(a, cpu::to_carry<T, Op>(b)); });
  }
  static T written(T x) { return x; }
  template <class C>
    requires(!std::is_same_v<C, T>)
  static T written(const C& c) {
    return cpu::from_carry<T, Op>(c);
  }
  template <class C, class Add>
  void scan_chain_in(const T* x, std::uint64_t n, T* y, C& sum, const Add& add) const {
    C all = sum;  // which no store can change
    if (inclusive_)
      for (std::uint64_t i = 0; i < n; ++i) {
        all = add(all, to_accumulator(Op{}, x[i]));
        y[i] = written(all);
      }
    else
      for (std::uint64_t i = 0; i < n; ++i) {
        const C next = add(all, to_accumulator(Op{}, x[i]));
        y[i] = written(all);
        all = next;
      }
    sum = all;
  }
  // Folds elements that are transformed first, some at a time.
  carry fold_prepared(std::uint64_t first, std::uint64_t last) const {
    T tile[cpu_tuned.vector_run];
    carry all{};
    bool begun = false;
    for (std::uint64_t count; first < last; first += count) {
      count = std::min(last - first, cpu_tuned.vector_run);
      prepare_(in_ + first, count, tile);
      if (!begun) all = element(tile[0]);
      for (std::uint64_t i = begun ? 0 : 1; i < count; ++i) all = join(all, element(tile[i]));
      begun = true;
    }
    return all;
  }
  void scan_prepared(std::uint64_t first, std::uint64_t last, carry sum) const {
    T tile[cpu_tuned.vector_run];
    for (std::uint64_t count; first < last; first += count) {
      count = std::min(last - first, cpu_tuned.vector_run);
      prepare_(in_ + first, count, tile);
      scan_chain(tile, count, out_ + first, sum);
    }
  }
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
  head_writer heads_;
  cpu::prepare_kernel prepare_ = nullptr;  // null: elements are used as they are
  struct none {
    auto prepare() const -> cpu::prepare_kernel { return nullptr; }
  };
  std::conditional_t<by_vectors, std::optional<cpu::block_fold<T, Op>>, std::optional<none>> fold_;
  cpu::scan_kernel scan_ = nullptr;
  cpu::runs_scan_kernel scan_runs_ = nullptr;  // null: runs go one by one
};

// Keys of any built-in type, and the elements at which they differ from the one before.
class key_list {
 public:
  explicit key_list(const problem& p)
      : keys_(p.in2.as<const char>()), bytes_(size_of(p.key_type)), heads_(cpu::find_bit_kernels(p.key_type).heads) {}
  std::uint64_t bytes() const { return bytes_; }
  const void* from(std::uint64_t first) const { return keys_ + first * bytes_; }
  head_writer heads() const {
    return [this](std::uint64_t first, std::uint64_t count, std::uint64_t* bits) {
      return heads_(from(first), count, first == 0, bits);
    };
  }

 private:
  const char* keys_;
  std::uint64_t bytes_;
  std::uint64_t (*heads_)(const void*, std::uint64_t, bool, std::uint64_t*);
};

// Writes where segments [s, end) begin in a block of `count` elements from `first` on.
head_bits heads_of(const cpu::segment_list& segments, std::uint64_t first, std::uint64_t count, std::uint64_t s,
                   std::uint64_t end) {
  head_bits heads(count);
  for (; s < end; ++s) {
    const std::uint64_t i = segments.start(s) - first;
    heads.words()[i / 64] |= std::uint64_t{1} << i % 64;
  }
  return heads;
}

bool alone(std::uint64_t n, std::uint64_t bytes) { return n * bytes < cpu_tuned.parallel_bytes; }

void reduce_by_key(device& d, const problem& p) {
  const key_list keys(p);
  const cpu::compress_kernel compress = cpu::find_compress(keys.bytes());
  const auto slots = [&](std::uint64_t first, std::uint64_t count, const head_bits& heads, std::uint64_t runs) {
    cpu::line_writer writer;
    writer.begin(p.out2.as<char>() + runs * keys.bytes(), false);
    compress(keys.from(first), count, heads.words(), false, writer);
    writer.end();
    return cpu::consecutive_slots{runs};
  };
  cpu::with_folded_types(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op) {
    T* out = p.out.as<T>();
    const built_in_runs<T, Op> work(p.in.as<const T>(), nullptr, p, keys.heads());
    *p.count.as<std::uint64_t>() =
        cpu::reduce_runs(d, p.n, work, alone(p.n, sizeof(T)), slots,
                         [out](std::uint64_t place, const auto& fold) { out[place] = cpu::from_carry<T, Op>(fold); });
  });
}

void scan_by_key(device& d, const problem& p) {
  const key_list keys(p);
  cpu::with_folded_types(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op) {
    const built_in_runs<T, Op> work(p.in.as<const T>(), p.out.as<T>(), p, keys.heads());
    const auto scan = [&](std::uint64_t first, std::uint64_t last, const cpu::carry_of<T, Op>* before) {
      work.scan(first, last, before);
    };
    cpu::for_each_block_of_runs(
        d, p.n, work, alone(p.n, sizeof(T)),
        [&](std::uint64_t first, std::uint64_t count, const head_bits& heads, const auto& before) {
          if (work.are_short_to_scan(count, heads.count(count)))
            work.scan_short(first, count, heads, before.fold);
          else
            cpu::scan_runs_of_block(first, count, heads, before.fold, scan);
        });
  });
}

void segmented_reduce(device& d, const problem& p) {
  if (p.m == 0) return;
  const cpu::segment_list segments(p.in2.as<const std::uint64_t>(), p.m, p.n, "segmented_reduce");
  cpu::with_folded_types(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op) {
    T* out = p.out.as<T>();
    const T init = p.init.as<T>();
    const built_in_runs<T, Op> work(p.in.as<const T>() + segments.begin(), nullptr, p, {});
    const auto start = cpu::to_carry<T, Op>(to_accumulator(Op{}, init));
    const auto look = [&](std::uint64_t first, std::uint64_t last, std::uint64_t s, std::uint64_t end) {
      [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
      static thread_local std::vector<cpu::carry_of<T, Op>> folds;
      const bool together = work.are_short_to_fold(last - first, end - s);
      if (together) {
        if (folds.size() < last - first) folds.resize(last - first);
        work.fold_short(first, last - first, heads_of(segments, first, last - first, s, end), folds.data());
      }
      return [&work, first, of = together ? folds.data() : nullptr](std::uint64_t from, std::uint64_t to) {
        return of ? of[to - 1 - first] : work.fold(from, to);
      };
    };
    cpu::fold_segments(
        d, segments, work, alone(segments.elements(), sizeof(T)), look,
        [&](std::uint64_t s, const auto& fold) { out[s] = cpu::from_carry<T, Op>(cpu::join<T, Op>(start, fold)); },
        [&](std::uint64_t s) { out[s] = init; });
  });
}

void segmented_scan(device& d, const problem& p) {
  if (p.m == 0) return;
  const cpu::segment_list segments(p.in2.as<const std::uint64_t>(), p.m, p.n, "segmented_scan");
  cpu::with_folded_types(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op) {
    const std::uint64_t skipped = segments.begin();
    const built_in_runs<T, Op> work(p.in.as<const T>() + skipped, p.out.as<T>() + skipped, p, {});
    const auto scan = [&](std::uint64_t first, std::uint64_t last, const cpu::carry_of<T, Op>* before) {
      work.scan(first, last, before);
    };
    cpu::for_each_block_of_segments(
        d, segments, work, alone(segments.elements(), sizeof(T)),
        [&](std::uint64_t first, std::uint64_t last, std::uint64_t s, std::uint64_t end, const auto& before) {
          if (work.are_short_to_scan(last - first, end - s))
            work.scan_short(first, last - first, heads_of(segments, first, last - first, s, end), before);
          else
            cpu::scan_segments_of_block(segments, first, last, s, end, before, scan);
        });
  });
}

constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula linear{"n", [](double n) { return n; }};
constexpr formula twice{"2n", [](double n) { return 2 * n; }};
constexpr formula thrice{"3n", [](double n) { return 3 * n; }};

variant own(std::string_view name, primitive what, std::string_view teaches, formula traffic,
            void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.kind = variant_kind::tuned, v.source = "upsweep", v.year = 2026, v.teaches = teaches;
  v.work = twice, v.launches = one, v.traffic = traffic, v.run = run;
  // The roundings of a result: a short run's chain, or a block's fold and scan by vectors. Carries have twice the
  // precision.
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

}  // namespace upsweep::detail::segmented_impl
