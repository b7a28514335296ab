"""Searches: indices of extremes and of first matches, and positions in sorted arrays."""
from __future__ import annotations

import numpy as np

from . import _calls
from .arrays import (CODES, I64, U64, U8, DeviceSpace, along, as_arrays, axis_of, check_output, code_of, element, host_arrays,
                     host_output, is_flat_axis, key_code)
from .errors import BadArgument, Unsupported
from .expressions import expression
from .names import COMPARISONS, one_of
from .nans import count_nans
from .times import common_times, keys_of


def _as_expression(source):
    return source if isinstance(source, expression) else expression(source)


def _extreme(call, function, function_by, descending, x, axis, less):
    """Return the indices along an axis, without it, in the caller's library."""
    space, x = as_arrays(call, x)
    if is_flat_axis(axis, x.ndim):
        axis = None
    if (x.size if axis is None else x.shape[axis_of(call, axis, x.ndim)]) == 0:
        raise BadArgument(f"{call}: there is nothing to compare; give at least one element")
    if x.dtype.kind in "mM" and less is None:  # the first NaT is the extreme
        x = space.from_host(keys_of(space.to_host(x), descending))
    code = key_code(call, x.dtype)
    propagates = less is None and x.dtype.kind == "f" and not isinstance(space, DeviceSpace)
    if axis is None or x.ndim == 1:
        if axis is not None:
            axis_of(call, axis, x.ndim)
        answer = space.empty((), I64)
        if less is not None:
            less = _as_expression(less)  # keeps the handle alive during the call
            function_by(space.context.address, less.address, code, x, x.size, answer)
        else:
            function(space.context.address, code, x, x.size, answer)
        if isinstance(space, DeviceSpace):
            return space.scalar(answer)
        index = np.int64(space.item(answer))
        if propagates and count_nans(space, x):
            index = np.int64(np.isnan(space.to_host(x)).argmax())
        return index if space.wrap is None else space.wrap(index)
    axis = axis_of(call, axis, x.ndim)
    if less is not None:
        raise Unsupported(f"{call}: an array of {x.ndim} axes with less=; give an array of one axis, or axis=None")
    shape = tuple(x.shape[:axis]) + (1,) + tuple(x.shape[axis + 1:])
    best, indices = space.empty(shape, x.dtype), space.empty(shape, I64)
    _calls.top_k_along(space.context.address, code, x, *along(x.shape, axis), 1, descending, best, indices)
    without_axis = shape[:axis] + shape[axis + 1:]
    if propagates:
        found = _indices_of_nans(space.to_host(x), space.to_host(indices).reshape(shape), axis)
        return space.wrap_host(found.reshape(without_axis))
    return space.result(indices).reshape(without_axis)


def _indices_of_nans(x, indices, axis):
    """Return the indices with that of the first NaN in lines that have one."""
    nans = np.isnan(x)
    if not nans.any():
        return indices
    return np.where(nans.any(axis, keepdims=True), nans.argmax(axis, keepdims=True), indices)


def first_extreme(call, function, function_by, descending, a, axis, less, out, keepdims):
    """Return the first index of an extreme, as argmin() and argmax() do."""
    result = _extreme(call, function, function_by, descending, a, axis, less)
    shape = tuple(np.shape(a)) if keepdims else ()
    if shape:
        result = np.asarray(result) if isinstance(result, np.generic) else result
        result = result.reshape((1,) * len(shape) if axis is None else shape[:axis % len(shape)] + (1,) + shape[axis % len(shape) + 1:])
    if out is None:
        return result
    if not hasattr(out, "dtype"):
        raise Unsupported(f"{call}: out is not an array")
    if isinstance(result, (np.ndarray, np.generic)):
        array = host_output(call, out)
        check_output(call, array, result.shape, result.dtype)
        np.copyto(array, result, casting="same_kind")
        return out
    if tuple(out.shape) != tuple(result.shape):
        raise BadArgument(f"{call}: out is {out.dtype} of shape {tuple(out.shape)}; the result is int64 of shape {tuple(result.shape)}")
    out[...] = result
    return out


def argmin(a, axis=None, out=None, *, keepdims=False, less=None):
    """Return the first index of the smallest element, or of the first NaN. On a GPU, NaNs are skipped unless all elements are NaN.

    Parameters
    ----------
    a : array
        The elements.
    axis : int, optional
        The axis to search along. The default searches the flattened array.
    out : array of int64, optional
        The array for the result.
    keepdims : bool
        Keep the axis with length 1.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10". The array must then have one axis, or axis be None.

    Returns
    -------
    int64 or array of int64
        The index, or one for each line.

    Examples
    --------
    >>> int(upsweep.argmin([3, 1, 2]))
    1
    """
    return first_extreme("argmin", _calls.argmin, _calls.argmin_by, False, a, axis, less, out, keepdims)


def argmax(a, axis=None, out=None, *, keepdims=False, less=None):
    """Return the first index of the greatest element, or of the first NaN. The parameters are those of argmin().

    Examples
    --------
    >>> int(upsweep.argmax([3, 1, 2]))
    0
    """
    return first_extreme("argmax", _calls.argmax, _calls.argmax_by, True, a, axis, less, out, keepdims)


