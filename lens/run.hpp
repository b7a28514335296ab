// One textbook variant on the emulated machine: fresh random input, every count next to the declared one, and the
// comparison with the reference result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lens/textbook_variants.hpp"
#include "upsweep/conformance/conformance.hpp"

namespace upsweep::lens {

struct job {
  std::string variant;
  std::uint64_t n = 4096;
  unsigned block = 0;  // 0: the variant's own
  op_kind op = op_kind::plus;
  dtype type = dtype::u32;
  bool inclusive = false;
  bool in_place = false;
  std::uint64_t seed = 1;
  unsigned resident = 4;
  std::optional<bool> races;  // unset: looked for up to 2^18 elements
  bool record = false;
  std::optional<std::uint64_t> withheld;
  std::optional<place> without;
  bool small_values = false;  // 1 to 9, for pictures
  // For primitives without a fold: the form (unset: the conformance test's first form of this type), and the kind of
  // input.
  std::optional<problem> form;
  input_kind input = input_kind::uniform;
  std::vector<unsigned char> elements;  // if not empty: the bytes of the input, in place of the generated ones
};

struct declared {
  const char* what = "";
  std::string text;  // the formula
  double value = 0;
  double counted = 0;
  bool agrees = false;
  bool binding = true;  // the run fails when it disagrees
};

struct report {
  job asked;
  std::string words;  // the request: "u32 plus"
  const textbook_variant* what = nullptr;
  const variant_at* size = nullptr;
  bool raced = false;  // races were looked for
  counts total;
  std::vector<launch_record> launches;
  std::vector<finding> findings;
  std::vector<declared> against;
  bool finished = false;  // no deadlock cut it short: there is a result, and the counts are whole
  std::string wrong;      // the difference from the reference; empty: the result is right
  std::vector<place> barriers;
  double seconds = 0;
  std::vector<recorded> steps;
  std::vector<recorded_memory> step_memories;
  std::vector<place> places;  // by site
  bool ok() const;
};

// The descriptor of a job for a variant with a fold, without operands; and the operand of a name ("in", "in2", "out").
problem fold_of(const job& j);
memory& slot_of(problem&, std::string_view name);
// The descriptor of a job for a variant without a fold. Throws upsweep::error if the variant cannot run it.
problem problem_of(const job& j);

// Throws upsweep::error if the variant cannot run the job; a deadlock is a finding.
report run(const job& j);

}  // namespace upsweep::lens
