"""Filters of images with the names and arguments of scipy.ndimage. Arrays are in host memory. bilateral(), box_filter(),
box_median(), integral() and resize() are filters of our own, which also take arrays on a GPU.

Borders have SciPy's names: "reflect", "nearest", "mirror", "wrap", and "constant" with cval=0. float16 and bool are not taken; integers are
filtered in float64 and lose their fraction after each axis, as in SciPy.
"""
from __future__ import annotations

import numpy as np

from .arrays import F32, F64, host_arrays, integer, write_host
from .errors import BadArgument, Unsupported
from .fold_arguments import axes_of
from .names import one_of
from .pictures import bilateral, box_filter, box_median, integral, resize
from .pictures import convolve as _convolve
from .pictures import correlate as _correlate

__all__ = ["bilateral", "box_filter", "box_median", "convolve", "correlate", "gaussian_filter", "integral", "median_filter", "resize", "sobel",
           "uniform_filter"]

_BORDERS = {"reflect": "reflect", "nearest": "clamp", "mirror": "mirror", "wrap": "wrap", "constant": "zero", "grid-mirror": "reflect",
            "grid-wrap": "wrap", "grid-constant": "zero"}


def _image(call, input, mode, cval):  # noqa: A002
    """Return (space, elements, border)."""
    space, x = host_arrays(call, input)
    if x.dtype.kind not in "iuf" or x.dtype == np.float16:
        raise Unsupported(f"{call}: elements of {x.dtype}; give integers, float32 or float64")
    if not 1 <= x.ndim <= 3:
        raise BadArgument(f"{call}: an array of shape {x.shape}; give 1 to 3 axes")
    border = one_of(call, "mode", _BORDERS, mode)
    if border == "zero" and cval != 0:
        raise Unsupported(f"{call}: mode={mode!r} with cval={cval!r}; give cval=0")
    return space, x, border


def _result_type(call, x, output):
    """Return the type of the result and the array to write to, from SciPy's `output`: None, a type or an array."""
    if isinstance(output, np.ndarray):
        if output.shape != x.shape:
            raise BadArgument(f"{call}: output is of shape {output.shape}; the result is of shape {x.shape}")
        return output.dtype, output
    return np.dtype(x.dtype if output is None else output), None


def _finish(space, call, result, kind, output):
    """Return a result in the type of the output. SciPy also drops the fraction of integers."""
    result = result.astype(kind, copy=False)
    if output is None:
        return write_host(space, call, result, None)
    output[...] = result
    return output


def _masked(call, function, input, weights, output, mode, cval, origin):  # noqa: A002
    space, x, border = _image(call, input, mode, cval)
    weights = np.asarray(weights)
    if weights.ndim != x.ndim:
        raise BadArgument(f"{call}: weights of {weights.ndim} axes for {x.ndim}; give as many")
    if np.any(np.asarray(origin) != 0):
        raise Unsupported(f"{call}: origin={origin!r}; give 0")
    kind, output = _result_type(call, x, output)
    wide = _wide(x)
    return _finish(space, call, function(x.astype(wide, copy=False), weights.astype(wide), border=border), kind, output)


def _wide(x):
    return x.dtype if x.dtype in (F32, F64) else F64


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0):  # noqa: A002
    """Correlate an image with weights, as scipy.ndimage.correlate does.

    Parameters
    ----------
    input : array
        The image, of 1 to 3 axes.
    weights : array
        The weights, with as many axes.
    output : array or dtype, optional
        The array for the result, or its type.
    mode : str
        The border: "reflect", "nearest", "mirror", "wrap" or "constant".
    cval : number
        The value past a constant border, which is 0.
    origin : int
        The offset of the weights, which is 0.

    Returns
    -------
    array
        The image, of the type of input.

    Examples
    --------
    >>> upsweep.image.correlate([1.0, 2.0, 3.0], [1, 1, 1]).tolist()
    [4.0, 6.0, 8.0]
    """
    return _masked("correlate", _correlate, input, weights, output, mode, cval, origin)


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0):  # noqa: A002
    """Convolve an image with weights, as scipy.ndimage.convolve does. The parameters are those of correlate().

    Examples
    --------
    >>> upsweep.image.convolve([1.0, 2.0, 3.0], [1, 0, 0]).tolist()
    [2.0, 3.0, 3.0]
    """
    return _masked("convolve", _convolve, input, weights, output, mode, cval, origin)


