"""Reductions and scans: of a whole array, along an axis, by key and by segment."""
from __future__ import annotations

import numpy as np

from . import _calls, counting
from .arrays import CODES, F32, I64, U64, axis_of, code_of, element, host, known, on_stream, place_of, seen, shape_bytes, taken, target
from .counting import counted
from .devices import chosen
from .errors import BadArgument, Unsupported
from .expressions import expression
from .names import OPERATORS, TRANSFORMS, one_of

PLUS, MULTIPLIES, MINIMUM, MAXIMUM = 0, 1, 2, 3
# Sums and products are made as NumPy makes them: small integers in 64 bits; halves in float32, and rounded once.
_SUMMED = {np.dtype(t): U64 if t[0] == "u" else I64 for t in ("i1", "i2", "i4", "u1", "u2", "u4", "?")} | {np.dtype("f2"): F32}
# What does not fold itself is compared in a type that holds it exactly.
_COMPARED = {np.dtype(t): np.dtype("i4") for t in ("i1", "i2", "u1", "u2", "?")} | {np.dtype("f2"): F32}


def _reduced(call, place, x, code, op, transform, axis, keepdims, init, out, count=None):
    if axis is None:
        shape = (1,) * x.ndim if keepdims else ()
        to = target(place, call, out, shape, x.dtype)
        if count is not None and not isinstance(op, expression):
            x = counting.mapped(place, x, code, transform)
            _calls.counted_reduce(place.context.address, code, x, x.size, count, op, init, to)
            return to
        if count is not None:
            x = counting.padded(place, x, count, init)
        if isinstance(op, expression):  # whose identity is the init
            _calls.reduce_by(place.context.address, op.address, code, x, x.size, init, to)
        else:
            _calls.reduce(place.context.address, code, x, x.size, op, transform, init, to)
        return to
    axis = axis_of(call, axis, x.ndim)
    shape = tuple(x.shape)
    to = target(place, call, out, shape[:axis] + ((1,) if keepdims else ()) + shape[axis + 1:], x.dtype)
    if isinstance(op, expression):
        _calls.reduce_along_by(place.context.address, op.address, code, x, shape_bytes(shape), len(shape), axis, init, to)
    else:
        _calls.reduce_along(place.context.address, code, x, shape_bytes(shape), len(shape), axis, op, transform, init, to)
    return to


# Types that are folded as they are; others need a look.
_AS_THEY_ARE = {np.dtype(t): CODES[np.dtype(t)] for t in ("i8", "u8", "f4", "f8")}


def _direct(op, x):
    """One number from a whole array of NumPy's, on the CPU, or of a GPU's, without a detour: a call on few elements takes as long as what is
    around it."""
    if type(x) is np.ndarray:
        if chosen() is None:
            code = _AS_THEY_ARE.get(x.dtype)
            if code is not None and x.flags.c_contiguous:
                to = np.empty((), x.dtype)
                _calls.reduce(host().context.address, code, x, x.size, op, 0, None, to)
                return to[()]
        return None
    kind = known.get(type(x))
    if kind is not None and not kind.waits and kind.on_gpu(x):
        address, n, dtype, contiguous = kind.whole(x)
        code = _AS_THEY_ARE.get(dtype)
        if code is not None and contiguous and n:
            to = kind.one(x, dtype)
            _calls.reduce(on_stream(*kind.place(x)).address, code, address, n, op, 0, None, kind.address(to))
            if kind.apart:
                kind.hand_over(x)
            return to
    return None


def _given(place, to, out, axis, keepdims):
    """A result: of everything one number, as NumPy's functions give it."""
    if axis is None and not keepdims and out is None:
        if place.on_host:
            return to[()] if place.wrap is None else place.wrap(to)
        return place.scalar(to)
    return place.result(to, out)


