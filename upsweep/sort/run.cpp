#include "upsweep/sort/run.hpp"

#include <algorithm>
#include <limits>

#include "upsweep/sort/order.hpp"
#include "upsweep/sort/records.hpp"

namespace upsweep::sort_room {

namespace {

// Whether a call would find a variant for this.
bool can_run(const device& d, const problem& p) {
  if (const auto forced = d.forced.find(name_of(p.what)); forced != d.forced.end())
    return why_not(*forced->second, d, p).empty();
  const auto all = catalog();
  return std::any_of(all.begin(), all.end(),
                     [&](const variant& v) { return v.what == p.what && why_not(v, d, p).empty(); });
}

bool same_place(memory a, memory b) { return a.base == b.base && a.offset == b.offset; }

void sort_keys(device& d, const problem& p, memory out) {
  problem q = p;
  q.what = primitive::sort, q.out = out, q.value_bytes = 0, q.indices = false;
  run(d, q);
}

// p.in is device memory.
void find_nth_on_device(device& d, const problem& p, std::uint64_t k, void* key) {
  const std::uint64_t size = size_of(p.type);
  problem q = p;
  // Counted from the nearer end.
  const bool from_the_end = p.n - k < k + 1;
  q.what = primitive::top_k, q.m = from_the_end ? p.n - k : k + 1, q.descending = p.descending != from_the_end;
  if (can_run(d, q)) {
    q.out = d.scratch("sort/run/keys", q.m * size);
    q.out2 = d.scratch("sort/run/places", q.m * 8);
    run(d, q);
    d.download(key, q.out.plus_bytes((q.m - 1) * size), size);
  } else {
    const memory sorted = d.scratch("sort/run/keys", p.n * size);
    sort_keys(d, p, sorted);
    d.download(key, sorted.plus_bytes(k * size), size);
  }
}

// How `select` tells the keys before that of rank k from the others; false where it cannot.
bool split_around(device& d, problem& q, const problem& p, std::uint64_t k) {
  // A comparison of floats puts NaNs last, and knows nothing of single bits.
  if (p.last_bit != 0 || (is_floating(p.type) && p.descending)) return false;
  q.what = primitive::select, q.how = selection::partition3, q.descending = false;
  q.test = p.descending ? comparison::greater : comparison::less, q.test2 = comparison::equal;
  if (!can_run(d, q)) return false;
  find_nth_on_device(d, p, k, q.threshold.bytes);
  q.threshold2 = q.threshold;
  const bool nan = with_any_type(p.type, [&]<class T>(type_tag<T>) {
    return order_for<T> == key_order::floating &&
           order_bits(q.threshold.as<T>()) == static_cast<order_image<T>>(~order_image<T>{0});
  });
  if (!nan) return true;
  // Numbers first, then the NaNs.
  q.how = selection::partition, q.test = comparison::less_equal;
  q.threshold = p.type == dtype::f16   ? scalar::of(half::of_bits(0x7c00))
                : p.type == dtype::f32 ? scalar::of(std::numeric_limits<float>::infinity())
                                       : scalar::of(std::numeric_limits<double>::infinity());
  return can_run(d, q);
}

void rearrange_on_device(device& d, const problem& p, std::uint64_t k) {
  problem q = p;
  if (!split_around(d, q, p, k)) return sort_keys(d, p, p.out);
  if (same_place(p.in, p.out)) {
    q.in = d.scratch("sort/run/keys", p.n * size_of(p.type));
    d.copy(q.in, p.in, p.n * size_of(p.type));
  }
  q.count = d.scratch("sort/run/counts", 16);
  run(d, q);
}

// Memory of the device for one call.
class staging {
 public:
  staging(device& d, std::uint64_t bytes) : device_(d), where_(d.allocate(bytes)) {}
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;
  ~staging() {
    if (where_.base) device_.release(where_);
  }
  memory where() const { return where_; }

