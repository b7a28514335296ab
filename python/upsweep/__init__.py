"""Upsweep: reduce, scan, sort, select, histogram, convolution, N-body and other parallel primitives, on CPUs and GPUs.

    import numpy as np, upsweep
    x = np.random.default_rng(1).random(1_000_000, np.float32)
    upsweep.sum(x); upsweep.cumsum(x); upsweep.sort(x); upsweep.select(x, "x > 0.5")

Calls run where their arrays are. NumPy arrays and PyTorch CPU tensors run on the CPU. CuPy arrays and PyTorch CUDA tensors run on their GPU, on
the current stream of their library. Results are arrays of the same library. Inside `with upsweep.device("opencl:0"):` calls copy host arrays to
that device and the results back.
"""
import importlib.util as _util

if _util.find_spec("numpy") is None:
    raise ImportError("upsweep needs NumPy 1.22 or later, which is not installed: python3 -m pip install numpy", name="numpy")

from . import image, nbody, signal
from .averages import mean, median, percentile, quantile, std, var
from .counting import counted
from .counts import bincount, histogram
from .devices import Device, device, devices
from .errors import AxisError, BadArgument, DeviceFailure, Error, Internal, NoDevice, OutOfMemory, Unsupported
from .expressions import expression, transform
from .folds import (cumprod, cumsum, cumulative_prod, cumulative_sum, max, min, prod, reduce, reduce_by_key, scan, scan_by_key,  # noqa: A004
                    segmented_reduce, segmented_scan, sum)
from .interpolation import interp
from .logic import all, any, count_nonzero, flatnonzero, isin, nonzero  # noqa: A004
from .nan_folds import nanargmax, nanargmin, nanmax, nanmean, nanmin, nanprod, nansum
from .orders import (argsort, includes, is_sorted, merge, merge_by_key, nth_element, segmented_sort, set_difference, set_difference_by_key,
                     set_intersection, set_intersection_by_key, set_symmetric_difference, set_symmetric_difference_by_key, set_union,
                     set_union_by_key, sort, sort_by_key, top_k)
from .partial_orders import argpartition, digitize, lexsort, partition
from .pictures import bilateral, box_filter, convolve, correlate, gaussian, integral
from .rearrange import clip, compress, diff, flip, roll, take
from .searches import adjacent_find, argmax, argmin, count_if, find_first_of, find_if, is_in_sorted, mismatch, search, searchsorted
from .selections import gather, run_length_decode, run_length_encode, scatter, select, stable_partition, unique, unique_consecutive
from .sequences import lfilter, moving_average, recurrence
from .text import Lexer, TextError, csv_fields, tokenize
from ._calls import version as _version

__version__ = _version()


def array_namespace():
    """Return upsweep.array_api: functions with the names and arguments of the Python array API standard.

    Returns
    -------
    module
        The functions that Upsweep has, the types, and the constants.

    Examples
    --------
    >>> upsweep.array_namespace().unique_counts([3, 1, 3]).counts.tolist()
    [1, 2]
    """
    from . import array_api
    return array_api

__all__ = [
    "AxisError", "BadArgument", "Device", "DeviceFailure", "Error", "Internal", "Lexer", "NoDevice", "OutOfMemory", "TextError",
    "Unsupported", "adjacent_find", "all", "any", "argmax", "argmin", "argpartition", "argsort", "array_namespace", "bilateral", "bincount",
    "box_filter", "clip", "compress", "convolve", "correlate", "count_if", "count_nonzero", "counted", "csv_fields", "cumprod", "cumsum",
    "cumulative_prod", "cumulative_sum", "device", "devices", "diff", "digitize", "expression", "find_first_of", "find_if", "flatnonzero",
    "flip", "gather", "gaussian", "histogram", "image", "includes", "integral", "interp", "is_in_sorted", "is_sorted", "isin", "lexsort",
    "lfilter", "max", "mean", "median", "merge", "merge_by_key", "min", "mismatch", "moving_average", "nanargmax", "nanargmin", "nanmax",
    "nanmean", "nanmin", "nanprod", "nansum", "nbody", "nonzero", "nth_element", "partition", "percentile", "prod", "quantile",
    "recurrence", "reduce", "reduce_by_key", "roll", "run_length_decode", "run_length_encode", "scan", "scan_by_key", "scatter", "search",
    "searchsorted", "segmented_reduce", "segmented_scan", "segmented_sort", "select", "set_difference", "set_difference_by_key",
    "set_intersection", "set_intersection_by_key", "set_symmetric_difference", "set_symmetric_difference_by_key", "set_union",
    "set_union_by_key", "signal", "sort", "sort_by_key", "stable_partition", "std", "sum", "take", "tokenize", "top_k", "transform",
    "unique", "unique_consecutive", "var",
]
