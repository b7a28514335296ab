"""Selection by condition or mask, unique elements, runs of equal elements, gather and scatter."""
from __future__ import annotations

import ast
import functools
import operator

import numpy as np

from . import _calls, counting
from .arrays import (CODES, I64, U64, U8, DeviceSpace, StagedSpace, as_array, as_arrays, code_of, element, host, host_output, is_plain, key_code,
                     output_array, refuse_objects, space_of)
from .counting import counted
from .devices import chosen
from .errors import BadArgument, Unsupported
from .expressions import expression, transform
from .names import COMPARISONS
from .nans import count_nans
from .times import keys_of, times_of

_SYMBOLS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Mod: operator.mod,
               ast.FloorDiv: operator.floordiv, ast.Pow: operator.pow, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
               ast.BitXor: operator.xor}
_COMPARED = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne}
_SIGNS = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}


class _Condition:
    """A condition in Python syntax: comparisons and arithmetic of x and numbers, joined by and, or, not."""

    def __init__(self, call, text):
        self.call, self.text = call, text
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError) as wrong:
            raise BadArgument(f"{call}: {text!r} is not a condition ({getattr(wrong, 'msg', wrong)})") from None
        self._check(self.tree)

    def _refuse(self, what):
        raise BadArgument(f"{self.call}: {what} in {self.text!r}; a condition consists of x, numbers, comparisons, + - * / // % **, and, or, not")

    def _check(self, node):
        match node:
            case ast.BoolOp() | ast.Compare() | ast.UnaryOp() | ast.BinOp():
                if isinstance(node, ast.BinOp) and type(node.op) not in _ARITHMETIC:
                    self._refuse(f"the unsupported operator {type(node.op).__name__}")
                if isinstance(node, ast.Compare) and any(type(each) not in _COMPARED for each in node.ops):
                    self._refuse("an unsupported comparison")
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._check(child)
            case ast.Name(id="x"):
                pass
            case ast.Constant(value=bool()) | ast.Constant(value=int()) | ast.Constant(value=float()):
                pass
            case _:
                self._refuse(f"{ast.unparse(node)!r}")

    def simple(self):
        """Return (comparison, number) if the condition is one comparison of x with a number, else None."""
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

    def evaluate(self, x):
        """Return the mask of an array, computed with the operators of its library."""
        return self._value(self.tree, x)

    def evaluate_checked(self, x, dtype):
        """Return evaluate(), or raise an Upsweep exception where the elements do not support an operator."""
        if dtype.kind not in "biuf":
            raise Unsupported(f"{self.call}: {self.text!r} of elements of {dtype}; give a mask of bools")
        try:
            return self.evaluate(x)
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
                    self._refuse("a power above every element")  # Python would compute it for minutes
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
            self._refuse(f"{ast.unparse(node)!r} is not a condition")
        return value


def _fits(value, dtype):
    """Return whether a comparison with this number has the same result after the number is converted to the elements' type."""
    if dtype.kind in "iu":
        return isinstance(value, int) and np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
    with np.errstate(over="ignore"):
        return dtype.kind == "f" and float(np.asarray(value).astype(dtype)) == float(value)


@functools.lru_cache(256)
def _condition(call, text):
    return _Condition(call, text)


@functools.lru_cache(256)
def _simple(call, text, dtype):
    """Return (comparison, threshold) if a condition is one comparison with an element of this type, else None."""
    simple = _condition(call, text).simple()
    return (COMPARISONS[simple[0]], element(call, simple[1], dtype)) if simple and _fits(simple[1], dtype) else None


def _parse_test(call, space, x, native, test):
    """Return ("by", comparison, threshold), ("expression", expression) or ("flags", array of bytes)."""
    if isinstance(test, expression):
        return "expression", test
    if isinstance(test, str):
        simple = _simple(call, test, x.dtype)
        if simple:
            return "by", *simple
        test = _condition(call, test).evaluate_checked(native, x.dtype)
    elif callable(test):
        test = test(native)
    flags = as_array(space, call, test, "the mask")
    if flags.dtype == np.bool_:
        flags = flags.view(U8)
    if flags.dtype != U8 or flags.size != x.size:
        raise BadArgument(f"{call}: the mask is {flags.dtype} of shape {tuple(flags.shape)}; give a bool for each of {x.size} elements")
    return "flags", flags


