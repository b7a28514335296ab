"""Devices: which there are, and which one calls use.

An array on a GPU is worked on by that GPU, on the stream that its library uses. NumPy's arrays and whatever else is in the host's memory
are worked on by the CPU, unless a call stands inside `with upsweep.device(...)`: then they are taken there and the results are brought
back.
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
    """A row of devices()."""

    name: str
    description: str
    usable: bool
    total_memory: int


def devices() -> list[Device]:
    """Every device of every backend, and a row for each backend that is off, which says why."""
    count = bytearray(8)
    _calls.devices(None, 0, count)
    room = int.from_bytes(count, "little")
    rows = bytearray(_DEVICE.size * room)
    _calls.devices(rows, room, count)
    there = min(room, int.from_bytes(count, "little"))

    def text(field):
        return field.split(b"\0", 1)[0].decode()

    return [Device(text(name), text(description), bool(usable), memory)
            for name, description, usable, memory in _DEVICE.iter_unpack(bytes(rows[:_DEVICE.size * there]))]


class Context:
    """What calls go through: a device of the library's, with its threads, memory and stream."""

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
        """The same device, whose calls go to this stream (a cudaStream_t's address)."""
        return Context(self.name, _OPTIONS.pack(_OPTIONS.size, 0, 0, 0, 1, stream), self)

    def __reduce__(self):
        raise TypeError("a context is this process's own; copy upsweep.device(name), which opens it where it is wanted")

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
    """The context of a device, one for all calls."""
    with _opening:
        return _opened(name)


@functools.lru_cache(maxsize=256)
def on_stream(index: int, stream: int) -> Context:
    """A GPU's, whose calls go to a stream of another library's."""
    return opened(f"cuda:{index}").on(stream)


_chosen: contextvars.ContextVar[Context | None] = contextvars.ContextVar("upsweep_device", default=None)


class device:
    """`with upsweep.device("cuda:1"):` calls inside take host arrays to that device. "cpu", "cpu:2" (threads), "cuda:0", "opencl:0", "best"."""

    def __init__(self, name: str):
        if not isinstance(name, str):
            raise TypeError(f"upsweep.device: a device's name is wanted, as in \"cuda:0\", not {name!r}")
        self.name, self.context = name, opened(name)
        self._before: list[contextvars.Token] = []

    def __enter__(self) -> device:
        self._before.append(_chosen.set(self.context))
        return self

    def __exit__(self, *what: object) -> None:
        _chosen.reset(self._before.pop())

    def __reduce__(self):
        return device, (self.name,)

    def synchronize(self) -> None:
        """Waits for all that was enqueued there."""
        _calls.synchronize(self.context.address)

    @property
    def free_memory(self) -> int:
        """Bytes."""
        number = bytearray(8)
        _calls.free_memory(self.context.address, number)
        return int.from_bytes(number, "little")

    def __repr__(self):
        return f"upsweep.device({self.name!r})"


chosen = _chosen.get
