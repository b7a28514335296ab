// The boundaries in the ranks' sorted parts that partition the merged sequence by rank.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "upsweep/communicator/communicator_distributed.hpp"
#include "upsweep/select.hpp"

namespace upsweep {
namespace core {

inline namespace UPSWEEP_COMPILED {

// The keys at some positions of a rank's part.
template <class K>
void pick(const communicator_rank& m, device_span<const K> keys, std::span<const std::uint64_t> places,
          std::span<K> to) {
  if (places.empty()) return;
  if (m.where().kind() == backend::cpu) {
    for (std::size_t i = 0; i < places.size(); ++i) to[i] = keys.data()[places[i]];
    return;
  }
  const auto at = m.scratch<std::uint64_t>("group/picked places", places.size());
  const auto picked = m.scratch<K>("group/picked", places.size());
  upsweep::upload(m.where(), places, at);
  upsweep::gather(m.where(), keys, device_span<const std::uint64_t>(at), picked);
  upsweep::download(m.where(), picked, to.first(places.size()));
}

// Positions of a rank's part to sample, set by set.
struct samples {
  std::vector<std::uint64_t> places;
  std::vector<std::size_t> begins{0};

  // Adds a set: evenly spaced between low and high; all of them where they are few.
  void add(std::uint64_t low, std::uint64_t high, std::uint64_t most) {
    const std::uint64_t left = high - low, apart = left / (most + 1), rest = left % (most + 1);
    if (left <= most) {
      for (std::uint64_t i = low; i < high; ++i) places.push_back(i);
    } else {
      for (std::uint64_t i = 1; i <= most; ++i) places.push_back(low + apart * i + rest * i / (most + 1));
    }
    begins.push_back(places.size());
  }
};

// A key whose lower bound, or upper bound (behind_equal), is searched for in [low, high) of a sorted part.
template <class K>
struct sought {
  K key{};
  bool behind_equal = false;
  std::uint64_t low = 0, high = 0;
};
// low and high become the position of each.
template <class K, class Order>
void find_places(const communicator_rank& m, device_span<const K> sorted, std::vector<sought<K>>& keys,
                 const Order& before) {
  for (;;) {
    samples some;
    for (const sought<K>& s : keys) some.add(s.low, s.high, 512);
    if (some.places.empty()) return;
    const host_array<K> seen(some.places.size());
    core::pick(m, sorted, some.places, seen.all());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      sought<K>& s = keys[i];
      const K *const begin = seen.data() + some.begins[i], *const end = seen.data() + some.begins[i + 1];
      const K* const at = std::partition_point(
          begin, end, [&](const K& one) { return s.behind_equal ? !before(s.key, one) : before(one, s.key); });
      if (at != begin) s.low = some.places[static_cast<std::size_t>(at - seen.data()) - 1] + 1;
      if (at != end) s.high = some.places[static_cast<std::size_t>(at - seen.data())];
    }
  }
}

// cuts(t)[r] elements of rank r's sorted part are among the first targets[t] of all; targets ascend. Equal keys of an
// earlier rank come first.
//
// Every rank knows an interval that contains each cut. In each round all ranks sample evenly spaced keys of these
// intervals. Comparing the samples of all ranks leaves a small part of each interval, or none.
template <class K, class Order>
class cuts_by_rank {
 public:
  cuts_by_rank(const communicator_rank& m, device_span<const K> sorted, std::span<const std::uint64_t> have,
               std::span<const std::uint64_t> targets, const Order& before)
      : members_(static_cast<std::size_t>(m.size())),
        targets_(targets),
        before_(before),
        low_(members_ * targets.size()),
        high_(low_.size()) {
    for (std::size_t t = 0; t < targets.size(); ++t)
      for (std::size_t r = 0; r < members_; ++r) {
        const std::uint64_t size = have[r + 1] - have[r];
        low(t)[r] = targets[t] == have.back() ? size : 0, high(t)[r] = targets[t] == 0 ? 0 : size;
      }
    // The first samples are of whole parts and serve every target; with a valid order 2^40 elements need six rounds.
    bool goes_on = look(m, sorted, have, std::clamp<std::uint64_t>(16384 / members_, 64, 2048));
    for (int round = 0; goes_on && round < 50; ++round) {
      std::uint64_t sought = 0;
      for (std::size_t t = 0; t < targets.size(); ++t) sought += !is_found(t);
      goes_on = look(m, sorted, {}, std::max<std::uint64_t>({64, 4 * members_, 1024 / sought}));
    }
    make_fit(have);
  }

  const std::uint64_t* operator()(std::size_t t) const { return low_.data() + t * members_; }

 private:
  struct looked_at {
    std::uint32_t rank, sample;
  };
  std::uint64_t* low(std::size_t t) { return low_.data() + t * members_; }
  std::uint64_t* high(std::size_t t) { return high_.data() + t * members_; }
  bool is_found(std::size_t t) { return std::equal(low(t), low(t) + members_, high(t)); }

