"""Arrays of libraries other than NumPy: PyTorch, CuPy, JAX, and any object with DLPack or the CUDA array interface.

One class for each library:

- `family` is the name of the libraries whose arrays may be mixed in one call.
- `synchronous`: the library exposes no stream, so calls wait for their inputs and for their own work.
- `foreign_stream`: an array may be used on a stream that is not the current stream of the library that makes the results.
"""
from __future__ import annotations

import math

import numpy as np

from .arrays import DeviceMemory, known, package_of
from .counting import counted
from .devices import on_stream
from .errors import BadArgument, Unsupported

READABLE = (1, 3, 11)  # DLPack device types in host memory: CPU, CUDA pinned, ROCm pinned
NUMPY = tuple(int(part) for part in np.__version__.split(".")[:2])


class Torch:
    """PyTorch tensors, on the CPU or a GPU."""

    family, synchronous, foreign_stream = "torch", False, False

    def __init__(self, torch):
        self.torch = torch
        self.of = {np.dtype(n): getattr(torch, t) for n, t in
                   (("i1", "int8"), ("u1", "uint8"), ("i2", "int16"), ("i4", "int32"), ("i8", "int64"), ("f2", "float16"),
                    ("f4", "float32"), ("f8", "float64"), ("?", "bool"))}
        for name in ("uint16", "uint32", "uint64"):  # PyTorch before 2.3 has no such types: results are signed integers
            self.of[np.dtype(name)] = getattr(torch, name, None) or getattr(torch, name[1:])
        self.to = {t: n for n, t in reversed(self.of.items())}
        # The query that PyTorch's compiler uses takes a tenth of the time.
        self.stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (lambda index: torch.cuda.current_stream(index).cuda_stream)
        try:
            from torch._C._dynamo.guards import _empty_strided_cuda
            self.empty_strided, self.device = _empty_strided_cuda, torch._C._cuda_getDevice
        except (ImportError, AttributeError):
            self.empty_strided = None

    def on_gpu(self, array):
        if array.is_cuda:
            return True
        if array.device.type != "cpu":
            raise Unsupported(f"a tensor on {array.device}; give one on the CPU or on a CUDA device")
        return False

    def location(self, array):
        index = array.get_device()
        return index, self.stream(index)

    def capturing(self, array):
        return self.torch.cuda.is_current_stream_capturing()

    def describe(self, array):
        self._require_plain(array)
        return array.data_ptr(), tuple(array.shape), self.dtype(array), array.is_contiguous()

    def describe_flat(self, array):
        """Return describe() with the number of elements in place of the shape."""
        self._require_plain(array)
        return array.data_ptr(), array.numel(), self.dtype(array), array.is_contiguous()

    def _require_plain(self, array):
        """Raise for a tensor whose meaning is not just its elements: gradients, sparse layouts, lazy negation."""
        if array.requires_grad and self.torch.is_grad_enabled():
            raise Unsupported("a tensor that requires a gradient, which would be lost; give x.detach(), or call inside torch.no_grad()")
        if array.layout is not self.torch.strided:
            raise Unsupported(f"a tensor of layout {array.layout}; give x.to_dense()")
        if array.is_neg():
            raise Unsupported("a tensor with lazy negation; give x.resolve_neg()")

    def empty(self, like, shape, dtype):
        return like.new_empty(shape, dtype=self.of[dtype])

    def empty_scalar(self, like, dtype):
        """Allocate one element on a GPU, with the allocation function of PyTorch's compiler, which checks less and is faster."""
        if self.empty_strided is not None and self.device() == like.get_device():
            return self.empty_strided((), (), self.of[dtype])
        return self.empty(like, (), dtype)

    def address(self, array):
        return array.data_ptr()

    def writable(self, array):
        return True

    def assign(self, out, array):
        out.copy_(array)

    def astype(self, array, dtype):
        return array.to(self.of[np.dtype(dtype)])

    def item(self, array):
        return array.item()

    def to_numpy(self, array):
        self._require_plain(array)
        self.dtype(array)
        return array.detach().numpy()

    def dtype(self, array):
        found = self.to.get(array.dtype)
        if found is None:
            raise Unsupported(f"a tensor of {array.dtype}; give a type that NumPy has")
        return found

    def wrap_like(self, array):
        def wrapped(result):
            signed = {"u2": "i2", "u4": "i4", "u8": "i8"}.get(result.dtype.str[1:])
            if signed and not hasattr(self.torch, "uint64"):
                result = result.view(signed)
            return self.torch.from_numpy(result) if isinstance(result, np.ndarray) else self.torch.tensor(result)
        return wrapped


