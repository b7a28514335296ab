// The forms of select.hpp that return a count, and those on host memory that the device cannot read, which streams
// through it in chunks.
#pragma once

#include <array>

#include "upsweep/select/select_dispatch.hpp"

namespace upsweep::detail::select_impl {

// Elements of one chunk on the device, and those that come back.
template <class T>
class staged {
  buffer<T> from_, to_;

 public:
  staged(const context& where, std::uint64_t n) : from_(where, n), to_(where, n), in(from_.span()), out(to_.span()) {}
  operand<T> in, out;
};

inline void require_kept(const char* name, std::uint64_t kept, std::uint64_t capacity) {
  require_capacity(
      name, capacity, kept,
      [&] {
        return "the output has " + std::to_string(capacity) + " elements and " + std::to_string(kept) + " are kept";
      },
      "give that many");
}

// For outputs smaller than the input: select(all) writes to scratch, and the kept elements are copied from there if
// they fit the output.
template <class T, class Select>
std::uint64_t kept_by_way_of_scratch(const context& where, const char* name, operand<const T> in, operand<T> out,
                                     const Select& select) {
  require_no_overlap(name, where, {{"the input", in}, {"the output", out}});
  if constexpr (std::is_trivially_copyable_v<T>) {
    const operand<T> all(where.device().scratch("select/all kept", std::max<std::uint64_t>(in.bytes(), 16)), in.size(),
                         in.on_host());
    const std::uint64_t kept = select(all);
    detail::select_impl::require_kept(name, kept, out.size());
    if (kept != 0) where.device().copy(out.where(), all.where(), kept * sizeof(T));
    return kept;
  } else if (where.kind() == backend::cpu) {
    std::vector<T> all(in.data(), in.data() + in.size());
    const std::uint64_t kept = select(operand<T>(std::span<T>(all)));
    detail::select_impl::require_kept(name, kept, out.size());
    std::move(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), out.data());
    return kept;
  } else {
    core::throw_error(needs_trivial_copies(name, where.kind()));
  }
}

// Runs select(in, out, count). Each chunk's kept elements follow those of the chunks before it. OfRuns: what is kept of
// a run is its first, so that of a chunk the first goes where it equals the last of the chunk before.
template <class T, bool OfRuns = false, class Select>
std::uint64_t returned_count(const context& where, const char* name, operand<const T> in, operand<T> out,
                             Select select) {
  if (out.size() < in.size() && in.accessible_from(where))
    return detail::select_impl::kept_by_way_of_scratch<T>(where, name, in, out, [&](operand<T> all) {
      return detail::select_impl::returned_count<T, OfRuns>(where, name, in, all, select);
    });
  if (where.kind() == backend::cpu) {
    std::uint64_t kept = 0;
    select(in, out, written_operand(std::span(&kept, 1)));
    return kept;
  }
  const operand<std::uint64_t> count = counts_in_scratch(where);
  if (in.accessible_from(where)) {
    select(in, out, count);
    return fetch_count(where, count);
  }
  require_no_overlap(name, where, {{"the input", in}, {"the output", out}}, 1);
  require_trivial_copies<T>(where, name);
  std::uint64_t kept = 0;
  if constexpr (std::is_trivially_copyable_v<T>) {
    const std::uint64_t chunk = chunk_elements(where.device(), in.size(), 2 * sizeof(T));
    const staged<T> there(where, chunk);
    core::for_each_chunk_of(chunk, in.size(), [&](std::uint64_t first, std::uint64_t n) {
      core::upload(where, there.in, in.part(first, n));
      select(there.in.part(0, n), there.out, count);
      bool goes_on = false;
      if constexpr (OfRuns) goes_on = first > 0 && in[first] == in[first - 1];
      const std::uint64_t fresh = fetch_count(where, count) - goes_on;
      detail::select_impl::require_kept(name, kept + fresh, out.size());
      core::download(where, out.part(kept, fresh), there.out.part(goes_on, fresh));
      kept += fresh;
    });
  }
  return kept;
}

