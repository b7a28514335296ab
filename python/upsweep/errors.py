"""What calls raise: the library's own sentence, in an exception of a fitting type."""
from . import _calls


class Error(Exception):
    """Of Upsweep's, all of them. The text says what is wrong and what to do."""


class BadArgument(Error, ValueError):
    """Sizes, shapes, overlap, an unknown name."""


class Unsupported(Error, TypeError):
    """This device, type or operator cannot do it."""


class NoDevice(Error, LookupError):
    """It is not there, or its backend is not in this build."""


class OutOfMemory(Error, MemoryError):
    """The device's memory, or the host's, is used up."""


class DeviceFailure(Error, RuntimeError):
    """The driver or the runtime reported an error."""


class Internal(Error, RuntimeError):
    """A defect of the library."""


# In the order of upsweep.h's statuses. Who interrupts has raised already.
_calls.set_exceptions((Error, BadArgument, Unsupported, NoDevice, OutOfMemory, DeviceFailure, Internal, KeyboardInterrupt))
