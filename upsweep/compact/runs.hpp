// unique, unique_count and group_by, by an equality of one's own, too: what compact.hpp's forms end in.
#pragma once

#include "upsweep/compact/enqueue.hpp"

namespace upsweep::compact_room {

template <class X, class Equal>
constexpr void require_equality() {
  core::require_input<X>();
  static_assert(std::is_invocable_r_v<bool, const Equal&, const value_of<X>&, const value_of<X>&>,
                "upsweep: this equality cannot be asked about two elements; give it `bool operator()(T a, T b) const`");
}

template <class X, class Equal>
auto run_question_of(const X& x, const Equal& equal) {
  const auto in = compact_room::read_by_index(x);
  return begins_run<std::remove_const_t<decltype(in)>, Equal>{in, equal};
}

// What has no variant of the room: `move` is told of the first of each run.
template <class By, class X, class Equal, class Move>
void each_run(const context& where, const char* call, const X& in, const Equal& equal, std::uint64_t room,
              operand<std::uint64_t> count, const Move& move) {
  const std::uint64_t n = core::elements_in(in);
  if (where.kind() == backend::cpu) {
    const cpu::answers asked(where.dev(), n, compact_room::run_question_of(in, equal));
    *count.data() = asked.kept();
    if (asked.kept() <= room) asked.move_kept(move);
  } else if constexpr (!std::is_trivially_copyable_v<value_of<X>>) {
    throw needs_trivial_copies(call, where.kind());
  } else {
    if (where.kind() == backend::opencl)
      throw core::made_elsewhere(call, backend::opencl);  // the rest went by its text
#if defined(__CUDACC__)
    cuda::part_by(where.dev(), n, compact_room::run_question_of(in, equal), count.data(), move);
#else
    throw needs_nvcc("compact", call, true);
#endif
  }
}

// Off the CPU, of what lies in memory, by an equality with its text: whether that is where it ran. What moves is the
// elements, and then what goes beside them; or, without an input, their places alone; or nothing. Beside: the type of
// what goes beside them.
template <class Beside, class X, class Equal>
bool selected_by_text(const context& where, const char* call, const X& in, const Equal& equal,
                      operand<std::uint64_t> count, std::initializer_list<opencl::moved_elements> moved) {
  if (!in_memory<X>) return false;
#if defined(__CUDACC__)
  constexpr bool by_nvcc = !opencl::is_only_text<Equal>;
#else
  constexpr bool by_nvcc = false;
#endif
  if (where.kind() == backend::cuda) {
    if constexpr (!by_nvcc && in_memory<X>)
      if constexpr (opencl::has_type_text<value_of<X>> && opencl::has_opencl_text<Equal>) {
        cuda::kept_question& question = cuda::neighbours_by_text<value_of<X>, Beside>(call, equal);
        cuda::beside_selected beside;
        memory out;
        for (const opencl::moved_elements& m : moved)
          if (&m == moved.begin() && m.in.base != nullptr) {
            out = m.out;
          } else {
            beside.moved = m;
            if constexpr (!std::is_void_v<Beside>) beside.align = alignof(Beside);
          }
        cuda::select_by(where.dev(),
                        {call, question.asked, compact_room::operand_of(in).where(), core::elements_in(in),
                         select_room::selection::unique, count.where()},
                        out, {}, &question.made, beside);
        return true;
      }
    return false;
  }
  if (where.kind() != backend::opencl) return false;
  opencl::select_by(where.dev(),
                    {call, opencl::ask_neighbours<value_of<X>>(call, equal), compact_room::operand_of(in).where(),
                     core::elements_in(in), select_room::selection::unique, count.where()},
                    moved);
  return true;
}

// --- unique ---

template <class By, class X, class T, class Equal>
void unique(const context& where, const X& in, operand<T> out, operand<std::uint64_t> count, const Equal& equal) {
  const char* const call = "unique";
  compact_room::require_equality<X, Equal>();
  if constexpr (core::some_made_by_text<X>) {
    if (core::made_by_text<X>(where))
      return compact_room::unique<By>(where, core::laid_by_text(where, call, "compact/made", in), out, count, equal);
  }
  static_assert(std::is_same_v<value_of<X>, T>, "upsweep: what is kept goes to an output of the elements' own type");
  require_room(call, "the count", count.size(), 1);
  require_apart(call, where, {{"the input", compact_room::operand_of(in)}, {"the output", out}, {"the count", count}});
  if (where.kind() != backend::cpu) require_room(call, "the output", out.size(), core::elements_in(in));
  if (compact_room::selected_by_text<void>(where, call, in, equal, count,
                                           {{compact_room::operand_of(in).where(), out.where(), sizeof(T)}}))
    return;
  const auto from = compact_room::read_by_index(in);
  compact_room::each_run<By>(where, call, in, equal, out.size(), count,
                             copies<std::remove_const_t<decltype(from)>, T>{from, out.data()});
  if (where.kind() == backend::cpu) compact_room::require_kept(call, "the output", *count.data(), out.size());
}

template <class By, class K, class V, class T, class W, class Equal>
void unique_by_key(const context& where, const K& keys, const V& values, operand<T> keys_out, operand<W> values_out,
                   operand<std::uint64_t> count, const Equal& equal) {
  const char* const call = "unique_by_key";
  compact_room::require_equality<K, Equal>();
  if constexpr (core::some_made_by_text<K, V>) {
    if (core::made_by_text<K, V>(where))
      return compact_room::unique_by_key<By>(where, core::laid_by_text(where, call, "compact/made", keys),
                                             core::laid_by_text(where, call, "compact/made values", values), keys_out,
                                             values_out, count, equal);
  }
  core::require_input<V>();
  static_assert(std::is_same_v<value_of<K>, T> && std::is_same_v<value_of<V>, W>,
                "upsweep: what is kept goes to outputs of the keys' and the values' own types");
  require_same_size(call, "the keys have # elements and the values #", core::elements_in(keys),
                    core::elements_in(values));
  require_room(call, "the count", count.size(), 1);
  require_apart(call, where,
                {{"the keys", compact_room::operand_of(keys)},
                 {"the values", compact_room::operand_of(values)},
                 {"the keys' output", keys_out},
                 {"the values' output", values_out},
                 {"the count", count}});
  if (where.kind() != backend::cpu) {
    require_trivial_copies<W>(where, call);
    require_room(call, "the keys' output", keys_out.size(), core::elements_in(keys));
    require_room(call, "the values' output", values_out.size(), core::elements_in(keys));
  }
  if constexpr (in_memory<V>)
    if (compact_room::selected_by_text<W>(where, call, keys, equal, count,
                                          {{compact_room::operand_of(keys).where(), keys_out.where(), sizeof(T)},
                                           {core::read_operand(values).where(), values_out.where(), sizeof(W)}}))
      return;
  const std::uint64_t room = std::min(keys_out.size(), values_out.size());
  const auto from = compact_room::read_by_index(keys);
  const auto beside = compact_room::read_by_index(values);
  compact_room::each_run<By>(
      where, call, keys, equal, room, count,
      copies_pair<std::remove_const_t<decltype(from)>, std::remove_const_t<decltype(beside)>, T, W>{
          from, beside, keys_out.data(), values_out.data()});
  if (where.kind() == backend::cpu) compact_room::require_kept(call, "the outputs", *count.data(), room);
}

// --- where runs begin ---

struct place_of_each {};  // what goes beside the elements

// offsets[runs] = n
struct ends_offsets {
  std::uint64_t* offsets;
  const std::uint64_t* count;
  std::uint64_t n;
  UPSWEEP_HD void operator()(std::uint64_t) const { offsets[*count] = n; }
};

template <class By, class X, class Equal>
void offsets_of_runs(const context& where, const X& in, operand<std::uint64_t> offsets, operand<std::uint64_t> count,
                     const Equal& equal) {
  const char* const call = "group_by";
  compact_room::require_equality<X, Equal>();
  if constexpr (core::some_made_by_text<X>) {
    if (core::made_by_text<X>(where))
      return compact_room::offsets_of_runs<By>(where, core::laid_by_text(where, call, "compact/made", in), offsets,
                                               count, equal);
  }
  const std::uint64_t n = core::elements_in(in);
  require_room(call, "the count", count.size(), 1);
  require_room(call, "the offsets", offsets.size(), where.kind() == backend::cpu ? 1 : n + 1);
  require_apart(call, where,
                {{"the input", compact_room::operand_of(in)}, {"the offsets", offsets}, {"the count", count}});
  if constexpr (in_memory<X> && builtin_type<value_of<X>> && std::is_same_v<Equal, equals>) {
    problem p;
    p.what = primitive::run_offsets, p.type = dtype_of<value_of<X>>, p.n = n, p.room = offsets.size();
    p.in = core::read_operand(in).where(), p.out = offsets.where(), p.count = count.where();
    compact_room::run(where, p);
  } else if (compact_room::selected_by_text<place_of_each>(where, call, in, equal, count,
                                                           {{{}, offsets.where(), sizeof(std::uint64_t)}})) {
    where.kind() == backend::cuda ? cuda::end_offsets(where.dev(), offsets.where(), count.where(), n)
                                  : opencl::end_offsets(where.dev(), offsets.where(), count.where(), n);
  } else {
    compact_room::each_run<By>(where, call, in, equal, offsets.size() - 1, count, notes_place{offsets.data()});
    const ends_offsets end{offsets.data(), count.data(), n};
    if (where.kind() == backend::cpu) {
      if (*count.data() < offsets.size()) end(0);
    } else {
#if defined(__CUDACC__)
      cuda::for_each_index(where.dev(), 1, end);
#endif
    }
  }
  if (where.kind() == backend::cpu)
    compact_room::require_kept(call, "the offsets, and one more", *count.data(), offsets.size() - 1);
}

template <class By, class X, class Equal>
std::uint64_t runs_in(const context& asked, const X& in, const Equal& equal) {
  compact_room::require_equality<X, Equal>();
  const context where = home_of<X> == home::device || asked.kind() == backend::cpu ? asked : context::cpu();
  if constexpr (core::some_made_by_text<X> && home_of<X> == home::device) {
    if (core::made_by_text<X>(where))
      return compact_room::runs_in<By>(where, core::laid_by_text(where, "unique_count", "compact/made", in), equal);
  }
  return compact_room::counted(where, [&](operand<std::uint64_t> count) {
    if constexpr (in_memory<X> && builtin_type<value_of<X>> && std::is_same_v<Equal, equals>) {
      if (where.kind() != backend::cpu) {
        const std::uint64_t n = core::elements_in(in), bytes = std::max<std::uint64_t>(n * sizeof(value_of<X>), 16);
        const operand<value_of<X>> firsts(where.dev().scratch("compact/firsts", bytes), n, false);
        return select_room::unique<value_of<X>, By>(where, core::read_operand(in), firsts, count);
      }
    }
    if (compact_room::selected_by_text<void>(where, "unique_count", in, equal, count, {})) return;
    compact_room::each_run<By>(where, "unique_count", in, equal, ~std::uint64_t{0}, count, nothing{});
  });
}

}  // namespace upsweep::compact_room
