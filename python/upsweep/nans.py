"""NaNs: how many there are, and sorts in descending order in which they are last."""
from __future__ import annotations

import numpy as np

from . import _calls
from .arrays import CODES, F32, F64, U64, DeviceSpace
from .names import COMPARISONS, TRANSFORMS

_INFINITIES = {code: np.array(np.inf, dtype).tobytes() for dtype, code in CODES.items() if dtype.kind == "f"}


def count_nans(space, x):
    """Return how many elements are NaN: those that are not at most infinity."""
    answer, code = space.empty(1, U64), CODES[x.dtype]
    _calls.count_if(space.context.address, code, x, x.size, COMPARISONS["<="], _INFINITIES[code], answer)
    return x.size - space.item(answer)


def is_negated(space, descending, *arrays):
    """Whether keys in descending order are to be negated and sorted in ascending order, in which the library sorts NaNs last.

    The library sorts them first in descending order. A count of the NaNs in GPU memory would wait, so there all floats are negated.
    """
    if not descending or any(x.dtype.kind != "f" for x in arrays):
        return False
    return isinstance(space, DeviceSpace) or any(count_nans(space, x) for x in arrays)


def negative(space, x):
    """Return the elements with the other sign, in new memory."""
    if x.dtype not in (F32, F64):  # float16
        return space.negative(x)
    to = space.empty(x.shape, x.dtype)
    _calls.map(space.context.address, CODES[x.dtype], x, x.size, TRANSFORMS["negate"], to)
    return to


def negated_result(space, x, out=None):
    """Return the elements of a result with the other sign, or write them to `out`. The result may be written in place."""
    if x.dtype in (F32, F64):
        _calls.map(space.context.address, CODES[x.dtype], x, x.size, TRANSFORMS["negate"], x)
    elif space.on_host:
        np.negative(x, out=x)
    else:
        x = space.negative(x)
    return space.result(x, out)