template <class T, class By>
std::uint64_t flagged(const context& where, operand<const T> in, operand<const std::uint8_t> flags, operand<T> out) {
  const char* const name = "select_flagged";
  if (out.size() < in.size() && in.accessible_from(where))
    return detail::select_impl::kept_by_way_of_scratch<T>(where, name, in, out, [&](operand<T> all) {
      return detail::select_impl::flagged<T, By>(where, in, flags, all);
    });
  const operand<std::uint64_t> count = counts_in_scratch(where);
  if (in.accessible_from(where)) {
    detail::select_impl::select_flagged<T, By>(where, in, flags, out, count);
    return fetch_count(where, count);
  }
  require_same_size(name, "the elements have # elements and the flags #", in.size(), flags.size());
  require_no_overlap(name, where, {{"the input", in}, {"the output", out}, {"the flags", flags}}, 1);
  require_trivial_copies<T>(where, "select_flagged");
  std::uint64_t kept = 0;
  if constexpr (std::is_trivially_copyable_v<T>) {
    const std::uint64_t chunk = chunk_elements(where.device(), in.size(), 2 * sizeof(T) + 1);
    const staged<T> there(where, chunk);
    buffer<std::uint8_t> kinds(where, chunk);
    core::for_each_chunk_of(chunk, in.size(), [&](std::uint64_t first, std::uint64_t n) {
      core::upload(where, there.in, in.part(first, n));
      core::upload(where, operand<std::uint8_t>(kinds.span()), flags.part(first, n));
      detail::select_impl::select_flagged<T, By>(where, there.in.part(0, n), kinds.span().subspan(0, n), there.out,
                                                 count);
      const std::uint64_t some = fetch_count(where, count);
      detail::select_impl::require_kept(name, kept + some, out.size());
      core::download(where, out.part(kept, some), there.out.part(0, some));
      kept += some;
    });
  }
  return kept;
}

template <class K, class V, class By>
std::uint64_t first_of_each_key(const context& where, operand<const K> keys, operand<const V> values,
                                operand<K> keys_out, operand<V> values_out) {
  const operand<std::uint64_t> count = counts_in_scratch(where);
  if (keys.accessible_from(where)) {
    detail::select_impl::unique_by_key<K, V, By>(where, keys, values, keys_out, values_out, count);
    return fetch_count(where, count);
  }
  detail::select_impl::require_pairs<K, V>(where, keys, values, keys_out, values_out);
  require_trivial_copies<K, V>(where, "unique_by_key");
  std::uint64_t kept = 0;
  if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>) {
    const std::uint64_t chunk = chunk_elements(where.device(), keys.size(), 2 * (sizeof(K) + sizeof(V)));
    const staged<K> k(where, chunk);
    const staged<V> v(where, chunk);
    core::for_each_chunk_of(chunk, keys.size(), [&](std::uint64_t first, std::uint64_t n) {
      core::upload(where, k.in, keys.part(first, n));
      core::upload(where, v.in, values.part(first, n));
      detail::select_impl::unique_by_key<K, V, By>(where, k.in.part(0, n), v.in.part(0, n), k.out, v.out, count);
      const bool goes_on = first > 0 && keys[first] == keys[first - 1];
      const std::uint64_t fresh = fetch_count(where, count) - goes_on;
      core::download(where, keys_out.part(kept, fresh), k.out.part(goes_on, fresh));
      core::download(where, values_out.part(kept, fresh), v.out.part(goes_on, fresh));
      kept += fresh;
    });
  }
  return kept;
}

