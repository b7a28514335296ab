"""Folds that ignore NaNs, as in NumPy. Arrays are in host memory."""
from __future__ import annotations

import warnings

import numpy as np

from . import _calls
from .arrays import host_arrays, write_host
from .averages import mean
from .errors import BadArgument, Unsupported
from .folds import MAXIMUM, MINIMUM, MULTIPLIES, PLUS, extreme, summed, type_to_fold
from .searches import first_extreme
from .times import NOT_A_TIME, keys_of, times_of


def _without_nans(call, a, value):
    """Return (space, array with a value in place of each NaN, where the NaNs are or None)."""
    space, x = host_arrays(call, a)
    if x.dtype.kind != "f":
        return space, x, None
    nans = np.isnan(x)
    return (space, np.where(nans, x.dtype.type(value), x), nans) if nans.any() else (space, x, None)


def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Return sum() with 0 in place of each NaN. The parameters are those of sum().

    Examples
    --------
    >>> float(upsweep.nansum([1, float("nan")]))
    1.0
    """
    space, x, _ = _without_nans("nansum", a, 0)
    return write_host(space, "nansum", summed("nansum", PLUS, x, axis, type_to_fold(x.dtype, dtype, out), keepdims, None, initial, where), out)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Return prod() with 1 in place of each NaN. The parameters are those of sum().

    Examples
    --------
    >>> float(upsweep.nanprod([3, float("nan")]))
    3.0
    """
    space, x, _ = _without_nans("nanprod", a, 1)
    return write_host(space, "nanprod", summed("nanprod", MULTIPLIES, x, axis, type_to_fold(x.dtype, dtype, out), keepdims, None, initial, where), out)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Return the mean() of the elements that are not NaN. The parameters are those of mean().

    Examples
    --------
    >>> float(upsweep.nanmean([1, 3, float("nan")]))
    2.0
    """
    space, x, nans = _without_nans("nanmean", a, 0)
    if nans is not None:
        where = ~nans if where is True else ~nans & where
    dtype = type_to_fold(x.dtype, dtype, out) if x.dtype.kind == "f" else dtype
    return write_host(space, "nanmean", mean(x, axis, dtype, None, keepdims, where=where), out)


def _nan_extreme(call, op, neutral, a, axis, out, keepdims, initial, where):
    space, x, nans = _without_nans(call, a, neutral)
    if x.dtype.kind in "mM":
        result = _time_extreme(call, op, x, axis, keepdims, initial, where)
        return write_host(space, call, result, out)
    result = extreme(call, op, x, axis, None, keepdims, initial, where)
    if nans is not None and initial is None:
        empty = np.all(nans, axis, keepdims=keepdims)
        if empty.any():
            warnings.warn(f"upsweep.{call}: a line has only NaNs", RuntimeWarning, stacklevel=3)
            result = np.where(empty, x.dtype.type(np.nan), result)[()]
    return write_host(space, call, result, out)


def _time_extreme(call, op, x, axis, keepdims, initial, where):
    """Return the extreme of the times that are not NaT: those are the least extreme integers."""
    if initial is not None or where is not True:
        raise Unsupported(f"{call}: initial= or where= of elements of {x.dtype}; select the elements that are not NaT")
    last = not NOT_A_TIME[op]
    result = times_of(np.asarray(extreme(call, op, keys_of(np.ascontiguousarray(x).reshape(x.shape), last), axis, None, keepdims)), x.dtype, last)[()]
    if np.isnat(result).any():
        warnings.warn(f"upsweep.{call}: a line has only NaTs", RuntimeWarning, stacklevel=4)
    return result


def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """Return the smallest element that is not NaN, and NaN where all are. The parameters are those of min().

    Examples
    --------
    >>> float(upsweep.nanmin([2, float("nan")]))
    2.0
    """
    return _nan_extreme("nanmin", MINIMUM, np.inf, a, axis, out, keepdims, initial, where)


def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """Return the greatest element that is not NaN, and NaN where all are. The parameters are those of min().

    Examples
    --------
    >>> float(upsweep.nanmax([2, float("nan")]))
    2.0
    """
    return _nan_extreme("nanmax", MAXIMUM, -np.inf, a, axis, out, keepdims, initial, where)


def _nan_index(call, function, function_by, descending, neutral, a, axis, out, keepdims):
    space, x, nans = _without_nans(call, a, neutral)
    result = first_extreme(call, function, function_by, descending, x, axis, None, None, keepdims)
    if nans is not None:
        result = _after_nans(call, nans, result, axis)
    return write_host(space, call, result, out)


def _after_nans(call, nans, result, axis):
    """Return the indices with that of the first number in lines where the index is of a NaN: all numbers there equal the neutral value."""
    lines, axis = (nans.reshape(-1), 0) if axis is None or nans.ndim == 0 else (nans, axis)
    numbers = ~lines
    if not numbers.any(axis).all():
        raise BadArgument(f"{call}: all elements are NaN; give at least one number for each result")
    first = numbers.argmax(axis, keepdims=True)
    index = np.reshape(result, first.shape)
    index = np.where(np.take_along_axis(lines, index, axis), first, index)
    return index.reshape(np.shape(result))[()]


def nanargmin(a, axis=None, out=None, *, keepdims=False):
    """Return the first index of the smallest element that is not NaN. The parameters are those of argmin().

    Examples
    --------
    >>> int(upsweep.nanargmin([float("nan"), 2, 1]))
    2
    """
    return _nan_index("nanargmin", _calls.argmin, _calls.argmin_by, False, np.inf, a, axis, out, keepdims)


def nanargmax(a, axis=None, out=None, *, keepdims=False):
    """Return the first index of the greatest element that is not NaN. The parameters are those of argmin().

    Examples
    --------
    >>> int(upsweep.nanargmax([float("nan"), 2, 1]))
    1
    """
    return _nan_index("nanargmax", _calls.argmax, _calls.argmax_by, True, -np.inf, a, axis, out, keepdims)
