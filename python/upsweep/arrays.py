"""The arrays that calls are given: where they lie, what their elements are, and how a result of the same kind is made.

Host memory is always seen as an ndarray: NumPy's own; what has DLPack or a buffer, PyTorch's CPU tensors among them, without a copy; and
lists and numbers, converted as NumPy does. A GPU's array is seen as an address, a shape and a type. Strided host arrays are copied to be
read; strided GPU arrays are refused, and so is what is to be written and is strided or read-only.
"""
from __future__ import annotations

import math
import numbers
import operator
import struct
import sys

import numpy as np

from . import _calls
from .devices import chosen, on_stream, opened
from .errors import BadArgument, Unsupported

# upsweep.h's types.
CODES = {np.dtype(t): code for code, t in enumerate(("i4", "u4", "i8", "u8", "f4", "f8", "i1", "u1", "i2", "u2", "f2"))}
CODES[np.dtype("longlong")], CODES[np.dtype("ulonglong")] = 2, 3
U8, U64, I64, F32, F64 = (np.dtype(t) for t in ("u1", "u8", "i8", "f4", "f8"))


def code_of(call: str, dtype: np.dtype) -> int:
    code = CODES.get(dtype)
    if code is None:
        raise Unsupported(f"{call}: elements of {dtype}; give int8 to int64, uint8 to uint64, float16, float32 or float64, in the "
                          "machine's byte order")
    return code


def key_code(call: str, dtype: np.dtype) -> int:
    """The type of keys; bools are ordered as bytes."""
    code = CODES.get(dtype)
    return code if code is not None else code_of(call, U8 if dtype == np.bool_ else dtype)


class Host:
    """The host's memory, and the CPU. `wrap` makes a caller's kind of array of an ndarray."""

    __slots__ = ("context", "wrap")

    def __init__(self, context, wrap=None):
        self.context, self.wrap = context, wrap

    on_host = True
    empty = staticmethod(np.empty)

    def result(self, array, out=None):
        if out is not None:
            return out
        return array if self.wrap is None else self.wrap(array)

    @staticmethod
    def converted(array, dtype):
        return array.astype(dtype)

    @staticmethod
    def seen(array, call):
        return array if array.flags.c_contiguous else np.ascontiguousarray(array)

    @staticmethod
    def number(array):
        return array.item(0)

    @staticmethod
    def scalar(array):
        return array[()]

    @staticmethod
    def seen_host(array):
        """A small array of the host's, where the place is."""
        return array

    @staticmethod
    def fetched(array):
        return array

    def of_host(self, array):
        """An array of NumPy's that a call has made on the host, as the caller's kind."""
        return self.result(array)

    @staticmethod
    def cut(array, count):
        """Its first elements, in memory of their own where much would be kept for little."""
        return array[:count] if count * 2 > len(array) else array[:count].copy()


class View:
    """A contiguous array in a device's memory. `native` is the caller's, or what keeps the memory."""

    __slots__ = ("address", "shape", "dtype", "native")

    def __init__(self, address, shape, dtype, native):
        self.address, self.shape, self.dtype, self.native = address, tuple(shape), dtype, native

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    def __len__(self):
        return self.shape[0]

    def reshape(self, *shape):
        if shape == (-1,):
            shape = (self.size,)
        return View(self.address, shape, self.dtype, self.native)

    def view(self, dtype):
        return View(self.address, self.shape, np.dtype(dtype), self.native)


class Staged:
    """Host arrays that are worked on by a device: taken there, and brought back."""

    __slots__ = ("context", "wrap")

    def __init__(self, context, wrap=None):
        self.context, self.wrap = context, wrap

    on_host = False

    def empty(self, shape, dtype):
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        dtype = np.dtype(dtype)
        n = int(np.prod(shape, dtype=object)) * dtype.itemsize
        memory = Memory(self.context, n)
        return View(memory.address, shape, dtype, memory)

    def seen(self, array, call):
        array = np.ascontiguousarray(array)
        there = self.empty(array.shape, array.dtype)
        if array.size:
            _calls.upload(self.context.address, there.address, array, array.nbytes)
        return there

    def seen_host(self, array):
        return self.seen(array, "")

    def fetched(self, view):
        return self.brought(view)

    def brought(self, view, out=None):
        array = np.empty(view.shape, view.dtype) if out is None else out
        if view.size:
            _calls.download(self.context.address, array, view.address, view.nbytes)
        return array

    def result(self, view, out=None):
        array = self.brought(view, out)
        return out if out is not None else array if self.wrap is None else self.wrap(array)

    def of_host(self, array):
        return array if self.wrap is None else self.wrap(array)

    def converted(self, view, dtype):
        return self.seen(self.brought(view).astype(dtype), "")

    def number(self, view):
        return self.brought(view.reshape(-1)).reshape(-1)[0].item()

    def scalar(self, view):
        return self.brought(view)[()]

    @staticmethod
    def cut(view, count):
        return View(view.address, (count, *view.shape[1:]), view.dtype, view.native)


