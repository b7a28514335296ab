// Runs the machine code of a textbook variant on the host (sass.hpp) and prints the memory requests of each
// instruction, launch by launch, as JSON. held.py compares them with the counts of a GPU.
//
//   upsweep_machine_code VARIANT N SEED DISASSEMBLY [KEYS]      KEYS: the bytes of a sort's input
//
// The host code of a variant is compiled as for a GPU; only the grid type differs, so that launches, operands and
// scratch are those of the library.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "lens/machine_code/sass.hpp"
#include "upsweep/conformance/conformance.hpp"
#include "upsweep/convolve/textbook/constant_mask.cuh"
#include "upsweep/convolve/textbook/convolve_register_blocked.cuh"
#include "upsweep/convolve/textbook/convolve_shared_tile.cuh"
#include "upsweep/convolve/textbook/naive.cuh"
#include "upsweep/convolve/textbook/picture_naive.cuh"
#include "upsweep/convolve/textbook/picture_register_blocked.cuh"
#include "upsweep/convolve/textbook/picture_separable.cuh"
#include "upsweep/convolve/textbook/picture_shared_tile.cuh"
#include "upsweep/histogram/textbook/global_atomics.cuh"
#include "upsweep/histogram/textbook/lane_private.cuh"
#include "upsweep/histogram/textbook/shared_privatized.cuh"
#include "upsweep/histogram/textbook/sort_based.cuh"
#include "upsweep/nbody/textbook/nbody_register_blocked.cuh"
#include "upsweep/nbody/textbook/nbody_shared_tile.cuh"
#include "upsweep/nbody/textbook/split_j.cuh"
#include "upsweep/nbody/textbook/thread_per_body.cuh"
#include "upsweep/select/textbook/lookback.cuh"
#include "upsweep/select/textbook/scan_scatter.cuh"
#include "upsweep/select/textbook/warp_aggregated.cuh"
#include "upsweep/sort/textbook/bitonic.cuh"
#include "upsweep/sort/textbook/merge_path.cuh"
#include "upsweep/sort/textbook/odd_even_merge.cuh"
#include "upsweep/sort/textbook/quicksort.cuh"
#include "upsweep/sort/textbook/radix_1bit.cuh"
#include "upsweep/sort/textbook/radix_4bit_block.cuh"
#include "upsweep/sort/textbook/radix_reduce_then_scan.cuh"
#include "upsweep/sort/textbook/sort_onesweep.cuh"
#include "upsweep/summed_area_table/textbook/rows_then_columns.cuh"
#include "upsweep/summed_area_table/textbook/single_pass.cuh"
#include "upsweep/summed_area_table/textbook/transpose.cuh"
#include "upsweep/summed_area_table/textbook/transpose_padded.cuh"

namespace upsweep::lens::machine_code {

// Host memory that begins where cudaMalloc's would, at a multiple of 256.
struct aligned_bytes {
  explicit aligned_bytes(std::uint64_t bytes)
      : at(static_cast<unsigned char*>(std::aligned_alloc(256, (bytes + 511) / 256 * 256))) {
    std::memset(at, poison, (bytes + 511) / 256 * 256);
  }
  ~aligned_bytes() { std::free(at); }
  aligned_bytes(const aligned_bytes&) = delete;
  aligned_bytes& operator=(const aligned_bytes&) = delete;
  unsigned char* at;
};

// The grid that a textbook variant launches on: the machine code of its kernels.
class code_grid {
 public:
  explicit code_grid(const std::map<std::string, kernel>& kernels) : kernels_(kernels), constants_(64 << 10) {}

  unsigned char* memory(std::uint64_t bytes) {
    unsigned char* at = held_.emplace_back(bytes).at;
    const auto first = reinterpret_cast<std::uint64_t>(at);
    ranges_.push_back({first, first + bytes});
    return at;
  }

