"""Arrays of which the first elements alone are meant, as many as a count says that stays where the array is."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _calls
from .arrays import CODES, I64, U64, There, axis_of, code_of, element, key_code, place_of, seen, taken, target
from .errors import BadArgument
from .expressions import expression
from .names import OPERATORS, TRANSFORMS, one_of

_COUNTS = (U64, I64)


class counted:
    """The first elements of an array of one axis, as many as a count says: an array of one uint64 or int64 beside it. Of a count beyond the
    array all are meant.

        kept = upsweep.select(x, "x > 0.5", count="device")
        total = upsweep.sum(upsweep.sort(kept))

    sum, prod, min, max, reduce, cumsum, cumprod, scan, sort, argsort, sort_by_key, reduce_by_key, select, unique_consecutive and histogram take
    it in place of their first array. What goes along with it, values with keys, is as long as its array. A result with as many elements, or
    with a length of its own, is counted, too, in an array as long as the first; behind the count stands anything. On a GPU nothing is waited
    for, and torch.cuda.graph may hold the calls once the same calls have been made on its stream before; min and max of nothing are then
    unspecified. len() and first() wait. A counted array unpacks to (array, count).
    """

    __slots__ = ("array", "count")

    def __init__(self, array: Any, count: Any):
        array, count = (each if hasattr(each, "dtype") else np.asarray(each) for each in (array, count))
        if array.ndim != 1:
            raise BadArgument(f"counted: an array of shape {tuple(array.shape)}; give one of one axis")
        self.array, self.count = array, count

    def __iter__(self) -> Iterator[Any]:
        yield self.array
        yield self.count

    def __len__(self) -> int:
        place = place_of("counted", self.count)
        return min(place.number(_count(place, "counted", self)) % 2**64, len(self.array))

    __int__ = __len__

    def first(self) -> Any:
        """The elements that are meant: a part of the array, of a length that is waited for."""
        return self.array[:len(self)]

    def __repr__(self) -> str:
        return f"upsweep.counted(up to {len(self.array)} of {self.array.dtype})"


def opened(call, x, *beside):
    """(place, array, count, what is given beside), as calls take them."""
    beside = [_beside(call, x, each) for each in beside]
    place = place_of(call, x.array, x.count, *beside)
    return (place, seen(place, call, x.array), _count(place, call, x), *(seen(place, call, each) for each in beside))


def _count(place, call, x):
    count = seen(place, call, x.count, "the count")
    if count.size != 1 or count.dtype not in _COUNTS:
        raise BadArgument(f"{call}: the count is {count.dtype} of shape {tuple(count.shape)}; give one uint64 or int64")
    return count


def _beside(call, x, other):
    """An array that goes along with a counted one, place by place."""
    if type(other) is not counted:
        return other
    if other.count is not x.count:
        raise BadArgument(f"{call}: two arrays with a count each; give both the same count, upsweep.counted(y.array, x.count)")
    return other.array


def folded(call, x, axis):
    """(place, array, count, axis) for what folds all of x. In the host's memory it is cut to its count, and then as any array."""
    place = place_of(call, x.array, x.count)
    if not isinstance(place, There):
        return (*taken(call, x.first()), None, axis)
    if axis is not None:
        axis_of(call, axis, 1)
    return place, seen(place, call, x.array), _count(place, call, x), None


def mask_of(place, x, asked):
    """What asked() says of each element; in the host's memory of none behind the count, where nothing of the kind may stand."""
    if isinstance(place, There):
        return asked(x.array)
    mask, answers = np.zeros(len(x.array), bool), np.asarray(asked(x.first()))
    mask[:len(answers)] = answers
    return mask


def padded(place, x, count, value):
    """x with this value, as bytes, behind the count."""
    to = place.empty(x.size, x.dtype)
    _calls.counted_pad(place.context.address, x, x.dtype.itemsize, x.size, count, value, to)
    return to


def mapped(place, x, code, transform):
    """x by a built-in transform, which counted calls do not make themselves."""
    if not transform:
        return x
    to = place.empty(x.size, x.dtype)
    _calls.map(place.context.address, code, x, x.size, transform, to)
    return to


