// Selections and counts over a communicator. Selected elements stay on the rank that had them: outputs are allocated
// anew, in parts as large as the selections.
#pragma once

#include "upsweep/communicator/communicator_reduce.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/search.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/select.hpp"

namespace upsweep {
namespace core {

inline namespace UPSWEEP_COMPILED {

// keep(rank, part, space) returns the selected range of `space`, which has capacity for all of the part.
struct kept_range {
  std::uint64_t first = 0, count = 0;
};
template <class T, class Keep>
std::uint64_t keep_over(const char* call, const communicator& g, const distributed<T>& in, distributed<T>& out,
                        const Keep& keep) {
  core::require_one_group(call, g, in.comm()), core::require_one_group(call, g, out.comm());
  parts_in_progress<T> made(g, out);
  g.for_each_rank(call, [&](communicator_rank& m) {
    const auto part = in.part(m.local_rank());
    const auto space = made.space(m, part.size(), part);
    const kept_range kept = keep(m, part, space);
    made.keep(m, space.subspan(kept.first, kept.count));
  });
  made.done();
  return out.size();
}

// The ends of a rank's part, which its neighbours need.
template <class K>
struct ends {
  std::uint64_t count = 0;
  K first{}, last{};
};
template <class K>
std::vector<ends<K>> all_ends(const communicator_rank& m, device_span<const K> part) {
  ends<K> mine{part.size()};
  if (part.size()) mine.first = m.read(part, 0), mine.last = m.read(part, part.size() - 1);
  return m.all(mine);
}
// The last element before the rank's part, from the nearest rank that has any.
template <class K>
const K* last_before(const communicator_rank& m, const std::vector<ends<K>>& all) {
  for (int r = m.rank() - 1; r >= 0; --r)
    if (all[static_cast<std::size_t>(r)].count) return &all[static_cast<std::size_t>(r)].last;
  return nullptr;
}

// Joins runs that continue from rank to rank into the first rank's: its last value takes theirs, and they drop it.
// Returns whether this rank drops its first run.
template <class K, class V, class Op>
bool join_runs(const communicator_rank& m, device_span<const K> keys, device_span<V> values, const Op& op) {
  struct described {
    ends<K> keys;
    V first_value{};
  };
  const std::uint64_t runs = keys.size();
  described mine{{runs}, {}};
  if (runs) {
    mine.keys.first = m.read(keys, 0), mine.keys.last = m.read(keys, runs - 1);
    mine.first_value = m.read(device_span<const V>(values), 0);
  }
  const auto all = m.all(mine);
  const auto me = static_cast<std::size_t>(m.rank());
  bool goes_on = false;
  for (std::size_t r = me; runs && r-- > 0;)
    if (all[r].keys.count) {
      goes_on = all[r].keys.last == mine.keys.first;
      break;
    }
  if (runs > (goes_on ? 1u : 0u)) {
    V last = m.read(device_span<const V>(values), runs - 1);
    bool taken = false;
    for (std::size_t r = me + 1; r < all.size(); ++r) {
      if (all[r].keys.count == 0) continue;
      if (!(all[r].keys.first == mine.keys.last)) break;
      last = op(last, all[r].first_value), taken = true;
      if (all[r].keys.count > 1) break;
    }
    if (taken) upsweep::upload(m.where(), std::span<const V>(&last, 1), values.subspan(runs - 1, 1));
  }
  return goes_on;
}

// encode(rank, keys' memory, values' memory) writes runs and returns their number; it reads `read` in addition to the
// keys.
template <class K, class V, class Op, class Encode, class... X>
std::uint64_t runs_over(const char* call, const communicator& g, const distributed<K>& keys, distributed<K>& keys_out,
                        distributed<V>& values_out, const Op& op, const Encode& encode, const X&... read) {
  core::require_one_group(call, g, keys.comm()), core::require_one_group(call, g, keys_out.comm());
  core::require_one_group(call, g, values_out.comm());
  parts_in_progress<K> made_keys(g, keys_out);
  parts_in_progress<V> made_values(g, values_out);
  g.for_each_rank(call, [&](communicator_rank& m) {
    const std::uint64_t n = keys.part(m.local_rank()).size();
    const auto k = made_keys.space(m, n, keys.part(m.local_rank()), read.part(m.local_rank())...);
    const auto v = made_values.space(m, n, keys.part(m.local_rank()), read.part(m.local_rank())...);
    const std::uint64_t runs = n ? encode(m, k, v) : 0;
    const bool drop = core::join_runs(m, device_span<const K>(k.subspan(0, runs)), v.subspan(0, runs), op);
    made_keys.keep(m, k.subspan(drop, runs - drop));
    made_values.keep(m, v.subspan(drop, runs - drop));
  });
  made_keys.done(), made_values.done();
  return keys_out.size();
}

// The length of the first run.
template <class K>
std::uint64_t first_run(const communicator_rank& m, device_span<const K> keys) {
  const K first = m.read(keys, 0);
  std::uint64_t length = 0;
  if constexpr (builtin_type<K>) {
    length = upsweep::find_if_not(m.where(), keys, equal_to(first));
  } else {
    length = upsweep::find_if_not(m.where(), keys, [first](const K& k) { return k == first; });
  }
  return std::max<std::uint64_t>(length, 1);  // a NaN is a run by itself
}

template <bool Inclusive, class K, class V, class Op>
void scan_by_key_over(const char* call, const communicator& g, const distributed<K>& keys, const distributed<V>& in,
                      distributed<V>& out, V init, const Op& op) {
  core::require_one_group(call, g, keys.comm()), core::require_one_group(call, g, in.comm());
  core::require_one_group(call, g, out.comm());
  core::require_cut_alike(call, keys.offsets(), in.offsets()),
      core::require_cut_alike(call, in.offsets(), out.offsets());
  g.for_each_rank(call, [&](communicator_rank& m) {
    const auto k = keys.part(m.local_rank());
    const auto x = in.part(m.local_rank());
    const auto y = out.part(m.local_rank());
    const std::uint64_t n = k.size();
    struct described {
      ends<K> keys;
      V last_run{};  // folded
    };
    described mine{{n}, {}};
    const std::uint64_t length = n ? core::first_run(m, k) : 0;
    if (n) {
      const auto run_keys = m.scratch<K>("group/run keys", n);
      const auto run_values = m.scratch<V>("group/run values", n);
      const std::uint64_t runs = upsweep::reduce_by_key(m.where(), k, x, run_keys, run_values, op);
      mine = {{runs, m.read(k, 0), m.read(k, n - 1)}, m.read(device_span<const V>(run_values), runs - 1)};
    }
    const auto all = m.all(mine);
    if (!n) return;
    // The fold of this rank's first run on the ranks before, from the nearest back to the run's begin.
    V before{};
    bool there = false;
    for (int r = m.rank() - 1; r >= 0; --r) {
      const described& one = all[static_cast<std::size_t>(r)];
      if (one.keys.count == 0) continue;
      if (!(one.keys.last == mine.keys.first)) break;
      before = there ? op(one.last_run, before) : one.last_run, there = true;
      if (one.keys.count > 1) break;
    }
    const V begins = there ? op(init, before) : init;
    const auto rest = [&](auto span) { return span.subspan(length, n - length); };
    if constexpr (Inclusive) {
      upsweep::inclusive_scan(m.where(), x.subspan(0, length), y.subspan(0, length), begins, op);
      upsweep::inclusive_scan_by_key(m.where(), rest(k), rest(x), rest(y), init, op);
    } else {
      upsweep::exclusive_scan(m.where(), x.subspan(0, length), y.subspan(0, length), begins, op);
      upsweep::exclusive_scan_by_key(m.where(), rest(k), rest(x), rest(y), init, op);
    }
  });
}

// Sums each count over all ranks: each rank adds up a part of the counts, and all ranks receive the sums.
inline void add_up_counts(const communicator_rank& m, std::span<std::uint64_t> counts) {
  const auto offsets = core::even_offsets(counts.size(), m.size());
  const auto ranks = static_cast<std::size_t>(m.size()), me = static_cast<std::size_t>(m.rank());
  const std::uint64_t mine = offsets[me + 1] - offsets[me];
  std::vector<std::uint64_t> sent(ranks), received(ranks, mine * sizeof mine), theirs(mine * ranks);
  for (std::size_t r = 0; r < ranks; ++r) sent[r] = (offsets[r + 1] - offsets[r]) * sizeof mine;
  m.route().all_to_all(counts.data(), sent, theirs.data(), received);
  std::vector<std::uint64_t> sums(mine);
  for (std::size_t i = 0; i < theirs.size(); ++i) sums[i % mine] += theirs[i];
  std::vector<std::uint64_t> copies;
  for (std::size_t r = 0; r < ranks; ++r) copies.insert(copies.end(), sums.begin(), sums.end());
  m.route().all_to_all(copies.data(), received, counts.data(), sent);
}

template <class Count>
void histogram_over(const communicator& g, const communicator& of_samples, std::span<std::uint64_t> counts,
                    const Count& count) {
  core::require_one_group("histogram", g, of_samples);
  g.for_each_rank("histogram", [&](communicator_rank& m) {
    const auto mine = m.scratch<std::uint64_t>("group/counts", counts.size());
    count(m, mine);
    std::vector<std::uint64_t> here(counts.size());
    upsweep::download(m.where(), mine, std::span<std::uint64_t>(here));
    core::add_up_counts(m, here);
    if (m.local_rank() == 0) std::ranges::copy(here, counts.begin());
  });
}

}  // namespace UPSWEEP_COMPILED
}  // namespace core

inline namespace UPSWEEP_COMPILED {

template <class T, class Test>
std::uint64_t copy_if(const communicator& g, const distributed<T>& in, distributed<T>& out, const Test& test) {
  return core::keep_over("copy_if", g, in, out,
                         [&](communicator_rank& m, device_span<const T> part, device_span<T> space) {
                           return core::kept_range{0, upsweep::copy_if(m.where(), part, space, test)};
                         });
}

template <class T>
std::uint64_t unique(const communicator& g, const distributed<T>& in, distributed<T>& out) {
  return core::keep_over("unique", g, in, out,
                         [&](communicator_rank& m, device_span<const T> part, device_span<T> space) {
                           const auto all = core::all_ends(m, part);
                           const T* const before = core::last_before(m, all);
                           const std::uint64_t kept = upsweep::unique(m.where(), part, space);
                           const bool drop = kept && before && *before == all[static_cast<std::size_t>(m.rank())].first;
                           return core::kept_range{drop, kept - drop};
                         });
}

template <class T, class Test>
std::uint64_t partition(const communicator& g, const distributed<T>& in, distributed<T>& out, const Test& test) {
  core::require_one_group("partition", g, in.comm()), core::require_one_group("partition", g, out.comm());
  core::require_same_size("partition", "the input has # elements and the output #", in.size(), out.size());
  std::uint64_t passed = 0;
  g.for_each_rank("partition", [&](communicator_rank& m) {
    const auto part = in.part(m.local_rank());
    const auto here = m.scratch<T>("group/parted", part.size());
    const std::uint64_t pass = upsweep::partition(m.where(), part, here, test);
    const auto passing = core::offsets_of_parts(m.all(pass)), rest = core::offsets_of_parts(m.all(part.size() - pass));
    // Elements that pass come before the rest: the range of each among all elements, and within the output's part.
    auto front = out.offsets(), back = front;
    for (auto& at : front) at = (std::min)(at, passing.back());
    for (auto& at : back) at = (std::max)(at, passing.back()) - passing.back();
    const auto to = out.part(m.local_rank());
    const auto me = static_cast<std::size_t>(m.rank());
    const std::uint64_t cut = front[me + 1] - front[me];
    const auto from = device_span<const T>(here);
    core::move_parts(m, from.subspan(0, pass), passing, to.subspan(0, cut), front);
    core::move_parts(m, from.subspan(pass, part.size() - pass), rest, to.subspan(cut, to.size() - cut), back);
    if (m.local_rank() == 0) passed = passing.back();
  });
  return passed;
}

template <class T>
std::uint64_t run_length_encode(const communicator& g, const distributed<T>& in, distributed<T>& firsts,
                                distributed<std::uint64_t>& lengths) {
  return core::runs_over("run_length_encode", g, in, firsts, lengths, plus{},
                         [&](communicator_rank& m, device_span<T> k, device_span<std::uint64_t> v) {
                           return upsweep::run_length_encode(m.where(), in.part(m.local_rank()), k, v);
                         });
}

template <class K, class V, class Op = plus>
std::uint64_t reduce_by_key(const communicator& g, const distributed<K>& keys, const distributed<V>& values,
                            distributed<K>& keys_out, distributed<V>& values_out, Op op = {}) {
  core::require_one_group("reduce_by_key", g, values.comm());
  core::require_cut_alike("reduce_by_key", keys.offsets(), values.offsets());
  const auto o = core::as_operator<V>(op);
  return core::runs_over(
      "reduce_by_key", g, keys, keys_out, values_out, o,
      [&](communicator_rank& m, device_span<K> k, device_span<V> v) {
        return upsweep::reduce_by_key(m.where(), keys.part(m.local_rank()), values.part(m.local_rank()), k, v, o);
      },
      values);
}

template <class K, class V, class Op = plus>
void inclusive_scan_by_key(const communicator& g, const distributed<K>& keys, const distributed<V>& in,
                           distributed<V>& out, Op op = {}) {
  const auto o = core::as_operator<V>(op);
  core::scan_by_key_over<true>("inclusive_scan_by_key", g, keys, in, out, identity_of<V>(o), o);
}
template <class K, class V, class Op = plus>
void exclusive_scan_by_key(const communicator& g, const distributed<K>& keys, const distributed<V>& in,
                           distributed<V>& out, core::init_for<V> init, Op op = {}) {
  core::scan_by_key_over<false>("exclusive_scan_by_key", g, keys, in, out, static_cast<V>(init),
                                core::as_operator<V>(op));
}

template <class T, class L, class U>
  requires bin_bound_for<L, T> && bin_bound_for<U, T>
void histogram(const communicator& g, const distributed<T>& samples, std::span<std::uint64_t> counts, const L& lower,
               const U& upper) {
  core::histogram_over(g, samples.comm(), counts, [&](communicator_rank& m, device_span<std::uint64_t> mine) {
    upsweep::histogram(m.where(), samples.part(m.local_rank()), mine, lower, upper);
  });
}
template <class T>
void histogram(const communicator& g, const distributed<T>& samples, std::span<const std::type_identity_t<T>> edges,
               std::span<std::uint64_t> counts) {
  core::histogram_over(g, samples.comm(), counts, [&](communicator_rank& m, device_span<std::uint64_t> mine) {
    const buffer<T> bounds(m.where(), edges);
    upsweep::histogram(m.where(), samples.part(m.local_rank()), bounds, mine);
    m.where().synchronize();
  });
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
