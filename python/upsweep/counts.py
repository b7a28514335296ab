"""Histograms."""
from __future__ import annotations

import builtins
import collections
import functools
import math
import operator
import threading
from fractions import Fraction

import numpy as np

from . import _calls, counting
from .arrays import (CODES, F32, F64, I64, U64, DeviceSpace, HostSpace, as_array, as_arrays, code_of, element, host,
                     host_arrays, integer,
                     space_of)
from .counting import counted
from .errors import BadArgument, Unsupported
from .folds import MAXIMUM, MINIMUM
from .folds import max as greatest
from .folds import min as least
from .searches import searchsorted
from .times import common_times, keys_of

_PIECE = 1 << 22  # elements whose bins are found at once
_NARROW = ("i1", "u1", "i2", "u2", "i4", "u4")


def _bound(dtype, value):
    """Return a bound of even bins as bytes: int64 for integers of up to 32 bits, float32 for float16, else of the elements' type."""
    if dtype.str[1:] in _NARROW:
        return element("histogram", value, np.dtype("i8"))
    return element("histogram", value, F32 if dtype == np.dtype("f2") else dtype)


def histogram(a, bins=10, range=None, density=None, weights=None):  # noqa: A002
    """Return (counts, edges) as numpy.histogram does. The last bin includes its upper edge.

    Elements are compared with edges exactly, 64-bit integers too. Even bins of integers whose edges float64 cannot distinguish are bins of the
    exact edges. On a GPU the call waits only where its edges are new.

    Parameters
    ----------
    a : array or counted
        The elements.
    bins : int, array or str
        The number of even bins, or increasing edges, which may be infinite, or one of NumPy's rules that find a number of bins: "auto", "fd",
        "doane", "scott", "stone", "rice", "sturges" or "sqrt". A rule requires an array in host memory.
    range : (number, number), optional
        The bounds of even bins. The default is the range of a. Arrays on a device require it.
    density : bool, optional
        Return float64 densities in place of counts: the counts divided by their sum and by the widths of the bins. It requires an array in host
        memory, and so does weights.
    weights : array, optional
        The weight of each element. A bin then has the sum of its weights, computed in float64, in place of a count.

    Returns
    -------
    counts : array of int64
        An array of a's library. Sums of weights have the type of the weights, and densities are float64.
    edges : ndarray
        The edges as NumPy returns them.

    Examples
    --------
    >>> counts, edges = upsweep.histogram([1, 2, 2, 5], 2)
    >>> counts.tolist(), edges.tolist()
    ([3, 1], [1.0, 3.0, 5.0])
    """
    call, x = "histogram", a
    if isinstance(bins, str):
        bins = _rule(call, x, bins, range, weights)
    if density or weights is not None:
        return _weighed(call, x, bins, range, density, weights)
    if x.__class__ is counted:
        if isinstance(space_of(call, x.array, x.count), DeviceSpace):
            return _histogram_counted(call, x, bins, range)
        x = x.first()
    space = space_of(call, x)
    x = as_array(space, call, x)
    if x.dtype.kind in "mM" and np.ndim(bins):
        edges = np.asarray(bins)
        times, at = common_times(call, space.to_host(x), edges)
        return histogram(keys_of(times, True), keys_of(at, True))[0], edges
    if x.dtype == np.bool_:
        x = x.view(np.uint8)
    code = code_of(call, x.dtype)
    edges, own, closed, kept = _binned(call, space, x, bins, range)
    if isinstance(space, DeviceSpace) and x.size and len(kept):  # without a wait
        return space.result(_between(space, code, x, _cached_copy(space, own), closed, kept, len(edges) - 1)), edges
    counts = np.zeros(len(edges) - 1, I64)
    if x.size and len(kept):
        to = space.empty(len(kept), I64)
        _count_between(space, code, x, space.from_host(own), closed, len(kept), to)
        counts[kept] = space.to_host(to)
    return space.wrap_host(counts), edges


_RULES = ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges")


