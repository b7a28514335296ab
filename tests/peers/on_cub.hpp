// Before a test of CUB's: its device-wide calls, answered by this library on a CPU, or, where nvcc compiles, on a GPU.
// run.py writes on_upsweep::DeviceReduce where a test has cub::DeviceReduce. On a CPU none of CUB's own device-wide
// headers is read: they are kernels. Scratch, streams and environments are taken and not used.
#pragma once

#include "cub/catch2_helpers.hpp"
#include "cub/elements.hpp"
#include "cub/folds.hpp"
#include "cub/histograms.hpp"
#include "cub/segments.hpp"
#include "cub/selects.hpp"
#include "cub/sorts.hpp"

#define ON_UPSWEEP(name)           \
  namespace on_upsweep {           \
  static_assert(sizeof(name) > 0); \
  }
ON_UPSWEEP(DeviceReduce)
ON_UPSWEEP(DeviceScan)
ON_UPSWEEP(DeviceSegmentedReduce)
ON_UPSWEEP(DeviceSegmentedScan)
ON_UPSWEEP(DeviceSelect)
ON_UPSWEEP(DevicePartition)
ON_UPSWEEP(DeviceRunLengthEncode)
ON_UPSWEEP(DeviceHistogram)
ON_UPSWEEP(DeviceRadixSort)
ON_UPSWEEP(DeviceMergeSort)
ON_UPSWEEP(DeviceSegmentedSort)
ON_UPSWEEP(DeviceSegmentedRadixSort)
ON_UPSWEEP(DeviceMerge)
ON_UPSWEEP(DeviceTopK)
ON_UPSWEEP(DeviceTransform)
ON_UPSWEEP(DeviceFor)
ON_UPSWEEP(DeviceAdjacentDifference)
ON_UPSWEEP(DeviceFind)
#undef ON_UPSWEEP
