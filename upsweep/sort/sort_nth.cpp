// The key of one rank, and the elements before and after it: by a selection if one can separate them, else by
// sorting.
#include <limits>

#include "upsweep/core/host_chunks.hpp"
#include "upsweep/select/select_problem.hpp"
#include "upsweep/sort/cpu/sort_ranks.hpp"
#include "upsweep/sort/opencl/sort_opencl_rank.hpp"
#include "upsweep/sort/sort_implementation.hpp"
#include "upsweep/sort/sort_order.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {

using namespace core;

namespace {

bool is_cpu(const device& d) { return d.kind() == backend::cpu; }

bool same_place(memory a, memory b) { return a.base == b.base && a.offset == b.offset; }

void sort_keys(const target& to, const problem& p, memory out) {
  problem q = p;
  q.what = primitive::sort, q.out = out, q.value_bytes = 0, q.indices = false;
  run(to, q);
}

// p.in is device memory.
void find_nth_on_device(const target& to, const problem& p, std::uint64_t k, void* key) {
  device& d = to.on();
  if (is_cpu(d)) return find_rank_on_cpu(d, p, k, key);
  if (d.kind() == backend::opencl) return opencl::find_rank(d, p, k, key);
  d.require_no_capture("nth_element");
  const std::uint64_t size = size_of(p.type);
  problem q = p;
  // Counted from the nearer end.
  const bool from_the_end = p.n - k < k + 1;
  q.what = primitive::top_k, q.m = from_the_end ? p.n - k : k + 1, q.descending = p.descending != from_the_end;
  if (can_run(to, q)) {
    q.out = d.scratch("sort/run/keys", q.m * size);
    q.out2 = d.scratch("sort/run/places", q.m * 8);
    run(to, q);
    d.download(key, q.out.plus_bytes((q.m - 1) * size), size);
  } else {
    const memory sorted = d.scratch("sort/run/keys", p.n * size);
    sort_keys(to, p, sorted);
    d.download(key, sorted.plus_bytes(k * size), size);
  }
}

// The test by which `select` separates the keys before that of rank k from the others; false if it cannot.
bool split_around(const target& to, detail::select_impl::problem& q, const problem& p, std::uint64_t k) {
  // A comparison of floats puts NaNs last, and knows nothing of single bits.
  if (p.last_bit != 0 || (is_floating(p.type) && p.descending)) return false;
  q.type = p.type, q.n = p.n, q.in = p.in, q.out = p.out;
  q.how = detail::select_impl::selection::three_way_partition;
  q.test = p.descending ? comparison::greater : comparison::less, q.test2 = comparison::equal;
  if (!detail::select_impl::can_run(to, q)) return false;
  find_nth_on_device(to, p, k, q.threshold.bytes);
  q.threshold2 = q.threshold;
  const bool nan = with_any_type(p.type, [&]<class T>(type_tag<T>) {
    return order_for<T> == key_order::floating &&
           order_bits(q.threshold.as<T>()) == static_cast<order_image<T>>(~order_image<T>{0});
  });
  if (!nan) return true;
  // Numbers first, then the NaNs.
  q.how = detail::select_impl::selection::partition, q.test = comparison::less_equal;
  q.threshold = p.type == dtype::f16   ? scalar::of(half::of_bits(0x7c00))
                : p.type == dtype::f32 ? scalar::of(std::numeric_limits<float>::infinity())
                                       : scalar::of(std::numeric_limits<double>::infinity());
  return detail::select_impl::can_run(to, q);
}

void rearrange_on_device(const target& to, const problem& p, std::uint64_t k) {
  device& d = to.on();
  detail::select_impl::problem q;
  if (!split_around(to, q, p, k)) return sort_keys(to, p, p.out);
  if (same_place(p.in, p.out)) {
    q.in = d.scratch("sort/run/keys", p.n * size_of(p.type));
    d.copy(q.in, p.in, p.n * size_of(p.type));
  }
  q.count = d.scratch("sort/run/counts", 16);
  detail::select_impl::run(to, q);
}

}  // namespace

void find_nth(const target& to, const problem& p, std::uint64_t k, void* key, bool on_host) {
  const core::running_call scratch_in_use;
  device& d = to.on();
  if (!on_host || is_cpu(d)) return find_nth_on_device(to, p, k, key);
  const std::uint64_t size = size_of(p.type);
  problem q = p;
  const bool from_the_end = p.n - k < k + 1;
  q.what = primitive::top_k, q.m = from_the_end ? p.n - k : k + 1, q.descending = p.descending != from_the_end;
  try {
    std::vector<std::byte> keys(q.m * size);
    std::vector<std::uint64_t> places(q.m);
    q.out = {keys.data(), 0}, q.out2 = {places.data(), 0};
    run_from_host(to, q);
    std::copy_n(keys.data() + (q.m - 1) * size, size, static_cast<std::byte*>(key));
  } catch (const std::bad_alloc&) {
    out_of_host_memory("nth_element", q.m);
  }
}

void rearrange_around_nth(const target& to, const problem& p, std::uint64_t k, bool on_host) {
  const core::running_call scratch_in_use;
  device& d = to.on();
  if (!on_host || is_cpu(d)) return rearrange_on_device(to, p, k);
  const std::uint64_t bytes = p.n * size_of(p.type);
  if (bytes > d.free_memory() / 8) {
    problem q = p;  // a sorted sequence is rearranged as well as any
    q.what = primitive::sort;
    return run_from_host(to, q);
  }
  staging both(d, bytes);
  problem q = p;
  q.in = q.out = both.where();
  d.upload(q.in, p.in.address(), bytes);
  rearrange_on_device(to, q, k);
  d.download(p.out.address(), q.out, bytes);
}

}  // namespace upsweep::detail::sort_impl
