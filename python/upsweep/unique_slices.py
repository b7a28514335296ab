"""unique() of slices along an axis."""
from __future__ import annotations

import math

import numpy as np

from .arrays import axis_of, host_arrays, write_host
from .errors import Unsupported
from .partial_orders import lexsort


def unique_slices(ar, return_index, return_inverse, return_counts, axis):
    """Return the distinct slices along an axis in lexicographic order, and what else unique() returns."""
    call = "unique"
    space, x = host_arrays(call, ar)
    axis = axis_of(call, axis, x.ndim)
    lines = np.moveaxis(x, axis, 0)
    rows = np.ascontiguousarray(lines.reshape(len(lines), math.prod(lines.shape[1:])))
    if rows.shape[1] == 0:
        raise Unsupported(f"{call}: slices of no elements; give slices of at least one")
    order = lexsort(np.ascontiguousarray(rows.T[::-1])) if len(rows) else np.empty(0, np.int64)
    ordered = rows[order]
    first = np.ones(len(rows), bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(1)
    starts = np.flatnonzero(first)
    distinct = ordered[starts].reshape((len(starts), *lines.shape[1:]))
    results = [np.ascontiguousarray(np.moveaxis(distinct, 0, axis))]
    if return_index:
        results.append(order[starts])
    if return_inverse:
        inverse = np.empty(len(rows), np.int64)
        inverse[order] = np.cumsum(first) - 1
        results.append(inverse)
    if return_counts:
        results.append(np.diff(np.append(starts, len(rows))))
    results = [write_host(space, call, each, None) for each in results]
    return results[0] if len(results) == 1 else tuple(results)
