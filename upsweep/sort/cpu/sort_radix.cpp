// Distributes the work: the first pass over the whole input by chunks, and then ranges, one by one.
#include "upsweep/sort/cpu/sort_radix.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/cpu/cancellation_point.hpp"
#include "upsweep/sort/cpu/sort_cpu_tuning.hpp"
#include "upsweep/sort/cpu/sort_permute.hpp"
#include "upsweep/sort/cpu/sort_radix_kernels.hpp"

namespace upsweep::cpu {

namespace {

using detail::sort_impl::cpu_tuned;

inline constexpr unsigned max_first_bits = 11;  // of the digit that the whole is cut by
inline constexpr unsigned max_later_bits = 8;   // of the digit that a range too large for the cache is cut by

// A range of keys that are equal in the bits from `high` up.
struct range {
  std::uint64_t first, count;
  unsigned high;
  bool in_records;
};

class sorter {
 public:
  sorter(device& d, const radix_kernels& k, radix_field by, std::uint64_t n, const radix_place& in,
         const radix_place& out)
      : device_(d), k_(k), by_(by), n_(n), in_(in), out_(out), fits_(cpu_tuned.cached_bytes / k.record_bytes) {}

  void run() {
    if (n_ == 0) return;
    const bool whole = n_ <= fits_;
    const unsigned workers = whole ? 1 : static_cast<unsigned>(threads_of(device_));
    lines_bytes_ = (std::uint64_t{64} + 16) << (whole ? 0 : max_first_bits);
    worker_bytes_ =
        (2 * fits_ * k_.record_bytes + lines_bytes_ + (sizeof(std::uint64_t) << max_first_bits) + 255) / 256 * 256;
    if (whole) worker_bytes_ = (2 * n_ * k_.record_bytes + 128 + 255) / 256 * 256;
    worker_scratch_ = device_.scratch("sort/workers", worker_bytes_ * workers).as<char>();
    if (whole) return k_.sort(in_, n_, by_, out_, worker_scratch_, second_buffer(worker_scratch_, n_));

    records_ = {device_.scratch("sort/records", n_ * k_.record_bytes).address(), nullptr, 0, true};
    split_in_parallel(in_, {0, n_, by_.high, false}, max_first_bits);
    sort_ranges(workers);
  }

 private:
  char* second_buffer(char* first, std::uint64_t n) const { return first + (n * k_.record_bytes + 63) / 64 * 64; }

  radix_place place(const range& r) const { return k_.advance(r.in_records ? records_ : out_, r.first); }

  radix_field field_below(unsigned high) const { return {by_.flip, by_.low, high, by_.whole}; }

  // Bits of the digit to partition by, so that the parts fit the cache; at least 1.
  unsigned digit_width(std::uint64_t count, unsigned high, unsigned most) const {
    unsigned bits = 1;
    while (bits < most && (count >> bits) * k_.record_bytes > cpu_tuned.range_bytes) ++bits;
    return std::min(bits, high - by_.low);
  }

  unsigned max_value(std::uint64_t varies) const { return 64 - static_cast<unsigned>(std::countl_zero(varies)); }

