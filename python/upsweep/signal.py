"""Filters of signals with the names and arguments of scipy.signal. Arrays are in host memory.

Elements are real numbers. Recursive filters run on the CPU, also inside upsweep.device(). They have up to two poles; sosfilt() applies filters of more poles as second-order sections.
"""
from __future__ import annotations

import math

import numpy as np

from .arrays import F32, F64, axis_of, host, host_arrays, integer, write_host
from .errors import BadArgument, Unsupported
from .image import median_filter
from .pictures import convolve_numbers
from .sequences import filter_section

__all__ = ["convolve", "correlate", "fftconvolve", "lfilter", "medfilt", "savgol_coeffs", "savgol_filter", "sosfilt"]


# ---- Recursive filters


def _coefficients(call, name, values):
    values = np.atleast_1d(np.asarray(values))
    if values.ndim != 1 or not values.size or values.dtype.kind not in "biuf":
        raise BadArgument(f"{call}: {name} is {values.dtype} of shape {values.shape}; give a sequence of real numbers")
    return values


def _float_type(call, *arrays):
    """Return the type to filter in: SciPy's, which is float64 for integers."""
    kind = np.result_type(*arrays)
    if kind.kind in "biu":
        return F64
    if kind not in (F32, F64):
        raise Unsupported(f"{call}: elements and coefficients of {kind}; give float32 or float64")
    return kind


def _state(call, zi, shape, kind):
    """Return the given state of a filter, or zeros, as a writable array of the type to filter in."""
    if zi is None:
        return np.zeros(shape, kind)
    try:
        return np.broadcast_to(np.asarray(zi, kind), shape).copy()
    except ValueError:
        raise BadArgument(f"{call}: zi is of shape {np.shape(zi)}; give {shape}") from None


def _on_cpu(space):
    """Return the memory space for lines of host memory: recursive filters run on the CPU, on every device."""
    return space if space.on_host else host()


def _lines(x, axis):
    """Return an array with the axis last, as contiguous lines."""
    moved = np.ascontiguousarray(np.moveaxis(x, axis, -1))
    return moved, moved.reshape(math.prod(moved.shape[:-1]), x.shape[axis])


def lfilter(b, a, x, axis=-1, zi=None):
    """Filter along an axis: y[i] = sum of b[k] x[i-k] less the sum of a[k] y[i-k], all divided by a[0], as scipy.signal.lfilter does.

    Parameters
    ----------
    b : array
        The coefficients of the inputs, any number of them.
    a : array
        The coefficients of the outputs: 1 to 3 of them. A filter of more poles is an error; give its sections to sosfilt().
    x : array
        The signal.
    axis : int
        The axis to filter along.
    zi : array, optional
        The state before the first element, as scipy.signal.lfiltic and lfilter_zi return it.

    Returns
    -------
    y : array
        The filtered signal, of NumPy's common type of b, a and x.
    zf : array
        The state after the last element, where zi is given.

    Examples
    --------
    >>> upsweep.signal.lfilter([1.0], [1.0, -0.5], [1.0, 0.0, 0.0]).tolist()
    [1.0, 0.5, 0.25]
    """
    call = "lfilter"
    space, x = host_arrays(call, x)
    b, a = _coefficients(call, "b", b), _coefficients(call, "a", a)
    axis = axis_of(call, axis, x.ndim)
    if a[0] == 0:
        raise BadArgument(f"{call}: a[0] is 0; give another number")
    order = max(len(a), len(b)) - 1
    kind = _float_type(call, b, a, x, *(() if zi is None else (np.asarray(zi),)))
    poles = np.trim_zeros(a, "b")
    if len(poles) > 3:
        raise Unsupported(f"{call}: {len(poles) - 1} poles; give up to 2, or second-order sections to sosfilt()")
    b, a = b.astype(F64) / a[0], a.astype(F64) / a[0]
    moved, lines = _lines(x.astype(kind, copy=False), axis)
    state = _state(call, zi, _state_shape(x, axis, order), kind)
    states = np.moveaxis(state, axis, -1).reshape(len(lines), order)
    y, after = np.empty_like(lines), np.empty_like(states)
    for line, start, to, end in zip(lines, states, y, after):
        end[:] = _filter_line(_on_cpu(space), call, b, a, line, start, to)
    y = np.moveaxis(y.reshape(moved.shape), -1, axis)
    if zi is None:
        return write_host(space, call, np.ascontiguousarray(y), None)
    after = np.moveaxis(after.reshape(moved.shape[:-1] + (order,)), -1, axis)
    return write_host(space, call, np.ascontiguousarray(y), None), write_host(space, call, np.ascontiguousarray(after), None)


