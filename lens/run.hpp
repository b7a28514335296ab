// One rung on the emulated machine: fresh random input, every count, what it declares beside them, and the oracle's
// word on the result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lens/rungs.hpp"
#include "upsweep/proof/exam.hpp"

namespace upsweep::lens {

struct job {
  std::string variant;
  std::uint64_t n = 4096;
  unsigned block = 0;  // 0: the rung's own
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
  // For what folds nothing: what is asked (unset: the first of the exam's forms of this type), and of which input.
  std::optional<problem> form;
  input_kind input = input_kind::uniform;
  std::vector<unsigned char> elements;  // where there are any: the input, as its bytes lie, in the exam's place
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
  std::string words;  // what was asked: "u32 plus"
  const rung* what = nullptr;
  const rung_at* size = nullptr;
  bool raced = false;  // races were looked for
  counts total;
  std::vector<launch_record> launches;
  std::vector<finding> findings;
  std::vector<declared> against;
  bool finished = false;  // no deadlock cut it short: there is a result, and the counts are whole
  std::string wrong;      // what the oracle said; empty: the result is right
  std::vector<place> barriers;
  double seconds = 0;
  std::vector<recorded> steps;
  std::vector<recorded_memory> step_memories;
  std::vector<place> places;  // by site
  bool ok() const;
};

// What a job asks of a rung that folds, without operands, and where their memory is named ("in", "in2", "out").
problem fold_of(const job& j);
memory& slot_of(problem&, std::string_view name);
// What a job asks of a rung that folds nothing. Throws upsweep::error where the rung cannot do it.
problem problem_of(const job& j);

// Throws upsweep::error where the rung cannot do it; a deadlock is a finding.
report run(const job& j);

}  // namespace upsweep::lens
