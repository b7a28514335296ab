// The forms of select.hpp that return a count, and those on host memory: on the CPU they run where the operands are,
// elsewhere they stream through the device in chunks.
#pragma once

#include <array>

#include "upsweep/buffer.hpp"
#include "upsweep/select/enqueue.hpp"

namespace upsweep::select_room {

// Elements of one chunk on the device, and those that come back.
template <class T>
struct staged {
  staged(const context& where, std::uint64_t n) : in(where, n), out(where, n) {}
  buffer<T> in, out;
};

template <class T>
void require_device_types(const context& where, const char* name) {
  if constexpr (!std::is_trivially_copyable_v<T>) throw needs_trivial_copies(name, where.kind());
}

// Runs select(in, out, count) on device spans and waits for the count.
template <class T, class Select>
std::uint64_t counted(const context& where, const char*, device_span<const T> in, device_span<T> out, Select select) {
  const device_span<std::uint64_t> count = counts_in_scratch(where);
  select(in, out, count);
  return fetch_count(where, count);
}

// Each chunk's kept elements follow those of the chunks before it.
template <class T, class Select>
std::uint64_t counted(const context& where, const char* name, std::span<const T> in, std::span<T> out, Select select) {
  require_room(name, "the output", out.size(), in.size());
  std::uint64_t kept = 0;
  if (where.kind() == backend::cpu) {
    select(in_place(in), in_place(out), device_span<std::uint64_t>(&kept, 1));
    return kept;
  }
  require_device_types<T>(where, name);
  if constexpr (std::is_trivially_copyable_v<T>) {
    require_apart(name, backend::cpu, {read_from("the input", in_place(in)), written_to("the output", in_place(out))});
    staged<T> chunk(where, chunk_elements(where.dev(), in.size(), 2 * sizeof(T)));
    for (std::uint64_t first = 0; first < in.size(); first += chunk.in.size()) {
      const std::uint64_t n = std::min(chunk.in.size(), in.size() - first);
      const auto part = chunk.in.span().subspan(0, n);
      send(where, part, in.data() + first);
      const std::uint64_t some = counted<T>(where, name, device_span<const T>(part), chunk.out.span(), select);
      fetch(where, out.data() + kept, device_span<const T>(chunk.out.span().subspan(0, some)));
      kept += some;
    }
  }
  return kept;
}

// As above, for what asks about the element before: the first of a chunk goes where it equals the last of the chunk
// before it.
template <class T, class Select>
std::uint64_t counted_neighbours(const context& where, device_span<const T> in, device_span<T> out, Select select) {
  return counted<T>(where, "unique", in, out, select);
}
template <class T, class Select>
std::uint64_t counted_neighbours(const context& where, std::span<const T> in, std::span<T> out, Select select) {
  if (where.kind() == backend::cpu) return counted<T>(where, "unique", in, out, select);
  require_room("unique", "the output", out.size(), in.size());
  require_device_types<T>(where, "unique");
  std::uint64_t kept = 0;
  for_each_chunk(where, in.size(), 2 * sizeof(T), [&](std::uint64_t first, std::uint64_t n) {
    const std::uint64_t some = counted<T>(where, "unique", in.subspan(first, n), out.subspan(kept), select);
    const bool goes_on = first > 0 && in[first] == in[first - 1];
    if (goes_on) std::move(out.begin() + kept + 1, out.begin() + kept + some, out.begin() + kept);
    kept += some - goes_on;
  });
  return kept;
}

template <class T, class By>
std::uint64_t flagged(const context& where, device_span<const T> in, device_span<const std::uint8_t> flags,
                      device_span<T> out) {
  const device_span<std::uint64_t> count = counts_in_scratch(where);
  select_room::select_flagged<T, By>(where, in, flags, out, count);
  return fetch_count(where, count);
}
template <class T, class By>
std::uint64_t flagged(const context& where, std::span<const T> in, std::span<const std::uint8_t> flags,
                      std::span<T> out) {
  require_same_size("select_flagged", "the elements", in.size(), "the flags", flags.size());
  require_room("select_flagged", "the output", out.size(), in.size());
  std::uint64_t kept = 0;
  if (where.kind() == backend::cpu) {
    select_room::select_flagged<T, By>(where, in_place(in), in_place(flags), in_place(out),
                                       device_span<std::uint64_t>(&kept, 1));
    return kept;
  }
  require_device_types<T>(where, "select_flagged");
  if constexpr (std::is_trivially_copyable_v<T>)
    for_each_chunk(where, in.size(), 2 * sizeof(T) + 1, [&](std::uint64_t first, std::uint64_t n) {
      staged<T> chunk(where, n);
      buffer<std::uint8_t> kinds(where, flags.subspan(first, n));
      send(where, chunk.in.span(), in.data() + first);
      const std::uint64_t some = flagged<T, By>(where, device_span<const T>(chunk.in.span()),
                                                device_span<const std::uint8_t>(kinds.span()), chunk.out.span());
      fetch(where, out.data() + kept, device_span<const T>(chunk.out.span().subspan(0, some)));
      kept += some;
    });
  return kept;
}

template <class K, class V, class By>
std::uint64_t first_of_each_key(const context& where, device_span<const K> keys, device_span<const V> values,
                                device_span<K> keys_out, device_span<V> values_out) {
  const device_span<std::uint64_t> count = counts_in_scratch(where);
  select_room::unique_by_key<K, V, By>(where, keys, values, keys_out, values_out, count);
  return fetch_count(where, count);
}
template <class K, class V, class By>
std::uint64_t first_of_each_key(const context& where, std::span<const K> keys, std::span<const V> values,
                                std::span<K> keys_out, std::span<V> values_out) {
  require_same_size("unique_by_key", "the keys", keys.size(), "the values", values.size());
  require_room("unique_by_key", "the keys' output", keys_out.size(), keys.size());
  require_room("unique_by_key", "the values' output", values_out.size(), values.size());
  std::uint64_t kept = 0;
  if (where.kind() == backend::cpu) {
    select_room::unique_by_key<K, V, By>(where, in_place(keys), in_place(values), in_place(keys_out),
                                         in_place(values_out), device_span<std::uint64_t>(&kept, 1));
    return kept;
  }
  require_device_types<K>(where, "unique_by_key");
  require_device_types<V>(where, "unique_by_key");
  if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>)
    for_each_chunk(where, keys.size(), 2 * (sizeof(K) + sizeof(V)), [&](std::uint64_t first, std::uint64_t n) {
      staged<K> k(where, n);
      staged<V> v(where, n);
      send(where, k.in.span(), keys.data() + first);
      send(where, v.in.span(), values.data() + first);
      const std::uint64_t some = first_of_each_key<K, V, By>(
          where, device_span<const K>(k.in.span()), device_span<const V>(v.in.span()), k.out.span(), v.out.span());
      const bool goes_on = first > 0 && keys[first] == keys[first - 1];
      const std::uint64_t fresh = some - goes_on;
      fetch(where, keys_out.data() + kept, device_span<const K>(k.out.span().subspan(goes_on, fresh)));
      fetch(where, values_out.data() + kept, device_span<const V>(v.out.span().subspan(goes_on, fresh)));
      kept += fresh;
    });
  return kept;
}

