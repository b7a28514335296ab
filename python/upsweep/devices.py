"""Devices, and the choice of the device that calls use.

A call on an array in GPU memory runs on that GPU, on the current stream of the array's library. A call on NumPy arrays, or on any other array
in host memory, runs on the CPU. Inside `with upsweep.device(...)` such a call copies its arrays to the device and its results back.
"""
from __future__ import annotations

import contextvars
import functools
import struct
import threading
from dataclasses import dataclass

from . import _calls

_DEVICE = struct.Struct("@32s256siQ")
_OPTIONS = struct.Struct("@NPiiiP")


@dataclass(frozen=True)
class Device:
    """One device, or one backend that cannot be used, in the list that devices() returns."""

    name: str
    description: str
    usable: bool
    total_memory: int


def devices() -> list[Device]:
    """Return every device of every backend. A backend that cannot be used has one entry, whose description says why."""
    count = bytearray(8)
    _calls.devices(None, 0, count)
    capacity = int.from_bytes(count, "little")
    rows = bytearray(_DEVICE.size * capacity)
    _calls.devices(rows, capacity, count)
    found = min(capacity, int.from_bytes(count, "little"))

    def text(field):
        return field.split(b"\0", 1)[0].decode()

    return [Device(text(name), text(description), bool(usable), memory)
            for name, description, usable, memory in _DEVICE.iter_unpack(bytes(rows[:_DEVICE.size * found]))]


class Context:
    """An upsweep_context: a device with its threads, memory and stream. Every call goes through a context."""

    __slots__ = ("address", "backend", "name", "_of", "__weakref__")

    def __init__(self, name: str, _options: bytes | None = None, _of: Context | None = None):
        handle = bytearray(8)
        self.address = 0
        self._of = _of
        if _of is None:
            _calls.open(name.encode() + b"\0", handle)
        else:
            getattr(_calls, "with")(_of.address, _options, handle)
        self.address = int.from_bytes(handle, "little")
        self.backend = _calls.backend(self.address)
        self.name = _calls.name(self.address)

    def on(self, stream: int) -> Context:
        """Return a context of the same device whose calls go to this stream, the address of a cudaStream_t."""
        return Context(self.name, _OPTIONS.pack(_OPTIONS.size, 0, 0, 0, 1, stream), self)

    def unchecked(self) -> Context:
        """Return a context of the same device whose calls do not check indices and offsets that only the device can read."""
        return Context(self.name, _OPTIONS.pack(_OPTIONS.size, 0, 0, -1, 0, 0), self)

    def __reduce__(self):
        raise TypeError("a context cannot leave its process; copy upsweep.device(name), which opens the device in the other process")

    def __del__(self, close=_calls.close):
        if self.address:
            close(self.address)

    def __repr__(self):
        return f"<upsweep context of {self.name}>"


_opening = threading.Lock()


@functools.lru_cache(maxsize=64)
def _opened(name: str) -> Context:
    return Context(name)


def opened(name: str) -> Context:
    """Return the context of a device. All calls share it."""
    with _opening:
        return _opened(name)


@functools.lru_cache(maxsize=64)
def _opened_unchecked(name: str) -> Context:
    return _opened(name).unchecked()


@functools.lru_cache(maxsize=256)
def _on_stream(index: int, stream: int, checked: bool) -> Context:
    name = f"cuda:{index}"
    return (opened(name) if checked else _opened_unchecked(name)).on(stream)


def on_stream(index: int, stream: int) -> Context:
    """Return a context of a CUDA device whose calls go to the stream of another library."""
    return _on_stream(index, stream, _checked.get())


_chosen: contextvars.ContextVar[Context | None] = contextvars.ContextVar("upsweep_device", default=None)
_checked: contextvars.ContextVar[bool] = contextvars.ContextVar("upsweep_checked", default=True)


class device:
    """Run calls on a device: inside `with upsweep.device("cuda:1"):` calls copy host arrays to that device and results back.

    Parameters
    ----------
    name : str
        "cpu", "cpu:2" (two threads), "cuda:0", "opencl:0" or "best".
    checked : bool
        True: a call checks indices, offsets and lengths before it uses them. That is one pass over them, and a call on a device waits for the
        pass. False omits the pass, also in calls on arrays that are on a GPU already. A wrong index then ends the process or reads unrelated
        memory. Calls captured into a CUDA graph always omit the pass. Calls on the CPU never omit it.
    """

    def __init__(self, name: str, *, checked: bool = True):
        if not isinstance(name, str):
            raise TypeError(f"upsweep.device: the name is {name!r}; give a string such as \"cuda:0\"")
        self.name, self.context, self.checked = name, opened(name), bool(checked)
        if not self.checked:
            with _opening:
                self.context = _opened_unchecked(name)
        self._before: list[tuple[contextvars.Token, contextvars.Token]] = []

    def __enter__(self) -> device:
        self._before.append((_chosen.set(self.context), _checked.set(self.checked)))
        return self

    def __exit__(self, *what: object) -> None:
        context, checked = self._before.pop()
        _chosen.reset(context)
        _checked.reset(checked)

    def __reduce__(self):
        return functools.partial(device, checked=self.checked), (self.name,)

    def synchronize(self) -> None:
        """Wait until the device has finished everything enqueued through this context."""
        _calls.synchronize(self.context.address)

    @property
    def free_memory(self) -> int:
        """Free memory of the device in bytes."""
        number = bytearray(8)
        _calls.free_memory(self.context.address, number)
        return int.from_bytes(number, "little")

    def trim(self) -> None:
        """Free the temporary storage that is cached for calls on this device and not in use, and the memory of destroyed CUDA graphs.

        Later calls allocate again. The environment variable UPSWEEP_SCRATCH_LIMIT bounds the cache, as in "8G". The default is half of the
        device's memory.
        """
        _calls.trim(self.context.address)

    def __repr__(self):
        return f"upsweep.device({self.name!r})"


chosen = _chosen.get