def _element_bytes(x, call):
    refuse_objects(call, x.dtype)
    if x.dtype.itemsize not in (1, 2, 4, 8):
        raise Unsupported(f"{call}: elements of {x.dtype}; give elements of 1, 2, 4 or 8 bytes")
    return x.dtype.itemsize


# Results up to this number of bytes stay views of the output: a copy would take longer than the memory is worth.
_FEW = 4096


@functools.lru_cache(256)
def _fast_path(test, dtype):
    """Return (address of the CPU context, type, comparison, threshold) if a condition is one comparison without a conversion, else None."""
    simple = _simple("select", test, dtype) if dtype in CODES else None
    return (host().context.address, CODES[dtype], *simple) if simple else None


def select(x, test, *, out=None, count="host"):
    """Return the elements of a flattened array that pass a test, in order.

    Parameters
    ----------
    x : array or counted
        The elements.
    test : str, expression, array of bool or callable
        A condition in Python syntax, such as "x > 0.5" or "0 < x and x < 5"; an expression in C syntax; a mask; or a function that returns a mask
        of x.
    out : array, optional
        An array as long as x for the result.
    count : str
        "host" returns an array. The call then waits for the number of elements on a GPU. "device" returns a counted array, without a wait. The
        result of a counted x is always counted.
    """
    if x.__class__ is counted:
        return _select_counted(x, test, out)
    call = "select"
    if type(x) is np.ndarray and type(test) is str and out is None and count == "host" and chosen() is None:
        by = _fast_path(test, x.dtype)
        if by is not None and x.flags.c_contiguous:  # the short path, as in folds.py
            context, code, comparison, threshold = by
            n = x.size
            to = np.empty(n, x.dtype)
            kept = _calls.copy_if_count(context, code, x, n, comparison, threshold, to)
            return to[:kept] if kept * 2 > n or to.nbytes <= _FEW else to[:kept].copy()
    native = x
    space, x = as_arrays(call, x)
    x = x.reshape(-1)
    if count not in ("host", "device"):
        raise BadArgument(f"{call}: count is {count!r}; give \"host\" or \"device\"")
    parsed = _parse_test(call, space, x, np.asarray(native) if isinstance(native, (list, tuple)) else native, test)
    to, kept = output_array(space, call, out, x.size, x.dtype), space.empty(1, U64)
    context = space.context.address
    if parsed[0] == "by":
        _calls.copy_if(context, code_of(call, x.dtype), x, x.size, parsed[1], parsed[2], to, kept)
    elif parsed[0] == "expression":
        _calls.copy_if_by(context, parsed[1].address, code_of(call, x.dtype), x, x.size, to, kept)
    else:
        _calls.select_flagged(context, x, _element_bytes(x, call), parsed[1], x.size, to, kept)
    if count == "device":
        return counted(space.result(to, out), space.result(kept))
    number = space.item(kept)
    if out is None:
        return space.result(space.truncated(to, number))
    if getattr(to, "native", to) is not out:
        space.result(to[:number] if space.on_host else space.truncated(to, number), out[:number])
    return out[:number]


def _select_counted(x, test, out):
    """Select from a counted array. A test that is not one comparison becomes a mask first. On a GPU the mask covers the whole array."""
    call = "select"
    space, array, count = counting.counted_arrays(call, x)
    if isinstance(test, expression):
        nonzero = expression(f"({test.source}) != 0")
        mask = counting.mask_of(space, x, lambda some: transform(nonzero, some) != 0)
    elif isinstance(test, str) and _simple(call, test, array.dtype) is None:
        mask = counting.mask_of(space, x, lambda some: _condition(call, test).evaluate_checked(some, array.dtype))
    else:
        mask = test
    parsed = _parse_test(call, space, array, x.array, mask)
    to, kept = output_array(space, call, out, array.size, array.dtype), space.empty(1, U64)
    context, n = space.context.address, array.size
    if parsed[0] == "by":
        _calls.device_counted_copy_if(context, code_of(call, array.dtype), array, n, count, parsed[1], parsed[2], to, kept)
    else:
        _calls.device_counted_select_flagged(context, array, _element_bytes(array, call), parsed[1], n, count, to, kept)
    return counted(space.result(to, out), space.result(kept))