def reduce(x, op="plus", *, axis=None, transform=None, keepdims=False, init=None, out=None):
    """All of x, or each line along an axis, folded by an operator, in x's own type.

    op: "plus", "multiplies", "minimum", "maximum", "bit_and", "bit_or", "bit_xor", "logical_and", "logical_or" (or as Python writes
    them), or an expression with its identity. transform: "negate", "absolute" or "square" of each element first. Of nothing: the operator's
    identity, or init. int32 to uint64, float32 and float64; integers wrap, where sum() counts in 64 bits.
    """
    if axis is None and transform is None and not keepdims and init is None and out is None and isinstance(op, str) and op in OPERATORS:
        direct = _direct(OPERATORS[op], x)
        if direct is not None:
            return direct
    count = None
    if x.__class__ is counted:
        place, x, count, axis = counting.folded("reduce", x, axis)
    else:
        place, x = taken("reduce", x)
    code = code_of("reduce", x.dtype)
    if isinstance(op, expression):
        identity = op.identity_in("reduce", x.dtype, transform=transform, init=init)
        to = _reduced("reduce", place, x, code, op, None, axis, keepdims, identity, out, count)
        return _given(place, to, out, axis, keepdims)
    op, transform = one_of("reduce", "operator", OPERATORS, op), one_of("reduce", "transform", TRANSFORMS, transform)
    init = None if init is None else element("reduce", init, x.dtype)
    to = _reduced("reduce", place, x, code, op, transform, axis, keepdims, init, out, count)
    return _given(place, to, out, axis, keepdims)


def _summed(call, op, x, axis, dtype, keepdims, out):
    if axis is None and dtype is None and out is None and not keepdims:
        direct = _direct(op, x)
        if direct is not None:
            return direct
    count = None
    if x.__class__ is counted:
        place, x, count, axis = counting.folded(call, x, axis)
    else:
        place, x = taken(call, x)
    own = x.dtype
    if axis is None and dtype is None and op == PLUS and place.on_host and own in _SUMMED and own.kind in "iu":
        to = target(place, call, out, (1,) * x.ndim if keepdims else (), _SUMMED[own])
        _calls.wide_sum(place.context.address, CODES[own], x, x.size, to)
        return _given(place, to, out, axis, keepdims)
    wanted = np.dtype(dtype) if dtype is not None else None
    wider = wanted or _SUMMED.get(own)
    if wider is not None and wider != own:
        half = wider == np.dtype("f2")
        x = place.converted(x, F32 if half else wider)
    elif own == np.dtype("f2"):
        x = place.converted(x, F32)
    back = wanted or (own if own.kind == "f" else x.dtype)
    code = code_of(call, x.dtype)
    if back != x.dtype:  # halves
        to = _reduced(call, place, x, code, op, 0, axis, keepdims, None, None, count)
        rounded = place.converted(to, back)
        if out is not None:
            raise BadArgument(f"{call}: halves are summed in float32; give dtype=float32 with out=")
        return _given(place, rounded, out, axis, keepdims)
    return _given(place, _reduced(call, place, x, code, op, 0, axis, keepdims, None, out, count), out, axis, keepdims)


def sum(x, axis=None, dtype=None, out=None, keepdims=False):  # noqa: A001
    """The sum of all elements, or along an axis. Small integers are summed in 64 bits, as NumPy does; floats by a fixed tree."""
    return _summed("sum", PLUS, x, axis, dtype, keepdims, out)


def prod(x, axis=None, dtype=None, out=None, keepdims=False):
    """The product of all elements, or along an axis."""
    return _summed("prod", MULTIPLIES, x, axis, dtype, keepdims, out)


def _extreme(call, op, x, axis, out, keepdims):
    if axis is None and out is None and not keepdims and (type(x) is not np.ndarray or x.size):
        direct = _direct(op, x)
        if direct is not None:
            return direct
    count = None
    if x.__class__ is counted:
        place, x, count, axis = counting.folded(call, x, axis)
    else:
        place, x = taken(call, x)
    lines = x.size if axis is None else x.shape[axis_of(call, axis, x.ndim)]
    if lines == 0:
        raise BadArgument(f"{call}: there is nothing to compare; an empty array has none")
    own = x.dtype
    wider = _COMPARED.get(own)
    if wider is None:
        to = _reduced(call, place, x, code_of(call, own), op, 0, axis, keepdims, None, out, count)
        return _given(place, to, out, axis, keepdims)
    to = _reduced(call, place, place.converted(x, wider), CODES[wider], op, 0, axis, keepdims, None, None, count)
    to = place.converted(to, own)
    if out is not None:
        if not hasattr(out, "dtype"):
            raise Unsupported(f"{call}: out is no array")
        if out.dtype != own or tuple(out.shape) != tuple(to.shape):
            raise BadArgument(f"{call}: out is {out.dtype} of shape {tuple(out.shape)}; the result is {own} of shape {tuple(to.shape)}")
        out[...] = to if place.on_host else to.native
    return _given(place, to, out, axis, keepdims)


