// group: contexts that work together on one sequence: in one process, or a process each over MPI, by the names and the
// contracts of one device.
//
//   const auto g = upsweep::group::of({upsweep::context::cpu(1), upsweep::context::cpu(1)});
//   auto x = upsweep::distributed<float>::of(g, values);        // each member has an even part
//   auto running = upsweep::distributed<float>::evenly(g, x.size());
//   float total = upsweep::reduce(g, x);
//   upsweep::inclusive_scan(g, x, running);
//   upsweep::sort(g, x);
//   auto small = upsweep::distributed<float>::evenly(g, 0);
//   std::uint64_t kept = upsweep::copy_if(g, x, small, upsweep::less_than(0.5f));
//   std::vector<float> sorted = x.whole();
//
//   group          of({contexts}), gpus({0, 1}), named("cpu:2,cpu:2"), and mpi(comm, context) of upsweep/group/mpi.hpp,
//                  where every process makes the same calls. each("step", [](upsweep::member& m) { … }) is a step of a
//                  caller's own.
//   distributed    a sequence in parts, one for each member, of any sizes, none too: of(g, array that all processes
//                  have), of_parts(g, this process's), of_memory(g, spans that stay the caller's), of_file(g, path,
//                  first byte, n), evenly(g, n), of_sizes(g, sizes)
//
// Calls        reduce, transform_reduce, reproducible_sum        the value, on every process
//              inclusive_scan, exclusive_scan, and transform_    outputs cut as the input is; in place too
//              sort, sort_by_key, argsort                        the output's parts say what each member gets;
//                                                                in place too
//              top_k, nth_element                                host memory of every process
//              copy_if, unique, run_length_encode, reduce_by_key outputs are made anew, parts where the input's were
//              partition, redistribute, gather, scatter          into outputs that are there; places count from the
//                                                                first element of all
//              inclusive_scan_by_key, exclusive_scan_by_key      as scans
//              histogram                                         counts in host memory of every process
//              nbody::accelerations                              all operands cut alike
//              nbody::group_simulation                           nbody.hpp's simulation; upsweep/group/bodies.hpp
// Result       what one device gives for the parts one behind the other, bit for bit where determinism.md says so of
//              devices; operators need not commute. Sums of floats are grouped by parts: the same each time for the
//              same sizes and contexts, and within rounding otherwise; reproducible_sum has the same bits however many
//              members there are.
// Requires     elements that are trivially copyable and, but for those that are only moved, can be made without a
//              value. Operators, tests and comparators as the calls on one device take them on the members' contexts.
// Work         that of one device on the largest part, and what upsweep/group/README.md says of each call's exchange.
// Scratch      of sorts, three times a part and what the device's sort takes; kept by the members' contexts.
// Asynchrony   done on return, on every member.
// Errors       upsweep::error, the same on every process: what a member throws, runs out of memory or is given wrongly
//              ends the call on all of them, and the sentence says which member it was. Outputs are then unspecified.
//              Members in different calls, or in one with different sizes, are found at the next exchange.
// Threads      calls on one group wait for each other; in many processes they are made in the same order everywhere.
#pragma once

#include "upsweep/group/bodies.hpp"
#include "upsweep/group/folds.hpp"
#include "upsweep/group/kept.hpp"
#include "upsweep/group/order.hpp"
#include "upsweep/group/places.hpp"