def _along_axes(x, masks, border, kind):
    """Correlate along each axis with its mask, or not where it is None. Integers lose their fraction after each axis, as in SciPy."""
    for axis, mask in enumerate(masks):
        if mask is not None:
            shape = [1] * x.ndim
            shape[axis] = len(mask)
            x = _correlate(x, mask.reshape(shape).astype(x.dtype), border=border)
            x = x.astype(kind).astype(x.dtype) if kind.kind in "iu" else x
    return x


def _each_axis(call, name, values, axes):
    """Return one value for each axis."""
    values = [values] * axes if np.ndim(values) == 0 else list(values)
    if len(values) != axes:
        raise BadArgument(f"{call}: {len(values)} values of {name} for {axes} axes; give one, or one for each axis")
    return values


def _gaussian_mask(sigma, order, radius):
    """Return the samples of a Gaussian, or of its derivative, that SciPy uses."""
    x = np.arange(-radius, radius + 1)
    weights = np.exp(-0.5 / (sigma * sigma) * x**2)
    weights /= weights.sum()
    polynomial = np.array([1.0])  # the factor of the derivative: q -> q' - x q / sigma^2
    for _ in range(order):
        derivative = np.polynomial.polynomial.polyder(polynomial) if len(polynomial) > 1 else np.zeros(1)
        polynomial = np.polynomial.polynomial.polyadd(derivative, np.polynomial.polynomial.polymulx(polynomial) / -(sigma * sigma))
    return (weights * np.polynomial.polynomial.polyval(x, polynomial))[::-1] if order else weights


def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None):  # noqa: A002
    """Blur an image with a Gaussian, as scipy.ndimage.gaussian_filter does: exactly, by one mask for each axis.

    The time grows with sigma. That of upsweep.gaussian(), which is less exact, does not.

    Parameters
    ----------
    input : array
        The image, of 1 to 3 axes. float32 is computed in float32, other types in float64.
    sigma : number or sequence
        The standard deviation, of all axes or of each. An axis of 0 is left as it is.
    order : int or sequence
        0 is the Gaussian, 1 its derivative, and so on.
    output, mode, cval
        As in correlate().
    truncate : float
        How many standard deviations the mask reaches to each side.
    radius : int or sequence, optional
        How many elements the mask reaches, in place of truncate.

    Returns
    -------
    array
        The image, of the type of input.

    Examples
    --------
    >>> upsweep.image.gaussian_filter([0.0, 0.0, 1.0, 0.0, 0.0], 0.5).round(3).tolist()
    [0.0, 0.106, 0.787, 0.106, 0.0]
    """
    call = "gaussian_filter"
    space, x, border = _image(call, input, mode, cval)
    kind, output = _result_type(call, x, output)
    masks = []
    radii = _each_axis(call, "radius", radius, x.ndim)
    for one, derivative, reach in zip(_each_axis(call, "sigma", sigma, x.ndim), _each_axis(call, "order", order, x.ndim), radii):
        if one < 0 or not np.isfinite(one):
            raise BadArgument(f"{call}: sigma is {one}; give 0 or more")
        derivative = integer(call, "the order", derivative)
        if derivative < 0:
            raise BadArgument(f"{call}: the order is {derivative}; give 0 or more")
        reach = int(truncate * one + 0.5) if reach is None else integer(call, "the radius", reach)
        masks.append(_gaussian_mask(float(one), derivative, reach) if one > 1e-15 else None)
    return _finish(space, call, _along_axes(x.astype(_wide(x)), masks, border, kind), kind, output)


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0):  # noqa: A002
    """Return the mean of the box around each element, as scipy.ndimage.uniform_filter does.

    Parameters
    ----------
    input : array
        The image, of 1 to 3 axes.
    size : int or sequence
        The length of the box, along all axes or each.
    output, mode, cval, origin
        As in correlate().

    Returns
    -------
    array
        The image, of the type of input.

    Examples
    --------
    >>> upsweep.image.uniform_filter([1.0, 2.0, 6.0]).round(3).tolist()
    [1.333, 3.0, 4.667]
    """
    call = "uniform_filter"
    space, x, border = _image(call, input, mode, cval)
    if origin != 0:
        raise Unsupported(f"{call}: origin={origin!r}; give 0")
    kind, output = _result_type(call, x, output)
    masks = []
    for length in _each_axis(call, "size", size, x.ndim):
        length = integer(call, "the size", length)
        if length < 1:
            raise BadArgument(f"{call}: the size is {length}; give 1 or more")
        masks.append(np.full(length, 1 / length) if length > 1 else None)
    return _finish(space, call, _along_axes(x.astype(_wide(x)), masks, border, kind), kind, output)


