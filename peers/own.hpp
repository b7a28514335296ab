// Work by functions of the caller's own: comparisons and tests that no variant and no peer can know. The catalog has no
// variant of these, since calls make them: so each side here is what its user would write.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "upsweep/context.hpp"
#include "upsweep/types.hpp"

namespace upsweep::peers {

enum class own_work : std::uint8_t { sort_words, sort_12_bytes, sort_32_bytes, select_words };
inline constexpr std::array all_own_work{own_work::sort_words, own_work::sort_12_bytes, own_work::sort_32_bytes,
                                         own_work::select_words};

// Records with a key of 64 bits in two halves, and what goes along. No two keys are alike but by a chance of
// n^2 / 2^65, so that a sort that is not stable may be judged, too.
struct record_12 {
  std::uint32_t high, low, along;
};
struct record_32 {
  std::uint32_t high, low, along[6];
};
static_assert(sizeof(record_12) == 12 && sizeof(record_32) == 32);

// The comparison that the caller brings: nothing tells that it is the order of a built-in type.
struct own_less {
  UPSWEEP_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
  template <class R>
    requires requires(R r) { r.high, r.low; }
  UPSWEEP_HD bool operator()(const R& a, const R& b) const {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
};
// The test: about half of all words pass.
struct own_test {
  UPSWEEP_HD bool operator()(std::uint32_t x) const { return x * 2654435761u >> 31; }
};

template <class F>
decltype(auto) with_element(own_work w, F f) {
  switch (w) {
    case own_work::sort_12_bytes: return f(type_tag<record_12>{});
    case own_work::sort_32_bytes: return f(type_tag<record_32>{});
    default: return f(type_tag<std::uint32_t>{});
  }
}

// out = in sorted, or out and count[0] = those of in that pass the test, and how many.
struct own_operands {
  memory in, out, count;
  std::uint64_t n = 0;
};

// One side: the library's own call, or a peer.
struct own_side {
  std::string name, version, note, setting;
  bool peer = true;
  backend where = backend::cpu;
  bool (*takes)(own_work, std::uint64_t n) = nullptr;
  // Allocates beforehand what the call needs.
  std::function<void(const own_operands&)> (*prepare)(const context&, own_work, const own_operands&) = nullptr;
};

// Those this build and this processor can run.
const std::vector<own_side>& own_sides();

void add_own_on_cpu(std::vector<own_side>&);
void add_own_on_cuda(std::vector<own_side>&);
namespace toolkit {
void add_own(std::vector<own_side>&);
}
namespace checkout {
void add_own(std::vector<own_side>&);
}

}  // namespace upsweep::peers
