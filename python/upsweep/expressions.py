"""Operators, transforms, predicates and comparators given as C expressions."""
from __future__ import annotations

import re
import struct

from . import _calls
from .arrays import as_arrays, code_of, element, output_array
from .errors import BadArgument


class expression:
    """A function written as a C expression: "x * x + 1" of one argument, "a > b ? a : b" of two.

    An expression is evaluated as in C, in the type of the arguments: integers wrap, and integer division drops the remainder. Elements are
    int32, uint32, int64, uint64, float32 or float64. Calls on a CUDA device need NVRTC (libnvrtc).

    Expressions consist of:

    - the names x, or a and b;
    - numbers, parentheses, and casts such as (double);
    - the operators ?: || && | ^ & == != < <= > >= << >> + - * / % ! ~;
    - the functions sqrt, fabs, floor, ceil, trunc, rint, fmin, fmax, isnan, isinf, isfinite, min and max.

    On a GPU the first call compiles the expression. Expressions that differ only in the values of their numbers share the compiled code, such as
    f"x > {t}" for every int t. There are two exceptions. Numbers next to / % << >> are compiled into the code. Numbers of different types (17 and
    17.5) do not share code.

    Parameters
    ----------
    source : str
        The expression.
    identity : number, optional
        The identity of an operator: the value that leaves every other value unchanged. reduce(), scan() and the other folds require it, and
        require an associative operator: expression("a > b ? a : b", identity=0).
    **values : number
        The values of names in the source: expression("x > t", t=0.5). All values of a name share the compiled code, also next to
        / % << >>. A Python int is an int, or a long where it needs one; a float is a double; a NumPy scalar is of its own type.
    """

    __slots__ = ("source", "identity", "_values", "address")

    def __new__(cls, *_, **__):
        made = super().__new__(cls)
        made.address = 0  # before __init__, which may fail
        return made

    def __init__(self, source: str, /, identity=None, **values):
        if not isinstance(source, str):
            raise TypeError(f"upsweep.expression: the expression is {source!r}; give a string")
        if "\0" in source:
            raise BadArgument("expression: the source has a null character; remove it")
        self.source, self.identity, self._values = source, identity, values
        handle = bytearray(8)
        _calls.expression_make(with_values(source, values).encode() + b"\0", handle)
        self.address = int.from_bytes(handle, "little")

    def __reduce__(self):  # handles cannot be copied: a copy makes its own
        return made_again, (self.source, self.identity, self._values)

    def __del__(self, free=_calls.expression_free):
        if self.address:
            free(self.address)

    def __repr__(self):
        named = {**({} if self.identity is None else {"identity": self.identity}), **self._values}
        return f"upsweep.expression({', '.join([repr(self.source), *(f'{name}={value!r}' for name, value in named.items())])})"

    def identity_in(self, call, dtype, **not_taken):
        """Return the identity as the bytes of one element. Options of built-in operators (`not_taken`) are errors."""
        for name, value in not_taken.items():
            if value is not None:
                raise BadArgument(f"{call}: {name}={value!r} with an expression; leave it out, or give a built-in operator")
        if self.identity is None:
            raise BadArgument(f"{call}: {self!r} has no identity; give expression(source, identity=...) with the value that leaves every other element unchanged")
        return element(call, self.identity, dtype)


def made_again(source, identity, values):
    return expression(source, identity, **values)


# The types of values by the codes of NumPy's scalars: their names in an expression, and struct's letters for them and for their bits.
NAMED = {"i4": ("int", "i", "I"), "u4": ("uint", "I", "I"), "i8": ("long", "q", "Q"), "u8": ("ulong", "Q", "Q"),
         "f4": ("float", "f", "I"), "f8": ("double", "d", "Q")}
WORDS = {"true", "false", "sqrt", "fabs", "floor", "ceil", "trunc", "rint", "fmin", "fmax", "isnan", "isinf", "isfinite", "min", "max",
         *(f"{before}{name}" for before in ("", "as_") for name in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"))}


def by_bits(name, value):
    """Return a number as the library's expressions write it by its bits: as_float(0x3f000000u)."""
    dtype = getattr(value, "dtype", None)
    if dtype is not None and getattr(value, "shape", ()) == ():
        value = value.item()
        code = f"{dtype.kind}{dtype.itemsize}"
        code = {"b1": "i4", "i1": "i4", "i2": "i4", "u1": "i4", "u2": "i4", "f2": "f4"}.get(code, code)
    elif isinstance(value, float):
        code = "f8"
    elif isinstance(value, int):
        code = "i4" if -2**31 <= value < 2**31 else "i8" if value < 2**63 else "u8"
    else:
        code = None
    if code not in NAMED or not isinstance(value, (int, float)):
        raise BadArgument(f"expression: {name}={value!r} is no number of a type that expressions calculate in; give an int, a float, or a NumPy scalar of int32, "
                          "uint32, int64, uint64, float32 or float64")
    type_name, of_value, of_bits = NAMED[code]
    try:
        bits, = struct.unpack(of_bits, struct.pack(of_value, value))
    except struct.error:
        raise BadArgument(f"expression: {name}={value!r} does not fit 64 bits; give a smaller number") from None
    return f"as_{type_name}({bits:#x}{'u' if of_bits == 'I' else 'ul'})"


def with_values(source, values):
    """Return the source with the values in place of their names."""
    if not values:
        return source
    written = {}
    for name, value in values.items():
        if name in WORDS:
            raise BadArgument(f"expression: '{name}' cannot name a value: it has a meaning of its own; give another name")
        written[name] = by_bits(name, value)
    found = set()

    def written_for(match):
        found.add(match[0])
        return written.get(match[0], match[0])

    text = re.sub(r"(?<![\w.])[A-Za-z_]\w*", written_for, source)
    for name in written:
        if name not in found:
            raise BadArgument(f"expression: a value named '{name}' is given, and {source!r} does not use it; leave it out, or use its name")
    return text


def transform(f, x, y=None, *, out=None):
    """Apply f to each element of x, or to each pair of elements of x and y: transform("x * x + 1", x), transform("a * b", x, y).

    f is an expression or its source. Results have the elements' type. out may be x or y.

    Parameters
    ----------
    f : str or expression
        The function, of x, or of a and b.
    x : array
        The elements.
    y : array, optional
        The second arguments of f.
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        The results.
    """
    call = "transform"
    if not isinstance(f, expression):
        f = expression(f)
    if y is None:
        space, x = as_arrays(call, x)
        to = output_array(space, call, out, tuple(x.shape), x.dtype)
        _calls.map_by(space.context.address, f.address, code_of(call, x.dtype), x, x.size, to)
        return space.result(to, out)
    space, x, y = as_arrays(call, x, y)
    if x.dtype != y.dtype or tuple(x.shape) != tuple(y.shape):
        raise BadArgument(f"{call}: {x.dtype} of shape {tuple(x.shape)} and {y.dtype} of shape {tuple(y.shape)}; give arrays of one type and shape")
    to = output_array(space, call, out, tuple(x.shape), x.dtype)
    _calls.combine_by(space.context.address, f.address, code_of(call, x.dtype), x, y, x.size, to)
    return space.result(to, out)
