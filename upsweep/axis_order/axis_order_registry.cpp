// The variants that a call of this algorithm chooses from. On every backend strided lines are copied to contiguous
// memory, sorted as segments, and copied back. On the CPU heaps find a few of each line.
#include <algorithm>
#include <array>
#include <vector>

#include "upsweep/axis/axis_segment_offsets.hpp"
#include "upsweep/axis_order/axis_order_problem.hpp"
#include "upsweep/axis_order/cpu/axis_order_top.hpp"
#include "upsweep/core/host_chunks.hpp"
#include "upsweep/sort/sort_problem.hpp"
#if UPSWEEP_WITH_CUDA
#include "upsweep/sort/cuda/sort_top_k_rows.hpp"
#endif
#if UPSWEEP_WITH_OPENCL
#include "upsweep/opencl/elements_as_words.hpp"
#endif

namespace upsweep::detail::axis_order_impl {

namespace {

// Copies the first `columns` of each contiguous line back to their strided positions.
detail::axis_impl::transposition back(const problem& p, memory from, memory to, std::uint64_t columns) {
  return {from, to, size_of(p.type), size_of(p.type), p.along.outer, p.along.inner, columns, p.along.length, 0};
}

void order_lines(device& d, const problem& p) {
  if (p.n == 0) return;
  const detail::axis_impl::moves& moves = detail::axis_impl::moves_on(d);
  const bool across = p.along.inner > 1, sorts = p.what == primitive::axis_sort;
  const std::uint64_t size = size_of(p.type), columns = p.what == primitive::axis_top_k ? p.k : p.along.length;
  detail::sort_impl::problem s;
  static_cast<problem_head&>(s) = p;
  s.what = detail::sort_impl::primitive::segmented_sort;
  s.descending = p.descending, s.first_bit = p.first_bit, s.last_bit = p.last_bit;
  s.in3 = detail::axis_impl::offsets_of(d, p.along), s.m = p.along.count();
  s.in = across ? detail::axis_impl::gathered_lines(d, p.in, p.along, size) : p.in;
  s.out = across ? s.in : sorts ? p.out : d.scratch("axis/ordered", std::max<std::uint64_t>(p.n * size, 16));
  if (!sorts) {
    s.indices = true, s.value_bytes = p.n >> 32 ? 8 : 4;
    s.out2 = d.scratch("axis/stood", std::max<std::uint64_t>(p.n * s.value_bytes, 16));
  }
  detail::sort_impl::run(d, s);
  if (sorts ? across : p.what == primitive::axis_top_k) moves.transpose(d, back(p, s.out, p.out, columns));
  if (sorts || p.out2.base == nullptr) return;
  detail::axis_impl::transposition places = back(p, s.out2, p.out2, columns);
  places.bytes = s.value_bytes, places.out_bytes = p.index_bytes, places.modulo = p.along.length;
  moves.transpose(d, places);
}

#if UPSWEEP_WITH_CUDA
const char* no_few_of_rows(const problem& p) {
  if (p.k == 0 || p.n == 0) return nullptr;
  // Many short rows are sorted faster as segments than by one block each.
  const bool of_rows = p.along.inner == 1 && (p.along.length >= 256 || p.along.outer <= 4096);
  return of_rows && detail::sort_impl::can_find_first_of_rows(p.along.length, p.k)
             ? nullptr
             : "more than the first 2048 of each line, lines that are not rows, or many short ones";
}

void top_of_rows(device& d, const problem& p) {
  if (p.k == 0 || p.n == 0) return;
  const auto key_bytes = static_cast<std::uint32_t>(size_of(p.type));
  detail::sort_impl::first_of_rows_on_cuda(
      d, {key_bytes, p.index_bytes, order_of(p.type), p.descending, p.first_bit,
          p.last_bit == 0 ? 8 * key_bytes : p.last_bit, p.along.outer, p.along.length, p.k, p.in.address(),
          p.out.address(), p.out2.base == nullptr ? nullptr : p.out2.address()});
}
#endif

template <backend Where>
std::vector<variant> listed_for() {
  const auto entry = [](primitive what, std::string_view name, std::string_view teaches, formula traffic) {
    variant v;
    v.name = name, v.where = Where, v.what = what, v.kind = variant_kind::tuned, v.year = 2026, v.source = "upsweep";
    v.teaches = teaches, v.run = order_lines, v.traffic = traffic;
    v.work = {"as sort", [](double n) { return 8 * n; }};
    v.span = {"1", [](double) { return 1.0; }};
    v.launches = {"those of a sort by segments, and 1 to 4", [](double) { return 8.0; }};
#if UPSWEEP_WITH_OPENCL
    if (Where == backend::opencl) v.device_lacks = opencl::lacks_lanes, v.limits = "work-groups of 256 items";
#endif
    return v;
  };
  std::vector<variant> list{
      entry(primitive::axis_sort, "axis-sort/by-segments",
            "Transposed where lines are not rows, sorted, transposed back.",
            {"a sort's, and 4n across rows", [](double n) { return 12 * n; }}),
      entry(primitive::axis_argsort, "axis-argsort/by-segments",
            "Sorted with their indices, which are then taken modulo the length.",
            {"a sort's, and 4n", [](double n) { return 16 * n; }}),
      entry(primitive::axis_top_k, "axis-top-k/by-segments", "Sorted with their indices; the first k of each are kept.",
            {"a sort's, and 2n to 4n", [](double n) { return 16 * n; }}),
  };
#if UPSWEEP_WITH_CUDA
  if (Where == backend::cuda) {
    variant v =
        entry(primitive::axis_top_k, "axis-top-k/digits",
              "Digits from the top tell each row's key of rank k; those before it are collected, and they alone "
              "are put in order.",
              {"3n", [](double n) { return 3 * n; }});
    v.work = {"3n", [](double n) { return 3 * n; }};
    v.launches = {"1", [](double) { return 1.0; }};
    v.cannot = no_few_of_rows, v.run = top_of_rows;
    v.limits = "up to the first 2048 of each row, no many short rows";
    list.push_back(v);
  }
#endif
  if (Where == backend::cpu) {
    variant v = entry(primitive::axis_top_k, "axis-top-k/heaps",
                      "A heap a line holds the first found so far; most keys are compared with their last alone.",
                      {"n", [](double n) { return n; }});
    v.work = {"n, at most n log2 k", [](double n) { return 4 * n; }};
    v.launches = {"1", [](double) { return 1.0; }};
    v.cannot = too_many_for_heaps, v.run = top_by_heaps;
    v.limits = "up to an eighth of each line, and no few long lines";
    list.push_back(v);
  }
  return list;
}

template <backend Where>
std::span<const variant> variants_on() {
  static const std::vector<variant> list = listed_for<Where>();
  return list;
}

}  // namespace

variant_lists variants() {
  static const std::array all{
      variants_on<backend::cpu>(),
#if UPSWEEP_WITH_OPENCL
      variants_on<backend::opencl>(),
#endif
#if UPSWEEP_WITH_CUDA
      variants_on<backend::cuda>(),
#endif
  };
  return all;
}

const variant& choose(const target& to, const problem& p) { return upsweep::choose<problem>(variants(), to, p); }
bool can_run(const target& to, const problem& p) { return upsweep::can_run<problem>(variants(), to, p); }
void run(const target& to, const problem& p) { upsweep::run<problem>(variants(), to, p); }

void run_from_host(const target& to, const problem& p) {
  device& d = to.on();
  if (d.kind() == backend::cpu) return run(to, p);
  const std::uint64_t size = size_of(p.type), bytes = p.n * size;
  const std::uint64_t results = p.what == primitive::axis_top_k ? p.along.outer * p.k * p.along.inner : p.n;
  const std::uint64_t keys = p.what == primitive::axis_argsort ? 0 : results * size;
  const std::uint64_t indices = p.out2.base == nullptr ? 0 : results * p.index_bytes;
  const core::staging in(d, bytes), out(d, keys), out2(d, indices);
  problem there = p;
  there.in = in.where(), there.out = out.where(), there.out2 = out2.where();
  if (bytes) d.upload(there.in, p.in.address(), bytes);
  run(to, there);
  if (keys) d.download(p.out.address(), there.out, keys);
  if (indices) d.download(p.out2.address(), there.out2, indices);
}

}  // namespace upsweep::detail::axis_order_impl
