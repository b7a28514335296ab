"""What is kept: by a test, by a mask, by neighbours; runs of equal elements; gather and scatter."""
from __future__ import annotations

import ast
import functools
import operator

import numpy as np

from . import _calls, counting
from .arrays import I64, U8, U64, CODES, code_of, element, host, key_code, place_of, seen, taken, target
from .counting import counted
from .devices import chosen
from .errors import BadArgument, Unsupported
from .expressions import expression, transform
from .names import COMPARISONS
from .orders import argsort, sort

_SYMBOLS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Mod: operator.mod,
               ast.FloorDiv: operator.floordiv, ast.Pow: operator.pow, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
               ast.BitXor: operator.xor}
_COMPARED = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne}
_SIGNS = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}


class _Condition:
    """A test of x as text: comparisons and arithmetic of x and numbers, joined by and, or, not."""

    def __init__(self, call, text):
        self.call, self.text = call, text
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError) as wrong:
            raise BadArgument(f"{call}: {text!r} is no condition ({getattr(wrong, 'msg', wrong)})") from None
        self._looked_through(self.tree)

    def _refuse(self, what):
        raise BadArgument(f"{self.call}: {what} in {self.text!r}; a condition has x, numbers, comparisons, + - * / // % **, and, or, not")

    def _looked_through(self, node):
        match node:
            case ast.BoolOp() | ast.Compare() | ast.UnaryOp() | ast.BinOp():
                if isinstance(node, ast.BinOp) and type(node.op) not in _ARITHMETIC:
                    self._refuse(f"an operator that is not known, {type(node.op).__name__},")
                if isinstance(node, ast.Compare) and any(type(each) not in _COMPARED for each in node.ops):
                    self._refuse("a comparison that is not known")
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._looked_through(child)
            case ast.Name(id="x"):
                pass
            case ast.Constant(value=bool()) | ast.Constant(value=int()) | ast.Constant(value=float()):
                pass
            case _:
                self._refuse(f"{ast.unparse(node)!r}")

    def simple(self):
        """(comparison, number) where the whole of it is one of x with a number."""
        match self.tree:
            case ast.Compare(left=ast.Name(id="x"), ops=[op], comparators=[right]):
                number, symbol = self._number(right), _SYMBOLS[type(op)]
            case ast.Compare(left=left, ops=[op], comparators=[ast.Name(id="x")]):
                number, symbol = self._number(left), _TURNED[_SYMBOLS[type(op)]]
            case _:
                return None
        return None if number is None else (symbol, number)

    @staticmethod
    def _number(node):
        try:
            return ast.literal_eval(node)
        except ValueError:
            return None

    def asked(self, x):
        """A mask: the condition of each element, by the array's own operators."""
        return self._value(self.tree, x)

    def asked_of(self, x, dtype):
        """asked(), where what the elements cannot do is told in a sentence."""
        if dtype.kind not in "biuf":
            raise Unsupported(f"{self.call}: {self.text!r} of elements of {dtype}; give a mask of bools")
        try:
            return self.asked(x)
        except (TypeError, ZeroDivisionError, OverflowError) as wrong:
            raise BadArgument(f"{self.call}: {self.text!r} of elements of {dtype}: {wrong}") from None

    def _value(self, node, x):
        match node:
            case ast.BoolOp(op=op, values=values):
                masks = [self._mask(each, x) for each in values]
                joined = masks[0]
                for each in masks[1:]:
                    joined = joined & each if isinstance(op, ast.And) else joined | each
                return joined
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return ~self._mask(inner, x)
            case ast.UnaryOp(op=op, operand=inner):
                return _SIGNS[type(op)](self._value(inner, x))
            case ast.BinOp(left=left, op=op, right=right):
                left, right = self._value(left, x), self._value(right, x)
                if isinstance(op, ast.Pow) and isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > 1100:
                    self._refuse("a power that no element reaches")  # and that Python would calculate for minutes
                return _ARITHMETIC[type(op)](left, right)
            case ast.Compare(left=left, ops=ops, comparators=rest):
                result, left = None, self._value(left, x)
                for op, right in zip(ops, rest):
                    right = self._value(right, x)
                    mask = _COMPARED[type(op)](left, right)
                    result, left = mask if result is None else result & mask, right
                return result
            case ast.Name():
                return x
            case ast.Constant(value=value):
                return value

    def _mask(self, node, x):
        value = self._value(node, x)
        if not hasattr(value, "dtype") or str(value.dtype).rpartition(".")[2] != "bool":
            self._refuse(f"{ast.unparse(node)!r} is no condition")
        return value


