// Runs a textbook rung's machine code on the host (sass.hpp) and prints what each of its instructions asked of memory,
// launch by launch, as JSON. held.py holds it to what a GPU counted.
//
//   upsweep_machine_code RUNG N SEED DISASSEMBLY [KEYS]      KEYS: a sort's input, as its bytes lie
//
// The host's side of a rung is compiled as for a GPU; only the grid it launches on is another, so that launches,
// operands and scratch are those of the library.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "lens/machine_code/sass.hpp"
#include "upsweep/convolve/textbook/constant_mask.cuh"
#include "upsweep/convolve/textbook/naive.cuh"
#include "upsweep/convolve/textbook/picture_naive.cuh"
#include "upsweep/convolve/textbook/picture_register_blocked.cuh"
#include "upsweep/convolve/textbook/picture_separable.cuh"
#include "upsweep/convolve/textbook/picture_shared_tile.cuh"
#include "upsweep/convolve/textbook/register_blocked.cuh"
#include "upsweep/convolve/textbook/shared_tile.cuh"
#include "upsweep/histogram/textbook/global_atomics.cuh"
#include "upsweep/histogram/textbook/lane_private.cuh"
#include "upsweep/histogram/textbook/shared_privatized.cuh"
#include "upsweep/histogram/textbook/sort_based.cuh"
#include "upsweep/integral/textbook/rows_then_columns.cuh"
#include "upsweep/integral/textbook/single_pass.cuh"
#include "upsweep/integral/textbook/transpose.cuh"
#include "upsweep/integral/textbook/transpose_padded.cuh"
#include "upsweep/nbody/textbook/register_blocked.cuh"
#include "upsweep/nbody/textbook/shared_tile.cuh"
#include "upsweep/nbody/textbook/split_j.cuh"
#include "upsweep/nbody/textbook/thread_per_body.cuh"
#include "upsweep/proof/exam.hpp"
#include "upsweep/select/textbook/lookback.cuh"
#include "upsweep/select/textbook/scan_scatter.cuh"
#include "upsweep/select/textbook/warp_aggregated.cuh"
#include "upsweep/sort/textbook/bitonic.cuh"
#include "upsweep/sort/textbook/merge_path.cuh"
#include "upsweep/sort/textbook/odd_even_merge.cuh"
#include "upsweep/sort/textbook/onesweep.cuh"
#include "upsweep/sort/textbook/quicksort.cuh"
#include "upsweep/sort/textbook/radix_1bit.cuh"
#include "upsweep/sort/textbook/radix_4bit_block.cuh"
#include "upsweep/sort/textbook/radix_reduce_then_scan.cuh"

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

// What a rung launches on: its kernels' machine code.
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
  // The weights of a convolution: the one array of each type that there is (convolve/textbook/weights.cuh).
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

// ---- from a problem to a rung's run(), as in each room's textbook/rungs.cu

template <class Rung>
void run_on(code_grid& grid, const sort_room::problem& p) {
  textbook::sort_rungs::with_keys(p, [&]<class Key>(textbook::sort_rungs::keys_order<Key> order) {
    if constexpr (sizeof(Key) == 4) Rung::template run<Key>(grid, p.in.as<Key>(), p.out.as<Key>(), p.n, order, plus{});
  });
}
template <class Rung>
void run_on(code_grid& grid, const select_room::problem& p) {
  textbook::select_rungs::with_test(p, [&]<class T>(compared<T> keeps) {
    if constexpr (sizeof(T) == 4)
      Rung::template run<T>(grid, p.in.as<T>(), p.out.as<T>(), p.count.as<std::uint64_t>(), p.n, keeps, plus{});
  });
}
template <class Rung>
void run_on(code_grid& grid, const histogram_room::problem& p) {
  textbook::histogram_rungs::with_bins(p, [&]<class T, class Bins>(type_tag<T>, Bins bins) {
    Rung::template run<T>(grid, p.in.as<T>(), p.out.as<std::uint64_t>(), p.m, p.n, bins,
                          textbook::sort_rungs::keys_order<std::uint32_t>{}, plus{});
  });
}
template <class Rung>
void run_on(code_grid& grid, const integral_room::problem& p) {
  textbook::integral_rungs::with_sums(p, [&]<class In, class T>(type_tag<In>, type_tag<T>) {
    Rung::template run<In, T>(grid, p.in.as<In>(), pitch_of(p), p.out.as<T>(), out_pitch_of(p), p.size, plus{});
  });
}
template <class Rung>
void run_on(code_grid& grid, const convolve_room::problem& p) {
  textbook::convolve_rungs::with_elements(p, [&]<class T>(type_tag<T>) {
    Rung::template run<T>(grid, p.in.as<T>(), p.in2.as<T>(), p.in3.as<T>(), p.out.as<T>(),
                          textbook::convolve_rungs::shape_of(p), textbook::convolve_rungs::multiply_add{});
  });
}
template <class Rung>
void run_on(code_grid& grid, const nbody_room::problem& p) {
  textbook::nbody_rungs::with_real(p, [&]<class T>(type_tag<T>) {
    using four = textbook::nbody_rungs::four<T>;
    Rung::template run<T>(
        grid, p.in.as<four>(), p.out.as<four>(), p.n, static_cast<T>(p.gravity.softening * p.gravity.softening),
        textbook::nbody_rungs::result_form<T>{static_cast<T>(p.gravity.constant), p.gravity.potentials},
        textbook::nbody_rungs::newton{});
  });
}

