"""Upsweep: reduce, scan, sort, select, histogram, convolution, N-body and their kin, on CPUs and GPUs.

    import numpy as np, upsweep
    x = np.random.default_rng(1).random(1_000_000, np.float32)
    upsweep.sum(x); upsweep.cumsum(x); upsweep.sort(x); upsweep.select(x, "x > 0.5")

Arrays stay where they are: NumPy's and PyTorch's CPU tensors are worked on by the CPU, CuPy's arrays and PyTorch's CUDA tensors by their GPU, on
the stream that their library uses; results are arrays of the same kind. `with upsweep.device("opencl:0"):` takes host arrays to a device.
"""
from . import nbody
from .counting import counted
from .counts import bincount, histogram
from .devices import Device, device, devices
from .errors import BadArgument, DeviceFailure, Error, Internal, NoDevice, OutOfMemory, Unsupported
from .expressions import expression, transform
from .folds import (cumprod, cumsum, max, min, prod, reduce, reduce_by_key, scan, scan_by_key, segmented_reduce,  # noqa: A004
                    segmented_scan, sum)
from .orders import (argsort, includes, is_sorted, merge, merge_by_key, nth_element, segmented_sort, set_difference, set_difference_by_key,
                     set_intersection, set_intersection_by_key, set_symmetric_difference, set_symmetric_difference_by_key, set_union,
                     set_union_by_key, sort, sort_by_key, top_k)
from .pictures import bilateral, box_filter, convolve, correlate, gaussian, integral, median, resize
from .searches import adjacent_find, argmax, argmin, count_if, find_first_of, find_if, is_in_sorted, mismatch, search, searchsorted
from .selections import gather, partition, run_length_decode, run_length_encode, scatter, select, unique, unique_consecutive
from .sequences import filter, moving_average, recurrence  # noqa: A004
from .text import Lexer, TextError, csv_fields, tokenize
from ._calls import version as _version

__version__ = _version()

__all__ = [
    "BadArgument", "Device", "DeviceFailure", "Error", "Internal", "Lexer", "NoDevice", "OutOfMemory", "TextError", "Unsupported",
    "adjacent_find", "argmax", "argmin", "argsort", "bilateral", "bincount", "box_filter", "convolve", "correlate", "count_if", "counted", "csv_fields", "cumprod", "cumsum",
    "device", "devices", "expression", "filter", "find_first_of", "find_if", "gather", "gaussian", "histogram", "includes", "integral",
    "is_in_sorted", "is_sorted", "max", "median", "merge", "merge_by_key", "min", "mismatch", "moving_average", "nbody", "nth_element", "partition", "prod", "recurrence", "reduce", "reduce_by_key", "resize", "run_length_decode",
    "run_length_encode", "scan", "scan_by_key", "scatter", "search", "searchsorted", "segmented_reduce", "segmented_scan", "segmented_sort", "select",
    "set_difference", "set_difference_by_key", "set_intersection", "set_intersection_by_key", "set_symmetric_difference",
    "set_symmetric_difference_by_key", "set_union", "set_union_by_key", "sort", "sort_by_key", "sum", "tokenize", "top_k", "transform", "unique",
    "unique_consecutive",
]