def _compared(call, function, function_by, x, comparison, value):
    space, x = as_arrays(call, x)
    if isinstance(comparison, expression):
        if value is not None:
            raise BadArgument(f"{call}: an expression and a value to compare with; give one of them")
        answer = space.empty(1, U64)
        function_by(space.context.address, comparison.address, code_of(call, x.dtype), x, x.size, answer)
        return space.item(answer)
    if value is None:
        raise BadArgument(f"{call}: a comparison without a value; give a value, or an expression alone")
    test = one_of(call, "comparison", COMPARISONS, comparison)
    answer = space.empty(1, U64)
    function(space.context.address, code_of(call, x.dtype), x, x.size, test, element(call, value, x.dtype), answer)
    return space.item(answer)


def count_if(x, comparison, value=None):
    """Count the elements that pass a comparison, count_if(x, ">", 0), or an expression, count_if(x, expression("x % 7 == 3")).

    Parameters
    ----------
    x : array
        The elements.
    comparison : str or expression
        One of "<", "<=", ">", ">=", "==", "!=", or an expression of x.
    value : number, optional
        The value to compare with.

    Returns
    -------
    int
        The number of elements.
    """
    return _compared("count_if", _calls.count_if, _calls.count_if_by, x, comparison, value)


def find_if(x, comparison, value=None):
    """Return the index of the first element that passes a comparison or an expression, as in count_if(), or x.size if none does.

    Parameters
    ----------
    x : array
        The elements.
    comparison : str or expression
        One of "<", "<=", ">", ">=", "==", "!=", or an expression of x.
    value : number, optional
        The value to compare with.

    Returns
    -------
    int
        The index.
    """
    return _compared("find_if", _calls.find_if, _calls.find_if_by, x, comparison, value)


def _fits_number(v, dtype):
    """Whether a Python number has the same place among elements of the type after it is converted to that type."""
    if dtype.kind in "iu":
        return type(v) is int and np.iinfo(dtype).min <= v <= np.iinfo(dtype).max
    return dtype.kind == "f" and type(v) in (int, float) and (v != v or float(np.asarray(v).astype(dtype)) == v)


_PIECE = 1 << 22  # values to convert at once


def _one_type(call, space, a, v, given):
    """Return the sorted elements and the values in one type, as NumPy finds it. Many values in host memory are not converted yet."""
    if a.dtype != v.dtype and type(given) in (int, float) and _fits_number(given, a.dtype):
        return a, space.astype(v, a.dtype)
    if a.dtype != v.dtype and not isinstance(space, DeviceSpace):
        common = np.promote_types(a.dtype, v.dtype)
        a = a if a.dtype == common else space.astype(a, common)
        if v.dtype != common and space.on_host and v.size > _PIECE and common in CODES and a.ndim == 1:
            return a, v
        v = v if v.dtype == common else space.astype(v, common)
    if a.dtype != v.dtype or a.ndim != 1:
        raise BadArgument(f"{call}: sorted elements of {a.dtype} with {a.ndim} axes, and values of {v.dtype}; give one type, and one axis")
    return (a.view(U8), v.view(U8)) if a.dtype == np.bool_ else (a, v)


def searchsorted(a, v, side="left", sorter=None, *, less=None):
    """Return the index at which to insert each element of v into the sorted a: before equal elements, or after them with side="right".

    Parameters
    ----------
    a : array
        The sorted elements, of one axis. NaNs and NaTs are last.
    v : array or number
        The values.
    side : str
        "left" or "right".
    sorter : array of int, optional
        The indices that sort a, as argsort() returns them. It requires arrays in host memory.
    less : str or expression, optional
        The comparator that a is sorted by: "a % 10 < b % 10".

    Returns
    -------
    int64 or array of int64
        The indices, of the shape of v.

    Examples
    --------
    >>> upsweep.searchsorted([1, 2, 3], [2.5, 0]).tolist()
    [2, 0]
    """
    call = "searchsorted"
    if sorter is not None:
        _, values, sorter = host_arrays(call, a, sorter)
        if sorter.dtype.kind not in "iu" or sorter.ndim != 1 or values.ndim != 1 or sorter.size != values.size:
            raise BadArgument(f"{call}: sorter is {sorter.dtype} of shape {sorter.shape}; give an index for each of {values.size} elements")
        if sorter.size and not (-values.size <= sorter.min() and sorter.max() < values.size):
            raise BadArgument(f"{call}: an index of sorter is out of range; give 0 to {values.size - 1}")
        a = values[sorter]
    number, v = v, np.asarray(v) if isinstance(v, (int, float)) else v
    space, a, v = as_arrays(call, a, v)
    if a.dtype.kind in "mM" or v.dtype.kind in "mM":
        a, v = (space.from_host(keys_of(each, True)) for each in common_times(call, space.to_host(a), space.to_host(v)))
    a, v = _one_type(call, space, a, v, number)
    if side not in ("left", "right"):
        raise BadArgument(f"{call}: side is {side!r}; give \"left\" or \"right\"")
    to = space.empty(tuple(v.shape), I64)
    if less is not None:
        less, v = _as_expression(less), v if a.dtype == v.dtype else v.astype(a.dtype)
        function_by = _calls.lower_bound_by if side == "left" else _calls.upper_bound_by
        function_by(space.context.address, less.address, code_of(call, a.dtype), a, a.size, v, v.size, to)
    else:
        function = _calls.lower_bound if side == "left" else _calls.upper_bound
        if a.dtype == v.dtype:
            function(space.context.address, code_of(call, a.dtype), a, a.size, v, v.size, to)
        else:
            values, found = v.reshape(-1), to.reshape(-1)
            for first in range(0, v.size, _PIECE):
                piece = values[first:first + _PIECE].astype(a.dtype)
                function(space.context.address, code_of(call, a.dtype), a, a.size, piece, piece.size, found[first:first + _PIECE])
    result = space.result(to)
    return result[()] if type(result) is np.ndarray and not result.shape else result