  // One round. With `whole` one set of samples serves all targets, otherwise each target has its own. Returns whether
  // intervals remain and have become smaller.
  bool look(const communicator_rank& m, device_span<const K> sorted, std::span<const std::uint64_t> whole,
            std::uint64_t some) {
    const bool shared = !whole.empty();
    const std::size_t sets = shared ? 1 : targets_.size();
    std::vector<samples> of(members_);
    std::size_t most = 0;
    for (std::size_t r = 0; r < members_; ++r) {
      for (std::size_t t = 0; t < sets; ++t)
        shared ? of[r].add(0, whole[r + 1] - whole[r], some) : of[r].add(low(t)[r], high(t)[r], some);
      most = (std::max)(most, of[r].places.size());
    }
    if (most == 0) return false;
    const host_array<K> mine(most), all(most * members_);
    core::pick(m, sorted, of[static_cast<std::size_t>(m.rank())].places, mine.all());
    m.route().all_gather(mine.data(), all.data(), most * sizeof(K));

    bool left = false, less = false;
    for (std::size_t set = 0; set < sets; ++set) {
      const auto order = merged_samples(of, set, all.data(), most);
      for (std::size_t t = shared ? 0 : set; t < (shared ? targets_.size() : set + 1); ++t) {
        if (is_found(t)) continue;
        less = narrow(t, of, set, order) || less;
        left = left || !is_found(t);
      }
    }
    return left && less;
  }

  // Each rank's samples are sorted already.
  std::vector<looked_at> merged_samples(const std::vector<samples>& of, std::size_t set, const K* keys,
                                        std::size_t of_a_rank) const {
    std::vector<looked_at> order;
    std::vector<std::ptrdiff_t> ends(1);
    for (std::size_t r = 0; r < members_; ++r) {
      for (std::size_t i = of[r].begins[set]; i < of[r].begins[set + 1]; ++i)
        order.push_back({static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(i)});
      ends.push_back(static_cast<std::ptrdiff_t>(order.size()));
    }
    const auto comes_first = [&](const looked_at& a, const looked_at& b) {
      return before_(keys[a.rank * of_a_rank + a.sample], keys[b.rank * of_a_rank + b.sample]);
    };
    // Not std::inplace_merge: in users' programs clang 22 warns about a function that libstdc++ 12 calls in it.
    std::vector<looked_at> merged(order.size());
    for (std::size_t width = 1; width < members_; width *= 2) {
      for (std::size_t r = 0; r < members_; r += 2 * width) {
        const auto first = order.begin() + ends[r], middle = order.begin() + ends[(std::min)(r + width, members_)];
        std::merge(first, middle, middle, order.begin() + ends[(std::min)(r + 2 * width, members_)],
                   merged.begin() + ends[r], comes_first);
      }
      order.swap(merged);
    }
    return order;
  }

  // A sample is among the first `target` if even the elements that may precede it are fewer. It is not among them if
  // the elements that certainly precede it are that many.
  bool narrow(std::size_t t, const std::vector<samples>& of, std::size_t set, const std::vector<looked_at>& order) {
    const std::uint64_t target = targets_[t];
    const auto place = [&](std::size_t r, std::size_t i) {
      return i < of[r].begins[set + 1] ? of[r].places[i] : high(t)[r];
    };
    std::vector<std::uint64_t> from(low(t), low(t) + members_), to(high(t), high(t) + members_);
    std::vector<std::uint64_t> sure = from, may = to;  // of each rank, before the next sample
    for (std::size_t r = 0; r < members_; ++r) may[r] = place(r, of[r].begins[set]);
    std::uint64_t all_sure = std::accumulate(sure.begin(), sure.end(), std::uint64_t{0});
    std::uint64_t all_may = std::accumulate(may.begin(), may.end(), std::uint64_t{0});
    for (const looked_at& x : order) {
      const std::size_t r = x.rank;
      const std::uint64_t at = place(r, x.sample), next = place(r, x.sample + 1);
      if (all_may < target) {
        from[r] = at + 1;
      } else if (all_sure - sure[r] + at >= target) {
        to[r] = (std::min)(to[r], at);
      }
      all_sure += at + 1 - sure[r], sure[r] = at + 1;
      all_may += next - may[r], may[r] = next;
    }
    bool less = false;
    for (std::size_t r = 0; r < members_; ++r) {
      less = less || from[r] > low(t)[r] || to[r] < high(t)[r];
      low(t)[r] = from[r], high(t)[r] = (std::max)(from[r], to[r]);
    }
    return less;
  }

  // With a valid order this changes nothing. A comparator that is not an order may leave cuts that cross, or whose sums
  // are wrong; both are corrected.
  void make_fit(std::span<const std::uint64_t> have) {
    std::vector<std::uint64_t> least(members_);
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      std::uint64_t sum = 0;
      for (std::size_t r = 0; r < members_; ++r) low(t)[r] = (std::max)(low(t)[r], least[r]), sum += low(t)[r];
      for (std::size_t r = 0; r < members_ && sum != targets_[t]; ++r) {
        const std::uint64_t was = low(t)[r], size = have[r + 1] - have[r];
        low(t)[r] = sum > targets_[t] ? was - (std::min)(was - least[r], sum - targets_[t])
                                      : was + (std::min)(size - was, targets_[t] - sum);
        sum += low(t)[r] - was;
      }
      least.assign(low(t), low(t) + members_);
    }
  }

  std::size_t members_;
  std::span<const std::uint64_t> targets_;
  const Order& before_;
  std::vector<std::uint64_t> low_, high_;
};

}  // namespace UPSWEEP_COMPILED
}  // namespace core
}  // namespace upsweep
