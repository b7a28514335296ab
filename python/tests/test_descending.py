"""Descending order: NaNs are last, in every call that sorts, merges or tests an order, and equal elements keep their order."""
import numpy as np
import pytest
from test_counted import where  # noqa: F401

import upsweep

FLOATS = ["f2", "f4", "f8"]


def floats(rng, n, dtype, nans=True):
    x = rng.integers(-4, 5, n).astype(dtype)
    x[rng.random(n) < 0.2] = -0.0
    if nans and n:
        x[rng.random(n) < 0.3] = np.nan
    return x


def order(x, axis=-1):
    """Return the indices of a stable sort in descending order with NaNs last."""
    return np.argsort(-x, axis=axis, kind="stable")


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", [0, 1, 2, 31, 1009])
@pytest.mark.parametrize("nans", [False, True])
def test_sorts(rng, where, n, dtype, nans):  # noqa: F811
    x = floats(rng, n, dtype, nans)
    given = where.to_device(x)
    got, index = (where.to_host(each) for each in (upsweep.sort(given, descending=True), upsweep.argsort(given, descending=True)))
    assert got.dtype == x.dtype and np.array_equal(got, x[order(x)], equal_nan=True) and np.array_equal(index, order(x))
    keys, values = (where.to_host(each) for each in upsweep.sort_by_key(given, where.to_device(np.arange(n)), descending=True))
    assert np.array_equal(keys, got, equal_nan=True) and np.array_equal(values, order(x))
    assert upsweep.is_sorted(where.to_device(got), descending=True)
    if n > 2 and not (got[:1] == got[1:2]).all():
        assert not upsweep.is_sorted(where.to_device(got[::-1].copy()), descending=True)
    cuts = np.array([0, n // 3, n])
    want = np.concatenate([part[order(part)] for part in (x[:n // 3], x[n // 3:])])
    assert np.array_equal(where.to_host(upsweep.segmented_sort(given, where.to_device(cuts), descending=True)), want, equal_nan=True)


@pytest.mark.parametrize("dtype", FLOATS)
def test_along_an_axis(rng, where, dtype):  # noqa: F811
    x = floats(rng, 3 * 17 * 5, dtype).reshape(3, 17, 5)
    given = where.to_device(x)
    for axis in range(-3, 3):
        got, index = upsweep.sort(given, axis, descending=True), upsweep.argsort(given, axis, descending=True)
        assert np.array_equal(where.to_host(index), order(x, axis))
        assert np.array_equal(where.to_host(got), np.take_along_axis(x, order(x, axis), axis), equal_nan=True)


@pytest.mark.parametrize("dtype", FLOATS)
def test_merges_and_sets(rng, dtype):
    a, b = (x[order(x)] for x in (floats(rng, 40, dtype), floats(rng, 25, dtype)))
    both = np.concatenate([a, b])
    assert np.array_equal(upsweep.merge(a, b, descending=True), both[order(both)], equal_nan=True)
    keys, values = upsweep.merge_by_key(a, np.arange(40), b, np.arange(25), descending=True)
    assert np.array_equal(keys, both[order(both)], equal_nan=True) and np.array_equal(values, np.append(np.arange(40), np.arange(25))[order(both)])
    for call in (upsweep.set_union, upsweep.set_intersection, upsweep.set_difference, upsweep.set_symmetric_difference):
        up = call(np.sort(a), np.sort(b))
        assert np.array_equal(call(a, b, descending=True), up[order(up)], equal_nan=True)
    assert upsweep.includes(both[order(both)], a, descending=True) and not upsweep.includes(a, both[order(both)], descending=True)
    for k in range(40):
        assert np.array_equal(upsweep.nth_element(a[::-1].copy(), k, descending=True), a[k], equal_nan=True)


def test_signs_and_bits_are_kept():
    x = np.array([0x7FC00001, 0xFFC00002, 0x80000000, 0, 0x3F800000], "u4").view("f4")
    assert upsweep.sort(x, descending=True).view("u4").tolist() == [0x3F800000, 0x80000000, 0, 0x7FC00001, 0xFFC00002]
    out = np.zeros(10, "f4")[::2]
    assert upsweep.sort(x, descending=True, out=out) is out and np.isnan(out[3:]).all() and out[0] == 1
    assert upsweep.sort(x, descending=True, out=x) is x and np.isnan(x[3:]).all()


def test_no_wait_in_descending_order(rng, where):  # noqa: F811
    x = where.to_device(floats(rng, 100, "f4"))
    with where.nothing_waits():
        upsweep.sort(x, descending=True)
        upsweep.argsort(x, descending=True)


def test_the_largest_elements_begin_with_nans():
    values, places = upsweep.top_k(np.array([1.0, np.nan, 3.0]), 2)
    assert np.isnan(values[0]) and values[1] == 3 and places.tolist() == [1, 2]
