// scan by a user's texts: which kernel of scan/cuda.cuh takes which size, and its arguments, with the element's size
// known at run time alone.
#include "upsweep/scan/cuda/text.hpp"

#include <algorithm>

#include "upsweep/cuda/text.hpp"
#include "upsweep/scan/cuda/tuning.hpp"

namespace upsweep::cuda {

extern const embedded_source scan_kernels[];

namespace {

constexpr int elements_a_run = 16, runs_a_block = 64;  // as in large_elements.cuh

// A row of scan_tuning's, and its name.
struct row {
  const char* name;
  int tile, threads;
  std::uint64_t shared_bytes;
};

// scan_tuning by the element's size, as far as it goes by it: 16 bytes in whole elements, or each by itself.
struct plan {
  bool in_pieces = false;
  int per_piece = 1;
  std::uint64_t one_block_bytes = 0, one_tile_bytes = 0;
  row ring{};
  bool by_runs = false;
};

template <class Shape>
row row_of(const char* name, std::size_t size) {
  // What the ring's struct has besides, it has once (ring.cuh checks that).
  return {name, Shape::tile, Shape::threads + 2 * 32, ring_bytes<Shape>(Shape::tile * size, size) + 128};
}

template <int Bytes>
plan plan_of(std::uint64_t shared_limit) {
  using tuning = scan_tuning<Bytes>;
  plan p{true, tuning::per_piece, tuning::one_block_bytes, tuning::large_tile_bytes, {}, false};
  p.ring = row_of<typename tuning::large>("large", Bytes);
  if (p.ring.shared_bytes > shared_limit) p.ring = row_of<typename tuning::small>("small", Bytes);
  return p;
}

plan plan_for(std::uint64_t shared_limit, std::size_t size) {
  switch (size) {
    case 1: return plan_of<1>(shared_limit);
    case 2: return plan_of<2>(shared_limit);
    case 4: return plan_of<4>(shared_limit);
    case 8: return plan_of<8>(shared_limit);
    default: break;
  }
  using tuning = scan_tuning<32>;
  plan p{false, 1, tuning::one_block_bytes, 0, row_of<tuning::any_size>("any_size", size), false};
  p.by_runs = size > scan_largest_in_tiles || p.ring.shared_bytes > shared_limit;
  return p;
}

constexpr int tile_threads = scan_tuning<4>::tile_threads;

struct operands {
  const void *in, *out;
  std::uint64_t n;
  bool inclusive, bulk_in, bulk_out;
  const void* init_there;
};

// initial<T>
void add_initial(argument_bytes& a, const opencl::custom_kernel& k, const operands& o) {
  const std::size_t align = std::max(k.align, alignof(void*));
  a.pad(align).add(k.init, k.size, k.align).add(o.init_there).pad(align);
}

// scan_arguments<T>
argument_bytes tile_arguments(const opencl::custom_kernel& k, const operands& o, std::uint64_t tiles,
                              const tagged_state& state) {
  argument_bytes a;
  a.add(o.in).add(o.out).add(o.n).add(tiles);
  add_initial(a, k, o);
  a.add(o.inclusive).add(o.bulk_in).add(o.bulk_out).add(state.words).add(state.control);
  return a;
}

// scan_work<T, Op, F, Shape>
argument_bytes ring_arguments(const opencl::custom_kernel& k, const operands& o, std::uint64_t tiles,
                              const tagged_state& state) {
  argument_bytes a;
  a.add(o.in).add(o.out).add(o.n);
  add_initial(a, k, o);
  a.add(o.inclusive).add(o.bulk_in).add(o.bulk_out).add_nothing().add_nothing();
  a.add(state.words).add(state.control).add(tiles);
  return a;
}

enum kernel_of_tiles : std::uint8_t { ring, one_block, one_tile };
enum kernel_of_runs : std::uint8_t { fold_runs, fold_runs_of_folds, scan_runs, scan_runs_of_folds };

constexpr char nothing = 0;

// large_elements.cuh's scan_level.
void by_runs(device& d, const opencl::custom_kernel& k, text_program& p, const operands& o, const void* in,
             std::uint64_t n, const void* out, memory folds, bool inclusive, bool of_folds) {
  const std::uint64_t runs = (n + elements_a_run - 1) / elements_a_run;
  const text_launch l{.blocks = (runs + runs_a_block - 1) / runs_a_block, .threads = runs_a_block};
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

kernel_text scan_kernel_text(const opencl::custom_kernel& k, std::uint64_t shared_limit) {
  const plan p = plan_for(shared_limit, k.size);
  kernel_text s{k.where, scan_kernels, nullptr, fold_unit(k, "upsweep/scan/cuda.cuh"), {}};
  const std::string types = fold_types, of_folds = "upsweep::text::element, upsweep::text::op, upsweep::identity";
  if (p.by_runs) {
    for (const char* kernel : {"fold_runs", "scan_runs"})
      for (const std::string& those : {types, of_folds})
        s.kernels.push_back("upsweep::cuda::" + std::string(kernel) + "<" + those + ">");
  }
  const std::string tuning = "upsweep::scan_tuning<sizeof(upsweep::text::element)>::";
  const std::string work = "scan_work<" + types + ", " + tuning + p.ring.name + ">";
  if (!p.by_runs) {
    s.unit += require_size("upsweep::cuda::" + work, ring_arguments(k, {}, 0, {}));
    s.unit += require_size("upsweep::cuda::scan_arguments<upsweep::text::element>", tile_arguments(k, {}, 0, {}));
    s.unit += "static_assert(sizeof(upsweep::cuda::tile_ring_shared<upsweep::cuda::" + work +
              ">) <= " + std::to_string(p.ring.shared_bytes) + ");\n";
    s.kernels = {
        "upsweep::cuda::work_in_ring<upsweep::cuda::" + work + ">",
        "upsweep::cuda::one_block_scan<" + types + ", " + tuning + "one_block_threads, " + tuning + "one_block_items>"};
    if (p.in_pieces)
      s.kernels.push_back("upsweep::cuda::one_tile_scan<" + types + ", " + tuning + "tile_threads, " + tuning +
                          "large_tile_items>");
  }
  return s;
}

void scan_by_text(upsweep::device& where, const opencl::custom_kernel& k, memory in, std::uint64_t n, memory out,
                  bool inclusive, memory init_there) {
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  const plan how = plan_for(d.shared_limit(), k.size);
  text_program& p = program_of(d, k.made, scan_kernels, [&] { return scan_kernel_text(k, d.shared_limit()); });
  const operands o{in.address(),      out.address(),       n, inclusive, is_sixteenth(in),
                   is_sixteenth(out), init_there.address()};
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
  if (bytes <= how.one_tile_bytes) {
    const std::uint64_t tile = static_cast<std::uint64_t>(tile_threads) * 2 * how.per_piece;
    const std::uint64_t tiles = (n + tile - 1) / tile;
    if (tiles <= static_cast<std::uint64_t>(resident_blocks(d, k.where, p.kernels[one_tile], tile_threads, 0))) {
      argument_bytes a = tile_arguments(k, o, tiles, tagged_state_for(d, "scan/cuda", tiles, k.size));
      return launch(d, k.where, p.kernels[one_tile], {.blocks = tiles, .threads = tile_threads, .together = true},
                    {a.done(), &nothing, &nothing});
    }
  }
  const std::uint64_t tiles = (n + how.ring.tile - 1) / how.ring.tile;
  const auto blocks =
      static_cast<std::uint64_t>(resident_blocks(d, k.where, p.kernels[ring], how.ring.threads, how.ring.shared_bytes));
  argument_bytes a = ring_arguments(k, o, tiles, tagged_state_for(d, "scan/cuda", tiles, k.size));
  launch(d, k.where, p.kernels[ring],
         {.blocks = std::min(tiles, blocks), .threads = how.ring.threads, .shared_bytes = how.ring.shared_bytes},
         {a.done()});
}

}  // namespace upsweep::cuda
