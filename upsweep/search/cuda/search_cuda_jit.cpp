// Searches by device source: the launches of search/search_cuda.cuh, with the types known to NVRTC alone.
#include "upsweep/search/jit/search_jit.hpp"

#include <algorithm>

#include "upsweep/cuda/cuda_jit.hpp"

namespace upsweep::cuda {

extern const embedded_source search_kernels[];
extern const embedded_source for_each_kernels[];

namespace {

using detail::search_impl::bound;
using detail::search_impl::seek;

// As in search/search_cuda.cuh and for_each/for_each_cuda.cuh.
constexpr std::uint64_t threads = 256, search_items = 8, search_tile = threads * search_items, most_blocks = 1u << 30;
constexpr char nothing = 0;

const std::string algorithm = "upsweep::detail::search_impl::", here = "upsweep::jit::", kernels = "upsweep::cuda::";

kernel_source source_with(const search_source& s) {
  kernel_source k{s.call, search_kernels, for_each_kernels, {}, {}};
  k.unit = "#include \"upsweep/search/search_cuda.cuh\"\n#include \"upsweep/cuda/jit/jit_opencl_names.cuh\"\n" +
           s.before + "#include \"upsweep/search/cuda/search_cuda_jit_kernels.cuh\"\n";
  return k;
}

std::string store_kernel() { return kernels + "call_each<" + algorithm + "store_one<std::uint64_t>>"; }

// *out = value
void store(device& d, const search_source& s, const jit_kernel& kernel, memory out, std::uint64_t value) {
  const std::uint64_t first = 0, n = 1;
  const unsigned items = 1;
  argument_bytes body;
  body.add(out.address()).add(value);
  launch(d, s.call, kernel, {.threads = static_cast<int>(threads)}, {&first, &n, &items, body.done()});
}

// passes_at<At, Test> and similar types; the test has no members.
argument_bytes question_of(seek how, memory in, memory in2, std::uint64_t m) {
  argument_bytes a;
  a.add(in.address());
  if (how != seek::passing && how != seek::adjacent) a.add(in2.address());
  if (how == seek::one_of || how == seek::beginning) a.add(m);
  a.add_nothing().pad(8);
  return a;
}

enum kernel_of_questions : std::uint8_t { store_one, count_passing, find_first };
enum kernel_of_best : std::uint8_t { store_none, find_best };

const jit_program& program_for(device& d, const search_source& s, seek how) {
  static const char forms[8]{};
  return program_of(d, s.made, forms + static_cast<int>(how), [&] { return question_kernel_source(s, how); });
}

}  // namespace

kernel_source question_kernel_source(const search_source& s, seek how) {
  kernel_source k = source_with(s);
  constexpr const char* names[]{"passes_at", "adjacent_at", "one_of_at", "beginning_at", "unequal_at", "apart_at"};
  const bool of_one = how == seek::passing || how == seek::adjacent;
  const std::string has = algorithm + names[static_cast<int>(how)] + "<" + here + "at, " +
                          (of_one ? "" : here + "with, ") + s.relation + ">";
  k.unit += require_size(has, question_of(how, {}, {}, 0));
  k.kernels = {store_kernel(), kernels + "count_passing<" + has + ">", kernels + "find_first<" + has + ">"};
  return k;
}

kernel_source best_kernel_source(const search_source& s) {
  kernel_source k = source_with(s);
  k.kernels = {store_kernel(), kernels + "find_best<" + here + "at, " + s.relation + ">"};
  return k;
}

kernel_source bounds_kernel_source(const search_source& s, bound side, std::size_t answer_bytes) {
  kernel_source k = source_with(s);
  constexpr const char* sides[]{"lower", "upper", "found"};
  const std::string body = algorithm + "bound_at<" + algorithm + "bound::" + sides[static_cast<int>(side)] + ", " +
                           here + "at, " + here + "with, " + s.relation + ", std::uint" +
                           std::to_string(8 * answer_bytes) + "_t>";
  argument_bytes a;
  a.add(nullptr).add(std::uint64_t{}).add(nullptr).add_nothing().pad(8).add(nullptr);
  k.unit += require_size(body, a);
  k.kernels = {kernels + "call_each<" + body + ">"};
  return k;
}

void count_jit(upsweep::device& where, const search_source& s, seek how, memory in, memory in2, std::uint64_t places,
               std::uint64_t m, memory out) {
  device& d = of(where);
  d.make_current();
  const jit_program& p = program_for(d, s, how);
  store(d, s, p.kernels[store_one], out, 0);
  if (places == 0) return;
  argument_bytes has = question_of(how, in, in2, m);
  const void* const to = out.address();
  launch(d, s.call, p.kernels[count_passing],
         {.blocks = std::min<std::uint64_t>((places - 1) / search_tile + 1, std::uint64_t{8} * d.multiprocessors()),
          .threads = static_cast<int>(threads)},
         {&places, has.done(), &to});
}

void first_jit(upsweep::device& where, const search_source& s, seek how, memory in, memory in2, std::uint64_t places,
               std::uint64_t m, std::uint64_t n, memory out) {
  device& d = of(where);
  d.make_current();
  const jit_program& p = program_for(d, s, how);
  store(d, s, p.kernels[store_one], out, n);
  argument_bytes has = question_of(how, in, in2, m);
  const void *const question = has.done(), *const to = out.address();
  for (std::uint64_t begin = 0; begin < places; begin += search_tile * most_blocks)
    launch(d, s.call, p.kernels[find_first],
           {.blocks = std::min((places - begin + search_tile - 1) / search_tile, most_blocks),
            .threads = static_cast<int>(threads)},
           {&begin, &places, question, &to});
}

void best_jit(upsweep::device& where, const search_source& s, memory in, std::uint64_t n, memory out) {
  device& d = of(where);
  d.make_current();
  static const char form = 0;
  const jit_program& p = program_of(d, s.made, &form, [&] { return best_kernel_source(s); });
  if (n == 0) return store(d, s, p.kernels[store_none], out, 0);
  const std::uint64_t most = std::uint64_t{8} * d.multiprocessors();
  const std::uint64_t blocks = std::min((n - 1) / (threads * 4) + 1, most);
  const void *const x = in.address(), *const none = nullptr, *const to = out.address();
  const void* const places = d.scratch("search/cuda/places", most * 8).address();
  launch(d, s.call, p.kernels[find_best], {.blocks = blocks, .threads = static_cast<int>(threads)},
         {&n, &x, &nothing, &none, &places});
  launch(d, s.call, p.kernels[find_best], {.threads = static_cast<int>(threads)},
         {&blocks, &x, &nothing, &places, &to});
}

void bounds_jit(upsweep::device& where, const search_source& s, bound side, memory sorted, std::uint64_t m,
                memory queries, std::uint64_t n, memory out, std::size_t answer_bytes) {
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  static const char forms[16]{};
  const jit_program& p = program_of(d, s.made, forms + 4 * static_cast<int>(side) + answer_bytes / 4,
                                    [&] { return bounds_kernel_source(s, side, answer_bytes); });
  argument_bytes a;
  a.add(sorted.address()).add(m).add(queries.address()).add_nothing().pad(8).add(out.address());
  const void* const body = a.done();
  const unsigned items = n >= 1u << 22 ? 4 : 1;
  const std::uint64_t tile = threads * items;
  for (std::uint64_t first = 0; first < n; first += tile * most_blocks)
    launch(d, s.call, p.kernels[0],
           {.blocks = std::min((n - first + tile - 1) / tile, most_blocks), .threads = static_cast<int>(threads)},
           {&first, &n, &items, body});
}

}  // namespace upsweep::cuda
