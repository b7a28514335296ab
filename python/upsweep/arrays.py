"""Input arrays: their memory space, the type of their elements, and results of the same library.

Arrays in host memory become ndarrays. Objects with DLPack or the buffer protocol, such as PyTorch CPU tensors, are not copied. NumPy converts
lists and numbers. An array in GPU memory becomes a DeviceArray: an address, a shape and a type.

Strided inputs in host memory are copied, and so are inputs in the other byte order. Strided inputs in GPU memory are errors. Results for a strided
`out`, or for one of another type, are computed in new memory and copied to it.
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
from .errors import AxisError, BadArgument, Unsupported

# Element types and their codes in upsweep.h.
CODES = {np.dtype(t): code for code, t in enumerate(("i4", "u4", "i8", "u8", "f4", "f8", "i1", "u1", "i2", "u2", "f2"))}
CODES[np.dtype("longlong")], CODES[np.dtype("ulonglong")] = 2, 3
U8, U64, I64, F32, F64 = (np.dtype(t) for t in ("u1", "u8", "i8", "f4", "f8"))


def code_of(call: str, dtype: np.dtype) -> int:
    code = CODES.get(dtype)
    if code is None:
        raise Unsupported(f"{call}: elements of {dtype}; " + ("give x.view('int64'), in which NaT is the smallest integer" if dtype.kind in "mM" else
                          "give int8 to int64, uint8 to uint64, float16, float32 or float64"))
    return code


def key_code(call: str, dtype: np.dtype) -> int:
    """Return the type code of keys. Bools are ordered as bytes."""
    code = CODES.get(dtype)
    return code if code is not None else code_of(call, U8 if dtype == np.bool_ else dtype)


def is_plain(array):
    """Whether a NumPy array is contiguous and in the machine's byte order, as upsweep.h takes it."""
    return array.flags.c_contiguous and array.dtype.isnative


def plain_copy(array):
    """Return a contiguous copy in the machine's byte order."""
    return np.array(array, array.dtype.newbyteorder("="), order="C")


class HostSpace:
    """Host memory, in calls that run on the CPU. `wrap` converts an ndarray to an array of the caller's library."""

    __slots__ = ("context", "wrap")

    def __init__(self, context, wrap=None):
        self.context, self.wrap = context, wrap

    on_host = True
    empty = staticmethod(np.empty)

    def result(self, array, out=None):
        if out is not None:
            if array is not out:
                _write(array, out)
            return out
        return array if self.wrap is None else self.wrap(array)

    @staticmethod
    def astype(array, dtype):
        return array.astype(dtype)

    @staticmethod
    def as_array(array, call):
        return array if is_plain(array) else plain_copy(array)

    @staticmethod
    def negative(array):
        return np.negative(array)

    @staticmethod
    def item(array):
        return array.item(0)

    @staticmethod
    def scalar(array):
        return array[()]

    @staticmethod
    def from_host(array):
        """Return a NumPy array as an input in this memory space."""
        return array

    @staticmethod
    def to_host(array):
        return array

    def wrap_host(self, array):
        """Return a NumPy array as a result of the caller's library."""
        return self.result(array)

    @staticmethod
    def truncated(array, count):
        """Return the first elements: a view, or a copy where a view would keep more memory than it uses."""
        return array[:count] if count * 2 > len(array) else array[:count].copy()


class DeviceArray:
    """A contiguous array in device memory. `native` is the caller's array, or the object that owns the memory."""

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
        return DeviceArray(self.address, shape, self.dtype, self.native)

    def view(self, dtype):
        return DeviceArray(self.address, self.shape, np.dtype(dtype), self.native)