def _rule(call, x, rule, range, weights):  # noqa: A002
    """Return the edges of NumPy's rule for the number of bins, or the number for float16, in which NumPy's rules overflow."""
    if rule not in _RULES:
        raise BadArgument(f"{call}: unknown rule {rule!r}; give one of {', '.join(_RULES)}")
    if weights is not None:
        raise Unsupported(f"{call}: bins={rule!r} with weights; give a number of bins, or edges")
    if x.__class__ is counted:
        raise Unsupported(f"{call}: bins={rule!r} of a counted array; give a number of bins")
    _, x = host_arrays(call, x)
    try:
        halves = x.dtype == np.dtype("f2")
        edges = np.histogram_bin_edges(x.astype(F64) if halves else x, rule, range)
        return len(edges) - 1 if halves else edges
    except (ValueError, TypeError, OverflowError) as wrong:
        raise BadArgument(f"{call}: bins={rule!r}: {wrong}") from None


def _weighed(call, x, bins, range, density, weights):  # noqa: A002
    """Return sums of weights, or densities, and edges."""
    if x.__class__ is counted:
        raise Unsupported(f"{call}: density= or weights= of a counted array; give an array")
    space, x = host_arrays(call, x)
    if weights is None:
        sums, edges = histogram(x, bins, range)
    else:
        _, weights = host_arrays(call, weights)
        if weights.shape != x.shape:
            raise BadArgument(f"{call}: weights of shape {weights.shape} for elements of shape {x.shape}; give one for each element")
        sums, edges = _sums_of_weights(call, np.ascontiguousarray(x), bins, range, weights.reshape(-1))
    if density:
        widths = np.array(np.diff(edges), float)
        with np.errstate(all="ignore"):
            sums = sums / widths / sums.sum()
    return space.wrap_host(np.asarray(sums)), edges


def _sums_of_weights(call, x, bins, range, weights):  # noqa: A002
    if x.dtype == np.bool_:
        x = x.view(np.uint8)
    if weights.dtype.kind not in "biuf":
        raise Unsupported(f"{call}: weights of {weights.dtype}; give numbers")
    code_of(call, x.dtype)
    edges, own, closed, kept = _binned(call, host(), x, bins, range)
    # Wide integers are summed as parts of 16 bits, whose sums float64 represents; their sum wraps as in NumPy.
    parts = builtins.range(0, 8 * weights.dtype.itemsize, 16) if weights.dtype.kind in "iu" and weights.dtype.itemsize > 2 else None
    sums = np.zeros(len(edges) - 1, U64 if parts else F64)
    values = x.reshape(-1)
    for first in builtins.range(0, x.size if len(kept) else 0, _PIECE):
        piece = values[first:first + _PIECE]
        index = np.asarray(searchsorted(own, piece, "right"), I64) - 1
        if closed:
            index[piece == own[-1]] = len(kept) - 1
        inside = (index >= 0) & (index < len(kept))
        index, own_weights = index[inside], weights[first:first + _PIECE][inside]
        if not parts:
            sums[kept] += bincount(index, own_weights, len(kept))
            continue
        for shift in parts:
            part = bincount(index, ((own_weights >> own_weights.dtype.type(shift)) & own_weights.dtype.type(0xffff)).astype(np.uint16), len(kept))
            sums[kept] += np.asarray(part).astype(U64) << U64.type(shift)
    return sums.astype(weights.dtype), edges


def _count_between(space, code, x, own, closed, bins, to):
    count = _calls.histogram_of_closed_edges if closed else _calls.histogram_of_edges
    count(space.context.address, code, x, x.size, own, bins, 1, to)


def _between(space, code, x, own, closed, kept, bins):
    """Count on a GPU. Bins that are not in `kept` have the count 0."""
    to = space.empty(bins, I64)
    if len(kept) == bins:
        _count_between(space, code, x, own, closed, bins, to)
        return to
    context, some = space.context.address, space.empty(len(kept), I64)
    _count_between(space, code, x, own, closed, len(kept), some)
    _calls.fill(context, CODES[I64], bytes(8), bins, to)
    _calls.scatter(context, some, 8, len(kept), _cached_copy(space, kept.astype(I64)), 8, None, to, bins)
    return to


