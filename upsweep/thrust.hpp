// thrust: runs Thrust's algorithms with Upsweep. Pass upsweep::on(context) as the execution policy.
//
//   thrust::device_vector<float> v(1000, 2.0f);
//   thrust::sort(upsweep::on(gpu), v.begin(), v.end());
//   float sum = thrust::reduce(upsweep::on(gpu), v.begin(), v.end());
//
// Result       As the call of the same name in this library: its contract (sort.hpp, scan.hpp, …) and its determinism
//              hold. reduce, the scans and similar calls fold in a type that holds all values (bytes summed into ints
//              do not wrap). If there is no such type they fold in the type of init, as Thrust does. reduce returns the
//              type of the fold. On a GPU swap_ranges exchanges elements as bytes, without calling a user-defined swap.
//              shuffle and shuffle_copy take their seed from the engine; the order is that of this library, not that of
//              Thrust.
// Iterators    All random-access iterators of Thrust that can be read or written: counting, transform, zip,
//              permutation, constant, discard, transform_output. Pointers, iterators of Thrust's vectors and device_ptr
//              are memory, which the kernels of the library read and write directly. For other iterators, sorts,
//              merges, selections, sets and scans work in temporary memory as large as the elements; transforms, copies
//              and for_each use the iterators directly. On a CUDA context iterators refer to device memory, and
//              iterators other than memory require nvcc; on a CPU context they refer to host memory. As in Thrust,
//              outputs hold the kept elements and no more.
// Functions    thrust::plus, less and the like of built-in types are replaced by the operators of the library, so its
//              tuned variants run. plus<int> of floats is not replaced, and truncates them. Other functions may be as
//              Thrust allows: not const (a copy is called each time), with parameters by reference, without an
//              identity. On a GPU, and by key, an operator without an identity folds elements with a flag (reduce.hpp);
//              pass an identity (monoid) if that costs too much. Equalities of keys may be user-defined; these
//              currently store a number for each key.
// Supported    The names in the headers below. A call of another name ends in Thrust's "unimplemented for this system".
// Asynchrony   As in Thrust, calls wait: they synchronise the stream of the context.
// Errors       upsweep::error. Also for an OpenCL context, because iterators of Thrust cannot refer to its memory.
//
// Requires the headers of Thrust (of the CUDA toolkit or CCCL). upsweep/upsweep.hpp does not include this header.
#pragma once

#include "upsweep/thrust/by_key.hpp"
#include "upsweep/thrust/compactions.hpp"
#include "upsweep/thrust/folds.hpp"
#include "upsweep/thrust/rearranges.hpp"
#include "upsweep/thrust/searches.hpp"
#include "upsweep/thrust/selects.hpp"
#include "upsweep/thrust/sorts.hpp"
#include "upsweep/thrust/thrust_sets.hpp"
#include "upsweep/thrust/transforms.hpp"
