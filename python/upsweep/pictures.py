"""Convolutions, summed-area tables and filters of signals, pictures and volumes. Channels, where there are any, are the last axis."""
from __future__ import annotations

import struct

import numpy as np

from . import _calls
from .arrays import CODES, F32, code_of, integer, place_of, seen, target
from .errors import BadArgument, Unsupported
from .names import BORDERS, one_of

_RASTER = struct.Struct("@QQQIQQ")
_MASK = struct.Struct("@iQQQPiQQQ0P")
I32, F64, U8, U16, U32, U64, I64 = (np.dtype(t) for t in ("i4", "f8", "u1", "u2", "u4", "u8", "i8"))


def _raster(call, x, channels, most=3):
    """(its shape as the library takes it, its axes' lengths, how many channels)"""
    shape = tuple(x.shape)
    deep = 1
    if channels:
        if not shape or not 1 <= shape[-1] <= 4:
            raise BadArgument(f"{call}: the last axis of shape {shape} is no channels; there are 1 to 4 of them")
        shape, deep = shape[:-1], shape[-1]
    if not 1 <= len(shape) <= most:
        raise BadArgument(f"{call}: an array of shape {tuple(x.shape)}; give 1 to {most} axes, and channels=True where the last one is channels")
    size = shape[::-1] + (1,) * (3 - len(shape))
    return _RASTER.pack(*size, deep, 0, 0), shape, deep


def _mask_type(call, x, mask):
    """The mask's type for elements of x's, and the result's."""
    if x.dtype == I32:
        return I32, I32
    if x.dtype in (F32, F64):
        return x.dtype, x.dtype
    if x.dtype == np.dtype("f2"):
        return F32, x.dtype
    if x.dtype == U8:
        kind = I32 if mask.dtype.kind in "iub" else F32
        return kind, kind
    raise Unsupported(f"{call}: elements of {x.dtype}; give int32, uint8, float16, float32 or float64")