  // Partitions `from` by its highest digit that varies. The result is in the records or, if the input was there, in
  // the output.
  void split_in_parallel(const radix_place& from, range r, unsigned most_bits) {
    // Chunks of at most 2^21 keys while there are few enough chunks: the call checks for cancellation between them.
    const std::uint64_t wanted = std::max(4 * static_cast<std::uint64_t>(threads_of(device_)), r.count >> 21),
                        chunks = std::min<std::uint64_t>(wanted, 64), chunk = (r.count + chunks - 1) / chunks;
    const auto size = [&](std::uint64_t c) { return c * chunk >= r.count ? 0 : std::min(chunk, r.count - c * chunk); };
    const std::uint64_t first = k_.image(from, 0), mask = field_below(r.high).mask();

    // A guess at the highest bit that varies, from a few keys; counting shows whether it is right.
    std::uint64_t seen = 0;
    for (std::uint64_t i = 0; i < 256; ++i) seen |= k_.image(from, r.count / 256 * i) ^ first;
    seen &= mask;
    unsigned high = seen ? max_value(seen) : r.high, bits = 0;
    std::vector<std::uint64_t> next;
    for (bool right = false; !right;) {
      bits = digit_width(r.count, high, most_bits);
      next.assign(chunks << bits, 0);
      std::vector<std::uint64_t> varies(chunks);
      for_each_block(device_, chunks, [&](std::uint64_t c, const stop_flag&) {
        if (size(c))
          varies[c] = k_.count(k_.advance(from, c * chunk), size(c), high - bits, bits, first, &next[c << bits]);
      });
      std::uint64_t all = 0;
      for (std::uint64_t v : varies) all |= v;
      all &= mask;
      if (all == 0) return finish(from, r, chunks, chunk);
      right = max_value(all) <= high && max_value(all) > high - bits;
      if (!right) high = max_value(all);
    }

    const std::uint64_t flip = by_.flip >> (high - bits) & ((std::uint64_t{1} << bits) - 1);
    std::vector<range> pieces;
    std::uint64_t place_of = r.first;
    for (std::uint64_t digit = 0; digit < std::uint64_t{1} << bits; ++digit) {
      const std::uint64_t begin = place_of;
      for (std::uint64_t c = 0; c < chunks; ++c) {
        std::uint64_t& mine = next[(c << bits) + (digit ^ flip)];
        const std::uint64_t count = mine;
        mine = place_of;
        place_of += count;
      }
      if (place_of != begin) pieces.push_back({begin, place_of - begin, high - bits, !r.in_records});
    }

    const radix_place& to = r.in_records ? out_ : records_;
    std::atomic<std::uint64_t> taken{0};
    cancellation_point cancellation;
    for_each_block(device_, std::min<std::uint64_t>(chunks, threads_of(device_)),
                   [&](std::uint64_t worker, const stop_flag& stop) {
                     for (std::uint64_t c;
                          !stop.raised() && (c = taken.fetch_add(1, std::memory_order_relaxed)) < chunks;) {
                       cancellation.poll();
                       if (size(c))
                         k_.scatter(k_.advance(from, c * chunk), size(c), high - bits, bits, to, &next[c << bits],
                                    lines_of(worker), to.records);
                     }
                   });

    // All threads partition a range so large that its one thread would be the last to finish.
    const std::uint64_t large = std::max(fits_, n_ / (4 * static_cast<std::uint64_t>(threads_of(device_))));
    for (const range& piece : pieces)
      if (piece.count > large && threads_of(device_) > 1)
        split_in_parallel(place(piece), piece, max_first_bits);
      else
        ranges_.push_back(piece);
  }

  // All keys are equal: they only have to be copied to the output.
  void finish(const radix_place& from, const range& r, std::uint64_t chunks, std::uint64_t chunk) {
    for_each_block(device_, chunks, [&](std::uint64_t c, const stop_flag&) {
      if (c * chunk < r.count)
        k_.copy(k_.advance(from, c * chunk), std::min(chunk, r.count - c * chunk),
                k_.advance(out_, r.first + c * chunk));
    });
  }

  void sort_ranges(unsigned workers) {
    std::atomic<std::uint64_t> taken{0};
    cancellation_point cancellation;
    for_each_block(device_, workers, [&](std::uint64_t worker, const stop_flag& stop) {
      for (std::uint64_t i; !stop.raised() && (i = taken.fetch_add(1, std::memory_order_relaxed)) < ranges_.size();) {
        cancellation.poll();
        sort_range(ranges_[i], worker);
      }
    });
  }

  // On one thread.
  void sort_range(const range& r, std::uint64_t worker) {
    const radix_place from = place(r), to = k_.advance(out_, r.first);
    if (r.high <= by_.low) return k_.copy(from, r.count, to);
    char* const buffers = worker_scratch_ + worker * worker_bytes_;
    if (r.count <= fits_)
      return k_.sort(from, r.count, field_below(r.high), to, buffers, second_buffer(buffers, fits_));
    const std::uint64_t varies = k_.varying(from, r.count, k_.image(from, 0)) & field_below(r.high).mask();
    if (varies == 0) return k_.copy(from, r.count, to);
    const unsigned high = max_value(varies), bits = digit_width(r.count, high, max_later_bits), shift = high - bits;
    std::uint64_t next[1 << max_later_bits] = {}, begin[(1 << max_later_bits) + 1];
    k_.count(from, r.count, shift, bits, 0, next);
    const std::uint64_t flip = by_.flip >> shift & ((std::uint64_t{1} << bits) - 1);
    std::uint64_t sum = r.first;
    for (std::uint64_t digit = 0; digit < std::uint64_t{1} << bits; ++digit) {
      begin[digit] = sum;
      sum += std::exchange(next[digit ^ flip], sum);
    }
    begin[std::uint64_t{1} << bits] = sum;
    k_.scatter(from, r.count, shift, bits, r.in_records ? out_ : records_, next, lines_of(worker), false);
    for (std::uint64_t digit = 0; digit < std::uint64_t{1} << bits; ++digit)
      if (begin[digit] != begin[digit + 1])
        sort_range({begin[digit], begin[digit + 1] - begin[digit], shift, !r.in_records}, worker);
  }