// Partitions into Counts + 1 classes.
template <class T, std::size_t Counts, class Part>
std::array<std::uint64_t, Counts> parted(const context& where, const char*, device_span<const T> in, device_span<T> out,
                                         Part part) {
  const device_span<std::uint64_t> counts = counts_in_scratch(where, Counts);
  part(in, out, counts);
  std::array<std::uint64_t, Counts> sizes;
  fetch(where, sizes.data(), device_span<const std::uint64_t>(counts));
  return sizes;
}
template <class T, std::size_t Counts, class Part>
std::array<std::uint64_t, Counts> parted(const context& where, const char* name, std::span<const T> in,
                                         std::span<T> out, Part part) {
  require_same_size(name, "the elements of the input", in.size(), "the output", out.size());
  std::array<std::uint64_t, Counts> sizes{};
  if (where.kind() == backend::cpu) {
    part(in_place(in), in_place(out), device_span<std::uint64_t>(sizes.data(), Counts));
    return sizes;
  }
  require_device_types<T>(where, name);
  if constexpr (std::is_trivially_copyable_v<T>) {
    require_apart(name, backend::cpu, {read_from("the input", in_place(in)), written_to("the output", in_place(out))});
    std::array<std::vector<T>, Counts>
        aside;  // all classes but the first wait until all of those before them are there
    for_each_chunk(where, in.size(), 2 * sizeof(T), [&](std::uint64_t first, std::uint64_t n) {
      staged<T> chunk(where, n);
      send(where, chunk.in.span(), in.data() + first);
      const auto some = parted<T, Counts>(where, name, device_span<const T>(chunk.in.span()), chunk.out.span(), part);
      fetch(where, out.data() + sizes[0], device_span<const T>(chunk.out.span().subspan(0, some[0])));
      sizes[0] += some[0];
      std::uint64_t from = some[0];
      for (std::size_t c = 0; c < Counts; ++c) {
        const std::uint64_t size = c + 1 < Counts ? some[c + 1] : n - from, before = aside[c].size();
        aside[c].resize(before + size);
        fetch(where, aside[c].data() + before, device_span<const T>(chunk.out.span().subspan(from, size)));
        from += size;
        if (c + 1 < Counts) sizes[c + 1] += size;
      }
    });
    auto to = out.begin() + static_cast<std::ptrdiff_t>(sizes[0]);
    for (const std::vector<T>& rest : aside) to = std::copy(rest.begin(), rest.end(), to);
  }
  return sizes;
}