def _binned(call, space, x, bins, range):  # noqa: A002
    """Return edges, followed by the results of _own_edges() for them."""
    if np.ndim(bins) != 0:
        try:
            edges = exact = np.asarray(bins)
            # NumPy rounds large integers in a list that also has floats.
            if isinstance(bins, (list, tuple)) and edges.dtype.kind == "f" and any(isinstance(e, int) and abs(e) > 2**53 for e in bins):
                exact = np.array(bins, object)
            increase = edges.ndim == 1 and len(edges) > 1 and edges.dtype.kind in "biufO" and bool((exact[:-1] <= exact[1:]).all())
        except (TypeError, ValueError):
            increase = False
        if not increase:
            raise BadArgument(f"{call}: the edges do not increase; give at least two increasing numbers")
        return edges, *_own_edges(x.dtype, exact)
    bins = integer(call, "the number of bins", bins)
    if bins < 1:
        raise BadArgument(f"{call}: there are {bins} bins; give at least one")
    if range is not None:
        try:
            low, high = (_one_bound(each) for each in range)
        except (TypeError, ValueError, OverflowError):
            raise BadArgument(f"{call}: the range is {range!r}; give (lower, upper)") from None
    elif x.size == 0:
        low, high = 0.0, 1.0
    elif isinstance(space, HostSpace):
        low, high = (_one_bound(each) for each in (least(x), greatest(x)))
    else:
        raise BadArgument(f"{call}: the range of an array on a device; give range=(lower, upper)")
    if range is None and low != low:
        raise BadArgument(f"{call}: an element is NaN, so the elements have no range; give range=(lower, upper)")
    if not (np.isfinite(float(low)) and np.isfinite(float(high))) or low > high:
        raise BadArgument(f"{call}: the range is {low} to {high}; give finite bounds that increase")
    edges, *more = (_even if bins <= 4096 else _even.__wrapped__)(x.dtype, bins, low, high)
    return edges.copy(), *more


def _one_bound(given):
    """Return a bound: an int, a NumPy float, whose type decides the type of the edges, or a float."""
    try:
        return operator.index(given)
    except TypeError:
        return given if isinstance(given, np.floating) else float(given)


@functools.lru_cache(128, typed=True)
def _even(dtype, bins, low, high):
    """Return (edges, ...) of even bins as NumPy does: of the type that NumPy finds for the bounds and the elements, if it is one of floats."""
    whole = dtype.kind in "iu"
    ends = (low, high) if low < high else None
    # Twice the bounds, as exact integers.
    twice = ((2 * low, 2 * high) if low < high else (2 * low - 1, 2 * high + 1)) if whole else ()
    if low == high:
        low, high = low - 0.5, high + 0.5
    kind = np.result_type(low, high, np.empty(0, dtype))
    if kind.kind != "f":
        kind = F64
    with np.errstate(all="ignore"):
        edges = np.linspace(low, high, bins + 1, dtype=kind)
        if not np.isfinite(edges).all():  # the width overflows the type
            edges = 2 * np.linspace(low / 2, high / 2, bins + 1, dtype=kind)
    if whole and isinstance(low, int | float) and not (edges[:-1] < edges[1:]).all():
        first, last = (Fraction(each) for each in twice)
        exact_edges = np.array([math.ceil((first + (last - first) * b / bins) / 2) for b in builtins.range(bins + 1)], object)
        exact_edges[-1] = math.floor(last / 2)
        return edges, *_own_edges(dtype, exact_edges)
    return edges, *_own_edges(dtype, edges, ends if whole else None)


def _whole(dtype, edges, up):
    """Round edges to integers of the type: up to the smallest that is not below an edge, or down to the greatest that is not above.

    Returns the rounded edges, which edges are below the type's range, and which are above it.
    """
    limits = np.iinfo(dtype)
    if edges.dtype.kind == "O":
        exact = [each if each in (math.inf, -math.inf) else (math.ceil if up else math.floor)(each) for each in edges]
        under, over = (np.array(each, bool) for each in ([e < limits.min for e in exact], [e > limits.max for e in exact]))
        return np.array([max(min(e, limits.max), limits.min) for e in exact], dtype), under, over
    if edges.dtype.kind == "f":
        edges = (np.ceil if up else np.floor)(edges.astype(np.promote_types(edges.dtype, F64)))
        under, over = edges < limits.min, edges >= float(limits.max + 1)
        inside = np.where(under | over, 0, edges).astype(dtype)
    else:
        edges = edges.view(np.uint8) if edges.dtype.kind == "b" else edges
        theirs, none = np.iinfo(edges.dtype), np.zeros(len(edges), bool)
        under = edges < limits.min if theirs.min < limits.min else none
        over = edges > limits.max if theirs.max > limits.max else none
        inside = edges.astype(dtype)
    inside[under], inside[over] = limits.min, limits.max
    return inside, under, over


