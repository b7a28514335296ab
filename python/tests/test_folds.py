"""reduce, sum, min, max, scan, cumsum, by key and by segment, compared with NumPy."""
import numpy as np
import pytest
from conftest import FOLDED, SIZES, TYPES, random_array
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

import upsweep


def near(got, want, x, axis=None):
    """Return whether results are equal, and sums of floats equal within their error bound."""
    if np.dtype(np.asarray(want).dtype).kind != "f":
        return np.array_equal(got, want)
    n = max(np.asarray(x).size, 1)
    bound = n ** 0.5 * 8 * np.finfo(np.asarray(x).dtype).eps * np.abs(np.asarray(x, np.float64)).sum(axis) + 1e-300
    return bool(np.all(np.abs(np.asarray(got, np.float64) - np.asarray(want, np.float64)) <= bound))


@pytest.mark.parametrize("dtype", TYPES + ["?"])
@pytest.mark.parametrize("n", SIZES)
def test_sum_is_numpys(rng, dtype, n):
    x = random_array(rng, n, "u1", 2).astype(bool) if dtype == "?" else random_array(rng, n, dtype)
    got, want = upsweep.sum(x), np.sum(x, dtype=np.float64 if np.dtype(dtype).kind == "f" else None)
    assert got.dtype == np.sum(x).dtype
    assert near(got, want, x if np.dtype(dtype).kind == "f" else x)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_sums_along_an_axis(rng, dtype, axis):
    x = random_array(rng, 7 * 33 * 5, dtype).reshape(7, 33, 5)
    got = upsweep.sum(x, axis=axis)
    want = np.sum(x, axis=axis, dtype=np.float64 if np.dtype(dtype).kind == "f" else None)
    assert got.shape == want.shape and got.dtype == np.sum(x, axis=axis).dtype
    assert near(got, want, x, axis)
    assert upsweep.sum(x, axis=axis, keepdims=True).shape == np.sum(x, axis=axis, keepdims=True).shape


@pytest.mark.parametrize("dtype", TYPES)
def test_least_and_greatest(rng, dtype):
    x = random_array(rng, 3 * 1001, dtype).reshape(3, 1001)
    for ours, numpys in ((upsweep.min, np.min), (upsweep.max, np.max)):
        for axis in (None, 0, 1):
            got = ours(x, axis=axis)
            assert got.dtype == x.dtype and np.array_equal(got, numpys(x, axis=axis))
    out = np.full(3, 99, x.dtype)
    assert upsweep.max(x, axis=1, out=out) is out and np.array_equal(out, x.max(axis=1))
    with pytest.raises(ValueError, match="max: there is nothing to compare"):
        upsweep.max(x[:0])


OPERATORS = {"plus": np.add, "multiplies": np.multiply, "minimum": np.minimum, "maximum": np.maximum, "bit_and": np.bitwise_and,
             "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8"])
def test_operators(rng, op, dtype):
    x = random_array(rng, 4099, dtype)
    with np.errstate(over="ignore"):
        assert upsweep.reduce(x, op) == OPERATORS[op].reduce(x, dtype=dtype)
        assert np.array_equal(upsweep.scan(x, op), OPERATORS[op].accumulate(x, dtype=dtype))
        inclusive = OPERATORS[op].accumulate(np.concatenate([[np.array(3, dtype)], x]).astype(dtype), dtype=dtype)
        assert np.array_equal(upsweep.scan(x, op, exclusive=True, init=3), inclusive[:-1])
        assert upsweep.reduce(x, op, init=3) == inclusive[-1]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_cumsum_is_numpys(rng, dtype, n):
    x = random_array(rng, n, dtype)
    got, want = upsweep.cumsum(x), np.cumsum(x, dtype=np.float64 if np.dtype(dtype).kind == "f" else None)
    assert got.dtype == np.cumsum(x).dtype and got.shape == want.shape
    assert near(got, want, x)


@pytest.mark.parametrize("axis", [0, 1, 2, -2])
@pytest.mark.parametrize("dtype", FOLDED)
def test_cumsum_along_an_axis(rng, dtype, axis):
    x = random_array(rng, 5 * 17 * 9, dtype).reshape(5, 17, 9)
    got, want = upsweep.cumsum(x, axis=axis), np.cumsum(x, axis=axis, dtype=np.float64 if np.dtype(dtype).kind == "f" else None)
    assert got.dtype == np.cumsum(x, axis=axis).dtype
    if want.dtype.kind == "f":
        assert np.allclose(got, want, rtol=1e-3 if dtype == "f4" else 1e-9, atol=np.abs(x).sum() * np.finfo(dtype).eps * 32)
    else:
        assert np.array_equal(got, want)