// Partitions into Counts + 1 classes. All classes but the first wait until all of those before them are there.
template <class T, std::size_t Counts, class Part>
std::array<std::uint64_t, Counts> parted(const context& where, const char* name, operand<const T> in, operand<T> out,
                                         Part part) {
  const operand<std::uint64_t> counts = counts_in_scratch(where, Counts);
  std::array<std::uint64_t, Counts> some;
  if (in.accessible_from(where)) {
    part(in, out, counts);
    where.device().download(some.data(), counts.where(), counts.bytes());
    return some;
  }
  detail::select_impl::require_all_places<T>(name, where, in, out);
  require_trivial_copies<T>(where, name);
  std::array<std::uint64_t, Counts> sizes{};
  if constexpr (std::is_trivially_copyable_v<T>) {
    const std::uint64_t chunk = chunk_elements(where.device(), in.size(), 2 * sizeof(T));
    const staged<T> there(where, chunk);
    std::array<std::vector<std::byte>, Counts> aside;  // of Ts: std::vector<bool> would have none in memory
    core::for_each_chunk_of(chunk, in.size(), [&](std::uint64_t first, std::uint64_t n) {
      core::upload(where, there.in, in.part(first, n));
      part(there.in.part(0, n), there.out.part(0, n), counts);
      where.device().download(some.data(), counts.where(), counts.bytes());
      core::download(where, out.part(sizes[0], some[0]), there.out.part(0, some[0]));
      sizes[0] += some[0];
      std::uint64_t from = some[0];
      for (std::size_t c = 0; c < Counts; ++c) {
        const std::uint64_t size = c + 1 < Counts ? some[c + 1] : n - from, before = aside[c].size();
        aside[c].resize(before + size * sizeof(T));
        core::download(where, operand<T>({aside[c].data() + before, 0}, size, true), there.out.part(from, size));
        from += size;
        if (c + 1 < Counts) sizes[c + 1] += size;
      }
    });
    T* to = out.data() + sizes[0];
    for (const std::vector<std::byte>& rest : aside) {
      if (!rest.empty()) std::memcpy(static_cast<void*>(to), rest.data(), rest.size());
      to += rest.size() / sizeof(T);
    }
  }
  return sizes;
}

template <class T, class By>
std::uint64_t encoded(const context& where, operand<const T> in, operand<T> out, operand<std::uint64_t> lengths) {
  const operand<std::uint64_t> count = counts_in_scratch(where);
  if (in.accessible_from(where)) {
    detail::select_impl::run_length_encode<T, By>(where, in, out, lengths, count);
    return fetch_count(where, count);
  }
  detail::select_impl::require_runs<T>(where, in, out, lengths);
  require_trivial_copies<T>(where, "run_length_encode");
  std::uint64_t runs = 0;
  if constexpr (std::is_trivially_copyable_v<T>) {
    const std::uint64_t chunk = chunk_elements(where.device(), in.size(), 2 * sizeof(T) + sizeof(std::uint64_t));
    const staged<T> there(where, chunk);
    buffer<std::uint64_t> buffer_of_lengths(where, chunk);
    const operand<std::uint64_t> long_as = buffer_of_lengths.span();
    core::for_each_chunk_of(chunk, in.size(), [&](std::uint64_t first, std::uint64_t n) {
      core::upload(where, there.in, in.part(first, n));
      detail::select_impl::run_length_encode<T, By>(where, there.in.part(0, n), there.out, long_as, count);
      // A run that goes on from the chunk before grows there.
      const bool goes_on = first > 0 && in[first] == in[first - 1];
      if (goes_on) lengths[runs - 1] += fetch_count(where, long_as);
      const std::uint64_t fresh = fetch_count(where, count) - goes_on;
      core::download(where, out.part(runs, fresh), there.out.part(goes_on, fresh));
      core::download(where, lengths.part(runs, fresh), long_as.part(goes_on, fresh));
      runs += fresh;
    });
  }
  return runs;
}

