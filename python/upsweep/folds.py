"""Reductions and scans: of a whole array, along an axis, by key and by segment."""
from __future__ import annotations

import builtins
import math

import numpy as np

from . import _calls, counting
from .arrays import (CODES, F32, F64, I64, U64, DeviceArray, DeviceSpace, along, as_array, as_arrays, axis_of, code_of, element, host,
                     host_arrays, is_flat_axis, key_code, known, on_stream, output_array, shape_bytes, single_output, space_of, write_host)
from .counting import counted
from .devices import chosen
from .errors import BadArgument
from .expressions import expression
from .fold_arguments import fold_axes, write_out
from .names import OPERATORS, TRANSFORMS, one_of
from .nans import count_nans
from .times import NOT_A_TIME, keys_of, times_of

PLUS, MULTIPLIES, MINIMUM, MAXIMUM = 0, 1, 2, 3
# Types that sums and products use, as in NumPy: 64 bits for small integers. float16 is summed in float32 and rounded once.
_SUM_TYPES = {np.dtype(t): U64 if t[0] == "u" else I64 for t in ("i1", "i2", "i4", "u1", "u2", "u4", "?")} | {np.dtype("f2"): F32}
# Types that upsweep.h does not reduce, and the type to compare them in. It represents each value exactly.
_COMPARE_TYPES = {np.dtype(t): np.dtype("i4") for t in ("i1", "i2", "u1", "u2", "?")} | {np.dtype("f2"): F32}
# Types of results that upsweep.h does not fold, and the type to fold in. Integers wrap, so a wider type gives the same result.
_INSIDE_TYPES = {np.dtype(t): np.dtype("i4") for t in ("i1", "i2", "u1", "u2")} | {np.dtype("?"): I64, np.dtype("f2"): F32}


def _reduced(call, space, x, code, op, transform, axis, keepdims, init, out, count=None):
    if axis is None:
        shape = (1,) * x.ndim if keepdims else ()
        to = output_array(space, call, out, shape, x.dtype)
        if count is not None and not isinstance(op, expression):
            x = counting.mapped(space, x, code, transform)
            _calls.device_counted_reduce(space.context.address, code, x, x.size, count, op, init, to)
            return to
        if count is not None:
            x = counting.padded(space, x, count, init)
        if isinstance(op, expression):  # init is its identity
            _calls.reduce_by(space.context.address, op.address, code, x, x.size, init, to)
        else:
            _calls.reduce(space.context.address, code, x, x.size, op, transform, init, to)
        return to
    axis = axis_of(call, axis, x.ndim)
    shape = tuple(x.shape)
    to = output_array(space, call, out, shape[:axis] + ((1,) if keepdims else ()) + shape[axis + 1:], x.dtype)
    if isinstance(op, expression):
        _calls.reduce_along_by(space.context.address, op.address, code, x, *along(shape, axis), init, to)
    else:
        _calls.reduce_along(space.context.address, code, x, *along(shape, axis), op, transform, init, to)
    return to


# Types that are summed without a conversion.
_FOLDED_DIRECTLY = {np.dtype(t): CODES[np.dtype(t)] for t in ("i8", "u8", "f4", "f8")}


def _fast_path(op, x):
    """Reduce a whole array to one number, or return None where the general path is needed.

    This short path matters for small arrays, where the code around the call takes as long as the call.
    """
    if type(x) is np.ndarray:
        if chosen() is None:
            code = _FOLDED_DIRECTLY.get(x.dtype)
            if code is not None and x.flags.c_contiguous:
                to = np.empty((), x.dtype)
                space = host()
                _calls.reduce(space.context.address, code, x, x.size, op, 0, None, to)
                if op >= MINIMUM and x.dtype.kind == "f" and count_nans(space, x):
                    to[()] = np.nan
                return to[()]
        return None
    kind = known.get(type(x))
    if kind is not None and not kind.synchronous and kind.on_gpu(x):
        address, n, dtype, contiguous = kind.describe_flat(x)
        code = _FOLDED_DIRECTLY.get(dtype)
        if code is not None and contiguous and n:
            to = kind.empty_scalar(x, dtype)
            _calls.reduce(on_stream(*kind.location(x)).address, code, address, n, op, 0, None, kind.address(to))
            if kind.foreign_stream:
                kind.order_before_library(x)
            return to
    return None


def _nan_where_a_nan_is(space, x, to, axis, keepdims):
    """Return the result `to` of min or max with NaN for each line that has one. The library ignores NaNs or returns any element then."""
    if isinstance(space, DeviceSpace) or x.dtype.kind != "f":
        return to
    if space.on_host:
        if count_nans(space, x):
            np.copyto(to, np.nan, where=np.isnan(x).any(axis=axis, keepdims=keepdims))
        return to
    values, results = space.to_host(x), space.to_host(to)
    mask = np.isnan(values).any(axis=axis, keepdims=keepdims)
    if not mask.any():
        return to
    np.copyto(results, np.nan, where=mask)
    return space.as_array(results, "")


