"""Recurrences: each element by the one before it."""
from __future__ import annotations

import numpy as np

from . import _calls
from .arrays import code_of, element, taken, target
from .errors import BadArgument, Unsupported


def _carry(call, place, start, count, dtype):
    values = np.zeros(count, dtype)
    if start is not None:
        given = np.atleast_1d(np.asarray(start))
        if given.shape != (count,):
            raise BadArgument(f"{call}: a start of shape {given.shape}; give {count}")
        for i in range(count):
            values[i] = np.frombuffer(element(call, given[i], dtype), dtype)[0]
    return place.seen_host(values)


def recurrence(a, b, *, start=0, out=None):
    """x[i] = a[i]·x[i-1] + b[i], x[-1] = start. float32, float64; uint32 and uint64 modulo 2^bits."""
    call = "recurrence"
    place, a, b = taken(call, a, b)
    if a.dtype != b.dtype or tuple(a.shape) != tuple(b.shape) or a.ndim != 1:
        raise BadArgument(f"{call}: {a.dtype} of shape {tuple(a.shape)} and {b.dtype} of shape {tuple(b.shape)}; give two sequences alike")
    to = target(place, call, out, a.size, a.dtype)
    _calls.recurrence(place.context.address, code_of(call, a.dtype), a, b, a.size, to, _carry(call, place, start, 1, a.dtype))
    return place.result(to, out)


def _floats(call, x):
    if x.dtype.kind != "f" or x.dtype.itemsize < 4 or x.ndim != 1:
        raise Unsupported(f"{call}: {x.dtype} of shape {tuple(x.shape)}; give a sequence of float32 or float64")


def moving_average(x, alpha, *, start=0, out=None):
    """y[i] = (1 - alpha)·y[i-1] + alpha·x[i], y[-1] = start: the exponential moving average."""
    call = "moving_average"
    place, x = taken(call, x)
    _floats(call, x)
    to = target(place, call, out, x.size, x.dtype)
    _calls.moving_average(place.context.address, code_of(call, x.dtype), x, x.size, alpha, to, _carry(call, place, start, 1, x.dtype))
    return place.result(to, out)


def filter(b, a, x, *, out=None):  # noqa: A001
    """A digital filter of up to two poles and zeros: y = Σ b[k]·x[i-k] - Σ a[k]·y[i-k], a[0] = 1 or divided by it, from rest, as SciPy's lfilter."""
    call = "filter"
    place, x = taken(call, x)
    _floats(call, x)
    b, a = np.atleast_1d(np.asarray(b, np.float64)), np.atleast_1d(np.asarray(a, np.float64))
    if b.ndim != 1 or a.ndim != 1 or not 1 <= len(b) <= 3 or not 1 <= len(a) <= 3 or a[0] == 0:
        raise BadArgument(f"{call}: b of {b.size} and a of {a.size} coefficients; give 1 to 3 each, a[0] not 0")
    ahead, back = np.zeros(3), np.zeros(2)
    ahead[: len(b)], back[: len(a) - 1] = b / a[0], a[1:] / a[0]
    to = target(place, call, out, x.size, x.dtype)
    _calls.filter(place.context.address, code_of(call, x.dtype), ahead, back, x, x.size, to, _carry(call, place, None, 2, x.dtype))
    return place.result(to, out)