def _masked(call, flipped, x, mask, mode, border, channels, out):
    place = place_of(call, x)
    x = seen(place, call, x)
    mask = np.asarray(mask)
    raster, shape, deep = _raster(call, x, channels)
    if mask.ndim > len(shape) or mask.ndim == 0 or mask.size == 0:
        raise BadArgument(f"{call}: a mask of shape {mask.shape} for {len(shape)} axes; give as many axes, or fewer, and an element")
    mask_type, result_type = _mask_type(call, x, mask)
    converted = mask.astype(mask_type)
    if mask_type.kind == "i" and not (converted == mask).all():
        raise Unsupported(f"{call}: elements of {x.dtype} and a mask of {mask.dtype}; give integers, or elements of floats")
    mask = np.ascontiguousarray(converted).reshape((1,) * (len(shape) - mask.ndim) + mask.shape)
    if mode not in (None, "full", "same", "valid"):
        raise BadArgument(f"{call}: there is no mode {mode!r}; there are full, same, valid")
    numpys = mode == "same"
    if mode is None:
        mode = "same" if border is not None or len(shape) > 1 else "full"
    if mode != "same" and border is not None:
        raise BadArgument(f"{call}: mode={mode!r} has no border; leave one of them out")
    edge = one_of(call, "border", BORDERS, border or "zero")
    if mode == "valid" or edge == BORDERS["none"]:
        edge, result_shape = BORDERS["none"], tuple(max(n - m + 1, 0) for n, m in zip(shape, mask.shape))
    else:
        result_shape = shape
    if mode == "full":  # as wide as what they have to do with each other: the picture within zeros
        if not place.on_host:
            raise Unsupported(f"{call}: mode=\"full\" on a device; give \"same\" or \"valid\"")
        wide = tuple((m - 1, m - 1) for m in mask.shape) + ((0, 0),) * (x.ndim - len(shape))
        x = np.pad(x, wide)
        raster, padded, deep = _raster(call, x, channels)
        edge, result_shape = BORDERS["none"], tuple(n - m + 1 for n, m in zip(padded, mask.shape))
    to = target(place, call, out, result_shape + ((deep,) if channels else ()), result_type)
    size = mask.shape[::-1] + (1,) * (3 - mask.ndim)
    # Of an even number of elements there are two middles: NumPy's "same" takes the one in front.
    middle = tuple((m - 1) // 2 if flipped and numpys else m // 2 for m in size)
    about = _MASK.pack(CODES[mask_type], *size, _calls.address(mask), 1, *middle)
    _calls.convolve(place.context.address, code_of(call, x.dtype), x, raster, about, flipped, edge, CODES[result_type], to)
    return place.result(to, out)


def convolve(x, mask, mode=None, *, border=None, channels=False, out=None):
    """x under the mask, flipped. Signals: mode "full" as NumPy's convolve, "same" or "valid". Pictures and volumes: "same", with a border of
    "zero", "clamp", "reflect", "mirror" or "wrap" (SciPy calls those constant, nearest, reflect, mirror and wrap). A mask of fewer axes works on
    each of the others by itself. uint8 with an integer mask gives int32, with floats float32.
    """
    return _masked("convolve", True, x, mask, mode, border, channels, out)


def correlate(x, mask, mode=None, *, border=None, channels=False, out=None):
    """x under the mask as it stands; modes and borders as convolve()'s."""
    if mode is None and border is None and np.ndim(x) == 1:
        mode = "valid"  # as NumPy's
    return _masked("correlate", False, x, mask, mode, border, channels, out)


_TABLES = {U8: U32, U16: U64, U32: U64, I32: I64, F32: F64, F64: F64}
_MEANS = {U8: F32, U16: F32, U32: F64, I32: F64, F32: F32, F64: F64}


def integral(x, *, channels=False, dtype=None, wrap=False, out=None):
    """The summed-area table: table[y, x] = the sum of all above and left, with row y and column x. A picture of uint8 has uint32, or
    dtype=uint64; uint16 and uint32 uint64, int32 int64, float32 float64 or float32. Sums that could overflow are refused, unless wrap."""
    call = "integral"
    place = place_of(call, x)
    x = seen(place, call, x)
    raster, shape, deep = _raster(call, x, channels, 2)
    kind = np.dtype(dtype) if dtype is not None else _TABLES.get(x.dtype)
    if kind is None:
        raise Unsupported(f"{call}: elements of {x.dtype}; give uint8, uint16, uint32, int32, float32 or float64")
    to = target(place, call, out, tuple(x.shape), kind)
    _calls.integral(place.context.address, code_of(call, x.dtype), x, raster, wrap, code_of(call, kind), to)
    return place.result(to, out)


def box_filter(x, radius, what="mean", *, channels=False, dtype=None, wrap=False, out=None):
    """The "mean", "sum" or "variance" of the box of (2·radius + 1)² elements around each, as far as it lies in the picture. radius: a number, or
    (of rows, of columns)."""
    call = "box_filter"
    place = place_of(call, x)
    x = seen(place, call, x)
    raster, shape, deep = _raster(call, x, channels, 2)
    index = one_of(call, "result", {"sum": 0, "mean": 1, "variance": 2}, what)
    kind = np.dtype(dtype) if dtype is not None else (_TABLES if what == "sum" else _MEANS).get(x.dtype)
    if kind is None:
        raise Unsupported(f"{call}: elements of {x.dtype}; give uint8, uint16, uint32, int32, float32 or float64")
    ry, rx = (integer(call, "the radius", each) for each in ((radius, radius) if np.ndim(radius) == 0 else radius))
    to = target(place, call, out, tuple(x.shape), kind)
    _calls.box_filter(place.context.address, code_of(call, x.dtype), x, raster, index, rx, ry if len(shape) > 1 else 0, wrap,
                      code_of(call, kind), to)
    return place.result(to, out)


def _floats(call, x, channels, out):
    place = place_of(call, x)
    x = seen(place, call, x)
    if x.dtype != F32:
        raise Unsupported(f"{call}: a picture of {x.dtype}; give float32")
    raster, shape, deep = _raster(call, x, channels, 2)
    return place, x, raster, shape, deep, target(place, call, out, tuple(x.shape), F32) if call != "resize" else None


def gaussian(x, sigma, *, border="clamp", channels=False, out=None):
    """A Gaussian blur by recursive filters, whose cost does not depend on sigma. float32."""
    place, x, raster, _, _, to = _floats("gaussian", x, channels, out)
    _calls.gaussian(place.context.address, x, raster, sigma, one_of("gaussian", "border", BORDERS, border), to)
    return place.result(to, out)


def median(x, radius, *, border="clamp", channels=False, out=None):
    """The middle one of the (2·radius + 1)² elements around each. float32."""
    place, x, raster, _, _, to = _floats("median", x, channels, out)
    _calls.median(place.context.address, x, raster, integer("median", "the radius", radius), one_of("median", "border", BORDERS, border), to)
    return place.result(to, out)


def bilateral(x, sigma_space, sigma_range, *, border="clamp", channels=False, out=None):
    """A blur that keeps edges: near in place and in value. float32."""
    place, x, raster, _, _, to = _floats("bilateral", x, channels, out)
    _calls.bilateral(place.context.address, x, raster, sigma_space, sigma_range, one_of("bilateral", "border", BORDERS, border), to)
    return place.result(to, out)


RESAMPLING = {"nearest": 0, "area": 1, "linear": 2, "cubic": 3, "lanczos": 4}


def resize(x, shape, how="lanczos", *, channels=False, out=None):
    """A picture of `shape` rows and columns. float32."""
    call = "resize"
    place, x, raster, old, deep, _ = _floats(call, x, channels, None)
    given, shape = shape, tuple(integer(call, "a side", each) for each in shape) if np.ndim(shape) == 1 else ()
    if len(old) != 2 or len(shape) != 2 or min(shape) < 0:
        raise BadArgument(f"{call}: a picture of shape {tuple(x.shape)} to {given!r}; give two axes, rows and columns")
    to = target(place, call, out, (*shape, deep) if channels else tuple(shape), F32)
    _calls.resize(place.context.address, x, raster, shape[1], shape[0], one_of(call, "resampling", RESAMPLING, how), to)
    return place.result(to, out)