def _fits(value, dtype):
    """Whether comparing elements with this number is comparing them with it in their own type."""
    if dtype.kind in "iu":
        return isinstance(value, int) and np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
    with np.errstate(over="ignore"):
        return dtype.kind == "f" and float(np.asarray(value).astype(dtype)) == float(value)


@functools.lru_cache(256)
def _condition(call, text):
    return _Condition(call, text)


@functools.lru_cache(256)
def _simple(call, text, dtype):
    """(comparison, threshold) where a condition comes to one comparison with an element of this type."""
    simple = _condition(call, text).simple()
    return (COMPARISONS[simple[0]], element(call, simple[1], dtype)) if simple and _fits(simple[1], dtype) else None


def _tested(call, place, x, native, test):
    """("by", comparison, threshold), ("text", expression) or ("flags", view of bytes)."""
    if isinstance(test, expression):
        return "text", test
    if isinstance(test, str):
        simple = _simple(call, test, x.dtype)
        if simple:
            return "by", *simple
        test = _condition(call, test).asked_of(native, x.dtype)
    elif callable(test):
        test = test(native)
    flags = seen(place, call, test, "the mask")
    if flags.dtype == np.bool_:
        flags = flags.view(U8)
    if flags.dtype != U8 or flags.size != x.size:
        raise BadArgument(f"{call}: the mask is {flags.dtype} of shape {tuple(flags.shape)}; give a bool for each of {x.size} elements")
    return "flags", flags


def _moved(x, call):
    if x.dtype.itemsize not in (1, 2, 4, 8):
        raise Unsupported(f"{call}: elements of {x.dtype}; give elements of 1, 2, 4 or 8 bytes")
    return x.dtype.itemsize


# Results of up to so many bytes are cut where they lie: memory of their own would take longer than it saves.
_FEW = 4096


@functools.lru_cache(256)
def _direct(test, dtype):
    """(the host's context, type, comparison, threshold) where a text is one comparison of elements that the library tests as they are."""
    simple = _simple("select", test, dtype) if dtype in CODES else None
    return (host().context.address, CODES[dtype], *simple) if simple else None


def select(x, test, *, out=None, count="host"):
    """What passes the test, in order; of a flattened array.

    test: a condition as Python writes it, "x > 0.5" or "0 < x and x < 5"; an expression, as C does; a mask of bools; or a function that
    makes a mask of x. count="device": a counted array, which is not waited for on a GPU; so is what a counted x leaves.
    """
    if x.__class__ is counted:
        return _of_counted(x, test, out)
    call = "select"
    if type(x) is np.ndarray and type(test) is str and out is None and count == "host" and chosen() is None:
        by = _direct(test, x.dtype)
        if by is not None and x.flags.c_contiguous:  # without a detour, as in folds.py
            context, code, comparison, threshold = by
            n = x.size
            to = np.empty(n, x.dtype)
            kept = _calls.kept_if(context, code, x, n, comparison, threshold, to)
            return to[:kept] if kept * 2 > n or to.nbytes <= _FEW else to[:kept].copy()
    native = x
    place, x = taken(call, x)
    x = x.reshape(-1)
    if count not in ("host", "device"):
        raise BadArgument(f"{call}: count is {count!r}; give \"host\" or \"device\"")
    how = _tested(call, place, x, np.asarray(native) if isinstance(native, (list, tuple)) else native, test)
    to, kept = target(place, call, out, x.size, x.dtype), place.empty(1, U64)
    context = place.context.address
    if how[0] == "by":
        _calls.copy_if(context, code_of(call, x.dtype), x, x.size, how[1], how[2], to, kept)
    elif how[0] == "text":
        _calls.copy_if_by(context, how[1].address, code_of(call, x.dtype), x, x.size, to, kept)
    else:
        _calls.select_flagged(context, x, _moved(x, call), how[1], x.size, to, kept)
    if count == "device":
        return counted(place.result(to, out), place.result(kept))
    number = place.number(kept)
    return out[:number] if out is not None else place.result(place.cut(to, number))


