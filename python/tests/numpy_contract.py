"""The table of NumPy's functions and keywords: which calls give what NumPy gives, and how the others differ.

test_numpy_contract.py executes every row with NumPy and with Upsweep. numpy_contract.py FILE writes docs/numpy.md.
"""
import pathlib
import sys
import textwrap
from dataclasses import dataclass

import numpy as np

_random = np.random.default_rng(5)
INPUTS = {  # the arrays of the calls, and how the page describes them
    "x": (_random.normal(size=(3, 4, 5)), "float64 of shape (3, 4, 5)"),
    "f": (_random.normal(size=(6, 7)).astype("f4"), "float32 of shape (6, 7)"),
    "i": (_random.integers(-9, 9, (4, 6)).astype("i4"), "int32 of shape (4, 6)"),
    "u": (_random.integers(0, 9, 50).astype("u1"), "uint8, 50 elements"),
    "b": (_random.random((4, 6)) > 0.5, "bool of shape (4, 6)"),
    "v": (np.array([3.0, np.nan, -1.0, np.nan, 3.0, 0.0]), "float64 with NaNs, 6 elements"),
    "d": (np.sort(_random.integers(0, 40, 20)), "int64, 20 sorted elements"),
    "e": (np.empty(0), "float64, no elements"),
    "z": (np.array(3), "an array without axes"),
    "h": (_random.integers(-9, 9, 30).astype("f2"), "float16, 30 elements"),
    "t": (np.array(["2024-02-29", "NaT", "1999-12-31", "2024-02-29"], "M8[D]"), "datetime64 with NaT, 4 elements"),
    "o": (_random.normal(size=(3, 4)).astype(np.dtype("f8").newbyteorder()), "float64 of shape (3, 4) in the other byte order"),
}
NUMPY_NAMES = ("array", "zeros", "ones", "arange", "int8", "int64", "uint64", "float16", "float32", "float64", "nan", "inf")


@dataclass(frozen=True)
class Row:
    """One function and keyword. `difference` is empty where the result is that of NumPy, and else says how it differs and why."""

    function: str
    keyword: str
    call: str
    difference: str = ""
    expected: str = ""  # our result where it differs: an expression, or the name of an exception


