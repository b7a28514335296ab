// distributed: a sequence whose parts are stored on the ranks of a communicator, in their order.
#pragma once

#include <string>

#include "upsweep/communicator/communicator_ranks.hpp"
#include "upsweep/core/throwing.hpp"

namespace upsweep {

namespace core {

// The begin of each part of these sizes, and the end of the last.
std::vector<std::uint64_t> offsets_of_parts(std::span<const std::uint64_t> sizes);
// The begins of even parts of n elements, and the end: sizes differ by one at most.
std::vector<std::uint64_t> even_offsets(std::uint64_t n, int ranks);
// Whether two ranges of one device's memory do not overlap.
template <class A, class B>
bool lie_apart(const context& where, device_span<A> a, device_span<B> b) {
  if (where.kind() == backend::opencl && a.where().base != b.where().base) return true;
  const auto begin = [](memory m) { return reinterpret_cast<std::uintptr_t>(m.base) + m.offset; };
  return begin(a.where()) + a.size() * sizeof(A) <= begin(b.where()) ||
         begin(b.where()) + b.size() * sizeof(B) <= begin(a.where());
}
// n bytes of a file, from `first` on.
void read_slice(const std::string& path, std::uint64_t first, void* to, std::uint64_t bytes);

// The size of the intersection of [a, b) and [c, d).
inline std::uint64_t overlap(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
  const std::uint64_t first = (std::max)(a, c), last = (std::min)(b, d);
  return first < last ? last - first : 0;
}

}  // namespace core

template <class T>
class distributed {
 public:
  // Uninitialised elements: an even part on each rank, or these sizes, one for each rank of the communicator.
  static distributed even(const communicator& g, std::uint64_t n) {
    return {g, [&] { return core::even_offsets(n, g.size()); }};
  }
  static distributed of_sizes(const communicator& g, std::span<const std::uint64_t> sizes) {
    core::require_same_size("distributed", "there are # sizes and # ranks", sizes.size(),
                            static_cast<std::uint64_t>(g.size()), "give one for each rank of the communicator");
    return {g, [&] { return core::offsets_of_parts(sizes); }};
  }
  // An array that every process has: each rank takes its even part.
  template <host_range R>
    requires std::same_as<std::ranges::range_value_t<R>, T>
  static distributed of(const communicator& g, const R& whole) {
    const std::span<const T> all(std::ranges::data(whole), std::ranges::size(whole));
    distributed x = even(g, all.size());
    for (int i = 0; i < g.local_size(); ++i)
      upsweep::upload(g.where(i), all.subspan(x.first(g.first() + i), x.part(i).size()), x.part(i));
    return x;
  }
  // The part of this process's one rank, or a range of parts, one for each of its ranks.
  template <class R>
  static distributed from_blocks(const communicator& g, const R& mine) {
    const auto span_of = [](const auto& part) {
      return std::span<const T>(std::ranges::data(part), std::ranges::size(part));
    };
    if constexpr (std::same_as<std::ranges::range_value_t<R>, T>) {
      require_a_part_each(g, 1);
      return {g, [&](distributed& x) { x.add(span_of(mine)); }, parts_of_own{}};
    } else {
      require_a_part_each(g, static_cast<std::uint64_t>(std::ranges::distance(mine)));
      return {g,
              [&](distributed& x) {
                for (const auto& part : mine) x.add(span_of(part));
              },
              parts_of_own{}};
    }
  }
  // Existing memory of each of this process's ranks; it must outlive this object.
  static distributed of_memory(const communicator& g, std::vector<device_span<T>> parts) {
    require_a_part_each(g, parts.size());
    return {g, [&](distributed& x) { x.parts_ = std::move(parts); }, parts_of_own{}};
  }
  // n elements of a file, stored there in binary from byte `first_byte` on: each rank reads its even part.
  static distributed of_file(const communicator& g, const std::string& path, std::uint64_t first_byte,
                             std::uint64_t n) {
    distributed x = even(g, n);
    g.for_each_rank("distributed::of_file", [&](communicator_rank& m) {
      const auto part = x.part(m.local_rank());
      const std::uint64_t at = first_byte + x.first(m.rank()) * sizeof(T), bytes = part.size() * sizeof(T);
      if (m.where().kind() == backend::cpu) return core::read_slice(path, at, part.data(), bytes);
      const core::host_array<T> slice(part.size());
      core::read_slice(path, at, slice.data(), bytes);
      upsweep::upload(m.where(), std::span<const T>(slice.all()), part);
    });
    return x;
  }

