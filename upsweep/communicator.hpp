// communicator: contexts (ranks) that process one distributed sequence together, like an MPI communicator: several
// contexts of one process, or one context a process over MPI. The calls have the names and contracts of those on one
// device.
//
//   const auto g = upsweep::communicator::of({upsweep::context::cpu(1), upsweep::context::cpu(1)});
//   auto x = upsweep::distributed<float>::of(g, values);        // each rank has an even part
//   auto running = upsweep::distributed<float>::even(g, x.size());
//   float total = upsweep::reduce(g, x);
//   upsweep::inclusive_scan(g, x, running);
//   upsweep::sort(g, x);
//   auto small = upsweep::distributed<float>::even(g, 0);
//   std::uint64_t kept = upsweep::copy_if(g, x, small, upsweep::less_than(0.5f));
//   std::vector<float> sorted = x.gather();
//
//   communicator   of({contexts}), gpus({0, 1}), named("cpu:2,cpu:2"), and mpi(comm, context) of
//                  upsweep/communicator/mpi.hpp, where every process makes the same calls. for_each_rank("step",
//                  [](communicator_rank& r) { … }) runs a step of the caller on every rank.
//   distributed    A sequence in parts, one for each rank; parts may have any sizes, including 0. of(g, array that all
//                  processes have), from_blocks(g, parts of this process), of_memory(g, spans that the caller owns),
//                  of_file(g, path, first byte, n), even(g, n), of_sizes(g, sizes)
//
// Calls        reduce, transform_reduce, reproducible_sum        the value, on every process
//              inclusive_scan, exclusive_scan, and transform_    outputs have the input's part sizes; also in place
//              sort, sort_by_key, argsort                        each rank gets as many elements as its part of the
//                                                                output has; also in place
//              top_k, nth_element                                results in host memory of every process
//              copy_if, unique, run_length_encode, reduce_by_key outputs are allocated; kept elements stay on the
//                                                                rank that had them
//              partition, redistribute, gather, scatter          existing outputs; indices count from the first element
//                                                                of the whole sequence
//              inclusive_scan_by_key, exclusive_scan_by_key      as scans
//              histogram                                         counts in host memory of every process
//              nbody::accelerations                              all operands have the same part sizes
//              nbody::distributed_simulation                     nbody.hpp's simulation;
//                                                                upsweep/communicator/communicator_nbody.hpp
// Result       That of one device for the concatenated parts, bitwise equal where determinism.md states it across
//              devices; operators need not commute. Sums of floats are grouped by parts: they repeat bit for bit for
//              the same sizes and contexts, and differ within rounding otherwise. reproducible_sum returns the same
//              bits for every number of ranks.
// Requires     Trivially copyable elements, which are default-constructible unless they are only moved. Operators,
//              tests and comparators that the calls on one device accept on the ranks' contexts.
// Work         That of one device on the largest part, and the exchange of each call (upsweep/communicator/README.md).
// Scratch      For sorts, three times a part and the scratch of the device's sort. The ranks' contexts keep it.
// Asynchrony   Done on return, on every rank.
// Errors       upsweep::error, the same on every process. An exception of a rank, memory that a rank lacks or an
//              invalid argument of a rank ends the call on all ranks, and the message names the rank. Outputs are
//              then unspecified. The next exchange detects ranks that are in different calls, or in one call with
//              different sizes.
// Threads      Concurrent calls on one communicator wait for each other. With several processes, all make these calls
//              in the same order.
#pragma once

#include "upsweep/communicator/communicator_gather.hpp"
#include "upsweep/communicator/communicator_nbody.hpp"
#include "upsweep/communicator/communicator_reduce.hpp"
#include "upsweep/communicator/communicator_select.hpp"
#include "upsweep/communicator/communicator_sort.hpp"
