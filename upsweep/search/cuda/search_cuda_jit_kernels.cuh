// Run-time compiled searches. The source before this file defines bool asked(const T& x), with TEST, or bool
// asked(const T& a, const U& b); T and U are macros. search/search_cuda.cuh is included before the user's source.
#pragma once

namespace upsweep::jit {

using element = T;
using other = U;
#undef T
#undef U

template <class E>
struct array {
  const E* x;
  const E& operator()(std::uint64_t i) const { return x[i]; }
};
using at = array<element>;
using with = array<other>;

struct relation {
#if defined(TEST)
  bool operator()(const element& x) const { return asked(x); }
#else
  bool operator()(const element& a, const other& b) const { return asked(a, b); }
#endif
};

}  // namespace upsweep::jit