class StagedSpace:
    """Device memory for host arrays: inputs are uploaded and results downloaded."""

    __slots__ = ("context", "wrap")

    def __init__(self, context, wrap=None):
        self.context, self.wrap = context, wrap

    on_host = False

    def empty(self, shape, dtype):
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        dtype = np.dtype(dtype)
        n = int(np.prod(shape, dtype=object)) * dtype.itemsize
        memory = DeviceMemory(self.context, n)
        return DeviceArray(memory.address, shape, dtype, memory)

    def as_array(self, array, call):
        array = array if is_plain(array) else plain_copy(array)
        copy = self.empty(array.shape, array.dtype)
        if array.size:
            _calls.upload(self.context.address, copy.address, array, array.nbytes)
        return copy

    def from_host(self, array):
        return self.as_array(array, "")

    def to_host(self, view):
        return self.download(view)

    def download(self, view, out=None):
        array = np.empty(view.shape, view.dtype) if out is None else out
        if view.size:
            _calls.download(self.context.address, array, view.address, view.nbytes)
        return array

    def result(self, view, out=None):
        if out is None:
            array = self.download(view)
            return array if self.wrap is None else self.wrap(array)
        to = _to_write(out)
        if to.dtype == view.dtype and is_plain(to):
            self.download(view, to)
        else:
            np.copyto(to, self.download(view), casting="same_kind")
        return out

    def wrap_host(self, array):
        return array if self.wrap is None else self.wrap(array)

    def astype(self, view, dtype):
        return self.as_array(self.download(view).astype(dtype), "")

    def negative(self, view):
        return self.as_array(np.negative(self.download(view)), "")

    def item(self, view):
        return self.download(view.reshape(-1)).reshape(-1)[0].item()

    def scalar(self, view):
        return self.download(view)[()]

    @staticmethod
    def truncated(view, count):
        return DeviceArray(view.address, (count, *view.shape[1:]), view.dtype, view.native)


class DeviceMemory:
    """An allocation of device memory. The destructor releases it."""

    __slots__ = ("context", "address")

    def __init__(self, context, nbytes):
        self.context, self.address = context, 0
        if nbytes:
            handle = bytearray(8)
            _calls.allocate(context.address, nbytes, handle)
            self.address = int.from_bytes(handle, "little")

    def __del__(self, deallocate=_calls.deallocate):
        if self.address:
            deallocate(self.context.address, self.address)


class DeviceSpace:
    """GPU memory of an array library. `kind` is the library's class in kinds.py, `like` one of the input arrays."""

    __slots__ = ("context", "kind", "like", "synchronous")

    def __init__(self, kind, like):
        self.context, self.kind, self.like, self.synchronous = on_stream(*kind.location(like)), kind, like, kind.synchronous

    on_host = False

    def same_location(self, kind, array):
        """Whether an array is of the same library, device and stream."""
        return kind.family == self.kind.family and kind.location(array) == self.kind.location(self.like)

    def empty(self, shape, dtype):
        shape, dtype = (shape,) if isinstance(shape, int) else shape, np.dtype(dtype)
        array = self.kind.empty(self.like, shape, dtype) if shape else self.kind.empty_scalar(self.like, dtype)
        return DeviceArray(self.kind.address(array), shape, dtype, array)

    def as_array(self, array, call):
        kind = self.kind if type(array) is type(self.like) else known[type(array)]  # e.g. Numba's arrays together with CuPy's
        address, shape, dtype, contiguous = kind.describe(array)
        if not contiguous:
            raise BadArgument(f"{call}: an array on a GPU is strided; make it contiguous first")
        return DeviceArray(address, shape, dtype, array)

    def to_library(self, view):
        """Return the library's own array of a result, which the library's later work finds complete."""
        if self.synchronous:
            _calls.synchronize(self.context.address)
        elif self.kind.foreign_stream:
            self.kind.order_before_library(self.like)
        return view.native

    def result(self, view, out=None):
        if out is not None and view.native is not out:  # output_array() found that the library can assign to it
            self.kind.assign(out, self.to_library(view))
        return self.to_library(view) if out is None else out

    def astype(self, view, dtype):
        return self._of_library(self.kind.astype(self.to_library(view), dtype))

    def negative(self, view):
        return self._of_library(-self.to_library(view))

    def _of_library(self, array):
        """Return an array that the library has computed, for a call that follows."""
        if self.kind.foreign_stream:
            self.kind.order_after_library(self.like)
        return self.as_array(array, "")

    def item(self, view):
        if self.kind.capturing(self.like):
            raise Unsupported("the call reads a number back from the GPU, and the stream is being captured into a CUDA graph; call before or "
                              "after the capture, or keep the number on the GPU (count=\"device\"). The capture remains valid")
        return self.kind.item(self.to_library(view))

    def scalar(self, view):
        array = self.to_library(view)
        return array.reshape(()) if view.shape else array

    def wrap_host(self, array):
        return self.to_library(self.from_host(array))

    def from_host(self, array):
        copy = self.empty(array.shape, array.dtype)
        _calls.upload(self.context.address, copy.address, array, array.nbytes)
        return copy

    def to_host(self, view):
        array = np.empty(view.shape, view.dtype)
        _calls.download(self.context.address, array, view.address, view.nbytes)
        return array

    def truncated(self, view, count):
        return DeviceArray(view.address, (count, *view.shape[1:]), view.dtype, self.to_library(view)[:count])


