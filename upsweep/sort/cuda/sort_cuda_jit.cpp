// Sorts by a comparator given as device source: the launches of sort_compared_plan.hpp, with kernels that NVRTC
// compiled with it. Each call needs only one program, so that the first call waits for no other compilation.
#include "upsweep/cuda/cuda_jit.hpp"
#include "upsweep/sort/cuda/sort_compared_plan.hpp"
#include "upsweep/sort/jit/sort_jit.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep::cuda {

extern const embedded_source sort_kernels[];

namespace {

using opencl::merge_problem;

constexpr char nothing = 0;  // the comparator has no members

// 0, 1, 2, 3, 4 for no values and for values of 1, 2, 4 and 8 bytes.
std::size_t width_of(std::uint64_t value_bytes) {
  return value_bytes == 0 ? 0 : value_bytes == 1 ? 1 : value_bytes == 2 ? 2 : value_bytes == 4 ? 3 : 4;
}

struct jit_kernels {
  device& d;
  const kept_order& order;
  compared_tuning tuning;
  two_tuning two;

  jit_kernels(device& on, const kept_order& by, std::uint64_t value_bytes)
      : d(on), order(by), tuning{{by.order.bytes, value_bytes}}, two{{by.order.bytes, value_bytes}} {}

  const jit_program& program(order_program what) const {
    const std::size_t place = static_cast<std::size_t>(what) * kept_order::widths + width_of(tuning.cells.value_bytes);
    opencl::kept_program& kept = order.made[place];
    return program_of(d, kept, &nothing,
                      [&] { return order_kernel_source(order.order, what, tuning.cells.value_bytes); });
  }
  static order_program of(compared_amount a) {
    return a == compared_amount::few    ? order_program::sort_few
           : a == compared_amount::some ? order_program::sort_some
                                        : order_program::sort_many;
  }
  void launch_one(const jit_program& p, std::size_t kernel, bool ready, std::uint64_t blocks, int threads,
                  std::uint64_t shared_bytes, std::initializer_list<const void*> arguments) const {
    allow_shared(d, order.order.call, p.kernels[kernel], d.shared_limit() - 256);
    launch(d, order.order.call, p.kernels[kernel],
           {.blocks = blocks, .threads = threads, .shared_bytes = shared_bytes, .ready = ready && p.compiled_for >= 90},
           arguments);
  }

  void sort_tiles(compared_amount amount, std::uint64_t blocks, int threads, std::uint64_t shared_bytes,
                  compared_memory in, compared_memory out, compared_memory also, std::uint64_t n) const {
    launch_one(program(of(amount)), 0, false, blocks, threads, shared_bytes, {&in, &out, &also, &n, &nothing});
  }
  void rank_runs(std::uint64_t blocks, int threads, std::uint64_t shared_bytes, compared_memory in, compared_memory out,
                 std::uint32_t n, std::uint32_t width, std::uint32_t of_a_group) const {
    const bool staged = shared_bytes != 0;
    launch_one(program(order_program::sort_few), 1, true, blocks, threads, shared_bytes,
               {&in, &out, &n, &width, &of_a_group, &staged, &nothing});
  }
  // Of groups: in the program of that amount, but for more elements than 32 bits count.
  void split(bool wide, bool ready, std::uint64_t blocks, int threads, const groups_of_runs& source, const run_cut& cut,
             std::uint64_t splits, std::uint64_t* cuts) const {
    const order_program of_amount = of(tuning.amount(source.n));
    launch_one(program(wide ? order_program::split_wide : of_amount), wide ? 0 : 2, ready, blocks, threads, 0,
               {&source, &cut, &splits, &cuts, &nothing});
  }
  void merge_runs(compared_amount amount, bool ready, std::uint64_t blocks, int threads, std::uint64_t shared_bytes,
                  const groups_of_runs& source, const void* values_in, compared_memory out, const run_cut& cut,
                  const std::uint64_t* cuts) const {
    launch_one(program(of(amount)), 1, ready, blocks, threads, shared_bytes,
               {&source, &values_in, &out, &cut, &cuts, &nothing});
  }
  void cut_stretches(std::uint64_t blocks, int threads, const two_sorted& both, std::uint64_t stretch,
                     std::uint64_t cuts, std::uint64_t* of_a) const {
    launch_one(program(order_program::merge_two), 1, false, blocks, threads, 0,
               {&both, &stretch, &cuts, &of_a, &nothing});
  }
  void merge_two_runs(bool ready, std::uint64_t blocks, int threads, std::uint64_t shared_bytes, const two_sorted& both,
                      compared_memory out, const two_sorted_cuts& cuts) const {
    launch_one(program(order_program::merge_two), 0, ready, blocks, threads, shared_bytes,
               {&both, &out, &cuts, &nothing});
  }
};

std::uint64_t find_break(device& d, const kept_order& order, memory in, std::uint64_t n, bool itself) {
  if (n == 0) return 0;
  const jit_kernels kernels(d, order, 0);
  const memory answer = d.scratch("sort/cuda/break", 16);
  std::uint64_t found = n;
  d.upload(answer, &found, sizeof found);
  const void *x = in.address(), *to = answer.address();
  launch(d, order.order.call, kernels.program(order_program::find_break).kernels[0],
         {.blocks = std::min<std::uint64_t>((n + 255) / 256, std::uint64_t{16} * d.multiprocessors()), .threads = 256},
         {&x, &n, &itself, &to, &nothing});
  d.download(&found, answer, sizeof found);
  return found;
}

void require_size_of_elements(const opencl::custom_order& o) {
  if (o.bytes > largest_compared)
    throw error(fault::unsupported, o.call,
                "an element to be compared on CUDA has at most " + std::to_string(largest_compared) + " bytes, not " +
                    std::to_string(o.bytes),
                "sort indices of larger ones");
}

}  // namespace

