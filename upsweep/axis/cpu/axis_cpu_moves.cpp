#include "upsweep/axis/axis_segment_offsets.hpp"

#include "upsweep/axis/cpu/axis_cpu.hpp"

namespace upsweep::detail::axis_impl {

namespace {

void write_offsets(device& d, memory to, std::uint64_t lines, std::uint64_t length) {
  cpu::store_steps<std::uint64_t>(d, to.as<std::uint64_t>(), lines + 1, 0, length);
}

template <class From, class To>
void turn(device& d, const transposition& t) {
  const auto go = [&](const auto& as) {
    cpu::transpose(d, t.in.as<const From>(), t.out.as<To>(), t.batches, t.rows, t.columns, t.pitch, as);
  };
  if (t.modulo == 0) return go([](From x) { return static_cast<To>(x); });
  go([m = t.modulo](From x) { return static_cast<To>(x % m); });
}

void transpose(device& d, const transposition& t) {
  with_widths(t, [&]<class From, class To>(widths<From, To>) { turn<From, To>(d, t); });
}

}  // namespace

const moves& cpu_moves() {
  static constexpr moves all{write_offsets, transpose};
  return all;
}

}  // namespace upsweep::detail::axis_impl
