"""Means, variances and quantiles, as in NumPy."""
from __future__ import annotations

import math
import warnings

import numpy as np

from .arrays import DeviceSpace, as_array, host_arrays, space_of, write_host
from .errors import BadArgument, Unsupported
from .fold_arguments import axes_of, shape_without
from .folds import sum as total_of
from .folds import type_to_fold
from .orders import sort

_HALF = np.dtype("f2")


def _mean_types(own, dtype):
    """Return the type to sum in and the type of the result. float16 is summed in float32, and integers in float64."""
    if dtype is not None:
        return np.dtype(dtype), np.dtype(dtype)
    if own.kind in "iub":
        return np.dtype("f8"), np.dtype("f8")
    return (np.dtype("f4"), own) if own == _HALF else (own, own)


def _counts(x, axes, where, keepdims):
    """Return how many elements each mean has: a number, or an array with where."""
    if where is True:
        return math.prod(x.shape[each] for each in axes)
    return np.broadcast_to(where, x.shape).sum(tuple(axes), keepdims=keepdims)


def _device_mean(call, space, a, axis, dtype, keepdims):
    """Return the mean of an array on a GPU, divided by its library's operator."""
    x = as_array(space, call, a)
    kind, result = _mean_types(x.dtype, dtype)
    if kind != result:
        raise Unsupported(f"{call}: elements of {x.dtype} on a GPU; give float32 or float64")
    return total_of(a, axis, kind, None, keepdims) / _counts(x, axes_of(call, axis, x.ndim), True, keepdims)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Return the mean of all elements, or along axes.

    Floats are summed by a fixed tree in their own type, float16 in float32, integers in float64. The mean of no elements is NaN.

    Parameters
    ----------
    a : array
        The elements.
    axis : int or tuple of int, optional
        The axes to average along. The default averages the whole array.
    dtype : dtype, optional
        The type to sum in, and of the result.
    out : array, optional
        The array for the result.
    keepdims : bool
        Keep the averaged axes with length 1.
    where : array of bool, optional
        Which elements to average.

    Returns
    -------
    scalar or array
        A scalar where no axis is left.

    Examples
    --------
    >>> float(upsweep.mean([1, 2, 6]))
    3.0
    """
    call = "mean"
    space = space_of(call, a)
    if isinstance(space, DeviceSpace):
        if out is not None or where is not True:
            raise Unsupported(f"{call}: out= or where= of an array on a GPU; omit them")
        return _device_mean(call, space, a, axis, dtype, keepdims)
    space, x = host_arrays(call, a)
    if dtype is None and x.dtype.kind == "f":
        dtype = type_to_fold(x.dtype, dtype, out)
    return write_host(space, call, _mean(call, x, axis, dtype, keepdims, where), out)


def _mean(call, x, axis, dtype, keepdims, where):
    axes = axes_of(call, axis, x.ndim)
    kind, result = _mean_types(x.dtype, dtype)
    with np.errstate(all="ignore"):
        total = total_of(x, axis, kind, None, keepdims, where=where)
        counts = _counts(x, axes, where, keepdims)
        if np.size(counts) and np.min(counts) == 0:
            warnings.warn(f"upsweep.{call}: no elements; the result is NaN", RuntimeWarning, stacklevel=4)
        if result.kind in "iu":
            return (total / counts).astype(result)
        return np.true_divide(total, counts).astype(result)


def _spread(call, a, axis, dtype, ddof, keepdims, where, given_mean, correction, root):
    """Return the variance, or the standard deviation with `root`, as a host result."""
    if correction is not None:
        if ddof != 0:
            raise BadArgument(f"{call}: ddof and correction together; give one of them")
        ddof = correction
    space, x = host_arrays(call, a)
    axes = axes_of(call, axis, x.ndim)
    kind, result = _mean_types(x.dtype, dtype)
    with np.errstate(all="ignore"):
        if x.size == 0 and given_mean is None:
            centre = np.zeros(shape_without(x.shape, axes, True), kind)
        else:
            centre = _mean(call, x, axis, kind, True, where) if given_mean is None else np.asarray(given_mean)
        squares = _squares(x, centre, axes, kind, where).reshape(shape_without(x.shape, axes, keepdims))
        counts = _counts(x, axes, where, keepdims)
        if np.size(counts) and np.min(counts) <= ddof:
            warnings.warn(f"upsweep.{call}: ddof is not below the number of elements", RuntimeWarning, stacklevel=4)
        divided = np.true_divide(squares, np.maximum(np.subtract(counts, ddof), 0))
        return space, (np.sqrt(divided) if root else divided).astype(result)


_PIECE = 1 << 22  # elements to convert at once


def _squares(x, centre, axes, kind, where):
    """Return the sums of the squares of the differences to the centre, with the axes kept. A large array is halved along its longest axis."""
    if x.size <= _PIECE:
        apart = x.astype(kind, copy=False) - centre
        return np.asarray(total_of(apart * apart, None if len(axes) == x.ndim else tuple(axes), kind, None, True, where=where))
    axis = int(np.argmax(x.shape))
    if where is not True:
        where = np.broadcast_to(where, x.shape)
    sums = []
    for half in (slice(x.shape[axis] // 2), slice(x.shape[axis] // 2, None)):
        index = (slice(None),) * axis + (half,)
        mean = centre if np.ndim(centre) <= axis or np.shape(centre)[axis] == 1 else centre[index]
        sums.append(_squares(x[index], mean, axes, kind, where if where is True else where[index]))
    return sums[0] + sums[1] if axis in axes else np.concatenate(sums, axis)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """Return the variance of all elements, or along axes: the mean of the squares of the differences to the mean.

    Parameters
    ----------
    a : array
        The elements, in host memory.
    axis, dtype, out, keepdims, where
        As in mean().
    ddof : number
        The squares are divided by the number of elements less ddof.
    mean : array, optional
        The mean, with the axes kept, if it is known.
    correction : number, optional
        Another name of ddof.

    Returns
    -------
    scalar or array
        A scalar where no axis is left.

    Examples
    --------
    >>> float(upsweep.var([1, 2, 3], ddof=1))
    1.0
    """
    space, result = _spread("var", a, axis, dtype, ddof, keepdims, where, mean, correction, False)
    return write_host(space, "var", result, out)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """Return the standard deviation: the square root of var(), whose parameters it has.

    Examples
    --------
    >>> float(upsweep.std([1, 3]))
    1.0
    """
    space, result = _spread("std", a, axis, dtype, ddof, keepdims, where, mean, correction, True)
    return write_host(space, "std", result, out)


# ---- Quantiles

# (alpha, beta) of the methods that interpolate between two elements (Hyndman and Fan, 1996): index = n q + alpha + q (1 - alpha - beta) - 1.
_INTERPOLATED = {"linear": (1, 1), "interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0),
                 "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8)}
_ROUNDED = ("lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation")


def _positions(call, method, n, q):
    """Return (index below, index above, weight of the one above) of each quantile among n sorted elements."""
    if method in _INTERPOLATED:
        alpha, beta = _INTERPOLATED[method]
        index = (n - 1) * q if method == "linear" else n * q + (alpha + q * (1 - alpha - beta)) - 1
        index = np.clip(index, 0, n - 1)
        low = np.floor(index)
        return low, np.minimum(low + 1, n - 1), index - low
    if method not in _ROUNDED:
        raise BadArgument(f"{call}: unknown method {method!r}; give one of {', '.join((*_INTERPOLATED, *_ROUNDED))}")
    if method in ("inverted_cdf", "averaged_inverted_cdf"):
        index = n * q - 1
        low = np.clip(np.ceil(index), 0, n - 1)
        average = (index == np.floor(index)) & (method == "averaged_inverted_cdf") & (index >= 0)
        return low, np.where(average, np.minimum(low + 1, n - 1), low), np.where(average, 0.5, 0.0)
    if method == "closest_observation":
        index = n * q - 1 - 0.5
        low = np.floor(index)
        odd = low % 2 == 1
        low = np.clip(np.where((index == low) & odd, low, low + 1), 0, n - 1)
        return low, low, np.zeros_like(q)
    index = (n - 1) * q
    low, high = np.floor(index), np.ceil(index)
    if method == "midpoint":
        return low, high, np.where(low == high, 0.0, 0.5)
    low = {"lower": low, "higher": high, "nearest": np.rint(index)}[method]
    return low, low, np.zeros_like(q)


def _lines(x, axes):
    """Return the elements of the given axes as lines: the last axis, after the other axes."""
    rest = [i for i in range(x.ndim) if i not in axes]
    length = math.prod(x.shape[i] for i in axes)
    return np.ascontiguousarray(x.transpose(rest + axes)).reshape(shape_without(x.shape, axes, False) + (length,))


def _between(low, high, weight):
    """Return low + (high - low) weight, and low itself where the weight is 0."""
    apart = high - low
    between = np.where(weight >= 0.5, high - apart * (1 - weight), low + apart * weight)
    return np.where(weight == 0, low, between)  # high may be infinite


def _quantiles(call, a, q, axis, out, keepdims, method):
    space, x = host_arrays(call, a)
    q = np.asarray(q, np.float64)
    if not ((q >= 0) & (q <= 1)).all():
        raise BadArgument(f"{call}: a quantile is out of range; give {'0 to 100' if call == 'percentile' else '0 to 1'}")
    if x.dtype.kind not in "iuf":
        raise Unsupported(f"{call}: elements of {x.dtype}; give numbers")
    axes = axes_of(call, axis, x.ndim)
    lines = _lines(x, axes)
    n = lines.shape[-1]
    discrete = method in _ROUNDED and method not in ("midpoint", "averaged_inverted_cdf")
    kind = x.dtype if discrete or x.dtype.kind == "f" and (x.dtype == np.float64 or call == "median") else np.float64
    if n == 0:
        raise BadArgument(f"{call}: there are no elements; give at least one")
    low, high, weight = _positions(call, method, n, q.reshape(-1))
    ordered = sort(lines)
    first, last = (ordered.take(each.astype(np.int64), -1) for each in (low, high))
    with np.errstate(all="ignore"):
        result = first if discrete else _between(first.astype(kind), last.astype(kind), weight)
    if x.dtype.kind == "f":
        result = np.where(np.isnan(ordered[..., -1:]), np.nan, result)
    result = np.moveaxis(result, -1, 0).astype(kind, copy=False)
    result = result.reshape(q.shape + shape_without(x.shape, axes, keepdims))
    return write_host(space, call, result if result.shape or keepdims or out is not None else result[()], out)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """Return quantiles of all elements, or along axes. NaN where one of the elements is NaN.

    The elements are sorted whole.

    Parameters
    ----------
    a : array
        The elements, in host memory.
    q : number or array
        The quantiles, from 0 to 1.
    axis : int or tuple of int, optional
        The axes of the elements. The default is the whole array.
    out : array, optional
        The array for the result.
    overwrite_input : bool
        Has no effect.
    method : str
        How to choose between two elements: one of the methods of numpy.quantile.
    keepdims : bool
        Keep the axes with length 1.

    Returns
    -------
    scalar or array
        The axes of q, and then the axes of a that are left.

    Examples
    --------
    >>> upsweep.quantile([1, 2, 3, 4, 5], [0, 0.5]).tolist()
    [1.0, 3.0]
    """
    return _quantiles("quantile", a, q, axis, out, keepdims, method)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """Return quantile(a, q / 100). The parameters are those of quantile().

    Examples
    --------
    >>> float(upsweep.percentile([1, 2, 3], 50))
    2.0
    """
    return _quantiles("percentile", a, np.true_divide(q, 100), axis, out, keepdims, method)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Return the median of all elements, or along axes: the mean of the two elements in the middle, or the one.

    NaN where one of the elements is NaN. The parameters are those of quantile(). upsweep.image.median_filter() is the filter of images.

    Examples
    --------
    >>> float(upsweep.median([3, 1, 2, 10]))
    2.5
    """
    call = "median"
    space, x = host_arrays(call, a)
    if x.dtype.kind not in "iufb":
        raise Unsupported(f"{call}: elements of {x.dtype}; give numbers")
    axes = axes_of(call, axis, x.ndim)
    lines = _lines(x, axes)
    n = lines.shape[-1]
    shape = shape_without(x.shape, axes, keepdims)
    kind = x.dtype if x.dtype.kind == "f" else np.dtype("f8")
    if n == 0:
        warnings.warn("upsweep.median: no elements; the result is NaN", RuntimeWarning, stacklevel=2)
        result = np.full(shape, np.nan, kind)
    else:
        ordered = sort(lines)
        middle = ordered[..., (n - 1) // 2:n // 2 + 1]
        wide = np.dtype("f4") if kind == _HALF else kind
        with np.errstate(all="ignore"):
            result = (middle.astype(wide).sum(-1) / middle.shape[-1]).astype(kind)
        if x.dtype.kind == "f":
            result = np.where(np.isnan(ordered[..., -1]), kind.type(np.nan), result)
        result = np.asarray(result, kind).reshape(shape)
    return write_host(space, call, result if shape or keepdims or out is not None else result[()], out)