template <class T, class By>
std::uint64_t encoded(const context& where, device_span<const T> in, device_span<T> out,
                      device_span<std::uint64_t> lengths) {
  const device_span<std::uint64_t> count = counts_in_scratch(where);
  select_room::run_length_encode<T, By>(where, in, out, lengths, count);
  return fetch_count(where, count);
}
template <class T, class By>
std::uint64_t encoded(const context& where, std::span<const T> in, std::span<T> out, std::span<std::uint64_t> lengths) {
  require_room("run_length_encode", "the output", out.size(), in.size());
  require_room("run_length_encode", "the lengths' output", lengths.size(), in.size());
  std::uint64_t runs = 0;
  if (where.kind() == backend::cpu) {
    select_room::run_length_encode<T, By>(where, in_place(in), in_place(out), in_place(lengths),
                                          device_span<std::uint64_t>(&runs, 1));
    return runs;
  }
  require_device_types<T>(where, "run_length_encode");
  if constexpr (std::is_trivially_copyable_v<T>)
    for_each_chunk(where, in.size(), 2 * sizeof(T) + sizeof(std::uint64_t), [&](std::uint64_t first, std::uint64_t n) {
      staged<T> chunk(where, n);
      buffer<std::uint64_t> long_as(where, n);
      send(where, chunk.in.span(), in.data() + first);
      const std::uint64_t some =
          encoded<T, By>(where, device_span<const T>(chunk.in.span()), chunk.out.span(), long_as.span());
      // A run that goes on from the chunk before grows there.
      const bool goes_on = first > 0 && in[first] == in[first - 1];
      if (goes_on) {
        std::uint64_t more = 0;
        fetch(where, &more, device_span<const std::uint64_t>(long_as.span().subspan(0, 1)));
        lengths[runs - 1] += more;
      }
      const std::uint64_t fresh = some - goes_on;
      fetch(where, out.data() + runs, device_span<const T>(chunk.out.span().subspan(goes_on, fresh)));
      fetch(where, lengths.data() + runs, device_span<const std::uint64_t>(long_as.span().subspan(goes_on, fresh)));
      runs += fresh;
    });
  return runs;
}