  void* lines_of(std::uint64_t worker) const {
    return second_buffer(second_buffer(worker_scratch_ + worker * worker_bytes_, fits_), fits_);
  }

  device& device_;
  const radix_kernels& k_;
  radix_field by_;
  std::uint64_t n_;
  radix_place in_, out_, records_;
  std::uint64_t fits_;  // elements that are sorted within the cache
  std::uint64_t lines_bytes_ = 0, worker_bytes_ = 0;
  char* worker_scratch_ = nullptr;
  std::vector<range> ranges_;
};

std::uint64_t flip_of(const radix_keys& k) {
  const std::uint64_t all = k.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * k.bytes) - 1;
  const std::uint64_t sign = k.is_signed && !k.is_float ? all / 2 + 1 : 0;
  return k.descending ? all ^ sign : sign;
}

radix_field field_of(const radix_keys& k) {
  return {flip_of(k), k.low, k.high, k.low == 0 && k.high == 8 * k.bytes && !k.is_float};
}

// Calls f(request) if values have 4 or 8 bytes, or there are none. For other values it sorts the indices, and then
// fetches the values.
template <class F>
void with_carried_values(device& d, const radix_request& r, const F& f) {
  if (r.value_bytes == 0 || r.value_bytes == 4 || r.value_bytes == 8) return f(r);
  const std::uint64_t index_bytes = r.n - 1 <= 0xFFFFFFFFu ? 4 : 8;
  radix_request by_index = r;
  by_index.values = nullptr;
  by_index.value_bytes = index_bytes;
  by_index.values_out = d.scratch("sort/indices", r.n * index_bytes).address();
  f(by_index);
  permute(d, r.values, r.value_bytes, by_index.values_out, index_bytes, r.n, r.values_out);
}

// Adds a thread's tables to the total counts, and clears them.
void empty_into(std::vector<std::uint32_t>& table, std::uint64_t digits, std::uint64_t* counts) {
  for (std::uint64_t i = 0; i < table.size(); ++i) counts[i % digits] += std::exchange(table[i], 0);
}

bool can_be_counted(const radix_request& r) {
  const radix_keys& k = r.order;
  const bool all_bits = k.low == 0 && k.high == 8 * k.bytes;
  return r.keys_out && r.value_bytes == 0 && !k.is_float && all_bits &&
         (k.bytes == 1 || (k.bytes == 2 && r.n >= cpu_tuned.counted_from));
}

// Equal keys of one or two bytes are identical: they need not be moved, only counted and written again.
template <class Key>
void sort_by_counting(device& d, const Key* in, std::uint64_t n, Key* out, Key flip) {
  constexpr std::uint64_t digits = std::uint64_t{1} << 8 * sizeof(Key), block = 1 << 17,
                          tables = sizeof(Key) == 1 ? 4 : 1;
  const auto workers = static_cast<std::uint64_t>(threads_of(d));
  std::vector<std::uint64_t> counts(workers * digits), ends(digits);
  std::atomic<std::uint64_t> taken{0};
  cancellation_point cancellation;
  for_each_block(d, workers, [&](std::uint64_t worker, const stop_flag& stop) {
    std::vector<std::uint32_t> table(tables * digits);  // several, because equal neighbours wait for each other's store
    for (std::uint64_t b;
         !stop.raised() && (b = taken.fetch_add(1, std::memory_order_relaxed)) < block_count(n, block);) {
      cancellation.poll();
      const std::uint64_t end = std::min(n, (b + 1) * block);
      std::uint64_t i = b * block;
      for (; i + 4 <= end; i += 4)
        for (std::uint64_t j = 0; j < 4; ++j) ++table[j % tables * digits + in[i + j]];
      for (; i < end; ++i) ++table[in[i]];
      if (sizeof(Key) == 1 || b % 1024 == 1023) empty_into(table, digits, &counts[worker * digits]);
    }
    empty_into(table, digits, &counts[worker * digits]);
  });
  std::uint64_t end = 0;
  for (std::uint64_t rank = 0; rank < digits; ++rank) {
    for (std::uint64_t worker = 0; worker < workers; ++worker) end += counts[worker * digits + (rank ^ flip)];
    ends[rank] = end;
  }
  for_each_block(d, block_count(n, block), [&](std::uint64_t b, const stop_flag&) {
    std::uint64_t i = b * block;
    const std::uint64_t last = std::min(n, i + block);
    for (auto rank = static_cast<std::uint64_t>(std::upper_bound(ends.begin(), ends.end(), i) - ends.begin()); i < last;
         ++rank) {
      const std::uint64_t stop = std::min(ends[rank], last);
      std::fill(out + i, out + stop, static_cast<Key>(rank ^ flip));
      i = stop;
    }
  });
}

radix_place input_of(const radix_request& r) {
  return {const_cast<void*>(r.keys), const_cast<void*>(r.values), 0, false};
}
radix_place output_of(device& d, const radix_request& r) {
  return {r.keys_out ? r.keys_out : d.scratch("sort/keys", r.n * r.order.bytes).address(), r.values_out, 0, false};
}

}  // namespace

