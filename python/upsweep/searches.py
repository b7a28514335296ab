"""Where something is: extremes, the first that passes, places in sorted arrays."""
from __future__ import annotations

from . import _calls
from .arrays import I64, U8, U64, axis_of, code_of, element, key_code, shape_bytes, taken
from .errors import BadArgument, Unsupported
from .expressions import expression
from .names import COMPARISONS, one_of


def _text(text):
    return text if isinstance(text, expression) else expression(text)


def _extreme(call, find, find_by, descending, x, axis, less):
    place, x = taken(call, x)
    if (x.size if axis is None else x.shape[axis_of(call, axis, x.ndim)]) == 0:
        raise BadArgument(f"{call}: there is nothing to compare; an empty array has none")
    code = key_code(call, x.dtype)
    if axis is None or x.ndim == 1:
        if axis is not None:
            axis_of(call, axis, x.ndim)
        answer = place.empty((), I64)
        if less is not None:
            less = _text(less)  # held while the library has its address
            find_by(place.context.address, less.address, code, x, x.size, answer)
        else:
            find(place.context.address, code, x, x.size, answer)
        return place.number(answer) if place.on_host or hasattr(place, "brought") else place.scalar(answer)
    axis = axis_of(call, axis, x.ndim)
    if less is not None:
        raise Unsupported(f"{call}: an axis of {x.ndim} with less=; give one dimension, or axis=None")
    shape = tuple(x.shape[:axis]) + (1,) + tuple(x.shape[axis + 1:])
    best, places = place.empty(shape, x.dtype), place.empty(shape, I64)
    _calls.top_k_along(place.context.address, code, x, shape_bytes(x.shape), x.ndim, axis, 1, descending, best, places)
    flat = place.result(places)
    return flat.reshape(shape[:axis] + shape[axis + 1:])


def argmin(x, axis=None, *, less=None):
    """The first place of the least element. NaNs are passed over while there is anything else. less: an expression, or its text, that says
    whether a goes before b, "a % 10 < b % 10"; of a one-dimensional or flattened array.
    """
    return _extreme("argmin", _calls.argmin, _calls.argmin_by, False, x, axis, less)


def argmax(x, axis=None, *, less=None):
    """The first place of the greatest element. NaNs are passed over while there is anything else. less: as argmin()'s."""
    return _extreme("argmax", _calls.argmax, _calls.argmax_by, True, x, axis, less)


def _compared(call, ask, ask_by, x, comparison, value):
    place, x = taken(call, x)
    if isinstance(comparison, expression):
        if value is not None:
            raise BadArgument(f"{call}: an expression and a value to compare with; give one")
        answer = place.empty(1, U64)
        ask_by(place.context.address, comparison.address, code_of(call, x.dtype), x, x.size, answer)
        return place.number(answer)
    if value is None:
        raise BadArgument(f"{call}: a comparison with nothing; give a value, or an expression alone")
    test = one_of(call, "comparison", COMPARISONS, comparison)
    answer = place.empty(1, U64)
    ask(place.context.address, code_of(call, x.dtype), x, x.size, test, element(call, value, x.dtype), answer)
    return place.number(answer)


def count_if(x, comparison, value=None):
    """How many elements compare so with a value: count_if(x, ">", 0). Or pass an expression: count_if(x, expression("x % 7 == 3"))."""
    return _compared("count_if", _calls.count_if, _calls.count_if_by, x, comparison, value)


def find_if(x, comparison, value=None):
    """The first place of an element that compares so with a value, or passes an expression; x.size where there is none."""
    return _compared("find_if", _calls.find_if, _calls.find_if_by, x, comparison, value)


