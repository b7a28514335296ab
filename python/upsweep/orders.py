"""Sorting, ranks, merges and set operations. Sorts are stable. NaNs and NaTs are last, in ascending and in descending order."""
from __future__ import annotations

import numpy as np

from . import _calls, counting
from .arrays import (CODES, I64, U64, along, as_array, as_arrays, axis_of, code_of, integer, is_flat_axis, key_code, output_array,
                     space_of, write_host)
from .counting import counted
from .errors import BadArgument, Unsupported
from .expressions import expression
from .folds import offsets_of
from .nans import is_negated, negated_result, negative
from .times import keys_of, times_of


def _comparator(call, less, descending):
    """Return the expression of a comparator. It defines the order alone, so descending=True is an error."""
    if not isinstance(less, expression):
        less = expression(less)
    if descending:
        raise BadArgument(f"{call}: {less!r} with descending=True; swap the sides of the comparator instead")
    return less


_KINDS = (None, "quicksort", "mergesort", "heapsort", "stable")


def check_kind(call, kind, order, stable=None):
    """Check NumPy's arguments that choose an algorithm. Every sort is stable, so they have no effect."""
    if kind not in _KINDS:
        raise BadArgument(f"{call}: kind is {kind!r}; give one of quicksort, mergesort, heapsort, stable")
    if stable is not None and kind is not None:
        raise BadArgument(f"{call}: kind and stable together; give one of them")
    if order is not None:
        raise Unsupported(f"{call}: order={order!r} is of arrays with fields, which the call does not take; use lexsort() of the fields")


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False, less=None, out=None):
    """Sort a along an axis, or the flattened array with axis=None. The sort is stable.

    Parameters
    ----------
    a : array or counted
        The elements.
    axis : int, optional
        The axis to sort along.
    kind, order, stable : optional
        As in numpy.sort. kind and stable have no effect, because the sort is always stable. order is an error.
    descending : bool
        Sort from the greatest to the smallest element. NaNs and NaTs are last in both orders.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".
    out : array, optional
        The array for the result. It may be a.

    Returns
    -------
    array
        The sorted elements.

    Examples
    --------
    >>> upsweep.sort([3, 1, 2]).tolist()
    [1, 2, 3]
    """
    x = a
    if kind is not None or order is not None or stable is not None:
        check_kind("sort", kind, order, stable)
    if x.__class__ is counted:
        return counting.sort(x, axis, descending, less, out)
    space, x = as_arrays("sort", x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = axis_of("sort", axis, x.ndim)
    if x.dtype not in CODES and x.dtype.kind in "mM" and less is None:
        keys = sort(keys_of(space.to_host(x), not descending), axis, descending=descending)
        return write_host(space, "sort", times_of(keys, x.dtype, not descending), out)
    if less is not None:
        less = _comparator("sort", less, descending)
        to = output_array(space, "sort", out, tuple(x.shape), x.dtype)
        if x.ndim == 1:
            _calls.sort_by(space.context.address, less.address, code_of("sort", x.dtype), x, x.size, to)
        else:
            _calls.sort_along_by(space.context.address, less.address, code_of("sort", x.dtype), x, *along(x.shape, axis), to)
        return space.result(to, out)
    code = key_code("sort", x.dtype)
    to = space.empty(x.shape, x.dtype) if out is None else output_array(space, "sort", out, x.shape, x.dtype)
    negated = descending and is_negated(space, descending, x)
    if negated:
        x, descending = negative(space, x), False
    if x.ndim == 1:
        _calls.sort(space.context.address, code, x, x.size, descending, to)
    else:
        _calls.sort_along(space.context.address, code, x, *along(x.shape, axis), descending, to)
    return negated_result(space, to, out) if negated else space.result(to, out)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False, less=None, out=None):
    """Return the int64 indices that sort a along an axis. The sort is stable.

    The parameters are those of sort().

    Returns
    -------
    array of int64
        The indices.

    Examples
    --------
    >>> upsweep.argsort([3, 1, 2]).tolist()
    [1, 2, 0]
    """
    x = a
    if kind is not None or order is not None or stable is not None:
        check_kind("argsort", kind, order, stable)
    if x.__class__ is counted:
        return counting.argsort(x, axis, descending, less, out)
    space, x = as_arrays("argsort", x)
    if axis is None or is_flat_axis(axis, x.ndim):
        x, axis = x.reshape(-1), 0
    axis = axis_of("argsort", axis, x.ndim)
    if less is not None:
        less = _comparator("argsort", less, descending)
        to = output_array(space, "argsort", out, tuple(x.shape), I64)
        if x.ndim == 1:
            _calls.argsort_by(space.context.address, less.address, code_of("argsort", x.dtype), x, x.size, to)
        else:
            _calls.argsort_along_by(space.context.address, less.address, code_of("argsort", x.dtype), x, *along(x.shape, axis),
                                    to)
        return space.result(to, out)
    if x.dtype not in CODES and x.dtype.kind in "mM":
        x = space.from_host(keys_of(space.to_host(x), not descending))
    code = key_code("argsort", x.dtype)
    to = space.empty(x.shape, I64) if out is None else output_array(space, "argsort", out, x.shape, I64)
    if descending and is_negated(space, descending, x):
        x, descending = negative(space, x), False
    if x.ndim == 1:
        _calls.argsort(space.context.address, code, x, x.size, descending, 8, to)
    else:
        _calls.argsort_along(space.context.address, code, x, *along(x.shape, axis), descending, 8, to)
    return space.result(to, out)