 private:
  device& device_;
  memory where_;
};

}  // namespace

void run_with_values(device& d, const problem& p) {
  const bool by_a_kernel = p.value_bytes == 0 || p.value_bytes == 4 || p.value_bytes == 8 || p.indices;
  if (by_a_kernel || (d.kind() == backend::cpu && can_run(d, p))) return run(d, p);
  problem q = p;
  q.indices = true, q.in2 = {};
  q.value_bytes = p.n >> 32 ? 8 : 4;
  q.out2 = d.scratch("sort/run/order", std::max<std::uint64_t>(p.n * q.value_bytes, 16));
  run(d, q);
  if (p.n == 0) return;
  const std::uint64_t bytes = p.n * p.value_bytes;
  if (!same_place(p.in2, p.out2)) return gather_records(d, p.in2, p.value_bytes, q.out2, q.value_bytes, p.n, p.out2);
  const memory moved = d.scratch("sort/run/values", bytes);
  gather_records(d, p.in2, p.value_bytes, q.out2, q.value_bytes, p.n, moved);
  d.copy(p.out2, moved, bytes);
}

void find_nth(device& d, const problem& p, std::uint64_t k, void* key, bool on_host) {
  if (!on_host || d.kind() == backend::cpu) return find_nth_on_device(d, p, k, key);
  const std::uint64_t size = size_of(p.type);
  problem q = p;
  const bool from_the_end = p.n - k < k + 1;
  q.what = primitive::top_k, q.m = from_the_end ? p.n - k : k + 1, q.descending = p.descending != from_the_end;
  std::vector<std::byte> keys(q.m * size);
  std::vector<std::uint64_t> places(q.m);
  q.out = {keys.data(), 0}, q.out2 = {places.data(), 0};
  run_from_host(d, q);
  std::copy_n(keys.data() + (q.m - 1) * size, size, static_cast<std::byte*>(key));
}

void rearrange_around_nth(device& d, const problem& p, std::uint64_t k, bool on_host) {
  if (!on_host || d.kind() == backend::cpu) return rearrange_on_device(d, p, k);
  const std::uint64_t bytes = p.n * size_of(p.type);
  if (bytes > d.free_memory() / 8) {
    problem q = p;  // a sorted sequence is rearranged as well as any
    q.what = primitive::sort;
    return run_from_host(d, q);
  }
  staging both(d, bytes);
  problem q = p;
  q.in = q.out = both.where();
  d.upload(q.in, p.in.address(), bytes);
  rearrange_on_device(d, q, k);
  d.download(p.out.address(), q.out, bytes);
}

void check_same_size(const char* where, const char* one, std::uint64_t size, const char* other,
                     std::uint64_t other_size) {
  if (size != other_size)
    throw error(fault::bad_argument, where,
                "there are " + std::to_string(size) + " " + one + " and " + std::to_string(other_size) + " " + other,
                "give both the same size");
}

void check_bits(const char* where, unsigned first_bit, unsigned last_bit, unsigned key_bits) {
  if (first_bit == 0 && last_bit == 0) return;
  const std::string range = "bits " + std::to_string(first_bit) + " to " + std::to_string(last_bit);
  if (last_bit > key_bits)
    throw error(fault::bad_argument, where, range + " are asked for, and a key has " + std::to_string(key_bits),
                "end the range inside the key");
  if (first_bit >= last_bit)
    throw error(fault::bad_argument, where, range + " are none",
                "let last_bit be larger than first_bit, or leave both 0 for the whole key");
}

void check_rank(const char* where, std::uint64_t k, std::uint64_t n) {
  if (k >= n)
    throw error(fault::bad_argument, where,
                "rank " + std::to_string(k) + " is asked for of " + std::to_string(n) + " elements",
                "count ranks from 0 to one less than there are elements");
}

void check_offsets(const char* where, const std::uint64_t* offsets, std::uint64_t count, std::uint64_t n) {
  for (std::uint64_t s = 0; s < count; ++s) {
    if (offsets[s] > n)
      throw error(fault::bad_argument, where,
                  "offset " + std::to_string(s) + " is " + std::to_string(offsets[s]) + ", past the end of " +
                      std::to_string(n) + " elements",
                  "give offsets of at most the number of elements");
    if (s > 0 && offsets[s] < offsets[s - 1])
      throw error(fault::bad_argument, where,
                  "offset " + std::to_string(s) + " is " + std::to_string(offsets[s]) + ", less than " +
                      std::to_string(offsets[s - 1]) + " before it",
                  "give offsets that do not decrease");
  }
}

void check_overlap(const char* where, memory a, std::uint64_t a_bytes, memory b, std::uint64_t b_bytes, bool same,
                   bool bases_are_addresses) {
  if (a_bytes == 0 || b_bytes == 0 || (!bases_are_addresses && a.base != b.base)) return;
  const auto begin = [&](memory m) {
    return (bases_are_addresses ? reinterpret_cast<std::uintptr_t>(m.base) : 0) + m.offset;
  };
  const std::uint64_t x = begin(a), y = begin(b);
  if (x + a_bytes <= y || y + b_bytes <= x || (same && x == y && a_bytes == b_bytes)) return;
  throw error(fault::bad_argument, where,
              same ? "the input and the output overlap without being the same" : "two operands overlap",
              same ? "work in place exactly, or into memory of its own" : "give each memory of its own");
}

}  // namespace upsweep::sort_room