def stable_partition(x, test):
    """Return (all elements with those that pass the test first, number of those). Both parts keep their order. test is that of select().

    Parameters
    ----------
    x : array
        The elements.
    test : str, expression, array of bool or callable
        The test, as in select().

    Returns
    -------
    array, int
        The elements, and the number of those that pass.
    """
    call = "stable_partition"
    native = x
    space = space_of(call, x)
    x = as_array(space, call, x).reshape(-1)
    parsed = _parse_test(call, space, x, np.asarray(native) if isinstance(native, (list, tuple)) else native, test)
    context = space.context.address
    to, kept = space.empty(x.size, x.dtype), space.empty(1, U64)
    if parsed[0] == "by":
        _calls.partition(context, code_of(call, x.dtype), x, x.size, parsed[1], parsed[2], to, kept)
        return space.result(to), space.item(kept)
    if parsed[0] == "expression":
        _calls.partition_by(context, parsed[1].address, code_of(call, x.dtype), x, x.size, to, kept)
        return space.result(to), space.item(kept)
    # With a mask: sort the indices stably, selected elements first.
    order, turned = space.empty(x.size, I64), space.empty(x.size, U8)
    _calls.replace(context, CODES[U8], parsed[1], parsed[1], x.size, COMPARISONS["!="], b"\0", b"\1", turned)
    _calls.argsort(context, CODES[U8], turned, x.size, True, 8, order)
    _calls.gather(context, x, _element_bytes(x, call), x.size, order, 8, None, x.size, to)
    _calls.count_if(context, CODES[U8], turned, x.size, COMPARISONS["=="], b"\1", kept)
    return space.result(to), space.item(kept)


def unique_consecutive(x, *, equal=None):
    """Return the first element of each run of equal adjacent elements.

    equal is an expression, or its source, that says whether an element b is equal to the element a before it: "a / 10 == b / 10".

    Parameters
    ----------
    x : array or counted
        The elements.
    equal : str or expression, optional
        Whether two elements a and b are equal, as in "a / 10 == b / 10".

    Returns
    -------
    array
        The elements.
    """
    if x.__class__ is counted:
        return counting.unique_consecutive(x, equal)
    call = "unique_consecutive"
    space, x = as_arrays(call, x)
    x = x.reshape(-1)
    to, kept = space.empty(x.size, x.dtype), space.empty(1, U64)
    if equal is not None:
        equal = equal if isinstance(equal, expression) else expression(equal)
        _calls.unique_by(space.context.address, equal.address, code_of(call, x.dtype), x, x.size, to, kept)
    else:
        _calls.unique(space.context.address, code_of(call, x.view(U8).dtype if x.dtype == np.bool_ else x.dtype), x, x.size, to, kept)
    return space.result(space.truncated(to, space.item(kept)))


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    """Return the sorted distinct elements, as numpy.unique does.

    Parameters
    ----------
    ar : array
        The elements.
    return_index : bool
        Also return the index in ar of the first occurrence of each result.
    return_inverse : bool
        Also return the index in the result of each element, in the shape of ar as from NumPy 2.
    return_counts : bool
        Also return the number of occurrences of each result.
    axis : int, optional
        Return the distinct slices along this axis, of an array in host memory. The default is the flattened array.
    equal_nan : bool
        NaNs, and NaTs, are equal to each other, unless an axis is given. The results of JAX arrays on a GPU have each NaN.

    Returns
    -------
    array, or tuple of arrays
        The distinct elements, and then the other requested arrays in the order of the parameters.

    Examples
    --------
    >>> upsweep.unique([3, 1, 3]).tolist()
    [1, 3]
    """
    if axis is not None:
        from .unique_slices import unique_slices  # which imports orders.py
        return unique_slices(ar, return_index, return_inverse, return_counts, axis)
    space, x = as_arrays("unique", ar)
    if x.dtype.kind in "mM":
        results = _unique_times(space.to_host(x), return_index, return_inverse, return_counts, equal_nan)
        return results[0] if len(results) == 1 else tuple(results)
    results = _unique(space, x, return_index, return_inverse, return_counts)
    if x.dtype.kind == "f" and not (isinstance(space, DeviceSpace) and space.synchronous):
        nans = count_nans(space, x)
        if nans > 1 and equal_nan:
            results = _merge_nans(results, nans, return_index, return_inverse, return_counts)
        elif nans > 1 and return_inverse and not isinstance(space, DeviceSpace):
            _tell_nans_apart(np.asarray(results[1 + return_index]), np.isnan(space.to_host(x)).reshape(-1), len(results[0]) - nans)
    if return_inverse:
        place = 1 + return_index
        results[place] = results[place].reshape(tuple(x.shape))
    return results[0] if len(results) == 1 else tuple(results)


