"""Operators, transforms, tests and comparators as text."""
from __future__ import annotations

from . import _calls
from .arrays import code_of, element, taken, target
from .errors import BadArgument


class expression:
    """A text of C that stands for a function: "x * x + 1" of one argument, "a > b ? a : b" of two.

    It has ?: || && | ^ & == != < <= > >= << >> + - * / % ! ~, parentheses, casts such as (double), numbers, sqrt, fabs, floor, ceil, trunc,
    rint, fmin, fmax, isnan, isinf, isfinite, min and max; its names are x, or a and b. It is calculated as C does: in the arguments' type,
    integers wrap and are divided without a rest. An operator of reduce() and its kin is associative and has its identity, which changes no
    other: expression("a > b ? a : b", identity=0). Arrays of int32, uint32, int64, uint64, float32 and float64; on CUDA where NVRTC
    (libnvrtc) is found.
    """

    __slots__ = ("text", "identity", "address")

    def __init__(self, text: str, identity=None):
        self.address = 0
        if not isinstance(text, str):
            raise TypeError(f"upsweep.expression: a text is wanted, not {text!r}")
        if "\0" in text:
            raise BadArgument("expression: a text with a zero in it")
        self.text, self.identity = text, identity
        handle = bytearray(8)
        _calls.expression_make(text.encode() + b"\0", handle)
        self.address = int.from_bytes(handle, "little")

    def __reduce__(self):  # a copy has a handle of its own
        return expression, (self.text, self.identity)

    def __del__(self, free=_calls.expression_free):
        if self.address:
            free(self.address)

    def __repr__(self):
        return f"upsweep.expression({self.text!r})" if self.identity is None else f"upsweep.expression({self.text!r}, identity={self.identity!r})"

    def identity_in(self, call, dtype, **not_taken):
        """The identity as an element. What built-in operators take besides has no place here."""
        for name, value in not_taken.items():
            if value is not None:
                raise BadArgument(f"{call}: {name}={value!r} with an expression; leave it out, or give a built-in operator")
        if self.identity is None:
            raise BadArgument(f"{call}: {self!r} has no identity; give expression(text, identity=...) what changes no other element")
        return element(call, self.identity, dtype)


def transform(f, x, y=None, *, out=None):
    """f of each element of x, or of x and y: transform("x * x + 1", x), transform("a * b", x, y). f is an expression, or its text; results
    are of the elements' type. out may be x or y.
    """
    call = "transform"
    if not isinstance(f, expression):
        f = expression(f)
    if y is None:
        place, x = taken(call, x)
        to = target(place, call, out, tuple(x.shape), x.dtype)
        _calls.map_by(place.context.address, f.address, code_of(call, x.dtype), x, x.size, to)
        return place.result(to, out)
    place, x, y = taken(call, x, y)
    if x.dtype != y.dtype or tuple(x.shape) != tuple(y.shape):
        raise BadArgument(f"{call}: {x.dtype} of shape {tuple(x.shape)} and {y.dtype} of shape {tuple(y.shape)}; give two of one type and shape")
    to = target(place, call, out, tuple(x.shape), x.dtype)
    _calls.combine_by(place.context.address, f.address, code_of(call, x.dtype), x, y, x.size, to)
    return place.result(to, out)