_cpu = None
known = {}  # type of an array -> its class of kinds.py


def host():
    global _cpu
    if _cpu is None:
        _cpu = HostSpace(opened("cpu"))
    return _cpu


def space_of(call, *given):
    """Return the memory space of the inputs: that of the first array on a GPU, if any. Raise where two differ."""
    context = chosen()
    if context is None and all(type(a) is np.ndarray for a in given):
        return _cpu or host()
    space = wrap = None
    for array in given:
        kind = _kind_of(array)
        if kind is None:
            continue
        if kind.on_gpu(array):
            if space is None:
                space = DeviceSpace(kind, array)
            elif not space.same_location(kind, array):
                raise BadArgument(f"{call}: arrays of two libraries, devices or streams; give arrays of one")
        elif wrap is None:
            wrap = kind.wrap_like(array)
    if space is not None:
        return space
    if context is not None and context.backend != "cpu":
        return StagedSpace(context, wrap)
    if context is None and wrap is None:
        return host()
    return HostSpace(context or host().context, wrap)


def _kind_of(array):
    """Return the class of kinds.py for an array, or None for an ndarray and for lists and numbers, which NumPy converts."""
    t = type(array)
    if t is np.ndarray:
        return None
    if isinstance(array, np.ma.MaskedArray):
        raise Unsupported("a masked array, whose mask would be lost; give x.compressed() or x.filled(...)")
    if isinstance(array, (np.ndarray, np.generic, int, float, list, tuple, range)):
        return None
    from . import kinds
    return kinds.of(array)


def _to_numpy(call, given):
    try:
        return np.asarray(given)
    except ValueError as wrong:  # rows of different lengths
        raise BadArgument(f"{call}: a {type(given).__name__} that cannot be converted to an array ({str(wrong).partition('. ')[0]})") from None


def refuse_objects(call, dtype):
    """Raise for elements that are references to Python objects: the library would copy them without counting."""
    if dtype.hasobject:
        raise Unsupported(f"{call}: elements of {dtype}, which are Python objects; give numbers, as in x.astype(float)")


def refuse_mask(call, what, array):
    """Raise for a masked array as an argument that NumPy converts."""
    if isinstance(array, np.ma.MaskedArray):
        raise Unsupported(f"{call}: {what} is a masked array, whose mask would be lost; give x.compressed() or x.filled(...)")