def scan(call, x, op, axis, exclusive, transform, init, out, dtype=None):
    """dtype: what elements are summed in, or a table of that by their own type. Halves come back as halves."""
    place, array, count = opened(call, x)
    if axis is not None:
        axis_of(call, axis, 1)
    own = array.dtype
    wider = own if dtype is None else dtype.get(own, own) if isinstance(dtype, dict) else np.dtype(dtype)
    halves = own == np.float16 and isinstance(dtype, dict)
    if halves and out is not None:
        raise BadArgument(f"{call}: halves are summed in float32; give dtype=float32 with out=")
    array = _converted(place, array, wider)
    code, context, n = code_of(call, array.dtype), place.context.address, array.size
    to = target(place, call, out, n, array.dtype)
    if isinstance(op, expression):  # whose identity stands behind the count, too
        identity = op.identity_in(call, own, transform=transform, init=init)
        _calls.scan_by(context, op.address, code, padded(place, array, count, identity), n, not exclusive, identity, to)
    else:
        op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
        init = None if init is None else element(call, init, own)
        _calls.counted_scan(context, code, mapped(place, array, code, transform), n, count, not exclusive, op, init, to)
    return counted(place.result(_converted(place, to, own) if halves else to, out), x.count)


def _converted(place, array, dtype):
    """What stands behind the count may be anything, and is no reason to warn."""
    if array.dtype == dtype:
        return array
    with np.errstate(all="ignore"):
        return place.converted(array, dtype)


def _refuse_text(call, what, given):
    if given is not None:
        raise BadArgument(f"{call}: {what}= and a counted array; leave it out, or give x.first(), whose length is waited for")


def sort(x, axis, descending, less, out):
    call = "sort"
    _refuse_text(call, "less", less)
    place, array, count = opened(call, x)
    if axis is not None:
        axis_of(call, axis, 1)
    to = target(place, call, out, array.shape, array.dtype)
    _calls.counted_sort(place.context.address, key_code(call, array.dtype), array, array.size, count, descending, to)
    return counted(place.result(to, out), x.count)


def argsort(x, axis, descending, less, out):
    """By the places from 0, which go along with the keys."""
    call = "argsort"
    _refuse_text(call, "less", less)
    place, array, count = opened(call, x)
    if axis is not None:
        axis_of(call, axis, 1)
    context, n = place.context.address, array.size
    places, keys, to = place.empty(n, I64), place.empty(n, array.dtype), target(place, call, out, array.shape, I64)
    _calls.iota(context, CODES[I64], bytes(8), b"\1" + bytes(7), n, places)
    _calls.counted_sort_by_key(context, key_code(call, array.dtype), array, places, 8, n, count, descending, keys, to)
    return counted(place.result(to, out), x.count)


def sort_by_key(keys, values, descending, less):
    call = "sort_by_key"
    _refuse_text(call, "less", less)
    place, array, count, along = opened(call, keys, values)
    _one_each(call, array, along)
    keys_out, values_out = place.empty(array.shape, array.dtype), place.empty(along.shape, along.dtype)
    _calls.counted_sort_by_key(place.context.address, key_code(call, array.dtype), array, along, along.dtype.itemsize, array.size, count,
                               descending, keys_out, values_out)
    return counted(place.result(keys_out), keys.count), counted(place.result(values_out), keys.count)


def reduce_by_key(keys, values, op, transform):
    call = "reduce_by_key"
    place, array, count, along = opened(call, keys, values)
    _one_each(call, array, along)
    op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
    code = code_of(call, along.dtype)
    keys_out, out, runs = place.empty(array.size, array.dtype), place.empty(array.size, along.dtype), place.empty(1, U64)
    _calls.counted_reduce_by_key(place.context.address, code_of(call, array.dtype), array, code, mapped(place, along, code, transform),
                                 array.size, count, op, keys_out, out, runs)
    number = place.result(runs)
    return counted(place.result(keys_out), number), counted(place.result(out), number)


def _one_each(call, keys, values):
    if values.shape != keys.shape:
        raise BadArgument(f"{call}: counted keys in an array of shape {tuple(keys.shape)} and values of shape {tuple(values.shape)}; give a "
                          "value for each place of the keys' array")


def unique_consecutive(x, equal):
    call = "unique_consecutive"
    _refuse_text(call, "equal", equal)
    place, array, count = opened(call, x)
    to, kept = place.empty(array.size, array.dtype), place.empty(1, U64)
    _calls.counted_unique(place.context.address, key_code(call, array.dtype), array, array.size, count, to, kept)
    return counted(place.result(to), place.result(kept))
