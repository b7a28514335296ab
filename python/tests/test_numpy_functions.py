"""The functions that NumPy also has, compared with it on random arrays of all types, shapes and axes."""
import itertools
import warnings

import numpy as np
import pytest
from conftest import TYPES, opencl, random_array

import upsweep

SHAPES = [(), (0,), (1,), (7,), (64,), (3, 0, 2), (4, 5), (3, 4, 5)]
REAL = [*TYPES, "?"]


def arrays(rng, dtype, nans=False):
    for shape in SHAPES:
        n = int(np.prod(shape))
        x = random_array(rng, n, "u1", 5).astype(dtype).reshape(shape)
        if dtype in ("f2", "f4", "f8"):
            x = (x - 2) / np.array(4, dtype)
            if nans and n > 1:
                x.reshape(-1)[rng.integers(n)] = np.nan
        yield x


def axes_of(x):
    yield None
    yield from range(-x.ndim, x.ndim)
    if x.ndim > 1:
        yield ()
        yield (0,)
        yield (0, x.ndim - 1)
        yield tuple(range(x.ndim))[::-1]


def outcome(function, *args, **more):
    """Return the result of a call, or the class of exception that NumPy raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args, **more)
        except (ValueError, TypeError, IndexError) as wrong:
            return wrong


def assert_same(name, *args, exact=True, typed=True, **more):
    """Compare type, shape and elements of the results, or that both raise."""
    want, got = outcome(getattr(np, name), *args, **more), outcome(getattr(upsweep, name), *args, **more)
    where = (name, args, more, want, got)
    if isinstance(want, Exception) or isinstance(got, Exception):
        assert isinstance(want, Exception) and isinstance(got, upsweep.Error), where
        return
    for w, g in zip(want, got, strict=True) if isinstance(want, tuple) else [(want, got)]:
        assert type(w) is type(g), where
        w, g = np.asarray(w), np.asarray(g)
        assert w.shape == g.shape and (w.dtype == g.dtype or not typed), where
        assert np.array_equal(w, g, equal_nan=w.dtype.kind == "f") if exact or w.dtype.kind != "f" else np.allclose(
            w, g, rtol=4e-3 if w.dtype == np.float16 else 1e-5, atol=4e-3 if w.dtype == np.float16 else 1e-5, equal_nan=True), where


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "nansum", "nanprod", "nanmin", "nanmax", "any", "all", "mean", "var", "std",
                                  "nanmean", "count_nonzero"])
def test_folds_along_every_axis(rng, name, dtype):
    for x in itertools.chain(arrays(rng, dtype), arrays(rng, dtype, nans=True) if dtype in ("f2", "f4", "f8") else ()):
        if dtype == "f2" and name in ("prod", "nanprod", "var", "std"):
            x = x[..., :3] if x.ndim else x
        for axis in axes_of(x):
            for keepdims in (False, True):
                assert_same(name, x, axis=axis, keepdims=keepdims, exact=name in ("min", "max", "any", "all"))
            if name in ("sum", "prod", "min", "max") and dtype != "?":
                assert_same(name, x, axis=axis, initial=2, exact=name in ("min", "max"))
                where = rng.random(x.shape) > 0.5
                assert_same(name, x, axis=axis, where=where, initial=1, exact=name in ("min", "max"))
            if name in ("sum", "mean") and dtype in ("i1", "f4"):
                assert_same(name, x, axis=axis, dtype="f8", exact=False)
            if name in ("mean", "var", "std", "any", "all"):
                assert_same(name, x, axis=axis, where=rng.random(x.shape) > 0.3, exact=False)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", ["argmin", "argmax", "nanargmin", "nanargmax"])
def test_indices_of_extremes(rng, name, dtype):
    for x in itertools.chain(arrays(rng, dtype), arrays(rng, dtype, nans=True)):
        for axis in (None, *range(-x.ndim, x.ndim)):
            assert_same(name, x, axis=axis)
            assert_same(name, x, axis=axis, keepdims=True)
    if dtype == "f8":
        x = np.array([[np.nan, -np.inf, 3], [np.inf, np.nan, np.inf], [1, np.nan, -np.inf]])
        x = x if name[-3:] == "max" else -x
        for axis in (None, 0, 1):
            assert_same(name, x, axis=axis)
        assert_same(name, np.full(3, np.nan))


@pytest.mark.parametrize("dtype", REAL)
def test_moves(rng, dtype):
    for x in arrays(rng, dtype, nans=True):
        for axis in axes_of(x):
            assert_same("flip", x, axis)
        for axis in (None, *range(-x.ndim, x.ndim)):
            for shift in (0, 1, -2, 100):
                assert_same("roll", x, shift, axis)
            for mode in ("raise", "wrap", "clip"):
                for indices in (0, -1, [0, 1], [[3, -1], [0, 2]], [], 99):
                    assert_same("take", x, indices, axis, mode=mode)
            for mask in ([True], [False, True, True], [0, 1], rng.random(64) > 0.5):
                assert_same("compress", mask, x, axis)
        for axis in range(-x.ndim, x.ndim):
            for n in (0, 1, 2, 9):
                assert_same("diff", x, n, axis)
            assert_same("diff", x, axis=axis, **({"prepend": 1, "append": 0} if dtype != "?" else {"prepend": True}))
        assert_same("nonzero", x) if x.ndim else None
        assert_same("flatnonzero", x)
        if dtype != "?":
            assert_same("clip", x, 1, 3)
            assert_same("clip", x, None, 1)
    assert_same("roll", np.arange(12).reshape(3, 4), (1, 2), (0, 1))


@pytest.mark.parametrize("dtype", REAL)
def test_orders(rng, dtype):
    for x in arrays(rng, dtype, nans=True):
        for axis in (None, *range(-x.ndim, x.ndim)):
            for kind in (None, "quicksort", "stable"):
                assert_same("sort", x, axis, kind)
            assert_same("argsort", x, axis, "stable")
        keys = [x, x[::-1].copy(), x] if x.ndim else [x]
        for axis in range(-x.ndim, x.ndim):
            assert_same("lexsort", keys, axis)
            n = x.shape[axis]
            for kth in {0, n // 2, n - 1} if n else ():
                got = upsweep.partition(x, kth, axis)
                assert np.array_equal(got.take(kth, axis), np.partition(x, kth, axis).take(kth, axis), equal_nan=x.dtype.kind == "f")
                order = upsweep.argpartition(x, kth, axis)
                assert np.array_equal(np.take_along_axis(x, order, axis), got, equal_nan=x.dtype.kind == "f")
    for wrong in (64, -65):
        with pytest.raises(upsweep.BadArgument, match="kth is"):
            upsweep.partition(np.arange(64), wrong)


@pytest.mark.parametrize("dtype", REAL)
def test_unique(rng, dtype):
    for x in itertools.chain(arrays(rng, dtype), arrays(rng, dtype, nans=True)):
        if x.dtype.kind == "f" and x.size > 3:
            x.reshape(-1)[:2] = np.nan
        for index, inverse, counts, equal_nan in itertools.product((False, True), repeat=4):
            got = upsweep.unique(x, index, inverse, counts, equal_nan=equal_nan)
            want = np.unique(x, index, inverse, counts, equal_nan=equal_nan)
            for g, w in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
                assert g.dtype == w.dtype and g.size == w.size
                if g.shape == w.shape and not (inverse and g is got[1 + index] and not equal_nan):
                    assert np.array_equal(g, w, equal_nan=w.dtype.kind == "f")
            if inverse:
                assert got[1 + index].shape == x.shape and np.array_equal(got[0][got[1 + index]], x, equal_nan=x.dtype.kind == "f")
                assert sorted(np.unique(got[1 + index]).tolist()) == list(range(len(got[0])))
    for shape in ((40, 2), (3, 30, 2), (1, 1), (0, 3), (17,)):
        x = random_array(rng, int(np.prod(shape)), dtype if dtype != "?" else "u1", 2).astype(dtype).reshape(shape)
        for axis in range(-x.ndim, x.ndim):
            if x.size or x.shape[axis] == 0:
                assert_same("unique", x, True, False, True, axis=axis)
                values, inverse = upsweep.unique(x, return_inverse=True, axis=axis)
                assert np.array_equal(values.take(inverse, axis), x)


@pytest.mark.parametrize("first, second", itertools.product(["i1", "u1", "i4", "u8", "i8", "f2", "f4", "f8", "?"], repeat=2))
def test_two_types(rng, first, second):
    a, b = random_array(rng, 50, "u1", 9).astype(first), random_array(rng, 30, "u1", 12).astype(second)
    if second in ("f4", "f8"):
        b = b / np.array(2, second)
        b[3] = np.nan
    ordered = np.sort(a)
    for side in ("left", "right"):
        assert_same("searchsorted", ordered, b, side)
        assert_same("searchsorted", a, b, side, np.argsort(a, kind="stable"))
    for number in (3, 2.5, -1, 300, True):
        assert_same("searchsorted", ordered, number)
    for invert in (False, True):
        assert_same("isin", a, b, invert=invert)
        assert_same("isin", a.reshape(5, 10), b, invert=invert)
        assert_same("isin", a[0], b, invert=invert)
    assert_same("isin", a, b[:0])
    for right in (False, True):
        assert_same("digitize", b, ordered, right)
        assert_same("digitize", b, ordered[::-1], right)
        assert_same("digitize", b[0], ordered, right)


@pytest.mark.parametrize("first, second", itertools.product(["i1", "u1", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "?"], repeat=2))
def test_convolutions(rng, first, second):
    for n, m in ((1, 1), (9, 3), (3, 9), (8, 8), (6, 4), (4, 7), (200, 11)):
        a, v = random_array(rng, n, "u1", 40).astype(first), random_array(rng, m, "u1", 5).astype(second)
        for mode in ("full", "same", "valid", 0, 1, 2):
            assert_same("convolve", a, v, mode, exact=False)
            assert_same("correlate", a, v, mode, exact=False)
        assert_same("convolve", a, v, exact=False)
        assert_same("correlate", a, v, exact=False)
    for a, v in (([], [1]), ([1], []), (3, [1, 2]), ([1, 2], 3)):
        assert_same("convolve", a, v)
        assert_same("correlate", a, v)


@pytest.mark.parametrize("dtype", [*TYPES, "?"])
def test_histograms_with_weights_densities_and_rules(rng, dtype):
    for n in (0, 1, 2, 300):
        x = random_array(rng, n, "u1", 2 if dtype == "?" else 60).astype(dtype)
        theirs = x if dtype in ("f2", "f4", "f8") else x.astype("f8")
        for how in ({}, {"bins": 7}, {"bins": 5, "range": (3, 40)}, {"bins": [0, 1, 5, 60]}):
            if np.histogram(theirs, **how)[0].sum():
                assert np.allclose(upsweep.histogram(x, density=True, **how)[0], np.histogram(theirs, density=True, **how)[0], rtol=1e-5)
            for weights in (rng.random(n), rng.integers(0, 9, n), rng.random(n).astype("f4"), rng.random(n) > 0.5):
                numbers = weights.astype("f8") if weights.dtype == bool and np.ndim(how.get("bins")) else weights  # bools are an error in NumPy there
                want, edges = np.histogram(theirs, weights=numbers, **how)
                got, found = upsweep.histogram(x, weights=weights, **how)
                assert np.allclose(got, want.astype(got.dtype), rtol=1e-5) and np.allclose(edges, found) and edges.dtype == found.dtype
                assert got.dtype == weights.dtype
        for rule in ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"):
            if dtype not in ("?", "u1", "u2", "u4", "u8") or n > 2:  # NumPy's rules of small unsigned arrays overflow
                edges = np.histogram_bin_edges(x.astype("f8") if dtype == "f2" else x, rule)  # NumPy's rules overflow float16
                edges = np.histogram_bin_edges(x, len(edges) - 1) if dtype == "f2" else edges
                got = upsweep.histogram(x, rule)
                assert np.array_equal(got[1], edges) and got[0].sum() == n


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("nans", [False, True])
def test_quantiles(rng, dtype, nans):
    if nans and dtype[0] != "f":
        pytest.skip("integers have no NaN")
    methods = ["linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "interpolated_inverted_cdf", "hazen",
               "weibull", "median_unbiased", "normal_unbiased"]
    for x in arrays(rng, dtype, nans):
        if x.size == 0:
            continue
        for axis in (axis for axis in axes_of(x) if axis != ()):
            for keepdims in (False, True):
                assert_same("median", x, axis, keepdims=keepdims, exact=False, typed=not nans)
                for q in (0.3, [0, 0.25, 0.5, 0.77, 1], [[0.1, 0.5], [0.9, 1]]):
                    method = methods[rng.integers(len(methods))]
                    if nans:  # NumPy 1 returns a NaN of the elements' type
                        want = np.quantile(x, q, axis, method=method, keepdims=keepdims)
                        assert np.allclose(upsweep.quantile(x, q, axis, method=method, keepdims=keepdims), want, rtol=1e-2, equal_nan=True)
                    else:
                        assert_same("quantile", x, q, axis, method=method, keepdims=keepdims, exact=False)
                        assert_same("percentile", x, np.multiply(q, 100), axis, method=method, keepdims=keepdims, exact=False)


def test_cumulative_sums(rng):
    for x in ([-0.0, -0.0, 1.0], [-0.0], [0.0, -0.0], [[-0.0, 1.0], [-0.0, -0.0]]):
        for dtype in ("f2", "f4", "f8"):
            x = np.array(x, dtype)
            for axis in (None, *range(x.ndim)):
                got, want = upsweep.cumsum(x, axis), np.cumsum(x, axis)
                assert np.array_equal(got, want) and np.array_equal(np.signbit(got), np.signbit(want)) and got.dtype == want.dtype
    x = np.array([-0.0, -0.0, 3.0])
    assert np.signbit(upsweep.cumsum(x, out=x)).tolist() == [True, True, False] and x[2] == 3
    x = rng.integers(0, 9, (3, 4))
    assert np.array_equal(upsweep.cumulative_sum(x, axis=1, include_initial=True)[:, 1:], np.cumsum(x, 1))
    assert upsweep.cumulative_sum(x, axis=1, include_initial=True)[:, 0].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="give axis"):
        upsweep.cumulative_sum(x)


def test_many_axes(rng):
    for axes in (9, 20, 32):
        x = rng.integers(0, 99, (2,) * 5 + (1,) * (axes - 5) if axes > 9 else (2,) * 9)
        for axis in (0, 3, axes - 1, (0, 2, 4)):
            assert np.array_equal(upsweep.sum(x, axis), np.sum(x, axis)) and np.array_equal(upsweep.max(x, axis), np.max(x, axis))
            if type(axis) is int:
                assert np.array_equal(upsweep.sort(x, axis), np.sort(x, axis)) and np.array_equal(upsweep.cumsum(x, axis), np.cumsum(x, axis))
                assert np.array_equal(upsweep.argmax(x, axis), np.argmax(x, axis))


def test_outputs(rng):
    x = rng.integers(0, 9, (3, 4)).astype("i4")
    for name in ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "median", "cumsum", "nansum", "nanmax", "argmax", "argmin"):
        for axis in (None, 1):
            want = np.asarray(getattr(np, name)(x, axis=axis))
            for dtype in {want.dtype, np.dtype("f8")} if name[:3] != "arg" else {want.dtype}:
                out = np.zeros(want.shape, dtype)
                assert getattr(upsweep, name)(x, axis=axis, out=out) is out and np.allclose(out, want), (name, axis, dtype)
            if name != "cumsum" and name[:3] != "arg" and axis is not None:
                with pytest.raises(upsweep.Error):
                    getattr(upsweep, name)(x, axis=axis, out=np.zeros(5, want.dtype))
    out = np.zeros(3, "i8")
    assert upsweep.sum(x, axis=1, out=(out,)) is out and np.array_equal(out, x.sum(1))
    with pytest.raises(ValueError, match="out is a tuple of 2"):
        upsweep.sum(x, axis=1, out=(out, out))
    assert np.array_equal(upsweep.sum(x, (0, 1), out=np.zeros((), "f8")), x.sum())


def test_axis_errors_are_numpys():
    for call in (upsweep.sum, upsweep.sort, upsweep.argmax, upsweep.cumsum, upsweep.mean, upsweep.median, upsweep.flip, upsweep.any):
        with pytest.raises(upsweep.AxisError, match="axis 3 of an array of 1 axes") as raised:
            call(np.arange(5), axis=3)
        assert isinstance(raised.value, getattr(np, "exceptions", np).AxisError) and isinstance(raised.value, IndexError | ValueError)


def test_strings_are_refused_by_a_sentence():
    for name in ("mean", "median", "any", "flip", "nonzero", "nansum"):
        with pytest.raises(upsweep.Unsupported, match=f"{name}: elements of <U1"):
            getattr(upsweep, name)(["a"])


def test_searches_and_nans_on_a_device():
    if opencl() is None:
        pytest.skip("no OpenCL device")
    x = np.array([3.0, np.nan, 1.0, np.nan])
    with upsweep.device(opencl()):
        assert upsweep.argmin(x[2:]) == 1 and upsweep.argmin(x[:1]) == 0 and upsweep.nanargmax(x) == 0
        assert upsweep.unique(x).tolist()[:2] == [1, 3]
        for each in (upsweep.min(x), upsweep.max(x.astype("f2")), upsweep.max(np.arange(3, dtype="i1")), upsweep.sum(x.astype("f2"))):
            assert each.shape == ()


def test_infinite_elements_in_quantiles():
    x = np.array([-np.inf, np.inf, np.inf])
    assert upsweep.quantile(x, [0, 0.5, 1]).tolist() == [-np.inf, np.inf, np.inf]


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_the_index_is_never_that_of_a_nan(name):
    extreme = {"nanargmin": np.inf, "nanargmax": -np.inf}[name]
    x = np.array([[np.nan, extreme, extreme], [np.nan, np.nan, extreme], [extreme, np.nan, 1]])
    assert getattr(upsweep, name)(x, axis=1).tolist() == [1, 2, 2] and getattr(upsweep, name)(x[:2]) == 1
    with pytest.raises(upsweep.AxisError, match=f"{name}: axis 2 of an array of 2 axes"):
        getattr(upsweep, name)(x, axis=2)


def test_averages_of_no_elements_of_no_lines():
    for name, x in itertools.product(("median", "mean"), (np.empty((3, 0)), np.empty((0, 3)))):
        for axis in (0, 1):
            assert_same(name, x, axis=axis)
    with pytest.raises(upsweep.BadArgument, match="quantile: there are no elements"):
        upsweep.quantile(np.empty((3, 0)), 0.5, axis=1)


@pytest.mark.parametrize("initial", [np.nan, 2**70, 2**63, "a", [1, 2]])
def test_initial_that_is_no_element_of_the_type(initial):
    for name in ("sum", "min"):
        with pytest.raises(upsweep.BadArgument, match=f"{name}: initial is "):
            getattr(upsweep, name)(np.arange(3), initial=initial)


def test_unsigned_indices_do_not_wrap():
    with pytest.raises(upsweep.Unsupported, match="take: indices of uint64"):
        upsweep.take([1, 2], np.array([2**64 - 1], "u8"))


def test_differences_with_ends_that_do_not_fit():
    with pytest.raises(upsweep.BadArgument, match="diff: prepend or append does not fit"):
        upsweep.diff(np.ones((2, 3)), prepend=[1, 2])


def test_masks_that_are_not_finite():
    for v in ([np.nan], [1.0, np.inf]):
        assert_same("convolve", [1.0, 2.0], v)


def test_messages_name_the_function_that_was_called():
    for name in ("any", "count_nonzero", "nansum", "nanmin"):
        with pytest.raises(upsweep.AxisError, match=f"^{name}: axis 7"):
            getattr(upsweep, name)(np.ones((2, 3)), axis=7)


def test_axes_that_are_numpys_integers():
    assert upsweep.sum(np.array(3), axis=np.int64(0)) == 3
