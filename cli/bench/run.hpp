// Measures the problems of a plan on one device.
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
  std::vector<std::string> names;  // names of variants, prefixes of them, or primitives; empty: all
  std::vector<std::uint64_t> sizes;
  std::vector<upsweep::dtype> types;
  std::vector<upsweep::op_kind> ops;
  std::vector<upsweep::input_kind> inputs{upsweep::input_kind::uniform};  // for primitives that depend on it
  std::string form;                                                       // only forms whose words contain this
  bool inclusive = false;                                                 // scans
  bool all = false;  // all textbook variants, not only the selected one
  bool peers = false;
  bool cold = true, hot = true, transfers = true, calls = true;
  bool aligned = true, shifted = false;  // operands as the device aligns memory, and an element past that
  effort each;
  double longest_run = 2;  // seconds; a variant that is predicted to take longer is skipped
  std::uint64_t seed = 0;
};

// The measurements of one variant or peer: one line of the table, up to three rows of the JSON.
struct measurement {
  std::string who, version, note;
  std::string setting;  // of a peer that can be called in several ways
  std::string form;     // as text, if the shape does not include it
  bool peer = false;
  bool chosen = false;  // the variant that a call of the library selects
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

// Callbacks about the progress of the measurements.
struct listener {
  std::function<void(const upsweep::device&, const measurement& like)> group;
  std::function<void(const std::vector<measurement>& of_one_size)> rows;
  std::function<void(const std::string&)> now;  // what is being timed
};

// Whether the device supports any form of the plan.
bool has_work(const upsweep::device&, const plan&);

// The limit that its bytes are compared with.
void set_roof(measurement&, const std::vector<upsweep::peers::ceiling>&);

// Appends to `to`.
void measure(upsweep::device&, const std::vector<upsweep::peers::ceiling>&, const plan&, const listener&, results& to);

// Throws for a name that is not a prefix of a variant on these backends, with similar names or the backends that have
// it.
void require_names(const std::vector<std::string>& names, const std::vector<upsweep::backend>&);

// "exclusive scan, u32 plus", "sort, u32 keys".
std::string form_text(const upsweep::problem&);
std::string form_text(const measurement&);
// As above, with the distribution of the input and the alignment of operands unless they are the default.
std::string whole_text(const measurement&);
// Whether calls from host memory to host memory are also measured.
bool has_transfers(const upsweep::problem&);

// The peer's time divided by ours, for the same work and method: above 1 ours is faster. 0 if either is missing.
double ratio(const statistics& peer, const statistics& ours);

// Measurements of a peer at one size that differ only in their setting count as one: whether `m` is the fastest of
// them, timed that way.
bool stands(const measurement& m, const std::vector<measurement>&, statistics measurement::* way);

// All shapes at which a peer is faster than the variant that our call selects.
struct loss {
  const measurement *ours, *peer;
  const char* timed;
  double ratio;
};
std::vector<loss> losses(const results&);

// Among the measurements of one size: our variant that a call selects, else our fastest; null without a variant of
// ours.
const measurement* ours_among(const std::vector<measurement>&);

}  // namespace bench
