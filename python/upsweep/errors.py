"""Exceptions that calls raise. Each has the message of the library."""
import numpy as np

from . import _calls


class Error(Exception):
    """Base class of all exceptions of Upsweep. The message says what is wrong and what to do."""


class BadArgument(Error, ValueError):
    """An argument is wrong: a size, a shape, overlapping memory, an unknown name."""


class AxisError(BadArgument, getattr(np, "exceptions", np).AxisError):
    """An axis is out of range. NumPy's AxisError is a base class."""


class Unsupported(Error, TypeError):
    """The device, the type or the operator does not support the call."""


class NoDevice(Error, LookupError):
    """The device was not found, or its backend is not in this build."""


class OutOfMemory(Error, MemoryError):
    """The device or the host has too little free memory."""


class DeviceFailure(Error, RuntimeError):
    """The driver or the runtime reported an error."""


class Internal(Error, RuntimeError):
    """The library has a defect."""


# In the order of the statuses in upsweep.h. The last is never raised: the signal handler that cancels a call has raised its own exception.
_calls.set_exceptions((Error, BadArgument, Unsupported, NoDevice, OutOfMemory, DeviceFailure, Internal, KeyboardInterrupt))