# function | keyword | call
SAME = """
sum | a | sum(a=i)
sum | axis | sum(x, axis=1)
sum | axis, several | sum(x, axis=(0, 2))
sum | axis, none | sum(i, axis=())
sum | axis, out of range | sum(x, axis=3)
sum | axis of an array without axes | sum(z, axis=0)
sum | dtype | sum(u, dtype=float64)
sum | dtype, narrow | sum(u, dtype=int8)
sum | dtype=bool | sum(u, dtype=bool)
sum | small integers | sum(u)
sum | bools | sum(b, axis=0)
sum | out | sum(i, axis=1, out=zeros(4, int64))
sum | out, of a wider type | sum(i, axis=1, out=zeros(4))
sum | out, of a narrower type | sum(x, axis=0, out=zeros((4, 5), float32))
sum | out, of floats, of sums past int64 | sum(array([2**62] * 4), out=zeros(()))
sum | out, of wider floats | sum(array([3e38, 3e38], float32), out=zeros(()))
sum | out, strided | sum(i, axis=0, out=zeros((6, 2), int64)[:, 0])
sum | another byte order | sum(o, axis=0)
sum | keepdims | sum(x, axis=(0, 2), keepdims=True)
sum | initial | sum(i, axis=0, initial=10)
sum | where | sum(i, axis=0, where=b)
sum | no elements | sum(e)
sum | order of the arguments | sum(i, 0, int64, zeros(6, int64), False, 5, b)
sum | a scalar for the last axis | sum(d, axis=0)
prod | axis, keepdims | prod(x, axis=(0, 1), keepdims=True)
prod | dtype | prod(u[:5], dtype=float64)
prod | out | prod(i, axis=1, out=zeros(4, int64))
prod | initial, where | prod(i, axis=1, initial=2, where=b)
prod | no elements | prod(e)
min | a | min(a=i)
min | axis | min(x, axis=(1, 2))
min | out | min(i, axis=1, out=zeros(4, int64))
min | keepdims | min(x, axis=0, keepdims=True)
min | initial | min(i, axis=0, initial=-3)
min | initial, no elements | min(e, initial=3.0)
min | where | min(i, axis=0, initial=9, where=b)
min | where without initial | min(i, where=b)
min | NaN | min(v)
min | no elements | min(e)
min | times | min(t), min(t[2:])
max | axis | max(x, axis=(0, 2))
max | keepdims | max(x, axis=1, keepdims=True)
max | initial, where | max(i, axis=0, initial=-9, where=b)
max | NaN | max(v)
max | bools | max(b, axis=1)
max | times | max(t), max(t[2:], initial=t[0])
max | out | max(i, axis=1, out=zeros(4, int64))
argmin | a | argmin(a=i)
argmin | axis | argmin(x, axis=2)
argmin | keepdims | argmin(x, axis=1, keepdims=True)
argmin | out | argmin(x, axis=1, out=zeros((3, 5), int64))
argmin | NaN | argmin(v)
argmin | type of the result | argmin(i)
argmin | no elements | argmin(e)
argmin | times | argmin(t), argmin(t[2:])
argmax | axis, keepdims | argmax(x, axis=0, keepdims=True)
argmax | NaN | argmax(v)
argmax | times | argmax(t), argmax(t[2:])
argmax | an array without axes | argmax(z, axis=0)
nansum | axis | nansum(v, axis=0)
nansum | dtype, keepdims | nansum(i, dtype=float64, keepdims=True)
nansum | out | nansum(i, axis=1, out=zeros(4, int64))
nansum | initial, where | nansum(v, initial=3, where=[True, True, True, True, False, True])
nanprod | axis | nanprod(v)
nanprod | dtype, keepdims | nanprod(i, dtype=float64, keepdims=True)
nanprod | out | nanprod(i, axis=1, out=zeros(4, int64))
nanprod | initial, where | nanprod(v, initial=3, where=[True, True, True, True, False, True])
nanmin | axis | nanmin(v)
nanmin | keepdims | nanmin(x, axis=1, keepdims=True)
nanmin | out | nanmin(x, axis=0, out=zeros((4, 5)))
nanmin | initial, where | nanmin(v, initial=2.0, where=[True, True, False, True, False, True])
nanmax | axis | nanmax(v)
nanmax | out, keepdims | nanmax(x, axis=(0, 1), keepdims=True, out=zeros((1, 1, 5)))
nanmax | initial, where | nanmax(v, initial=2.0, where=[False, True, False, True, False, True])
nanmean | axis | nanmean(v)
nanmean | dtype, keepdims | nanmean(i, dtype=float32, keepdims=True)
nanmean | out | nanmean(x, axis=0, out=zeros((4, 5)))
nanmean | where | nanmean(v, where=[True, True, False, True, False, True])
nanargmin | axis | nanargmin(v)
nanargmin | only NaNs | nanargmin(array([nan]))
nanargmin | out, keepdims | nanargmin(x, axis=0, keepdims=True, out=zeros((1, 4, 5), int64))
nanargmax | axis | nanargmax(v)
nanargmax | out, keepdims | nanargmax(x, axis=0, keepdims=True, out=zeros((1, 4, 5), int64))
cumsum | a | cumsum(a=i)
cumsum | axis | cumsum(x, axis=1)
cumsum | dtype | cumsum(u, dtype=float64)
cumsum | out | cumsum(d, out=zeros(20, int64))
cumsum | out, of wider floats | cumsum(array([3e38, 3e38], float32), out=zeros(2))
cumsum | out, of a narrower type | cumsum(x, axis=1, out=zeros((3, 4, 5), float32))
cumsum | out, strided | cumsum(i, axis=1, out=zeros((4, 12), int64)[:, ::2])
cumsum | dtype, narrow | cumsum(u, dtype=int8)
cumsum | float16 | cumsum(h)
cumsum | small integers | cumsum(u)
cumsum | -0.0 | 1 / cumsum(array([-0.0, 1.0]))
cumsum | an array without axes | cumsum(z, axis=0)
cumprod | axis | cumprod(x, axis=2)
cumprod | dtype | cumprod(u[:4], dtype=float64)
cumprod | out | cumprod(d, out=zeros(20, int64))
cumprod | bools | cumprod(b, axis=0)
mean | a, axis | mean(a=x, axis=(0, 2))
mean | dtype | mean(u, dtype=float32)
mean | out | mean(x, axis=0, out=zeros((4, 5)))
mean | keepdims | mean(x, axis=1, keepdims=True)
mean | where | mean(i, axis=0, where=b)
mean | integers | mean(i)
mean | no elements | mean(e)
var | axis, ddof | var(x, axis=1, ddof=1)
var | keepdims | var(f, axis=0, keepdims=True)
var | dtype, out | var(i, axis=1, dtype=float64, out=zeros(4))
var | where | var(x, axis=0, where=x > -1)
std | axis, ddof | std(x, axis=(0, 1), ddof=1)
std | where, keepdims | std(x, axis=0, where=x > -1, keepdims=True)
std | dtype, out | std(i, axis=1, dtype=float64, out=zeros(4))
median | axis | median(x, axis=(0, 2))
median | keepdims | median(i, axis=1, keepdims=True)
median | out | median(i, axis=1, out=zeros(4))
median | NaN | median(v)
median | overwrite_input | median(d.copy(), overwrite_input=True)
median | no elements | median(e)
quantile | q, axis | quantile(x, [0.1, 0.5], axis=(0, 1))
quantile | method | quantile(x, 0.3, method="median_unbiased")
quantile | method of integers | quantile(i, [0.2, 0.9], axis=0, method="lower")
quantile | keepdims, out | quantile(x, 0.5, axis=1, keepdims=True, out=zeros((3, 1, 5)))
quantile | overwrite_input | quantile(d.copy(), 0.5, overwrite_input=True)
quantile | q, out of range | quantile(x, 2)
percentile | q, axis | percentile(x, [10, 50], axis=0)
percentile | q, out of range | percentile(x, 101)
percentile | keepdims, method | percentile(x, 40, axis=1, keepdims=True, method="hazen")
percentile | overwrite_input | percentile(d.copy(), 50, overwrite_input=True)
any | a, axis | any(a=b, axis=0)
any | axis, several | any(i, axis=(0, 1))
any | keepdims, where | any(i, axis=1, keepdims=True, where=b)
any | NaN, no elements | any(v), any(e)
any | out | any(i, axis=1, out=zeros(4, bool))
all | axis | all(i, axis=1)
all | out | all(i, axis=1, out=zeros(4, bool))
all | where | all(i, where=b)
all | no elements | all(e)
all | keepdims | all(i, axis=1, keepdims=True)
count_nonzero | axis, keepdims | count_nonzero(i, axis=1, keepdims=True)
count_nonzero | type of the result | count_nonzero(b)
nonzero | a | nonzero(i)
flatnonzero | a | flatnonzero(i)
isin | element, test_elements | isin(i, [1, 2, 3])
isin | invert | isin(i, u, invert=True)
isin | assume_unique, kind | isin([1, 2], [2, 3], assume_unique=True)
isin | NaN | isin(v, [nan, 3])
isin | times | isin(t, t)
sort | a, axis | sort(a=x, axis=1)
sort | axis=None | sort(i, axis=None)
sort | kind | sort(f, kind="heapsort")
sort | kind, unknown | sort(f, kind="bubble")
sort | NaN | sort(v)
sort | an array without axes | sort(z)
sort | times | sort(t)
argsort | a, axis, kind | argsort(a=i, axis=0, kind="stable")
argsort | axis=None | argsort(i, axis=None, kind="stable")
argsort | an array without axes | argsort(z)
argsort | times | argsort(t, kind="stable")
lexsort | keys, axis | lexsort((i, i[::-1]), axis=0)
partition | kth | partition(d, 5)[5]
partition | axis=None | partition(i, 3, axis=None)[3]
partition | kth, out of range | partition(d, 20)
partition | kind | partition(d, 5, kind="introselect")[5]
argpartition | kth | d[argpartition(d, 5)][5]
argpartition | axis, kind | x.take(argpartition(x, 1, axis=None, kind="introselect"))[1]
searchsorted | a, v | searchsorted(a=d, v=[3, 7])
searchsorted | side | searchsorted(d, i, side="right")
searchsorted | sorter | searchsorted(u, [3, 9], sorter=u.argsort())
searchsorted | a Python number | searchsorted(d, 7)
searchsorted | two types | searchsorted(d, [3.5, nan])
searchsorted | times | searchsorted(t[[2, 0]], t)
digitize | x, bins | digitize(x, [-1, 0, 1])
digitize | right | digitize(i, [-2, 3, 5], right=True)
digitize | bins that decrease | digitize(i, [5, 3, -2])
unique | ar | unique(ar=i)
unique | return_index, return_counts | unique(d, True, False, True)
unique | return_inverse, of one axis | unique(d, return_inverse=True)
unique | axis | unique(b, axis=1)
unique | axis, return_index | unique(i, axis=0, return_index=True)
unique | equal_nan | unique(v, equal_nan=True)
unique | equal_nan=False | unique(v, equal_nan=False)
unique | NaN, return_counts | unique(v, return_counts=True)
unique | times | unique(t, True, True, True)
unique | times, equal_nan | unique(array(["NaT", "NaT"], "M8[s]"), equal_nan=False)
histogram | a, bins | histogram(a=x, bins=7)
histogram | range | histogram(x, 5, (-1, 1))
histogram | bins, edges | histogram(x, [-1, 0, 2])
histogram | bins="auto" | histogram(x, bins="auto")
histogram | bins="fd" | histogram(x, "fd")
histogram | density | histogram(x, 6, density=True)
histogram | weights | histogram(d, 4, weights=arange(20.0))
histogram | weights of integers | histogram(d, 4, weights=arange(20))
histogram | weights of bools | histogram(d, 4, weights=arange(20) > 9)
histogram | float16 | histogram(h, 7)
histogram | float16, range | histogram(h, 3, (0, 300))
histogram | float32, range of large integers | histogram(f, 3, (0, 70000))
histogram | times | histogram(t, t[[2, 0]])
histogram | range, not finite | histogram(v)
bincount | x | bincount(u)
bincount | weights | bincount(u, arange(50.0))
bincount | minlength | bincount(u, minlength=20)
bincount | elements below 0 | bincount([-1])
convolve | a, v | convolve([1, 2, 3], [0, 1, 0.5])
convolve | mode | convolve(d, [1, 2, 1], mode="same")
convolve | mode, a number | convolve(d, [1, 2, 1], 0)
convolve | a longer v | convolve([1, 2], arange(5), "valid")
convolve | int64 | convolve(d, [2**40, 1])
convolve | float32 with float64 | convolve(f[0], x[0, 0])
convolve | no elements | convolve(e, [1])
correlate | a, v | correlate([1, 2, 3], [0, 1, 0.5])
correlate | mode | correlate(d, [1, 2, 3], "full")
correlate | a longer v | correlate([1, 2], arange(5), "same")
take | a, indices | take(i, [3, -1, 0])
take | axis | take(x, [[1, 0], [2, 2]], axis=1)
take | mode | take(d, [-30, 99], mode="clip"), take(d, [99], mode="wrap")
take | out | take(d, [1, 2], out=zeros(2, int64))
take | indices, out of range | take(d, 20)
compress | condition, a | compress([True, False, True], i)
compress | axis | compress([True, False, True], i, axis=1)
compress | out | compress([False, True], d, out=zeros(1, int64))
flip | m, axis | flip(x, (0, 2))
flip | m | flip(i)
roll | a, shift | roll(i, 5)
roll | axis | roll(x, (1, -2), axis=(0, 1))
clip | a, a_min, a_max | clip(a=i, a_min=-2, a_max=3)
clip | a bound that is an array | clip(i, None, arange(6))
clip | out | clip(i, 0, 3, out=zeros((4, 6)))
diff | a, n, axis | diff(x, 2, axis=1)
diff | prepend, append | diff(i, prepend=0, append=[[1]] * 4)
diff | bools | diff(b)
diff | times | diff(t)
interp | x, xp, fp | interp(x, [-1, 0, 2], [5, 1, 3])
interp | left, right | interp([-9, 0.5, 9], [0, 1], [1, 2], left=-1, right=inf)
interp | period | interp([-9, 0.5, 9], [0, 1, 1.5], [1, 2, 0], period=2)
interp | a number | interp(0.5, [0, 1], [1, 2])
interp | NaN, infinite values | interp([nan, 0, 0.5], [0, 1], [-inf, inf])
"""

