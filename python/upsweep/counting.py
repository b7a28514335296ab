"""Counted arrays: the first elements of an array, whose number is a count in the array's memory."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _calls
from .arrays import (CODES, I64, U64, DeviceSpace, as_array, as_arrays, axis_of, code_of, element, key_code,
                     output_array, space_of)
from .errors import BadArgument
from .expressions import expression
from .names import OPERATORS, TRANSFORMS, one_of
from .nans import negated_result, negative

_COUNTS = (U64, I64)


class counted:
    """The first elements of a one-dimensional array. Their number is a count in the array's memory, which may be GPU memory.

        kept = upsweep.select(x, "x > 0.5", count="device")
        total = upsweep.sum(upsweep.sort(kept))

    These functions accept a counted array as their first array: sum, prod, min, max, reduce, cumsum, cumprod, scan, sort, argsort, sort_by_key,
    reduce_by_key, select, unique_consecutive and histogram. A second input, such as the values of keys, has as many elements as `array`. A
    result that is an array is counted too. Its array is as long as `array`, and its elements past the count are unspecified.

    On a GPU these calls do not wait, and torch.cuda.graph may capture them. min and max of no elements are then unspecified. len() and first()
    wait. A counted array unpacks to (array, count).

    Parameters
    ----------
    array : array
        An array of one axis.
    count : array
        One uint64 or int64, in the same memory as `array`. A count above the length of `array` means all elements.
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
        space = space_of("counted", self.count)
        return min(space.item(_count(space, "counted", self)) % 2**64, len(self.array))

    __int__ = __len__

    def first(self) -> Any:
        """Return the elements: array[:count]. The call waits for the count."""
        return self.array[:len(self)]

    def __repr__(self) -> str:
        return f"upsweep.counted(up to {len(self.array)} of {self.array.dtype})"


def counted_arrays(call, x, *others):
    """Return (space, array, count, others...) of a counted array and the arrays that go with it, as _calls takes them."""
    others = [_same_count(call, x, each) for each in others]
    space = space_of(call, x.array, x.count, *others)
    return (space, as_array(space, call, x.array), _count(space, call, x), *(as_array(space, call, each) for each in others))


def _count(space, call, x):
    count = as_array(space, call, x.count, "the count")
    if count.size != 1 or count.dtype not in _COUNTS:
        raise BadArgument(f"{call}: the count is {count.dtype} of shape {tuple(count.shape)}; give one uint64 or int64")
    return count


def _same_count(call, x, other):
    """Return the array of another input. A counted one must have the same count as x."""
    if type(other) is not counted:
        return other
    if other.count is not x.count:
        raise BadArgument(f"{call}: two counted arrays with different counts; give both the same count, upsweep.counted(y.array, x.count)")
    return other.array


def fold_inputs(call, x, axis):
    """Return (space, array, count, axis) for a fold of all elements. In host memory, array is x.first() and count is None."""
    space = space_of(call, x.array, x.count)
    if not isinstance(space, DeviceSpace):
        return (*as_arrays(call, x.first()), None, axis)
    if axis is not None:
        axis_of(call, axis, 1)
    return space, as_array(space, call, x.array), _count(space, call, x), None


def mask_of(space, x, evaluate):
    """Return the mask evaluate(array). In host memory it is evaluated up to the count only, since later elements may be invalid."""
    if isinstance(space, DeviceSpace):
        return evaluate(x.array)
    mask, answers = np.zeros(len(x.array), bool), np.asarray(evaluate(x.first()))
    mask[:len(answers)] = answers
    return mask


def padded(space, x, count, value):
    """Return a copy of x whose elements past the count are `value`, given as bytes."""
    to = space.empty(x.size, x.dtype)
    _calls.device_counted_pad(space.context.address, x, x.dtype.itemsize, x.size, count, value, to)
    return to


def mapped(space, x, code, transform):
    """Apply a built-in transform, which the counted calls of upsweep.h do not take."""
    if not transform:
        return x
    to = space.empty(x.size, x.dtype)
    _calls.map(space.context.address, code, x, x.size, transform, to)
    return to


