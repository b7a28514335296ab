"""select, partition, unique, runs, gather, scatter, searches compared with NumPy."""
import numpy as np
import pytest
from conftest import SIZES, TYPES, random_array
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

import upsweep


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_select_by_text(rng, dtype, n):
    x = random_array(rng, n, dtype, 100)
    for text, mask in (("x > 50", x > 50), ("50 >= x", x <= 50), ("x == 7", x == 7), ("x != 7", x != 7), ("20 < x < 30", (x > 20) & (x < 30)),
                       ("x < 20 or not x < 90", (x < 20) | (x >= 90)), ("x % 7 == 3", x % 7 == 3), ("x > 49.5", x > 49.5), ("x > -1", x > -1),
                       ("x < 1e9", np.full(n, True))):
        got = upsweep.select(x, text)
        assert got.dtype == x.dtype and np.array_equal(got, x[mask]), text


def test_select_by_masks_and_functions(rng):
    x = random_array(rng, 1001, "f4")
    mask = x > 0
    for test in (mask, mask.astype("u1") * 255, mask.tolist(), lambda v: v > 0):
        assert np.array_equal(upsweep.select(x, test), x[mask])
    assert np.array_equal(upsweep.select(x.reshape(7, 143), "x > 0"), x[mask])
    for other in (x[::-3], x.reshape(7, 143).T, x[5:6].reshape(())):  # strided, and without an axis
        assert np.array_equal(upsweep.select(other, "x > 0"), other.reshape(-1)[other.reshape(-1) > 0])
    assert np.array_equal(upsweep.select(x.astype(">f4"), "x > 0"), x[mask])
    assert np.array_equal(upsweep.select(x.astype(">f4"), "x > 0 and x < 1"), x[mask & (x < 1)])
    assert np.array_equal(upsweep.select(x.tolist(), "x > 0"), np.array(x.tolist())[mask])
    out = np.full(1001, np.nan, "f4")
    kept = upsweep.select(x, "x > 0", out=out)
    assert kept.base is out and np.array_equal(kept, x[mask]) and np.isnan(out[mask.sum():]).all()
    out, count = upsweep.select(x, "x > 0", count="device")
    assert out.size == 1001 and count[0] == mask.sum() and np.array_equal(out[:int(count[0])], x[mask])


@pytest.mark.parametrize("text, says", [
    ("x >", "is not a condition"), ("y > 3", "'y' in 'y > 3'"), ("__import__('os')", "a condition consists of x, numbers"), ("x.size > 3", "'x.size'"),
    ("x > 'a'", "'a'"), ("x is 3", "an unsupported comparison"), ("x", "the mask is float64"), ("not x", "'x' is not a condition"),
    ("(lambda: x)()", "a condition consists of"), ("x > 3j", "3j"), ("x << 2 > 1", "LShift")])
def test_text_that_is_not_a_condition(text, says):
    with pytest.raises(ValueError, match="select: ") as raised:
        upsweep.select(np.arange(5.0), text)
    assert says in str(raised.value)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [0, 1, 33, 5003])
def test_partition(rng, dtype, n):
    x = random_array(rng, n, dtype, 100)
    for test in ("x < 30", lambda v: v % 3 == 1):
        mask = x < 30 if isinstance(test, str) else x % 3 == 1
        parts, count = upsweep.stable_partition(x, test)
        assert count == mask.sum() and np.array_equal(parts, np.concatenate([x[mask], x[~mask]]))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 33, 5003])
def test_unique_is_numpys(rng, dtype, n):
    x = random_array(rng, n, dtype, 100)
    for ours, numpys in zip(upsweep.unique(x, True, True, True), np.unique(x, True, True, True)):
        assert ours.dtype == numpys.dtype and np.array_equal(ours, numpys)
    assert np.array_equal(upsweep.unique(x.reshape(-1, 1)), np.unique(x))
    runs = np.sort(x)
    assert np.array_equal(upsweep.unique_consecutive(runs), np.unique(x))
    values, lengths = upsweep.run_length_encode(runs)
    want, counts = np.unique(x, return_counts=True)
    assert np.array_equal(values, want) and np.array_equal(lengths, counts) and lengths.dtype == np.int64
    for kind in ("i8", "i4", "u2"):
        assert np.array_equal(upsweep.run_length_decode(values, lengths.astype(kind)), runs)


@pytest.mark.parametrize("dtype", TYPES + ["c8"])
@pytest.mark.parametrize("index", ["i4", "u4", "i8", "u8", "i2"])
def test_gather_and_scatter(rng, dtype, index):
    x = random_array(rng, 1001, "f4" if dtype == "c8" else dtype).astype(dtype)
    order = rng.permutation(1001).astype(index)
    assert np.array_equal(upsweep.gather(x, order), x[order])
    assert np.array_equal(upsweep.gather(x, order.reshape(7, 143)), x[order].reshape(7, 143))
    out = np.zeros_like(x)
    assert upsweep.scatter(x, order, out) is out and np.array_equal(out[order], x)
    for wrong in ([1001], [-1]):
        with pytest.raises(ValueError, match="an index is out of range; give 0 to 1000"):
            upsweep.gather(x, wrong)


@pytest.mark.parametrize("dtype", TYPES)
def test_searches(rng, dtype):
    x = random_array(rng, 6 * 500, dtype, 90).reshape(6, 500)
    for ours, numpys in ((upsweep.argmin, np.argmin), (upsweep.argmax, np.argmax)):
        for axis in (None, 0, 1, -1):
            assert np.array_equal(ours(x, axis), numpys(x, axis))
    assert upsweep.count_if(x, ">", 40) == (x > 40).sum()
    assert upsweep.find_if(x, ">", 85) == np.flatnonzero(x.reshape(-1) > 85)[0] and upsweep.find_if(x, ">", 95) == x.size
    with pytest.raises(ValueError, match="argmin: there is nothing to compare"):
        upsweep.argmin(x[:0])
    with pytest.raises(ValueError, match="unknown comparison '=>'; give one of <"):
        upsweep.count_if(x, "=>", 3)


@settings(max_examples=80, deadline=None)
@given(arrays.arrays(some.sampled_from(["i4", "u8", "i1", "f4", "f8"]), some.integers(0, 300), elements={"min_value": 0, "max_value": 9}),
       some.integers(-3, 12), some.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
def test_any_threshold(x, threshold, comparison):
    text = f"x {comparison} {threshold}"
    mask = eval(text)  # noqa: S307 (a text of this test)
    assert np.array_equal(upsweep.select(x, text), x[mask])
    assert upsweep.select(x, f"not {text}").size == x.size - mask.sum()
    for ours, numpys in zip(upsweep.unique(x, return_counts=True), np.unique(x, return_counts=True)):
        assert np.array_equal(ours, numpys)