def min(x, axis=None, out=None, keepdims=False):  # noqa: A001
    """The least element, or along an axis. Of floats without NaN: where there is one, the result means nothing and may be none of the elements."""
    return _extreme("min", MINIMUM, x, axis, out, keepdims)


def max(x, axis=None, out=None, keepdims=False):  # noqa: A001
    """The greatest element, or along an axis. Of floats without NaN: where there is one, the result means nothing and may be none of the elements."""
    return _extreme("max", MAXIMUM, x, axis, out, keepdims)


def _scanned(call, place, x, op, transform, axis, exclusive, init, out):
    code = code_of(call, x.dtype)
    context = place.context.address
    if axis is None:
        n = x.size
        to = place.empty(n, x.dtype) if out is None else target(place, call, out, n, x.dtype)
        _calls.scan(context, code, x, n, not exclusive, op, transform, init, to)
    else:
        axis = axis_of(call, axis, x.ndim)
        to = target(place, call, out, tuple(x.shape), x.dtype)
        if x.ndim == 1:
            _calls.scan(context, code, x, x.size, not exclusive, op, transform, init, to)
        else:
            _calls.scan_along(context, code, x, shape_bytes(x.shape), x.ndim, axis, not exclusive, op, transform, init, to)
    return place.result(to, out)


def scan(x, op="plus", *, axis=None, exclusive=False, transform=None, init=None, out=None):
    """out[i] = x[0] ∘ … ∘ x[i]; exclusive: up to the element before. Without an axis of the flattened array, as cumsum.

    op, transform, init and types as reduce(). out may be x.
    """
    if x.__class__ is counted:
        return counting.scan("scan", x, op, axis, exclusive, transform, init, out)
    place, x = taken("scan", x)
    if isinstance(op, expression):
        identity = op.identity_in("scan", x.dtype, transform=transform, init=init)
        code, context = code_of("scan", x.dtype), place.context.address
        axis = None if axis is None else axis_of("scan", axis, x.ndim)
        to = target(place, "scan", out, x.size if axis is None else tuple(x.shape), x.dtype)
        if axis is None or x.ndim == 1:
            _calls.scan_by(context, op.address, code, x, x.size, not exclusive, identity, to)
        else:
            _calls.scan_along_by(context, op.address, code, x, shape_bytes(x.shape), x.ndim, axis, not exclusive, identity, to)
        return place.result(to, out)
    op, transform = one_of("scan", "operator", OPERATORS, op), one_of("scan", "transform", TRANSFORMS, transform)
    init = None if init is None else element("scan", init, x.dtype)
    return _scanned("scan", place, x, op, transform, axis, exclusive, init, out)


def _cumulated(call, op, x, axis, dtype, out):
    if x.__class__ is counted:
        return counting.scan(call, x, "plus" if op == PLUS else "multiplies", axis, False, None, None, out, _SUMMED if dtype is None else dtype)
    place, x = taken(call, x)
    if dtype is None and x.dtype in _AS_THEY_ARE:
        return _scanned(call, place, x, op, 0, axis, False, None, out)
    if dtype is None and op == PLUS and place.on_host and x.dtype in _SUMMED and x.dtype.kind in "iu" and (axis is None or x.ndim == 1):
        if axis is not None:
            axis_of(call, axis, x.ndim)
        to = target(place, call, out, x.size, _SUMMED[x.dtype])
        _calls.wide_running_sums(place.context.address, CODES[x.dtype], x, x.size, to)
        return place.result(to, out)
    wider = np.dtype(dtype) if dtype is not None else _SUMMED.get(x.dtype)
    if wider is None or wider == x.dtype:
        return _scanned(call, place, x, op, 0, axis, False, None, out)
    if x.dtype == np.dtype("f2") and dtype is None:
        if out is not None:
            raise BadArgument(f"{call}: halves are summed in float32; give dtype=float32 with out=")
        inside = place.converted(x, F32)
        to = _scanned(call, _bare(place), inside, op, 0, axis, False, None, None)
        return place.result(place.converted(to, x.dtype))
    return _scanned(call, place, place.converted(x, wider), op, 0, axis, False, None, out)


