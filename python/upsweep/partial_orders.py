"""Partitions, sorts by several keys, and bins, as in NumPy. Arrays are in host memory."""
from __future__ import annotations

import numpy as np

from .arrays import axis_of, host_arrays, integer, write_host
from .errors import BadArgument
from .orders import argsort, check_kind, sort
from .searches import searchsorted


def _check_places(call, x, kth, axis, kind, order):
    """Check the arguments of a partition and return the axis, with the flattened array where it is None."""
    check_kind(call, None if kind == "introselect" else kind, order)
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = axis_of(call, axis, x.ndim)
    n = x.shape[axis]
    for each in np.ravel(kth):
        if not -n <= integer(call, "kth", each) < n:
            raise BadArgument(f"{call}: kth is {each}; give {-n} to {n - 1}")
    return x, axis


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """Return the elements with those at the indices kth as in the sorted array, smaller ones before them and the others after them.

    The whole array is sorted, which is one such order. stable_partition() partitions by a test.

    Parameters
    ----------
    a : array
        The elements.
    kth : int or sequence of int
        The indices.
    axis : int, optional
        The axis to partition along. None is the flattened array.
    kind, order : optional
        As in numpy.partition. kind has no effect, and order is an error.

    Returns
    -------
    array
        The elements.

    Examples
    --------
    >>> int(upsweep.partition([3, 1, 2], 1)[1])
    2
    """
    call = "partition"
    space, x = host_arrays(call, a)
    x, axis = _check_places(call, x, kth, axis, kind, order)
    return write_host(space, call, sort(x, axis), None)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """Return the indices that partition() the elements. The parameters are those of partition().

    Examples
    --------
    >>> int(upsweep.argpartition([3, 1, 2], 0)[0])
    1
    """
    call = "argpartition"
    space, x = host_arrays(call, a)
    x, axis = _check_places(call, x, kth, axis, kind, order)
    return write_host(space, call, argsort(x, axis), None)


def lexsort(keys, axis=-1):
    """Return the indices that sort by several keys: by the last one, and where it is equal by the one before it.

    Parameters
    ----------
    keys : sequence of arrays
        The keys, all of one shape.
    axis : int
        The axis to sort along.

    Returns
    -------
    array of int64
        The indices.

    Examples
    --------
    >>> upsweep.lexsort(([3, 1, 2], [1, 0, 1])).tolist()
    [1, 2, 0]
    """
    call = "lexsort"
    space, *keys = host_arrays(call, *keys)
    if not keys or any(each.shape != keys[0].shape for each in keys):
        raise BadArgument(f"{call}: keys of shapes {[each.shape for each in keys]}; give at least one key, and all of one shape")
    if keys[0].ndim == 0:
        return write_host(space, call, np.int64(0), None)
    axis = axis_of(call, axis, keys[0].ndim)
    order = argsort(keys[0], axis)
    for key in keys[1:]:
        order = np.take_along_axis(order, argsort(np.take_along_axis(key, order, axis), axis), axis)
    return write_host(space, call, order, None)


def digitize(x, bins, right=False):
    """Return the index of the bin of each element: i where bins[i - 1] <= x < bins[i].

    Parameters
    ----------
    x : array
        The elements.
    bins : array
        The edges, which increase or decrease.
    right : bool
        A bin includes its upper edge in place of its lower edge.

    Returns
    -------
    int64 or array of int64
        The indices, of the shape of x: 0 before the first edge, and len(bins) after the last.

    Examples
    --------
    >>> upsweep.digitize([0, 1.5, 9], [1, 2, 3]).tolist()
    [0, 1, 3]
    """
    call = "digitize"
    space, values, edges = host_arrays(call, x, bins)
    if edges.ndim != 1:
        raise BadArgument(f"{call}: bins of shape {edges.shape}; give one axis")
    if (edges[:-1] <= edges[1:]).all():
        return write_host(space, call, searchsorted(edges, values, "left" if right else "right"), None)
    if not (edges[:-1] >= edges[1:]).all():
        raise BadArgument(f"{call}: the edges neither increase nor decrease; sort them first")
    index = searchsorted(np.ascontiguousarray(edges[::-1]), values, "left" if right else "right")
    return write_host(space, call, len(edges) - index, None)