def _as_result(space, to, out, axis, keepdims):
    """Return a result. One number is a scalar, as in NumPy."""
    if (axis is not None or keepdims) and out is None and not to.shape and space.on_host and space.wrap is None:
        return to[()]
    if axis is None and not keepdims and out is None:
        if space.on_host:
            return to[()] if space.wrap is None else space.wrap(to)
        return space.scalar(to)
    return space.result(to, out)


def reduce(x, op="plus", *, axis=None, transform=None, keepdims=False, init=None, out=None):
    """Reduce x, or each line of x along an axis, with an operator, in x's type.

    Elements are int32, uint32, int64, uint64, float32 or float64. Integers wrap; sum() adds small integers in 64 bits. The result of no elements
    is the operator's identity, or init.

    Parameters
    ----------
    x : array or counted
        The elements.
    op : str or expression
        "plus", "multiplies", "minimum", "maximum", "bit_and", "bit_or", "bit_xor", "logical_and", "logical_or", or a Python spelling of one, such
        as "+" or "and". Or an associative expression with its identity.
    axis : int, optional
        The axis to reduce along. The default reduces the whole array.
    transform : str, optional
        "negate", "absolute" or "square": applied to each element before the operator.
    keepdims : bool
        Keep the reduced axis with length 1.
    init : number, optional
        A value to start from.
    out : array, optional
        The array for the result.
    """
    if axis is None and transform is None and not keepdims and init is None and out is None and isinstance(op, str) and op in OPERATORS:
        result = _fast_path(OPERATORS[op], x)
        if result is not None:
            return result
    count = None
    if x.__class__ is counted:
        space, x, count, axis = counting.fold_inputs("reduce", x, axis)
    else:
        space, x = as_arrays("reduce", x)
    code = code_of("reduce", x.dtype)
    if isinstance(op, expression):
        identity = op.identity_in("reduce", x.dtype, transform=transform, init=init)
        to = _reduced("reduce", space, x, code, op, None, axis, keepdims, identity, out, count)
        return _as_result(space, to, out, axis, keepdims)
    op, transform = one_of("reduce", "operator", OPERATORS, op), one_of("reduce", "transform", TRANSFORMS, transform)
    init = None if init is None else element("reduce", init, x.dtype)
    to = _reduced("reduce", space, x, code, op, transform, axis, keepdims, init, out, count)
    return _as_result(space, to, out, axis, keepdims)


_PIECE = 1 << 22  # elements to convert at once


def _fold_types(own, dtype):
    """Return the type of a sum or product, and the type to compute in."""
    result = np.dtype(dtype) if dtype is not None else own if own == np.dtype("f2") else _SUM_TYPES.get(own, own)
    return result, _INSIDE_TYPES.get(result, result)


def type_to_fold(own, dtype, out):
    """Return dtype=, or the type of an `out` of floats that is wider, in which NumPy folds then."""
    kind = getattr(out, "dtype", None)
    if dtype is None and isinstance(kind, np.dtype) and kind.kind == "f":
        kind = kind.newbyteorder("=")
        if own.kind in "iub":
            return np.promote_types(own, kind)
        if own.kind == "f" and kind.itemsize > own.itemsize:
            return kind
    return dtype


def _convert(piece, result, inside, to):
    """Write the elements of a piece, converted to the type of the result, to an array of the type to compute in."""
    np.copyto(to, piece if result == inside else piece.astype(result, copy=False), casting="unsafe")


def _converted(space, x, result, inside):
    """Return x converted to the type of the result and then to the type to compute in."""
    if result not in (inside, x.dtype):
        x = space.astype(x, result)
    return x if x.dtype == inside else space.astype(x, inside)


def _slice(space, x, first, last):
    """Return x[first:last] of the flattened array."""
    if space.on_host:
        return x.reshape(-1)[first:last]
    native = x.native.reshape(-1)[first:last]
    return DeviceArray(space.kind.address(native), (last - first,), x.dtype, native)


