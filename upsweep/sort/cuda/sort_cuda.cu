// The catalog entries of the CUDA sort.
#include <cmath>

#include "upsweep/sort/cuda/sort_cuda_records.cuh"
#include "upsweep/sort/cuda/sort_merged.cuh"
#include "upsweep/sort/cuda/sort_select_kth.cuh"
#include "upsweep/sort/cuda/sort_top_k_rows.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::cuda {

void radix_sort(device& d, const radix_request& r) {
  switch (r.value_bytes) {
    case 0: return radix_sort_keys(d, r);
    case 4: return radix_sort_with_words(d, r);
    default: return radix_sort_with_long_words(d, r);
  }
}

template <class Key, class Less>
__global__ void find_first_break(const Key* in, std::uint64_t n, unsigned long long* answer, Less less) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x + 1; i < n; i += stride)
    if (less(in[i], in[i - 1])) {
      atomicMin(answer, static_cast<unsigned long long>(i));
      return;
    }
}

static __global__ void set_answer(unsigned long long* answer, unsigned long long value) { *answer = value; }

}  // namespace upsweep::cuda

namespace upsweep::detail::sort_impl {

namespace {

cuda::radix_request request_of(const problem& p) {
  cuda::radix_request r;
  r.key_bytes = static_cast<std::uint32_t>(size_of(p.type));
  r.order = order_of(p.type);
  r.descending = p.descending;
  r.first_bit = p.first_bit;
  r.last_bit = p.last_bit == 0 ? 8 * r.key_bytes : p.last_bit;
  r.n = p.n;
  r.keys = p.in.address();
  r.keys_out = p.out.address();
  if (p.value_bytes == 0) return r;
  r.value_bytes = p.value_bytes;
  r.values = p.indices ? nullptr : p.in2.address();
  r.values_out = p.out2.address();
  return r;
}

// Calls f(image of the problem's keys).
template <class F>
void with_keys(const problem& p, F f) {
  const cuda::radix_request r = request_of(p);
  const auto call = [&]<class Key>(type_tag<Key>) {
    f(cuda::compared_image<Key>(r.order, r.first_bit, r.last_bit, r.descending));
  };
  switch (size_of(p.type)) {
    case 1: return call(type_tag<std::uint8_t>{});
    case 2: return call(type_tag<std::uint16_t>{});
    case 4: return call(type_tag<std::uint32_t>{});
    default: return call(type_tag<std::uint64_t>{});
  }
}

void sort_keys(device& d, const problem& p) { cuda::radix_sort(cuda::of(d), request_of(p)); }

void sort_segments(device& d, const problem& p) {
  cuda::segmented_sort(cuda::of(d), request_of(p), p.in3.as<const std::uint64_t>(), p.m);
}

void first_k(device& d, const problem& p) {
  if (p.m == 0) return;
  if (can_find_first_of_rows(p.n, p.m)) {
    const cuda::radix_request r = request_of(p);
    return first_of_rows_on_cuda(d, {r.key_bytes, 8, r.order, r.descending, r.first_bit, r.last_bit, 1, p.n, p.m,
                                     r.keys, r.keys_out, p.out2.address()});
  }
  with_keys(p, [&]<class Key>(const cuda::compared_image<Key>& image) {
    cuda::top_k(cuda::of(d), p.in.as<const Key>(), p.n, p.m, image, request_of(p), p.out.as<Key>(),
                p.out2.as<std::uint64_t>());
  });
}

void merge_two(device& d, const problem& p) {
  cuda::with_merging_order(
      p.type, p.first_bit, p.last_bit, p.descending, [&]<class Key, class Less>(type_tag<Key>, const Less& less) {
        cuda::merge_by_comparing(d, p.in.as<const Key>(), p.n, p.in2.as<const Key>(), p.m, p.out.as<Key>(), less);
      });
}

void look(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  auto* answer = p.count.as<unsigned long long>();
  cuda::set_answer<<<1, 1, 0, d.stream()>>>(answer, p.n);
  cuda::check(cudaGetLastError(), "is_sorted on cuda");
  if (p.n < 2) return;
  with_keys(p, [&]<class Key>(const cuda::compared_image<Key>& image) {
    const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>((p.n + 255) / 256, 16 * d.multiprocessors()));
    cuda::find_first_break<<<blocks, 256, 0, d.stream()>>>(p.in.as<const Key>(), p.n, answer,
                                                           cuda::image_less<Key>{image});
  });
  cuda::check(cudaGetLastError(), "is_sorted on cuda");
}

const char* other_values(const problem& p) {
  return p.value_bytes == 0 || p.value_bytes == 4 || p.value_bytes == 8 ? nullptr
                                                                        : "values of other sizes than 4 and 8 bytes";
}

constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula linear{"n", [](double n) { return n; }};

variant entry(std::string_view name, primitive what, std::string_view teaches, formula work, formula launches,
              formula traffic, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.where = backend::cuda, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
  v.source = "upsweep", v.teaches = teaches;
  v.work = work, v.span = one, v.launches = launches, v.traffic = traffic, v.cannot = other_values, v.run = run;
  return v;
}

}  // namespace

