"""Arrays of other libraries than NumPy: PyTorch's, CuPy's, JAX's, and whatever gives DLPack or the CUDA array interface."""
from __future__ import annotations

import math

import numpy as np

from .arrays import known
from .counting import counted
from .errors import BadArgument, Unsupported

READABLE = (1, 3, 11)  # DLPack's devices whose memory the host reads: the CPU, and what CUDA and ROCm have pinned for it
NUMPY = tuple(int(part) for part in np.__version__.split(".")[:2])


class Torch:
    """PyTorch's tensors, on the CPU or a GPU."""

    family, waits, apart = "torch", False, False

    def __init__(self, torch):
        self.torch = torch
        self.of = {np.dtype(n): getattr(torch, t) for n, t in
                   (("i1", "int8"), ("u1", "uint8"), ("i2", "int16"), ("i4", "int32"), ("i8", "int64"), ("f2", "float16"),
                    ("f4", "float32"), ("f8", "float64"), ("?", "bool"))}
        for name in ("uint16", "uint32", "uint64"):  # of PyTorch 2.3 and later; before, such results are of signed integers
            self.of[np.dtype(name)] = getattr(torch, name, None) or getattr(torch, name[1:])
        self.to = {t: n for n, t in reversed(self.of.items())}
        # What PyTorch's own compiler asks, of a tenth of the time.
        self.stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (lambda index: torch.cuda.current_stream(index).cuda_stream)
        try:
            from torch._C._dynamo.guards import _empty_strided_cuda
            self.made, self.device = _empty_strided_cuda, torch._C._cuda_getDevice
        except (ImportError, AttributeError):
            self.made = None

    def on_gpu(self, array):
        if array.is_cuda:
            return True
        if array.device.type != "cpu":
            raise Unsupported(f"a tensor on {array.device}; give one on the CPU or on a CUDA device")
        return False

    def place(self, array):
        index = array.get_device()
        return index, self.stream(index)

    def described(self, array):
        self._look_at(array)
        return array.data_ptr(), tuple(array.shape), self.dtype(array), array.is_contiguous()

    def whole(self, array):
        """described(), with as many elements as there are for the shape."""
        self._look_at(array)
        return array.data_ptr(), array.numel(), self.dtype(array), array.is_contiguous()

    def _look_at(self, array):
        """Refuses what is more than its elements."""
        if array.requires_grad and self.torch.is_grad_enabled():
            raise Unsupported("a tensor that requires a gradient, which would be lost; give x.detach(), or call inside of torch.no_grad()")
        if array.layout is not self.torch.strided:
            raise Unsupported(f"a tensor of layout {array.layout}; give x.to_dense()")
        if array.is_neg():
            raise Unsupported("a tensor whose elements are still to be negated; give x.resolve_neg()")

    def empty(self, like, shape, dtype):
        return like.new_empty(shape, dtype=self.of[dtype])

    def one(self, like, dtype):
        """Room for one number of a GPU's, by what code of PyTorch's compiler allocates with, which looks at less."""
        if self.made is not None and self.device() == like.get_device():
            return self.made((), (), self.of[dtype])
        return self.empty(like, (), dtype)

    def address(self, array):
        return array.data_ptr()

    def writable(self, array):
        return True

    def converted(self, array, dtype):
        return array.to(self.of[np.dtype(dtype)])

    def number(self, array):
        return array.item()

    def to_numpy(self, array):
        self._look_at(array)
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
    """JAX's arrays, on the CPU or a GPU. No stream of theirs is open to others, so that what they hold is waited for, and what is made of them, too."""

    family, waits, apart = "jax", True, False

    def __init__(self, jax):
        self.jax = jax

    def _device(self, array):
        if isinstance(array, self.jax.core.Tracer):
            raise Unsupported("an array that JAX is tracing; call upsweep outside of jax.jit and its kin")
        devices = array.devices()
        if len(devices) != 1:
            raise Unsupported(f"an array of JAX that lies on {len(devices)} devices; give one that lies on one")
        return next(iter(devices))

    def _wide(self):
        """Inside, types of 8 bytes stay what they are."""
        wide = getattr(self.jax, "enable_x64", None)
        return (self.jax.experimental.enable_x64 if wide is None else wide)(True)

    def on_gpu(self, array):
        platform = self._device(array).platform
        if platform not in ("cpu", "gpu", "cuda"):
            raise Unsupported(f"an array of JAX on a {platform}; give one on the CPU or on a CUDA device")
        return platform != "cpu"

    def place(self, array):
        return self._device(array).local_hardware_id, 0

    def described(self, array):
        array.block_until_ready()
        return array.unsafe_buffer_pointer() if array.size else 0, array.shape, np.dtype(array.dtype), True

    def empty(self, like, shape, dtype):
        with self._wide():
            return self.jax.numpy.empty(shape, dtype, device=self._device(like))

    def one(self, like, dtype):
        return self.empty(like, (), dtype)

    def address(self, array):
        return self.described(array)[0]

    def converted(self, array, dtype):
        with self._wide():
            return array.astype(dtype)

    def number(self, array):
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
    """CuPy's arrays."""

    family, waits, apart = "cupy", False, False

    def __init__(self, cupy):
        self.cupy, self.make = cupy, cupy.ndarray
        self.stream, self.device = cupy.cuda.get_current_stream, cupy.cuda.runtime.getDevice
        self.rooms = {}

    def on_gpu(self, array):
        return True

    def place(self, array):
        index = array.data.device_id
        return index, self.stream(index).ptr

    def described(self, array):
        return array.data.ptr, array.shape, array.dtype, array.flags.c_contiguous

    def whole(self, array):
        return array.data.ptr, array.size, array.dtype, array.flags.c_contiguous

    def empty(self, like, shape, dtype):
        index = like.data.device_id
        if self.device() == index:
            return self.make(shape, dtype)
        with self.cupy.cuda.Device(index):
            return self.make(shape, dtype)

    def one(self, like, dtype):
        """Room for one number. What CuPy allocates is of 512 bytes at least, which is room for 64, of one device and stream; none is used twice."""
        place = self.place(like)
        try:
            return self.make((), dtype, self.rooms[place].pop())
        except (KeyError, IndexError):
            pass
        with self.cupy.cuda.Device(place[0]):
            memory = self.cupy.cuda.alloc(512)
        if len(self.rooms) > 64:  # streams come and go
            self.rooms.clear()
        self.rooms[place] = [memory + at for at in range(0, 512, 8)]
        return self.one(like, dtype)

    def address(self, array):
        return array.data.ptr

    def writable(self, array):
        return True

    def converted(self, array, dtype):
        return array.astype(dtype)

    def number(self, array):
        return array.item()