def _state_shape(x, axis, order):
    return x.shape[:axis] + (order,) + x.shape[axis + 1:]


def _filter_line(space, call, b, a, x, start, to):
    """Filter one line and return the state after it. More than three b are convolved first."""
    short, n, order = np.trim_zeros(a, "b"), len(x), len(start)
    zeros = np.trim_zeros(b, "b")
    if len(zeros) <= 3:
        state = np.zeros(2, x.dtype)
        state[:min(order, 2)] = start[:2]
        if not start[2:].any():
            filter_section(space, call, zeros if len(zeros) else np.zeros(1), short, x, to, state)
            after = np.zeros(order, x.dtype)
            after[:min(order, 2)] = state[:min(order, 2)]
            return after
    ahead = convolve_numbers(call, x, b.astype(x.dtype), "full")[:n] if n else x.copy()
    ahead[:order] += start[:n]  # the states before the first element are inputs of the poles
    filter_section(space, call, np.ones(1), short, np.ascontiguousarray(ahead), to, np.zeros(2, x.dtype))
    after = np.zeros(order, x.dtype)
    for k in range(order):
        for j in range(k + 1, min(order, n + k) + 1):
            at = n - (j - k)
            after[k] += (b[j] * x[at] if j < len(b) else 0) - (a[j] * to[at] if j < len(a) else 0)
        after[k] += start[k + n] if k + n < order else 0
    return after


def sosfilt(sos, x, axis=-1, zi=None):
    """Filter along an axis by second-order sections, one after the other, as scipy.signal.sosfilt does.

    Parameters
    ----------
    sos : array
        The sections: rows of b0, b1, b2, 1, a1, a2.
    x : array
        The signal.
    axis : int
        The axis to filter along.
    zi : array, optional
        The states before the first element, as scipy.signal.sosfilt_zi returns them: of each section, with length 2 along the axis.

    Returns
    -------
    y : array
        The filtered signal.
    zf : array
        The states after the last element, where zi is given.

    Examples
    --------
    >>> upsweep.signal.sosfilt([[1, 0, 0, 1, -0.5, 0]], [1.0, 0.0, 0.0]).tolist()
    [1.0, 0.5, 0.25]
    """
    call = "sosfilt"
    space, x = host_arrays(call, x)
    sos = np.atleast_2d(np.asarray(sos))
    if sos.ndim != 2 or sos.shape[1] != 6 or sos.dtype.kind not in "biuf" or not (sos[:, 3] == 1).all():
        raise BadArgument(f"{call}: sections of shape {sos.shape}; give rows of six real numbers, the fourth of which is 1")
    axis = axis_of(call, axis, x.ndim)
    kind = _float_type(call, sos, x)
    moved, lines = _lines(x.astype(kind, copy=False), axis)
    state = _state(call, zi, (len(sos),) + _state_shape(x, axis, 2), kind)
    states = np.ascontiguousarray(np.moveaxis(state, axis + 1, -1)).reshape(len(sos), len(lines), 2)
    y = lines.copy()
    for section, of_section in zip(sos.astype(F64), states):
        for line, of_line in zip(y, of_section):
            filter_section(_on_cpu(space), call, section[:3], section[3:], line, line, of_line)
    y = np.ascontiguousarray(np.moveaxis(y.reshape(moved.shape), -1, axis))
    if zi is None:
        return write_host(space, call, y, None)
    states = np.moveaxis(states.reshape((len(sos),) + moved.shape[:-1] + (2,)), -1, axis + 1)
    return write_host(space, call, y, None), write_host(space, call, np.ascontiguousarray(states), None)


# ---- Convolutions


