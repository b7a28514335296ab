// transform, fill, iota, copy, tables and differences of neighbours by the standard library, on one thread and on all.
#include <execution>
#include <numeric>
#include <utility>

#include "peers/fold.hpp"
#include "peers/peers.hpp"
#include "upsweep/operators/runtime_operators.hpp"
#include "upsweep/transform/transform_problem.hpp"

namespace upsweep::peers {

namespace {

using detail::transform_impl::between;
using detail::transform_impl::primitive;
using detail::transform_impl::problem;
using call = prepared_for<problem>;

bool takes(const problem& p) {
  if (p.what == primitive::fill || p.what == primitive::copy || p.what == primitive::replace) return true;
  if (!does_fold(p.type)) return false;
  const bool one_of_three = p.op == op_kind::plus || p.op == op_kind::minimum || p.op == op_kind::maximum;
  if (p.what == primitive::transform)
    return p.two_inputs ? one_of_three
                        : p.transform == transform_kind::square || p.transform == transform_kind::identity;
  return p.what != primitive::adjacent_difference || p.neighbours == between::difference;
}

// There is no parallel std::iota.
bool takes_in_parallel(const problem& p) { return takes(p) && p.what != primitive::iota; }

template <class T, class... Policy>
void run_typed(const problem& p, const Policy&... policy) {
  const T *a = p.in.as<const T>(), *b = p.in2.as<const T>();
  T* out = p.out.as<T>();
  switch (p.what) {
    case primitive::transform:
      if constexpr (std::is_arithmetic_v<T>) {
        if (!p.two_inputs) {
          if (p.transform == transform_kind::identity)
            std::transform(policy..., a, a + p.n, out, identity{});
          else
            std::transform(policy..., a, a + p.n, out, square{});
        } else if (p.op == op_kind::minimum) {
          std::transform(policy..., a, a + p.n, b, out, minimum{});
        } else if (p.op == op_kind::maximum) {
          std::transform(policy..., a, a + p.n, b, out, maximum{});
        } else {
          std::transform(policy..., a, a + p.n, b, out, plus{});
        }
      }
      return;
    case primitive::fill: std::fill(policy..., out, out + p.n, p.value.as<T>()); return;
    case primitive::iota:
      // By steps, which rounds otherwise: of integers, and of floats where both are exact.
      if constexpr (sizeof...(Policy) == 0 && std::is_integral_v<T>)
        std::generate(out, out + p.n, [x = p.value.as<T>(), step = p.step.as<T>()]() mutable {
          return std::exchange(x, plus{}(x, step));
        });
      return;
    case primitive::copy: std::copy(policy..., a, a + p.n, out); return;
    case primitive::transform_if: return;  // the standard has none
    case primitive::replace:
      if constexpr (std::is_arithmetic_v<T>)
        std::transform(policy..., a, a + p.n, b, out,
                       [test = compared<T>{p.test, p.threshold.as<T>()}, value = p.value.as<T>()](T x, T tested) {
                         return test(tested) ? value : x;
                       });
      return;
    case primitive::tabulate:
      if constexpr (std::is_same_v<T, std::uint32_t>)
        std::for_each(policy..., out, out + p.n, [out](std::uint32_t& x) {
          x = detail::transform_impl::square_sum{}(static_cast<std::uint64_t>(&x - out));
        });
      return;
    case primitive::adjacent_difference:
      if constexpr (std::is_arithmetic_v<T>) std::adjacent_difference(policy..., a, a + p.n, out, std::minus<T>{});
      return;
  }
}

template <class... Policy>
void run(const problem& p, const Policy&... policy) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) { run_typed<T>(p, policy...); });
}

}  // namespace

void add_cpu_transforms(std::vector<peer>& list) {
  const std::string library = "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
  for (const primitive what : {primitive::transform, primitive::fill, primitive::iota, primitive::copy,
                               primitive::replace, primitive::tabulate, primitive::adjacent_difference}) {
    list.push_back(peer_for<problem>{
        "std", library, "one thread", backend::cpu, what,
        [](const problem& p) { return takes(p) && !(p.what == primitive::iota && is_floating(p.type)); },
        [](device&, const problem&) -> call { return [](const problem& p) { run(p); }; }});
    list.push_back(peer_for<problem>{"std-par-unseq", library, "all threads, through oneTBB", backend::cpu, what,
                                     takes_in_parallel, [](device& d, const problem&) -> call {
                                       return [&d](const problem& p) {
                                         in_arena(d, [&] { run(p, std::execution::par_unseq); });
                                       };
                                     }});
  }
}

}  // namespace upsweep::peers