DIFFERS = [
    ("sum", "order of the additions", "sum(ones(5, float32))", "Floats are summed by a fixed tree, and NumPy by pairs in blocks. The last bits of a "
     "sum may differ, and the result does not depend on the number of threads.", "float32(5)"),
    ("sum", "dtype=float16", "sum(ones(3000, float16))", "float16 is summed in float32 and rounded once, where NumPy rounds partial sums. The results are "
     "nearer to the exact sum.", "float16(3000)"),
    ("sum", "out, of another kind", "sum(x, axis=0, out=zeros((4, 5), int64))", "In every call out may have a type to which the result is cast with casting=\"same_kind\". "
     "NumPy's folds also write floats to integers, and drop the fraction.", "BadArgument"),
    ("sum", "out, in a tuple", "sum(i, axis=1, out=(zeros(4, int64),))", "out=(array,) is also accepted, as in NumPy's universal functions. numpy.sum() does "
     "not accept it.", "i.sum(1)"),
    ("sum", "complex", "sum(x + 1j)", "Complex elements are an error.", "Unsupported"),
    ("sum", "timedelta64", "sum(t - t)", "Times are ordered, searched, moved and subtracted. Their sums, means and quantiles are an error: give x.view('int64').", "Unsupported"),
    ("argmin", "out, of another type", "argmin(x, axis=1, out=zeros((3, 5)))", "The rule of sum. NumPy takes an out of integers only.", "argmin(x, axis=1).astype(float64)"),
    ("mean", "out, of integers", "mean(x, axis=0, out=zeros((4, 5), int64))", "As in sum.", "BadArgument"),
    ("take", "out, of another type", "take(i, [1], out=zeros(1))", "The rule of sum. NumPy takes an out whose type is cast safely to that of the elements.", "take(i, [1]).astype(float64)"),
    ("compress", "out, of another type", "compress([True], i, axis=0, out=zeros((1, 6)))", "As in take.", "i[:1].astype(float64)"),
    ("cumulative_prod", "x, axis, include_initial", "cumulative_prod([[1, 2], [3, 4]], axis=1, include_initial=True)", "NumPy has it from 2.1, with this result.",
     "array([[1, 1, 2], [1, 3, 12]])"),
    ("min", "NaN, on a GPU", "min([nan, 1.0])", "This row is executed in host memory. On a GPU, min and max of elements with a NaN are unspecified, and argmin and "
     "argmax skip NaNs, because a check would wait for the GPU.", "float64(nan)"),
    ("nanargmax", "NaN and -inf", "nanargmax([nan, -inf])", "The index is never that of a NaN. NumPy replaces NaNs by infinity and may return 0 here.", "int64(1)"),
    ("nanmin", "where all are NaN", "nanmin(array([nan, nan]))", "The result is NaN with a RuntimeWarning, as in NumPy. The text of the warning differs.", "float64(nan)"),
    ("cumsum", "float32", "cumsum(array([2.0**24, 1, 1], float32))", "float32 is summed in float64 and rounded once. NumPy rounds each sum.",
     "array([2.0**24, 2.0**24 + 1, 2.0**24 + 2]).astype(float32)"),
    ("cumulative_sum", "x, axis, include_initial", "cumulative_sum([[1, 2], [3, 4]], axis=1, include_initial=True)", "NumPy has it from 2.1, with this result.",
     "array([[0, 1, 3], [0, 3, 7]])"),
    ("var", "float16", "var(array([0.0, 300.0], float16))", "Squares are summed in float32, so a variance that float16 represents does not overflow on the way.",
     "float16(22500)"),
    ("var", "correction, mean", "var([1.0, 3.0], mean=[2.0], correction=1)", "NumPy has the keywords from 2.0, with this result.", "float64(2)"),
    ("median", "the filter of images", "median([5, 1, 2])", "upsweep.image.median_filter() and box_median() are the filters of images.", "float64(2)"),
    ("quantile", "method=\"closest_observation\"", "quantile(arange(7), 0.5, method='closest_observation')", "As in NumPy from 2.1, which fixed the choice between two equally near "
     "elements.", "int64(3)"),
    ("quantile", "float32", "quantile(array([1, 2], float32), 0.5)", "The result of float32 is float64, as in NumPy 1. From NumPy 2 it is float32 where q is a Python number.",
     "float64(1.5)"),
    ("quantile", "infinite elements", "quantile([-inf, inf, inf], [0.0, 0.5])", "An element with the whole weight is the result. NumPy multiplies an infinite difference by 0, "
     "which is NaN.", "array([-inf, inf])"),
    ("quantile", "weights", "quantile(d, 0.5, weights=d)", "NumPy takes weights from 2.0. Upsweep does not take them.", "TypeError"),
    ("sort", "kind, stable", "sort([3, 1], stable=True)", "Every sort is stable, whatever kind and stable say. NumPy has stable= from 2.0.", "array([1, 3])"),
    ("sort", "order", "sort(d, order='a')", "Arrays with fields are not sorted: lexsort() sorts by several keys.", "Unsupported"),
    ("sort", "descending", "sort([1, 3, 2], descending=True)", "Our own keyword. NaNs and NaTs are last in both orders, on every device.", "array([3, 2, 1])"),
    ("sort", "descending, NaN", "sort(v, descending=True)", "As in descending.", "array([3.0, 3.0, 0.0, -1.0, nan, nan])"),
    ("argsort", "descending", "argsort(v, descending=True)", "As in sort.", "array([0, 4, 5, 2, 1, 3])"),
    ("sort", "another byte order", "sort(o)", "Inputs are converted. Results have the byte order of the machine.", "sort(o.astype(float64))"),
    ("sort", "strings", "sort(array(['b', 'a']))", "Strings and objects are an error.", "Unsupported"),
    ("argsort", "order", "argsort(d, order='a')", "As in sort.", "Unsupported"),
    ("partition", "order", "partition(d, 1, order='a')", "As in sort.", "Unsupported"),
    ("argpartition", "order", "argpartition(d, 1, order='a')", "As in sort.", "Unsupported"),
    ("argsort", "kind", "argsort([1, 1, 0])", "The default is stable as well. NumPy's default may return the indices of equal elements in another order.", "array([2, 0, 1])"),
    ("partition", "the other elements", "partition([3, 2, 1], 2)", "The whole array is sorted, which is one of the orders that NumPy allows.", "array([1, 2, 3])"),
    ("unique", "return_inverse, of several axes", "unique(array([[2, 1], [2, 2]]), return_inverse=True)[1]", "The inverse has the shape of the array, as in NumPy from 2.0.",
     "array([[1, 0], [1, 1]])"),
    ("unique", "sorted", "unique([2, 1], sorted=False)", "NumPy has the keyword from 2.3. The result of Upsweep is always sorted.", "TypeError"),
    ("histogram", "elements on an edge", "histogram(array([0.3]), 10, (0, 1))[0].argmax()", "Elements are compared with the edges exactly. NumPy computes a rounded "
     "index and corrects it by at most one bin.", "int64(2)"),
    ("histogram", "bins=\"scott\", float16", "len(histogram(h, 'scott')[1])", "The number of bins is found in float64. NumPy's rules compute in float16, which overflows.",
     "len(histogram(h.astype(float64), 'scott')[1])"),
    ("histogram", "weights of float32", "histogram([0.0, 1.0], 1, weights=array([1e20, 1], float32))[0]", "Weights are summed in float64 and then converted to their type.", "array([1e20], float32)"),
    ("bincount", "weights, rounding", "bincount([0, 0, 0], [1e16, 1, -1e16])", "Each sum is correct to the last bit. NumPy adds one weight after the other.", "array([1.0])"),
    ("convolve", "long masks", "convolve([1.0, 2.0], [1.0, 1.0])", "float32 and float64 are convolved by an FFT where the mask is long, so the last bits differ.", "array([1.0, 3.0, 2.0])"),
    ("convolve", "float16", "convolve(ones(2, float16), ones(2, float16))", "Sums are computed in float32 and rounded once.", "array([1, 2, 1], float16)"),
    ("convolve", "border, channels", "convolve([1.0, 2.0, 3.0], [1.0, 1.0, 1.0], border='clamp')", "Our own keywords: images, volumes and their borders.", "array([4.0, 6.0, 8.0])"),
    ("convolve", "arrays on a GPU", "convolve([1, 2], [1])", "This row is executed in host memory. On a GPU the mask is converted to the type of the elements, and mode=\"full\" is an "
     "error.", "array([1, 2])"),
    ("flip", "a view", "flip([1, 2])", "The result is a copy. NumPy returns a view.", "array([2, 1])"),
    ("clip", "min, max", "clip([1, 5], a_max=3)", "NumPy takes min= and max= from 2.1. Upsweep takes a_min= and a_max=.", "array([1, 3])"),
    ("select", "x, test", "select([1, 5, 3], 'x > 2')", "Another function than numpy.select(): the elements that pass a test. compress() takes a mask, as in NumPy.", "array([5, 3])"),
    ("resize", "", "image.resize(ones((2, 2), float32), (1, 1))", "upsweep.image.resize() resamples an image. Upsweep has no function of NumPy's meaning, which repeats the elements.",
     "ones((1, 1), float32)"),
]