def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):  # noqa: A002
    """Return Sobel's derivative along an axis, as scipy.ndimage.sobel does.

    Parameters
    ----------
    input : array
        The image, of 1 to 3 axes.
    axis : int
        The axis of the derivative. The other axes are smoothed by 1, 2, 1.
    output, mode, cval
        As in correlate().

    Returns
    -------
    array
        The image, of the type of input.

    Examples
    --------
    >>> upsweep.image.sobel([1.0, 2.0, 4.0]).tolist()
    [1.0, 3.0, 2.0]
    """
    call = "sobel"
    space, x, border = _image(call, input, mode, cval)
    kind, output = _result_type(call, x, output)
    axis, = axes_of(call, axis, x.ndim)
    masks = [np.array([-1.0, 0, 1]) if each == axis else np.array([1.0, 2, 1]) for each in range(x.ndim)]
    return _finish(space, call, _along_axes(x.astype(_wide(x)), masks, border, kind), kind, output)


def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):  # noqa: A002
    """Return the median of the box around each element, as scipy.ndimage.median_filter does.

    Types that float32 does not represent are ranked first, so the result is exact for all types.

    Parameters
    ----------
    input : array
        The image, of 1 or 2 axes.
    size : int
        The length of the box along each axis, which is odd.
    footprint : optional
        Not taken.
    output, mode, cval, origin
        As in correlate().

    Returns
    -------
    array
        The image, of the type of input.

    Examples
    --------
    >>> upsweep.image.median_filter([5, 1, 2], 3).tolist()
    [5, 2, 2]
    """
    call = "median_filter"
    space, x, border = _image(call, input, mode, cval)
    if footprint is not None or np.any(np.asarray(origin) != 0):
        raise Unsupported(f"{call}: footprint= or origin=; give size")
    if size is None:
        raise BadArgument(f"{call}: no size; give the length of the box")
    sizes = {integer(call, "the size", each) for each in _each_axis(call, "size", size, x.ndim)}
    if x.ndim > 2 or len(sizes) != 1 or min(sizes) < 1 or min(sizes) % 2 == 0:
        raise Unsupported(f"{call}: a size of {size!r} for {x.ndim} axes; give one odd length, and 1 or 2 axes")
    kind, output = _result_type(call, x, output)
    if x.dtype == F32 or x.dtype.itemsize <= 2:
        result = box_median(x.astype(F32, copy=False), min(sizes) // 2, border=border)
    else:
        values = np.unique(np.append(x.reshape(-1), x.dtype.type(0)))
        if len(values) > 1 << 24:
            raise Unsupported(f"{call}: {len(values)} distinct elements of {x.dtype}; give float32, or at most {1 << 24}")
        zero = np.searchsorted(values, 0)  # becomes rank 0, which borders of zeros have
        ranks = box_median((np.searchsorted(values, x) - zero).astype(F32), min(sizes) // 2, border=border)
        result = values[ranks.astype(np.int64) + zero]
    return _finish(space, call, result, kind, output)