class _bare:
    """A place whose results stay as it sees them."""

    def __init__(self, place):
        self.context, self.empty = place.context, place.empty

    @staticmethod
    def result(view, out=None):
        return view


def cumsum(x, axis=None, dtype=None, out=None):
    """Running sums. Small integers are summed in 64 bits, as NumPy does."""
    return _cumulated("cumsum", PLUS, x, axis, dtype, out)


def cumprod(x, axis=None, dtype=None, out=None):
    """Running products."""
    return _cumulated("cumprod", MULTIPLIES, x, axis, dtype, out)


# ---- By key and by segment


def _equality(equal):
    return equal if equal is None or isinstance(equal, expression) else expression(equal)


def _runs(call, place, keys, equal):
    """(where the runs of keys that are equal by an expression begin, and behind them their end; how many there are)"""
    offsets, count = place.empty(len(keys) + 1, U64), place.empty(1, U64)
    _calls.run_offsets_by(place.context.address, equal.address, code_of(call, keys.dtype), keys, len(keys), offsets, count)
    return offsets, place.number(count)


def reduce_by_key(keys, values, op="plus", *, transform=None, equal=None):
    """(keys, folds): of each run of equal neighbours among the keys the first key, and its values folded, in order. Sort first to group all.

    op, transform and types as reduce(). equal: an expression, or its text, that says whether b, the key behind a, is equal to it:
    "a / 10 == b / 10".
    """
    call = "reduce_by_key"
    if keys.__class__ is counted:
        return counting.reduce_by_key(keys, values, op, transform)
    place, keys, values = taken(call, keys, values)
    _same_length(call, keys, values)
    n, equal = len(keys), _equality(equal)
    context, key_code, code = place.context.address, code_of(call, keys.dtype), code_of(call, values.dtype)
    if isinstance(op, expression):
        identity = op.identity_in(call, values.dtype, transform=transform)
        keys_out, out, count = place.empty(n, keys.dtype), place.empty(n, values.dtype), place.empty(1, U64)
        _calls.reduce_by_key_by(context, op.address, equal.address if equal else 0, key_code, keys, code, values, n, identity, keys_out, out,
                                count)
    else:
        op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
        if equal:
            offsets, runs = _runs(call, place, keys, equal)
            keys_out, out = place.empty(runs, keys.dtype), place.empty(runs, values.dtype)
            _calls.gather(context, keys, keys.dtype.itemsize, n, offsets, 8, None, runs, keys_out)
            _calls.segmented_reduce(context, code, values, n, offsets, runs, op, transform, None, out)
            return place.result(keys_out), place.result(out)
        keys_out, out, count = place.empty(n, keys.dtype), place.empty(n, values.dtype), place.empty(1, U64)
        _calls.reduce_by_key(context, key_code, keys, code, values, n, op, transform, keys_out, out, count)
    runs = place.number(count)
    return place.result(place.cut(keys_out, runs)), place.result(place.cut(out, runs))