def sort_by_key(keys, values, *, descending=False, less=None):
    """Sort values by keys. Return (keys, values), both in the order of the keys.

    There is one value for each key. A value may be a row of an array of more axes, of any type. With less, which is that of sort(), a value has
    1, 2, 4 or 8 bytes.

    Parameters
    ----------
    keys : array or counted
        The keys, of one axis.
    values : array
        The values, one for each key.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    keys, values : arrays
        Both in the order of the keys.
    """
    call = "sort_by_key"
    if keys.__class__ is counted:
        return counting.sort_by_key(keys, values, descending, less)
    space, keys, values = as_arrays(call, keys, values)
    if keys.ndim != 1 or values.ndim < 1 or values.shape[0] != len(keys):
        raise BadArgument(f"{call}: keys of shape {tuple(keys.shape)} and values of shape {tuple(values.shape)}; give a value, or a row, for "
                          "each key")
    row = values.nbytes // len(keys) if len(keys) else values.dtype.itemsize
    keys_out, values_out = space.empty(keys.shape, keys.dtype), space.empty(values.shape, values.dtype)
    if less is not None:
        less = _comparator(call, less, descending)
        if row not in (1, 2, 4, 8):
            raise Unsupported(f"{call}: values of {row} bytes with less=; give values of 1, 2, 4 or 8 bytes")
        _calls.sort_by_key_by(space.context.address, less.address, code_of(call, keys.dtype), keys, values, row, len(keys), keys_out,
                              values_out)
        return space.result(keys_out), space.result(values_out)
    negated = is_negated(space, descending, keys)
    keys, descending = (negative(space, keys), False) if negated else (keys, descending)
    _calls.sort_by_key(space.context.address, key_code(call, keys.dtype), keys, values, row, len(keys), descending, keys_out,
                       values_out)
    return negated_result(space, keys_out) if negated else space.result(keys_out), space.result(values_out)


def segmented_sort(x, offsets, *, descending=False, less=None):
    """Sort each segment x[offsets[s]:offsets[s + 1]]. Elements outside all segments are copied. less is that of sort().

    Parameters
    ----------
    x : array
        The elements.
    offsets : array of int
        The bounds of the segments: one more than there are segments.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    array
        The sorted elements.
    """
    call = "segmented_sort"
    space = space_of(call, x, offsets)
    x = as_array(space, call, x)
    offsets = offsets_of(call, space, offsets, x.size)
    code = key_code(call, x.dtype)
    to = space.empty(x.shape, x.dtype)
    negated = less is None and is_negated(space, descending, x)
    x, descending = (negative(space, x), False) if negated else (x, descending)
    _calls.rotate(space.context.address, x, x.dtype.itemsize, x.size, 0, to)
    if less is not None:
        less = _comparator(call, less, descending)
        _calls.segmented_sort_by(space.context.address, less.address, code_of(call, x.dtype), x, x.size, offsets, len(offsets) - 1, to)
        return space.result(to)
    _calls.segmented_sort(space.context.address, code, x, None, 0, x.size, offsets, len(offsets) - 1, descending, to, None)
    return negated_result(space, to) if negated else space.result(to)