def _of_counted(x, test, out):
    """select of a counted array. What is no single comparison is asked before, as a mask: on a GPU of all that stands in the array."""
    call = "select"
    place, array, count = counting.opened(call, x)
    if isinstance(test, expression):
        asked = expression(f"({test.text}) != 0")
        mask = counting.mask_of(place, x, lambda some: transform(asked, some) != 0)
    elif isinstance(test, str) and _simple(call, test, array.dtype) is None:
        mask = counting.mask_of(place, x, lambda some: _condition(call, test).asked_of(some, array.dtype))
    else:
        mask = test
    how = _tested(call, place, array, x.array, mask)
    to, kept = target(place, call, out, array.size, array.dtype), place.empty(1, U64)
    context, n = place.context.address, array.size
    if how[0] == "by":
        _calls.counted_copy_if(context, code_of(call, array.dtype), array, n, count, how[1], how[2], to, kept)
    else:
        _calls.counted_select_flagged(context, array, _moved(array, call), how[1], n, count, to, kept)
    return counted(place.result(to, out), place.result(kept))


def partition(x, test):
    """(all elements, those that pass first, how many those are). Both sides keep their order."""
    call = "partition"
    native = x
    place = place_of(call, x)
    x = seen(place, call, x).reshape(-1)
    how = _tested(call, place, x, np.asarray(native) if isinstance(native, (list, tuple)) else native, test)
    context = place.context.address
    to, kept = place.empty(x.size, x.dtype), place.empty(1, U64)
    if how[0] == "by":
        _calls.partition(context, code_of(call, x.dtype), x, x.size, how[1], how[2], to, kept)
        return place.result(to), place.number(kept)
    if how[0] == "text":
        _calls.partition_by(context, how[1].address, code_of(call, x.dtype), x, x.size, to, kept)
        return place.result(to), place.number(kept)
    # By a mask: a stable sort of the places by what they are not.
    order, turned = place.empty(x.size, I64), place.empty(x.size, U8)
    _calls.replace(context, CODES[U8], how[1], how[1], x.size, COMPARISONS["!="], b"\0", b"\1", turned)
    _calls.argsort(context, CODES[U8], turned, x.size, True, 8, order)
    _calls.gather(context, x, _moved(x, call), x.size, order, 8, None, x.size, to)
    _calls.count_if(context, CODES[U8], turned, x.size, COMPARISONS["=="], b"\1", kept)
    return place.result(to), place.number(kept)


def unique_consecutive(x, *, equal=None):
    """The first of each run of equal neighbours. equal: an expression, or its text, that says whether b, the element behind a, is equal to it:
    "a / 10 == b / 10".
    """
    if x.__class__ is counted:
        return counting.unique_consecutive(x, equal)
    call = "unique_consecutive"
    place, x = taken(call, x)
    x = x.reshape(-1)
    to, kept = place.empty(x.size, x.dtype), place.empty(1, U64)
    if equal is not None:
        equal = equal if isinstance(equal, expression) else expression(equal)
        _calls.unique_by(place.context.address, equal.address, code_of(call, x.dtype), x, x.size, to, kept)
    else:
        _calls.unique(place.context.address, code_of(call, x.view(U8).dtype if x.dtype == np.bool_ else x.dtype), x, x.size, to, kept)
    return place.result(place.cut(to, place.number(kept)))


def unique(x, return_index=False, return_inverse=False, return_counts=False):
    """The elements that there are, sorted, each once, as NumPy's unique; with them, where asked, where each first stood, which of them each
    element is, and how often each stands there. Each NaN is one of its own."""
    call = "unique"
    place, x = taken(call, x)
    flat = x.reshape(-1)
    bools = flat.dtype == np.bool_
    code = code_of(call, U8 if bools else flat.dtype)
    context, n = place.context.address, flat.size
    ordered, order = place.empty(n, flat.dtype), None
    if return_index:
        order = place.empty(n, I64)
        _calls.argsort(context, code, flat, n, False, 8, order)
        _calls.gather(context, flat, flat.dtype.itemsize, n, order, 8, None, n, ordered)
    else:
        _calls.sort(context, code, flat, n, False, ordered)
    kept = place.empty(1, U64)
    if not (return_index or return_counts):
        room = place.empty(n, flat.dtype)
        _calls.unique(context, code, ordered, n, room, kept)
        values = place.cut(room, place.number(kept))
        if not return_inverse:
            return place.result(values)
        inverse = place.empty(n, I64)
        _calls.lower_bound(context, code, values, values.size, flat, n, inverse)
        return place.result(values), place.result(inverse)
    firsts = place.empty(n + 1, U64)
    _calls.run_offsets(context, code, ordered, n, firsts, kept)
    m = place.number(kept)
    values = place.empty(m, flat.dtype)
    _calls.gather(context, ordered, flat.dtype.itemsize, n, firsts, 8, None, m, values)
    results = [place.result(values)]
    if return_index:
        index = place.empty(m, I64)
        _calls.gather(context, order, 8, n, firsts, 8, None, m, index)
        results.append(place.result(index))
    if return_inverse:
        inverse = place.empty(n, I64)
        _calls.lower_bound(context, code, values, m, flat, n, inverse)
        results.append(place.result(inverse))
    if return_counts:  # the differences of where runs begin; the first of them is that of nothing
        ends, counts = place.empty(m + 1, U64), place.empty(m + 1, I64)
        _calls.adjacent_difference(context, CODES[U64], firsts, m + 1, ends)
        _calls.rotate(context, ends, 8, m + 1, 1, counts)
        results.append(place.result(place.cut(counts, m)))
    return results[0] if len(results) == 1 else tuple(results)