class Jax:
    """JAX arrays, on the CPU or a GPU. JAX does not expose its streams. So calls wait for their inputs and for their results."""

    family, synchronous, foreign_stream = "jax", True, False

    def __init__(self, jax):
        self.jax = jax

    def _device(self, array):
        if isinstance(array, self.jax.core.Tracer):
            raise Unsupported("an array that JAX is tracing; call upsweep outside jax.jit and other transformations")
        devices = array.devices()
        if len(devices) != 1:
            raise Unsupported(f"a JAX array on {len(devices)} devices; give an array on one device")
        return next(iter(devices))

    def _wide(self):
        """Return a context manager in which JAX does not shorten types of 8 bytes to 4."""
        wide = getattr(self.jax, "enable_x64", None)
        return (self.jax.experimental.enable_x64 if wide is None else wide)(True)

    def on_gpu(self, array):
        platform = self._device(array).platform
        if platform not in ("cpu", "gpu", "cuda"):
            raise Unsupported(f"a JAX array on a {platform}; give one on the CPU or on a CUDA device")
        return platform != "cpu"

    def location(self, array):
        return self._device(array).local_hardware_id, 0

    def capturing(self, array):
        return False

    def describe(self, array):
        array.block_until_ready()
        return array.unsafe_buffer_pointer() if array.size else 0, array.shape, np.dtype(array.dtype), True

    def empty(self, like, shape, dtype):
        with self._wide():
            return self.jax.numpy.empty(shape, dtype, device=self._device(like))

    def empty_scalar(self, like, dtype):
        return self.empty(like, (), dtype)

    def address(self, array):
        return self.describe(array)[0]

    def astype(self, array, dtype):
        with self._wide():
            return array.astype(dtype)

    def item(self, array):
        return array.item()

    def to_numpy(self, array):
        return np.asarray(array)

    def wrap_like(self, array):
        device = self._device(array)

        def wrapped(result):
            with self._wide():
                return self.jax.device_put(result, device)
        return wrapped


class CuPy:
    """CuPy arrays."""

    family, synchronous, foreign_stream = "cupy", False, False

    def __init__(self, cupy):
        self.cupy, self.make = cupy, cupy.ndarray
        self.stream, self.device = cupy.cuda.get_current_stream, cupy.cuda.runtime.getDevice
        self.free_scalars = {}

    def on_gpu(self, array):
        return True

    def location(self, array):
        index = array.data.device_id
        return index, self.stream(index).ptr

    def capturing(self, array):
        stream = self.location(array)[1]
        return stream > 2 and bool(self.cupy.cuda.runtime.streamIsCapturing(stream))  # the default streams have small numbers

    def empty_in_graph(self, like, shape, dtype):
        """Allocate memory during a capture. It lives as long as the graph; memory from CuPy would be reused after the array's end."""
        index, stream = self.location(like)
        memory = DeviceMemory(on_stream(index, stream), max(math.prod(shape) * dtype.itemsize, 1))
        unowned = self.cupy.cuda.UnownedMemory(memory.address, max(math.prod(shape) * dtype.itemsize, 1), memory, index)
        return self.make(shape, dtype, self.cupy.cuda.MemoryPointer(unowned, 0))

    def describe(self, array):
        return array.data.ptr, array.shape, array.dtype, array.flags.c_contiguous

    def describe_flat(self, array):
        return array.data.ptr, array.size, array.dtype, array.flags.c_contiguous

    def empty(self, like, shape, dtype):
        index = like.data.device_id
        if self.capturing(like):
            return self.empty_in_graph(like, shape, dtype)
        if self.device() == index:
            return self.make(shape, dtype)
        with self.cupy.cuda.Device(index):
            return self.make(shape, dtype)

    def empty_scalar(self, like, dtype):
        """Allocate one element.

        CuPy allocates at least 512 bytes, which hold 64 elements. They are handed out one by one, each once, for one device and stream.
        """
        if self.capturing(like):
            return self.empty_in_graph(like, (), dtype)
        location = self.location(like)
        try:
            return self.make((), dtype, self.free_scalars[location].pop())
        except (KeyError, IndexError):
            pass
        with self.cupy.cuda.Device(location[0]):
            memory = self.cupy.cuda.alloc(512)
        if len(self.free_scalars) > 64:  # streams come and go
            self.free_scalars.clear()
        self.free_scalars[location] = [memory + at for at in range(0, 512, 8)]
        return self.empty_scalar(like, dtype)

    def address(self, array):
        return array.data.ptr

    def writable(self, array):
        return True

    def assign(self, out, array):
        out[...] = array

    def astype(self, array, dtype):
        return array.astype(dtype)

    def item(self, array):
        return array.item()


