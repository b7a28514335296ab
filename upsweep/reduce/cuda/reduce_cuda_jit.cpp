// reduce with device source: selects the kernel of reduce/reduce_cuda.cuh for each size, and builds its arguments. The
// element size is known only at run time.
#include "upsweep/reduce/cuda/reduce_cuda_jit.hpp"

#include <algorithm>

#include "upsweep/cuda/cuda_jit.hpp"
#include "upsweep/reduce/cuda/reduce_cuda_tuning.hpp"

namespace upsweep::cuda {

extern const embedded_source reduce_kernels[];

namespace {

using tuning = reduce_tuning;

constexpr int warp_size = 32, elements_a_run = 16, runs_a_block = 64;  // as in warp.cuh and large_elements.cuh

struct reading {
  bool whole_pieces, streaming;
};

// reduce_arguments<T>
argument_bytes arguments_for(const opencl::custom_kernel& k, memory in, memory out, std::uint64_t n,
                             std::uint64_t stretch, reading how, const tagged_state& state) {
  argument_bytes a;
  a.add(in.address()).add(out.address()).add(n).add(stretch).add(k.init, k.size, k.align).add(how);
  a.add(state.words).add(state.control);
  return a;
}

enum kernel_of_blocks : std::uint8_t { one_block, many_blocks, cluster };
enum kernel_of_runs : std::uint8_t { fold_runs, fold_runs_of_folds, fold_one_run, fold_one_run_of_folds };

// The operator and the transform have no members.
constexpr char nothing = 0;

void by_runs(device& d, const opencl::custom_kernel& k, jit_program& p, memory in, std::uint64_t n, memory out) {
  const auto runs_of = [](std::uint64_t of) { return (of + elements_a_run - 1) / elements_a_run; };
  std::uint64_t all = 1;
  for (std::uint64_t left = n; left > elements_a_run; all += left) left = runs_of(left);
  memory folds = d.scratch("reduce/cuda/runs", all * k.size);
  bool first = true;
  for (; n > elements_a_run; first = false) {
    const void *from = in.address(), *to = folds.address();
    launch(d, k.where, p.kernels[first ? fold_runs : fold_runs_of_folds],
           {.blocks = (runs_of(n) + runs_a_block - 1) / runs_a_block, .threads = runs_a_block},
           {&from, &n, &to, &nothing, &nothing});
    in = folds, n = runs_of(n), folds = folds.plus_bytes(n * k.size);
  }
  const void *from = in.address(), *to = out.address();
  launch(d, k.where, p.kernels[first ? fold_one_run : fold_one_run_of_folds], {},
         {&from, &n, &to, k.init, &nothing, &nothing});
}

}  // namespace

kernel_source reduce_kernel_source(const opencl::custom_kernel& k) {
  kernel_source s{k.where, reduce_kernels, nullptr, fold_unit(k, "upsweep/reduce/reduce_cuda.cuh"), {}};
  const std::string types = fold_types;
  if (k.size > tuning::largest_in_blocks) {
    const std::string of_folds = "upsweep::jit::element, upsweep::jit::op, upsweep::identity";
    for (const char* kernel : {"fold_runs", "fold_one_run"})
      for (const std::string& those : {types, of_folds})
        s.kernels.push_back("upsweep::cuda::" + std::string(kernel) + "<" + those + ">");
    return s;
  }
  s.unit +=
      require_size("upsweep::cuda::reduce_arguments<upsweep::jit::element>", arguments_for(k, {}, {}, 0, 0, {}, {})) +
      "static_assert(sizeof(upsweep::core::carrier<upsweep::jit::element, upsweep::jit::op>) == " +
      std::to_string(carrier_of(k).size) + ");\n";
  s.kernels = {"upsweep::cuda::one_block_reduce<" + types + ", upsweep::reduce_tuning::one_block>",
               "upsweep::cuda::first_block_reduce<" + types + ", upsweep::reduce_tuning::many_blocks>",
               "upsweep::cuda::cluster_reduce<" + types + ", upsweep::reduce_tuning::cluster>"};
  return s;
}

void reduce_jit(upsweep::device& where, const opencl::custom_kernel& k, memory in, std::uint64_t n, memory out) {
  device& d = of(where);
  d.make_current();
  jit_program& p = program_of(d, k.made, reduce_kernels, [&] { return reduce_kernel_source(k); });
  if (k.size > tuning::largest_in_blocks) return by_runs(d, k, p, in, n, out);
  const std::uint64_t bytes = n * k.size;
  const reading how{is_aligned_16(in), bytes <= tuning::streaming_bytes};
  if (bytes <= tuning::one_block_bytes) {
    const void *from = in.address(), *to = out.address();
    const auto count = static_cast<std::uint32_t>(n);
    return launch(d, k.where, p.kernels[one_block], {.threads = tuning::one_block::threads},
                  {&from, &to, &count, k.init, &how, &nothing, &nothing});
  }
  const auto stretch_of = [&](std::uint64_t blocks, std::uint64_t align) {
    return ((n + blocks - 1) / blocks + align - 1) / align * align;
  };
  if (bytes <= tuning::cluster_bytes && p.compiled_for >= 90) {
    constexpr int blocks = 8;
    const jit_launch l{.blocks = blocks, .threads = tuning::cluster::threads, .cluster = blocks};
    const jit_kernel& kernel = p.kernels[cluster];
    if (cluster_fits(d, kernel, l)) {
      argument_bytes a = arguments_for(k, in, out, n, stretch_of(blocks, warp_size * 16), how, {});
      return launch(d, k.where, kernel, l, {a.done(), &nothing, &nothing});
    }
  }
  const std::uint64_t least_a_block = tuning::least_bytes_a_block / k.size;
  const std::uint64_t most = static_cast<std::uint64_t>(d.multiprocessors()) * tuning::many_blocks::blocks;
  const std::uint64_t stretch =
      stretch_of(std::clamp<std::uint64_t>((n + least_a_block - 1) / least_a_block, 1, most), 4 * warp_size * 16);
  argument_bytes a =
      arguments_for(k, in, out, n, stretch, how, tagged_state_for(d, "reduce/cuda", most, carrier_of(k).size));
  launch(d, k.where, p.kernels[many_blocks],
         {.blocks = std::max<std::uint64_t>(1, (n + stretch - 1) / stretch), .threads = tuning::many_blocks::threads},
         {a.done(), &nothing, &nothing});
}

}  // namespace upsweep::cuda
