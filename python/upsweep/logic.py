"""Which elements are not zero: tests of all elements, counts, indices and membership, as in NumPy."""
from __future__ import annotations

import numpy as np

from . import _calls
from .arrays import U64, as_arrays, code_of, element, host_arrays, write_host
from .errors import Unsupported
from .folds import PLUS, summed
from .names import COMPARISONS
from .orders import sort
from .searches import is_in_sorted
from .selections import select
from .times import common_times


def _against_zero(call, function, a, comparison):
    """Return the answer of count_if or find_if about comparisons with 0, and the number of elements."""
    space, x = as_arrays(call, a)
    if x.dtype.kind in "bmM":
        x = x.view(np.uint8 if x.dtype == np.bool_ else np.int64)
    answer = space.empty(1, U64)
    function(space.context.address, code_of(call, x.dtype), x, x.size, COMPARISONS[comparison], element(call, 0, x.dtype), answer)
    return space.item(answer), x.size


def _numbers(call, a):
    """Return (space, elements): times as their integers, of which only 0 is false."""
    space, x = host_arrays(call, a)
    return space, np.ascontiguousarray(x).view(np.int64).reshape(x.shape) if x.dtype.kind in "mM" else x


def _tested(call, a, axis, out, keepdims, where, every):
    """Return whether all elements, or any, are not zero."""
    if axis is None and out is None and not keepdims and where is True:
        first, size = _against_zero(call, _calls.find_if, a, "==" if every else "!=")
        return np.bool_((first == size) == every)
    space, x = _numbers(call, a)
    counts = summed(call, PLUS, x == 0 if every else x != 0, axis, None, keepdims, None, where=where)
    return write_host(space, call, counts == 0 if every else counts > 0, out)


def any(a, axis=None, out=None, keepdims=False, *, where=True):  # noqa: A001
    """Return whether any element is not zero, or any along axes. NaN is not zero.

    Parameters
    ----------
    a : array
        The elements. With one of the other arguments they are in host memory.
    axis : int or tuple of int, optional
        The axes to test along. The default tests the whole array.
    out : array, optional
        The array for the result.
    keepdims : bool
        Keep the tested axes with length 1.
    where : array of bool, optional
        Which elements to test.

    Returns
    -------
    bool or array of bool
        False for no elements.

    Examples
    --------
    >>> bool(upsweep.any([0, 0, 3]))
    True
    """
    return _tested("any", a, axis, out, keepdims, where, False)


def all(a, axis=None, out=None, keepdims=False, *, where=True):  # noqa: A001
    """Return whether all elements are not zero, or all along axes. True for no elements. The parameters are those of any().

    Examples
    --------
    >>> bool(upsweep.all([1, 0, 3]))
    False
    """
    return _tested("all", a, axis, out, keepdims, where, True)


def count_nonzero(a, axis=None, *, keepdims=False):
    """Count the elements that are not zero, or along axes.

    Parameters
    ----------
    a : array
        The elements. With an axis they are in host memory.
    axis : int or tuple of int, optional
        The axes to count along. The default counts in the whole array.
    keepdims : bool
        Keep the axes with length 1.

    Returns
    -------
    int or array of int64
        A Python int for the whole array, as in NumPy.

    Examples
    --------
    >>> upsweep.count_nonzero([0, 2, 3])
    2
    """
    call = "count_nonzero"
    if axis is None and not keepdims:
        return _against_zero(call, _calls.count_if, a, "!=")[0]
    space, x = _numbers(call, a)
    return write_host(space, call, summed(call, PLUS, x != 0, axis, None, keepdims, None), None)


def flatnonzero(a):
    """Return the indices of the elements of the flattened array that are not zero.

    Parameters
    ----------
    a : array
        The elements, in host memory.

    Returns
    -------
    array of int64
        The indices.

    Examples
    --------
    >>> upsweep.flatnonzero([0, 2, 3]).tolist()
    [1, 2]
    """
    call = "flatnonzero"
    space, x = _numbers(call, a)
    return write_host(space, call, _flat_indices(x), None)


_PIECE = 1 << 22  # elements whose indices and conversions exist at once


def _flat_indices(x):
    """Return the indices of the elements that are not zero. Only the result and a piece of the indices exist at once."""
    x = np.ascontiguousarray(x).reshape(-1)
    if x.size <= _PIECE:
        return np.asarray(select(np.arange(x.size, dtype=np.int64), x != 0))
    indices, end = np.empty(count_nonzero(x), np.int64), 0
    for first in range(0, x.size, _PIECE):
        found = select(np.arange(first, min(first + _PIECE, x.size), dtype=np.int64), x[first:first + _PIECE] != 0)
        indices[end:end + len(found)] = found
        end += len(found)
    return indices


def nonzero(a):
    """Return the indices of the elements that are not zero: one array for each axis.

    Parameters
    ----------
    a : array
        The elements, in host memory.

    Returns
    -------
    tuple of arrays of int64
        The indices.

    Examples
    --------
    >>> [each.tolist() for each in upsweep.nonzero([[0, 2], [3, 0]])]
    [[0, 1], [1, 0]]
    """
    call = "nonzero"
    space, x = _numbers(call, a)
    if x.ndim == 0:
        raise Unsupported(f"{call}: a number, which has no axis; give an array")
    return tuple(write_host(space, call, np.ascontiguousarray(each), None) for each in np.unravel_index(_flat_indices(x), x.shape))


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Return whether each element is one of the test elements. NaN is equal to no element.

    Parameters
    ----------
    element : array
        The elements.
    test_elements : array
        The elements to search for.
    assume_unique, kind : optional
        As in numpy.isin. They have no effect: the test elements are sorted and searched.
    invert : bool
        Return whether each element is none of the test elements.

    Returns
    -------
    array of bool
        The answers, of the shape of element.

    Examples
    --------
    >>> upsweep.isin([1, 2, 3], [3, 1]).tolist()
    [True, False, True]
    """
    call = "isin"
    space, x, tests = host_arrays(call, element, test_elements)
    times = x.dtype.kind in "mM" or tests.dtype.kind in "mM"
    if times and tests.size:
        x, tests = common_times(call, x, tests)
        tests = tests.view(np.int64)
    elif times:
        x, tests = x.view(np.int64) if x.dtype.kind in "mM" else x, np.empty(0, np.int64)
    common = np.dtype(np.int64) if x.dtype.kind in "mM" else np.promote_types(x.dtype, tests.dtype)
    if common == np.bool_:
        common = np.dtype(np.uint8)
    tests = sort(tests.astype(common, copy=False).reshape(-1))
    values, found = np.ascontiguousarray(x).reshape(-1), np.empty(x.size, bool)
    for first in range(0, x.size, _PIECE):
        piece = values[first:first + _PIECE]
        answers = is_in_sorted(tests, piece.view(np.int64) if piece.dtype.kind in "mM" else piece.astype(common, copy=False))
        found[first:first + _PIECE] = answers & (piece == piece)  # NaN and NaT equal nothing
    return write_host(space, call, np.asarray(~found if invert else found).reshape(x.shape), None)
