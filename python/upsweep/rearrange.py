"""Elements moved, taken, limited and subtracted, as in NumPy. Arrays are in host memory, except in diff()."""
from __future__ import annotations

import math

import numpy as np

from .arrays import DeviceSpace, as_arrays, axis_of, host_arrays, integer, space_of, write_host
from .errors import BadArgument, Unsupported
from .fold_arguments import axes_of
from .selections import gather, select


def take(a, indices, axis=None, out=None, mode="raise"):
    """Return the elements at the given indices, or the slices at them along an axis.

    Parameters
    ----------
    a : array
        The elements.
    indices : array of int
        The indices. Negative ones count from the end.
    axis : int, optional
        The axis of the indices. The default is the flattened array.
    out : array, optional
        The array for the result.
    mode : str
        How to treat an index out of range: "raise" an error, "wrap" it modulo the length, or "clip" it to the nearest index.

    Returns
    -------
    array
        The elements, with the axes of indices in place of the axis.

    Examples
    --------
    >>> upsweep.take([10, 20, 30], [2, -1, 0]).tolist()
    [30, 30, 10]
    """
    call = "take"
    space, x, indices = host_arrays(call, a, indices)
    if indices.size == 0 and indices.dtype.kind == "f":
        indices = indices.astype(np.int64)
    if not np.can_cast(indices.dtype, np.int64):
        raise Unsupported(f"{call}: indices of {indices.dtype}; give integers of a type that int64 represents")
    if mode not in ("raise", "wrap", "clip"):
        raise BadArgument(f"{call}: unknown mode {mode!r}; give one of raise, wrap, clip")
    axis = None if axis is None or x.ndim == 0 else axis_of(call, axis, x.ndim)
    n = x.size if axis is None else x.shape[axis]
    indices = indices.astype(np.int64)
    looked_up = axis is None or math.prod(x.shape[:axis])  # NumPy does not check indices that it does not use
    if mode == "raise" and indices.size and looked_up and not (-n <= indices.min() and indices.max() < n):
        raise BadArgument(f"{call}: an index is out of range; give {-n} to {n - 1}")
    if indices.size and n == 0:
        raise BadArgument(f"{call}: an index of no elements; give at least one element")
    indices = np.clip(indices, 0, n - 1) if mode == "clip" else np.mod(indices, n) if n else indices
    if axis is None and x.dtype.itemsize in (1, 2, 4, 8) and x.dtype.kind in "iufb":
        result = gather(x.reshape(-1), indices)
    else:
        result = np.take(x, indices, axis)
    return write_host(space, call, result if np.ndim(result) or out is not None else result[()], out)


def compress(condition, a, axis=None, out=None):
    """Return the elements where the condition is not zero, or the slices along an axis.

    Parameters
    ----------
    condition : array of bool
        One value for each element, or fewer. Elements after the last one are left out.
    a : array
        The elements.
    axis : int, optional
        The axis of the condition. The default is the flattened array.
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        The elements, in order.

    Examples
    --------
    >>> upsweep.compress([True, False, True], [10, 20, 30]).tolist()
    [10, 30]
    """
    call = "compress"
    space, condition, x = host_arrays(call, condition, a)
    if condition.ndim != 1:
        raise BadArgument(f"{call}: a condition of shape {condition.shape}; give one of one axis")
    x = x.reshape(-1) if x.ndim == 0 else x
    axis = None if axis is None else axis_of(call, axis, x.ndim)
    n = x.size if axis is None else x.shape[axis]
    mask = condition != 0
    if mask[n:].any() and (axis is None or math.prod(x.shape[:axis])):
        raise BadArgument(f"{call}: the condition is true past the last of {n} elements; give at most as many")
    if axis is None:
        mask = np.append(mask[:n], np.zeros(max(n - len(mask), 0), bool))
        return write_host(space, call, select(x, mask), out)
    return write_host(space, call, np.compress(mask, x, axis), out)


