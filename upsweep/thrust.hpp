// Thrust's calls, run by Upsweep: a policy in the first argument's place.
//
//   thrust::device_vector<float> v(1000, 2.0f);
//   thrust::sort(upsweep::on(gpu), v.begin(), v.end());
//   float sum = thrust::reduce(upsweep::on(gpu), v.begin(), v.end());
//
// Result       what the call of the same name in this library gives: its contract holds (sort.hpp, scan.hpp, …), and
//              its determinism. reduce and kin keep the fold in a type that holds all, and return that.
// Iterators    what a call writes is contiguous: pointers, thrust's vectors and device_ptr. What folds, scans and
//              searches read may be any of Thrust's (counting, transform, zip, permutation, constant); elsewhere, what
//              is read is contiguous, too. On a CUDA context they name device memory, on a CPU context the host's.
// Functions    thrust::plus, less and kin become the library's own, so that its tuned variants run. Others as the calls
//              of this library take them; off the CPU an operator of one's own carries its identity.
// Covered      the names below. A call of another name ends in Thrust's "unimplemented for this system".
// Asynchrony   as Thrust's: calls wait, by way of the context's stream.
// Errors       upsweep::error; an OpenCL context, whose memory Thrust's iterators do not name.
//
// Wants Thrust's headers (the CUDA toolkit's or CCCL's), and is not part of upsweep/upsweep.hpp.
#pragma once

#include "upsweep/thrust/by_key.hpp"
#include "upsweep/thrust/compactions.hpp"
#include "upsweep/thrust/folds.hpp"
#include "upsweep/thrust/rearranges.hpp"
#include "upsweep/thrust/searches.hpp"
#include "upsweep/thrust/selects.hpp"
#include "upsweep/thrust/sets.hpp"
#include "upsweep/thrust/sorts.hpp"
#include "upsweep/thrust/transforms.hpp"
