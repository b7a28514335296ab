"""Sorts, ranks, merges and set operations compared with NumPy."""
import numpy as np
import pytest
from conftest import SIZES, TYPES, random_array
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

import upsweep


@pytest.mark.parametrize("dtype", TYPES + ["?"])
@pytest.mark.parametrize("n", SIZES)
def test_sorts(rng, dtype, n):
    x = random_array(rng, n, "u1", 2).astype(bool) if dtype == "?" else random_array(rng, n, dtype)
    got = upsweep.sort(x)
    assert got.dtype == x.dtype and np.array_equal(got, np.sort(x))
    assert np.array_equal(upsweep.sort(x, descending=True), np.sort(x)[::-1])
    order = upsweep.argsort(x)
    assert order.dtype == np.int64 and np.array_equal(order, np.argsort(x, kind="stable"))
    down = upsweep.argsort(x, descending=True)
    assert np.array_equal(down, n - 1 - np.argsort(x[::-1], kind="stable")[::-1])


@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_along_an_axis(rng, axis):
    for dtype in TYPES:
        x = random_array(rng, 6 * 41 * 8, dtype, 50).reshape(6, 41, 8)
        assert np.array_equal(upsweep.sort(x, axis), np.sort(x, axis))
        assert np.array_equal(upsweep.argsort(x, axis), np.argsort(x, axis, kind="stable"))


def test_nans_are_last():
    x = np.array([3, np.nan, -np.inf, np.inf, -0.0, 0.0, np.nan], "f4")
    assert np.array_equal(upsweep.sort(x), np.sort(x), equal_nan=True)
    assert upsweep.argsort(x).tolist() == np.argsort(x, kind="stable").tolist()


@pytest.mark.parametrize("values", ["u1", "i2", "f4", "f8", "c16", "U7"])
def test_values_follow_their_keys(rng, values):
    k = random_array(rng, 5003, "i2", 100)
    v = np.arange(5003) % 127
    v = v.astype(str).astype("U7") if values == "U7" else v.astype(values)
    order = np.argsort(k, kind="stable")
    keys, moved = upsweep.sort_by_key(k, v)
    assert np.array_equal(keys, k[order]) and np.array_equal(moved, v[order])
    rows = np.stack([np.arange(5003, dtype="i4")] * 3, 1)
    assert np.array_equal(upsweep.sort_by_key(k, rows)[1], rows[order])


@pytest.mark.parametrize("dtype", TYPES)
def test_the_first_in_order(rng, dtype):
    x = random_array(rng, 5 * 801, dtype, 120).reshape(5, 801)
    for k in (0, 1, 10, 801):
        values, places = upsweep.top_k(x, k)
        down = x.shape[1] - 1 - np.argsort(x[:, ::-1], axis=1, kind="stable")[:, ::-1]
        assert np.array_equal(values, np.take_along_axis(x, down[:, :k], 1)) and np.array_equal(places, down[:, :k])
        values, places = upsweep.top_k(x[0], k, largest=False)
        assert np.array_equal(values, np.sort(x[0])[:k]) and np.array_equal(places, np.argsort(x[0], kind="stable")[:k])
    for k in (0, 400, 800):
        assert upsweep.nth_element(x[0], k) == np.sort(x[0])[k]
        assert upsweep.nth_element(x[0], k, descending=True) == np.sort(x[0])[::-1][k]
    with pytest.raises(ValueError, match="k is 802; give 0 to 801"):
        upsweep.top_k(x, 802)


@pytest.mark.parametrize("dtype", TYPES)
def test_segments(rng, dtype):
    x = random_array(rng, 3001, dtype)
    cuts = np.sort(rng.integers(0, 3002, 40))
    want = x.copy()
    for a, b in zip(cuts[:-1], cuts[1:]):
        want[a:b].sort()
    assert np.array_equal(upsweep.segmented_sort(x, cuts), want)


@pytest.mark.parametrize("dtype", TYPES)
def test_sorted_sequences(rng, dtype):
    a, b = (np.sort(random_array(rng, n, dtype, 100)) for n in (701, 350))
    assert np.array_equal(upsweep.merge(a, b), np.sort(np.concatenate([a, b])))
    assert upsweep.is_sorted(a) and not upsweep.is_sorted(a[::-1]) and upsweep.is_sorted(a[::-1], descending=True)
    one, other = np.unique(a), np.unique(b)
    assert np.array_equal(upsweep.set_union(one, other), np.union1d(one, other))
    assert np.array_equal(upsweep.set_intersection(one, other), np.intersect1d(one, other))
    assert np.array_equal(upsweep.set_difference(one, other), np.setdiff1d(one, other))
    assert np.array_equal(upsweep.set_symmetric_difference(one, other), np.setxor1d(one, other))
    for side in ("left", "right"):
        got = upsweep.searchsorted(a, b, side)
        assert got.dtype == np.int64 and np.array_equal(got, np.searchsorted(a, b, side))
    assert np.array_equal(upsweep.is_in_sorted(a, b), np.isin(b, a))


@settings(max_examples=60, deadline=None)
@given(arrays.arrays(some.sampled_from(["i4", "u8", "f4", "f8", "i1", "f2"]), arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=40)),
       some.data())
def test_every_shape(x, data):
    axis = data.draw(some.one_of(some.none(), some.integers(-x.ndim, x.ndim - 1)))
    assert np.array_equal(upsweep.sort(x, axis), np.sort(x, axis), equal_nan=x.dtype.kind == "f")
    if not (x.dtype.kind == "f" and np.isnan(x).any()):
        assert np.array_equal(upsweep.argsort(x, axis), np.argsort(x, axis, kind="stable"))
