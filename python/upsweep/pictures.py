"""Convolutions, summed-area tables and filters of signals, images and volumes. With channels=True the last axis is the channels."""
from __future__ import annotations

import struct

import numpy as np

from . import _calls
from .arrays import CODES, F32, DeviceSpace, as_array, code_of, host_arrays, integer, output_array, refuse_mask, space_of, write_host
from .errors import BadArgument, Unsupported
from .names import BORDERS, one_of

_LAYOUT = struct.Struct("@QQQIQQi0Q")  # width, height, depth, channels, pitch, out_pitch, is_signal
_MASK = struct.Struct("@iQQQPiQQQ0P")
I32, F64, U8, U16, U32, U64, I64 = (np.dtype(t) for t in ("i4", "f8", "u1", "u2", "u4", "u8", "i8"))


def _layout(call, x, channels, most=3):
    """Return (upsweep.h's description of the shape, lengths of the axes, number of channels)."""
    shape = tuple(x.shape)
    channel_count = 1
    if channels:
        if not shape or not 1 <= shape[-1] <= 4:
            raise BadArgument(f"{call}: the last axis of shape {shape} is not the channels; give 1 to 4 channels")
        shape, channel_count = shape[:-1], shape[-1]
    if not 1 <= len(shape) <= most:
        raise BadArgument(f"{call}: an array of shape {tuple(x.shape)}; give 1 to {most} axes, and channels=True where the last axis is the channels")
    size = shape[::-1] + (1,) * (3 - len(shape))
    return _LAYOUT.pack(*size, channel_count, 0, 0, len(shape) == 1), shape, channel_count


def _mask_type(call, x, mask):
    """Return the type to convert the mask to, and the type of the result."""
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