void radix_sort(device& d, const radix_request& request) {
  if (request.n == 0) return;
  if (can_be_counted(request)) {
    const std::uint64_t flip = flip_of(request.order);
    return request.order.bytes == 1
               ? sort_by_counting(d, static_cast<const std::uint8_t*>(request.keys), request.n,
                                  static_cast<std::uint8_t*>(request.keys_out), static_cast<std::uint8_t>(flip))
               : sort_by_counting(d, static_cast<const std::uint16_t*>(request.keys), request.n,
                                  static_cast<std::uint16_t*>(request.keys_out), static_cast<std::uint16_t>(flip));
  }
  with_carried_values(d, request, [&](const radix_request& r) {
    const radix_kernels& k = find_radix_kernels(r.order.bytes, r.order.is_float, static_cast<unsigned>(r.value_bytes));
    sorter(d, k, field_of(r.order), r.n, input_of(r), output_of(d, r)).run();
  });
}

void radix_segmented_sort(device& d, const radix_request& request, const std::uint64_t* offsets, std::uint64_t m) {
  if (request.n == 0) return;
  for (std::uint64_t s = 0; s <= m; ++s)
    if (offsets[s] > request.n || (s > 0 && offsets[s] < offsets[s - 1]))
      throw error(fault::bad_argument, "segmented_sort",
                  "offset " + std::to_string(s) + " is " + std::to_string(offsets[s]),
                  "give offsets that do not decrease and do not pass the end, " + std::to_string(request.n));
  with_carried_values(d, request, [&](const radix_request& r) {
    const radix_kernels& k = find_radix_kernels(r.order.bytes, r.order.is_float, static_cast<unsigned>(r.value_bytes));
    const radix_field by = field_of(r.order);
    const radix_place in = input_of(r), out = output_of(d, r);
    const auto copy = [&](std::uint64_t first, std::uint64_t last) {
      if (first < last) k.copy(k.advance(in, first), last - first, k.advance(out, first));
    };
    copy(0, offsets[0]);
    copy(offsets[m], r.n);

    const std::uint64_t fits = cpu_tuned.cached_bytes / k.record_bytes;
    const auto size = [&](std::uint64_t s) { return offsets[s + 1] - offsets[s]; };
    std::uint64_t longest = 0;  // of those that one thread sorts
    for (std::uint64_t s = 0; s < m; ++s) {
      if (size(s) > fits)
        sorter(d, k, by, size(s), k.advance(in, offsets[s]), k.advance(out, offsets[s])).run();
      else
        longest = std::max(longest, size(s));
    }
    const std::uint64_t buffer = (longest * k.record_bytes + 63) / 64 * 64,
                        workers = static_cast<std::uint64_t>(threads_of(d));
    char* const buffers = d.scratch("sort/workers", 2 * buffer * workers).as<char>();
    const std::uint64_t at_once = std::clamp<std::uint64_t>(m / (16 * workers), 1, 256);
    std::atomic<std::uint64_t> taken{0};
    cancellation_point cancellation;
    const auto work = [&](std::uint64_t worker, const stop_flag& stop) {
      char* const mine = buffers + 2 * buffer * worker;
      for (std::uint64_t first; !stop.raised() && (first = taken.fetch_add(at_once, std::memory_order_relaxed)) < m;) {
        cancellation.poll();
        for (std::uint64_t s = first; s < std::min(m, first + at_once); ++s)
          if (size(s) != 0 && size(s) <= fits)
            k.sort(k.advance(in, offsets[s]), size(s), by, k.advance(out, offsets[s]), mine, mine + buffer);
      }
    };
    for_each_block(d, offsets[m] - offsets[0] > fits ? workers : 1, work);
  });
}

