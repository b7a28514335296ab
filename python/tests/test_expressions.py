"""Expressions as operators, tests and comparators against loops and NumPy, on the CPU and on OpenCL where a device of it is."""
import numpy as np
import pytest
from conftest import drawn, opencl

import upsweep
from upsweep import expression

DEVICES = ["cpu", "cpu:2"] + ([opencl()] if opencl() else [])
FOLDED = ["i4", "u8", "f8"]


@pytest.fixture(params=DEVICES)
def on(request):
    with upsweep.device(request.param):
        yield


def running(x, axis):
    """The last that is no multiple of 3, which does not commute."""
    x = np.moveaxis(x, axis, 0)
    out, last = np.empty_like(x), np.zeros(x.shape[1:], x.dtype)
    for i, row in enumerate(x):
        last = np.where(row % 3 != 0, row, last)
        out[i] = last
    return np.moveaxis(out, 0, axis)


LAST = expression("b % 3 != 0 ? b : a", identity=0)
MOST = expression("a > b ? a : b", identity=-1e300)


@pytest.mark.parametrize("shape", [(6, 41, 8), (1, 1000, 3), (3, 2049), (5, 0, 3), (70,)])
def test_folds_along_each_axis(on, rng, shape):
    x = drawn(rng, int(np.prod(shape)), "i4", 1000).reshape(shape)
    for axis in range(-1, len(shape)):
        want = running(x, axis)
        assert np.array_equal(upsweep.scan(x, LAST, axis=axis), want)
        last = np.take(want, -1, axis) if want.shape[axis] else np.zeros([n for a, n in enumerate(shape) if a != axis % len(shape)], "i4")
        assert np.array_equal(upsweep.reduce(x, LAST, axis=axis), last)
        kept = upsweep.reduce(x, LAST, axis=axis, keepdims=True)
        assert kept.shape == np.sum(x, axis, keepdims=True).shape and np.array_equal(kept.reshape(last.shape), last)
        ahead = upsweep.scan(x, LAST, axis=axis, exclusive=True)
        lines, before = np.moveaxis(ahead, axis, 0), np.moveaxis(want, axis, 0)
        assert not len(lines) or (np.array_equal(lines[1:], before[:-1]) and not lines[0].any())


def test_folds_of_everything(on, rng):
    x = drawn(rng, 5000, "f8").reshape(50, 100)
    assert upsweep.reduce(x, MOST) == x.max()
    assert upsweep.reduce(x, MOST, keepdims=True).shape == (1, 1)
    assert np.array_equal(upsweep.scan(x, MOST), np.maximum.accumulate(x.reshape(-1)))
    assert np.array_equal(upsweep.reduce(x, MOST, axis=0), x.max(0))


@pytest.mark.parametrize("dtype", FOLDED)
@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_orders_along_each_axis(on, rng, dtype, axis):
    x = drawn(rng, 6 * 41 * 8, dtype, 500).reshape(6, 41, 8)
    less = "(int)a / 10 > (int)b / 10"
    order = np.argsort(-(x.astype("i8") // 10), axis, kind="stable")
    assert np.array_equal(upsweep.argsort(x, axis, less=less), order)
    flat = x.reshape(-1) if axis is None else x
    want = np.take_along_axis(flat, order, -1 if axis is None else axis)
    assert np.array_equal(upsweep.sort(x, axis, less=expression(less)), want)


@pytest.mark.parametrize("n", [0, 1, 2, 255, 4099])
def test_searches(on, rng, n):
    x = drawn(rng, n, "i4", 1000)
    passes = x % 7 == 3
    assert upsweep.count_if(x, expression("x % 7 == 3")) == passes.sum()
    assert upsweep.find_if(x, expression("x % 7 == 3")) == (passes.argmax() if passes.any() else n)
    by = np.sort(x)
    wanted = drawn(rng, 300, "i4", 1100)
    for side in "left", "right":
        want = np.searchsorted(by // 10, wanted // 10, side)
        assert np.array_equal(upsweep.searchsorted(by, wanted, side, less="a / 10 < b / 10"), want)


def test_what_does_not_go_together():
    x = np.zeros((2, 3))
    with pytest.raises(upsweep.BadArgument, match="turn the comparator's sides"):
        upsweep.sort(x, less="a < b", descending=True)
    with pytest.raises(upsweep.BadArgument, match="no identity"):
        upsweep.reduce(x, expression("a + b"), axis=0)
    with pytest.raises(upsweep.BadArgument, match="axis"):
        upsweep.reduce(x, MOST, axis=2)