def _unique_times(x, return_index, return_inverse, return_counts, equal_nan):
    """Return the results of unique() of times in host memory as a list. NaTs are last, and one or each is distinct."""
    keys = keys_of(x, True)
    results = list(unique(keys, return_index, return_inverse, True))
    values = results[0]
    nats = keys == np.iinfo(I64).max
    several = 0 if equal_nan else max(np.count_nonzero(nats) - 1, 0)
    results[0] = np.append(times_of(values, x.dtype, True), np.full(several, "NaT", x.dtype))
    if several:
        if return_index:
            results[1] = np.append(results[1][:-1], np.flatnonzero(nats))
        if return_inverse:
            results[1 + return_index][nats] = len(values) - 1 + np.arange(several + 1)
        results[-1] = np.append(results[-1][:-1], np.ones(several + 1, I64))
    return results if return_counts else results[:-1]


def _merge_nans(results, nans, return_index, return_inverse, return_counts):
    """Return the results of unique() with one NaN, which is last, in place of `nans`."""
    first = len(results[0]) - nans
    merged, rest = [results[0][:first + 1]], iter(results[1:])
    if return_index:
        merged.append(next(rest)[:first + 1])
    if return_inverse:
        merged.append(next(rest).clip(0, first))
    if return_counts:
        counts = next(rest)
        counts[first] = nans
        merged.append(counts[:first + 1])
    return merged


def _tell_nans_apart(inverse, nans, first):
    """Give each NaN its own index, in order. The search found the first NaN for all."""
    if inverse.flags.writeable:  # JAX arrays are immutable
        inverse[nans] = first + np.arange(np.count_nonzero(nans))


def _unique(space, x, return_index, return_inverse, return_counts):
    """Return the results of unique() as a list. Each NaN is distinct."""
    call = "unique"
    flat = x.reshape(-1)
    bools = flat.dtype == np.bool_
    code = code_of(call, U8 if bools else flat.dtype)
    context, n = space.context.address, flat.size
    ordered, order = space.empty(n, flat.dtype), None
    if return_index:
        order = space.empty(n, I64)
        _calls.argsort(context, code, flat, n, False, 8, order)
        _calls.gather(context, flat, flat.dtype.itemsize, n, order, 8, None, n, ordered)
    else:
        _calls.sort(context, code, flat, n, False, ordered)
    kept = space.empty(1, U64)
    if not (return_index or return_counts):
        capacity = space.empty(n, flat.dtype)
        _calls.unique(context, code, ordered, n, capacity, kept)
        values = space.truncated(capacity, space.item(kept))
        if not return_inverse:
            return [space.result(values)]
        inverse = space.empty(n, I64)
        _calls.lower_bound(context, code, values, values.size, flat, n, inverse)
        return [space.result(values), space.result(inverse)]
    firsts = space.empty(n + 1, U64)
    _calls.run_offsets(context, code, ordered, n, firsts, kept)
    m = space.item(kept)
    values = space.empty(m, flat.dtype)
    _calls.gather(context, ordered, flat.dtype.itemsize, n, firsts, 8, None, m, values)
    results = [space.result(values)]
    if return_index:
        index = space.empty(m, I64)
        _calls.gather(context, order, 8, n, firsts, 8, None, m, index)
        results.append(space.result(index))
    if return_inverse:
        inverse = space.empty(n, I64)
        _calls.lower_bound(context, code, values, m, flat, n, inverse)
        results.append(space.result(inverse))
    if return_counts:  # differences of adjacent offsets; adjacent_difference copies the first element, which rotate moves to the end
        ends, counts = space.empty(m + 1, U64), space.empty(m + 1, I64)
        _calls.adjacent_difference(context, CODES[U64], firsts, m + 1, ends)
        _calls.rotate(context, ends, 8, m + 1, 1, counts)
        results.append(space.result(space.truncated(counts, m)))
    return results


