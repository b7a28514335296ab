// scan on the CPU for the built-in types and operators.
//
// It reads and writes memory once. Threads take blocks in order. Each thread folds its block, which loads it into the
// second-level cache, takes the carry from the previous block, passes its own carry on, and scans its block from the
// cache. Within a block four vectors at a time are scanned in registers, with a carry of twice the precision.
#include "upsweep/scan/cpu/scan_cpu.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/cpu/fold.hpp"
#include "upsweep/scan/cpu/scan_vectors.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::detail::scan_impl {

namespace {

template <class T, class Op>
class chained_scan {
  using carry = cpu::carry_of<T, Op>;

 public:
  explicit chained_scan(const problem& p)
      : in_(p.in.as<T>()),
        out_(p.out.as<T>()),
        init_(p.init.as<T>()),
        inclusive_(p.inclusive),
        // Stores that bypass the caches avoid reading the old lines of the output. They pay only if the output would
        // not have stayed in a cache.
        streams_(p.n * sizeof(T) >= cpu_tuned.stream_bytes && p.in.address() != p.out.address()),
        type_(p.type),
        transform_(p.transform),
        scan_(cpu::find_scan(dtype_of<T>, Op::kind, p.inclusive)) {
    if (transform_ != transform_kind::identity || cpu::is_logical(Op::kind))
      prepare_ = cpu::find_prepare(type_, transform_, Op::kind);
  }

  void run(device& d, std::uint64_t n) {
    constexpr std::uint64_t block = cpu::block_elements(cpu_tuned.block_bytes, sizeof(T));
    const std::uint64_t blocks = cpu::block_count(n, block);
    const auto size = [&](std::uint64_t b) { return b + 1 < blocks ? block : n - b * block; };
    // The operator takes converted elements (to_accumulator), so init is converted, too; out[0] of an exclusive scan is
    // not.
    carry before_next = cpu::to_carry<T, Op>(to_accumulator(Op{}, init_));

    if (blocks == 1 || (!cpu::carried_wide<T, Op> && cpu::threads_of(d) == 1)) {
      // In one thread the carry can continue from block to block, if this does not change the rounding.
      cpu::for_each_block(d, blocks,
                          [&](std::uint64_t b, const cpu::stop_flag&) { scan(b * block, size(b), before_next); });
    } else {
      cpu::relay turns;
      const cpu::block_fold<T, Op> fold(transform_, type_, true);
      const auto body = [&](std::uint64_t b, const cpu::stop_flag& stop) {
        const bool last = b + 1 == blocks;  // no block needs the fold of the last one
        const carry folded = last ? carry() : fold(in_ + b * block, block);
        turns.await(b, stop);
        const carry before = before_next;
        if (!last) before_next = cpu::join<T, Op>(before, folded);
        turns.pass(b);
        carry running = before;
        scan(b * block, size(b), running);
        if (streams_) cpu::end_stream();
      };
      if (n * sizeof(T) < cpu_tuned.parallel_bytes)
        for (std::uint64_t b = 0; b < blocks; ++b) body(b, {});
      else
        cpu::for_each_block(d, blocks, body);
    }
    if (!inclusive_) out_[0] = init_;
  }

 private:
  // Scans elements [first, first + count) after `running`, and updates `running` for the next element.
  void scan(std::uint64_t first, std::uint64_t count, carry& running) const {
    if (!prepare_ && !streams_) return scan_(in_ + first, count, out_ + first, &running);
    alignas(64) T prepared[cpu::tile_elements], scanned[cpu::tile_elements];
    for (std::uint64_t end = first + count; first < end; first += cpu::tile_elements) {
      const std::uint64_t tile = std::min(end - first, cpu::tile_elements);
      const T* source = in_ + first;
      if (prepare_) prepare_(std::exchange(source, prepared), tile, prepared);
      scan_(source, tile, streams_ ? scanned : out_ + first, &running);
      if (streams_) cpu::stream_copy(scanned, out_ + first, tile * sizeof(T));
    }
  }

  const T* in_;
  T* out_;
  T init_;
  bool inclusive_, streams_;
  dtype type_;  // the type of the elements, which are folded as T
  transform_kind transform_;
  cpu::prepare_kernel prepare_ = nullptr;  // null if elements need no preparation
  cpu::scan_kernel scan_;
};

void run_chained(device& d, const problem& p) {
  if (p.n == 0) return;
  cpu::with_folded_types(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op op) {
    if constexpr (commutes(Op::kind)) {
      chained_scan<T, Op>(p).run(d, p.n);
    } else {
      const any_transform f{p.transform};
      const T* in = p.in.as<const T>();
      T *out = p.out.as<T>(), init = p.init.as<T>();
      p.inclusive ? cpu::scan_custom<true>(d, in, p.n, out, init, op, f)
                  : cpu::scan_custom<false>(d, in, p.n, out, init, op, f);
    }
  });
}

}  // namespace

std::span<const variant> cpu() {
  static const std::array<variant, 1> list = [] {
    variant v;
    v.name = "scan/chained-blocks";
    v.what = primitive::scan;
    v.kind = variant_kind::tuned;
    v.source = "upsweep";
    v.year = 2026;
    v.teaches =
        "One pass over memory: each core folds a block, passes the carry on, and scans the block while it is still in "
        "its cache.";
    v.work = {"2n", [](double n) { return 2 * n; }};
    // The operations that round: the fold of a block (24), log2(lanes) steps, two more to join four vectors, the carry
    // and its addition.
    v.span = {"32, and n/64 in twice the precision", [](double) { return 32.0; }};
    v.launches = {"1", [](double) { return 1.0; }};
    v.traffic = {"2n", [](double n) { return 2 * n; }};
    v.run = run_chained;
    return std::array{v};
  }();
  return list;
}

}  // namespace upsweep::detail::scan_impl