def rows():
    """Return the rows in the order of the page: by function, and those that differ last."""
    same = [Row(*(each.strip() for each in line.split("|"))) for line in SAME.strip().splitlines()]
    differ = [Row(function, keyword, call, why, expected) for function, keyword, call, why, expected in DIFFERS]
    names = list(dict.fromkeys(row.function for row in same + differ))
    return sorted(same + differ, key=lambda row: names.index(row.function))


def evaluate(expression, module):
    """Return the result of a call in a module, or the exception that it raises."""
    names = {name: getattr(np, name) for name in NUMPY_NAMES} | {name: array.copy() for name, (array, _) in INPUTS.items()}
    functions = {name: getattr(module, name) for name in {row.function for row in rows()} | {"image"} if hasattr(module, name)}
    try:
        return eval(expression, names | functions)
    except (ValueError, TypeError, IndexError, NameError) as wrong:
        return wrong


HEAD = """# NumPy's contract, line by line

Upsweep's Python functions have the names, arguments, types and results of NumPy where NumPy has the function. Each row
is a call that the tests execute with NumPy and with Upsweep. Where a row says *same*, the results have one type, one
shape and equal elements, floats up to their last bits, or both calls raise an exception. Where a row says *differs*,
the text below the table says how and why. The rows are executed with NumPy 1.24.

Functions that are not in the table are our own, or are not in Upsweep. The arrays of the calls:

"""


def page():
    lines = [HEAD.rstrip("\n"), ""]
    lines += [f"- `{name}`: {words}" for name, (_, words) in INPUTS.items()]
    table = rows()
    differ = sum(bool(row.difference) for row in table)
    lines += ["", f"{len(table)} rows: {len(table) - differ} are the same, {differ} differ.", ""]
    for function in dict.fromkeys(row.function for row in table):
        mine = [row for row in table if row.function == function]
        lines += [f"## {function}", "", "| keyword | call | |", "| --- | --- | --- |"]
        lines += [f"| {row.keyword} | `{row.call}` | {'differs' if row.difference else 'same'} |" for row in mine]
        lines.append("")
        different = [row for row in mine if row.difference]
        for row in different:
            text = f"- **{row.keyword}**: {row.difference}" if row.keyword else f"- {row.difference}"
            lines += textwrap.wrap(text, 118, subsequent_indent="  ")
        lines += [""] if different else []
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(page())