def _convolve(call, flipped, x, mask, mode, border, channels, out):
    space = space_of(call, x)
    x = as_array(space, call, x)
    refuse_mask(call, "the mask", mask)
    mask = np.asarray(mask)
    layout, shape, channel_count = _layout(call, x, channels)
    if mask.ndim > len(shape) or mask.ndim == 0 or mask.size == 0:
        raise BadArgument(f"{call}: a mask of shape {mask.shape} for {len(shape)} axes; give at most as many axes, and at least one element")
    mask_type, result_type = _mask_type(call, x, mask)
    converted = mask.astype(mask_type)
    if mask_type.kind == "i" and not (converted == mask).all():
        raise Unsupported(f"{call}: elements of {x.dtype} and a mask of {mask.dtype}; give integers, or elements of floats")
    mask = np.ascontiguousarray(converted).reshape((1,) * (len(shape) - mask.ndim) + mask.shape)
    if mode not in (None, "full", "same", "valid"):
        raise BadArgument(f"{call}: unknown mode {mode!r}; give one of full, same, valid")
    centred_as_numpy = mode == "same"
    if mode is None:
        mode = "same" if border is not None or len(shape) > 1 else "full"
    if mode != "same" and border is not None:
        raise BadArgument(f"{call}: mode={mode!r} has no border; omit one of them")
    edge = one_of(call, "border", BORDERS, border or "zero")
    if mode == "valid" or edge == BORDERS["none"]:
        edge, result_shape = BORDERS["none"], tuple(max(n - m + 1, 0) for n, m in zip(shape, mask.shape))
    else:
        result_shape = shape
    if mode == "full":  # every overlap of x and the mask: x is padded with zeros
        if not space.on_host:
            raise Unsupported(f"{call}: mode=\"full\" on a device; give \"same\" or \"valid\"")
        wide = tuple((m - 1, m - 1) for m in mask.shape) + ((0, 0),) * (x.ndim - len(shape))
        x = np.pad(x, wide)
        layout, padded, channel_count = _layout(call, x, channels)
        edge, result_shape = BORDERS["none"], tuple(n - m + 1 for n, m in zip(padded, mask.shape))
    to = output_array(space, call, out, result_shape + ((channel_count,) if channels else ()), result_type)
    size = mask.shape[::-1] + (1,) * (3 - mask.ndim)
    # A mask of even length has two middle elements. NumPy's "same" uses the first.
    middle = tuple((m - 1) // 2 if flipped and centred_as_numpy else m // 2 for m in size)
    packed_mask = _MASK.pack(CODES[mask_type], *size, _calls.address(mask), 1, *middle)
    _calls.convolve(space.context.address, code_of(call, x.dtype), x, layout, packed_mask, flipped, edge, CODES[result_type], to)
    return space.result(to, out)


_MODES = {0: "valid", 1: "same", 2: "full"}
# Types of masks and elements that upsweep.h convolves in the type itself. Narrow integers are convolved in int32, which wraps alike.
_CONVOLVED = (I32, F32, F64)


def _is_numpys(x, mask, border, channels):
    """Whether the arguments are those of numpy.convolve: sequences, without a border or channels."""
    return border is None and not channels and np.ndim(mask) <= 1 and (x.ndim if hasattr(x, "ndim") else np.ndim(x)) <= 1


def _numpys(call, flipped, a, v, mode, out):
    """Convolve or correlate two sequences in host memory as NumPy does: in their common type, and with a longer second one exchanged."""
    space, a, v = host_arrays(call, a, v)
    if not flipped and not (a.ndim and v.ndim):
        raise BadArgument(f"{call}: a number, which has no axis; give a sequence")
    a, v = a.reshape(-1), v.reshape(-1)
    for name, each in (("a", a), ("v", v)):
        if each.size == 0:
            raise BadArgument(f"{call}: {name} is empty; give at least one element")
    if mode not in ("full", "same", "valid"):
        raise BadArgument(f"{call}: unknown mode {mode!r}; give one of full, same, valid")
    common = np.result_type(a.dtype, v.dtype)
    code_of(call, np.dtype("u1") if common == np.bool_ else common)
    exchanged = len(v) > len(a)
    if exchanged:
        a, v = v, a
    if common.kind in "iu" and common.itemsize == 8 or common == np.bool_ or not np.isfinite(v).all():
        # The library convolves neither these types nor masks with NaN or infinity.
        result = np.convolve(a, v if flipped else v[::-1], mode)
    else:
        kind = F32 if common == np.dtype("f2") else common if common in _CONVOLVED else I32
        with np.errstate(all="ignore"):
            if kind != common and len(v) < _PIECE < len(a):
                result = _convolved_in_pieces(call, flipped, a, v.astype(kind), mode, kind, common)
            else:
                wide = a.astype(kind)
                if mode == "full":  # every overlap, with zeros around a
                    wide = np.pad(wide, len(v) - 1)
                wide = _convolve(call, flipped, wide, v.astype(kind), "valid" if mode == "full" else mode, None, False, None)
                result = wide.astype(common, copy=False)
    if exchanged and not flipped:
        result = result[::-1]
    return write_host(space, call, np.ascontiguousarray(result), out)


_PIECE = 1 << 22  # elements to convert at once


def _convolved_in_pieces(call, flipped, a, v, mode, kind, common):
    """Convolve a long sequence in a wider type, one piece at a time. A piece has the m - 1 elements before it as well."""
    n, m = len(a), len(v)
    first, count = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[mode]
    result = np.empty(count, common)
    for start in range(0, count, _PIECE):
        end = min(start + _PIECE, count)
        low, high = first + start - (m - 1), first + end
        piece = np.zeros(high - low, kind)
        piece[max(-low, 0):n - low] = a[max(low, 0):high]
        result[start:end] = _convolve(call, flipped, piece, v, "valid", None, False, None)
    return result


def convolve_numbers(call, x, mask, mode):
    """Convolve arrays of one type and of as many axes, in host memory, in that type: by the library, or by sums where it has not the type."""
    if x.ndim == 1:
        return np.asarray(_numpys(call, True, x, mask, mode, None))
    common = x.dtype
    if common.kind in "iu" and common.itemsize == 8 or common == np.bool_ or x.ndim > 3 or not np.isfinite(mask).all():
        to = np.zeros(tuple(n + m - 1 for n, m in zip(x.shape, mask.shape)), common)
        for index in np.argwhere(np.ones(mask.shape, bool)):
            to[tuple(slice(i, i + n) for i, n in zip(index, x.shape))] += x * mask[tuple(index)]
        return to
    kind = F32 if common == np.dtype("f2") else common if common in _CONVOLVED else I32
    return _convolve(call, True, x.astype(kind), mask.astype(kind), mode, None, False, None).astype(common, copy=False)


def _convolved(call, flipped, a, v, mode, default, border, channels, out):
    mode = _MODES.get(mode, mode) if type(mode) is int else mode
    if _is_numpys(a, v, border, channels) and not isinstance(space_of(call, a), DeviceSpace):
        return _numpys(call, flipped, a, v, default if mode is None else mode, out)
    if mode is None and border is None and np.ndim(a) == 1:
        mode = default
    return _convolve(call, flipped, a, v, mode, border, channels, out)


def convolve(a, v, mode=None, *, border=None, channels=False, out=None):
    """Convolve a with a mask v.

    Without border and channels, two sequences in host memory give what numpy.convolve gives: the result has their common type, and a longer v is
    exchanged with a. Sums of float32 and float64 are computed by an FFT where the mask is long.

    Otherwise the mask is converted to the type of the elements. The result of uint8 elements is int32 for an integer mask and float32 for a mask of
    floats.

    Parameters
    ----------
    a : array
        A signal, an image or a volume: 1 to 3 axes, and the channels.
    v : array_like
        The mask. Where it has fewer axes than a, it applies to the last ones, for each index of the others.
    mode : str or int, optional
        "full", "same" or "valid", as in numpy.convolve, or NumPy's numbers of them, 2, 1 and 0. The default is "full" for signals without a border,
        else "same".
    border : str, optional
        With "same": "zero", "clamp", "reflect", "mirror" or "wrap". SciPy's names are constant, nearest, reflect, mirror and wrap.
    channels : bool
        The last axis of a is the channels, 1 to 4 of them.
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        The sums.

    Examples
    --------
    >>> upsweep.convolve([1, 2, 3], [0, 1, 0.5]).tolist()
    [0.0, 1.0, 2.5, 4.0, 1.5]
    """
    return _convolved("convolve", True, a, v, mode, "full", border, channels, out)


def correlate(a, v, mode=None, *, border=None, channels=False, out=None):
    """Correlate a with a mask v: convolve() without the flip. The default mode of signals is "valid", as in numpy.correlate.

    The parameters are those of convolve().

    Examples
    --------
    >>> upsweep.correlate([1, 2, 3], [0, 1, 0.5]).tolist()
    [3.5]
    """
    return _convolved("correlate", False, a, v, mode, "valid", border, channels, out)


_TABLES = {U8: U32, U16: U64, U32: U64, I32: I64, F32: F64, F64: F64}
_MEANS = {U8: F32, U16: F32, U32: F64, I32: F64, F32: F32, F64: F64}


def integral(x, *, channels=False, dtype=None, wrap=False, out=None):
    """Return the summed-area table: element [y, x] is the sum of all elements of rows up to y and columns up to x.

    The table of uint8 is uint32, or uint64 with dtype. That of uint16 and uint32 is uint64, of int32 int64, of float32 float64 or float32. Sums
    that could overflow are an error unless wrap=True.
    """
    call = "integral"
    space = space_of(call, x)
    x = as_array(space, call, x)
    layout, shape, channel_count = _layout(call, x, channels, 2)
    kind = np.dtype(dtype) if dtype is not None else _TABLES.get(x.dtype)
    if kind is None:
        raise Unsupported(f"{call}: elements of {x.dtype}; give uint8, uint16, uint32, int32, float32 or float64")
    to = output_array(space, call, out, tuple(x.shape), kind)
    _calls.summed_area_table(space.context.address, code_of(call, x.dtype), x, layout, wrap, code_of(call, kind), to)
    return space.result(to, out)


def box_filter(x, radius, what="mean", *, channels=False, dtype=None, wrap=False, out=None):
    """Return the "mean", "sum" or "variance" of the box of (2·radius + 1)² elements around each element, clipped to the image.

    radius is a number, or (radius of rows, radius of columns).
    """
    call = "box_filter"
    space = space_of(call, x)
    x = as_array(space, call, x)
    layout, shape, channel_count = _layout(call, x, channels, 2)
    index = one_of(call, "result", {"sum": 0, "mean": 1, "variance": 2}, what)
    kind = np.dtype(dtype) if dtype is not None else (_TABLES if what == "sum" else _MEANS).get(x.dtype)
    if kind is None:
        raise Unsupported(f"{call}: elements of {x.dtype}; give uint8, uint16, uint32, int32, float32 or float64")
    ry, rx = (integer(call, "the radius", each) for each in ((radius, radius) if np.ndim(radius) == 0 else radius))
    to = output_array(space, call, out, tuple(x.shape), kind)
    _calls.box_filter(space.context.address, code_of(call, x.dtype), x, layout, index, rx, ry if len(shape) > 1 else 0, wrap,
                      code_of(call, kind), to)
    return space.result(to, out)


def _floats(call, x, channels, out):
    space = space_of(call, x)
    x = as_array(space, call, x)
    if x.dtype != F32:
        raise Unsupported(f"{call}: an image of {x.dtype}; give float32")
    layout, shape, channel_count = _layout(call, x, channels, 2)
    return space, x, layout, shape, channel_count, output_array(space, call, out, tuple(x.shape), F32) if call != "resize" else None


def gaussian(x, sigma, *, border="clamp", channels=False, out=None):
    """Blur a float32 image with a Gaussian by recursive filters, whose cost does not depend on sigma.

    NaN and infinities affect results within a distance of 4 sigma + 1/2, as in SciPy's gaussian_filter.
    """
    space, x, layout, _, _, to = _floats("gaussian", x, channels, out)
    _calls.gaussian(space.context.address, x, layout, sigma, one_of("gaussian", "border", BORDERS, border), to)
    return space.result(to, out)


def box_median(x, radius, *, border="clamp", channels=False, out=None):
    """Return the median of the (2·radius + 1)² elements around each element of a float32 image, or of 2·radius + 1 in a signal."""
    space, x, layout, _, _, to = _floats("median_filter", x, channels, out)
    _calls.median(space.context.address, x, layout, integer("median_filter", "the radius", radius), one_of("median_filter", "border", BORDERS, border), to)
    return space.result(to, out)


def bilateral(x, sigma_space, sigma_range, *, border="clamp", channels=False, out=None):
    """Blur a float32 image and keep its edges: weights decrease with the distance in position and in value."""
    space, x, layout, _, _, to = _floats("bilateral", x, channels, out)
    _calls.bilateral(space.context.address, x, layout, sigma_space, sigma_range, one_of("bilateral", "border", BORDERS, border), to)
    return space.result(to, out)


RESAMPLING = {"nearest": 0, "area": 1, "linear": 2, "cubic": 3, "lanczos": 4}


def resize(x, shape, how="lanczos", *, channels=False, out=None):
    """Resample a float32 image to `shape`: (rows, columns)."""
    call = "resize"
    space, x, layout, old, channel_count, _ = _floats(call, x, channels, None)
    given, shape = shape, tuple(integer(call, "a side", each) for each in shape) if np.ndim(shape) == 1 else ()
    if len(old) != 2 or len(shape) != 2 or min(shape) < 0:
        raise BadArgument(f"{call}: an image of shape {tuple(x.shape)} to {given!r}; give two axes, rows and columns")
    to = output_array(space, call, out, (*shape, channel_count) if channels else tuple(shape), F32)
    _calls.resize(space.context.address, x, layout, shape[1], shape[0], one_of(call, "resampling", RESAMPLING, how), to)
    return space.result(to, out)
