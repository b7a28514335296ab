// The bench's engine: what is to be measured on one device, and the measuring.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/bench/data.hpp"
#include "cli/bench/timing.hpp"
#include "peers/ceilings.hpp"
#include "peers/peers.hpp"

namespace bench {

struct plan {
  std::vector<std::string> names;  // of variants, prefixes of them, or primitives; empty: everything
  std::vector<std::uint64_t> sizes;
  std::vector<upsweep::dtype> types;
  std::vector<upsweep::op_kind> ops;
  std::vector<upsweep::input_kind> inputs{upsweep::input_kind::uniform};  // of primitives to which it matters
  std::string form;                                                       // only forms whose words contain this
  bool inclusive = false;                                                 // scans
  bool all = false;  // every rung, not only what a call would choose
  bool peers = false;
  bool cold = true, hot = true, transfers = true, calls = true;
  bool aligned = true, shifted = false;  // operands as the device aligns memory, and an element past that
  effort each;
  double longest_run = 2;  // seconds; a rung predicted to take longer is left out
  std::uint64_t seed = 0;
};

// Who ran what: one line of the printed table, up to three rows of the JSON.
struct measurement {
  std::string who, version, note;
  std::string setting;  // of a peer that its caller may call in several ways
  std::string form;     // in words, where the shape does not say it
  bool peer = false;
  bool chosen = false;  // what a call of the library runs
  std::string device;
  upsweep::problem shape;
  upsweep::input_kind input = upsweep::input_kind::uniform;
  bool shifted = false;
  upsweep::traffic moves;  // what any algorithm must read and write, in bytes
  double bytes() const { return moves.read + moves.written; }
  statistics cold, hot, end_to_end;  // no samples: not measured
  double roof = 0;                   // bytes a second; 0: not known
  const char* roof_name = "";
  double error = 0;
  bool inaccurate = false;
  const statistics& best_known() const { return cold.samples ? cold : hot.samples ? hot : end_to_end; }
};

struct remark {
  std::string who, device, what;  // what: the problem in words
  std::uint64_t n = 0;
  std::string why;
  bool peer = false;
};

struct results {
  std::vector<measurement> rows;
  std::vector<remark> failures;  // wrong results: not timed
  std::vector<remark> skipped;
};

// What hears of the work as it goes on.
struct listener {
  std::function<void(const upsweep::device&, const measurement& like)> group;
  std::function<void(const std::vector<measurement>& of_one_size)> rows;
  std::function<void(const std::string&)> now;  // what is being timed
};

// Whether any form of what the plan asks for is timed on the device.
bool has_work(const upsweep::device&, const plan&);

// The roof that its bytes are held against.
void set_roof(measurement&, const std::vector<upsweep::peers::ceiling>&);

// Appends to `to`.
void measure(upsweep::device&, const std::vector<upsweep::peers::ceiling>&, const plan&, const listener&, results& to);

// Throws for a name that no variant on these backends begins with: the nearest names, or where it does run.
void require_names(const std::vector<std::string>& names, const std::vector<upsweep::backend>&);

// "exclusive scan, u32 plus", "sort, u32 keys".
std::string form_text(const upsweep::problem&);
std::string form_text(const measurement&);
// The same with the kind of input and where the operands lie, where that is not the usual.
std::string whole_text(const measurement&);
// Whether calls from host memory to host memory are timed, too.
bool has_transfers(const upsweep::problem&);

// Peer's time over our time, for the same work timed the same way: above 1 we are faster. 0 where one of them is
// missing.
double ratio(const statistics& peer, const statistics& ours);

// Of one size's measurements, those of a peer that differ in their setting alone are one: whether `m` is the fastest of
// them, timed that way.
bool stands(const measurement& m, const std::vector<measurement>&, statistics measurement::* way);

// Every shape at which some peer was faster than what a call of ours runs.
struct loss {
  const measurement *ours, *peer;
  const char* timed;
  double ratio;
};
std::vector<loss> losses(const results&);

// Of one size's measurements: what a call of the library runs, else the fastest of ours; null when there is none of
// ours.
const measurement* ours_among(const std::vector<measurement>&);

}  // namespace bench
