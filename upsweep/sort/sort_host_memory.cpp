// Sort's problems on host memory: those that fit are copied to the device at once, others in chunks that are joined
// here.
#include <algorithm>
#include <cstring>

#include "upsweep/core/host_chunks.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/sort/sort_chunks.hpp"
#include "upsweep/sort/sort_implementation.hpp"
#include "upsweep/sort/sort_order.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {

using namespace core;

namespace {

bool same_place(memory a, memory b) { return a.address() == b.address(); }

memory elements(memory m, std::uint64_t first, std::uint64_t size) { return m.base ? m.plus_bytes(first * size) : m; }

template <class F>
void in_parallel(std::uint64_t n, F f) {
  cpu::for_each_piece(n, 1 << 14, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) f(i);
  });
}

// Calls f(bits of type U as the key's order sees them, before) for the type of p's keys.
template <class F>
void with_order(const problem& p, F f) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    using U = order_image<T>;
    const order_window<U> window(p.first_bit, p.last_bit, p.descending);
    f(type_tag<U>{},
      [window](U a, U b) { return window(order_bits_of<order_for<T>>(a)) < window(order_bits_of<order_for<T>>(b)); });
  });
}

void add_to_indices(const problem& p, std::uint64_t count, std::uint64_t first) {
  if (p.value_bytes == 4) {
    in_parallel(count, [at = p.out2.as<std::uint32_t>(), first](std::uint64_t i) {
      at[i] += static_cast<std::uint32_t>(first);
    });
  } else {
    in_parallel(count, [at = p.out2.as<std::uint64_t>(), first](std::uint64_t i) { at[i] += first; });
  }
}

// Runs `q`, whose addresses are the device's, on count elements of p from `first` on.
class keys_on_device {
 public:
  keys_on_device(const target& to, const problem& p, std::uint64_t capacity)
      : to_(to),
        device_(to.on()),
        p_(p),
        size_(size_of(p.type)),
        keys_(device_, capacity * size_),
        values_(device_, capacity * p.value_bytes) {}

  void run(problem q, std::uint64_t first, std::uint64_t count) {
    q.n = count;
    q.in = q.out = keys_.where();
    q.in2 = p_.indices ? memory{} : values_.where();
    q.out2 = values_.where();
    device_.upload(q.in, elements(p_.in, first, size_).address(), count * size_);
    if (p_.value_bytes != 0 && !p_.indices)
      device_.upload(q.in2, elements(p_.in2, first, p_.value_bytes).address(), count * p_.value_bytes);
    detail::sort_impl::run(to_, q);
    problem host = p_;
    host.out = elements(p_.out, first, size_), host.out2 = elements(p_.out2, first, p_.value_bytes);
    device_.download(host.out.address(), q.out, count * size_);
    if (p_.value_bytes != 0) device_.download(host.out2.address(), q.out2, count * p_.value_bytes);
    if (p_.indices && first > 0) add_to_indices(host, count, first);
  }

 private:
  target to_;
  device& device_;
  const problem& p_;
  std::uint64_t size_;
  staging keys_, values_;
};

void merge_sorted_chunks(const problem& p, const std::vector<std::uint64_t>& bounds) {
  with_order(p, [&]<class U>(type_tag<U>, auto before) {
    switch (p.value_bytes) {
      case 0: return merge_runs(p.out.as<U>(), static_cast<char*>(nullptr), bounds, before);
      case 4: return merge_runs(p.out.as<U>(), p.out2.as<std::uint32_t>(), bounds, before);
      default: return merge_runs(p.out.as<U>(), p.out2.as<std::uint64_t>(), bounds, before);
    }
  });
}

void sort_chunks(const target& to, const problem& p, std::uint64_t chunk) {
  keys_on_device on_device(to, p, std::min(chunk, p.n));
  std::vector<std::uint64_t> bounds{0};
  for_each_chunk_of(chunk, p.n, [&](std::uint64_t first, std::uint64_t count) {
    on_device.run(p, first, count);
    bounds.push_back(first + count);
  });
  merge_sorted_chunks(p, bounds);
}