def searchsorted(a, v, side="left", *, less=None):
    """Where each of v belongs in the sorted a: before equal elements, or behind them with side="right". less: an expression, or its text,
    that a is sorted by, "a % 10 < b % 10".
    """
    call = "searchsorted"
    place, a, v = taken(call, a, v)
    if a.dtype != v.dtype:
        v = place.converted(v, a.dtype) if place.on_host and v.dtype.kind == a.dtype.kind and v.dtype.itemsize <= a.dtype.itemsize else v
    if a.dtype != v.dtype or a.ndim != 1:
        raise BadArgument(f"{call}: sorted elements of {a.dtype} with {a.ndim} axes, and values of {v.dtype}; give one type, and one axis")
    if side not in ("left", "right"):
        raise BadArgument(f"{call}: side is {side!r}; give \"left\" or \"right\"")
    to = place.empty(tuple(v.shape), I64)
    if less is not None:
        less = _text(less)
        ask_by = _calls.lower_bound_by if side == "left" else _calls.upper_bound_by
        ask_by(place.context.address, less.address, code_of(call, a.dtype), a, a.size, v, v.size, to)
        return place.result(to)
    ask = _calls.lower_bound if side == "left" else _calls.upper_bound
    ask(place.context.address, code_of(call, a.dtype), a, a.size, v, v.size, to)
    return place.result(to)


def is_in_sorted(a, v, *, less=None):
    """Whether each of v is among the sorted a. less: an expression, or its text, that a is sorted by; equal is then what goes neither before
    nor after.
    """
    call = "is_in_sorted"
    place, a, v = taken(call, a, v)
    if a.dtype != v.dtype or a.ndim != 1:
        raise BadArgument(f"{call}: sorted elements of {a.dtype} with {a.ndim} axes, and values of {v.dtype}; give one type, and one axis")
    to = place.empty(tuple(v.shape), U8)
    if less is not None:
        less = _text(less)
        _calls.binary_search_by(place.context.address, less.address, code_of(call, a.dtype), a, a.size, v, v.size, to)
    else:
        _calls.binary_search(place.context.address, code_of(call, a.dtype), a, a.size, v, v.size, to)
    return place.result(to.view(bool) if place.on_host else place.converted(to, bool))


def _alike(call, x, y):
    place, x, y = taken(call, x, y)
    if x.dtype != y.dtype:
        raise BadArgument(f"{call}: elements of {x.dtype} and of {y.dtype}; give both of one type")
    return place, x, y


def _first(call, ask, ask_by, equal, place, x, *rest):
    answer, code = place.empty(1, U64), code_of(call, x.dtype)
    if equal is not None:
        equal = _text(equal)
        ask_by(place.context.address, equal.address, code, x, *rest, answer)
    else:
        ask(place.context.address, code, x, *rest, answer)
    return place.number(answer)


def find_first_of(x, values, *, equal=None):
    """The first place of an element of x that is one of the values; x.size where there is none. equal: an expression, or its text, of a, an
    element, and b, one of the values: "a % 10 == b".
    """
    call = "find_first_of"
    place, x, values = _alike(call, x, values)
    return _first(call, _calls.find_first_of, _calls.find_first_of_by, equal, place, x, x.size, values, values.size)


def search(x, pattern, *, equal=None):
    """The first place where the pattern begins in x; x.size where it does nowhere. An empty one begins at 0. equal: as find_first_of()'s."""
    call = "search"
    place, x, pattern = _alike(call, x, pattern)
    return _first(call, _calls.search, _calls.search_by, equal, place, x, x.size, pattern, pattern.size)


def adjacent_find(x, *, equal=None):
    """The first place of an element that is equal to the next; x.size where there is none. equal: as find_first_of()'s."""
    call = "adjacent_find"
    place, x = taken(call, x)
    return _first(call, _calls.adjacent_find, _calls.adjacent_find_by, equal, place, x, x.size)


def mismatch(x, y, *, equal=None):
    """The first place where two arrays of one size differ; x.size where they do nowhere. equal: as find_first_of()'s."""
    call = "mismatch"
    place, x, y = _alike(call, x, y)
    if x.size != y.size:
        raise BadArgument(f"{call}: {x.size} elements and {y.size}; give as many")
    return _first(call, _calls.mismatch, _calls.mismatch_by, equal, place, x, y, x.size)