template <class T, class By>
void decoded(const context& where, std::span<const T> in, std::span<const std::uint64_t> lengths, std::span<T> out) {
  if (where.kind() == backend::cpu)
    return select_room::run_length_decode<T, By>(where, in_place(in), in_place(lengths), in_place(out));
  require_same_size("run_length_decode", "the elements", in.size(), "the lengths", lengths.size());
  require_sum(context::cpu(1), in_place(lengths), out.size());
  require_device_types<T>(where, "run_length_decode");
  if constexpr (std::is_trivially_copyable_v<T>) {
    // Pieces of runs that expand to at most a chunk.
    const std::uint64_t chunk = chunk_elements(where.dev(), out.size(), 2 * sizeof(T) + sizeof(std::uint64_t));
    std::uint64_t run = 0, done_of_run = 0;
    for (std::uint64_t first = 0; first < out.size();) {
      std::vector<T> values;
      std::vector<std::uint64_t> sizes;
      std::uint64_t n = 0;
      while (run < in.size() && n < chunk && values.size() < chunk) {
        const std::uint64_t size = std::min(lengths[run] - done_of_run, chunk - n);
        values.push_back(in[run]), sizes.push_back(size);
        n += size, done_of_run += size;
        if (done_of_run == lengths[run]) ++run, done_of_run = 0;
      }
      buffer<T> from(where, values), to(where, n);
      buffer<std::uint64_t> long_as(where, sizes);
      select_room::run_length_decode<T, By>(where, device_span<const T>(from.span()),
                                            device_span<const std::uint64_t>(long_as.span()), to.span());
      fetch(where, out.data() + first, device_span<const T>(to.span()));
      first += n;
    }
  }
}

template <class T, class By>
void gathered(const context& where, std::span<const T> in, std::span<const std::uint64_t> indices, std::span<T> out) {
  if (where.kind() == backend::cpu)
    return select_room::gather<T, By>(where, in_place(in), in_place(indices), in_place(out));
  require_same_size("gather", "the indices", indices.size(), "the output", out.size());
  require_indices_below(context::cpu(1), "gather", in_place(indices), {}, in.size());
  require_device_types<T>(where, "gather");
  if constexpr (std::is_trivially_copyable_v<T>) {
    const buffer<T> all(where, in);
    for_each_chunk(where, out.size(), sizeof(T) + sizeof(std::uint64_t), [&](std::uint64_t first, std::uint64_t n) {
      const buffer<std::uint64_t> some(where, indices.subspan(first, n));
      buffer<T> to(where, n);
      select_room::gather<T, By>(where, all.span(), some.span(), to.span());
      fetch(where, out.data() + first, device_span<const T>(to.span()));
    });
  }
}

template <class T, class By>
void scattered(const context& where, std::span<const T> in, std::span<const std::uint64_t> indices,
               std::span<const std::uint8_t> flags, std::span<T> out) {
  if (where.kind() == backend::cpu)
    return select_room::scatter_if<T, By>(where, in_place(in), in_place(indices), in_place(flags), in_place(out));
  require_same_size("scatter_if", "the elements", in.size(), "the indices", indices.size());
  require_same_size("scatter_if", "the elements", in.size(), "the flags", flags.size());
  require_indices_below(context::cpu(1), "scatter_if", in_place(indices), in_place(flags), out.size());
  require_device_types<T>(where, "scatter_if");
  if constexpr (std::is_trivially_copyable_v<T>) {
    buffer<T> all(where, std::span<const T>(out));
    for_each_chunk(where, in.size(), sizeof(T) + sizeof(std::uint64_t) + 1, [&](std::uint64_t first, std::uint64_t n) {
      const buffer<T> from(where, in.subspan(first, n));
      const buffer<std::uint64_t> places(where, indices.subspan(first, n));
      const buffer<std::uint8_t> kinds(where, flags.subspan(first, n));
      select_room::scatter_if<T, By>(where, from.span(), places.span(), kinds.span(), all.span());
    });
    all.download(out);
  }
}

}  // namespace upsweep::select_room