void gather_records_on_cuda(device& where, memory in, std::uint64_t record_bytes, memory index,
                            std::uint32_t index_bytes, std::uint64_t n, memory out) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  const auto place = reinterpret_cast<std::uintptr_t>(in.address()) | reinterpret_cast<std::uintptr_t>(out.address());
  const auto bytes = static_cast<std::uint32_t>(word_of_records(record_bytes, place, 16));
  const auto words_a_record = static_cast<std::uint32_t>(record_bytes / bytes);
  const cuda::records r{in.address(),       index.address(), out.address(),
                        n * words_a_record, words_a_record,  index_bytes == 8};
  const std::uint64_t wanted = (r.words + cuda::record_threads - 1) / cuda::record_threads;
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(wanted, std::uint64_t{64} * d.multiprocessors()));
  cuda::gather_records<<<blocks, cuda::record_threads, 0, d.stream()>>>(r, bytes);
  cuda::check(cudaGetLastError(), "values of a sort on cuda");
}

std::span<const variant> cuda() {
  static const variant all[]{
      entry(
          "sort/scanned-sweep", primitive::sort,
          "Each pass reads and writes a key once; one block scans all tiles' digit counts, so no tile looks back. "
          "Floats travel as codes, pairs of one width as records. Short inputs stay in the shared memory of a cluster.",
          {"5n", [](double n) { return 5 * n; }}, {"1 + a pass a digit", [](double) { return 5.0; }},
          {"9n", [](double n) { return 9 * n; }}, sort_keys),
      entry("segmented-sort/by-length", primitive::segmented_sort,
            "Threads sort some neighbours each by a network, and merge within the block; what no block can "
            "hold is split by digits first. The device alone knows the lengths.",
            {"n log2 n", [](double n) { return n * std::log2(n + 2); }}, {"2", [](double) { return 2.0; }},
            {"2n", [](double n) { return 2 * n; }}, sort_segments),
      entry("top-k/radix-select", primitive::top_k,
            "Digits from the top tell the key of rank k; those before it are collected, and they alone are sorted.",
            {"6n", [](double n) { return 6 * n; }}, {"12", [](double) { return 12.0; }},
            {"7n", [](double n) { return 7 * n; }}, first_k),
      entry(
          "merge/path", primitive::merge,
          "A warp finds where a block's piece of the result begins in both inputs, 32 elements at a time; each thread "
          "finds its own of that by bisection.",
          linear, {"2", [](double) { return 2.0; }}, {"2n", [](double n) { return 2 * n; }}, merge_two),
      entry("is-sorted/neighbours", primitive::is_sorted, "Each thread compares neighbours; the first breach wins.",
            linear, {"2", [](double) { return 2.0; }}, linear, look),
  };
  return all;
}

}  // namespace upsweep::detail::sort_impl