def scan_by_key(keys, values, op="plus", *, exclusive=False, transform=None, init=None, out=None, equal=None):
    """A scan that begins anew at each run of equal neighbours among the keys. equal: as reduce_by_key()'s."""
    call = "scan_by_key"
    place, keys, values = taken(call, keys, values)
    _same_length(call, keys, values)
    n, equal = len(keys), _equality(equal)
    context, key_code, code = place.context.address, code_of(call, keys.dtype), code_of(call, values.dtype)
    if isinstance(op, expression):
        identity = op.identity_in(call, values.dtype, transform=transform, init=init)
        to = target(place, call, out, n, values.dtype)
        _calls.scan_by_key_by(context, op.address, equal.address if equal else 0, key_code, keys, code, values, n, not exclusive, identity, to)
        return place.result(to, out)
    op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
    init = None if init is None else element(call, init, values.dtype)
    to = target(place, call, out, n, values.dtype)
    if equal:
        offsets, runs = _runs(call, place, keys, equal)
        _calls.segmented_scan(context, code, values, n, offsets, runs, not exclusive, op, transform, init, to)
    else:
        _calls.scan_by_key(context, key_code, keys, code, values, n, not exclusive, op, transform, init, to)
    return place.result(to, out)


def _same_length(call, keys, values):
    if keys.ndim != 1 or values.ndim != 1 or len(keys) != len(values):
        raise BadArgument(f"{call}: keys of shape {tuple(keys.shape)} and values of shape {tuple(values.shape)}; give one of each an element")


def offsets_of(call, place, offsets, n):
    """Offsets as the library takes them: u64, one more than there are segments."""
    offsets = seen(place, call, offsets, "the offsets")
    if offsets.ndim != 1 or len(offsets) == 0 or offsets.dtype.kind not in "iu":
        raise BadArgument(f"{call}: the offsets are {offsets.dtype} of shape {tuple(offsets.shape)}; give integers, one more than there are "
                          "segments")
    if place.on_host:
        wrong = len(offsets) and (offsets[0] < 0 or offsets[-1] > n or (np.diff(offsets.astype(I64, copy=False)) < 0).any())
        if wrong:
            raise BadArgument(f"{call}: the offsets are to begin at 0 or more, never decrease, and end at {n} or before")
    return offsets if offsets.dtype.itemsize == 8 else place.converted(offsets, U64)


def segmented_reduce(x, offsets, op="plus", *, transform=None, init=None, out=None):
    """Segment s, x[offsets[s]:offsets[s + 1]], folded; an empty one has the identity, or init."""
    call = "segmented_reduce"
    place = place_of(call, x, offsets)
    x = seen(place, call, x)
    offsets = offsets_of(call, place, offsets, x.size)
    segments = len(offsets) - 1
    if isinstance(op, expression):
        identity = op.identity_in(call, x.dtype, transform=transform, init=init)
        to = target(place, call, out, segments, x.dtype)
        _calls.segmented_reduce_by(place.context.address, op.address, code_of(call, x.dtype), x, x.size, offsets, segments, identity, to)
        return place.result(to, out)
    op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
    init = None if init is None else element(call, init, x.dtype)
    to = target(place, call, out, segments, x.dtype)
    _calls.segmented_reduce(place.context.address, code_of(call, x.dtype), x, x.size, offsets, segments, op, transform, init, to)
    return place.result(to, out)


def segmented_scan(x, offsets, op="plus", *, exclusive=False, transform=None, init=None, out=None):
    """A scan that begins anew at each segment. What lies in no segment is 0."""
    call = "segmented_scan"
    place = place_of(call, x, offsets)
    x = seen(place, call, x)
    offsets = offsets_of(call, place, offsets, x.size)
    to = target(place, call, out, x.size, x.dtype)
    if out is None:
        _calls.fill(place.context.address, code_of(call, x.dtype), bytes(x.dtype.itemsize), x.size, to)
    if isinstance(op, expression):
        identity = op.identity_in(call, x.dtype, transform=transform, init=init)
        _calls.segmented_scan_by(place.context.address, op.address, code_of(call, x.dtype), x, x.size, offsets, len(offsets) - 1,
                                 not exclusive, identity, to)
        return place.result(to, out)
    op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
    init = None if init is None else element(call, init, x.dtype)
    _calls.segmented_scan(place.context.address, code_of(call, x.dtype), x, x.size, offsets, len(offsets) - 1, not exclusive, op, transform,
                          init, to)
    return place.result(to, out)