  template <class... Parameters>
  void launch(void (*f)(Parameters...), std::uint64_t blocks, unsigned threads,
              std::type_identity_t<Parameters>... arguments) {
    machine_code::launch l;
    Dl_info who{};
    if (dladdr(reinterpret_cast<void*>(f), &who) == 0 || who.dli_sname == nullptr)
      throw std::runtime_error("a kernel without a name");
    const auto found = kernels_.find(who.dli_sname);
    if (found == kernels_.end()) throw std::runtime_error(std::string("no machine code of ") + who.dli_sname);
    l.what = &found->second, l.blocks = blocks, l.threads = threads, l.memory = ranges_, l.constants = constants_;
    (
        [&](const auto& argument) {
          const std::size_t at = (l.parameters.size() + alignof(decltype(argument)) - 1) / alignof(decltype(argument)) *
                                 alignof(decltype(argument));
          l.parameters.resize(at + sizeof argument);
          std::memcpy(l.parameters.data() + at, &argument, sizeof argument);
        }(arguments),
        ...);
    print(l, run(l));
  }
  template <class... Parameters>
  void launch_with_shared(unsigned, void (*f)(Parameters...), std::uint64_t blocks, unsigned threads,
                          std::type_identity_t<Parameters>... arguments) {
    launch(f, blocks, threads, arguments...);
  }

  template <class T>
  T* scratch(std::string_view name, std::uint64_t count) {
    auto& [at, bytes] = scratch_[std::string(name)];
    if (bytes < count * sizeof(T)) bytes = count * sizeof(T), at = memory(bytes);
    return reinterpret_cast<T*>(at);
  }
  template <class T>
  void copy(T* to, const std::type_identity_t<T>* from, std::uint64_t count) {
    std::memcpy(to, from, count * sizeof(T));
  }
  // The weights of a convolution: the one array of each type that there is (convolve/textbook/convolve_weights.cuh).
  template <class T, std::size_t size>
  void fill_constant(const T (&)[size], const std::type_identity_t<T>* from, std::uint64_t count) {
    std::memcpy(constants_.data() + (std::is_same_v<T, float> ? 0 : size * sizeof(T)), from, count * sizeof(T));
  }

 private:
  void print(const machine_code::launch& l, const std::vector<cost>& costs) {
    std::printf("%s\n{\"kernel\":\"%s\",\"blocks\":%llu,\"threads\":%u,\"code\":[", launches_++ == 0 ? "" : ",",
                l.what->name.c_str(), static_cast<unsigned long long>(l.blocks), l.threads);
    bool first = true;
    for (std::size_t k = 0; k < costs.size(); ++k) {
      const cost& c = costs[k];
      if (c.issued == 0) continue;
      const auto n = [](std::uint64_t v) { return static_cast<unsigned long long>(v); };
      std::printf("%s\n[\"%04zx\",\"%s\",%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu]", first ? "" : ",", 16 * k,
                  l.what->code[k].text.c_str(), n(c.issued), n(c.for_none), n(c.lanes), n(c.requests), n(c.sectors),
                  n(c.ideal_sectors), n(c.wavefronts), n(c.ideal_wavefronts));
      first = false;
    }
    std::printf("]}");
  }

