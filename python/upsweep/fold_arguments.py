"""Keywords of NumPy's folds that upsweep.h does not take: several axes, initial= and where=."""
from __future__ import annotations

import math

import numpy as np

from .arrays import DeviceSpace, axis_of, check_output, host_output, is_flat_axis, output_array, refuse_mask, single_output, space_of
from .counting import counted
from .errors import BadArgument, Unsupported


def write_out(space, call, result, out):
    """Write a result that was computed in other memory to `out`."""
    output_array(space, call, out, tuple(result.shape), result.dtype)
    return space.result(result, out)


def axes_of(call, axis, ndim):
    """Return the axes to fold as increasing integers."""
    given = range(ndim) if axis is None else axis if type(axis) is tuple else (axis,)
    axes = sorted(axis_of(call, each, ndim) for each in given)
    if len(set(axes)) != len(axes):
        raise BadArgument(f"{call}: an axis is twice in {axis!r}; give each axis once")
    return axes


def shape_without(shape, axes, keepdims):
    """Return the shape of a result: without the axes, or with length 1 there."""
    return tuple(1 if i in axes else n for i, n in enumerate(shape) if keepdims or i not in axes)


def _runs(axes):
    """Return (first, last + 1) of each run of adjacent axes, the last run first."""
    runs = []
    for each in axes:
        if runs and runs[-1][1] == each:
            runs[-1][1] = each + 1
        else:
            runs.append([each, each + 1])
    return reversed(runs)


def _fold_runs(fold, x, axes):
    """Fold each run of adjacent axes as one axis. No axes fold each element alone."""
    if not axes:
        return fold(x.reshape((math.prod(x.shape), 1)), 1).reshape(tuple(x.shape))
    for first, end in _runs(axes):
        shape = tuple(x.shape)
        outer, length, inner = math.prod(shape[:first]), math.prod(shape[first:end]), math.prod(shape[end:])
        x = fold(x.reshape((outer, length, inner)), 1).reshape(shape[:first] + shape[end:])
    return x


def _on_host(call, x, name):
    if isinstance(space_of(call, x), DeviceSpace):
        raise Unsupported(f"{call}: {name}= of an array on a GPU; select the elements, or use reduce() with init=")


def _start(call, initial, dtype):
    """Return initial= as an element of the type, converted as NumPy does."""
    try:
        start = np.array(initial, dtype)
    except (TypeError, ValueError, OverflowError):
        raise BadArgument(f"{call}: initial is {initial!r}, which {dtype} cannot represent; give a number of this type") from None
    if start.ndim:
        raise BadArgument(f"{call}: initial is of shape {start.shape}; give one number")
    return start


def _masked(call, ufunc, x, initial, where):
    """Return x with the neutral value of the fold where `where` is false."""
    neutral = initial
    if ufunc.identity is not None:
        neutral = ufunc.identity
    elif initial is None:
        raise BadArgument(f"{call}: where= without initial=, which is the result of no elements; give it")
    refuse_mask(call, "where", where)
    try:
        where = np.broadcast_to(np.asarray(where, bool), x.shape)
    except ValueError:
        raise BadArgument(f"{call}: where is of shape {np.shape(where)}; give a shape that broadcasts to {x.shape}") from None
    return np.where(where, x, _start(call, neutral, x.dtype))


def fold_axes(call, fold, ufunc, x, axis, out, keepdims, initial, where):
    """Fold along axes with a function fold(array, axis) of one axis. Each run of adjacent axes is folded as one, without a copy."""
    if x.__class__ is counted:
        raise Unsupported(f"{call}: a counted array with initial=, where= or several axes; give an array")
    if not hasattr(x, "reshape") or not hasattr(x, "dtype"):
        x = np.asarray(x)
    for name, given in (("initial", initial is not None), ("where", where is not True)):
        if given:
            _on_host(call, x, name)
            x = np.asarray(x)
    shape = tuple(x.shape)
    axes = [] if is_flat_axis(axis, len(shape)) else axes_of(call, axis, len(shape))
    if where is not True:
        x = _masked(call, ufunc, x, initial, where)
    kept = shape_without(shape, axes, keepdims)
    if initial is not None and ufunc.identity is None and any(shape[i] == 0 for i in axes):
        result = np.full(kept, _start(call, initial, x.dtype))
    else:
        result = _fold_runs(fold, x, axes).reshape(kept)
        if initial is not None:
            kind = {} if result.dtype.kind in "mM" else {"dtype": result.dtype}  # NumPy takes no unit there
            result = ufunc(result, _start(call, initial, result.dtype), **kind)
    if out is not None:
        out = single_output(call, out) if type(out) is tuple else out
        if isinstance(result, (np.ndarray, np.generic)):
            array = host_output(call, out)
            check_output(call, array, kept, result.dtype)
            np.copyto(array, result, casting="same_kind")
            return out
        if not hasattr(out, "dtype") or tuple(out.shape) != kept:
            raise BadArgument(f"{call}: out is {type(out).__name__} of shape {np.shape(out)}; the result is an array of shape {kept}")
        out[...] = result
        return out
    return result[()] if type(result) is np.ndarray and not kept else result