def test_out_and_in_place(rng):
    x = random_array(rng, 4099, "i8")
    want = np.cumsum(x)
    out = np.full(x.size, -1, "i8")
    assert upsweep.cumsum(x, out=out) is out and np.array_equal(out, want)
    assert upsweep.cumsum(x, out=x) is x and np.array_equal(x, want)
    total = np.zeros((), "i8")
    assert upsweep.sum(out, out=total) is total and total == out.sum()


def test_strided_arrays(rng):
    x = random_array(rng, 60 * 70, "i4").reshape(60, 70)
    for view in (x.T, x[::2, ::3], x[::-1], x[5], x[:, 5], np.asfortranarray(x), np.broadcast_to(x[0], (4, 70))):
        assert upsweep.sum(view) == view.sum()
        assert np.array_equal(upsweep.cumsum(view), np.cumsum(view))
        assert np.array_equal(upsweep.cumsum(view, axis=0), np.cumsum(view, axis=0))
        assert np.array_equal(upsweep.sort(view), np.sort(view))
    locked = x.copy()
    locked.flags.writeable = False
    assert upsweep.sum(locked) == x.sum()
    with pytest.raises(ValueError, match="out is read-only"):
        upsweep.cumsum(locked.reshape(-1), out=np.broadcast_to(np.int64(0), x.size))
    out = np.empty(2 * x.size, "i8")[::2]
    assert upsweep.cumsum(x.reshape(-1), out=out) is out and np.array_equal(out, np.cumsum(x))


def test_lists_and_numbers():
    assert upsweep.sum([1, 2, 3]) == 6
    assert upsweep.sum(5.5) == 5.5
    assert upsweep.cumsum([0.5, 0.5]).tolist() == [0.5, 1.0]


@settings(max_examples=60, deadline=None)
@given(arrays.arrays(some.sampled_from(["i4", "u4", "i8", "u8", "i2", "u1"]), arrays.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=9)),
       some.data())
def test_every_shape_and_axis(x, data):
    axis = data.draw(some.one_of(some.none(), some.integers(-x.ndim, x.ndim - 1)))
    assert np.array_equal(upsweep.sum(x, axis=axis), np.sum(x, axis=axis))
    assert np.array_equal(upsweep.cumsum(x, axis=axis), np.cumsum(x, axis=axis))
    order = data.draw(some.permutations(range(x.ndim)))
    turned = x.transpose(order)
    assert np.array_equal(upsweep.sum(turned, axis=axis), np.sum(turned, axis=axis))


@pytest.mark.parametrize("keys", ["i4", "u1", "i8", "f4", "f2"])
@pytest.mark.parametrize("dtype", FOLDED)
@pytest.mark.parametrize("n", [0, 1, 33, 5003])
def test_by_key(rng, keys, dtype, n):
    pandas = pytest.importorskip("pandas")
    k, x = np.sort(random_array(rng, n, keys, 40)), random_array(rng, n, dtype, 1000)
    runs, sums = upsweep.reduce_by_key(k, x)
    want = pandas.Series(x).groupby(k.astype("f8") if keys == "f2" else k).sum()
    assert np.array_equal(runs, want.index.to_numpy().astype(keys)) and np.array_equal(sums, want.to_numpy().astype(dtype))
    assert runs.dtype == keys and sums.dtype == dtype
    running = pandas.Series(x).groupby(k.astype("f8") if keys == "f2" else k).cumsum().to_numpy().astype(dtype)
    assert np.array_equal(upsweep.scan_by_key(k, x), running)
    before = upsweep.scan_by_key(k, x, exclusive=True, init=7)
    assert np.array_equal(before, running - x + np.array(7, dtype))


