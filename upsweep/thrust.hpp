// Thrust's calls, run by Upsweep: a policy in the first argument's place.
//
//   thrust::device_vector<float> v(1000, 2.0f);
//   thrust::sort(upsweep::on(gpu), v.begin(), v.end());
//   float sum = thrust::reduce(upsweep::on(gpu), v.begin(), v.end());
//
// Result       what the call of the same name in this library gives: its contract holds (sort.hpp, scan.hpp, …), and
//              its determinism. reduce, the scans and kin fold in a type that holds all (bytes summed into ints do not
//              wrap), where there is none in init's, as Thrust; reduce returns that type.
//              On a GPU swap_ranges exchanges elements as bytes, not by a swap of their own.
//              shuffle and shuffle_copy take their seed from the engine: the order is this library's, not Thrust's.
// Iterators    any of Thrust's that can be read or written at any place: counting, transform, zip, permutation,
//              constant, discard, transform_output. Pointers and iterators of Thrust's vectors and device_ptr are
//              memory, which the library's own kernels read and write. What sorts, merges, selections, sets and scans
//              do to others they do in memory set aside, as large as the elements; transforms, copies and for_each
//              take them as they are. On a CUDA context they name device memory, and what is no memory wants nvcc
//              there; on a CPU context the host's. Outputs hold what is kept, as in Thrust, and no more.
// Functions    thrust::plus, less and kin of built-in types become the library's own, so that its tuned variants run;
//              plus<int> of floats stays what it is, and cuts them. Others as Thrust takes them: not const (a copy is
//              called each time), taking references, without an identity. On a GPU, and by key, an operator that has
//              none folds an element and whether there is one; give an identity (monoid) where that costs too much.
//              Equalities of keys may be one's own; so far those set aside a number for each key.
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