def _folded_in_pieces(space, x, op, result, inside):
    """Reduce each piece of x in a wider type, and convert one piece at a time: a whole int8 array would need eight times its memory."""
    code, pieces = CODES[inside], -(-x.size // _PIECE)
    if not isinstance(space, DeviceSpace):
        # The address of OpenCL memory is a handle without parts. So the host slices, converts and stores the results.
        values, folds, fold = space.to_host(x).reshape(-1), np.empty(pieces, inside), space.empty(1, inside)
        buffer = np.empty(_PIECE, inside)
        for i in range(pieces):
            part = values[i * _PIECE:(i + 1) * _PIECE]
            _convert(part, result, inside, buffer[:part.size])
            _calls.reduce(space.context.address, code, space.from_host(buffer[:part.size]), part.size, op, 0, None, fold)
            folds[i] = space.to_host(fold)[0]
        return space.from_host(folds.reshape(pieces, *(1,) * (x.ndim - 1)))
    folds = space.empty((pieces,), inside)
    for i in range(pieces):
        piece = _converted(space, _slice(space, x, i * _PIECE, builtins.min((i + 1) * _PIECE, x.size)), result, inside)
        _calls.reduce(space.context.address, code, piece, piece.size, op, 0, None, _slice(space, folds, i, i + 1))
    return folds.reshape(*(pieces, *(1,) * (x.ndim - 1)))


def _converted_for(space, x, op, result, inside, axis, count):
    """Return x converted to the type to reduce in, or the results of its pieces in that type."""
    if axis is None and count is None and x.size > _PIECE:
        return _folded_in_pieces(space, x, op, result, inside)
    return _converted(space, x, result, inside)


_UFUNCS = {PLUS: np.add, MULTIPLIES: np.multiply, MINIMUM: np.minimum, MAXIMUM: np.maximum}


def _pieces_of_lines(shape):
    """Yield index tuples of pieces of at most _PIECE elements of an array of three axes, in order along the middle axis."""
    outer, length, inner = shape
    columns = builtins.max(1, builtins.min(inner, _PIECE))
    rows = builtins.max(1, builtins.min(length, _PIECE // columns))
    layers = builtins.max(1, _PIECE // (rows * columns))
    for layer in range(0, outer, layers):
        for column in range(0, inner, columns):
            for row in range(0, length, rows):
                yield slice(layer, layer + layers), slice(row, row + rows), slice(column, column + columns)


def _along_in_pieces(call, space, x, op, result, inside, axis, keepdims):
    """Reduce along an axis on the host, and convert one piece at a time. Return None where x is one piece.

    Results of pieces are combined in float64 where they are floats, so that many pieces do not add rounding errors.
    """
    if axis is None or not space.on_host or x.size <= _PIECE:
        return None
    axis, shape = axis_of(call, axis, x.ndim), tuple(x.shape)
    lines = x.reshape(math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1:]))
    folds = np.empty((lines.shape[0], lines.shape[2]), F64 if inside == F32 else inside)
    buffer = np.empty(_PIECE, inside)
    for layer, row, column in _pieces_of_lines(lines.shape):
        piece, fold = lines[layer, row, column], folds[layer, column]
        values, part = buffer[:piece.size].reshape(piece.shape), np.empty(fold.shape, inside)
        _convert(piece, result, inside, values)
        _calls.reduce_along(space.context.address, CODES[inside], values, shape_bytes(piece.shape), 3, 1, op, 0, None, part)
        fold[...] = _UFUNCS[op](fold, part) if row.start else part
    return folds.astype(inside, copy=False).reshape(shape[:axis] + ((1,) if keepdims else ()) + shape[axis + 1:])


def summed(call, op, x, axis, dtype, keepdims, out, initial=None, where=True):
    """Return sum() or prod(), for the operators PLUS and MULTIPLIES."""
    if axis is None and dtype is None and out is None and not keepdims and initial is None and where is True:
        result = _fast_path(op, x)
        if result is not None:
            return result
    if type(axis) is tuple or initial is not None or where is not True:
        own = getattr(x, "dtype", None)
        if isinstance(own, np.dtype):
            dtype = type_to_fold(own, dtype, out)

        def fold(part, along_axis):
            return summed(call, op, part, along_axis, dtype, False, None)
        return fold_axes(call, fold, _UFUNCS[op], x, axis, out, keepdims, initial, where)
    if type(out) is tuple:
        out = single_output(call, out)
    count = None
    if x.__class__ is counted:
        space, x, count, axis = counting.fold_inputs(call, x, axis)
    else:
        space, x = as_arrays(call, x)
    if is_flat_axis(axis, x.ndim):
        axis = None
    own = x.dtype
    dtype = type_to_fold(own, dtype, out)
    if axis is None and dtype is None and op == PLUS and space.on_host and own in _SUM_TYPES and own.kind in "iub":
        to = output_array(space, call, out, (1,) * x.ndim if keepdims else (), _SUM_TYPES[own])
        _calls.wide_sum(space.context.address, key_code(call, own), x, x.size, to)
        return _as_result(space, to, out, axis, keepdims)
    key_code(call, own)
    result, inside = _fold_types(own, dtype)
    code = code_of(call, inside)
    if own == result == inside:
        return _as_result(space, _reduced(call, space, x, code, op, 0, axis, keepdims, None, out, count), out, axis, keepdims)
    to = _along_in_pieces(call, space, x, op, result, inside, axis, keepdims) if count is None else None
    if to is None:
        x = _converted_for(space, x, op, result, inside, axis, count)
        to = _reduced(call, space, x, code, op, 0, axis, keepdims, None, None, count)
    if result != inside:
        to = space.astype(to, result)
    return _as_result(space, to, out, axis, keepdims) if out is None else write_out(space, call, to, out)


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):  # noqa: A001
    """Sum all elements, or along axes.

    Small integers are summed in 64 bits and wrap there, as in NumPy. Floats are summed by a fixed tree, so the result is the same in every call.

    Parameters
    ----------
    a : array or counted
        The elements.
    axis : int or tuple of int, optional
        The axes to sum along. The default sums the whole array, and () sums nothing.
    dtype : dtype, optional
        The type to sum in, and of the result.
    out : array, optional
        The array for the result.
    keepdims : bool
        Keep the axes of the sum with length 1.
    initial : number, optional
        A value to start from.
    where : array of bool, optional
        Which elements to sum.

    Returns
    -------
    scalar or array
        A scalar where no axis is left.

    Examples
    --------
    >>> int(upsweep.sum([[1, 2], [3, 4]], initial=10))
    20
    """
    return summed("sum", PLUS, a, axis, dtype, keepdims, out, initial, where)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Multiply all elements, or along axes. The parameters are those of sum().

    Examples
    --------
    >>> upsweep.prod([[1, 2], [3, 4]], axis=0).tolist()
    [3, 8]
    """
    return summed("prod", MULTIPLIES, a, axis, dtype, keepdims, out, initial, where)


def extreme(call, op, x, axis, out, keepdims, initial=None, where=True):
    """Return min() or max(), for the operators MINIMUM and MAXIMUM."""
    if axis is None and out is None and not keepdims and initial is None and where is True and (type(x) is not np.ndarray or x.size):
        result = _fast_path(op, x)
        if result is not None:
            return result
    if type(axis) is tuple or initial is not None or where is not True:
        def fold(part, along_axis):
            return extreme(call, op, part, along_axis, None, False)
        return fold_axes(call, fold, _UFUNCS[op], x, axis, out, keepdims, initial, where)
    if type(out) is tuple:
        out = single_output(call, out)
    count = None
    if x.__class__ is counted:
        space, x, count, axis = counting.fold_inputs(call, x, axis)
    else:
        space, x = as_arrays(call, x)
    if is_flat_axis(axis, x.ndim):
        axis = None
    lines = x.size if axis is None else x.shape[axis_of(call, axis, x.ndim)]
    if lines == 0:
        raise BadArgument(f"{call}: there is nothing to compare; give at least one element")
    own = x.dtype
    if own.kind in "mM":
        times = space.to_host(x)
        to = times_of(np.asarray(extreme(call, op, keys_of(times, NOT_A_TIME[op]), axis, None, keepdims)), own, NOT_A_TIME[op])
        return write_host(space, call, to if to.shape or out is not None else to[()], out)
    wider = _COMPARE_TYPES.get(own)
    if wider is None:
        to = _reduced(call, space, x, code_of(call, own), op, 0, axis, keepdims, None, out, count)
        if count is None:
            to = _nan_where_a_nan_is(space, x, to, axis, keepdims)
        return _as_result(space, to, out, axis, keepdims)
    to = _along_in_pieces(call, space, x, op, wider, wider, axis, keepdims) if count is None else None
    if to is None:
        inside = _converted_for(space, x, op, wider, wider, axis, count)
        to = _reduced(call, space, inside, CODES[wider], op, 0, axis, keepdims, None, None, count)
    to = space.astype(to, own)
    if count is None:
        to = _nan_where_a_nan_is(space, x, to, axis, keepdims)
    return _as_result(space, to, out, axis, keepdims) if out is None else write_out(space, call, to, out)


def min(a, axis=None, out=None, keepdims=False, initial=None, where=True):  # noqa: A001
    """Return the smallest element, or along axes. NaN where one of the elements is NaN: nanmin() ignores NaNs.

    On a GPU the result of elements with a NaN is unspecified, and may equal no element.

    Parameters
    ----------
    a : array or counted
        The elements.
    axis : int or tuple of int, optional
        The axes to compare along. The default compares the whole array, and () nothing.
    out : array, optional
        The array for the result.
    keepdims : bool
        Keep the axes that were compared along with length 1.
    initial : number, optional
        A value to start from. No elements need one, and so does where.
    where : array of bool, optional
        Which elements to compare.

    Returns
    -------
    scalar or array
        A scalar where no axis is left.

    Examples
    --------
    >>> int(upsweep.min([3, 1, 2]))
    1
    """
    return extreme("min", MINIMUM, a, axis, out, keepdims, initial, where)


def max(a, axis=None, out=None, keepdims=False, initial=None, where=True):  # noqa: A001
    """Return the greatest element, or along axes. NaN where one of the elements is NaN. The parameters are those of min().

    Examples
    --------
    >>> upsweep.max([[3, 1], [2, 4]], axis=1).tolist()
    [3, 4]
    """
    return extreme("max", MAXIMUM, a, axis, out, keepdims, initial, where)


def _scanned(call, space, x, op, transform, axis, exclusive, init, out):
    code = code_of(call, x.dtype)
    if axis is None:
        shape = x.size
    else:
        axis, shape = axis_of(call, axis, x.ndim), tuple(x.shape)
    to = space.empty(shape, x.dtype) if out is None else output_array(space, call, out, shape, x.dtype)
    _scan_to(space, code, x, op, transform, axis, exclusive, init, to)
    return space.result(to, out)


def _scan_to(space, code, x, op, transform, axis, exclusive, init, to):
    """Scan x to an array, which may be x."""
    context = space.context.address
    if axis is None or x.ndim == 1:
        _calls.scan(context, code, x, x.size, not exclusive, op, transform, init, to)
    else:
        _calls.scan_along(context, code, x, *along(x.shape, axis), not exclusive, op, transform, init, to)


def scan(x, op="plus", *, axis=None, exclusive=False, transform=None, init=None, out=None):
    """Scan x with an operator: out[i] = x[0] ∘ … ∘ x[i], or with exclusive=True out[i] = x[0] ∘ … ∘ x[i - 1].

    Without an axis the flattened array is scanned, as in cumsum. op, transform, init and the types are those of reduce(). out may be x.

    Parameters
    ----------
    x : array or counted
        The elements.
    op : str or expression
        The operator, as in reduce().
    axis : int, optional
        The axis. None is the flattened array.
    exclusive : bool
        Leave out the element of each result itself.
    transform : str, optional
        The transform of each element, as in reduce().
    init : number, optional
        A value to start from.
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        The results.
    """
    if x.__class__ is counted:
        return counting.scan("scan", x, op, axis, exclusive, transform, init, out)
    space, x = as_arrays("scan", x)
    if isinstance(op, expression):
        identity = op.identity_in("scan", x.dtype, transform=transform, init=init)
        code, context = code_of("scan", x.dtype), space.context.address
        axis = None if axis is None else axis_of("scan", axis, x.ndim)
        to = output_array(space, "scan", out, x.size if axis is None else tuple(x.shape), x.dtype)
        if axis is None or x.ndim == 1:
            _calls.scan_by(context, op.address, code, x, x.size, not exclusive, identity, to)
        else:
            _calls.scan_along_by(context, op.address, code, x, *along(x.shape, axis), not exclusive, identity, to)
        return space.result(to, out)
    op, transform = one_of("scan", "operator", OPERATORS, op), one_of("scan", "transform", TRANSFORMS, transform)
    init = None if init is None else element("scan", init, x.dtype)
    return _scanned("scan", space, x, op, transform, axis, exclusive, init, out)


def _negative_zeros(op, x, axis):
    """Return where cumulative sums are -0.0: up to the first element that is not. The library starts from 0.0. Return None if nowhere."""
    if op != PLUS or type(x) is not np.ndarray or x.dtype.kind != "f" or not x.size:
        return None
    if axis is None or x.ndim == 1:  # small arrays: NumPy's functions take longer than the sums
        number = x.item(0)
        if number != 0 or math.copysign(1, number) > 0:
            return None
    lines, axis = (x.reshape(-1), 0) if axis is None else (x, axis_of("cumsum", axis, x.ndim))
    first = lines.take([0], axis)
    if not (np.signbit(first) & (first == 0)).any():
        return None
    return np.logical_and.accumulate(np.signbit(lines) & (lines == 0), axis=axis)


def _cumulated(call, op, x, axis, dtype, out):
    if x.__class__ is counted:
        return counting.scan(call, x, "plus" if op == PLUS else "multiplies", axis, False, None, None, out, _SUM_TYPES if dtype is None else dtype)
    space, x = as_arrays(call, x)
    if is_flat_axis(axis, x.ndim):
        axis = None
    zeros = _negative_zeros(op, x, axis)  # before the call, which may write to x
    result = _cumulated_in(call, space, op, x, axis, dtype, out)
    if zeros is not None:
        sums = np.asarray(result)
        if sums.dtype.kind == "f" and sums.flags.writeable:  # JAX arrays are immutable
            np.copyto(sums, -0.0, where=zeros)
    return result


def _cumulated_in(call, space, op, x, axis, dtype, out):
    own = x.dtype
    if out is not None:
        dtype = type_to_fold(own, dtype, out)
    if dtype is None and own in _FOLDED_DIRECTLY:
        return _scanned(call, space, x, op, 0, axis, False, None, out)
    axis = None if axis is None else axis_of(call, axis, x.ndim)
    if dtype is None and op == PLUS and space.on_host and own in _SUM_TYPES and own.kind in "iub" and (axis is None or x.ndim == 1):
        to = output_array(space, call, out, x.size, _SUM_TYPES[own])
        _calls.wide_running_sums(space.context.address, key_code(call, own), x, x.size, to)
        return space.result(to, out)
    key_code(call, own)
    result, inside = _fold_types(own, dtype)
    code = code_of(call, inside)
    if own == result == inside:
        return _scanned(call, space, x, op, 0, axis, False, None, out)
    if axis is None:
        x = x.reshape(-1)
    if space.on_host:
        to = output_array(space, call, out, x.shape, result)
        if result == inside:  # the converted elements are scanned in place
            np.copyto(to, x, casting="unsafe")
            _scan_to(space, code, to, op, 0, axis, False, None, to)
        else:
            _scan_in_pieces(space, x.copy() if np.may_share_memory(x, to) else x, op, result, inside, axis or 0, to)
        return space.result(to, out)
    to = _converted(space, x, result, inside)
    _scan_to(space, code, to, op, 0, axis, False, None, to)
    to = to if result == inside else space.astype(to, result)
    return space.result(to) if out is None else write_out(space, call, to, out)


def _scan_in_pieces(space, x, op, result, inside, axis, to):
    """Scan along an axis on the host in a wider type than that of the result, one piece at a time.

    The last results of a piece, before they are rounded to the type of the result, are the first elements of the next piece.
    """
    shape = (math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1:]))
    lines, results, carry = x.reshape(shape), to.reshape(shape), None
    for layer, row, column in _pieces_of_lines(shape):
        piece, carried = lines[layer, row, column], int(row.start > 0)
        values = np.empty((piece.shape[0], piece.shape[1] + carried, piece.shape[2]), inside)
        if carried:
            values[:, 0] = carry
        _convert(piece, result, inside, values[:, carried:])
        _calls.scan_along(space.context.address, CODES[inside], values, shape_bytes(values.shape), 3, 1, True, op, 0, None, values)
        results[layer, row, column] = values[:, carried:]
        carry = values[:, -1].copy()


def cumsum(a, axis=None, dtype=None, out=None):
    """Return the cumulative sums. Small integers are summed in 64 bits, as in NumPy.

    float32 is summed in float64 and rounded once. So cumulative sums of elements that are not negative never decrease.

    Parameters
    ----------
    a : array or counted
        The elements.
    axis : int, optional
        The axis to sum along. The default sums the flattened array.
    dtype : dtype, optional
        The type to sum in, and of the result.
    out : array, optional
        The array for the result. It may be a.

    Returns
    -------
    array
        The sums: a flat array with axis=None, else of the shape of a.

    Examples
    --------
    >>> upsweep.cumsum([1, 2, 3]).tolist()
    [1, 3, 6]
    """
    return _cumulated("cumsum", PLUS, a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """Return the cumulative products. They are finite where every prefix is, and 0 after a 0 while the factors are finite.

    The parameters are those of cumsum().

    Examples
    --------
    >>> upsweep.cumprod([1, 2, 3]).tolist()
    [1, 2, 6]
    """
    return _cumulated("cumprod", MULTIPLIES, a, axis, dtype, out)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Return the cumulative sums along an axis, as numpy.cumulative_sum does from NumPy 2.1.

    Parameters
    ----------
    x : array
        The elements.
    axis : int, optional
        The axis to sum along. An array of one axis does not need it.
    dtype : dtype, optional
        The type to sum in, and of the result.
    out : array, optional
        The array for the result.
    include_initial : bool
        Start with 0. The result is then longer by 1 along the axis. It requires an array in host memory.

    Returns
    -------
    array
        The sums.

    Examples
    --------
    >>> upsweep.cumulative_sum([1, 2, 3], include_initial=True).tolist()
    [0, 1, 3, 6]
    """
    return _cumulative("cumulative_sum", PLUS, x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Return the cumulative products along an axis, as numpy.cumulative_prod does from NumPy 2.1. include_initial starts with 1.

    The parameters are those of cumulative_sum().

    Examples
    --------
    >>> upsweep.cumulative_prod([1, 2, 3], include_initial=True).tolist()
    [1, 1, 2, 6]
    """
    return _cumulative("cumulative_prod", MULTIPLIES, x, axis, dtype, out, include_initial)


def _cumulative(call, op, x, axis, dtype, out, include_initial):
    ndim = x.ndim if hasattr(x, "ndim") else np.ndim(x)
    if axis is None:
        if ndim != 1:
            raise BadArgument(f"{call}: an array of {ndim} axes; give axis")
        axis = 0
    if not include_initial:
        return _cumulated(call, op, x, axis, dtype, out)
    space, x = host_arrays(call, x)
    axis = axis_of(call, axis, x.ndim)
    to = np.full(x.shape[:axis] + (x.shape[axis] + 1,) + x.shape[axis + 1:], op,
                 _fold_types(x.dtype, type_to_fold(x.dtype, dtype, out))[0])  # an operator's code is its identity: 0 of sums, 1 of products
    _cumulated(call, op, x, axis, to.dtype, to[(slice(None),) * axis + (slice(1, None),)])
    return write_host(space, call, to, out)


# ---- By key and by segment


def _equality(equal):
    return equal if equal is None or isinstance(equal, expression) else expression(equal)


def _runs(call, space, keys, equal):
    """Return the offsets of runs of keys that an expression calls equal, with the end as the last offset, and the number of runs."""
    offsets, count = space.empty(len(keys) + 1, U64), space.empty(1, U64)
    _calls.run_offsets_by(space.context.address, equal.address, code_of(call, keys.dtype), keys, len(keys), offsets, count)
    return offsets, space.item(count)


def reduce_by_key(keys, values, op="plus", *, transform=None, equal=None):
    """Reduce the values of each run of equal adjacent keys. Return (keys, values): the first key of each run, and the result.

    Sort by key first to group all equal keys. op, transform and the types are those of reduce(). equal is an expression, or its source, that says
    whether a key b is equal to the key a before it: "a / 10 == b / 10".

    Parameters
    ----------
    keys : array or counted
        The keys, of one axis.
    values : array
        The values, one for each key.
    op : str or expression
        The operator, as in reduce().
    transform : str, optional
        The transform of each element, as in reduce().
    equal : str or expression, optional
        Whether two elements a and b are equal, as in "a / 10 == b / 10".

    Returns
    -------
    keys, values : arrays
        One element for each run.
    """
    call = "reduce_by_key"
    if keys.__class__ is counted:
        return counting.reduce_by_key(keys, values, op, transform)
    space, keys, values = as_arrays(call, keys, values)
    _same_length(call, keys, values)
    n, equal = len(keys), _equality(equal)
    context, key_code, code = space.context.address, code_of(call, keys.dtype), code_of(call, values.dtype)
    if isinstance(op, expression):
        identity = op.identity_in(call, values.dtype, transform=transform)
        keys_out, out, count = space.empty(n, keys.dtype), space.empty(n, values.dtype), space.empty(1, U64)
        _calls.reduce_by_key_by(context, op.address, equal.address if equal else 0, key_code, keys, code, values, n, identity, keys_out, out,
                                count)
    else:
        op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
        if equal:
            offsets, runs = _runs(call, space, keys, equal)
            keys_out, out = space.empty(runs, keys.dtype), space.empty(runs, values.dtype)
            _calls.gather(context, keys, keys.dtype.itemsize, n, offsets, 8, None, runs, keys_out)
            _calls.segmented_reduce(context, code, values, n, offsets, runs, op, transform, None, out)
            return space.result(keys_out), space.result(out)
        keys_out, out, count = space.empty(n, keys.dtype), space.empty(n, values.dtype), space.empty(1, U64)
        _calls.reduce_by_key(context, key_code, keys, code, values, n, op, transform, keys_out, out, count)
    runs = space.item(count)
    return space.result(space.truncated(keys_out, runs)), space.result(space.truncated(out, runs))


def scan_by_key(keys, values, op="plus", *, exclusive=False, transform=None, init=None, out=None, equal=None):
    """Scan the values of each run of equal adjacent keys. equal is that of reduce_by_key().

    Parameters
    ----------
    keys : array
        The keys, of one axis.
    values : array
        The values, one for each key.
    op : str or expression
        The operator, as in reduce().
    exclusive : bool
        Leave out the element of each result itself.
    transform : str, optional
        The transform of each element, as in reduce().
    init : number, optional
        A value to start from.
    out : array, optional
        The array for the result.
    equal : str or expression, optional
        Whether two elements a and b are equal, as in "a / 10 == b / 10".

    Returns
    -------
    array
        The results.
    """
    call = "scan_by_key"
    space, keys, values = as_arrays(call, keys, values)
    _same_length(call, keys, values)
    n, equal = len(keys), _equality(equal)
    context, key_code, code = space.context.address, code_of(call, keys.dtype), code_of(call, values.dtype)
    if isinstance(op, expression):
        identity = op.identity_in(call, values.dtype, transform=transform, init=init)
        to = output_array(space, call, out, n, values.dtype)
        _calls.scan_by_key_by(context, op.address, equal.address if equal else 0, key_code, keys, code, values, n, not exclusive, identity, to)
        return space.result(to, out)
    op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
    init = None if init is None else element(call, init, values.dtype)
    to = output_array(space, call, out, n, values.dtype)
    if equal:
        offsets, runs = _runs(call, space, keys, equal)
        _calls.segmented_scan(context, code, values, n, offsets, runs, not exclusive, op, transform, init, to)
    else:
        _calls.scan_by_key(context, key_code, keys, code, values, n, not exclusive, op, transform, init, to)
    return space.result(to, out)


def _same_length(call, keys, values):
    if keys.ndim != 1 or values.ndim != 1 or len(keys) != len(values):
        raise BadArgument(f"{call}: keys of shape {tuple(keys.shape)} and values of shape {tuple(values.shape)}; give one value for each key")


def offsets_of(call, space, offsets, n):
    """Return offsets as upsweep.h takes them: uint64, one more than there are segments."""
    offsets = as_array(space, call, offsets, "the offsets")
    if offsets.ndim != 1 or len(offsets) == 0 or offsets.dtype.kind not in "iu":
        raise BadArgument(f"{call}: the offsets are {offsets.dtype} of shape {tuple(offsets.shape)}; give integers, one more than there are "
                          "segments")
    if space.on_host:
        wrong = len(offsets) and (offsets[0] < 0 or offsets[-1] > n or (np.diff(offsets.astype(I64, copy=False)) < 0).any())
        if wrong:
            raise BadArgument(f"{call}: the offsets are wrong; give offsets that begin at 0 or more, never decrease, and end at {n} or before")
    return offsets if offsets.dtype.itemsize == 8 else space.astype(offsets, U64)


def segmented_reduce(x, offsets, op="plus", *, transform=None, init=None, out=None):
    """Reduce each segment x[offsets[s]:offsets[s + 1]]. The result of an empty segment is the operator's identity, or init.

    Parameters
    ----------
    x : array
        The elements.
    offsets : array of int
        The bounds of the segments: one more than there are segments.
    op : str or expression
        The operator, as in reduce().
    transform : str, optional
        The transform of each element, as in reduce().
    init : number, optional
        A value to start from.
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        One result for each segment.
    """
    call = "segmented_reduce"
    space = space_of(call, x, offsets)
    x = as_array(space, call, x)
    offsets = offsets_of(call, space, offsets, x.size)
    segments = len(offsets) - 1
    if isinstance(op, expression):
        identity = op.identity_in(call, x.dtype, transform=transform, init=init)
        to = output_array(space, call, out, segments, x.dtype)
        _calls.segmented_reduce_by(space.context.address, op.address, code_of(call, x.dtype), x, x.size, offsets, segments, identity, to)
        return space.result(to, out)
    op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
    init = None if init is None else element(call, init, x.dtype)
    to = output_array(space, call, out, segments, x.dtype)
    _calls.segmented_reduce(space.context.address, code_of(call, x.dtype), x, x.size, offsets, segments, op, transform, init, to)
    return space.result(to, out)


def _zeros_around(space, call, x, to):
    """Return the output of a segmented scan, filled with 0: `to`, or new memory where `to` overlaps x, which the scan still reads."""
    if np.may_share_memory(x, to) if space.on_host else abs(x.address - to.address) < x.nbytes:
        to = space.empty(x.shape, x.dtype)
    _calls.fill(space.context.address, code_of(call, x.dtype), bytes(x.dtype.itemsize), x.size, to)
    return to


def segmented_scan(x, offsets, op="plus", *, exclusive=False, transform=None, init=None, out=None):
    """Scan each segment x[offsets[s]:offsets[s + 1]]. Elements of the result outside all segments are 0, also in `out`. out may be x.

    Parameters
    ----------
    x : array
        The elements.
    offsets : array of int
        The bounds of the segments: one more than there are segments.
    op : str or expression
        The operator, as in reduce().
    exclusive : bool
        Leave out the element of each result itself.
    transform : str, optional
        The transform of each element, as in reduce().
    init : number, optional
        A value to start from.
    out : array, optional
        The array for the result.

    Returns
    -------
    array
        The results.
    """
    call = "segmented_scan"
    space = space_of(call, x, offsets)
    x = as_array(space, call, x)
    offsets = offsets_of(call, space, offsets, x.size)
    to = output_array(space, call, out, x.size, x.dtype)
    context, code = space.context.address, code_of(call, x.dtype)
    if isinstance(op, expression):
        identity = op.identity_in(call, x.dtype, transform=transform, init=init)
        zeroed = _zeros_around(space, call, x, to)
        _calls.segmented_scan_by(context, op.address, code, x, x.size, offsets, len(offsets) - 1, not exclusive, identity, zeroed)
    else:
        op, transform = one_of(call, "operator", OPERATORS, op), one_of(call, "transform", TRANSFORMS, transform)
        init = None if init is None else element(call, init, x.dtype)
        zeroed = _zeros_around(space, call, x, to)
        _calls.segmented_scan(context, code, x, x.size, offsets, len(offsets) - 1, not exclusive, op, transform, init, zeroed)
    if zeroed is not to:
        _calls.map(context, code, zeroed, x.size, TRANSFORMS["identity"], to)
    return space.result(to, out)