  const communicator& comm() const { return group_; }
  std::uint64_t size() const { return offsets_.back(); }
  // The begin of each rank's part among all elements, and the end of the last.
  const std::vector<std::uint64_t>& offsets() const { return offsets_; }
  std::uint64_t first(int rank) const { return offsets_[static_cast<std::size_t>(rank)]; }
  std::uint64_t size_of(int rank) const { return offsets_[static_cast<std::size_t>(rank) + 1] - first(rank); }

  // The number of this process's ranks.
  device_span<T> part(int local_rank = 0) { return parts_[static_cast<std::size_t>(local_rank)]; }
  device_span<const T> part(int local_rank = 0) const { return parts_[static_cast<std::size_t>(local_rank)]; }
  // Their elements, in order.
  std::vector<T> local() const {
    std::vector<T> host(offsets_[static_cast<std::size_t>(group_.first() + group_.local_size())] -
                        first(group_.first()));
    std::uint64_t at = 0;
    for (int i = 0; i < group_.local_size(); at += part(i++).size())
      upsweep::download(group_.where(i), part(i), std::span<T>(host).subspan(at, part(i).size()));
    return host;
  }
  // Copies all elements to every process. Collective: every process has to call it.
  std::vector<T> gather() const {
    std::vector<T> host;
    group_.for_each_rank("distributed::gather", [&](communicator_rank& m) {
      if (m.local_rank() == 0) host.resize(size());
      const auto mine = part(m.local_rank());
      const core::host_array<T> there(mine.size());
      upsweep::download(m.where(), mine, there.all());
      // Copies to the first rank of each process. The communicator has one process, or one rank a process.
      const bool takes = m.local_rank() == 0;
      const auto takers = m.all(static_cast<std::uint64_t>(takes));
      std::vector<std::uint64_t> sent(takers.size()), received(takers.size());
      core::host_array<T> copies;
      std::uint64_t count = 0;
      for (std::size_t r = 0; r < takers.size(); ++r) count += takers[r];
      copies = core::host_array<T>(count * mine.size());
      for (std::uint64_t c = 0; c < count; ++c) std::copy_n(there.data(), mine.size(), copies.data() + c * mine.size());
      for (std::size_t r = 0; r < takers.size(); ++r) {
        sent[r] = takers[r] * mine.size() * sizeof(T);
        received[r] = takes ? size_of(static_cast<int>(r)) * sizeof(T) : 0;
      }
      m.route().all_to_all(copies.data(), sent, takes ? host.data() : nullptr, received);
    });
    return host;
  }

 private:
  template <class>
  friend class parts_in_progress;

  // If one process has not enough memory, the call ends on all ranks.
  template <class Offsets>
  distributed(const communicator& g, const Offsets& offsets) : group_(g) {
    const auto make = [&] {
      offsets_ = offsets();
      for (int i = 0; i < g.local_size(); ++i) owned_.emplace_back(g.where(i), size_of(g.first() + i));
      for (auto& b : owned_) parts_.push_back(b.span());
    };
    if (g.local_size() == g.size())
      make();
    else
      g.for_each_rank("distributed", [&](communicator_rank&) { make(); });
  }
  struct parts_of_own {};
  template <class Parts>
  distributed(const communicator& g, const Parts& make_parts, parts_of_own) : group_(g) {
    // The parts of a process's ranks are allocated before any rank reports its size.
    g.for_each_rank("distributed", [&](communicator_rank& m) {
      if (m.local_rank() == 0) make_parts(*this);
      if (group_.local_size() > 1) m.route().barrier();
      const auto sizes = m.all(parts_[static_cast<std::size_t>(m.local_rank())].size());
      if (m.local_rank() == 0) offsets_ = core::offsets_of_parts(sizes);
    });
  }
  void add(std::span<const T> part) {
    owned_.emplace_back(group_.where(static_cast<int>(owned_.size())), part);
    parts_.push_back(owned_.back().span());
  }
  static void require_a_part_each(const communicator& g, std::uint64_t parts) {
    core::require_same_size("distributed", "there are # parts and # ranks in this process", parts,
                            static_cast<std::uint64_t>(g.local_size()), "give one for each of them");
  }

