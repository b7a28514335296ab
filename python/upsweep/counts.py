"""Histograms."""
from __future__ import annotations

import functools

import numpy as np

from . import _calls, counting
from .arrays import CODES, F32, I64, Host, There, code_of, element, integer, place_of, seen, taken
from .counting import counted
from .errors import BadArgument, Unsupported
from .folds import max as greatest
from .folds import min as least

_NARROW = ("i1", "u1", "i2", "u2", "i4", "u4")


def _bound(dtype, value):
    """A bound of even bins as the library takes it: of the elements' type, but int64 for integers of up to 32 bits and float32 for halves."""
    if dtype.str[1:] in _NARROW:
        return element("histogram", value, np.dtype("i8"))
    return element("histogram", value, F32 if dtype == np.dtype("f2") else dtype)


def _edges_in(dtype, edges):
    """Edges of float64 as edges of the elements' own type that part them alike: the least of theirs that is not below."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        up = np.ceil(edges)
        inside = np.array([int(min(max(int(e), limits.min), limits.max)) for e in up], dtype)
        return inside, up > limits.max
    rounded = edges.astype(dtype)
    low = rounded.astype(np.float64) < edges
    return np.where(low, np.nextafter(rounded, np.array(np.inf, dtype)), rounded), np.zeros(len(edges), bool)


def histogram(x, bins=10, range=None):  # noqa: A002
    """(counts, edges), as NumPy's histogram: even bins over the range of x, or the one given, or bins by their edges; the last bin holds its
    upper edge. Counts are int64, in x's kind of array; edges are NumPy's; a GPU's array has its range given. There nothing is waited for, but
    edges that are new.
    """
    call = "histogram"
    if x.__class__ is counted:
        if isinstance(place_of(call, x.array, x.count), There):
            return _of_counted(call, x, bins, range)
        x = x.first()
    place = place_of(call, x)
    x = seen(place, call, x)
    if x.dtype == np.bool_:
        x = x.view(np.uint8)
    code = code_of(call, x.dtype)
    edges, inside, open_end, kept = _binned(call, place, x, bins, range)
    if isinstance(place, There) and x.size and len(kept) == len(edges) - 1 and not open_end:  # nothing is waited for
        to = place.empty(len(kept), I64)
        _calls.histogram_of_edges(place.context.address, code, x, x.size, _there(place, inside), len(kept), 1, to)
        return place.result(to), edges
    counts = np.zeros(len(edges) - 1, I64)
    if x.size and len(kept):
        if open_end:
            return place.of_host(_with_open_end(place, x, code, inside, kept, counts)), edges
        own = np.append(inside[kept], inside[kept[-1] + 1])
        there = place.seen_host(own)
        to = place.empty(len(kept), I64)
        _calls.histogram_of_edges(place.context.address, code, x, x.size, there, len(kept), 1, to)
        counts[kept] = place.fetched(to)
    _refuse_nan(call, x, bins, range, counts)
    return place.of_host(counts), edges


def _refuse_nan(call, x, bins, range, counts):  # noqa: A002
    """Between the least and the greatest of all is all, but NaNs."""
    if np.ndim(bins) == 0 and range is None and int(counts.sum()) != x.size:
        raise BadArgument(f"{call}: there is NaN among the elements, so that they have no range; give range=(lower, upper)")


def _binned(call, place, x, bins, range):  # noqa: A002
    """(edges, and what _bins() says of them)"""
    if np.ndim(bins) != 0:
        edges = np.asarray(bins, np.float64)
        if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) >= 0).all():
            raise BadArgument(f"{call}: the edges are to be two numbers at least that increase")
        return edges, *_bins(x.dtype, edges)
    bins = integer(call, "the number of bins", bins)
    if bins < 1:
        raise BadArgument(f"{call}: there are {bins} bins; give one at least")
    if range is not None:
        try:
            low, high = (float(each) for each in range)
        except (TypeError, ValueError):
            raise BadArgument(f"{call}: the range is {range!r}; give (lower, upper)") from None
    elif x.size == 0:
        low, high = 0.0, 1.0
    elif isinstance(place, Host):
        low, high = float(least(x)), float(greatest(x))
    else:
        raise BadArgument(f"{call}: the range of an array on a device; give range=(lower, upper)")
    if not (np.isfinite(low) and np.isfinite(high)) or low > high:
        raise BadArgument(f"{call}: the range is {low} to {high}; give finite bounds that increase")
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges, *more = (_even if bins <= 4096 else _even.__wrapped__)(x.dtype, bins, low, high)
    return edges.copy(), *more


@functools.lru_cache(128)
def _even(dtype, bins, low, high):
    edges = np.linspace(low, high, bins + 1)
    return edges, *_bins(dtype, edges)


def _bins(dtype, edges):
    """(edges in the elements' type, whether the last bin goes on to the type's greatest number, the bins that hold any number of the type)"""
    inside, beyond = _edges_in(dtype, edges)
    # The last bin holds its edge: [.., e] is [.., the next number).
    last = inside[-1]
    open_end = bool(beyond[-1])
    if dtype.kind == "f":
        inside[-1] = np.nextafter(np.array(edges[-1], np.float64).astype(dtype), np.array(np.inf, dtype)) \
            if float(np.array(edges[-1]).astype(dtype)) <= edges[-1] else last
    elif float(last) == edges[-1]:
        open_end = last == np.iinfo(dtype).max
        if not open_end:
            inside[-1] = last + 1
    # Bins without any number of the type between their edges are empty; what is counted has edges that increase.
    steps = inside[1:] > inside[:-1]
    if open_end:
        steps[-1] = True
    return inside, open_end, np.flatnonzero(steps)


def _of_counted(call, x, bins, range):  # noqa: A002
    """On a GPU, without a wait: what stands behind the count falls into no bin."""
    place, array, count = counting.opened(call, x)
    if array.dtype.kind in "iu" and array.dtype.itemsize < 8:  # so that numbers are left beyond its own
        array = place.converted(array, I64)
    dtype, context = array.dtype, place.context.address
    code = code_of(call, dtype)
    edges, inside, open_end, kept = _binned(call, place, array, bins, range)
    if open_end:
        raise Unsupported(f"{call}: bins of a counted array that go on to the greatest {dtype}; give edges below it")
    nowhere = np.array(np.nan if dtype.kind == "f" else np.iinfo(dtype).max, dtype).tobytes()
    to = place.empty(len(edges) - 1, I64)
    if len(kept) < len(edges) - 1:
        _calls.fill(context, CODES[I64], bytes(8), len(edges) - 1, to)
    if len(kept):
        own = _there(place, np.append(inside[kept], inside[kept[-1] + 1]))
        some = to if len(kept) == len(edges) - 1 else place.empty(len(kept), I64)
        _calls.histogram_of_edges(context, code, counting.padded(place, array, count, nowhere), array.size, own, len(kept), 1, some)
        if some is not to:
            _calls.scatter(context, some, 8, len(kept), _there(place, kept.astype(I64)), 8, None, to, len(edges) - 1)
    return place.result(to), edges


_taken_there = {}


def _there(place, array):
    """A small array of NumPy's where the place is. To take it there is a wait, which is made once; graphs may read it ever after, so that
    nothing kept is let go."""
    key = (place.context.name, type(place.kind), array.dtype.str, array.tobytes())
    there = _taken_there.get(key)
    if there is None:
        there = place.seen_host(array)
        if len(_taken_there) < 4096:
            _taken_there[key] = there
    return there


def _with_open_end(place, x, code, inside, kept, counts):
    """Where the last bin goes on to the greatest number of an integer type: that is what all others leave."""
    from .names import COMPARISONS
    context = place.context.address
    firsts = inside[kept]
    if len(kept) > 1:
        to = place.empty(len(kept) - 1, I64)
        there = place.seen_host(firsts)
        _calls.histogram_of_edges(context, code, x, x.size, there, len(kept) - 1, 1, to)
        counts[kept[:-1]] = place.fetched(to)
    above = place.empty(1, np.dtype("u8"))
    _calls.count_if(context, code, x, x.size, COMPARISONS[">="], firsts[-1].tobytes(), above)
    counts[kept[-1]] = place.number(above)
    return counts


def bincount(x, weights=None, minlength=0):
    """How often each integer from 0 stands in x; with weights, taken as float32, their sums in float64."""
    call = "bincount"
    place, x = taken(call, x)
    if x.dtype.kind not in "iub" or x.ndim != 1:
        raise Unsupported(f"{call}: {x.dtype} of shape {tuple(x.shape)}; give a sequence of integers from 0")
    if x.dtype == np.bool_:
        x = x.view(np.uint8)
    bins = integer(call, "minlength", minlength)
    if bins < 0:
        raise BadArgument(f"{call}: minlength is {bins}; give 0 or more")
    if x.size and isinstance(place, Host):
        if int(least(x)) < 0:
            raise BadArgument(f"{call}: an element below 0")
        bins = max(bins, int(greatest(x)) + 1)
    elif bins < 1 and x.size:
        raise BadArgument(f"{call}: how many bins, of an array on a device; give minlength")
    if bins == 0:
        return place.result(place.empty(0, I64 if weights is None else np.dtype("f8")))
    code, low, high = code_of(call, x.dtype), _bound(x.dtype, 0), _bound(x.dtype, bins) if bins <= _top(x.dtype) else None
    if high is None:
        raise BadArgument(f"{call}: {bins} bins, more than {x.dtype} counts to; give another type")
    if weights is None:
        to = place.empty(bins, I64)
        _calls.histogram(place.context.address, code, x, x.size, low, high, bins, 1, to)
        return place.result(to)
    weights = seen(place, call, weights, "the weights")
    if tuple(weights.shape) != tuple(x.shape):
        raise BadArgument(f"{call}: weights of shape {tuple(weights.shape)} for {x.size} elements; give one each")
    if weights.dtype != F32:
        weights = place.converted(weights, F32)
    to = place.empty(bins, np.dtype("f8"))
    _calls.weighted_histogram(place.context.address, code, x, weights, x.size, low, high, bins, 1, to)
    return place.result(to)


def _top(dtype):
    return 2**63 - 1 if dtype.str[1:] in _NARROW else np.iinfo(dtype).max