// Whole segments at once, as many as fit; a segment that is larger than a chunk is sorted in chunks of its own.
void sort_segments(const target& to, const problem& p, std::uint64_t chunk) {
  device& d = to.on();
  const std::uint64_t size = size_of(p.type), *offsets = p.in3.as<const std::uint64_t>();
  if (!same_place(p.in, p.out)) std::memcpy(p.out.address(), p.in.address(), p.n * size);
  if (p.indices) {
    // Each key's own index, for keys outside all segments.
    in_parallel(p.n, [&](std::uint64_t i) { std::memcpy(p.out2.as<char>() + i * p.value_bytes, &i, p.value_bytes); });
  } else if (p.value_bytes != 0 && !same_place(p.in2, p.out2)) {
    std::memcpy(p.out2.address(), p.in2.address(), p.n * p.value_bytes);
  }
  keys_on_device on_device(to, p, std::min(chunk, p.n));
  staging starts(d, (std::min(chunk, p.m) + 1) * 8);
  std::vector<std::uint64_t> rebased;
  for (std::uint64_t s = 0; s < p.m;) {
    const std::uint64_t first = offsets[s];
    if (offsets[s + 1] - first > chunk) {
      problem one = p;
      one.what = primitive::sort, one.n = offsets[s + 1] - first;
      one.in = elements(p.in, first, size), one.out = elements(p.out, first, size);
      one.in2 = elements(p.in2, first, p.value_bytes), one.out2 = elements(p.out2, first, p.value_bytes);
      sort_chunks(to, one, chunk);
      if (p.indices) add_to_indices(one, one.n, first);
      ++s;
      continue;
    }
    std::uint64_t end = s;
    rebased.assign(1, 0);
    for (; end < p.m && end - s < chunk && offsets[end + 1] - first <= chunk; ++end)
      rebased.push_back(offsets[end + 1] - first);
    problem part = p;
    part.in3 = starts.where(), part.m = end - s;
    d.upload(part.in3, rebased.data(), rebased.size() * 8);
    on_device.run(part, first, offsets[end] - first);
    s = end;
  }
}

// The first keys of each chunk, of which the first are kept.
void top_of_chunks(const target& to, const problem& p, std::uint64_t chunk) {
  device& d = to.on();
  const std::uint64_t size = size_of(p.type), most = std::min(chunk, p.n);
  staging in(d, most * size), out(d, std::min(most, p.m) * size), places(d, std::min(most, p.m) * 8);
  with_order(p, [&]<class U>(type_tag<U>, auto before) {
    std::vector<U> best, found, joined;
    std::vector<std::uint64_t> best_at, found_at, joined_at;
    for_each_chunk_of(chunk, p.n, [&](std::uint64_t first, std::uint64_t count) {
      problem q = p;
      q.n = count, q.m = std::min(q.n, p.m);
      q.in = in.where(), q.out = out.where(), q.out2 = places.where();
      d.upload(q.in, elements(p.in, first, size).address(), q.n * size);
      run(to, q);
      found.resize(q.m), found_at.resize(q.m);
      d.download(found.data(), q.out, q.m * size);
      d.download(found_at.data(), q.out2, q.m * 8);
      for (std::uint64_t& at : found_at) at += first;
      joined.resize(std::min(best.size() + found.size(), p.m)), joined_at.resize(joined.size());
      merge_two(best.data(), best.size(), found.data(), found.size(), before,
                [&](bool from_best, std::uint64_t i, std::uint64_t k) {
                  if (k >= joined.size()) return;
                  joined[k] = from_best ? best[i] : found[i];
                  joined_at[k] = from_best ? best_at[i] : found_at[i];
                });
      std::swap(best, joined), std::swap(best_at, joined_at);
    });
    std::copy(best.begin(), best.end(), p.out.as<U>());
    std::copy(best_at.begin(), best_at.end(), p.out2.as<std::uint64_t>());
  });
}