def is_in_sorted(a, v, *, less=None):
    """Return whether each element of v is in the sorted a.

    less is an expression, or its source, that a is sorted by. Two elements are equal where neither comes before the other.

    Parameters
    ----------
    a : array
        The sorted elements.
    v : array
        The values to search for.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    array of bool
        The answers, of the shape of v.
    """
    call = "is_in_sorted"
    space, a, v = as_arrays(call, a, v)
    if a.dtype != v.dtype or a.ndim != 1:
        raise BadArgument(f"{call}: sorted elements of {a.dtype} with {a.ndim} axes, and values of {v.dtype}; give one type, and one axis")
    to = space.empty(tuple(v.shape), U8)
    if less is not None:
        less = _as_expression(less)
        _calls.binary_search_by(space.context.address, less.address, code_of(call, a.dtype), a, a.size, v, v.size, to)
    else:
        _calls.binary_search(space.context.address, code_of(call, a.dtype), a, a.size, v, v.size, to)
    return space.result(to.view(bool) if space.on_host else space.astype(to, bool))


def _alike(call, x, y):
    space, x, y = as_arrays(call, x, y)
    if x.dtype != y.dtype:
        raise BadArgument(f"{call}: elements of {x.dtype} and of {y.dtype}; give both of one type")
    return space, x, y


def _first(call, function, function_by, equal, space, x, *rest):
    answer, code = space.empty(1, U64), code_of(call, x.dtype)
    if equal is not None:
        equal = _as_expression(equal)
        function_by(space.context.address, equal.address, code, x, *rest, answer)
    else:
        function(space.context.address, code, x, *rest, answer)
    return space.item(answer)


def find_first_of(x, values, *, equal=None):
    """Return the index of the first element of x that equals one of the values, or x.size if none does.

    equal is an expression, or its source, of an element a and a value b: "a % 10 == b".

    Parameters
    ----------
    x : array
        The elements.
    values : array
        The values to search for.
    equal : str or expression, optional
        Whether two elements a and b are equal, as in "a / 10 == b / 10".

    Returns
    -------
    int
        The index.
    """
    call = "find_first_of"
    space, x, values = _alike(call, x, values)
    return _first(call, _calls.find_first_of, _calls.find_first_of_by, equal, space, x, x.size, values, values.size)


def search(x, pattern, *, equal=None):
    """Return the first index at which x has the pattern, or x.size if it has not. An empty pattern is at 0. equal is that of find_first_of().

    Parameters
    ----------
    x : array
        The elements.
    pattern : array
        The elements to search for, in order.
    equal : str or expression, optional
        Whether two elements a and b are equal, as in "a / 10 == b / 10".

    Returns
    -------
    int
        The index.
    """
    call = "search"
    space, x, pattern = _alike(call, x, pattern)
    return _first(call, _calls.search, _calls.search_by, equal, space, x, x.size, pattern, pattern.size)


def adjacent_find(x, *, equal=None):
    """Return the index of the first element that equals the next one, or x.size if none does. equal is that of find_first_of().

    Parameters
    ----------
    x : array
        The elements.
    equal : str or expression, optional
        Whether two elements a and b are equal, as in "a / 10 == b / 10".

    Returns
    -------
    int
        The index.
    """
    call = "adjacent_find"
    space, x = as_arrays(call, x)
    return _first(call, _calls.adjacent_find, _calls.adjacent_find_by, equal, space, x, x.size)


def mismatch(x, y, *, equal=None):
    """Return the first index at which two arrays of one size differ, or x.size if none does. equal is that of find_first_of().

    Parameters
    ----------
    x : array
        The elements.
    y : array
        The elements of the second array.
    equal : str or expression, optional
        Whether two elements a and b are equal, as in "a / 10 == b / 10".

    Returns
    -------
    int
        The index.
    """
    call = "mismatch"
    space, x, y = _alike(call, x, y)
    if x.size != y.size:
        raise BadArgument(f"{call}: {x.size} elements and {y.size}; give arrays of one size")
    return _first(call, _calls.mismatch, _calls.mismatch_by, equal, space, x, y, x.size)
