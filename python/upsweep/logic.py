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


def _against_zero(call, function, a, comparison):
    """Return the answer of count_if or find_if about comparisons with 0, and the number of elements."""
    space, x = as_arrays(call, a)
    if x.dtype == np.bool_:
        x = x.view(np.uint8)
    answer = space.empty(1, U64)
    function(space.context.address, code_of(call, x.dtype), x, x.size, COMPARISONS[comparison], element(call, 0, x.dtype), answer)
    return space.item(answer), x.size


def _tested(call, a, axis, out, keepdims, where, every):
    """Return whether all elements, or any, are not zero."""
    if axis is None and out is None and not keepdims and where is True:
        first, size = _against_zero(call, _calls.find_if, a, "==" if every else "!=")
        return np.bool_((first == size) == every)
    space, x = host_arrays(call, a)
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
    space, x = host_arrays(call, a)
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
    space, x = host_arrays(call, a)
    return write_host(space, call, _flat_indices(x), None)


def _flat_indices(x):
    return select(np.arange(x.size, dtype=np.int64), np.ascontiguousarray(x != 0).reshape(-1))


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
    space, x = host_arrays(call, a)
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
    common = np.promote_types(x.dtype, tests.dtype)
    if common == np.bool_:
        common = np.dtype(np.uint8)
    found = np.asarray(is_in_sorted(sort(tests.astype(common, copy=False).reshape(-1)), x.astype(common, copy=False)))
    if x.dtype.kind == "f":
        found = found & ~np.isnan(x)
    return write_host(space, call, np.asarray(~found if invert else found), None)
