"""Functions with the names and arguments of the Python array API standard, version 2023.12, for what Upsweep has.

    xp = upsweep.array_namespace()
    ordered = xp.sort(x, descending=True)
    values, counts = xp.unique_counts(x)

Arrays are those of the other functions of the package. NaNs are distinct in unique_all() and its kin, as the standard has it.
"""
from __future__ import annotations

from collections import namedtuple
from math import e, inf, nan, pi

import numpy as np
from numpy import float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64

import upsweep as _upsweep

__array_api_version__ = "2023.12"
newaxis = None
bool = np.bool_  # noqa: A001

__all__ = [
    "all", "any", "argmax", "argmin", "argsort", "bool", "clip", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "e", "flip", "float32",
    "float64", "inf", "int16", "int32", "int64", "int8", "max", "mean", "min", "nan", "newaxis", "nonzero", "pi", "prod", "roll", "searchsorted", "sort",
    "std", "sum", "take", "uint16", "uint32", "uint64", "uint8", "unique_all", "unique_counts", "unique_inverse", "unique_values", "var",
]

_All = namedtuple("unique_all_result", "values indices inverse_indices counts")
_Counts = namedtuple("unique_counts_result", "values counts")
_Inverse = namedtuple("unique_inverse_result", "values inverse_indices")


def sort(x, /, *, axis=-1, descending=False, stable=True):
    return _upsweep.sort(x, axis, descending=descending)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    return _upsweep.argsort(x, axis, descending=descending)


def argmax(x, /, *, axis=None, keepdims=False):
    return _upsweep.argmax(x, axis, keepdims=keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    return _upsweep.argmin(x, axis, keepdims=keepdims)


def nonzero(x, /):
    return _upsweep.nonzero(x)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    return np.asarray(_upsweep.count_nonzero(x, axis, keepdims=keepdims))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    return _upsweep.searchsorted(x1, x2, side, sorter)


def unique_all(x, /):
    return _All(*_upsweep.unique(x, True, True, True, equal_nan=False))


def unique_counts(x, /):
    return _Counts(*_upsweep.unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x, /):
    return _Inverse(*_upsweep.unique(x, return_inverse=True, equal_nan=False))


def unique_values(x, /):
    return _upsweep.unique(x, equal_nan=False)


def sum(x, /, *, axis=None, dtype=None, keepdims=False):  # noqa: A001
    return _upsweep.sum(x, axis, dtype, keepdims=keepdims)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    return _upsweep.prod(x, axis, dtype, keepdims=keepdims)


def max(x, /, *, axis=None, keepdims=False):  # noqa: A001
    return _upsweep.max(x, axis, keepdims=keepdims)


def min(x, /, *, axis=None, keepdims=False):  # noqa: A001
    return _upsweep.min(x, axis, keepdims=keepdims)


def mean(x, /, *, axis=None, keepdims=False):
    return _upsweep.mean(x, axis, keepdims=keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    return _upsweep.var(x, axis, correction=correction, keepdims=keepdims)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    return _upsweep.std(x, axis, correction=correction, keepdims=keepdims)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    return _upsweep.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    return _upsweep.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial)


def any(x, /, *, axis=None, keepdims=False):  # noqa: A001
    return _upsweep.any(x, axis, keepdims=keepdims)


def all(x, /, *, axis=None, keepdims=False):  # noqa: A001
    return _upsweep.all(x, axis, keepdims=keepdims)


def take(x, indices, /, *, axis=None):
    return _upsweep.take(x, indices, axis)


def flip(x, /, *, axis=None):
    return _upsweep.flip(x, axis)


def roll(x, /, shift, *, axis=None):
    return _upsweep.roll(x, shift, axis)


def clip(x, /, min=None, max=None):  # noqa: A002
    return x if min is None and max is None else _upsweep.clip(x, min, max)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    return _upsweep.diff(x, n, axis, prepend, append)