def as_array(space, call, array, what="the input"):
    """Return one input as a contiguous array in the memory space."""
    if type(array) is not np.ndarray:
        kind = _kind_of(array)
        if kind is None or not kind.on_gpu(array):
            given, array = array, _to_numpy(call, array) if kind is None else kind.to_numpy(array)
            if array.ndim == 0 and array.dtype.kind in "OSU":
                raise Unsupported(f"{call}: {given!r:.50} is not an array")
            if isinstance(space, DeviceSpace):
                raise BadArgument(f"{call}: {what} is in host memory and another array is on a GPU; give arrays in one memory")
        elif not isinstance(space, DeviceSpace):
            raise BadArgument(f"{call}: {what} is on a GPU and another array is not; give arrays in one memory")
    elif isinstance(space, DeviceSpace):
        raise BadArgument(f"{call}: {what} is in host memory and another array is on a GPU; give arrays in one memory")
    if type(array) is np.ndarray:
        refuse_objects(call, array.dtype)
    return space.as_array(array, call)


def as_arrays(call, *given):
    """Return (space, inputs...): the memory space of the inputs, and each as as_array() returns it."""
    if len(given) == 1:  # most calls
        array = given[0]
        if type(array) is np.ndarray:
            if _cpu is not None and chosen() is None:
                return _cpu, array if is_plain(array) else plain_copy(array)
        else:
            kind = known.get(type(array))
            if kind is not None and kind.on_gpu(array):
                space = DeviceSpace(kind, array)
                return space, space.as_array(array, call)
    space = space_of(call, *given)
    return (space, *(as_array(space, call, array) for array in given))


def output_array(space, call, out, shape, dtype):
    """Return the array to write a result to: `out`, or a new array that space.result() copies to `out`.

    As in NumPy, the result is cast to the type of `out` if the cast is of the same kind, and `out` may be strided.
    """
    if out is None:
        return space.empty(shape, dtype)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if type(out) is np.ndarray and type(space) is HostSpace and out.shape == shape and out.dtype == dtype:  # most calls with out=
        flags = out.flags
        if flags.c_contiguous and flags.writeable:
            return out
    if isinstance(space, DeviceSpace):
        return _device_output(space, call, out, shape, np.dtype(dtype))
    array = host_output(call, out)
    check_output(call, array, shape, dtype)
    return array if space.on_host and array.dtype == dtype and is_plain(array) else space.empty(shape, dtype)


def _device_output(space, call, out, shape, dtype):
    if space.synchronous:
        raise BadArgument(f"{call}: out is a JAX array, which is immutable; omit out=")
    kind = _kind_of(out)
    if kind is None or not kind.on_gpu(out):
        raise BadArgument(f"{call}: out is in host memory and another array is on a GPU; give arrays in one memory")
    if not space.same_location(kind, out):
        raise BadArgument(f"{call}: out is of another library, device or stream than the input; give one of the same")
    if not kind.writable(out):
        raise BadArgument(f"{call}: out is read-only")
    address, its, own, contiguous = kind.describe(out)
    view = DeviceArray(address, its, own, out)
    check_output(call, view, shape, dtype)
    if contiguous and own == dtype:
        return view
    if not hasattr(space.kind, "assign") or space.kind.foreign_stream:
        raise BadArgument(f"{call}: out is {own}{'' if contiguous else ', strided'}; give a contiguous array of {dtype}")
    return space.empty(shape, dtype)


def check_output(call, out, shape, dtype, casting="same_kind"):
    """Raise where a result of this shape and type cannot be written to `out`."""
    if tuple(out.shape) != tuple(shape) or not np.can_cast(dtype, out.dtype, casting):
        raise BadArgument(f"{call}: out is {out.dtype} of shape {tuple(out.shape)}; the result is {np.dtype(dtype)} of shape {tuple(shape)}")


def host_output(call, out):
    """Return the memory of an output on the host as a NumPy array. Raise where it is none, or not to be written."""
    kind = _kind_of(out)
    if kind is not None and kind.on_gpu(out):
        raise BadArgument(f"{call}: out is on a GPU and another array is not; give arrays in one memory")
    array = _to_write(out)
    if not isinstance(array, np.ndarray):
        raise Unsupported(f"{call}: out is not an array")
    if not array.flags.writeable:
        raise BadArgument(f"{call}: out is read-only")
    return array


