// The interface of the OpenCL selection for other algorithms.
#pragma once

#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::opencl {

// The source of the elements' classes: p.how; the flags p.in3; or the elements themselves, which are the classes 0, 1
// or 2.
enum class by : std::uint8_t { selection, flags, classes };

// Enqueues the selection of p as in select.hpp. With `starts`, memory for n u64 in place of the values: the index of
// each kept element.
void enqueue_selection(device&, const detail::select_impl::problem& p, memory starts = {}, by = by::selection);
// Like enqueue_selection(), with the method that runs on every device.
void enqueue_count_then_move(device&, const detail::select_impl::problem& p, memory starts = {}, by = by::selection);

// Scratch for n such indices; and the lengths of the runs that begin there, count[0] of them.
memory starts_in_scratch(device&, std::uint64_t n);
void enqueue_lengths(device&, memory starts, memory count, memory lengths, std::uint64_t n);

// firsts[i], a byte, is 1 where a run of elements begins that are equal as the question says (select_jit.hpp),
// else 0.
struct question;
void note_first_of_runs(device&, const question&, memory in, std::uint64_t n, memory firsts);

}  // namespace upsweep::opencl