def scan(call, x, op, axis, exclusive, transform, init, out, dtype=None):
    """Scan a counted array. dtype is the type to sum in, or a dict from the elements' type to it. float16 results stay float16."""
    space, array, count = counted_arrays(call, x)
    if axis is not None:
        axis_of(call, axis, 1)
    own = array.dtype
    wider = own if dtype is None else dtype.get(own, own) if isinstance(dtype, dict) else np.dtype(dtype)
    halves = own == np.float16 and isinstance(dtype, dict)
    if halves and out is not None:
        raise BadArgument(f"{call}: float16 is summed in float32; give dtype=float32 with out=")
    array = _astype(space, array, wider)
    code, context, n = code_of(call, array.dtype), space.context.address, array.size
    to = output_array(space, call, out, n, array.dtype)
    if isinstance(op, expression):  # elements past the count become the identity
        identity = op.identity_in(call, own, transform=transform, init=init)
        _calls.scan_by(context, op.address, code, padded(space, array, count, identity), n, not exclusive, identity, to)
    else:
        op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
        init = None if init is None else element(call, init, own)
        _calls.device_counted_scan(context, code, mapped(space, array, code, transform), n, count, not exclusive, op, init, to)
    return counted(space.result(_astype(space, to, own) if halves else to, out), x.count)


def _astype(space, array, dtype):
    """Convert all elements without warnings: those past the count are unspecified."""
    if array.dtype == dtype:
        return array
    with np.errstate(all="ignore"):
        return space.astype(array, dtype)


def _refuse_expression(call, what, given):
    if given is not None:
        raise BadArgument(f"{call}: {what}= and a counted array; omit it, or give x.first(), which waits for the count")


def sort(x, axis, descending, less, out):
    call = "sort"
    _refuse_expression(call, "less", less)
    space, array, count = counted_arrays(call, x)
    if axis is not None:
        axis_of(call, axis, 1)
    to = output_array(space, call, out, array.shape, array.dtype)
    negated = descending and array.dtype.kind == "f"  # elements past the count may be NaN, so they are not counted
    array, descending = (negative(space, array), False) if negated else (array, descending)
    _calls.device_counted_sort(space.context.address, key_code(call, array.dtype), array, array.size, count, descending, to)
    return counted(negated_result(space, to, out) if negated else space.result(to, out), x.count)


def argsort(x, axis, descending, less, out):
    """Sort the indices 0, 1, 2, … by the keys."""
    call = "argsort"
    _refuse_expression(call, "less", less)
    space, array, count = counted_arrays(call, x)
    if axis is not None:
        axis_of(call, axis, 1)
    if descending and array.dtype.kind == "f":
        array, descending = negative(space, array), False
    context, n = space.context.address, array.size
    indices, keys, to = space.empty(n, I64), space.empty(n, array.dtype), output_array(space, call, out, array.shape, I64)
    _calls.iota(context, CODES[I64], bytes(8), b"\1" + bytes(7), n, indices)
    _calls.device_counted_sort_by_key(context, key_code(call, array.dtype), array, indices, 8, n, count, descending, keys, to)
    return counted(space.result(to, out), x.count)


def sort_by_key(keys, values, descending, less):
    call = "sort_by_key"
    _refuse_expression(call, "less", less)
    space, array, count, along = counted_arrays(call, keys, values)
    _one_each(call, array, along)
    keys_out, values_out = space.empty(array.shape, array.dtype), space.empty(along.shape, along.dtype)
    negated = descending and array.dtype.kind == "f"
    array, descending = (negative(space, array), False) if negated else (array, descending)
    _calls.device_counted_sort_by_key(space.context.address, key_code(call, array.dtype), array, along, along.dtype.itemsize, array.size, count,
                               descending, keys_out, values_out)
    return counted(negated_result(space, keys_out) if negated else space.result(keys_out), keys.count), counted(space.result(values_out), keys.count)


def reduce_by_key(keys, values, op, transform):
    call = "reduce_by_key"
    space, array, count, along = counted_arrays(call, keys, values)
    _one_each(call, array, along)
    op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
    code = code_of(call, along.dtype)
    keys_out, out, runs = space.empty(array.size, array.dtype), space.empty(array.size, along.dtype), space.empty(1, U64)
    _calls.device_counted_reduce_by_key(space.context.address, code_of(call, array.dtype), array, code, mapped(space, along, code, transform),
                                 array.size, count, op, keys_out, out, runs)
    number = space.result(runs)
    return counted(space.result(keys_out), number), counted(space.result(out), number)


def _one_each(call, keys, values):
    if values.shape != keys.shape:
        raise BadArgument(f"{call}: counted keys in an array of shape {tuple(keys.shape)} and values of shape {tuple(values.shape)}; give a "
                          "value for each element of the keys' array")


def unique_consecutive(x, equal):
    call = "unique_consecutive"
    _refuse_expression(call, "equal", equal)
    space, array, count = counted_arrays(call, x)
    to, kept = space.empty(array.size, array.dtype), space.empty(1, U64)
    _calls.device_counted_unique(space.context.address, key_code(call, array.dtype), array, array.size, count, to, kept)
    return counted(space.result(to), space.result(kept))