class CudaArrays(CuPy):
    """What else has __cuda_array_interface__: its results are CuPy's. It is worked on in the stream that it names; where that is not CuPy's own,
    each waits for the other: that stream for who had a result's memory before, and CuPy's for the result."""

    apart = True

    def __init__(self):
        try:
            import cupy
        except ImportError:
            raise Unsupported("an array on a GPU of a library that upsweep makes no results for; install CuPy, or give PyTorch's") from None
        super().__init__(cupy)
        known.setdefault(cupy.ndarray, CuPy(cupy))  # which results are, and go on as

    def place(self, array):
        about = array.__cuda_array_interface__
        stream = about.get("stream")
        there = about["data"][0]
        index = self.cupy.cuda.runtime.pointerGetAttributes(there).device if there else self.device()
        return index, self.stream(index).ptr if stream is None else 0 if stream == 1 else stream

    def described(self, array):
        about = array.__cuda_array_interface__
        dtype, shape, strides = np.dtype(about["typestr"]), about["shape"], about.get("strides")
        step, contiguous = dtype.itemsize, True
        for length, stride in zip(reversed(shape), reversed(strides or ())):
            contiguous = contiguous and (stride == step or length == 1)
            step *= length
        return about["data"][0], shape, dtype, contiguous or 0 in shape

    def whole(self, array):
        address, shape, dtype, contiguous = self.described(array)
        return address, math.prod(shape), dtype, contiguous

    def empty(self, like, shape, dtype):
        with self.cupy.cuda.Device(self.place(like)[0]):
            made = self.make(shape, dtype)
        self.take_over(like)
        return made

    def one(self, like, dtype):
        return self.empty(like, (), dtype)

    def take_over(self, like):
        """What CuPy has enqueued comes before what is enqueued for it next."""
        index, its = self.place(like)
        self._follow(index, its, self.stream(index).ptr)

    def hand_over(self, like):
        """What was enqueued for it comes before what CuPy enqueues next."""
        index, its = self.place(like)
        self._follow(index, self.stream(index).ptr, its)

    def _follow(self, index, later, earlier):
        if later != earlier:
            with self.cupy.cuda.Device(index):
                of = self.cupy.cuda.ExternalStream
                of(later).wait_event(of(earlier).record())

    def writable(self, array):
        return not array.__cuda_array_interface__["data"][1]

    def converted(self, array, dtype):
        return self.cupy.asarray(array).astype(dtype)

    def number(self, array):
        return self.cupy.asarray(array).item()


class OnHost:
    """What has DLPack or a buffer in the host's memory."""

    family, waits, apart = "host", False, False

    def on_gpu(self, array):
        if hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] not in READABLE:  # a type may have arrays of both
            _of_dlpack(array)
        return False

    def to_numpy(self, array):
        if not hasattr(array, "__dlpack__"):
            return np.asarray(array)
        try:
            return np.from_dlpack(array)
        except (BufferError, RuntimeError, TypeError, ValueError) as wrong:  # DLPack before 1.0 has no read-only arrays, nor all types
            try:
                return np.asarray(memoryview(array))
            except TypeError:
                raise Unsupported(f"a {type(array).__name__} that NumPy does not take by DLPack ({wrong})") from None

    def to_write(self, array):
        """As to_numpy(). What gives DLPack before 1.0 gives nothing that is read-only, but NumPy before 2.1 takes it as such."""
        seen = self.to_numpy(array)
        if not hasattr(array, "__dlpack__") or seen.flags.writeable or NUMPY >= (2, 1) or not seen.flags.c_contiguous:
            return seen
        import ctypes
        memory = (ctypes.c_char * seen.nbytes).from_address(seen.ctypes.data)
        memory.held = seen
        return np.frombuffer(memory, seen.dtype).reshape(seen.shape) if seen.size else np.empty(seen.shape, seen.dtype)

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
            raise BadArgument("a counted array, which this call does not take; give its first(), whose length is waited for")
        homes = [each.__module__.partition(".")[0] for each in t.__mro__]  # a class of the caller's may be one of theirs
        if "torch" in homes:
            import torch
            kind = Torch(torch)
        elif homes[0] in ("jax", "jaxlib"):
            import jax
            kind = Jax(jax)
        elif hasattr(array, "__cuda_array_interface__"):
            kind = CudaArrays()
            if t is kind.cupy.ndarray:
                kind = CuPy(kind.cupy)
        else:
            kind = OnHost()
        known[t] = kind
    return kind


def _of_dlpack(array):
    raise Unsupported(f"a {type(array).__name__} on a device of DLPack's kind {array.__dlpack_device__()[0]}, without "
                      "__cuda_array_interface__; give CuPy's or PyTorch's arrays")
