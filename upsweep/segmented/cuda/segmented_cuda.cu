// Converts keys and segments to bits, sums by 32-bit keys without bits, and has the catalog entries of the CUDA
// by-key kernels. The operators are in separate files, so that they compile in parallel.
#include "upsweep/segmented/cuda/segmented_cuda_type_dispatch.cuh"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::cuda {

namespace {

// Bit i: element i's key differs from the one before.
template <class U>
__global__ void __launch_bounds__(256)
    mark_keys(const U* keys, std::uint64_t n, equal_on_bits<U> equal, std::uint32_t* bits) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * 256 + threadIdx.x;
  const bool head = i < n && (i == 0 || !equal(keys[i - 1], keys[i]));
  const unsigned word = __ballot_sync(whole_warp, head);
  if (threadIdx.x % warp_size == 0 && i < n) bits[i / 32] = word;
}

}  // namespace

const std::uint32_t* heads_of(device& d, const detail::segmented_impl::problem& p) {
  const char* const where = "heads on cuda";
  if (p.what == detail::segmented_impl::primitive::segmented_scan)
    return bits_of_segments(d, p.in2.as<const std::uint64_t>(), p.m, p.n, where);
  auto* const bits = d.scratch("segmented/cuda/bits", (p.n / 32 + 1) * sizeof(std::uint32_t)).as<std::uint32_t>();
  with_width(size_of(p.key_type), [&]<class U>(type_tag<U>) {
    const U* const keys = p.in2.as<const U>();
    if (p.what == detail::segmented_impl::primitive::reduce_by_key) {
      firsts_pass<U> firsts{};
      firsts.in = keys, firsts.n = p.n, firsts.out[0] = p.out2.as<U>(), firsts.counts = p.count.as<std::uint64_t>();
      firsts.group = {make_equal<U>(p.key_type)};
      run_compact<at_every_size<U>>(d, firsts, where);
    }
    mark_keys<<<static_cast<unsigned>((p.n + 255) / 256), 256, 0, d.stream()>>>(keys, p.n, make_equal<U>(p.key_type),
                                                                                bits);
    check(cudaGetLastError(), where);
  });
  return bits;
}

}  // namespace upsweep::cuda

namespace upsweep::detail::segmented_impl {

void reduce_on_cuda(cuda::device& d, const problem& p);            // segmented_reduce.cu
void scan_on_cuda(cuda::device& d, const problem& p);              // segmented_scan.cu
void reduce_segments_on_cuda(cuda::device& d, const problem& p);   // segmented_reduce_segments.cu
void scan_segments_on_cuda(cuda::device& d, const problem& p);     // segmented_scan_segments.cu
void scan_tiles_on_cuda(cuda::device& d, const problem& p);        // segmented_scan_tiles.cu
void scan_tiles_alone_on_cuda(cuda::device& d, const problem& p);  // segmented_scan_tiles.cu

namespace {

// Sums by 32-bit integer keys read keys and values in one pass.
bool direct(const problem& p) {
  return p.op == op_kind::plus && (p.key_type == dtype::u32 || p.key_type == dtype::i32);
}

void reduce_by_key(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.n == 0) return d.fill(p.count, 0, sizeof(std::uint64_t));
  if (!direct(p)) return reduce_on_cuda(d, p);
  cuda::with_kernel<plus>(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::reduce_by_key(d, p.in2.as<const std::uint32_t>(), p.in.as<const T>(), p.n, p.out2.as<std::uint32_t>(),
                        p.out.as<T>(), p.count.as<std::uint64_t>(), op, cuda::equal_elements{}, f);
  });
}

void scan_by_key(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.n == 0) return;
  if (!direct(p)) return scan_on_cuda(d, p);
  cuda::with_kernel<plus>(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::scan_by_key(d, p.in2.as<const std::uint32_t>(), p.in.as<const T>(), p.n, p.out.as<T>(), p.inclusive,
                      p.init.as<T>(), op, cuda::equal_elements{}, f);
  });
}

void segmented_reduce(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.m == 0) return;
  reduce_segments_on_cuda(d, p);
}

bool are_few(const problem& p) {
  return size_of(p.type) == 4 ? cuda::few_segments<std::uint32_t>::are(p.n, p.m)
                              : cuda::few_segments<std::uint64_t>::are(p.n, p.m);
}

void segmented_scan(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.m == 0 || p.n == 0) return;
  scan_segments_on_cuda(d, p);
}

void segmented_scan_by_tiles(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.m == 0 || p.n == 0) return;
  scan_tiles_on_cuda(d, p);
}

void segmented_scan_by_tiles_alone(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.m == 0 || p.n == 0) return;
  // In place, the elements before a tile may already be overwritten when it reads them.
  p.in.address() == p.out.address() ? scan_tiles_on_cuda(d, p) : scan_tiles_alone_on_cuda(d, p);
}

void segmented_scan_by_bits(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.m == 0 || p.n == 0) return;
  scan_on_cuda(d, p);
}

