// The first k keys and the key of one rank on OpenCL: launches of sort_opencl_rank.cl.
#include "upsweep/sort/opencl/sort_opencl_rank.hpp"

#include <algorithm>

#include "upsweep/sort/opencl/sort_opencl.hpp"

namespace upsweep::opencl {

namespace {

using detail::sort_impl::problem;

constexpr std::uint64_t tile = lanes * 8, digits = 256;
constexpr unsigned digit_bits = 8;
constexpr int groups_per_unit = 8;

// The keys' order as the kernels take it. It is the same for every launch of a search.
struct key_window {
  cl_ulong n, flip, window;
  cl_uint first_bit, bits;

  explicit key_window(const problem& p)
      : n(p.n),
        flip(p.descending ? ~cl_ulong{0} : 0),
        first_bit(p.first_bit),
        bits((p.last_bit == 0 ? static_cast<unsigned>(8 * size_of(p.type)) : p.last_bit) - p.first_bit) {
    window = bits == 64 ? ~cl_ulong{0} : (cl_ulong{1} << bits) - 1;
  }
};

class rank_search {
 public:
  rank_search(device& d, const problem& p)
      : d_(d),
        keys_(p),
        in_{p.in, size_of(p.type)},
        options_(word_options(p.type) + (p.n >> 32 ? " -D COUNT=ulong -D COUNT_BEFORE=long_sum_before"
                                                   : " -D COUNT=uint -D COUNT_BEFORE=sum_before")),
        chunks_(d, p.n, tile, groups_per_unit),
        search_{d.scratch("sort/opencl/rank", 16), 8},
        sides_{d.scratch("sort/opencl/sides", 2 * (chunks_.groups + 1) * 8), 8} {}

  // Finds the image of the key of that rank, and where the keys before it and those equal to it are.
  void find(std::uint64_t rank) {
    const std::uint64_t count_bytes = keys_.n >> 32 ? 8 : 4;
    const operand counts{d_.scratch("sort/opencl/counts", digits * chunks_.groups * count_bytes), count_bytes},
        totals{d_.scratch("sort/opencl/totals", digits * count_bytes), count_bytes};
    const auto groups = static_cast<cl_uint>(chunks_.groups), each = static_cast<cl_uint>(chunks_.tiles_each);
    // At least one digit, which is zero everywhere if no bit counts.
    const unsigned passes = std::max((keys_.bits + digit_bits - 1) / digit_bits, 1u);
    for (unsigned pass = passes; pass-- > 0;) {
      const unsigned shift = pass * digit_bits;
      const cl_uint bits = keys_.bits == 0 ? digit_bits : std::min(keys_.bits - shift, digit_bits),
                    is_first = pass + 1 == passes;
      d_.launch(kernel("count_digit"), chunks_.groups, lanes, in_, search_, counts, keys_.n, each, keys_.flip,
                keys_.first_bit, keys_.window, cl_uint(shift), bits, is_first);
      d_.launch(kernel("add_counts"), digits, lanes, counts, totals, groups);
      d_.launch(kernel("choose_digit"), 1, lanes, totals, search_, cl_ulong(rank), bits, is_first);
    }
    d_.launch(kernel("count_sides"), chunks_.groups, lanes, in_, search_, sides_, keys_.n, each, keys_.flip,
              keys_.first_bit, keys_.window);
    d_.launch(kernel("add_up_sides"), 1, lanes, sides_, groups);
  }

  void collect(std::uint64_t k, memory keys, memory index) {
    d_.launch(kernel("collect_first"), chunks_.groups, lanes, in_, search_, sides_, operand{keys, in_.element_bytes},
              operand{index, 8}, keys_.n, cl_ulong(k), static_cast<cl_uint>(chunks_.tiles_each), keys_.flip,
              keys_.first_bit, keys_.window);
  }

  void copy_key(memory to) {
    d_.launch(kernel("copy_tie"), chunks_.groups, lanes, in_, search_, sides_, operand{to, in_.element_bytes}, keys_.n,
              static_cast<cl_uint>(chunks_.tiles_each), keys_.flip, keys_.first_bit, keys_.window);
  }

 private:
  loaded_kernel kernel(const char* name) const {
    return d_.kernel({"opencl/elements_as_words.cl", "opencl/work_group_sums.cl", "sort/opencl/sort_opencl_rank.cl"},
                     options_, name);
  }

  device& d_;
  key_window keys_;
  operand in_;
  std::string options_;
  dealt chunks_;
  operand search_, sides_;
};

}  // namespace

void find_rank(upsweep::device& any, const problem& p, std::uint64_t k, void* key) {
  device& d = of(any);
  const std::uint64_t size = size_of(p.type);
  rank_search search(d, p);
  search.find(k);
  const memory to = d.scratch("sort/opencl/key", 16);
  search.copy_key(to);
  d.download(key, to, size);
}

void find_first(upsweep::device& any, const problem& p) {
  device& d = of(any);
  rank_search search(d, p);
  search.find(p.m - 1);
  search.collect(p.m, p.out, p.out2);
  radix first;
  first.key_bytes = size_of(p.type), first.order = order_of(p.type), first.descending = p.descending;
  first.first_bit = p.first_bit;
  first.last_bit = p.last_bit == 0 ? static_cast<unsigned>(8 * first.key_bytes) : p.last_bit;
  first.n = p.m, first.in = first.out = p.out;
  first.value_bytes = 8, first.values_in = first.values_out = p.out2;
  enqueue_radix_sort(d, first);
}

}  // namespace upsweep::opencl
