// Compaction by a stencil and the places of runs on the CPU as they are written without this library: loops on one
// thread, since the standard algorithms have neither.
#include "peers/peers.hpp"
#include "upsweep/compact/compact_problem.hpp"

namespace upsweep::peers {

namespace {

using problem = detail::compact_impl::problem;
using primitive = detail::compact_impl::primitive;

bool takes(const problem& p) {
  return (p.type == dtype::u32 || p.type == dtype::f32) &&
         (p.what == primitive::run_offsets || (p.element_bytes == 4 && p.test == comparison::less && !p.negated)) &&
         (p.what != primitive::stencil_partition || p.two_outputs);
}

template <class T>
void run_typed(const problem& p) {
  const auto* in = p.in.as<const std::uint32_t>();
  std::uint64_t kept = 0, others = 0;
  if (p.what == primitive::run_offsets) {
    const T* x = p.in.as<const T>();
    auto* to = p.out.as<std::uint64_t>();
    for (std::uint64_t i = 0; i < p.n; ++i)
      if (i == 0 || !(x[i - 1] == x[i])) to[kept++] = i;
    to[kept] = p.n;
  } else {
    const T *stencil = p.in2.as<const T>(), threshold = p.threshold.as<T>();
    auto *out = p.out.as<std::uint32_t>(), *rest = p.out2.as<std::uint32_t>();
    const bool parts = p.what == primitive::stencil_partition;
    for (std::uint64_t i = 0; i < p.n; ++i) {
      if (stencil[i] < threshold)
        out[kept++] = in[i];
      else if (parts)
        rest[others++] = in[i];
    }
  }
  *p.count.as<std::uint64_t>() = kept;
}

void run(const problem& p) {
  if (p.type == dtype::u32)
    run_typed<std::uint32_t>(p);
  else
    run_typed<float>(p);
}

}  // namespace

void add_cpu_compactions(std::vector<peer>& list) {
  struct named {
    primitive what;
    const char* name;
  };
  constexpr named all[]{{primitive::stencil_select, "loop-stencil-select"},
                        {primitive::stencil_partition, "loop-stencil-partition"},
                        {primitive::run_offsets, "loop-run-offsets"}};
  for (const named& n : all)
    list.push_back(peer_for<problem>{n.name, "", "a loop, one thread", backend::cpu, n.what, takes,
                                     [](device&, const problem&) -> prepared_for<problem> { return run; }});
}

}  // namespace upsweep::peers