def _to_write(out):
    """Return the memory of an output on the host as a NumPy array, or `out` itself where it is none."""
    kind = _kind_of(out)
    return out if kind is None else getattr(kind, "to_write", kind.to_numpy)(out)


def _write(array, out):
    """Copy a result to an output on the host, unless it was computed there."""
    to = _to_write(out)
    if to.ctypes.data != array.ctypes.data or to.dtype != array.dtype or to.strides != array.strides:
        np.copyto(to, array, casting="same_kind")


def element(call, value, dtype):
    """Return one element as bytes. Raise where the value is not a number, or where an integer type cannot hold it."""
    with np.errstate(all="ignore"):
        try:
            one = np.asarray(value)
            number = one.dtype.kind in "biuf" or one.dtype.kind == "O" and isinstance(value, numbers.Real) or one.ndim
            converted = one.astype(dtype) if number else None
        except (TypeError, ValueError, OverflowError):
            raise Unsupported(f"{call}: {value!r} cannot be converted to {dtype}") from None
    if one.ndim:
        raise BadArgument(f"{call}: an array of shape {one.shape}; give one number")
    if not number:
        raise Unsupported(f"{call}: {value!r} cannot be converted to {dtype}")
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
        raise Unsupported(f"{call}: the axis is {axis!r}; give one integer, or None for the whole array") from None
    if ndim == 0:
        raise AxisError(f"{call}: axis {axis} of a number, which has no axis; give an array")
    if not -ndim <= axis < ndim:
        raise AxisError(f"{call}: axis {axis} of an array of {ndim} axes; give {-ndim} to {ndim - 1}")
    return axis % ndim


def shape_bytes(shape):
    """Return a shape as the array of uint64 that upsweep.h takes."""
    return struct.pack(f"{len(shape)}Q", *shape)


def along(shape, axis):
    """Return (shape, number of axes, axis) as upsweep.h takes them. It takes 8 axes, so more become 3: before, along and after the axis."""
    if len(shape) > 8:
        shape, axis = (math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1:])), 1
    return shape_bytes(shape), len(shape), axis


def is_flat_axis(axis, ndim):
    """Whether the axis of an array without axes is one that NumPy takes: None, 0 or -1."""
    return ndim == 0 and (axis is None or isinstance(axis, (int, np.integer)) and -1 <= axis <= 0)


def single_output(call, out):
    """Return the array of out=(array,), which NumPy's universal functions take."""
    if len(out) != 1:
        raise BadArgument(f"{call}: out is a tuple of {len(out)}; give one array")
    return out[0]


def host_arrays(call, *given):
    """Return (space, ndarrays...) for a function that computes with NumPy and with other functions of this package."""
    space = space_of(call, *given)
    if isinstance(space, DeviceSpace):
        raise Unsupported(f"{call}: an array on a GPU; the function takes arrays in host memory")
    arrays = []
    for each in given:
        kind = _kind_of(each)
        array = each if type(each) is np.ndarray else _to_numpy(call, each) if kind is None else kind.to_numpy(each)
        if array.dtype.kind in "OSUV":
            raise Unsupported(f"{call}: elements of {array.dtype}; give numbers" if array.ndim else f"{call}: {each!r:.50} is not an array")
        arrays.append(array if array.dtype.isnative else plain_copy(array))
    return space, *arrays


def write_host(space, call, result, out):
    """Return a host result in the caller's library, or write it to `out` where the cast is of the same kind."""
    if out is None:
        if isinstance(result, np.ndarray):
            return space.wrap_host(result)
        return result if space.wrap is None else space.wrap(result)
    result, array = np.asarray(result), host_output(call, out)
    check_output(call, array, result.shape, result.dtype)
    np.copyto(array, result, casting="same_kind")
    return out


def package_of(t):
    """Return the name of the package that defines a type. It is "" for types without a module, such as ctypes arrays."""
    return str(getattr(t, "__module__", None) or "").partition(".")[0]


def module_of(array):
    return sys.modules.get(package_of(type(array)))
