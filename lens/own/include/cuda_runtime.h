// CUDA's words for a program that is compiled for the lens: types, what threads know and do together, mathematics, and
// the calls of the host. Every program that runs under the lens has it, as nvcc gives it to every .cu file.
#pragma once

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "upsweep_lens/table.hpp"

#define __CUDACC__ 1
// By these, headers that are meant for both compilers know that they may speak of CUDA.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define CUDART_VERSION 12000

#define __global__
#define __device__
#define __host__
#define __managed__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDART_CB

#include "upsweep_lens/device.h"
#include "upsweep_lens/host.h"
#include "upsweep_lens/mathematics.h"