def run_length_encode(x):
    """(values, lengths) of the runs of equal neighbours."""
    call = "run_length_encode"
    place, x = taken(call, x)
    x = x.reshape(-1)
    values, lengths, runs = place.empty(x.size, x.dtype), place.empty(x.size, I64), place.empty(1, U64)
    _calls.run_length_encode(place.context.address, key_code(call, x.dtype), x, x.size, values, lengths, runs)
    number = place.number(runs)
    return place.result(place.cut(values, number)), place.result(place.cut(lengths, number))


def run_length_decode(values, lengths):
    """Each value as often as its length says."""
    call = "run_length_decode"
    place, values, lengths = taken(call, values, lengths)
    if values.ndim != 1 or values.shape != lengths.shape or lengths.dtype.kind not in "iu":
        raise BadArgument(f"{call}: values of shape {tuple(values.shape)} and lengths, {lengths.dtype}, of shape {tuple(lengths.shape)}; give "
                          "an integer for each value")
    if lengths.dtype.itemsize != 8:
        lengths = place.converted(lengths, I64)
    if place.on_host and values.size and int(lengths.min()) < 0:
        raise BadArgument(f"{call}: a length below 0")
    total = place.empty((), U64)
    _calls.reduce(place.context.address, CODES[U64], lengths, lengths.size, 0, 0, None, total)
    m = place.number(total.reshape(-1))
    to = place.empty(m, values.dtype)
    _calls.run_length_decode(place.context.address, values, _moved(values, call), lengths, values.size, to, m)
    return place.result(to)


def _indices(call, place, indices, n):
    if type(indices) in (list, tuple) and len(indices) == 0:
        indices = np.empty(0, I64)
    indices = seen(place, call, indices, "the indices")
    if indices.dtype.kind not in "iu":
        raise Unsupported(f"{call}: indices of {indices.dtype}; give integers")
    if place.on_host and indices.size and not (0 <= int(indices.min()) and int(indices.max()) < n):
        raise BadArgument(f"{call}: an index that is not in 0 to {n - 1}")
    return indices if indices.dtype.itemsize in (4, 8) else place.converted(indices, I64)


def gather(x, indices, *, out=None):
    """x[indices], of a one-dimensional x; indices from 0."""
    call = "gather"
    place = place_of(call, x, indices)
    x = seen(place, call, x)
    if x.ndim != 1:
        raise BadArgument(f"{call}: x has {x.ndim} axes; give one")
    indices = _indices(call, place, indices, x.size)
    to = target(place, call, out, tuple(indices.shape), x.dtype)
    _calls.gather(place.context.address, x, _moved(x, call), x.size, indices, indices.dtype.itemsize, None, indices.size, to)
    return place.result(to, out)


def scatter(x, indices, out):
    """out[indices] = x, no index twice; gives out."""
    call = "scatter"
    place = place_of(call, x, indices, out)
    x = seen(place, call, x)
    if not hasattr(out, "shape"):
        raise Unsupported(f"{call}: out is no array")
    to = target(place, call, out, tuple(out.shape), x.dtype)
    indices = _indices(call, place, indices, to.size)
    if indices.shape != x.shape or x.ndim != 1:
        raise BadArgument(f"{call}: elements of shape {tuple(x.shape)} and indices of shape {tuple(indices.shape)}; give one of each")
    if not place.on_host and to is not out and hasattr(place, "brought"):
        raise Unsupported(f"{call}: into host memory by a device; leave upsweep.device()")
    _calls.scatter(place.context.address, x, _moved(x, call), x.size, indices, indices.dtype.itemsize, None, to, to.size)
    return place.result(to, out)