namespace {

// Selects the k first of keys among which many are equal in their highest digits. It counts digit after digit among
// the keys whose higher digits are equal to the bound's, and takes the first of equal keys at the end. For any keys
// it needs memory for k of them.
class first_keys {
 public:
  // `blocks` pieces of `block` keys; the bits of `by` from `high` up are the same in all.
  first_keys(device& d, const radix_kernels& kernels, radix_field by, const radix_place& in, std::uint64_t n,
             std::uint64_t block, unsigned high, std::uint64_t k)
      : d_(d), kernels_(kernels), by_(by), in_(in), n_(n), block_(block), blocks_(block_count(n, block)), k_(k) {
    settled_ = high;
    above_ = high == 64 ? 0 : order_of(kernels.image(in, 0)) >> high << high;
    while (settled_ > by_.low) settle_next_digit();
  }

  std::uint64_t order_of(std::uint64_t image) const { return (image ^ by_.flip) & by_.mask(); }

  // The k keys with their indices, in input order.
  void collect(const radix_place& to) const {
    std::vector<std::uint64_t> less(blocks_), equal(blocks_);
    for_each_block(d_, blocks_, [&](std::uint64_t b, const stop_flag&) {
      std::uint64_t first = 0, second = 0;
      for_each_up_to_bound(b, [&](std::uint64_t order, const radix_place&, std::uint64_t) {
        first += order < above_, second += order == above_;
      });
      less[b] = first, equal[b] = second;
    });
    std::uint64_t begin = 0, left = k_ - less_;
    for (std::uint64_t b = 0; b < blocks_; ++b) {
      const std::uint64_t taken = std::min(left, equal[b]), all = less[b] + taken;
      left -= taken, equal[b] = taken;
      less[b] = begin, begin += all;
    }
    for_each_block(d_, blocks_, [&](std::uint64_t b, const stop_flag&) {
      std::uint64_t place = less[b], may_be_equal = equal[b];
      for_each_up_to_bound(b, [&](std::uint64_t order, const radix_place& found, std::uint64_t i) {
        if (order > above_ || (order == above_ && may_be_equal == 0)) return;
        if (order == above_) --may_be_equal;
        kernels_.copy(kernels_.advance(found, i), 1, kernels_.advance(to, place++));
      });
    });
  }

 private:
  static constexpr std::uint64_t at_once = 1 << 13;

  // Calls f(order, place, i) for keys of block b, element i of `place`, whose digit is not above the bound's.
  template <class F>
  void for_each_up_to_bound(std::uint64_t b, const F& f) const {
    std::vector<std::uint64_t> keys(at_once), places(at_once);
    const radix_place found{keys.data(), places.data(), 0, false};
    // Before the first digit is settled, no digit is above the bound's.
    const bool begun = settled_ < by_.high;
    const unsigned low = begun ? settled_ : by_.low, bits = by_.high - low;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits), flip = by_.flip >> low & all,
                        last = begun ? above_ >> low : all;
    for (std::uint64_t i = b * block_, end = std::min(n_, i + block_); i < end; i += at_once) {
      const radix_place from = kernels_.advance(in_, i);
      const std::uint64_t some = kernels_.collect(from, std::min(at_once, end - i), low, bits, flip, last, found);
      for (std::uint64_t j = 0; j < some; ++j) f(order_of(kernels_.image(found, j)), found, j);
    }
  }

  // Counts the next lower digit among the keys that agree with the bound so far, and settles it.
  void settle_next_digit() {
    const unsigned bits = std::min(max_first_bits, settled_ - by_.low), low = settled_ - bits;
    const std::uint64_t digits = std::uint64_t{1} << bits;
    const std::uint64_t groups = std::min<std::uint64_t>(blocks_, 4 * static_cast<std::uint64_t>(threads_of(d_)));
    std::vector<std::uint64_t> counts(groups * digits);
    for_each_block(d_, groups, [&](std::uint64_t g, const stop_flag& stop) {
      for (std::uint64_t b = g; b < blocks_ && !stop.raised(); b += groups)
        for_each_up_to_bound(b, [&](std::uint64_t order, const radix_place&, std::uint64_t) {
          if ((settled_ == 64 ? 0 : order >> settled_ << settled_) == above_)
            ++counts[g * digits + (order >> low & (digits - 1))];
        });
    });
    for (std::uint64_t digit = 0; digit < digits; ++digit) {
      std::uint64_t here = 0;
      for (std::uint64_t g = 0; g < groups; ++g) here += counts[g * digits + digit];
      if (less_ + here >= k_) {
        above_ |= digit << low;
        break;
      }
      less_ += here;
    }
    settled_ = low;
  }

