"""Recurrences: each result depends on the one before it."""
from __future__ import annotations

import numpy as np

from . import _calls
from .arrays import as_arrays, code_of, element, output_array
from .errors import BadArgument, Unsupported


def _carry(call, space, start, count, dtype):
    values = np.zeros(count, dtype)
    if start is not None:
        given = np.atleast_1d(np.asarray(start))
        if given.shape != (count,):
            raise BadArgument(f"{call}: a start of shape {given.shape}; give {count}")
        for i in range(count):
            values[i] = np.frombuffer(element(call, given[i], dtype), dtype)[0]
    return space.from_host(values)


def recurrence(a, b, *, start=0, out=None):
    """Return x with x[i] = a[i]·x[i-1] + b[i] and x[-1] = start. Types are float32, float64, and uint32 and uint64, which wrap.

    Parameters
    ----------
    a : array
        The factors.
    b : array
        The summands.
    start : number
        The result before the first one.
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        The results.
    """
    call = "recurrence"
    space, a, b = as_arrays(call, a, b)
    if a.dtype != b.dtype or tuple(a.shape) != tuple(b.shape) or a.ndim != 1:
        raise BadArgument(f"{call}: {a.dtype} of shape {tuple(a.shape)} and {b.dtype} of shape {tuple(b.shape)}; give two sequences of one type and length")
    to = output_array(space, call, out, a.size, a.dtype)
    _calls.recurrence(space.context.address, code_of(call, a.dtype), a, b, a.size, to, _carry(call, space, start, 1, a.dtype))
    return space.result(to, out)


def _floats(call, x):
    if x.dtype.kind != "f" or x.dtype.itemsize < 4 or x.ndim != 1:
        raise Unsupported(f"{call}: {x.dtype} of shape {tuple(x.shape)}; give a sequence of float32 or float64")


def moving_average(x, alpha, *, start=0, out=None):
    """Return the exponential moving average: y[i] = (1 - alpha)·y[i-1] + alpha·x[i] with y[-1] = start.

    Parameters
    ----------
    x : array
        The elements.
    alpha : float
        The weight of the newest element.
    start : number
        The result before the first one.
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        The averages.
    """
    call = "moving_average"
    space, x = as_arrays(call, x)
    _floats(call, x)
    to = output_array(space, call, out, x.size, x.dtype)
    _calls.moving_average(space.context.address, code_of(call, x.dtype), x, x.size, alpha, to, _carry(call, space, start, 1, x.dtype))
    return space.result(to, out)


def lfilter(b, a, x, *, out=None):
    """Apply a digital filter of up to two poles and two zeros, from rest, as scipy.signal.lfilter does.

    y[i] = Σ b[k]·x[i-k] - Σ a[k]·y[i-k], where all coefficients are divided by a[0]. Trailing zeros of b and a are ignored. Without feedback, a NaN
    or an infinity affects only as many results as the filter is long.

    Parameters
    ----------
    b : array
        The coefficients of the inputs.
    a : array
        The coefficients of the outputs.
    x : array
        The elements.
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        The filtered elements.
    """
    call = "lfilter"
    space, x = as_arrays(call, x)
    _floats(call, x)
    b, a = np.atleast_1d(np.asarray(b, np.float64)), np.atleast_1d(np.asarray(a, np.float64))
    if b.ndim != 1 or a.ndim != 1 or not 1 <= len(b) <= 3 or not 1 <= len(a) <= 3 or a[0] == 0:
        raise BadArgument(f"{call}: b of {b.size} and a of {a.size} coefficients; give 1 to 3 of each, and a[0] other than 0")
    to = output_array(space, call, out, x.size, x.dtype)
    filter_section(space, call, b, a, x, to, _carry(call, space, None, 2, x.dtype))
    return space.result(to, out)


def filter_section(space, call, b, a, x, to, state):
    """Filter one sequence by up to two zeros and two poles. `state` is read before the first element, and written after the last."""
    ahead, back = np.zeros(3), np.zeros(2)
    ahead[: len(b)], back[: len(a) - 1] = b / a[0], a[1:] / a[0]
    _calls.iir_filter(space.context.address, code_of(call, x.dtype), ahead, back, x, x.size, to, state)