class CudaArrays(CuPy):
    """Other arrays with __cuda_array_interface__. Results are CuPy arrays.

    Calls run on the stream that the array names. Where that is not CuPy's current stream, the two streams wait for each other: the array's stream
    for CuPy's earlier uses of a result's memory, and CuPy's stream for the result.
    """

    foreign_stream = True

    def __init__(self):
        try:
            import cupy
        except ImportError:
            raise Unsupported("a GPU array of a library that upsweep cannot make results for; install CuPy, or give a PyTorch tensor") from None
        super().__init__(cupy)
        known.setdefault(cupy.ndarray, CuPy(cupy))  # results are CuPy arrays

    def location(self, array):
        interface = _interface_of(array)
        stream = interface.get("stream")
        address = interface["data"][0]
        index = self.cupy.cuda.runtime.pointerGetAttributes(address).device if address else self.device()
        return index, self.stream(index).ptr if stream is None else 0 if stream == 1 else stream

    def describe(self, array):
        interface = _interface_of(array)
        dtype, shape, strides = np.dtype(interface["typestr"]), interface["shape"], interface.get("strides")
        step, contiguous = dtype.itemsize, True
        for length, stride in zip(reversed(shape), reversed(strides or ())):
            contiguous = contiguous and (stride == step or length == 1)
            step *= length
        return interface["data"][0], shape, dtype, contiguous or 0 in shape

    def describe_flat(self, array):
        address, shape, dtype, contiguous = self.describe(array)
        return address, math.prod(shape), dtype, contiguous

    def empty(self, like, shape, dtype):
        if self.capturing(like):
            array = self.empty_in_graph(like, shape, dtype)
        else:
            with self.cupy.cuda.Device(self.location(like)[0]):
                array = self.make(shape, dtype)
        self.order_after_library(like)
        return array

    def empty_scalar(self, like, dtype):
        return self.empty(like, (), dtype)

    def order_after_library(self, like):
        """Make the array's stream wait for the work that CuPy has enqueued."""
        index, its = self.location(like)
        self._follow(index, its, self.stream(index).ptr)

    def order_before_library(self, like):
        """Make CuPy's stream wait for the work that was enqueued on the array's stream."""
        index, its = self.location(like)
        self._follow(index, self.stream(index).ptr, its)

    def _follow(self, index, later, earlier):
        if later != earlier:
            with self.cupy.cuda.Device(index):
                of = self.cupy.cuda.ExternalStream
                of(later).wait_event(of(earlier).record())

    def writable(self, array):
        return not _interface_of(array)["data"][1]

    def astype(self, array, dtype):
        return self.cupy.asarray(array).astype(dtype)

    def item(self, array):
        return self.cupy.asarray(array).item()


class OnHost:
    """Objects in host memory with DLPack or the buffer protocol."""

    family, synchronous, foreign_stream = "host", False, False

    def on_gpu(self, array):
        if hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] not in READABLE:  # arrays of one type may be in host memory or not
            _of_dlpack(array)
        return False

    def to_numpy(self, array):
        if not hasattr(array, "__dlpack__"):
            return np.asarray(array)
        try:
            return np.from_dlpack(array)
        except (BufferError, RuntimeError, TypeError, ValueError) as wrong:  # DLPack before 1.0 has no read-only arrays, and lacks types
            try:
                return np.asarray(memoryview(array))
            except TypeError:
                raise Unsupported(f"a {type(array).__name__} that NumPy does not accept through DLPack ({wrong})") from None

    def to_write(self, array):
        """Return a writable to_numpy(). NumPy before 2.1 marks arrays from DLPack before 1.0 as read-only, although they are not."""
        view = self.to_numpy(array)
        if not hasattr(array, "__dlpack__") or view.flags.writeable or NUMPY >= (2, 1) or not view.flags.c_contiguous:
            return view
        import ctypes
        memory = (ctypes.c_char * view.nbytes).from_address(view.ctypes.data)
        memory.held = view
        return np.frombuffer(memory, view.dtype).reshape(view.shape) if view.size else np.empty(view.shape, view.dtype)

    def wrap_like(self, array):
        from .arrays import module_of
        module = module_of(array)
        make = getattr(module, "from_dlpack", None) or getattr(getattr(module, "dlpack", None), "from_dlpack", None)
        if make is None:
            return None
        return lambda result: make(result) if isinstance(result, np.ndarray) else result


def of(array):
    t = type(array)
    kind = known.get(t)
    if kind is None:
        if t is counted:
            raise BadArgument("a counted array, which this call does not support; give x.first(), which waits for the count")
        packages = [package_of(each) for each in t.__mro__]  # user classes may derive from a library's class
        if "torch" in packages:
            import torch
            kind = Torch(torch)
        elif packages[0] in ("jax", "jaxlib"):
            import jax
            kind = Jax(jax)
        elif hasattr(array, "__cuda_array_interface__"):
            _interface_of(array)
            kind = CudaArrays()
            if t is kind.cupy.ndarray:
                kind = CuPy(kind.cupy)
        else:
            kind = OnHost()
        known[t] = kind
    return kind


def _interface_of(array):
    interface = array.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise Unsupported(f"a {type(array).__name__} with a mask (__cuda_array_interface__), which would be lost; give the unmasked elements")
    return interface


def _of_dlpack(array):
    raise Unsupported(f"a {type(array).__name__} on DLPack device type {array.__dlpack_device__()[0]}, without "
                      "__cuda_array_interface__; give CuPy or PyTorch arrays")