template <class T, class By>
void decoded(const context& where, operand<const T> in, operand<const std::uint64_t> lengths, operand<T> out) {
  if (in.accessible_from(where)) return detail::select_impl::run_length_decode<T, By>(where, in, lengths, out);
  detail::select_impl::require_lengths<T>(where, in, lengths, out);
  require_trivial_copies<T>(where, "run_length_decode");
  if constexpr (std::is_trivially_copyable_v<T>) {
    // Pieces of runs that expand to at most a chunk.
    const std::uint64_t chunk = chunk_elements(where.device(), out.size(), 2 * sizeof(T) + sizeof(std::uint64_t));
    std::uint64_t run = 0, done_of_run = 0;
    for (std::uint64_t first = 0; first < out.size();) {
      const std::uint64_t begin = run;
      std::vector<std::uint64_t> sizes;
      std::uint64_t n = 0;
      while (run < in.size() && n < chunk && sizes.size() < chunk) {
        const std::uint64_t size = (std::min)(lengths[run] - done_of_run, chunk - n);
        sizes.push_back(size);
        n += size, done_of_run += size;
        if (done_of_run == lengths[run]) ++run, done_of_run = 0;
      }
      buffer<T> from(where, in.part(begin, sizes.size()).host()), to(where, n);
      const buffer<std::uint64_t> long_as(where, sizes);
      detail::select_impl::run_length_decode<T, By>(where, from.span(), long_as.span(), to.span());
      core::download(where, out.part(first, n), operand<T>(to.span()));
      first += n;
    }
  }
}

template <class T, class By, class I>
void gathered(const char* name, const context& where, operand<const T> in, operand<const I> indices,
              operand<const std::uint8_t> flags, bool by_flags, operand<T> out) {
  if (in.accessible_from(where))
    return detail::select_impl::gather<T, By>(name, where, in, indices, flags, by_flags, out);
  detail::select_impl::require_indices<T>(name, where, in, indices, flags, by_flags, out);
  require_trivial_copies<T>(where, name);
  if constexpr (std::is_trivially_copyable_v<T>) {
    const buffer<T> all(where, in.host());
    core::for_each_chunk(
        where.device(), out.size(), sizeof(T) + sizeof(I) + 1, [&](std::uint64_t first, std::uint64_t n) {
          const buffer<I> some(where, indices.part(first, n).host());
          const buffer<std::uint8_t> kinds(where, by_flags ? flags.part(first, n).host() : flags.host());
          buffer<T> to = by_flags ? buffer<T>(where, out.part(first, n).host()) : buffer<T>(where, n);
          detail::select_impl::gather<T, By>(name, where, all.span(), operand<const I>(some), kinds.span(), by_flags,
                                             to.span());
          to.download(out.part(first, n).host());
        });
  }
}

template <class I, class T>
void require_permuted(const context& where, operand<const I> order, operand<const T> in, operand<T> out) {
  require_same_size("permute", "the order has # places and an input # elements", order.size(), in.size());
  require_same_size("permute", "an input has # elements and its output #", in.size(), out.size());
  require_no_overlap("permute", where, {{"an input", in}, {"its output", out}, {"the order", order}}, 1);
}

template <class By, class I, class T>
void permute_elements(const context& where, operand<const I> order, operand<const T> in, operand<T> out) {
  // A copy of the host's memory is set aside there.
  const context beside = in.accessible_from(where) ? where : context::cpu();
  const input_apart<T> apart(beside, in, out, "select/permuted");
  detail::select_impl::gathered<T, By>("permute", where, apart, order, {}, false, out);
}

template <class T, class By, class I>
void scattered(const char* name, const context& where, operand<const T> in, operand<const I> indices,
               operand<const std::uint8_t> flags, bool by_flags, operand<T> out) {
  if (in.accessible_from(where))
    return detail::select_impl::scatter<T, By>(name, where, in, indices, flags, by_flags, out);
  detail::select_impl::require_places<T>(name, where, in, indices, flags, by_flags, out);
  require_trivial_copies<T>(where, name);
  if constexpr (std::is_trivially_copyable_v<T>) {
    buffer<T> all(where, out.host());
    core::for_each_chunk(
        where.device(), in.size(), sizeof(T) + sizeof(I) + 1, [&](std::uint64_t first, std::uint64_t n) {
          const buffer<T> from(where, in.part(first, n).host());
          const buffer<I> places(where, indices.part(first, n).host());
          const buffer<std::uint8_t> kinds(where, by_flags ? flags.part(first, n).host() : flags.host());
          detail::select_impl::scatter<T, By>(name, where, from.span(), operand<const I>(places), kinds.span(),
                                              by_flags, all.span());
        });
    all.download(out.host());
  }
}

}  // namespace upsweep::detail::select_impl
