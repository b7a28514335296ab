// distributed: a sequence whose parts lie with the members of a group, in their order.
#pragma once

#include <string>

#include "upsweep/group/members.hpp"

namespace upsweep {

namespace core {

// Where parts of these sizes begin, and the end.
std::vector<std::uint64_t> offsets_of_parts(std::span<const std::uint64_t> sizes);
// Where even parts of n elements begin: sizes differ by one at most.
std::vector<std::uint64_t> even_offsets(std::uint64_t n, int members);
// Whether two pieces of one device's memory have nothing in common.
template <class A, class B>
bool lie_apart(const context& where, device_span<A> a, device_span<B> b) {
  if (where.kind() == backend::opencl && a.where().base != b.where().base) return true;
  const auto begin = [](memory m) { return reinterpret_cast<std::uintptr_t>(m.base) + m.offset; };
  return begin(a.where()) + a.size() * sizeof(A) <= begin(b.where()) ||
         begin(b.where()) + b.size() * sizeof(B) <= begin(a.where());
}
// n bytes of a file, from `first` on.
void read_slice(const std::string& path, std::uint64_t first, void* to, std::uint64_t bytes);

// What is common to [a, b) and [c, d).
inline std::uint64_t overlap(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
  const std::uint64_t first = std::max(a, c), last = std::min(b, d);
  return first < last ? last - first : 0;
}

}  // namespace core

template <class T>
class distributed {
 public:
  // Elements that are not set: as many with each member, or as these sizes say, one for each member of the group.
  static distributed evenly(const group& g, std::uint64_t n) {
    return {g, [&] { return core::even_offsets(n, g.size()); }};
  }
  static distributed of_sizes(const group& g, std::span<const std::uint64_t> sizes) {
    core::require_same_size("distributed", "there are # sizes and # members", sizes.size(),
                            static_cast<std::uint64_t>(g.size()), "give one for each member of the group");
    return {g, [&] { return core::offsets_of_parts(sizes); }};
  }
  // An array that every process has: each member takes its even part.
  template <host_range R>
    requires std::same_as<std::ranges::range_value_t<R>, T>
  static distributed of(const group& g, const R& whole) {
    const std::span<const T> all(std::ranges::data(whole), std::ranges::size(whole));
    distributed x = evenly(g, all.size());
    for (int i = 0; i < g.here(); ++i)
      upsweep::upload(g.where(i), all.subspan(x.first(g.first() + i), x.part(i).size()), x.part(i));
    return x;
  }
  // The part of this process's one member, or a range of parts, one for each of its members.
  template <class R>
  static distributed of_parts(const group& g, const R& mine) {
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
  // Memory that is there, of each of this process's members; the caller keeps it as long as this lives.
  static distributed of_memory(const group& g, std::vector<device_span<T>> parts) {
    require_a_part_each(g, parts.size());
    return {g, [&](distributed& x) { x.parts_ = std::move(parts); }, parts_of_own{}};
  }
  // n elements of a file, as they lie there from byte `first_byte` on: each member reads its even part.
  static distributed of_file(const group& g, const std::string& path, std::uint64_t first_byte, std::uint64_t n) {
    distributed x = evenly(g, n);
    g.each("distributed::of_file", [&](member& m) {
      const auto part = x.part(m.here());
      const std::uint64_t at = first_byte + x.first(m.rank()) * sizeof(T), bytes = part.size() * sizeof(T);
      if (m.where().kind() == backend::cpu) return core::read_slice(path, at, part.data(), bytes);
      const core::host_array<T> slice(part.size());
      core::read_slice(path, at, slice.data(), bytes);
      upsweep::upload(m.where(), std::span<const T>(slice.all()), part);
    });
    return x;
  }

  const group& members() const { return group_; }
  std::uint64_t size() const { return offsets_.back(); }
  // Where each member's part begins among all elements, and their end.
  const std::vector<std::uint64_t>& offsets() const { return offsets_; }
  std::uint64_t first(int rank) const { return offsets_[static_cast<std::size_t>(rank)]; }
  std::uint64_t size_of(int rank) const { return offsets_[static_cast<std::size_t>(rank) + 1] - first(rank); }

  // Of this process's members.
  device_span<T> part(int here = 0) { return parts_[static_cast<std::size_t>(here)]; }
  device_span<const T> part(int here = 0) const { return parts_[static_cast<std::size_t>(here)]; }
  // Their elements, in order.
  std::vector<T> local() const {
    std::vector<T> host(offsets_[static_cast<std::size_t>(group_.first() + group_.here())] - first(group_.first()));
    std::uint64_t at = 0;
    for (int i = 0; i < group_.here(); at += part(i++).size())
      upsweep::download(group_.where(i), part(i), std::span<T>(host).subspan(at, part(i).size()));
    return host;
  }
  // All elements, on every process: every one of them calls it.
  std::vector<T> whole() const {
    std::vector<T> host;
    group_.each("distributed::whole", [&](member& m) {
      if (m.here() == 0) host.resize(size());
      const auto mine = part(m.here());
      const core::host_array<T> there(mine.size());
      upsweep::download(m.where(), mine, there.all());
      // To one member of each process, the first of it; there is one process, or one member a process.
      const bool takes = m.here() == 0;
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
      m.way().all_to_all(copies.data(), sent, takes ? host.data() : nullptr, received);
    });
    return host;
  }

 private:
  template <class>
  friend class parts_being_made;

  // A process that has not the memory ends the call on all.
  template <class Offsets>
  distributed(const group& g, const Offsets& offsets) : group_(g) {
    const auto make = [&] {
      offsets_ = offsets();
      for (int i = 0; i < g.here(); ++i) owned_.emplace_back(g.where(i), size_of(g.first() + i));
      for (auto& b : owned_) parts_.push_back(b.span());
    };
    if (g.here() == g.size())
      make();
    else
      g.each("distributed", [&](member&) { make(); });
  }
  struct parts_of_own {};
  template <class Parts>
  distributed(const group& g, const Parts& make_parts, parts_of_own) : group_(g) {
    // Its members' parts are made before any of them tells their sizes.
    g.each("distributed", [&](member& m) {
      if (m.here() == 0) make_parts(*this);
      if (group_.here() > 1) m.way().barrier();
      const auto sizes = m.all(parts_[static_cast<std::size_t>(m.here())].size());
      if (m.here() == 0) offsets_ = core::offsets_of_parts(sizes);
    });
  }
  void add(std::span<const T> part) {
    owned_.emplace_back(group_.where(static_cast<int>(owned_.size())), part);
    parts_.push_back(owned_.back().span());
  }
  static void require_a_part_each(const group& g, std::uint64_t parts) {
    core::require_same_size("distributed", "there are # parts and # members in this process", parts,
                            static_cast<std::uint64_t>(g.here()), "give one for each of them");
  }

  group group_;
  std::vector<std::uint64_t> offsets_;
  std::vector<device_span<T>> parts_;
  std::vector<buffer<T>> owned_;
};

// Parts of `out` whose sizes come out in the course of a call. Each member gives its own; done() is called after all
// have.
template <class T>
class parts_being_made {
 public:
  // Where there is no memory for it, room() says so, in the call.
  parts_being_made(const group& g, distributed<T>& out) : out_(out) {
    const auto here = static_cast<std::size_t>(g.here());
    try {
      owned_.resize(here), kept_.reserve(here), parts_.resize(here);
    } catch (const std::bad_alloc&) {
    }
  }