class Memory:
    """A device's memory, released with the last that uses it."""

    __slots__ = ("context", "address")

    def __init__(self, context, nbytes):
        self.context, self.address = context, 0
        if nbytes:
            handle = bytearray(8)
            _calls.allocate(context.address, nbytes, handle)
            self.address = int.from_bytes(handle, "little")

    def __del__(self, release=_calls.release):
        if self.address:
            release(self.context.address, self.address)


class There:
    """Arrays of a GPU library's, by a module of its own in kinds.py."""

    __slots__ = ("context", "kind", "like", "waits")

    def __init__(self, kind, like):
        self.context, self.kind, self.like, self.waits = on_stream(*kind.place(like)), kind, like, kind.waits

    on_host = False

    def takes(self, kind, array):
        """Whether another array is worked on along with these."""
        return kind.family == self.kind.family and kind.place(array) == self.kind.place(self.like)

    def empty(self, shape, dtype):
        shape, dtype = (shape,) if isinstance(shape, int) else shape, np.dtype(dtype)
        made = self.kind.empty(self.like, shape, dtype) if shape else self.kind.one(self.like, dtype)
        return View(self.kind.address(made), shape, dtype, made)

    def seen(self, array, call):
        kind = self.kind if type(array) is type(self.like) else known[type(array)]  # Numba's beside CuPy's
        address, shape, dtype, contiguous = kind.described(array)
        if not contiguous:
            raise BadArgument(f"{call}: an array on a GPU whose elements do not lie one after the other; make it contiguous first")
        return View(address, shape, dtype, array)

    def made(self, view):
        """What a call has written there, for the library that it is of."""
        if self.waits:
            _calls.synchronize(self.context.address)
        elif self.kind.apart:
            self.kind.hand_over(self.like)
        return view.native

    def result(self, view, out=None):
        return self.made(view) if out is None else out

    def converted(self, view, dtype):
        array = self.kind.converted(self.made(view), dtype)
        if self.kind.apart:
            self.kind.take_over(self.like)
        return self.seen(array, "")

    def number(self, view):
        return self.kind.number(self.made(view))

    def scalar(self, view):
        array = self.made(view)
        return array.reshape(()) if view.shape else array

    def of_host(self, array):
        return self.made(self.seen_host(array))

    def seen_host(self, array):
        there = self.empty(array.shape, array.dtype)
        _calls.upload(self.context.address, there.address, array, array.nbytes)
        return there

    def fetched(self, view):
        array = np.empty(view.shape, view.dtype)
        _calls.download(self.context.address, array, view.address, view.nbytes)
        return array

    def cut(self, view, count):
        return View(view.address, (count, *view.shape[1:]), view.dtype, self.made(view)[:count])


_cpu = None
known = {}  # kinds.py's, by the types of arrays that it was given


def host():
    global _cpu
    if _cpu is None:
        _cpu = Host(opened("cpu"))
    return _cpu


def place_of(call, *given):
    """Where a call's arrays are: of the first one that says so. Arrays of two places are refused."""
    context = chosen()
    if context is None and all(type(a) is np.ndarray for a in given):
        return _cpu or host()
    place = wrap = None
    for array in given:
        kind = _kind_of(array)
        if kind is None:
            continue
        if kind.on_gpu(array):
            if place is None:
                place = There(kind, array)
            elif not place.takes(kind, array):
                raise BadArgument(f"{call}: arrays of two libraries, devices or streams; give all of one")
        elif wrap is None:
            wrap = kind.wrap_like(array)
    if place is not None:
        return place
    if context is not None and context.backend != "cpu":
        return Staged(context, wrap)
    if context is None and wrap is None:
        return host()
    return Host(context or host().context, wrap)


def _kind_of(array):
    """The module of kinds.py that knows this array, where it is not NumPy's and not what NumPy converts."""
    t = type(array)
    if t is np.ndarray:
        return None
    if isinstance(array, np.ma.MaskedArray):
        raise Unsupported("a masked array, whose mask would be lost; give x.compressed() or x.filled(...)")
    if isinstance(array, (np.ndarray, np.generic, int, float, list, tuple, range)):
        return None
    from . import kinds
    return kinds.of(array)


def _converted(call, given):
    try:
        return np.asarray(given)
    except ValueError as wrong:  # rows of different lengths
        raise BadArgument(f"{call}: a {type(given).__name__} that is no array ({str(wrong).partition('. ')[0]})") from None


