"""Linear interpolation, as in NumPy. Arrays are in host memory."""
from __future__ import annotations

import numpy as np

from .arrays import F64, I64, host_arrays, write_host
from .errors import BadArgument, Unsupported
from .orders import argsort
from .searches import searchsorted
from .selections import gather

_PIECE = 1 << 22  # elements to interpolate at once


def interp(x, xp, fp, left=None, right=None, period=None):
    """Return the values at x of the function through the points (xp, fp), linear between two of them.

    Parameters
    ----------
    x : number or array
        Where to evaluate.
    xp : array
        The places of the points, which increase.
    fp : array
        The values of the points.
    left, right : number, optional
        The results before the first and after the last point. The default is the value of that point.
    period : number, optional
        The function repeats with this period. The points need not increase then, and left and right have no effect.

    Returns
    -------
    float64 or array of float64
        The values, of the shape of x.

    Examples
    --------
    >>> upsweep.interp([0, 1.5, 9], [1, 2, 3], [10, 20, 40]).tolist()
    [10.0, 15.0, 40.0]
    """
    call = "interp"
    space, x, xp, fp = host_arrays(call, x, xp, fp)
    for name, each in (("x", x), ("xp", xp), ("fp", fp)):
        if each.dtype.kind not in "biuf":
            raise Unsupported(f"{call}: {name} of {each.dtype}; give numbers")
    xp, fp = xp.astype(F64, copy=False), fp.astype(F64, copy=False)
    if xp.ndim != 1 or fp.shape != xp.shape or not xp.size:
        raise BadArgument(f"{call}: points of shape {xp.shape} and values of shape {fp.shape}; give two sequences of one length, of at least one")
    if period is not None:
        if period == 0:
            raise BadArgument(f"{call}: the period is 0; give another one")
        period = abs(period)
        xp = np.ascontiguousarray(xp % period)
        order = argsort(xp)
        xp, fp = xp[order], fp[order]
        xp, fp = np.concatenate([xp[-1:] - period, xp, xp[:1] + period]), np.concatenate([fp[-1:], fp, fp[:1]])
        left = right = None
    left, right = fp[0] if left is None else left, fp[-1] if right is None else right
    values, result = x.reshape(-1), np.empty(x.size)
    for first in range(0, x.size, _PIECE):
        piece = values[first:first + _PIECE].astype(F64)
        result[first:first + _PIECE] = _interpolated(piece if period is None else piece % period, xp, fp, left, right)
    result = result.reshape(x.shape)
    return write_host(space, call, result if result.shape else result[()], None)


def _interpolated(x, xp, fp, left, right):
    if len(xp) == 1:
        return np.where(x < xp, left, np.where(x > xp, right, fp))
    below = np.clip(searchsorted(xp, x, "right") - 1, 0, len(xp) - 2).astype(I64)
    x0, x1, y0, y1 = gather(xp, below), gather(xp, below + 1), gather(fp, below), gather(fp, below + 1)
    with np.errstate(all="ignore"):
        slope = (y1 - y0) / (x1 - x0)
        result = slope * (x - x0) + y0
        unknown = np.isnan(result)
        if unknown.any():  # infinite values
            other = slope * (x - x1) + y1
            result = np.where(unknown, np.where(np.isnan(other) & (y0 == y1), y0, other), result)
    result = np.where(x == x0, y0, result)
    result = np.where(x == xp[-1], fp[-1], result)
    result = np.where(x < xp[0], left, np.where(x > xp[-1], right, result))
    return np.where(np.isnan(x), x, result)