def _real(dtype, edges, up):
    """Round edges to a float type: up to the smallest number that is not below an edge, or down to the greatest that is not above."""
    goal = np.array(np.inf if up else -np.inf, dtype)

    def fixed(near, wrong):
        return np.where(wrong, np.nextafter(near, goal), near)

    with np.errstate(all="ignore"):
        if edges.dtype.kind in "iubO":
            exact, edges = edges, edges.astype(F64)
            beyond = [i for i in np.flatnonzero(np.abs(edges) >= 2.0**53) if np.isfinite(edges[i])]
            off = np.zeros(len(edges), bool)
            off[beyond] = [int(edges[i]) < exact[i] if up else int(edges[i]) > exact[i] for i in beyond]
            edges = np.where(off, np.nextafter(edges, np.inf if up else -np.inf), edges)
        near = edges.astype(dtype)
        back = near.astype(edges.dtype)
        return fixed(near, back < edges if up else back > edges)


def _own_edges(dtype, edges, ends=None):
    """Convert edges to the elements' type without moving an element to another bin.

    Bin b starts at the smallest number of the type that is not below edge b. The last bin ends at the greatest that is not above the last edge.
    `ends` are integers that replace the two outer edges, which are rounded.

    Returns
    -------
    edges : ndarray
        Edges of the elements' type, of the bins that contain at least one number of the type.
    closed : bool
        Whether the last of these bins includes its upper edge.
    kept : ndarray
        The indices of these bins.
    """
    if dtype.kind in "iu":
        firsts, _, over = _whole(dtype, edges[:-1], True)
        last, under, _ = _whole(dtype, edges[-1:], False)
        if ends is not None:
            first, _, over[:1] = _whole(dtype, _objects(ends[0]), True)
            last, under, _ = _whole(dtype, _objects(ends[1]), False)
            firsts = np.maximum(firsts, first)
            firsts[0] = first[0]
        highest = np.iinfo(dtype).max
    else:
        firsts, last = _real(dtype, edges[:-1], True), _real(dtype, edges[-1:], False)
        over, under = np.zeros(len(firsts), bool), [False]
        highest = np.inf
    some = np.append(over[1:] | (firsts[:-1] < firsts[1:]), not under[0] and firsts[-1] <= last[0]) & ~over
    kept = np.flatnonzero(some)
    if len(kept) == 0:
        return firsts[:0], False, kept
    after = kept[-1] + 1
    if after == len(firsts):
        return np.append(firsts[kept], last), True, kept
    if over[after]:
        return np.append(firsts[kept], np.array(highest, dtype)), True, kept
    return np.append(firsts[kept], firsts[after]), False, kept


def _objects(number):
    return np.array([number], object)


def _histogram_counted(call, x, bins, range):  # noqa: A002
    """Count on a GPU without a wait. Elements past the count get a value that is in no bin."""
    space, array, count = counting.counted_arrays(call, x)
    if array.dtype.kind in "iu" and array.dtype.itemsize < 8:  # int64 has a value outside the bins
        array = space.astype(array, I64)
    dtype, context = array.dtype, space.context.address
    code = code_of(call, dtype)
    edges, own, closed, kept = _binned(call, space, array, bins, range)
    filler = np.array(np.nan if dtype.kind == "f" else np.iinfo(dtype).max, dtype)
    if closed and len(kept) and own[-1] == filler:
        raise Unsupported(f"{call}: bins of a counted array that include the greatest {dtype}; give edges below it")
    if len(kept):
        padded = counting.padded(space, array, count, filler.tobytes())
        return space.result(_between(space, code, padded, _cached_copy(space, own), closed, kept, len(edges) - 1)), edges
    to = space.empty(len(edges) - 1, I64)
    _calls.fill(context, CODES[I64], bytes(8), len(edges) - 1, to)
    return space.result(to), edges


_CACHE_BYTES = 16 << 20  # of small arrays that are cached on GPUs
_cache = collections.OrderedDict()  # the most recently used entry is last
_cache_lock = threading.Lock()


def _cached_copy(space, array):
    """Return a small NumPy array in GPU memory. Uploading it waits, so the most recently used copies are cached.

    A CUDA graph that is being captured gets its own copy, which lives as long as the graph.
    """
    if space.kind.capturing(space.like):
        return space.from_host(array)
    # A copy is used on one stream only: its library may reuse the memory on that stream while another stream still reads it.
    key = (type(space.kind), space.kind.location(space.like), array.dtype.str, array.tobytes())
    with _cache_lock:
        copy = _cache.get(key)
        if copy is not None:
            _cache.move_to_end(key)
            return copy
    copy = space.from_host(array)
    if array.nbytes <= _CACHE_BYTES:
        with _cache_lock:
            _cache[key] = copy
            while sum(len(each[3]) for each in _cache) > _CACHE_BYTES or len(_cache) > 4096:
                _cache.popitem(last=False)
    return copy