  // The memory that `out` has, where that is enough and none of what is read lies there.
  template <class... X>
  device_span<T> room(const member& m, std::uint64_t n, device_span<X>... read) {
    const auto i = static_cast<std::size_t>(m.here());
    if (parts_.empty()) throw std::bad_alloc();
    if (i < out_.owned_.size()) {
      const auto there = out_.owned_[i].span();
      if (there.size() >= n && (core::lie_apart(m.where(), there, read) && ...)) return there.subspan(0, n);
    }
    return owned_[i].emplace(m.where(), n).span();
  }
  // `part` is of that room.
  void keep(const member& m, device_span<T> part) {
    parts_[static_cast<std::size_t>(m.here())] = part;
    const auto sizes = m.all(part.size());
    if (m.here() == 0) offsets_ = core::offsets_of_parts(sizes);
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

// Throws fault::bad_argument where two sequences are not of one group, or not cut alike.
void require_one_group(const char* call, const group&, const group&);
void require_cut_alike(const char* call, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// What lies with the members as the offsets `have` say, to where `want` says: as many in all.
template <class T>
void move_parts(const member& m, device_span<const T> from, std::span<const std::uint64_t> have, device_span<T> to,
                std::span<const std::uint64_t> want) {
  if (std::ranges::equal(have, want)) {
    if (from.size()) m.where().dev().copy(to.where(), from.where(), from.size() * sizeof(T));
    return;
  }
  const auto me = static_cast<std::size_t>(m.rank()), members = static_cast<std::size_t>(m.size());
  std::vector<std::uint64_t> sent(members), received(members);
  for (std::size_t r = 0; r < members; ++r) {
    sent[r] = core::overlap(have[me], have[me + 1], want[r], want[r + 1]);
    received[r] = core::overlap(have[r], have[r + 1], want[me], want[me + 1]);
  }
  m.all_to_all(from, sent, to, received);
}

// Round a ring, from each member to the next: `all` becomes what all have, cut as `offsets` say; the member's own part
// is in its place already.
template <class T>
void gather_parts(const member& m, device_span<T> all, std::span<const std::uint64_t> offsets) {
  const auto me = static_cast<std::size_t>(m.rank()), members = static_cast<std::size_t>(m.size());
  const auto part = [&](std::size_t r) { return all.subspan(offsets[r], offsets[r + 1] - offsets[r]); };
  for (std::size_t step = 1; step < members; ++step) {
    const std::size_t from = (me + members - step) % members, mine = (from + 1) % members;
    std::vector<std::uint64_t> sent(members), received(members);
    sent[(me + 1) % members] = part(mine).size();
    received[(me + members - 1) % members] = part(from).size();
    m.all_to_all(device_span<const T>(part(mine)), sent, part(from), received);
  }
}

}  // namespace core

}  // namespace upsweep