@pytest.mark.parametrize("offsets_of", ["i4", "u4", "i8", "u8", "u2"])
def test_by_segment(rng, offsets_of):
    x = random_array(rng, 3001, "i8")
    cuts = np.sort(rng.integers(5, 2990, 50)).astype(offsets_of)
    want = np.array([x[a:b].max(initial=-5) for a, b in zip(cuts[:-1], cuts[1:])])
    assert np.array_equal(upsweep.segmented_reduce(x, cuts, "maximum", init=-5), want)
    scanned = upsweep.segmented_scan(x, cuts)
    for a, b in zip(cuts[:-1].astype(int), cuts[1:].astype(int)):
        assert np.array_equal(scanned[a:b], np.cumsum(x[a:b]))
    assert not scanned[:int(cuts[0])].any() and not scanned[int(cuts[-1]):].any()
    given, place = np.full(len(x), 7), x.copy()
    assert upsweep.segmented_scan(x, cuts, out=given) is given and np.array_equal(given, scanned)
    upsweep.segmented_scan(place, cuts, out=place)
    assert np.array_equal(place, scanned)
    assert not upsweep.segmented_scan(x, [5], out=np.full(len(x), 7)).any()
    added = upsweep.expression("a + b", identity=0)
    given[:] = 7
    assert np.array_equal(upsweep.segmented_scan(x, cuts, added, out=given), scanned)
    with pytest.raises(ValueError, match="never decrease"):
        upsweep.segmented_reduce(x, cuts[::-1])
    with pytest.raises(ValueError, match="end at 3001"):
        upsweep.segmented_reduce(x, [0, 3002])
    with pytest.raises(ValueError, match="one more than there are segments"):
        upsweep.segmented_reduce(x, [])


@pytest.mark.parametrize("wrong, kind, says", [
    (lambda x: upsweep.reduce(x, "minus"), ValueError, "unknown operator 'minus'; give one of plus"),
    (lambda x: upsweep.reduce(x, "bit_and"), TypeError, "no variant of reduce takes bit_and on f64"),
    (lambda x: upsweep.reduce(x.astype("i1")), TypeError, "no variant of reduce takes plus on i8"),
    (lambda x: upsweep.sum(x.astype("c8")), TypeError, "sum: elements of complex64; give int8"),
    (lambda x: upsweep.sum(np.array(["a"])), TypeError, "sum: elements of <U1"),
    (lambda x: upsweep.sum(np.array([object()])), TypeError, "sum: elements of object"),
    (lambda x: upsweep.cumsum(x, axis=1), ValueError, "axis 1 of an array of 1 axes; give -1 to 0"),
    (lambda x: upsweep.cumsum(x.reshape(2, 5), axis=(0, 1)), TypeError, r"the axis is \(0, 1\); give one integer"),
    (lambda x: upsweep.sum(x.reshape(2, 5), axis=(0, 0)), ValueError, r"an axis is twice in \(0, 0\)"),
    (lambda x: upsweep.min(x, where=x > 3), ValueError, "where= without initial="),
    (lambda x: upsweep.sum(x, where=x[1:] > 3), ValueError, r"where is of shape \(9,\)"),
    (lambda x: upsweep.sort(np.float64(3)), ValueError, "axis -1 of a number, which has no axis"),
    (lambda x: upsweep.sort(x, order="a"), TypeError, "sort: order='a' is of arrays with fields"),
    (lambda x: upsweep.argsort(x, kind="bubble"), ValueError, "argsort: kind is 'bubble'; give one of quicksort"),
    (lambda x: upsweep.sort(x, kind="stable", stable=True), ValueError, "kind and stable together"),
    (lambda x: upsweep.sum(np.ma.masked_greater(x, 3)), TypeError, "a masked array, whose mask would be lost"),
    (lambda x: upsweep.cumsum(x, out=np.empty(3, "f8")), ValueError, r"out is float64 of shape \(3,\); the result is float64 of shape \(10,\)"),
    (lambda x: upsweep.cumsum(x, out=np.empty(10, "i8")), ValueError, "out is int64"),
    (lambda x: upsweep.cumsum(x, out=[0] * 10), TypeError, "out is not an array"),
    (lambda x: upsweep.scan(x.astype("u4"), init=-1), TypeError, "-1 does not fit uint32"),
    (lambda x: upsweep.scan(x, init="a"), TypeError, "'a' cannot be converted to float64"),
    (lambda x: upsweep.reduce_by_key(x, x[1:]), ValueError, "give one value for each key"),
    (lambda x: upsweep.scan(x[:-1], out=x[1:]), ValueError, "scan: the "),
])
def test_wrong_calls_say_what_is_wrong(wrong, kind, says):
    with pytest.raises(kind, match=says) as raised:
        wrong(np.arange(10.0))
    assert isinstance(raised.value, upsweep.Error)