def seen(place, call, array, what="the input"):
    """An input: contiguous, its bools as bytes."""
    if type(array) is not np.ndarray:
        kind = _kind_of(array)
        if kind is None or not kind.on_gpu(array):
            given, array = array, _converted(call, array) if kind is None else kind.to_numpy(array)
            if array.ndim == 0 and array.dtype.kind in "OSU":
                raise Unsupported(f"{call}: {given!r:.50} is no array")
        elif not isinstance(place, There):
            raise BadArgument(f"{call}: {what} is on a GPU and another array is not; give all of one place")
    elif isinstance(place, There):
        raise BadArgument(f"{call}: {what} is in the host's memory and another array is on a GPU; give all of one place")
    return place.seen(array, call)


def taken(call, *given):
    """(place, inputs)"""
    if len(given) == 1:  # what most calls are
        array = given[0]
        if type(array) is np.ndarray:
            if _cpu is not None and chosen() is None:
                return _cpu, array if array.flags.c_contiguous else np.ascontiguousarray(array)
        else:
            kind = known.get(type(array))
            if kind is not None and kind.on_gpu(array):
                place = There(kind, array)
                return place, place.seen(array, call)
    place = place_of(call, *given)
    return (place, *(seen(place, call, array) for array in given))


def target(place, call, out, shape, dtype):
    """Where a result of this shape and type is written: the caller's `out`, which must be fit for it, or a new array."""
    if out is None:
        return place.empty(shape, dtype)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if type(out) is np.ndarray and type(place) is Host and out.shape == shape and out.dtype == dtype:  # what most calls are given
        flags = out.flags
        if flags.c_contiguous and flags.writeable:
            return out
    if isinstance(place, There):
        if place.waits:
            raise BadArgument(f"{call}: out is an array of JAX, and those are not written to")
        view, kind = seen(place, call, out, "out"), known[type(out)]
        if not place.takes(kind, out):
            raise BadArgument(f"{call}: out is of another library, device or stream than the input; give one of the same")
        if not kind.writable(out):
            raise BadArgument(f"{call}: out is read-only")
    else:
        kind = _kind_of(out)
        array = out if kind is None else getattr(kind, "to_write", kind.to_numpy)(out)
        if not isinstance(array, np.ndarray):
            raise Unsupported(f"{call}: out is no array")
        if not array.flags.writeable:
            raise BadArgument(f"{call}: out is read-only")
        if not array.flags.c_contiguous:
            raise BadArgument(f"{call}: out is strided; give a contiguous one")
        if isinstance(place, Staged):
            if array.shape != shape or array.dtype != dtype:
                raise BadArgument(f"{call}: out is {array.dtype} of shape {array.shape}; the result is {np.dtype(dtype)} of shape {shape}")
            return place.empty(shape, dtype)
        view = array
    if tuple(view.shape) != shape or view.dtype != dtype:
        raise BadArgument(f"{call}: out is {view.dtype} of shape {tuple(view.shape)}; the result is {np.dtype(dtype)} of shape {shape}")
    return view


def element(call, value, dtype):
    """One element as bytes, exactly: what the type does not hold is refused."""
    with np.errstate(all="ignore"):
        try:
            one = np.asarray(value)
            number = one.dtype.kind in "biuf" or one.dtype.kind == "O" and isinstance(value, numbers.Real) or one.ndim
            converted = one.astype(dtype) if number else None
        except (TypeError, ValueError, OverflowError):
            raise Unsupported(f"{call}: {value!r} is no {dtype}") from None
    if one.ndim:
        raise BadArgument(f"{call}: one number is wanted, not an array of shape {one.shape}")
    if not number:
        raise Unsupported(f"{call}: {value!r} is no {dtype}")
    if dtype.kind in "iu" and (one.dtype.kind not in "iub" or int(converted) != int(one)):
        raise Unsupported(f"{call}: {value!r} does not fit {dtype}")
    return converted.tobytes()


def integer(call, what, value):
    try:
        return operator.index(value)
    except TypeError:
        raise Unsupported(f"{call}: {what} is {value!r}; give an integer") from None


def axis_of(call, axis, ndim):
    if ndim == 1 and (axis == -1 or axis == 0) and type(axis) is int:
        return 0
    try:
        axis = operator.index(axis)
    except TypeError:
        raise Unsupported(f"{call}: the axis is {axis!r}; give one integer, or None where all is meant") from None
    if ndim == 0:
        raise BadArgument(f"{call}: a number has no axis; give an array")
    if not -ndim <= axis < ndim:
        raise BadArgument(f"{call}: axis {axis} of an array of {ndim} axes; give {-ndim} to {ndim - 1}")
    return axis % ndim


def shape_bytes(shape):
    """A shape as the library takes it."""
    return struct.pack(f"{len(shape)}Q", *shape)


def module_of(array):
    return sys.modules.get(type(array).__module__.partition(".")[0])