  communicator group_;
  std::vector<std::uint64_t> offsets_;
  std::vector<device_span<T>> parts_;
  std::vector<buffer<T>> owned_;
};

// Parts of `out` whose sizes are known only during a call. Each rank passes its own to keep(); done() is called after
// all ranks have.
template <class T>
class parts_in_progress {
 public:
  // If memory is missing here, space() reports it, within the call.
  parts_in_progress(const communicator& g, distributed<T>& out) : out_(out) {
    const auto here = static_cast<std::size_t>(g.local_size());
    (void)core::has_memory_for([&] { owned_.resize(here), kept_.reserve(here), parts_.resize(here); });
  }

  // Memory for n elements: that of `out` where it is large enough and overlaps none of `read`, otherwise new memory.
  template <class... X>
  device_span<T> space(const communicator_rank& m, std::uint64_t n, device_span<X>... read) {
    const auto i = static_cast<std::size_t>(m.local_rank());
    if (parts_.empty()) core::throw_bad_alloc();
    if (i < out_.owned_.size()) {
      const auto there = out_.owned_[i].span();
      if (there.size() >= n && (core::lie_apart(m.where(), there, read) && ...)) return there.subspan(0, n);
    }
    return owned_[i].emplace(m.where(), n).span();
  }
  // `part` is a range of the memory that space() returned.
  void keep(const communicator_rank& m, device_span<T> part) {
    parts_[static_cast<std::size_t>(m.local_rank())] = part;
    const auto sizes = m.all(part.size());
    if (m.local_rank() == 0) offsets_ = core::offsets_of_parts(sizes);
  }
  void done() noexcept {
    for (std::size_t i = 0; i < owned_.size(); ++i)
      kept_.push_back(owned_[i] ? std::move(*owned_[i]) : std::move(out_.owned_[i]));
    out_.owned_ = std::move(kept_), out_.parts_ = std::move(parts_), out_.offsets_ = std::move(offsets_);
  }

 private:
  distributed<T>& out_;
  std::vector<std::optional<buffer<T>>> owned_;
  std::vector<buffer<T>> kept_;
  std::vector<device_span<T>> parts_;
  std::vector<std::uint64_t> offsets_;
};

namespace core {

// Throw fault::bad_argument where two sequences belong to different communicators, or their parts differ in size.
void require_one_group(const char* call, const communicator&, const communicator&);
void require_cut_alike(const char* call, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// Moves elements from the partition `have` to the partition `want`; both have the same total.
template <class T>
void move_parts(const communicator_rank& m, device_span<const T> from, std::span<const std::uint64_t> have,
                device_span<T> to, std::span<const std::uint64_t> want) {
  if (std::ranges::equal(have, want)) {
    if (from.size()) m.where().device().copy(to.where(), from.where(), from.size() * sizeof(T));
    return;
  }
  const auto me = static_cast<std::size_t>(m.rank()), ranks = static_cast<std::size_t>(m.size());
  std::vector<std::uint64_t> sent(ranks), received(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    sent[r] = core::overlap(have[me], have[me + 1], want[r], want[r + 1]);
    received[r] = core::overlap(have[r], have[r + 1], want[me], want[me + 1]);
  }
  m.all_to_all(from, sent, to, received);
}

// Sends parts around a ring, each rank to the next, until `all` holds the parts of all ranks, at `offsets`. The rank's
// own part must already be in its position.
template <class T>
void gather_parts(const communicator_rank& m, device_span<T> all, std::span<const std::uint64_t> offsets) {
  const auto me = static_cast<std::size_t>(m.rank()), ranks = static_cast<std::size_t>(m.size());
  const auto part = [&](std::size_t r) { return all.subspan(offsets[r], offsets[r + 1] - offsets[r]); };
  for (std::size_t step = 1; step < ranks; ++step) {
    const std::size_t from = (me + ranks - step) % ranks, mine = (from + 1) % ranks;
    std::vector<std::uint64_t> sent(ranks), received(ranks);
    sent[(me + 1) % ranks] = part(mine).size();
    received[(me + ranks - 1) % ranks] = part(from).size();
    m.all_to_all(device_span<const T>(part(mine)), sent, part(from), received);
  }
}

}  // namespace core

}  // namespace upsweep