def _range(space, x):
    """Yield the smallest and the greatest element. The call waits for them."""
    if x.dtype.itemsize < 4:
        x = space.astype(x, np.dtype("i4"))
    for op in (MINIMUM, MAXIMUM):
        to = space.empty((), x.dtype)
        _calls.reduce(space.context.address, CODES[x.dtype], x, x.size, op, 0, None, to)
        yield int(space.item(to))


def bincount(x, weights=None, minlength=0):
    """Count how often each integer from 0 is in x, or sum its weights in float64.

    The result has minlength elements or more, up to the greatest element of x, for which the call waits. histogram(x, k, (0, k)) does not wait.
    Each sum is correct to the last bit. NaN and infinite weights affect the sum of their own integer only.

    Parameters
    ----------
    x : array of int
        The elements, which are not negative.
    weights : array, optional
        The weight of each element.
    minlength : int
        The smallest length of the result.

    Returns
    -------
    array of int64, or of float64 with weights
        The counts, or the sums.

    Examples
    --------
    >>> upsweep.bincount([0, 2, 2]).tolist()
    [1, 0, 2]
    """
    call = "bincount"
    space, x = as_arrays(call, x)
    if x.dtype.kind not in "iub" or x.ndim != 1:
        raise Unsupported(f"{call}: {x.dtype} of shape {tuple(x.shape)}; give a sequence of integers from 0")
    if x.dtype == np.bool_:
        x = x.view(np.uint8)
    bins = integer(call, "minlength", minlength)
    if bins < 0:
        raise BadArgument(f"{call}: minlength is {bins}; give 0 or more")
    if x.size:
        if isinstance(space, DeviceSpace) and space.kind.capturing(space.like):
            raise Unsupported(f"{call}: the call waits for the greatest element, which a captured stream cannot do; use histogram(x, k, (0, k))")
        low, high = (int(least(x)), int(greatest(x))) if isinstance(space, HostSpace) else _range(space, x)
        if low < 0:
            raise BadArgument(f"{call}: an element is below 0; give integers from 0")
        bins = max(bins, high + 1)
    if bins == 0:
        return space.result(space.empty(0, I64 if weights is None else np.dtype("f8")))
    code, low, high = code_of(call, x.dtype), _bound(x.dtype, 0), _bound(x.dtype, bins) if bins <= _top(x.dtype) else None
    if high is None:
        raise BadArgument(f"{call}: {bins} bins, more than {x.dtype} can represent; give a wider type")
    if weights is None:
        to = space.empty(bins, I64)
        _calls.histogram(space.context.address, code, x, x.size, low, high, bins, 1, to)
        return space.result(to)
    weights = as_array(space, call, weights, "the weights")
    if tuple(weights.shape) != tuple(x.shape):
        raise BadArgument(f"{call}: weights of shape {tuple(weights.shape)} for {x.size} elements; give one for each element")
    add = _calls.weighted_histogram
    if space.on_host and x.size > _PIECE and weights.dtype.kind in "iub" and weights.dtype.itemsize <= 2:
        sums = np.zeros(bins)  # of small integers, which float64 adds exactly
        for first in builtins.range(0, x.size, _PIECE):
            sums += np.asarray(bincount(x[first:first + _PIECE], weights[first:first + _PIECE], bins))
        return space.result(sums)
    if weights.dtype != F32:
        if weights.dtype.kind not in "iufb":
            raise Unsupported(f"{call}: weights of {weights.dtype}; give numbers")
        if weights.dtype.itemsize <= 2:  # float32 represents these types
            weights = space.astype(weights, F32)
        else:
            add = _calls.weighted_histogram_f64
            weights = weights if weights.dtype == F64 else space.astype(weights, F64)
    to = space.empty(bins, F64)
    add(space.context.address, code, x, weights, x.size, low, high, bins, 1, to)
    return space.result(to)


def _top(dtype):
    return 2**63 - 1 if dtype.str[1:] in _NARROW else np.iinfo(dtype).max
