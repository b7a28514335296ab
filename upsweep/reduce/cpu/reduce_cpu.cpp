// Reduce on the CPU for the built-in types and operators.
#include "upsweep/reduce/cpu/reduce_cpu.hpp"

#include <array>

#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/cpu/fold.hpp"
#include "upsweep/reduce/reduce_problem.hpp"

namespace upsweep::detail::reduce_impl {

namespace {

template <class T, class Op>
void fold_blocks(device& d, const problem& p) {
  using carry = cpu::carry_of<T, Op>;
  constexpr std::uint64_t block = cpu::block_elements(cpu_tuned.block_bytes, sizeof(T));
  const cpu::block_fold<T, Op> fold(p.transform, p.type);
  const T* in = p.in.as<T>();
  const std::uint64_t blocks = cpu::block_count(p.n, block);
  const auto finish = [&](const carry& all) {
    *p.out.as<T>() = cpu::from_carry<T, Op>(cpu::join<T, Op>(cpu::to_carry<T, Op>(p.init.as<T>()), all));
  };
  if (blocks == 0) return void(*p.out.as<T>() = p.init.as<T>());
  if (blocks == 1) return finish(fold(in, p.n));

  cpu::block_values<carry> folded(d, "reduce/blocks", blocks, {});
  const auto fold_one = [&](std::uint64_t b, const cpu::stop_flag&) {
    folded[b] = fold(in + b * block, b + 1 < blocks ? block : p.n - b * block);
  };
  if (p.n * sizeof(T) < cpu_tuned.parallel_bytes)
    for (std::uint64_t b = 0; b < blocks; ++b) fold_one(b, {});
  else
    cpu::for_each_block(d, blocks, fold_one);
  finish(cpu::fold_tree(folded, blocks, cpu::join<T, Op>));
}

void run_blocked(device& d, const problem& p) {
  cpu::with_folded_types(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op op) {
    if constexpr (commutes(Op::kind))
      fold_blocks<T, Op>(d, p);
    else
      cpu::reduce_custom(d, p.in.as<T>(), p.n, p.out.as<T>(), p.init.as<T>(), op, any_transform{p.transform});
  });
}

}  // namespace

std::span<const variant> cpu() {
  static const std::array<variant, 1> list = [] {
    variant v;
    v.name = "reduce/blocked-simd";
    v.kind = variant_kind::tuned;
    v.source = "upsweep";
    v.year = 2026;
    v.teaches =
        "Every core folds blocks of a fixed size, eight vectors side by side in short chains and a tree; what is "
        "carried between them has "
        "twice the precision, so a float sum is right at any length.";
    v.work = {"n", [](double n) { return n; }};
    // The operations that round: 16 rows and a rest in a chain, a tree of eight, the result. Carries have twice the
    // precision and add no further rounding.
    v.span = {"24, and n/2^11 in twice the precision", [](double) { return 24.0; }};
    v.launches = {"1", [](double) { return 1.0; }};
    v.traffic = {"n + 1", [](double n) { return n + 1; }};
    v.run = run_blocked;
    return std::array{v};
  }();
  return list;
}

}  // namespace upsweep::detail::reduce_impl
