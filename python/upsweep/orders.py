"""Sorting, ranks and merges. Stable; NaNs last, descending first."""
from __future__ import annotations

import numpy as np

from . import _calls, counting
from .arrays import I64, U64, axis_of, code_of, integer, key_code, place_of, seen, shape_bytes, taken, target
from .counting import counted
from .errors import BadArgument, Unsupported
from .expressions import expression
from .folds import offsets_of


def _comparator(call, less, descending):
    """A comparator's expression, which says the order alone."""
    if not isinstance(less, expression):
        less = expression(less)
    if descending:
        raise BadArgument(f"{call}: {less!r}, descending; turn the comparator's sides for the other direction")
    return less


def sort(x, axis=-1, *, descending=False, less=None, out=None):
    """Sorted along an axis; of the flattened array where axis is None. out may be x. Stable. less: an expression, or its text, that says
    whether a goes before b, "a % 10 < b % 10".
    """
    if x.__class__ is counted:
        return counting.sort(x, axis, descending, less, out)
    place, x = taken("sort", x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = axis_of("sort", axis, x.ndim)
    if less is not None:
        less = _comparator("sort", less, descending)
        to = target(place, "sort", out, tuple(x.shape), x.dtype)
        if x.ndim == 1:
            _calls.sort_by(place.context.address, less.address, code_of("sort", x.dtype), x, x.size, to)
        else:
            _calls.sort_along_by(place.context.address, less.address, code_of("sort", x.dtype), x, shape_bytes(x.shape), x.ndim, axis, to)
        return place.result(to, out)
    to = place.empty(x.shape, x.dtype) if out is None else target(place, "sort", out, x.shape, x.dtype)
    code = key_code("sort", x.dtype)
    if x.ndim == 1:
        _calls.sort(place.context.address, code, x, x.size, descending, to)
    else:
        _calls.sort_along(place.context.address, code, x, shape_bytes(x.shape), x.ndim, axis, descending, to)
    return place.result(to, out)


def argsort(x, axis=-1, *, descending=False, less=None, out=None):
    """The int64 indices that would sort x along an axis. Stable. less: as sort()'s."""
    if x.__class__ is counted:
        return counting.argsort(x, axis, descending, less, out)
    place, x = taken("argsort", x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = axis_of("argsort", axis, x.ndim)
    if less is not None:
        less = _comparator("argsort", less, descending)
        to = target(place, "argsort", out, tuple(x.shape), I64)
        if x.ndim == 1:
            _calls.argsort_by(place.context.address, less.address, code_of("argsort", x.dtype), x, x.size, to)
        else:
            _calls.argsort_along_by(place.context.address, less.address, code_of("argsort", x.dtype), x, shape_bytes(x.shape), x.ndim, axis,
                                    to)
        return place.result(to, out)
    to = place.empty(x.shape, I64) if out is None else target(place, "argsort", out, x.shape, I64)
    code = key_code("argsort", x.dtype)
    if x.ndim == 1:
        _calls.argsort(place.context.address, code, x, x.size, descending, 8, to)
    else:
        _calls.argsort_along(place.context.address, code, x, shape_bytes(x.shape), x.ndim, axis, descending, 8, to)
    return place.result(to, out)


def sort_by_key(keys, values, *, descending=False, less=None):
    """(keys, values): both in the order of the keys. Values may be rows: keys.shape[0] of them, of any type; with less=, as sort()'s, of
    1, 2, 4 or 8 bytes.
    """
    call = "sort_by_key"
    if keys.__class__ is counted:
        return counting.sort_by_key(keys, values, descending, less)
    place, keys, values = taken(call, keys, values)
    if keys.ndim != 1 or values.ndim < 1 or values.shape[0] != len(keys):
        raise BadArgument(f"{call}: keys of shape {tuple(keys.shape)} and values of shape {tuple(values.shape)}; give a value, or a row, for "
                          "each key")
    row = values.nbytes // len(keys) if len(keys) else values.dtype.itemsize
    keys_out, values_out = place.empty(keys.shape, keys.dtype), place.empty(values.shape, values.dtype)
    if less is not None:
        less = _comparator(call, less, descending)
        if row not in (1, 2, 4, 8):
            raise Unsupported(f"{call}: values of {row} bytes with less=; give values of 1, 2, 4 or 8 bytes")
        _calls.sort_by_key_by(place.context.address, less.address, code_of(call, keys.dtype), keys, values, row, len(keys), keys_out,
                              values_out)
        return place.result(keys_out), place.result(values_out)
    _calls.sort_by_key(place.context.address, key_code(call, keys.dtype), keys, values, row, len(keys), descending, keys_out,
                       values_out)
    return place.result(keys_out), place.result(values_out)


def segmented_sort(x, offsets, *, descending=False, less=None):
    """Each segment, x[offsets[s]:offsets[s + 1]], sorted by itself; what lies in none stays as it is. less: as sort()'s."""
    call = "segmented_sort"
    place = place_of(call, x, offsets)
    x = seen(place, call, x)
    offsets = offsets_of(call, place, offsets, x.size)
    to = place.empty(x.shape, x.dtype)
    _calls.rotate(place.context.address, x, x.dtype.itemsize, x.size, 0, to)
    if less is not None:
        less = _comparator(call, less, descending)
        _calls.segmented_sort_by(place.context.address, less.address, code_of(call, x.dtype), x, x.size, offsets, len(offsets) - 1, to)
        return place.result(to)
    _calls.segmented_sort(place.context.address, key_code(call, x.dtype), x, None, 0, x.size, offsets, len(offsets) - 1, descending, to, None)
    return place.result(to)


def top_k(x, k, axis=-1, *, largest=True, less=None):
    """(values, indices): the k largest, or smallest, along an axis, in order, and where they stood. less: the first ones by a comparator,
    as sort()'s, of a one-dimensional or flattened array.
    """
    call = "top_k"
    place, x = taken(call, x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = axis_of(call, axis, x.ndim)
    k = integer(call, "k", k)
    if not 0 <= k <= x.shape[axis]:
        raise BadArgument(f"{call}: k is {k}; give 0 to {x.shape[axis]}")
    shape = tuple(x.shape[:axis]) + (k,) + tuple(x.shape[axis + 1:])
    to, places = place.empty(shape, x.dtype), place.empty(shape, I64)
    code = key_code(call, x.dtype)
    if less is not None:
        less = _comparator(call, less, not largest)
        if x.ndim != 1:
            raise Unsupported(f"{call}: an axis of {x.ndim} with less=; give one dimension, or axis=None")
        _calls.top_k_by(place.context.address, less.address, code, x, x.size, k, to, places)
    elif x.ndim == 1:
        _calls.top_k(place.context.address, code, x, x.size, k, largest, to, places)
    else:
        _calls.top_k_along(place.context.address, code, x, shape_bytes(x.shape), x.ndim, axis, k, largest, to, places)
    return place.result(to), place.result(places)


def nth_element(x, k, *, descending=False, less=None):
    """The element that would stand at place k if x were sorted. less: as sort()'s."""
    call = "nth_element"
    place, x = taken(call, x)
    k = integer(call, "k", k)
    if not 0 <= k < x.size:
        raise BadArgument(f"{call}: k is {k}; give 0 to {x.size - 1}" if x.size else f"{call}: there is no element")
    key = np.empty((), x.dtype)
    if less is not None:
        less = _comparator(call, less, descending)
        _calls.nth_element_by(place.context.address, less.address, code_of(call, x.dtype), x, x.size, k, key)
        return key[()]
    _calls.nth_element(place.context.address, key_code(call, x.dtype), x, x.size, k, descending, key)
    return key[()]


def is_sorted(x, *, descending=False, less=None):
    """Whether a one-dimensional array is in order. less: as sort()'s."""
    place, x = taken("is_sorted", x)
    until = place.empty(1, U64)
    if less is not None:
        less = _comparator("is_sorted", less, descending)
        _calls.is_sorted_until_by(place.context.address, less.address, code_of("is_sorted", x.dtype), x, x.size, until)
        return place.number(until) == x.size
    _calls.is_sorted_until(place.context.address, key_code("is_sorted", x.dtype), x, x.size, descending, until)
    return place.number(until) == x.size


def merge(a, b, *, descending=False, less=None, out=None):
    """Two sorted arrays as one; of equal elements a's come first. less: what both are sorted by, as sort()'s."""
    call = "merge"
    place, a, b = taken(call, a, b)
    _alike(call, a, b)
    to = target(place, call, out, a.size + b.size, a.dtype)
    if less is not None:
        less = _comparator(call, less, descending)
        _calls.set_operation_by(place.context.address, less.address, 0, code_of(call, a.dtype), a, a.size, b, b.size, to, place.empty(1, U64))
    else:
        _calls.merge(place.context.address, key_code(call, a.dtype), a, a.size, b, b.size, descending, to)
    return place.result(to, out)


def _alike(call, a, b):
    if a.dtype != b.dtype:
        raise BadArgument(f"{call}: elements of {a.dtype} and of {b.dtype}; give both of one type")


def _set(call, what, a, b, room, descending, less):
    """(place, the keys' room, how many are kept)"""
    place, a, b = taken(call, a, b)
    _alike(call, a, b)
    to, count = place.empty(room(a.size, b.size), a.dtype), place.empty(1, U64)
    code = key_code(call, a.dtype)
    if less is not None:
        less = _comparator(call, less, descending)
        _calls.set_operation_by(place.context.address, less.address, what, code, a, a.size, b, b.size, to, count)
    else:
        _calls.set_operation(place.context.address, what, code, a, None, a.size, b, None, b.size, 0, descending, to, None, count)
    return place, to, place.number(count)


def _kept(place, to, count):
    return place.result(place.cut(to, count))


def set_union(a, b, *, descending=False, less=None):
    """Of two sorted arrays: each element as often as where it is more often. less: what both are sorted by, as sort()'s; equal is then what
    goes neither before nor after.
    """
    return _kept(*_set("set_union", 1, a, b, lambda n, m: n + m, descending, less))


def set_intersection(a, b, *, descending=False, less=None):
    """Of two sorted arrays: each element as often as where it is less often, from a. less: as set_union()'s."""
    return _kept(*_set("set_intersection", 2, a, b, lambda n, m: n if n < m else m, descending, less))


def set_difference(a, b, *, descending=False, less=None):
    """Of two sorted arrays: what a has more often than b, as often as that. less: as set_union()'s."""
    return _kept(*_set("set_difference", 3, a, b, lambda n, m: n, descending, less))


def set_symmetric_difference(a, b, *, descending=False, less=None):
    """Of two sorted arrays: what one has more often than the other, as often as that. less: as set_union()'s."""
    return _kept(*_set("set_symmetric_difference", 4, a, b, lambda n, m: n + m, descending, less))


def includes(a, b, *, descending=False, less=None):
    """Whether the sorted a has each element of the sorted b, as often as b has it. less: as set_union()'s."""
    return _set("includes", 3, b, a, lambda n, m: n, descending, less)[2] == 0


# ---- The same with values, which follow their keys


def _value_bytes(call, keys, values):
    if keys.ndim != 1 or values.ndim < 1 or values.shape[0] != len(keys):
        raise BadArgument(f"{call}: keys of shape {tuple(keys.shape)} and values of shape {tuple(values.shape)}; give a value, or a row, for "
                          "each key")
    row = values.dtype.itemsize
    for length in values.shape[1:]:
        row *= length
    return row


def _by_key(call, what, given, room, descending, less):
    """(keys, values) of two sorted sequences; the second has no values where none of it is kept."""
    place, a, a_values, b, *more = taken(call, *given)
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
    places = room(a.size, b.size)
    to, values_to = place.empty(places, a.dtype), place.empty((places, *a_values.shape[1:]), a_values.dtype)
    count, context = place.empty(1, U64), place.context.address
    if less is not None:
        less = _comparator(call, less, descending)
        if row not in (1, 2, 4, 8):
            raise Unsupported(f"{call}: values of {row} bytes with less=; give values of 1, 2, 4 or 8 bytes")
        _calls.set_operation_by_key_by(context, less.address, what, code_of(call, a.dtype), a, a_values, a.size, b, b_values, b.size, row, to,
                                       values_to, count)
    else:
        _calls.set_operation(context, what, key_code(call, a.dtype), a, a_values, a.size, b, b_values, b.size, row, descending, to, values_to,
                             count)
    kept = place.number(count)
    return place.result(place.cut(to, kept)), place.result(place.cut(values_to, kept))


def merge_by_key(a, a_values, b, b_values, *, descending=False, less=None):
    """(keys, values) of two sequences that are sorted by their keys as one; of equal keys a's come first. Values may be rows, as
    sort_by_key()'s. less: what both are sorted by, as sort()'s.
    """
    return _by_key("merge_by_key", 0, (a, a_values, b, b_values), lambda n, m: n + m, descending, less)


def set_union_by_key(a, a_values, b, b_values, *, descending=False, less=None):
    """(keys, values): as set_union(), and each value with its key. Values and less as merge_by_key()'s."""
    return _by_key("set_union_by_key", 1, (a, a_values, b, b_values), lambda n, m: n + m, descending, less)


def set_intersection_by_key(a, a_values, b, *, descending=False, less=None):
    """(keys, values): as set_intersection(), and each value with its key, which is of a."""
    return _by_key("set_intersection_by_key", 2, (a, a_values, b), lambda n, m: n if n < m else m, descending, less)


def set_difference_by_key(a, a_values, b, *, descending=False, less=None):
    """(keys, values): as set_difference(), and each value with its key."""
    return _by_key("set_difference_by_key", 3, (a, a_values, b), lambda n, m: n, descending, less)


def set_symmetric_difference_by_key(a, a_values, b, b_values, *, descending=False, less=None):
    """(keys, values): as set_symmetric_difference(), and each value with its key. Values and less as merge_by_key()'s."""
    return _by_key("set_symmetric_difference_by_key", 4, (a, a_values, b, b_values), lambda n, m: n + m, descending, less)
