"""Operators, transforms, predicates and comparators given as C expressions."""
from __future__ import annotations

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
    """

    __slots__ = ("source", "identity", "address")

    def __init__(self, source: str, identity=None):
        self.address = 0
        if not isinstance(source, str):
            raise TypeError(f"upsweep.expression: the expression is {source!r}; give a string")
        if "\0" in source:
            raise BadArgument("expression: the source has a null character; remove it")
        self.source, self.identity = source, identity
        handle = bytearray(8)
        _calls.expression_make(source.encode() + b"\0", handle)
        self.address = int.from_bytes(handle, "little")

    def __reduce__(self):  # handles cannot be copied: a copy makes its own
        return expression, (self.source, self.identity)

    def __del__(self, free=_calls.expression_free):
        if self.address:
            free(self.address)

    def __repr__(self):
        return f"upsweep.expression({self.source!r})" if self.identity is None else f"upsweep.expression({self.source!r}, identity={self.identity!r})"

    def identity_in(self, call, dtype, **not_taken):
        """Return the identity as the bytes of one element. Options of built-in operators (`not_taken`) are errors."""
        for name, value in not_taken.items():
            if value is not None:
                raise BadArgument(f"{call}: {name}={value!r} with an expression; leave it out, or give a built-in operator")
        if self.identity is None:
            raise BadArgument(f"{call}: {self!r} has no identity; give expression(source, identity=...) with the value that leaves every other element unchanged")
        return element(call, self.identity, dtype)


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