kernel_source order_kernel_source(const opencl::custom_order& o, order_program what, std::uint64_t value_bytes) {
  require_size_of_elements(o);
  kernel_source k{o.call, sort_kernels, nullptr, {}, {}};
  k.unit = "#include \"upsweep/sort/cuda/sort_compared_" +
           std::string(what == order_program::merge_two ? "merge" : "runs") +
           ".cuh\"\n#include \"upsweep/cuda/jit/jit_opencl_names.cuh\"\n" + o.before +
           "#include \"upsweep/sort/cuda/sort_cuda_jit_kernels.cuh\"\n";
  const compared_tuning tuning{{o.bytes, value_bytes}};
  constexpr const char* words[]{"upsweep::cuda::no_values", "std::uint8_t", "std::uint16_t", "std::uint32_t",
                                "std::uint64_t"};
  const std::string space = "upsweep::cuda::", key = "upsweep::jit::key", by = "upsweep::jit::order",
                    moved = key + ", " + words[width_of(value_bytes)], groups = space + "grouped_runs<" + key + ">";
  const auto tiles = [&](compared_amount a) {
    return space + "sort_tiles<" + std::to_string(tuning.sort_items(a)) + ", " + moved + ", " + by + ">";
  };
  const auto split = [&](const char* index, const std::string& source) {
    return space + "split_all_runs<" + index + ", " + source + ", " + by + ">";
  };
  const auto merge = [&](compared_amount a, const std::string& source) {
    return space + "merge_runs<" + std::to_string(tuning.merge_items(a)) + ", " + moved + ", " + source + ", " + by +
           ">";
  };
  using enum compared_amount;
  switch (what) {
    case order_program::sort_few: k.kernels = {tiles(few), space + "rank_runs<8, " + moved + ", " + by + ">"}; break;
    case order_program::sort_some:
      k.kernels = {tiles(some), merge(some, groups), split("std::uint32_t", groups)};
      break;
    case order_program::sort_many:
      k.kernels = {tiles(many), merge(many, groups), split("std::uint32_t", groups)};
      break;
    case order_program::split_wide: k.kernels = {split("std::uint64_t", groups)}; break;
    case order_program::merge_two:
      k.kernels = {space + "merge_two_runs<" + std::to_string(two_tuning{{o.bytes, value_bytes}}.items()) + ", " +
                       moved + ", " + by + ">",
                   space + "cut_stretches<" + moved + ", " + by + ">"};
      break;
    case order_program::find_break: k.kernels = {space + "find_break<" + key + ", " + by + ">"}; break;
  }
  return k;
}

void sort_jit(upsweep::device& where, const kept_order& order, const merge_problem& p) {
  device& d = of(where);
  d.make_current();
  require_size_of_elements(order.order);
  if (p.n == 0) return;
  const auto sort = [&](std::uint64_t value_bytes, const void* values_in, const void* values) {
    merge_sort(jit_kernels(d, order, value_bytes), {p.in.address(), values_in}, {p.out.address(), values}, p.n);
  };
  const std::uint64_t bytes = p.value_bytes;
  const auto place = reinterpret_cast<std::uintptr_t>(p.values_in.address()) |
                     reinterpret_cast<std::uintptr_t>(p.values_out.address());
  if (bytes == 0) {
    sort(0, nullptr, nullptr);
  } else if (p.places) {
    sort(bytes, nullptr, p.values_out.address());
  } else if ((bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && place % bytes == 0) {
    sort(bytes, p.values_in.address(), p.values_out.address());
  } else {
    // Other values are fetched once at the end by the index that moved with each key.
    const std::uint32_t index_bytes = p.n >> 32 != 0 ? 8 : 4;
    const memory places = d.scratch("sort/cuda/order", p.n * index_bytes);
    sort(index_bytes, nullptr, places.address());
    const bool in_place = p.values_in.address() == p.values_out.address();
    const memory moved = in_place ? d.scratch("sort/cuda/values", p.n * bytes) : p.values_out;
    detail::sort_impl::gather_records(d, p.values_in, bytes, places, index_bytes, p.n, moved);
    if (in_place) d.copy(p.values_out, moved, p.n * bytes);
  }
  if (!p.checked) return;
  if (const std::uint64_t i = find_break(d, order, p.out, p.n, true); i != p.n)
    throw no_weak_order(order.order.call, i);
}

void merge_jit(upsweep::device& where, const kept_order& order, memory a, std::uint64_t n, memory b, std::uint64_t m,
               memory out) {
  device& d = of(where);
  d.make_current();
  require_size_of_elements(order.order);
  if (n + m == 0) return;
  merge_two(jit_kernels(d, order, 0), two_sorted{a.address(), b.address(), n, m}, {out.address(), nullptr});
}

std::uint64_t first_break_jit(upsweep::device& where, const kept_order& order, memory in, std::uint64_t n) {
  device& d = of(where);
  d.make_current();
  return find_break(d, order, in, n, false);
}

}  // namespace upsweep::cuda
