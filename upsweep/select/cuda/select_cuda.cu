// Selection by test and by flag, expansion, gather and scatter, and the CUDA select family's place in the catalog.
// Partitions are in select_partition.cu, unique and run lengths in select_unique.cu, so that they compile side by side.
#include "upsweep/select/cuda/select_cuda_type_dispatch.cuh"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::cuda {

namespace {

struct followed {
  const void* in;
  const own_index* from;
  const std::uint64_t* count;  // null: all of them
  std::uint64_t most;
  std::uint32_t pieces;  // of a value
  void* out;
};
template <class Piece>
__device__ void follow(const followed& f) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * move_threads + threadIdx.x, element = i / f.pieces;
  if (element < (f.count == nullptr ? f.most : *f.count))
    static_cast<Piece*>(f.out)[i] = static_cast<const Piece*>(f.in)[f.from[element].value * f.pieces + i % f.pieces];
}

// Pieces of a number of bytes that divides that of a value, and the addresses.
__global__ void __launch_bounds__(move_threads)
    follow_indices(const __grid_constant__ followed f, std::uint32_t bytes) {
  switch (bytes) {
    case 1: return follow<std::uint8_t>(f);
    case 2: return follow<std::uint16_t>(f);
    case 4: return follow<std::uint32_t>(f);
    default: return follow<std::uint64_t>(f);
  }
}

}  // namespace

void move_values_by_index(device& d, const detail::select_impl::problem& p, const own_index* from, bool all) {
  const std::uintptr_t places = reinterpret_cast<std::uintptr_t>(p.in2.address()) |
                                reinterpret_cast<std::uintptr_t>(p.out2.address()) | p.value_bytes;
  const auto bytes = static_cast<std::uint32_t>(std::min<std::uintptr_t>(places & -places, 8)),
             pieces = static_cast<std::uint32_t>(p.value_bytes / bytes);
  const std::uint64_t blocks = (p.n * pieces + move_threads - 1) / move_threads;
  follow_indices<<<static_cast<unsigned>(blocks), move_threads, 0, d.stream()>>>(
      followed{p.in2.address(), from, all ? nullptr : p.count.as<const std::uint64_t>(), p.n, pieces, p.out2.address()},
      bytes);
  check(cudaGetLastError(), "select on cuda");
}

}  // namespace upsweep::cuda

namespace upsweep::detail::select_impl {

void partition_on_cuda(cuda::device& d, const problem& p);  // select_partition.cu
void unique_on_cuda(cuda::device& d, const problem& p);     // select_unique.cu
void run_lengths_on_cuda(device& where, const problem& p);  // select_unique.cu

namespace {

void select(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  if (p.how == selection::partition || p.how == selection::three_way_partition) return partition_on_cuda(d, p);
  if (p.how == selection::unique) return unique_on_cuda(d, p);
  cuda::with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    if (p.how == selection::flagged) return cuda::move_groups<true, U>(d, p, cuda::group_by_flag{});
    const auto test = cuda::make_test<U>(p.type, p.test, p.threshold);
    cuda::move_groups<true, U>(d, p, cuda::group_by_predicate<cuda::test_on_bits<U>>{test});
  });
}

void expand_runs(device& where, const problem& p) {
  cuda::with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    cuda::run_length_decode(cuda::of(where), p.in.as<const U>(), p.in2.as<const std::uint64_t>(), p.n, p.out.as<U>(),
                            p.m);
  });
}

// Calls body(element as a word, index) for elements and indices of their widths.
template <class Body>
void with_widths(const problem& p, const Body& body) {
  cuda::with_width(size_of(p.type), [&]<class U>(type_tag<U> element) {
    if (p.index_bytes == 4)
      body(element, p.in2.as<const std::uint32_t>());
    else
      body(element, p.in2.as<const std::uint64_t>());
  });
}

void gather(device& where, const problem& p) {
  with_widths(p, [&]<class U>(type_tag<U>, const auto* index) {
    cuda::gather(cuda::of(where), p.in.as<const U>(), index, p.n, p.out.as<U>());
  });
}

void gather_if(device& where, const problem& p) {
  with_widths(p, [&]<class U>(type_tag<U>, const auto* index) {
    cuda::gather_if(cuda::of(where), p.in.as<const U>(), index, p.in3.as<const std::uint8_t>(), p.n, p.out.as<U>());
  });
}

void scatter_if(device& where, const problem& p) {
  with_widths(p, [&]<class U>(type_tag<U>, const auto* index) {
    cuda::scatter_if(cuda::of(where), p.in.as<const U>(), index, p.in3.as<const std::uint8_t>(), p.n, p.out.as<U>());
  });
}

void batched_copy(device& where, const problem& p) {
  cuda::with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    const cuda::piece_starts<U> all{p.in.as<const U>(), p.out.as<U>(), p.in2.as<const std::uint64_t>(),
                                    p.in4.as<const std::uint64_t>()};
    cuda::batched_copy(cuda::of(where), all, p.in3.as<const std::uint64_t>(), p.n, p.m);
  });
}

constexpr formula once = {"n", [](double n) { return n; }};
constexpr formula twice = {"2n", [](double n) { return 2 * n; }};
constexpr formula thrice = {"3n", [](double n) { return 3 * n; }};
constexpr formula one = {"1", [](double) { return 1.0; }};
constexpr formula chain = {"n/200000 + 40", [](double n) { return n / 200000 + 40; }};

constexpr variant own(std::string_view name, primitive what, std::string_view teaches, formula span, formula launches,
                      formula traffic, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name;
  v.where = backend::cuda;
  v.what = what;
  v.kind = variant_kind::tuned;
  v.year = 2026;
  v.source = "upsweep";
  v.teaches = teaches;
  v.work = once;
  v.span = span;
  v.launches = launches;
  v.traffic = traffic;
  v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cuda() {
  static const variant all[]{
      own("select/look-ahead", primitive::select,
          "Tiles are compacted in shared memory before anyone knows where they belong; each publishes how many it "
          "keeps, and a warp "
          "adds these up ahead of need. A stable partition counts first.",
          chain, {"1; 2 for a large partition", [](double) { return 1.0; }}, twice, select),
      own("run-lengths/look-ahead", primitive::run_lengths,
          "As select, of the elements that differ from the one before; a length is the distance to the next of them.",
          chain, one, thrice, run_lengths_on_cuda),
      own("expand-runs/by-output", primitive::expand_runs,
          "Ends of runs by a scan; then each block fills a piece of the output, the first run of which it finds by a "
          "search 32 wide.",
          chain, {"2", [](double) { return 2.0; }}, thrice, expand_runs),
      own("gather/eight-in-flight", primitive::gather,
          "Eight loads a thread are on their way before the first is used.", one, one, thrice, gather),
      own("gather-if/eight-in-flight", primitive::gather_if,
          "Eight flags a thread, then eight loads where they say so.", one, one, thrice, gather_if),
      own("scatter-if/eight-in-flight", primitive::scatter_if,
          "Eight stores a thread, after eight loads; no flag, no traffic.", one, one, thrice, scatter_if),
      own("copy-pieces/by-element", primitive::batched_copy,
          "Where pieces begin by a scan; then blocks take tiles of all elements, whatever pieces they are of.", chain,
          {"2", [](double) { return 2.0; }}, twice, batched_copy),
  };
  return all;
}

}  // namespace upsweep::detail::select_impl
