// The cost of a run of kernels, as the textbooks count it: per place in the source, per launch, and in total.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::lens {

using count = std::uint64_t;

enum class event : std::uint8_t {
  global_load,
  global_store,
  global_atomic,
  shared_load,
  shared_store,
  shared_atomic,
  apply,     // of the operator
  exchange,  // shuffles, votes, matches, reductions of a warp
  block_barrier,
  warp_barrier,
  fence,
  constant_load
};
inline constexpr int events = 12;

constexpr const char* name_of(event e) {
  constexpr const char* names[]{"global load",   "global store",  "global atomic", "shared load",
                                "shared store",  "shared atomic", "apply",         "warp exchange",
                                "__syncthreads", "__syncwarp",    "__threadfence", "constant load"};
  return names[static_cast<int>(e)];
}
constexpr bool is_global(event e) { return e <= event::global_atomic; }
constexpr bool is_shared(event e) { return e >= event::shared_load && e <= event::shared_atomic; }
constexpr bool is_memory(event e) { return e <= event::shared_atomic || e == event::constant_load; }

// One kind of event, all over a launch or at one place. A warp issues an instruction for those of its lanes that are at
// the same place in the same step.
struct tally {
  count instructions = 0;                      // by warps; for memory: requests
  count lanes = 0;                             // that took part
  count divergent = 0;                         // instructions that left out lanes of the warp still in the kernel
  count bytes = 0;                             // requested by lanes
  count elements = 0;                          // distinct ones, within each request
  count sectors = 0, ideal_sectors = 0;        // global: of 32 bytes
  count wavefronts = 0, ideal_wavefronts = 0;  // shared
  count turns = 0;         // atomics: on the most frequent address of each request; constant memory: one per address
  count worst_degree = 0;  // shared: the most wavefronts over the ideal of any request
  std::array<count, 33> degrees{};  // shared: requests by that degree

  tally& operator+=(const tally& o) {
    instructions += o.instructions, lanes += o.lanes, divergent += o.divergent, bytes += o.bytes;
    elements += o.elements, sectors += o.sectors, ideal_sectors += o.ideal_sectors;
    wavefronts += o.wavefronts, ideal_wavefronts += o.ideal_wavefronts, turns += o.turns;
    worst_degree = std::max(worst_degree, o.worst_degree);
    for (std::size_t i = 0; i < degrees.size(); ++i) degrees[i] += o.degrees[i];
    return *this;
  }
};

// A place in a kernel's source.
struct place {
  std::string file;  // without its folders
  std::string path;  // as the compiler was given it
  std::string function;
  unsigned line = 0, column = 0;
  std::string text() const { return line == 0 ? "an unknown line" : file + ":" + std::to_string(line); }
  auto operator<=>(const place&) const = default;
};

struct line_tally {
  event what{};
  place where;
  tally cost;
};

struct counts {
  std::array<tally, events> by{};
  count launches = 0, blocks = 0, threads = 0;
  count steps = 0;  // parallel: applications that follow on each other in one thread or across a barrier
  count cost = 0;   // threads times steps, p·T
  count span = 0;   // the longest chain of dependent applications, from the first launch on
  count copies = 0, copied_bytes = 0;
  count block_barriers = 0, warp_barriers = 0;  // completed ones
  std::vector<line_tally> lines;                // in the order in which they were first reached

  const tally& of(event e) const { return by[static_cast<int>(e)]; }
  count work() const { return of(event::apply).lanes; }
  count instructions() const {
    count all = 0;
    for (const tally& t : by) all += t.instructions;
    return all;
  }
  count lanes() const {
    count all = 0;
    for (const tally& t : by) all += t.lanes;
    return all;
  }
  count divergent() const {
    count all = 0;
    for (const tally& t : by) all += t.divergent;
    return all;
  }
  tally shared() const {
    tally all = of(event::shared_load);
    all += of(event::shared_store);
    return all;
  }
  tally global() const {
    tally all = of(event::global_load);
    all += of(event::global_store);
    return all;
  }
  counts& operator+=(const counts& o);
};

enum class fault_kind : std::uint8_t {
  race,
  divergent_barrier,
  out_of_bounds,
  uninitialised,
  bad_exchange,
  deadlock,
  bad_address,
  bad_launch,
  bad_call
};
constexpr const char* name_of(fault_kind f) {
  constexpr const char* names[]{
      "race",        "divergent barrier", "out of bounds", "uninitialised read", "bad warp exchange", "deadlock",
      "bad address", "bad launch",        "bad call"};
  return names[static_cast<int>(f)];
}

struct finding {
  fault_kind what{};
  std::string text;  // one sentence, naming threads and lines
  count times = 1;
};

}  // namespace upsweep::lens