def run_length_encode(x):
    """Return (values, lengths) of the runs of equal adjacent elements.

    Parameters
    ----------
    x : array
        The elements.

    Returns
    -------
    values, lengths : arrays
        The first element of each run, and its int64 length.
    """
    call = "run_length_encode"
    space, x = as_arrays(call, x)
    x = x.reshape(-1)
    values, lengths, runs = space.empty(x.size, x.dtype), space.empty(x.size, I64), space.empty(1, U64)
    _calls.run_length_encode(space.context.address, key_code(call, x.dtype), x, x.size, values, lengths, runs)
    number = space.item(runs)
    return space.result(space.truncated(values, number)), space.result(space.truncated(lengths, number))


def run_length_decode(values, lengths):
    """Repeat each value by its length.

    Parameters
    ----------
    values : array
        The values.
    lengths : array of int
        How often to repeat each value.

    Returns
    -------
    array
        The repeated values.
    """
    call = "run_length_decode"
    space, values, lengths = as_arrays(call, values, lengths)
    if values.ndim != 1 or values.shape != lengths.shape or lengths.dtype.kind not in "iu":
        raise BadArgument(f"{call}: values of shape {tuple(values.shape)} and lengths, {lengths.dtype}, of shape {tuple(lengths.shape)}; give "
                          "an integer for each value")
    if lengths.dtype.itemsize != 8:
        lengths = space.astype(lengths, I64)
    if space.on_host and values.size and int(lengths.min()) < 0:
        raise BadArgument(f"{call}: a length is below 0; give lengths of 0 or more")
    total = space.empty((), U64)
    _calls.reduce(space.context.address, CODES[U64], lengths, lengths.size, 0, 0, None, total)
    m = space.item(total.reshape(-1))
    to = space.empty(m, values.dtype)
    _calls.run_length_decode(space.context.address, values, _element_bytes(values, call), lengths, values.size, to, m)
    return space.result(to)


def _indices(call, space, indices, n):
    if type(indices) in (list, tuple) and len(indices) == 0:
        indices = np.empty(0, I64)
    indices = as_array(space, call, indices, "the indices")
    if indices.dtype.kind not in "iu":
        raise Unsupported(f"{call}: indices of {indices.dtype}; give integers")
    if space.on_host and indices.size and not (0 <= int(indices.min()) and int(indices.max()) < n):
        raise BadArgument(f"{call}: an index is out of range; give 0 to {n - 1}")
    return indices if indices.dtype.itemsize in (4, 8) else space.astype(indices, np.dtype("u4"))


def gather(x, indices, *, out=None):
    """Return x[indices] of a one-dimensional x. Indices are not negative.

    Parameters
    ----------
    x : array
        The elements.
    indices : array of int
        The indices.
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        The elements.
    """
    call = "gather"
    space = space_of(call, x, indices)
    x = as_array(space, call, x)
    if x.ndim != 1:
        raise BadArgument(f"{call}: x has {x.ndim} axes; give an array of one axis")
    indices = _indices(call, space, indices, x.size)
    to = output_array(space, call, out, tuple(indices.shape), x.dtype)
    _calls.gather(space.context.address, x, _element_bytes(x, call), x.size, indices, indices.dtype.itemsize, None, indices.size, to)
    return space.result(to, out)


def scatter(x, indices, out):
    """Assign out[indices] = x and return out. Indices must be distinct.

    Parameters
    ----------
    x : array
        The elements.
    indices : array of int
        The indices.
    out : array
        The array to write to.

    Returns
    -------
    array
        out.
    """
    call = "scatter"
    space = space_of(call, x, indices, out)
    x = as_array(space, call, x)
    if not hasattr(out, "shape"):
        raise Unsupported(f"{call}: out is not an array")
    to = output_array(space, call, out, tuple(out.shape), x.dtype)
    if out.dtype != x.dtype or space.on_host and not is_plain(host_output(call, out)) or isinstance(space, DeviceSpace) and to.native is not out:
        raise BadArgument(f"{call}: out is {out.dtype}, or strided; give a contiguous array of {x.dtype}")
    indices = _indices(call, space, indices, to.size)
    if indices.shape != x.shape or x.ndim != 1:
        raise BadArgument(f"{call}: elements of shape {tuple(x.shape)} and indices of shape {tuple(indices.shape)}; give one index for each element")
    if not space.on_host and to is not out and isinstance(space, StagedSpace):
        raise Unsupported(f"{call}: out is in host memory, which a device cannot write; call outside upsweep.device()")
    _calls.scatter(space.context.address, x, _element_bytes(x, call), x.size, indices, indices.dtype.itemsize, None, to, to.size)
    return space.result(to, out)