  device& d_;
  const radix_kernels& kernels_;
  radix_field by_;
  radix_place in_;
  std::uint64_t n_, block_, blocks_, k_;
  unsigned settled_;         // the bound's bits from here up are known
  std::uint64_t above_ = 0;  // the bound: the order of the k-th key in those bits
  std::uint64_t less_ = 0;   // keys before it
};

}  // namespace

void radix_top_k(device& d, const radix_keys& order, const void* keys, std::uint64_t n, std::uint64_t k, void* keys_out,
                 std::uint64_t* indices_out) {
  if (k == 0) return;
  const radix_kernels& kernels = find_radix_kernels(order.bytes, order.is_float, 8);
  const radix_field by = field_of(order);
  const radix_place in{const_cast<void*>(keys), nullptr, 0, false};

  // The keys that still have to be sorted: all, or those whose highest digit allows them to be among the first k.
  radix_request r;
  r.order = order;
  r.n = n;
  r.keys = keys;
  r.value_bytes = 8;
  const std::uint64_t block = std::max<std::uint64_t>(1 << 16, block_count(n, 1 << 16) * 64),
                      blocks = block_count(n, block);
  if (blocks > 1 && k < n / 4) {
    const auto size = [&](std::uint64_t b) { return b + 1 < blocks ? block : n - b * block; };
    const std::uint64_t first = kernels.image(in, 0);
    std::vector<std::uint64_t> varies(blocks);
    for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
      varies[b] = kernels.varying(kernels.advance(in, b * block), size(b), first);
    });
    std::uint64_t all = 0;
    for (std::uint64_t v : varies) all |= v;
    all &= by.mask();
    if (all == 0) {  // all equal: the first k in input order
      std::memcpy(keys_out, keys, k * order.bytes);
      std::iota(indices_out, indices_out + k, std::uint64_t{0});
      return;
    }
    {
      const unsigned high = 64 - static_cast<unsigned>(std::countl_zero(all)),
                     bits = std::min(max_first_bits, high - by.low), shift = high - bits;
      const std::uint64_t digits = std::uint64_t{1} << bits, flip = by.flip >> shift & (digits - 1);
      std::vector<std::uint64_t> counts(blocks * digits), start(blocks + 1);
      for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
        kernels.count(kernels.advance(in, b * block), size(b), shift, bits, first, &counts[b * digits]);
      });
      std::uint64_t last = 0, candidates = 0;
      for (;; ++last) {
        for (std::uint64_t b = 0; b < blocks; ++b) {
          start[b + 1] += counts[b * digits + (last ^ flip)];
          candidates += counts[b * digits + (last ^ flip)];
        }
        if (candidates >= k) break;
      }
      for (std::uint64_t b = 0; b < blocks; ++b) start[b + 1] += start[b];
      const bool many = candidates > std::max<std::uint64_t>(4 * k, 1 << 18);
      if (many) candidates = k;
      const radix_place found{d.scratch("sort/candidates", candidates * order.bytes).address(),
                              d.scratch("sort/candidate-indices", candidates * 8).address(), 0, false};
      if (many)
        first_keys(d, kernels, by, in, n, block, high, k).collect(found);
      else
        for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
          kernels.collect(kernels.advance(in, b * block), size(b), shift, bits, flip, last,
                          kernels.advance(found, start[b]));
        });
      r.n = candidates;
      r.keys = found.keys;
      r.values = found.values;
    }
  }
  // Sorted into scratch memory, because there may be more candidates than k.
  r.keys_out = r.values ? const_cast<void*>(r.keys) : d.scratch("sort/candidates", r.n * order.bytes).address();
  r.values_out = r.values ? const_cast<void*>(r.values) : d.scratch("sort/candidate-indices", r.n * 8).address();
  radix_sort(d, r);
  std::memcpy(keys_out, r.keys_out, k * order.bytes);
  std::memcpy(indices_out, r.values_out, k * 8);
}

}  // namespace upsweep::cpu