void merge_from_host(const target& to, const problem& p, bool in_chunks) {
  device& d = to.on();
  const std::uint64_t size = size_of(p.type), bytes = p.n * size, bytes2 = p.m * size;
  // Larger inputs are read and written once here, which is faster than copying to the device and back.
  if (in_chunks || 2 * (bytes + bytes2) > d.free_memory() / 2)
    return with_order(p, [&]<class U>(type_tag<U>, auto before) {
      const U *a = p.in.as<const U>(), *b = p.in2.as<const U>();
      merge_two(a, p.n, b, p.m, before,
                [&](bool from_a, std::uint64_t i, std::uint64_t k) { p.out.as<U>()[k] = from_a ? a[i] : b[i]; });
    });
  staging in(d, bytes), in2(d, bytes2), out(d, bytes + bytes2);
  problem q = p;
  q.in = in.where(), q.in2 = in2.where(), q.out = out.where();
  if (bytes != 0) d.upload(q.in, p.in.address(), bytes);
  if (bytes2 != 0) d.upload(q.in2, p.in2.address(), bytes2);
  run(to, q);
  d.download(p.out.address(), q.out, bytes + bytes2);
}

// Chunks share an element, so that every pair of neighbours is tested.
void find_break(const target& to, const problem& p, std::uint64_t chunk) {
  device& d = to.on();
  const std::uint64_t size = size_of(p.type), step = std::max<std::uint64_t>(chunk, 2) - 1;
  std::uint64_t& count = *p.count.as<std::uint64_t>();
  count = p.n;
  staging in(d, std::min(step + 1, p.n) * size);
  problem q = p;
  q.in = in.where(), q.count = d.scratch("sort/run/counts", 16);
  for (std::uint64_t first = 0; first + 1 < p.n; first += step) {
    q.n = std::min(step + 1, p.n - first);
    d.upload(q.in, elements(p.in, first, size).address(), q.n * size);
    run(to, q);
    std::uint64_t found = 0;
    d.download(&found, q.count, sizeof found);
    if (found == q.n) continue;
    count = first + found;
    return;
  }
}

// Values of sizes that no kernel supports: the keys' indices are sorted, and the values fetched by them.
void sort_by_indices(const target& to, const problem& p, std::uint64_t chunk) {
  std::vector<std::uint64_t> order(p.n);
  problem q = p;
  q.indices = true, q.value_bytes = 8, q.in2 = {}, q.out2 = {order.data(), 0};
  run_from_host(to, q, chunk);
  const std::uint64_t bytes = p.value_bytes;
  const char* from = p.in2.as<const char>();
  std::vector<char> copy;
  if (same_place(p.in2, p.out2)) {
    copy.assign(from, from + p.n * bytes);
    from = copy.data();
  }
  in_parallel(p.n, [&, to = p.out2.as<char>()](std::uint64_t i) {
    std::memcpy(to + i * bytes, from + order[i] * bytes, bytes);
  });
}

}  // namespace

void run_from_host(const target& to, const problem& p, std::uint64_t chunk) {
  device& d = to.on();
  const bool sorts = p.what == primitive::sort || p.what == primitive::segmented_sort;
  if (d.kind() == backend::cpu && chunk == 0) return sorts ? run_with_values(to, p) : run(to, p);
  if (sorts && p.value_bytes != 0 && p.value_bytes != 4 && p.value_bytes != 8 && !p.indices)
    return sort_by_indices(to, p, chunk);
  choose(to, p);  // the same errors with elements as without
  if (p.what == primitive::merge) return p.n + p.m == 0 ? void() : merge_from_host(to, p, chunk != 0);
  if (p.what == primitive::is_sorted && p.n == 0) *p.count.as<std::uint64_t>() = 0;
  if (p.n == 0 || (p.what == primitive::top_k && p.m == 0)) return;
  const std::uint64_t size = size_of(p.type),
                      each = p.what == primitive::top_k
                                 ? 2 * size + 8
                                 : size + p.value_bytes + (p.what == primitive::segmented_sort ? 8 : 0);
  const std::uint64_t at_once = chunk != 0 ? chunk : chunk_elements(d, p.n, each);
  switch (p.what) {
    case primitive::segmented_sort: return sort_segments(to, p, at_once);
    case primitive::top_k: return top_of_chunks(to, p, at_once);
    case primitive::is_sorted: return find_break(to, p, at_once);
    default: return sort_chunks(to, p, at_once);
  }
}

}  // namespace upsweep::detail::sort_impl