  const std::map<std::string, kernel>& kernels_;
  std::deque<aligned_bytes> held_;
  std::vector<memory_range> ranges_;
  std::map<std::string, std::pair<unsigned char*, std::uint64_t>> scratch_;
  std::vector<unsigned char> constants_;
  unsigned launches_ = 0;
};

namespace {

// ---- from a descriptor to the run() of a textbook variant, as in each algorithm's textbook file

template <class Variant>
void run_on(code_grid& grid, const detail::sort_impl::problem& p) {
  textbook::sort_variants::with_keys(p, [&]<class Key>(textbook::sort_variants::keys_order<Key> order) {
    if constexpr (sizeof(Key) == 4)
      Variant::template run<Key>(grid, p.in.as<Key>(), p.out.as<Key>(), p.n, order, plus{});
  });
}
template <class Variant>
void run_on(code_grid& grid, const detail::select_impl::problem& p) {
  textbook::select_variants::with_test(p, [&]<class T>(compared<T> keeps) {
    if constexpr (sizeof(T) == 4)
      Variant::template run<T>(grid, p.in.as<T>(), p.out.as<T>(), p.count.as<std::uint64_t>(), p.n, keeps, plus{});
  });
}
template <class Variant>
void run_on(code_grid& grid, const detail::histogram_impl::problem& p) {
  textbook::histogram_variants::with_bins(p, [&]<class T, class Bins>(type_tag<T>, Bins bins) {
    Variant::template run<T>(grid, p.in.as<T>(), p.out.as<std::uint64_t>(), p.m, p.n, bins,
                             textbook::sort_variants::keys_order<std::uint32_t>{}, plus{});
  });
}
template <class Variant>
void run_on(code_grid& grid, const detail::summed_area_table_impl::problem& p) {
  textbook::summed_area_table_variants::with_sums(p, [&]<class In, class T>(type_tag<In>, type_tag<T>) {
    Variant::template run<In, T>(grid, p.in.as<In>(), pitch_of(p), p.out.as<T>(), out_pitch_of(p), p.size, plus{});
  });
}
template <class Variant>
void run_on(code_grid& grid, const detail::convolve_impl::problem& p) {
  textbook::convolve_variants::with_elements(p, [&]<class T>(type_tag<T>) {
    Variant::template run<T>(grid, p.in.as<T>(), p.in2.as<T>(), p.in3.as<T>(), p.out.as<T>(),
                             textbook::convolve_variants::shape_of(p), textbook::convolve_variants::multiply_add{});
  });
}
template <class Variant>
void run_on(code_grid& grid, const detail::nbody_impl::problem& p) {
  textbook::nbody_variants::with_real(p, [&]<class T>(type_tag<T>) {
    using vec4 = textbook::nbody_variants::vec4<T>;
    Variant::template run<T>(
        grid, p.in.as<vec4>(), p.out.as<vec4>(), p.n, static_cast<T>(p.gravity.softening * p.gravity.softening),
        textbook::nbody_variants::result_form<T>{static_cast<T>(p.gravity.constant), p.gravity.potentials},
        textbook::nbody_variants::newton{});
  });
}

struct entry {
  primitive what;
  const char* (*cannot)(const problem&);
  void (*run)(code_grid&, const problem&);
};

template <class P, class Variant>
void add(std::map<std::string, entry, std::less<>>& all, primitive what) {
  all[std::string(Variant::name)] = {what, [](const problem& p) { return Variant::cannot(p.as<P>()); },
                                     [](code_grid& g, const problem& p) { run_on<Variant>(g, p.as<P>()); }};
}
template <class P, class... Variants>
void add_all(std::map<std::string, entry, std::less<>>& all, primitive what) {
  (add<P, Variants>(all, what), ...);
}

std::map<std::string, entry, std::less<>> entries() {
  using namespace textbook;
  std::map<std::string, entry, std::less<>> all;
  add_all<detail::sort_impl::problem, sort_variants::bitonic<>, sort_variants::odd_even_merge<>,
          sort_variants::quicksort<>, sort_variants::merge_path<>, sort_variants::radix_1bit<>,
          sort_variants::radix_4bit_block<>, sort_variants::radix_reduce_then_scan<>, sort_variants::onesweep<>>(
      all, detail::sort_impl::primitive::sort);
  add_all<detail::select_impl::problem, select_variants::scan_scatter<>, select_variants::warp_aggregated<>,
          select_variants::lookback<>>(all, detail::select_impl::primitive::select);
  add_all<detail::histogram_impl::problem, histogram_variants::global_atomics<>, histogram_variants::sort_based<>,
          histogram_variants::shared_privatized<>, histogram_variants::lane_private<>>(
      all, detail::histogram_impl::primitive::histogram);
  add_all<detail::summed_area_table_impl::problem, summed_area_table_variants::rows_then_columns<>,
          summed_area_table_variants::transpose<>, summed_area_table_variants::transpose_padded<>,
          summed_area_table_variants::single_pass<>>(all, detail::summed_area_table_impl::primitive::summed_area_table);
  add_all<detail::convolve_impl::problem, convolve_variants::naive<>, convolve_variants::constant_mask<>,
          convolve_variants::shared_tile<>, convolve_variants::register_blocked<>, convolve_variants::picture_naive<>,
          convolve_variants::picture_shared_tile<>, convolve_variants::picture_separable<>,
          convolve_variants::picture_register_blocked<>>(all, detail::convolve_impl::primitive::convolve);
  add_all<detail::nbody_impl::problem, nbody_variants::thread_per_body<>, nbody_variants::shared_tile<>,
          nbody_variants::register_blocked<>, nbody_variants::split_j<>>(all, detail::nbody_impl::primitive::nbody);
  return all;
}

// The descriptor that `upsweep lens` runs the textbook variant with: u32, or the first type that it supports.
problem problem_of(const entry& e, std::uint64_t n, std::uint64_t seed) {
  const conformance_test& of = conformance_test_of(e.what);
  const std::vector<problem> forms = of.forms(false);
  const bool has_u32 = std::any_of(forms.begin(), forms.end(), [](const problem& p) { return p->type == dtype::u32; });
  for (const problem& form : forms) {
    if (has_u32 && form->type != dtype::u32) continue;
    for (std::uint64_t turn = seed; turn < seed + 8; ++turn) {
      problem p = form;
      p->n = n;
      of.complete(p, seed, turn);
      if (e.cannot(p) == nullptr) return p;
    }
  }
  throw std::runtime_error("no form of it");
}

void run_variant(const std::string& name, std::uint64_t n, std::uint64_t seed, const char* disassembly,
                 const char* keys) {
  std::ifstream text(disassembly);
  const std::map<std::string, kernel> kernels = read(text);
  if (kernels.empty()) throw std::runtime_error(std::string(disassembly) + ": no machine code");
  const auto all = entries();
  const auto found = all.find(name);
  if (found == all.end()) throw std::runtime_error("there is no such textbook variant");
  const entry& e = found->second;
  const conformance_test& of = conformance_test_of(e.what);
  problem p = problem_of(e, n, seed), here = p;
  code_grid grid(kernels);
  std::vector<std::pair<array, unsigned char*>> operands;
  for (array& a : of.arrays(p, seed, input_kind::uniform)) {
    unsigned char* at = grid.memory(a.bytes());
    if (a.fill && a.count > 0) fill_all(a, at);
    if (keys != nullptr && a.slot.name() == "in") {
      std::ifstream file(keys, std::ios::binary);
      if (!file.read(reinterpret_cast<char*>(at), static_cast<std::streamsize>(a.bytes())))
        throw std::runtime_error(std::string(keys) + ": too short");
    }
    a.slot(here) = {at, 0};
    operands.emplace_back(std::move(a), at);
  }
  std::printf("{\"rung\":\"%s\",\"launches\":[", name.c_str());
  e.run(grid, here);
  std::printf("]");
  // The result is checked like that of a GPU: an error of the interpreter shows here first.
  const std::string wrong = of.wrong(here, static_cast<double>(n));
  std::printf(",\"wrong\":\"%s\"}\n", wrong.c_str());
}

}  // namespace

}  // namespace upsweep::lens::machine_code

int main(int argc, char** argv) {
  if (argc < 5) return std::fprintf(stderr, "upsweep_machine_code VARIANT N SEED DISASSEMBLY [KEYS]\n"), 2;
  try {
    upsweep::lens::machine_code::run_variant(argv[1], std::strtoull(argv[2], nullptr, 10),
                                             std::strtoull(argv[3], nullptr, 10), argv[4],
                                             argc > 5 ? argv[5] : nullptr);
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "%s: %s\n", argv[1], e.what()), 1;
  }
}