def _cropped(call, full, first, second, mode, broadcasts):
    """Return the part of all overlaps that a mode names. fftconvolve() broadcasts axes of length 1."""
    if mode == "full":
        return full
    if mode == "same":
        return full[tuple(slice((n - size) // 2, (n - size) // 2 + size) for n, size in zip(full.shape, first))]
    if mode != "valid":
        raise BadArgument(f"{call}: unknown mode {mode!r}; give one of full, same, valid")
    pairs = [(n, m) for n, m in zip(first, second) if not (broadcasts and 1 in (n, m))]
    if not (all(n >= m for n, m in pairs) or all(n <= m for n, m in pairs)):
        raise BadArgument(f"{call}: shapes {first} and {second} with mode=\"valid\"; give one that is as long as the other along every axis")
    return full[tuple(slice(0 if broadcasts and 1 in (n, m) else min(n, m) - 1, max(n, m)) for n, m in zip(first, second))]


def _convolved(call, in1, in2, mode, flipped, floats=False):
    space, one, other = host_arrays(call, in1, in2)
    for each in (one, other):
        if each.dtype.kind not in "biuf":
            raise Unsupported(f"{call}: elements of {each.dtype}; give real numbers")
    if one.ndim != other.ndim:
        raise BadArgument(f"{call}: {one.ndim} axes and {other.ndim}; give as many")
    common = np.result_type(one, other)
    if floats and any(1 not in lengths for lengths in zip(one.shape, other.shape)):  # SciPy transforms each array in its own type
        common = np.result_type(*(F32 if each.dtype.kind == "f" and each.dtype.itemsize <= 4 else F64 for each in (one, other)))
    one, other = one.astype(common, copy=False), other.astype(common, copy=False)
    if one.ndim == 0:
        return write_host(space, call, one * other, None)
    if one.size == 0 or other.size == 0:
        return write_host(space, call, np.array([]), None)
    if not flipped:
        other = np.flip(other)
    mask, x = (other, one) if other.size <= one.size else (one, other)
    full = convolve_numbers(call, x, mask, "full")
    return write_host(space, call, np.ascontiguousarray(_cropped(call, full, one.shape, other.shape, mode, floats)), None)


def _check_method(call, method):
    if method not in ("auto", "direct", "fft"):
        raise BadArgument(f"{call}: unknown method {method!r}; give one of auto, direct, fft")


def convolve(in1, in2, mode="full", method="auto"):
    """Convolve two arrays, as scipy.signal.convolve does.

    Parameters
    ----------
    in1, in2 : array
        The arrays, with as many axes.
    mode : str
        "full", "same", which is as large as in1, or "valid".
    method : str
        As in SciPy. It has no effect: the library chooses between sums and an FFT.

    Returns
    -------
    array
        The sums, of NumPy's common type.

    Examples
    --------
    >>> upsweep.signal.convolve([1, 2, 3], [0, 1], "same").tolist()
    [0, 1, 2]
    """
    _check_method("convolve", method)
    return _convolved("convolve", in1, in2, mode, True)


def correlate(in1, in2, mode="full", method="auto"):
    """Correlate two arrays, as scipy.signal.correlate does: convolve() with the elements of in2 in reverse order.

    The parameters are those of convolve().

    Examples
    --------
    >>> upsweep.signal.correlate([1, 2, 3], [0, 1], "valid").tolist()
    [2, 3]
    """
    _check_method("correlate", method)
    return _convolved("correlate", in1, in2, mode, False)


def fftconvolve(in1, in2, mode="full", axes=None):
    """Convolve two arrays of floats, as scipy.signal.fftconvolve does. Integers are convolved in float64.

    Parameters
    ----------
    in1, in2 : array
        The arrays, with as many axes.
    mode : str
        As in convolve().
    axes : optional
        The axes to convolve along, which are all.

    Returns
    -------
    array
        The sums.

    Examples
    --------
    >>> upsweep.signal.fftconvolve([1.0, 2.0], [1.0, 1.0]).tolist()
    [1.0, 3.0, 2.0]
    """
    call = "fftconvolve"
    if axes is not None and sorted(axis_of(call, each, np.ndim(in1)) for each in np.atleast_1d(axes)) != list(range(np.ndim(in1))):
        raise Unsupported(f"{call}: axes={axes!r}; give all axes")
    return _convolved(call, in1, in2, mode, True, floats=True)


# ---- Smoothing


def medfilt(volume, kernel_size=None):
    """Return the median of the box around each element, with zeros around the array, as scipy.signal.medfilt does.

    Parameters
    ----------
    volume : array
        The array, of 1 or 2 axes.
    kernel_size : int, optional
        The length of the box along each axis, which is odd. The default is 3.

    Returns
    -------
    array
        The medians, of the type of the elements.

    Examples
    --------
    >>> upsweep.signal.medfilt([5.0, 1.0, 2.0]).tolist()
    [1.0, 2.0, 1.0]
    """
    return median_filter(volume, 3 if kernel_size is None else kernel_size, mode="constant")


def savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv"):
    """Return the coefficients of a Savitzky-Golay filter, as scipy.signal.savgol_coeffs does.

    Parameters
    ----------
    window_length : int
        How many coefficients.
    polyorder : int
        The degree of the polynomials, below window_length.
    deriv : int
        Which derivative of the polynomials is evaluated.
    delta : float
        The distance of two samples.
    pos : int, optional
        The index in the window where the polynomials are evaluated. The default is the middle.
    use : str
        "conv", for a convolution, or "dot", for a sum of products.

    Returns
    -------
    array of float64
        The coefficients.

    Examples
    --------
    >>> upsweep.signal.savgol_coeffs(3, 1).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    call = "savgol_coeffs"
    window_length, polyorder = integer(call, "window_length", window_length), integer(call, "polyorder", polyorder)
    if not 0 <= polyorder < window_length:
        raise BadArgument(f"{call}: polyorder is {polyorder}; give 0 to {window_length - 1}")
    if use not in ("conv", "dot"):
        raise BadArgument(f"{call}: unknown use {use!r}; give \"conv\" or \"dot\"")
    half, odd = divmod(window_length, 2)
    pos = half if pos is None and odd else half - 0.5 if pos is None else pos
    if not 0 <= pos < window_length:
        raise BadArgument(f"{call}: pos is {pos}; give 0 to {window_length - 1}")
    if deriv > polyorder:
        return np.zeros(window_length)
    x = np.arange(-pos, window_length - pos, dtype=float)
    powers = x ** np.arange(polyorder + 1).reshape(-1, 1)
    goal = np.zeros(polyorder + 1)
    goal[deriv] = float(np.prod(np.arange(1, deriv + 1))) / delta**deriv
    values = np.linalg.lstsq(powers, goal, rcond=None)[0]
    return values[::-1] if use == "conv" else values


def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    """Smooth along an axis by polynomials that are fitted to windows, as scipy.signal.savgol_filter does.

    Parameters
    ----------
    x : array
        The signal, of up to 3 axes. float32 is computed in float32, other types in float64.
    window_length, polyorder, deriv, delta
        As in savgol_coeffs().
    axis : int
        The axis to filter along.
    mode : str
        The border: "interp", which evaluates the polynomials of the first and the last window, or "mirror", "nearest", "wrap", "constant".
    cval : number
        The value past a constant border, which is 0.

    Returns
    -------
    array
        The smoothed signal.

    Examples
    --------
    >>> upsweep.signal.savgol_filter([0.0, 1.0, 2.0, 3.0], 3, 1).round(3).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    call = "savgol_filter"
    if mode not in ("mirror", "constant", "nearest", "interp", "wrap"):
        raise BadArgument(f"{call}: unknown mode {mode!r}; give one of mirror, constant, nearest, interp, wrap")
    space, x = host_arrays(call, x)
    axis = axis_of(call, axis, x.ndim)
    x = x.astype(x.dtype if x.dtype in (F32, F64) else F64, copy=False)
    mask = savgol_coeffs(window_length, polyorder, deriv, delta)
    n, window = x.shape[axis], len(mask)
    if mode == "interp" and window > n:
        raise BadArgument(f"{call}: a window of {window} for {n} elements with mode=\"interp\"; give a shorter one, or another mode")
    from .image import convolve as convolve_image
    shape = [1] * x.ndim
    shape[axis] = window
    result = convolve_image(x, mask.reshape(shape), mode="constant" if mode == "interp" else mode, cval=cval)
    if mode == "interp":
        lines, smooth = np.moveaxis(x, axis, 0), np.moveaxis(result, axis, 0)
        half = window // 2
        for source, places in ((lines[:window], slice(0, half)), (lines[n - window:], slice(n - half, n))):
            at = np.arange(places.start, places.stop) - (0 if places.start == 0 else n - window)
            columns = source.reshape(window, math.prod(lines.shape[1:])).astype(F64)
            fitted = np.polyfit(np.arange(window), columns, polyorder)
            for _ in range(deriv):
                fitted = fitted[:-1] * np.arange(len(fitted) - 1, 0, -1).reshape(-1, 1)
            values = sum((row * at.reshape(-1, 1) ** float(power) for power, row in enumerate(fitted[::-1])), np.zeros((half, columns.shape[1])))
            smooth[places] = (values / delta**deriv).reshape((half,) + lines.shape[1:])
    return write_host(space, call, result, None)
