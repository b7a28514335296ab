// The OpenCL selection as other rooms use it.
#pragma once

#include "upsweep/opencl/words.hpp"
#include "upsweep/select/problem.hpp"

namespace upsweep::opencl {

// What sorts the elements: what p.how says; flags, p.in3; or the elements themselves, which are their classes: 0, 1 or
// 2.
enum class by : std::uint8_t { selection, flags, classes };

// Enqueued: what select.hpp says of p. With `starts`, which holds n u64 and takes the values' place: where each kept
// element stood.
void enqueue_selection(device&, const select_room::problem& p, memory starts = {}, by = by::selection);
// The same in the way that every device has.
void enqueue_count_then_move(device&, const select_room::problem& p, memory starts = {}, by = by::selection);

// Room for n such places; and the lengths of the runs that begin there, of which there are count[0].
memory starts_in_scratch(device&, std::uint64_t n);
void enqueue_lengths(device&, memory starts, memory count, memory lengths, std::uint64_t n);

// firsts[i], a byte, is 1 where a run of elements begins that are equal as the question says (custom.hpp), else 0.
struct question;
void note_first_of_runs(device&, const question&, memory in, std::uint64_t n, memory firsts);

}  // namespace upsweep::opencl