def flip(m, axis=None):
    """Return the array with the elements in reverse order along axes, or along all. NumPy returns a view, and this call a copy.

    Parameters
    ----------
    m : array
        The elements.
    axis : int or tuple of int, optional
        The axes to reverse.

    Returns
    -------
    array
        The elements.

    Examples
    --------
    >>> upsweep.flip([1, 2, 3]).tolist()
    [3, 2, 1]
    """
    call = "flip"
    space, x = host_arrays(call, m)
    if x.ndim == 0 and axis is None:
        return write_host(space, call, x[()], None)
    axes = axes_of(call, axis, x.ndim)
    return write_host(space, call, np.ascontiguousarray(np.flip(x, tuple(axes))), None)


def roll(a, shift, axis=None):
    """Return the elements moved along axes. Elements that pass the end come in at the beginning.

    Parameters
    ----------
    a : array
        The elements.
    shift : int or tuple of int
        By how many places.
    axis : int or tuple of int, optional
        The axes to move along. The default moves in the flattened array.

    Returns
    -------
    array
        The elements, of the shape of a.

    Examples
    --------
    >>> upsweep.roll([1, 2, 3], 1).tolist()
    [3, 1, 2]
    """
    call = "roll"
    space, x = host_arrays(call, a)
    if axis is not None:
        axis = tuple(axis_of(call, each, x.ndim) for each in axis) if type(axis) is tuple else axis_of(call, axis, x.ndim)
    shifts = tuple(integer(call, "a shift", each) for each in shift) if np.ndim(shift) else integer(call, "the shift", shift)
    return write_host(space, call, np.roll(x, shifts, axis), None)


def clip(a, a_min=None, a_max=None, out=None):
    """Return the elements limited to a_min at least and a_max at most. NaN stays NaN.

    Parameters
    ----------
    a : array
        The elements.
    a_min, a_max : number or array, optional
        The bounds. None omits a bound.
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        The elements. Their type is NumPy's of the elements and the bounds.

    Examples
    --------
    >>> upsweep.clip([1, 5, 9], 2, 6).tolist()
    [2, 5, 6]
    """
    call = "clip"
    space, x = host_arrays(call, a)
    if a_min is None and a_max is None:
        raise BadArgument(f"{call}: neither a_min nor a_max; give at least one")
    try:
        result = np.clip(x, a_min, a_max)
    except (TypeError, ValueError) as wrong:
        raise BadArgument(f"{call}: bounds that do not fit the elements ({wrong})") from None
    return write_host(space, call, result, out)


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Return the differences of adjacent elements along an axis: a[1:] - a[:-1], n times.

    Integers wrap. Bools differ where they are not equal.

    Parameters
    ----------
    a : array
        The elements.
    n : int
        How often to subtract.
    axis : int
        The axis to subtract along.
    prepend, append : number or array, optional
        Elements to put before and after those of a. They require an array in host memory.

    Returns
    -------
    array
        The differences: n fewer than elements along the axis.

    Examples
    --------
    >>> upsweep.diff([1, 4, 9]).tolist()
    [3, 5]
    """
    call = "diff"
    n = integer(call, "n", n)
    if n < 0:
        raise BadArgument(f"{call}: n is {n}; give 0 or more")
    if isinstance(space_of(call, a), DeviceSpace):
        if prepend is not None or append is not None:
            raise Unsupported(f"{call}: prepend= or append= of an array on a GPU; concatenate them first")
        _, x = as_arrays(call, a)
        axis = axis_of(call, axis, x.ndim)
        before = (slice(None),) * axis
        for _ in range(n):
            upper, lower = a[(*before, slice(1, None))], a[(*before, slice(None, -1))]
            a = upper != lower if x.dtype == np.bool_ else upper - lower
        return a
    space, x = host_arrays(call, a)
    axis = axis_of(call, axis, x.ndim)
    ends = {name: each for name, each in (("prepend", prepend), ("append", append)) if each is not None}
    try:
        return write_host(space, call, np.diff(x, n, axis, **ends), None)
    except ValueError as wrong:
        raise BadArgument(f"{call}: prepend or append does not fit the elements ({wrong})") from None