// Grouped in threads of up to 28, trees over lanes and warps, batches of 32 tiles, and one chain of batches.
// In the large shape these are of 49,152 elements of 16 bytes or more, in the small one of 18,432.
constexpr formula chain = {"n/18432 + 100", [](double n) { return n / 18432 + 100; }};
// Shares of segments: runs of lanes, warps and blocks, and the parts of a segment that is cut, a 256th of them each
// thread.
constexpr formula shares = {"n/2^23 + 500", [](double n) { return n / 8388608 + 500; }};
// Of a scan: a warp's part of the longest segment, in rows of at least 32.
constexpr formula rows_of_warps = {"n/256 + 500", [](double n) { return n / 256 + 500; }};

const char* is_not_for_warps(const problem& p) {
  return are_few(p) || scan_by_segment(p.n, p.m, size_of(p.type)) == by_segment::by_number
             ? nullptr
             : "more than 2^15 elements, or long segments";
}
const char* is_not_for_tiles(const problem& p) {
  return scan_by_segment(p.n, p.m, size_of(p.type)) == by_segment::by_bits
             ? "more than 16 MB of elements, or fewer than eight to a segment"
             : nullptr;
}
const char* is_not_for_tiles_alone(const problem& p) {
  return p.n == 0 || fit_for_tiles_alone(p.n, p.m, size_of(p.type))
             ? nullptr
             : "more than 64 KB of elements in long segments, 512 KB in "
               "short ones, or fewer than eight to a segment";
}
bool sums_and_products_of_floats(op_kind op, dtype type) {
  return op == op_kind::plus || (op == op_kind::multiplies && is_floating(type));
}

variant own(std::string_view name, primitive what, std::string_view teaches, formula span, formula launches,
            formula traffic, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name;
  v.where = backend::cuda;
  v.what = what;
  v.kind = variant_kind::tuned;
  v.year = 2026;
  v.source = "upsweep";
  v.teaches = teaches;
  v.work = {"about 2n", [](double n) { return 2 * n; }};
  v.span = span;
  v.launches = launches;
  v.traffic = traffic;
  v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cuda() {
  static const variant all[]{
      own("reduce-by-key/look-ahead", primitive::reduce_by_key,
          "Each tile folds its runs on its own; what it publishes is how many begin in it and the fold of the last, so "
          "only the run "
          "that enters a tile waits for the tiles before.",
          chain, {"1 for sums by 32-bit keys; else 3", [](double) { return 1.0; }},
          {"4n", [](double n) { return 4 * n; }}, reduce_by_key),
      own("scan-by-key/look-ahead", primitive::scan_by_key,
          "Each tile is scanned on its own; only what stands before its first head waits for the tiles before.", chain,
          {"1 for sums by 32-bit keys; else 2", [](double) { return 1.0; }}, {"3n", [](double n) { return 3 * n; }},
          scan_by_key),
      own("segmented-reduce/shares", primitive::segmented_reduce,
          "Blocks take equal shares of segments and elements together, and work on the segments that begin there; only "
          "a segment longer than that is cut.",
          shares, {"1", [](double) { return 1.0; }}, {"n", [](double n) { return n; }}, segmented_reduce),
      own("segmented-scan/bits", primitive::segmented_scan, "Segments become a bit for each element; then as by key.",
          chain, {"3", [](double) { return 3.0; }}, {"2n", [](double n) { return 2 * n; }}, segmented_scan_by_bits),
      [] {
        variant v = own(
            "segmented-scan/tiles", primitive::segmented_scan,
            "A block finds the segments of its tile in the offsets while its elements are on their way, and "
            "waits for the tiles alone that the segment it begins in comes from.",
            chain, {"1", [](double) { return 1.0; }}, {"2n", [](double n) { return 2 * n; }}, segmented_scan_by_tiles);
        v.takes = sums_and_products_of_floats;
        v.cannot = is_not_for_tiles,
        v.limits = "sums, and products of floats, of up to 16 MB in segments of eight and more";
        return v;
      }(),
      [] {
        variant v = own("segmented-scan/warps", primitive::segmented_scan,
                        "Short segments come by way of shared memory, where a few lanes scan each; longer ones are "
                        "scanned by a warp each, the longest by the block.",
                        rows_of_warps, {"1", [](double) { return 1.0; }}, {"2n", [](double n) { return 2 * n; }},
                        segmented_scan);
        v.takes = sums_and_products_of_floats;
        v.cannot = is_not_for_warps;
        v.limits = "sums, and products of floats, of up to 2^15 elements in short segments";
        return v;
      }(),
      [] {
        variant v =
            own("segmented-scan/tiles-alone", primitive::segmented_scan,
                "As by tiles, but a block reads again what its segment has before the tile, and waits for nobody.",
                rows_of_warps, {"1", [](double) { return 1.0; }}, {"2n", [](double n) { return 2 * n; }},
                segmented_scan_by_tiles_alone);
        v.takes = sums_and_products_of_floats;
        v.cannot = is_not_for_tiles_alone;
        v.limits = "sums, and products of floats, of up to 512 KB, in segments of eight and more";
        return v;
      }(),
  };
  return all;
}

}  // namespace upsweep::detail::segmented_impl