def top_k(x, k, axis=-1, *, largest=True, less=None):
    """Return (values, indices) of the k largest elements along an axis, in order, or of the smallest with largest=False.

    NaNs are the largest elements, as in torch.topk and in argmax().

    With less, which is that of sort(), the result is the first k elements in that order. The array must then have one axis, or axis be None.

    Parameters
    ----------
    x : array
        The elements.
    k : int
        The number of elements.
    axis : int, optional
        The axis. None is the flattened array.
    largest : bool
        Return the largest elements, and else the smallest.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    values, indices : arrays
        The elements and their int64 indices.
    """
    call = "top_k"
    space, x = as_arrays(call, x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = axis_of(call, axis, x.ndim)
    k = integer(call, "k", k)
    if not 0 <= k <= x.shape[axis]:
        raise BadArgument(f"{call}: k is {k}; give 0 to {x.shape[axis]}")
    shape = tuple(x.shape[:axis]) + (k,) + tuple(x.shape[axis + 1:])
    to, indices = space.empty(shape, x.dtype), space.empty(shape, I64)
    code = key_code(call, x.dtype)
    if less is not None:
        less = _comparator(call, less, not largest)
        if x.ndim != 1:
            raise Unsupported(f"{call}: an array of {x.ndim} axes with less=; give an array of one axis, or axis=None")
        _calls.top_k_by(space.context.address, less.address, code, x, x.size, k, to, indices)
    elif x.ndim == 1:
        _calls.top_k(space.context.address, code, x, x.size, k, largest, to, indices)
    else:
        _calls.top_k_along(space.context.address, code, x, *along(x.shape, axis), k, largest, to, indices)
    return space.result(to), space.result(indices)


def nth_element(x, k, *, descending=False, less=None):
    """Return the element that would have index k if x were sorted. less is that of sort().

    Parameters
    ----------
    x : array
        The elements.
    k : int
        The index in the sorted array.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    scalar
        The element.
    """
    call = "nth_element"
    space, x = as_arrays(call, x)
    k = integer(call, "k", k)
    if not 0 <= k < x.size:
        raise BadArgument(f"{call}: k is {k}; give 0 to {x.size - 1}" if x.size else f"{call}: the array is empty; give at least one element")
    key = np.empty((), x.dtype)
    if less is not None:
        less = _comparator(call, less, descending)
        _calls.nth_element_by(space.context.address, less.address, code_of(call, x.dtype), x, x.size, k, key)
        return key[()]
    code, negated = key_code(call, x.dtype), is_negated(space, descending, x)
    x, descending = (negative(space, x), False) if negated else (x, descending)
    _calls.nth_element(space.context.address, code, x, x.size, k, descending, key)
    return -key[()] if negated else key[()]


def is_sorted(x, *, descending=False, less=None):
    """Return whether a one-dimensional array is sorted. less is that of sort().

    Parameters
    ----------
    x : array
        The elements.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    bool
        The answer.
    """
    space, x = as_arrays("is_sorted", x)
    until = space.empty(1, U64)
    if less is not None:
        less = _comparator("is_sorted", less, descending)
        _calls.is_sorted_until_by(space.context.address, less.address, code_of("is_sorted", x.dtype), x, x.size, until)
        return space.item(until) == x.size
    code = key_code("is_sorted", x.dtype)
    if is_negated(space, descending, x):
        x, descending = negative(space, x), False
    _calls.is_sorted_until(space.context.address, code, x, x.size, descending, until)
    return space.item(until) == x.size


def merge(a, b, *, descending=False, less=None, out=None):
    """Merge two sorted arrays. Of equal elements those of a come first. less, that of sort(), is the order of both arrays.

    Parameters
    ----------
    a : array
        The elements of the first input.
    b : array
        The elements of the second input.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        The elements of both inputs.
    """
    call = "merge"
    space, a, b = as_arrays(call, a, b)
    _alike(call, a, b)
    to = output_array(space, call, out, a.size + b.size, a.dtype)
    if less is not None:
        less = _comparator(call, less, descending)
        _calls.set_operation_by(space.context.address, less.address, 0, code_of(call, a.dtype), a, a.size, b, b.size, to, space.empty(1, U64))
        return space.result(to, out)
    code, negated = key_code(call, a.dtype), is_negated(space, descending, a, b)
    a, b, descending = (negative(space, a), negative(space, b), False) if negated else (a, b, descending)
    _calls.merge(space.context.address, code, a, a.size, b, b.size, descending, to)
    return negated_result(space, to, out) if negated else space.result(to, out)


def _alike(call, a, b):
    if a.dtype != b.dtype:
        raise BadArgument(f"{call}: elements of {a.dtype} and of {b.dtype}; give both of one type")


def _set(call, what, a, b, capacity, descending, less):
    """Return (space, output, number of elements in it, whether they are negated) of a set operation."""
    space, a, b = as_arrays(call, a, b)
    _alike(call, a, b)
    to, count = space.empty(capacity(a.size, b.size), a.dtype), space.empty(1, U64)
    code = key_code(call, a.dtype)
    if less is not None:
        less = _comparator(call, less, descending)
        _calls.set_operation_by(space.context.address, less.address, what, code, a, a.size, b, b.size, to, count)
        return space, to, space.item(count), False
    negated = is_negated(space, descending, a, b)
    a, b, descending = (negative(space, a), negative(space, b), False) if negated else (a, b, descending)
    _calls.set_operation(space.context.address, what, code, a, None, a.size, b, None, b.size, 0, descending, to, None, count)
    return space, to, space.item(count), negated


def _kept(space, to, count, negated):
    to = space.truncated(to, count)
    return negated_result(space, to) if negated else space.result(to)


def set_union(a, b, *, descending=False, less=None):
    """Return the union of two sorted arrays. An element that occurs n times in a and m times in b occurs max(n, m) times in it.

    less, that of sort(), is the order of both arrays. Two elements are equal where neither comes before the other.

    Parameters
    ----------
    a : array
        The elements of the first input.
    b : array
        The elements of the second input.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    array
        The elements.
    """
    return _kept(*_set("set_union", 1, a, b, lambda n, m: n + m, descending, less))


def set_intersection(a, b, *, descending=False, less=None):
    """Return the intersection of two sorted arrays: min(n, m) copies of an element, taken from a. n, m and less are those of set_union().

    Parameters
    ----------
    a : array
        The elements of the first input.
    b : array
        The elements of the second input.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    array
        The elements.
    """
    return _kept(*_set("set_intersection", 2, a, b, lambda n, m: n if n < m else m, descending, less))


def set_difference(a, b, *, descending=False, less=None):
    """Return the difference of two sorted arrays: max(n - m, 0) copies of an element. n, m and less are those of set_union().

    Parameters
    ----------
    a : array
        The elements of the first input.
    b : array
        The elements of the second input.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    array
        The elements.
    """
    return _kept(*_set("set_difference", 3, a, b, lambda n, m: n, descending, less))


def set_symmetric_difference(a, b, *, descending=False, less=None):
    """Return the symmetric difference of two sorted arrays: |n - m| copies of an element. n, m and less are those of set_union().

    Parameters
    ----------
    a : array
        The elements of the first input.
    b : array
        The elements of the second input.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    array
        The elements.
    """
    return _kept(*_set("set_symmetric_difference", 4, a, b, lambda n, m: n + m, descending, less))


def includes(a, b, *, descending=False, less=None):
    """Return whether the sorted a has each element of the sorted b at least as often as b. less is that of set_union().

    Parameters
    ----------
    a : array
        The sorted elements.
    b : array
        The sorted elements to find in a.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    bool
        The answer.
    """
    return _set("includes", 3, b, a, lambda n, m: n, descending, less)[2] == 0


# ---- Set operations on keys with values


def _value_bytes(call, keys, values):
    if keys.ndim != 1 or values.ndim < 1 or values.shape[0] != len(keys):
        raise BadArgument(f"{call}: keys of shape {tuple(keys.shape)} and values of shape {tuple(values.shape)}; give a value, or a row, for "
                          "each key")
    row = values.dtype.itemsize
    for length in values.shape[1:]:
        row *= length
    return row


def _by_key(call, what, given, capacity, descending, less):
    """Return (keys, values) of a set operation. The second input has no values where the result has none of its elements."""
    space, a, a_values, b, *more = as_arrays(call, *given)
    b_values = more[0] if more else None
    _alike(call, a, b)
    row = _value_bytes(call, a, a_values)
    if b_values is not None:
        if a_values.dtype != b_values.dtype or tuple(a_values.shape[1:]) != tuple(b_values.shape[1:]):
            raise BadArgument(f"{call}: values of {a_values.dtype}, {tuple(a_values.shape)}, and of {b_values.dtype}, {tuple(b_values.shape)}; "
                              "give both of one type and width")
        _value_bytes(call, b, b_values)
    elif b.ndim != 1:
        raise BadArgument(f"{call}: keys of shape {tuple(b.shape)}; give one dimension")
    indices = capacity(a.size, b.size)
    to, values_to = space.empty(indices, a.dtype), space.empty((indices, *a_values.shape[1:]), a_values.dtype)
    count, context = space.empty(1, U64), space.context.address
    negated = False
    if less is not None:
        less = _comparator(call, less, descending)
        if row not in (1, 2, 4, 8):
            raise Unsupported(f"{call}: values of {row} bytes with less=; give values of 1, 2, 4 or 8 bytes")
        _calls.set_operation_by_key_by(context, less.address, what, code_of(call, a.dtype), a, a_values, a.size, b, b_values, b.size, row, to,
                                       values_to, count)
    else:
        code, negated = key_code(call, a.dtype), is_negated(space, descending, a, b)
        a, b, descending = (negative(space, a), negative(space, b), False) if negated else (a, b, descending)
        _calls.set_operation(context, what, code, a, a_values, a.size, b, b_values, b.size, row, descending, to, values_to, count)
    kept = space.item(count)
    return _kept(space, to, kept, negated), space.result(space.truncated(values_to, kept))


def merge_by_key(a, a_values, b, b_values, *, descending=False, less=None):
    """Merge two sequences that are sorted by key. Return (keys, values). Of equal keys those of a come first.

    Values may be rows, as in sort_by_key(). less, that of sort(), is the order of both inputs.

    Parameters
    ----------
    a : array
        The elements of the first input.
    a_values : array
        The values of the first input.
    b : array
        The elements of the second input.
    b_values : array
        The values of the second input.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    keys, values : arrays
        Both in the order of the keys.
    """
    return _by_key("merge_by_key", 0, (a, a_values, b, b_values), lambda n, m: n + m, descending, less)


def set_union_by_key(a, a_values, b, b_values, *, descending=False, less=None):
    """Return (keys, values): set_union() of the keys, and the value of each key. Values and less are those of merge_by_key().

    Parameters
    ----------
    a : array
        The elements of the first input.
    a_values : array
        The values of the first input.
    b : array
        The elements of the second input.
    b_values : array
        The values of the second input.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    keys, values : arrays
        The keys and their values.
    """
    return _by_key("set_union_by_key", 1, (a, a_values, b, b_values), lambda n, m: n + m, descending, less)


def set_intersection_by_key(a, a_values, b, *, descending=False, less=None):
    """Return (keys, values): set_intersection() of the keys, and the value in a of each key.

    Parameters
    ----------
    a : array
        The elements of the first input.
    a_values : array
        The values of the first input.
    b : array
        The elements of the second input.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    keys, values : arrays
        The keys and their values.
    """
    return _by_key("set_intersection_by_key", 2, (a, a_values, b), lambda n, m: n if n < m else m, descending, less)


def set_difference_by_key(a, a_values, b, *, descending=False, less=None):
    """Return (keys, values): set_difference() of the keys, and the value of each key.

    Parameters
    ----------
    a : array
        The elements of the first input.
    a_values : array
        The values of the first input.
    b : array
        The elements of the second input.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    keys, values : arrays
        The keys and their values.
    """
    return _by_key("set_difference_by_key", 3, (a, a_values, b), lambda n, m: n, descending, less)


def set_symmetric_difference_by_key(a, a_values, b, b_values, *, descending=False, less=None):
    """Return (keys, values): set_symmetric_difference() of the keys, and the value of each key. Values and less are those of merge_by_key().

    Parameters
    ----------
    a : array
        The elements of the first input.
    a_values : array
        The values of the first input.
    b : array
        The elements of the second input.
    b_values : array
        The values of the second input.
    descending : bool
        The order is from the greatest to the smallest element.
    less : str or expression, optional
        A comparator: whether a comes before b, as in "a % 10 < b % 10".

    Returns
    -------
    keys, values : arrays
        The keys and their values.
    """
    return _by_key("set_symmetric_difference_by_key", 4, (a, a_values, b, b_values), lambda n, m: n + m, descending, less)
