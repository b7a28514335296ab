// Sets of the built-in types on the CPU.
#include "upsweep/sets/cpu/sets_cpu.hpp"
#include "upsweep/sets/cpu/sets_merge.hpp"

#include <array>
#include <cstring>

#include "upsweep/sets/sets_problem.hpp"

namespace upsweep::detail::sets_impl {

namespace {

struct moved_values {
  const char *first, *second;
  char* out;
  std::uint32_t bytes;
};

template <class Word>
void move_words(const moved_values& v, const cpu::kept_codes* codes, std::uint64_t count, place from,
                std::uint64_t to) {
  cpu::move_kept(reinterpret_cast<const Word*>(v.first), reinterpret_cast<const Word*>(v.second), codes, count, from,
                 reinterpret_cast<Word*>(v.out) + to);
}

bool aligned(const moved_values& v) {
  return (reinterpret_cast<std::uintptr_t>(v.first) | reinterpret_cast<std::uintptr_t>(v.second) |
          reinterpret_cast<std::uintptr_t>(v.out)) %
             v.bytes ==
         0;
}

void move_values(const moved_values& v, const cpu::kept_codes* codes, std::uint64_t count, place from,
                 std::uint64_t to) {
  if (v.bytes == 8 && aligned(v)) return move_words<std::uint64_t>(v, codes, count, from, to);
  if (v.bytes == 4 && aligned(v)) return move_words<std::uint32_t>(v, codes, count, from, to);
  const char* const begin[]{v.first + from.first * v.bytes, v.second + from.second * v.bytes};
  char* out = v.out + to * v.bytes;
  for (std::uint64_t i = 0; i < count; ++i, out += v.bytes)
    std::memcpy(out, begin[codes[i] & 1] + std::uint64_t{v.bytes} * (codes[i] >> 1), v.bytes);
}

void run_in_pieces(device& d, const problem& p) {
  const moved_values values{p.in3.as<const char>(), keeps_of_second(p.what) ? p.in4.as<const char>() : nullptr,
                            p.out2.as<char>(), p.value_bytes};
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    using U = order_image<T>;
    const order_window<U> window(p.first_bit, p.last_bit, p.descending);
    const auto before = [window](U a, U b) {
      return window(order_bits_of<order_for<T>>(a)) < window(order_bits_of<order_for<T>>(b));
    };
    const U *first = p.in.as<const U>(), *second = p.in2.as<const U>();
    U* out = p.out.as<U>();
    const auto merge_with = [&]<class V>(const V* a_values, const V* b_values, V* values_out) {
      cpu::merge_rows<U, V>(d, {first, a_values, p.n, second, b_values, p.m}, out, values_out, before);
      *p.count.as<std::uint64_t>() = p.n + p.m;
    };
    if (p.what == primitive::merge_by_key && p.capacity >= p.n + p.m && values.bytes != 0 && aligned(values)) {
      if (values.bytes == 4)
        return merge_with(p.in3.as<const std::uint32_t>(), p.in4.as<const std::uint32_t>(), p.out2.as<std::uint32_t>());
      if (values.bytes == 8)
        return merge_with(p.in3.as<const std::uint64_t>(), p.in4.as<const std::uint64_t>(), p.out2.as<std::uint64_t>());
    }
    const std::uint64_t kept =
        cpu::keep_of_two(d, p.what, first, p.n, second, p.m, p.capacity, before,
                         [&](const cpu::kept_codes* codes, std::uint64_t count, place from, std::uint64_t to) {
                           cpu::move_kept(first, second, codes, count, from, out + to);
                           if (values.bytes != 0) move_values(values, codes, count, from, to);
                         });
    *p.count.as<std::uint64_t>() = kept;
  });
}

}  // namespace

std::span<const variant> cpu() {
  constexpr formula one{"1", [](double) { return 1.0; }}, linear{"n + m", [](double n) { return 2 * n; }};
  const auto entry = [&](std::string_view name, primitive what, std::string_view teaches) {
    variant v;
    v.name = name, v.what = what, v.kind = variant_kind::tuned, v.source = "upsweep", v.year = 2026;
    v.teaches = teaches;
    v.work = linear, v.span = one, v.launches = one, v.traffic = {"2(n + m)", [](double n) { return 4 * n; }};
    v.run = run_in_pieces;
    return v;
  };
  static const std::array list{
      entry("merge-by-key/pieces", primitive::merge_by_key,
            "Bisection finds where pieces of the result begin in both inputs; each is noted without branches, then "
            "moved."),
      entry("set-union/pieces", primitive::set_union,
            "Pieces of the merge path, cut where no pair of equal keys is parted; of a pair the first one's is kept."),
      entry("set-intersection/pieces", primitive::set_intersection,
            "Pieces of the merge path, cut where no pair of equal keys is parted; of pairs the first one's are kept."),
      entry("set-difference/pieces", primitive::set_difference,
            "Pieces of the merge path, cut where no pair of equal keys is parted; the first one's without a pair are "
            "kept."),
      entry("set-symmetric-difference/pieces", primitive::set_symmetric_difference,
            "Pieces of the merge path, cut where no pair of equal keys is parted; what is without a pair is kept."),
  };
  return list;
}

}  // namespace upsweep::detail::sets_impl
