// scan with device source: selects the kernel of scan/scan_cuda.cuh for each size, and builds its arguments. The
// element size is known only at run time.
#include "upsweep/scan/cuda/scan_cuda_jit.hpp"

#include <algorithm>

#include "upsweep/cuda/cuda_jit.hpp"
#include "upsweep/scan/cuda/scan_cuda_tuning.hpp"

namespace upsweep::cuda {

extern const embedded_source scan_kernels[];

namespace {

constexpr int elements_a_run = 16, runs_a_block = 64;  // as in large_elements.cuh

// The type of the values that threads and tiles exchange (operators/wide_accumulators.hpp, scan_f64.cuh): the element,
// or its carrier.
struct handed_on {
  std::uint64_t shared_bytes;  // bytes of a value in shared memory
  int words;                   // 32-bit words of a tile's aggregate
};

handed_on handed_on_by(const opencl::custom_kernel& k) {
  const carrier_layout c = carrier_of(k);
  const bool plain_first =
      k.type_name && k.op_name && k.type_name == name_of(dtype::f64) && k.op_name == name_of(op_kind::plus);
  if (plain_first) return {sizeof(double) + c.size, 2 + c.words};
  return {c.size, c.words};
}

// An entry of scan_tuning, and its name.
struct row {
  const char* name;
  int tile, threads;
  std::uint64_t shared_bytes;
};

// The part of scan_tuning that depends on the element size: elements in 16-byte pieces, or each by itself.
struct plan {
  std::uint64_t one_block_bytes = 0, rows_bytes = 0,
                rows_tile = 0;  // rows_tile: in elements, 0 where there are no rows
  row ring{};
  bool by_runs = false;
};

template <class Shape>
row row_of(const char* name, std::size_t size, std::uint64_t value_bytes) {
  // The other members of the ring's struct exist once (scan_ring.cuh checks that).
  return {name, Shape::tile, Shape::threads + 2 * 32, ring_bytes<Shape>(Shape::tile * size, value_bytes) + 128};
}

template <int Bytes>
plan plan_of(std::uint64_t shared_limit, std::uint64_t value_bytes) {
  using tuning = scan_tuning<Bytes>;
  constexpr int tile = tuning::row_threads * tuning::rows * tuning::per_piece;
  plan p{tuning::one_block_bytes, tuning::rows_bytes, tile, {}, false};
  p.ring = row_of<typename tuning::large>("large", Bytes, value_bytes);
  if (p.ring.shared_bytes > shared_limit) p.ring = row_of<typename tuning::small>("small", Bytes, value_bytes);
  return p;
}

plan plan_for(std::uint64_t shared_limit, const opencl::custom_kernel& k) {
  const std::size_t size = k.size;
  const std::uint64_t value_bytes = handed_on_by(k).shared_bytes;
  switch (size) {
    case 1: return plan_of<1>(shared_limit, value_bytes);
    case 2: return plan_of<2>(shared_limit, value_bytes);
    case 4: return plan_of<4>(shared_limit, value_bytes);
    case 8: return plan_of<8>(shared_limit, value_bytes);
    default: break;
  }
  using tuning = scan_tuning<32>;
  plan p{tuning::one_block_bytes, 0, 0, row_of<tuning::any_size>("any_size", size, size), false};
  p.by_runs = size > scan_largest_in_tiles || p.ring.shared_bytes > shared_limit;
  return p;
}

constexpr int row_threads = scan_tuning<4>::row_threads;

struct operands {
  const void *in, *out;
  std::uint64_t n;
  bool inclusive, bulk_in, bulk_out;
  const void* init_there;
};

// Appends the bytes of an initial<T>.
void add_initial(argument_bytes& a, const opencl::custom_kernel& k, const operands& o) {
  const std::size_t align = std::max(k.align, alignof(void*));
  a.pad(align).add(k.init, k.size, k.align).add(o.init_there).pad(align);
}

// The bytes of a scan_arguments<T>.
argument_bytes tile_arguments(const opencl::custom_kernel& k, const operands& o, std::uint64_t tiles,
                              const tagged_state& state) {
  argument_bytes a;
  a.add(o.in).add(o.out).add(o.n).add(tiles);
  add_initial(a, k, o);
  a.add(o.inclusive).add(o.bulk_in).add(o.bulk_out).add(state.words).add(state.control);
  return a;
}

// The bytes of a scan_work<T, Op, F, Shape>.
argument_bytes ring_arguments(const opencl::custom_kernel& k, const operands& o, std::uint64_t tiles,
                              const tagged_state& state) {
  argument_bytes a;
  a.add(o.in).add(o.out).add(o.n);
  add_initial(a, k, o);
  a.add(o.inclusive).add(o.bulk_in).add(o.bulk_out).add_nothing().add_nothing();
  a.add(state.words).add(state.control).add(tiles);
  return a;
}

enum kernel_of_tiles : std::uint8_t { ring, one_block, tile_of_rows };
enum kernel_of_runs : std::uint8_t { fold_runs, fold_runs_of_folds, scan_runs, scan_runs_of_folds };

constexpr char nothing = 0;

// Launches scan_level of large_elements.cuh.
void by_runs(device& d, const opencl::custom_kernel& k, jit_program& p, const operands& o, const void* in,
             std::uint64_t n, const void* out, memory folds, bool inclusive, bool of_folds) {
  const std::uint64_t runs = (n + elements_a_run - 1) / elements_a_run;
  const jit_launch l{.blocks = (runs + runs_a_block - 1) / runs_a_block, .threads = runs_a_block};
  const void* before = nullptr;
  if (n > elements_a_run) {
    before = folds.address();
    launch(d, k.where, p.kernels[of_folds ? fold_runs_of_folds : fold_runs], l, {&in, &n, &before, &nothing, &nothing});
    by_runs(d, k, p, o, before, runs, before, folds.plus_bytes(runs * k.size), false, true);
  }
  argument_bytes init;
  add_initial(init, k, o);
  launch(d, k.where, p.kernels[of_folds ? scan_runs_of_folds : scan_runs], l,
         {&in, &n, &out, &before, init.done(), &inclusive, &nothing, &nothing});
}

}  // namespace

kernel_source scan_kernel_source(const opencl::custom_kernel& k, std::uint64_t shared_limit) {
  const plan p = plan_for(shared_limit, k);
  kernel_source s{k.where, scan_kernels, nullptr, fold_unit(k, "upsweep/scan/scan_cuda.cuh"), {}};
  const std::string types = fold_types, of_folds = "upsweep::jit::element, upsweep::jit::op, upsweep::identity";
  if (p.by_runs) {
    for (const char* kernel : {"fold_runs", "scan_runs"})
      for (const std::string& those : {types, of_folds})
        s.kernels.push_back("upsweep::cuda::" + std::string(kernel) + "<" + those + ">");
  }
  const std::string tuning = "upsweep::scan_tuning<sizeof(upsweep::jit::element)>::";
  const std::string work = "scan_work<" + types + ", " + tuning + p.ring.name + ">";
  if (!p.by_runs) {
    s.unit += require_size("upsweep::cuda::" + work, ring_arguments(k, {}, 0, {}));
    s.unit += require_size("upsweep::cuda::scan_arguments<upsweep::jit::element>", tile_arguments(k, {}, 0, {}));
    s.unit += "static_assert(sizeof(upsweep::cuda::tile_ring_shared<upsweep::cuda::" + work +
              ">) <= " + std::to_string(p.ring.shared_bytes) + ");\n";
    s.unit +=
        "static_assert(upsweep::cuda::words_a_tile<upsweep::core::carrier<upsweep::jit::element, upsweep::jit::op>> "
        "== " +
        std::to_string(handed_on_by(k).words) + ");\n";
    s.kernels = {
        "upsweep::cuda::work_in_ring<upsweep::cuda::" + work + ">",
        "upsweep::cuda::one_block_scan<" + types + ", " + tuning + "one_block_threads, " + tuning + "one_block_items>"};
    if (p.rows_tile)
      s.kernels.push_back("upsweep::cuda::tile_of_rows_scan<" + types + ", " + tuning + "row_threads, " + tuning +
                          "rows, " + tuning + "row_blocks>");
  }
  return s;
}

void scan_jit(upsweep::device& where, const opencl::custom_kernel& k, memory in, std::uint64_t n, memory out,
              bool inclusive, memory init_there) {
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  const plan how = plan_for(d.shared_limit(), k);
  const std::size_t tile_bytes = sizeof(std::uint32_t) * handed_on_by(k).words;
  jit_program& p = program_of(d, k.made, scan_kernels, [&] { return scan_kernel_source(k, d.shared_limit()); });
  const operands o{in.address(),       out.address(),       n, inclusive, is_aligned_16(in),
                   is_aligned_16(out), init_there.address()};
  if (how.by_runs) {
    std::uint64_t all = 1;
    for (std::uint64_t left = n; left > elements_a_run; all += left)
      left = (left + elements_a_run - 1) / elements_a_run;
    return by_runs(d, k, p, o, o.in, n, o.out, d.scratch("scan/cuda/runs", all * k.size), inclusive, false);
  }
  const std::uint64_t bytes = n * k.size;
  if (bytes <= how.one_block_bytes) {
    argument_bytes init;
    add_initial(init, k, o);
    const auto count = static_cast<std::uint32_t>(n);
    return launch(d, k.where, p.kernels[one_block], {.threads = scan_tuning<4>::one_block_threads},
                  {&o.in, &o.out, &count, init.done(), &inclusive, &nothing, &nothing});
  }
  if (bytes <= how.rows_bytes) {
    const std::uint64_t tiles = (n + how.rows_tile - 1) / how.rows_tile;
    if (tiles <= static_cast<std::uint64_t>(resident_blocks(d, k.where, p.kernels[tile_of_rows], row_threads, 0))) {
      argument_bytes a = tile_arguments(k, o, tiles, tagged_state_for(d, "scan/cuda", tiles, tile_bytes));
      return launch(d, k.where, p.kernels[tile_of_rows], {.blocks = tiles, .threads = row_threads, .together = true},
                    {a.done(), &nothing, &nothing});
    }
  }
  const std::uint64_t tiles = (n + how.ring.tile - 1) / how.ring.tile;
  const auto blocks =
      static_cast<std::uint64_t>(resident_blocks(d, k.where, p.kernels[ring], how.ring.threads, how.ring.shared_bytes));
  argument_bytes a = ring_arguments(k, o, tiles, tagged_state_for(d, "scan/cuda", tiles, tile_bytes));
  launch(d, k.where, p.kernels[ring],
         {.blocks = std::min(tiles, blocks), .threads = how.ring.threads, .shared_bytes = how.ring.shared_bytes},
         {a.done()});
}

}  // namespace upsweep::cuda
