// Folds, scans and sorts of every line by the standard library: rows each by its algorithm, lines across rows by whole
// rows; on one thread, and with the lines dealt out to all.
#include <algorithm>
#include <execution>
#include <numeric>
#include <vector>

#include "peers/fold.hpp"
#include "peers/peers.hpp"
#include "upsweep/axis/axis_problem.hpp"
#include "upsweep/axis_order/axis_order_problem.hpp"

namespace upsweep::peers {

namespace {

using detail::axis_impl::lines;

// Calls body(first column, columns) for columns that one thread takes, or for one row: body(row, 1).
template <class Body, class... Policy>
void each_part(const lines& l, const Body& body, const Policy&... policy) {
  if (sizeof...(policy) == 0 && l.inner > 1) return body(std::uint64_t{0}, l.inner);
  const std::uint64_t width = l.inner > 1 ? 256 : 1, parts = ((l.inner > 1 ? l.inner : l.outer) + width - 1) / width;
  std::vector<std::uint64_t> all(parts);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  std::for_each(policy..., all.begin(), all.end(),
                [&](std::uint64_t k) { body(k * width, l.inner > 1 ? std::min(width, l.inner - k * width) : width); });
}

// Rows, and the columns of one matrix.
bool has_form(const lines& l) { return l.inner == 1 || l.outer == 1; }

template <class... Policy>
void fold(const detail::axis_impl::problem& p, const Policy&... policy) {
  const lines& l = p.along;
  with_fold(p, [&](auto* in, auto* out, std::uint64_t, auto init, auto op) {
    each_part(
        l,
        [&](std::uint64_t first, std::uint64_t count) {
          if (l.inner <= 1) {
            const auto *row = in + first * l.length, *end = row + l.length;
            if (p.what == detail::axis_impl::primitive::axis_reduce)
              out[first] = std::reduce(row, end, init, op);
            else if (p.inclusive)
              std::inclusive_scan(row, end, out + first * l.length, op, init);
            else
              std::exclusive_scan(row, end, out + first * l.length, init, op);
            return;
          }
          std::vector<std::remove_cvref_t<decltype(init)>> now(count, init);
          for (std::uint64_t j = 0; j < l.length; ++j) {
            const auto* row = in + j * l.inner + first;
            auto* to = out + j * l.inner + first;
            if (p.what == detail::axis_impl::primitive::axis_scan && !p.inclusive) std::copy_n(now.data(), count, to);
            std::transform(now.begin(), now.end(), row, now.begin(), op);
            if (p.what == detail::axis_impl::primitive::axis_scan && p.inclusive) std::copy_n(now.data(), count, to);
          }
          if (p.what == detail::axis_impl::primitive::axis_reduce) std::copy_n(now.data(), count, out + first);
        },
        policy...);
  });
}

template <class T, class Compare, class... Policy>
void order(const detail::axis_order_impl::problem& p, Compare before, const Policy&... policy) {
  using detail::axis_order_impl::primitive;
  const lines& l = p.along;
  const T* in = p.in.as<const T>();
  const std::uint64_t k = p.what == primitive::axis_top_k ? p.k : l.length;
  each_part(
      l,
      [&](std::uint64_t first, std::uint64_t count) {
        std::vector<T> keys(l.length);
        std::vector<std::uint32_t> by(p.what == primitive::axis_sort ? 0 : l.length);
        for (std::uint64_t line = first; line < first + count; ++line) {
          for (std::uint64_t j = 0; j < l.length; ++j) keys[j] = in[l.place(line, j)];
          if (p.what == primitive::axis_sort) {
            std::stable_sort(keys.begin(), keys.end(), before);
            for (std::uint64_t j = 0; j < l.length; ++j) p.out.as<T>()[l.place(line, j)] = keys[j];
            continue;
          }
          std::iota(by.begin(), by.end(), 0u);
          const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
            return before(keys[a], keys[b]) || (!before(keys[b], keys[a]) && a < b);
          };
          if (k == l.length)
            std::stable_sort(by.begin(), by.end(), [&](auto a, auto b) { return before(keys[a], keys[b]); });
          else
            std::partial_sort(by.begin(), by.begin() + static_cast<std::ptrdiff_t>(k), by.end(), earlier);
          for (std::uint64_t j = 0; j < k; ++j) {
            const std::uint64_t to = lines{l.outer, k, l.inner}.place(line, j);
            p.out2.as<std::uint32_t>()[to] = by[j];
            if (p.what == primitive::axis_top_k) p.out.as<T>()[to] = keys[by[j]];
          }
        }
      },
      policy...);
}

template <class... Policy>
void order_any(const detail::axis_order_impl::problem& p, const Policy&... policy) {
  with_type(p.type, [&]<class T>(type_tag<T>) {
    p.descending ? order<T>(p, std::greater<>{}, policy...) : order<T>(p, std::less<>{}, policy...);
  });
}

bool takes_lines(const detail::axis_impl::problem& p) { return takes_fold(p) && has_form(p.along); }
bool takes_order(const detail::axis_order_impl::problem& p) {
  return does_fold(p.type) && p.last_bit == 0 && p.index_bytes == 4 && has_form(p.along);
}

}  // namespace

void add_cpu_axes(std::vector<peer>& list) {
  using folds = detail::axis_impl::problem;
  using orders = detail::axis_order_impl::problem;
  using fold_call = prepared_for<folds>;
  using order_call = prepared_for<orders>;
  const std::string library = "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
  for (const auto what : {detail::axis_impl::primitive::axis_reduce, detail::axis_impl::primitive::axis_scan}) {
    list.push_back(peer_for<folds>{"std", library, "one thread", backend::cpu, what, takes_lines,
                                   [](device&, const folds&) -> fold_call { return [](const folds& p) { fold(p); }; }});
    list.push_back(peer_for<folds>{"std-par", library, "lines dealt out to all threads, through oneTBB", backend::cpu,
                                   what, takes_lines, [](device& d, const folds&) -> fold_call {
                                     return
                                         [&d](const folds& p) { in_arena(d, [&] { fold(p, std::execution::par); }); };
                                   }});
  }
  for (const auto what :
       {detail::axis_order_impl::primitive::axis_sort, detail::axis_order_impl::primitive::axis_argsort,
        detail::axis_order_impl::primitive::axis_top_k}) {
    list.push_back(
        peer_for<orders>{"std", library, "one thread", backend::cpu, what, takes_order,
                         [](device&, const orders&) -> order_call { return [](const orders& p) { order_any(p); }; }});
    list.push_back(peer_for<orders>{"std-par", library, "lines dealt out to all threads, through oneTBB", backend::cpu,
                                    what, takes_order, [](device& d, const orders&) -> order_call {
                                      return [&d](const orders& p) {
                                        in_arena(d, [&] { order_any(p, std::execution::par); });
                                      };
                                    }});
  }
}

}  // namespace upsweep::peers
