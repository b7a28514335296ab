"""datetime64 and timedelta64: compared as integers, with NaT where NumPy has it."""
from __future__ import annotations

import numpy as np

from .arrays import I64
from .errors import Unsupported

# Whether NaT is last in the order of the integers. It is the result of a minimum (operator 2) and of a maximum (3), as NaN is.
NOT_A_TIME = {2: False, 3: True}


def keys_of(times, last):
    """Return int64 in the order of the times, in which NaT is the greatest, or the smallest.

    NaT is the smallest int64. One less than each integer, which wraps, makes it the greatest.
    """
    keys = times.view(I64)
    with np.errstate(over="ignore"):
        return keys - 1 if last else keys


def times_of(keys, dtype, last):
    """Return the times of the keys that keys_of() returns."""
    with np.errstate(over="ignore"):
        return (keys + 1 if last else keys).view(dtype)


def common_times(call, *arrays):
    """Return arrays of datetime64, or of timedelta64, in their common unit."""
    try:
        common = np.result_type(*(each.dtype for each in arrays))
    except TypeError:
        common = None
    if common is None or any(each.dtype.kind != common.kind for each in arrays):
        raise Unsupported(f"{call}: elements of {' and of '.join(str(each.dtype) for each in arrays)}; give times of one kind")
    return [each.astype(common, copy=False) for each in arrays]