struct entry {
  primitive what;
  const char* (*cannot)(const problem&);
  void (*run)(code_grid&, const problem&);
};

template <class P, class Rung>
void add(std::map<std::string, entry, std::less<>>& all, primitive what) {
  all[std::string(Rung::name)] = {what, [](const problem& p) { return Rung::cannot(p.as<P>()); },
                                  [](code_grid& g, const problem& p) { run_on<Rung>(g, p.as<P>()); }};
}
template <class P, class... Rungs>
void add_all(std::map<std::string, entry, std::less<>>& all, primitive what) {
  (add<P, Rungs>(all, what), ...);
}

std::map<std::string, entry, std::less<>> entries() {
  using namespace textbook;
  std::map<std::string, entry, std::less<>> all;
  add_all<sort_room::problem, sort_rungs::bitonic<>, sort_rungs::odd_even_merge<>, sort_rungs::quicksort<>,
          sort_rungs::merge_path<>, sort_rungs::radix_1bit<>, sort_rungs::radix_4bit_block<>,
          sort_rungs::radix_reduce_then_scan<>, sort_rungs::onesweep<>>(all, sort_room::primitive::sort);
  add_all<select_room::problem, select_rungs::scan_scatter<>, select_rungs::warp_aggregated<>,
          select_rungs::lookback<>>(all, select_room::primitive::select);
  add_all<histogram_room::problem, histogram_rungs::global_atomics<>, histogram_rungs::sort_based<>,
          histogram_rungs::shared_privatized<>, histogram_rungs::lane_private<>>(all,
                                                                                 histogram_room::primitive::histogram);
  add_all<integral_room::problem, integral_rungs::rows_then_columns<>, integral_rungs::transpose<>,
          integral_rungs::transpose_padded<>, integral_rungs::single_pass<>>(all, integral_room::primitive::integral);
  add_all<convolve_room::problem, convolve_rungs::naive<>, convolve_rungs::constant_mask<>,
          convolve_rungs::shared_tile<>, convolve_rungs::register_blocked<>, convolve_rungs::picture_naive<>,
          convolve_rungs::picture_shared_tile<>, convolve_rungs::picture_separable<>,
          convolve_rungs::picture_register_blocked<>>(all, convolve_room::primitive::convolve);
  add_all<nbody_room::problem, nbody_rungs::thread_per_body<>, nbody_rungs::shared_tile<>,
          nbody_rungs::register_blocked<>, nbody_rungs::split_j<>>(all, nbody_room::primitive::nbody);
  return all;
}

// The problem that `upsweep lens` shows the rung with: u32, or the first type that it takes.
problem problem_of(const entry& e, std::uint64_t n, std::uint64_t seed) {
  const exam& of = exam_of(e.what);
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

void run_rung(const std::string& name, std::uint64_t n, std::uint64_t seed, const char* disassembly, const char* keys) {
  std::ifstream text(disassembly);
  const std::map<std::string, kernel> kernels = read(text);
  if (kernels.empty()) throw std::runtime_error(std::string(disassembly) + ": no machine code");
  const auto all = entries();
  const auto found = all.find(name);
  if (found == all.end()) throw std::runtime_error("there is no such rung");
  const entry& e = found->second;
  const exam& of = exam_of(e.what);
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
  // The machine code's result is judged as a GPU's would be: an interpreter that is wrong shows here first.
  const std::string wrong = of.wrong(here, static_cast<double>(n));
  std::printf(",\"wrong\":\"%s\"}\n", wrong.c_str());
}

}  // namespace

}  // namespace upsweep::lens::machine_code

int main(int argc, char** argv) {
  if (argc < 5) return std::fprintf(stderr, "upsweep_machine_code RUNG N SEED DISASSEMBLY [KEYS]\n"), 2;
  try {
    upsweep::lens::machine_code::run_rung(argv[1], std::strtoull(argv[2], nullptr, 10),
                                          std::strtoull(argv[3], nullptr, 10), argv[4], argc > 5 ? argv[5] : nullptr);
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "%s: %s\n", argv[1], e.what()), 1;
  }
}
