"""histogram and bincount compared with NumPy."""
import math

import numpy as np
import pytest
from conftest import SIZES, TYPES, random_array
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

import upsweep


def same_as_numpys(x, *how):
    """Count by definition, with NumPy's edges: a bin includes its lower edge, and the last bin its upper edge.

    NumPy rounds the index of the bin, so its counts differ for a few elements on an edge. There the edges decide.
    """
    counts, edges = upsweep.histogram(x, *how)
    theirs = np.histogram_bin_edges(x.astype("f8") if x.dtype.kind != "f" else x, *how)
    # NumPy's edges of floats have the elements' type, and its precision.
    unit = np.finfo(theirs.dtype if theirs.dtype.kind == "f" else "f8")
    near = float(unit.smallest_subnormal) + 4 * float(unit.eps) * np.abs(theirs).max()
    assert counts.dtype == np.int64 and edges.dtype == theirs.dtype and np.allclose(edges, theirs, rtol=0, atol=near)
    exact = x.reshape(-1)
    # Python compares integers with floats exactly.
    places = np.array([sum(1 for e in edges.tolist() if not v < e) for v in exact.tolist()], int) if exact.size < 3000 else np.searchsorted(
        edges, exact.astype("f8"), side="right")
    places = np.where(exact == edges[-1], len(edges) - 1, places)
    places = places[(places > 0) & (places < len(edges))]
    assert np.array_equal(counts, np.bincount(places - 1, minlength=len(edges) - 1))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_histogram(rng, dtype, n):
    x = random_array(rng, n, dtype, 100)
    same_as_numpys(x)
    same_as_numpys(x, 17)
    same_as_numpys(x, 5, (10, 90))
    same_as_numpys(x, 64, (0, 99))
    same_as_numpys(x, [0, 3, 3.5, 40, 99])
    same_as_numpys(x, [-5, 0, 200])


def test_whole_range_of_integers():
    for dtype in ("u1", "i1", "u2", "i2"):
        limits = np.iinfo(dtype)
        x = np.arange(limits.min, limits.max + 1).astype(dtype)
        counts, edges = upsweep.histogram(x, 16)
        assert counts.sum() == x.size and np.array_equal(counts, np.histogram(x.astype("i8"), 16)[0])
        assert upsweep.histogram(x, [limits.min, limits.max + 1])[0].tolist() == [x.size]


@settings(max_examples=60, deadline=None)
@given(arrays.arrays(some.sampled_from(["f4", "f8"]), some.integers(1, 300),
                     elements=some.floats(-1000, 1000, width=32)), some.integers(1, 40))
def test_any_floats(x, bins):
    same_as_numpys(x, bins)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"])
@pytest.mark.parametrize("n", SIZES)
def test_bincount(rng, dtype, n):
    x = random_array(rng, n, "u1", 2).astype(bool) if dtype == "?" else random_array(rng, n, dtype, 100)
    want = np.bincount(x.astype("i8"))
    assert np.array_equal(upsweep.bincount(x), want) and upsweep.bincount(x).dtype == np.int64
    assert np.array_equal(upsweep.bincount(x, minlength=120), np.bincount(x.astype("i8"), minlength=120))
    weights = rng.integers(0, 9, n).astype("f4")
    assert np.allclose(upsweep.bincount(x, weights), np.bincount(x.astype("i8"), weights), rtol=1e-6)


def by_definition(x, edges):
    """Count the bins of these edges. The last bin includes its upper edge. Python compares integers with floats exactly."""
    counts, e = np.zeros(len(edges) - 1, np.int64), edges.tolist()
    for v in x.tolist():
        for b in range(len(counts)):
            counts[b] += e[b] <= v and (v < e[b + 1] or (b + 1 == len(counts) and v == e[b + 1]))
    return counts


WHERE = ["cpu"] + [d.name for d in upsweep.devices() if d.usable and d.name != "cpu"]


@pytest.mark.parametrize("device", WHERE)
def test_edges_beyond_the_type(device):
    with upsweep.device(device):
        counts, _ = upsweep.histogram(np.array([0, 128, 255, 255], "u1"), np.arange(0, 513, 64))
        assert counts.tolist() == [1, 0, 1, 2, 0, 0, 0, 0]
        x = np.arange(256, dtype="u1")
        assert np.array_equal(upsweep.histogram(x, 10, (0, 300))[0], np.histogram(x, 10, (0, 300))[0])
        x = np.arange(-128, 128).astype("i1")
        assert np.array_equal(upsweep.histogram(x, 300, (-128, 172))[0], np.histogram(x.astype("i8"), 300, (-128, 172))[0])


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", TYPES)
def test_edges_at_the_limits_of_the_type(rng, dtype, device):
    kind = np.dtype(dtype)
    whole = kind.kind in "iu"
    limits = np.iinfo(kind) if whole else np.finfo(kind)
    least, most = (int(limits.min), int(limits.max)) if whole else (float(limits.min), float(limits.max))
    marks = [least, most, 0, 1, most // 2 if whole else 0.5] + ([2**53 + 1] if most > 2**60 and whole else [])
    outside = [] if not whole else [least - 1, most + 1, 2 * most, -1, 0.5, most / 2]
    if not whole:
        marks += [np.inf, -np.inf, np.nan]
    ends = [-np.inf, np.inf, *[m for m in marks if m == m], *outside]
    with upsweep.device(device):
        for _ in range(25):
            x = np.array([marks[i] for i in rng.integers(len(marks), size=20)], kind)
            edges = sorted(ends[i] for i in rng.integers(len(ends), size=rng.integers(2, 8)))
            counts, there_are = upsweep.histogram(x, edges)
            assert np.array_equal(counts, by_definition(x, np.array(edges, object))), (x, edges)
            assert len(there_are) == len(edges)


def test_infinite_edges_and_elements():
    x = np.array([-np.inf, -1, 0, 3, np.inf, np.nan])
    for dtype in ("f2", "f4", "f8"):
        assert upsweep.histogram(x.astype(dtype), [-np.inf, 0, np.inf])[0].tolist() == [2, 3]
        assert upsweep.histogram(x.astype(dtype), [0, 5])[0].tolist() == [2]
        assert upsweep.histogram(x.astype(dtype), [3, np.inf, np.inf])[0].tolist() == [1, 1]
    assert upsweep.histogram(np.array([-5, 0, 5]), [-np.inf, 0, np.inf])[0].tolist() == [1, 2]
    assert upsweep.histogram(np.array([0, 255], "u1"), [-np.inf, np.inf])[0].tolist() == [2]
    with pytest.raises(ValueError, match="give finite bounds"):
        upsweep.histogram(x[:5])


def test_integers_that_float64_does_not_hold():
    assert upsweep.histogram(np.array([0, 2**53 + 1]))[0].tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert upsweep.histogram(np.array([2**53, 2**53 + 1]), [2**53, 2**53 + 1, 2**53 + 2])[0].tolist() == [1, 1]
    assert upsweep.histogram(np.array([5, 2**64 - 1], "u8"), 2)[0].tolist() == [1, 1]
    assert upsweep.histogram(np.array([-2**63, 2**63 - 1]), 2)[0].tolist() == [1, 1]
    # Nanoseconds since 1970: one second apart, and one nanosecond apart, with no float64 between two of them.
    second = np.int64(1_700_000_000) * 10**9 + np.arange(100, dtype="i8") * 10**9
    assert upsweep.histogram(second)[0].tolist() == [10] * 10
    assert upsweep.histogram(second[0] + np.arange(20), 10)[0].tolist() == [2] * 10
    assert upsweep.histogram(second[:1], 3)[0].tolist() == [0, 1, 0]
    assert upsweep.histogram(second[0] + np.arange(20), 10, (int(second[0]), int(second[0]) + 10))[0].sum() == 11


@pytest.mark.parametrize("dtype", [*TYPES, "?"])
def test_types_of_edges_and_counts_are_numpys(rng, dtype):
    x = random_array(rng, 200, "u1", 2 if dtype == "?" else 60).astype(dtype)
    ranges = [None, (0, 3), (0, 300), (0, 70000), (0.0, 1e6), (0.5, 61), (np.float16(0), np.float16(9)), (np.float32(0), np.float32(9)),
              (np.float64(0), np.float64(9)), (np.int8(0), np.int8(9)), (0, 2**40), (7, 7)]
    weights = [None, *(rng.integers(0, 2, 200).astype(kind) for kind in ("f2", "f4", "f8", "i1", "u1", "i4", "u8", "?"))]
    for bins in (1, 3, 10, [0, 1, 60], np.array([0, 1, 60], "f2"), np.array([0, 1, 60], "u1"), [0.5, 2], np.array([1, 2], "f4")):
        for bounds in ranges:
            for weight in weights:
                if np.ndim(bins) and weight is not None and weight.dtype == bool:
                    continue  # an error in NumPy
                for density in (False, True):
                    with np.errstate(all="ignore"):
                        want = np.histogram(x.view("u1") if dtype == "?" else x, bins, bounds, density, weight)
                        got = upsweep.histogram(x, bins, bounds, density, weight)
                    for mine, theirs in zip(got, want):
                        assert mine.dtype == theirs.dtype and mine.shape == theirs.shape, (bins, bounds, weight, density)
                    assert np.array_equal(got[1], want[1])
    for weight in weights:
        assert upsweep.bincount(x.astype("u1"), weight).dtype == np.bincount(x.astype("u1"), weight).dtype
    assert np.isfinite(upsweep.histogram(np.array([-65504, 65504], "f2"), 4)[1]).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_random_arrays_as_numpy(rng, dtype):
    for n in (0, 1, 2, 700):
        for bins in (1, 7, 256):
            x = random_array(rng, n, dtype, 100)
            for how in ((bins,), (bins, (-3, 60.5)), (bins, (0.1, 0.9))):
                theirs = x.astype("f8") if x.dtype.kind in "iub" else x
                counts, edges = upsweep.histogram(x, *how)
                where = np.histogram_bin_edges(theirs, *how)
                want, _ = np.histogram(theirs, where) if dtype == "f2" else np.histogram(theirs, *how)  # NumPy finds bins of float16 by float16 numbers
                assert np.array_equal(edges, where) and edges.dtype == where.dtype
                assert np.array_equal(counts, want), how


@pytest.mark.parametrize("device", WHERE)
def test_sums_of_weights_are_each_bins_own(rng, device):
    inf, nan = np.inf, np.nan
    with upsweep.device(device):
        assert upsweep.bincount([0, 1], [1e20, 1.0]).tolist() == [1e20, 1.0]
        assert upsweep.bincount([0, 1, 2, 3, 3], [1e300, 1, 1e-300, 16777217, 1]).tolist() == [1e300, 1, 1e-300, 16777218]
        got = upsweep.bincount([0, 1, 2, 3, 4, 4], [nan, inf, -inf, 2, inf, -inf])
        assert np.array_equal(got, [nan, inf, -inf, 2, nan], equal_nan=True)
        assert np.array_equal(upsweep.bincount([0, 1], np.array([nan, 2], "f4")), [nan, 2], equal_nan=True)
        x = np.append(np.zeros(10**6, "i4"), [1, 0])
        assert upsweep.bincount(x, np.append(np.ones(10**6), [1e15, 0.5])).tolist() == [1e6 + 0.5, 1e15]
        assert upsweep.bincount(np.zeros(10**6 + 1, "i4"), np.append(np.ones(10**6), 1e15)).tolist() == [1e15 + 10**6]
        for dtype in ("f4", "f8", "f2", "i8", "u1", "?"):
            x = rng.integers(0, 50, 5000)
            w = (rng.normal(size=5000) * 10.0 ** rng.integers(-20, 20, 5000)) if dtype in ("f4", "f8") else rng.integers(0, 100, 5000)
            w = w.astype(dtype)
            want = np.array([math.fsum(w[x == k].tolist()) for k in range(50)])
            assert np.abs(upsweep.bincount(x, w) - want).max() <= 0 or np.allclose(upsweep.bincount(x, w), want, rtol=2.0**-51, atol=0)


@pytest.mark.parametrize("device", WHERE)
def test_bincount_counts_all_on_every_device(device):
    with upsweep.device(device):
        assert upsweep.bincount([0, 5, 1], minlength=3).tolist() == [1, 1, 0, 0, 0, 1]
        assert upsweep.bincount([0, 5, 1], [1, 2, 3], minlength=3).tolist() == [1, 3, 0, 0, 0, 2]
        assert upsweep.bincount(np.array([3, 200], "u1")).tolist() == np.bincount([3, 200]).tolist()
        with pytest.raises(ValueError, match="below 0"):
            upsweep.bincount([0, -1, 1], minlength=3)


@pytest.mark.parametrize("wrong, kind, says", [
    (lambda x: upsweep.histogram(x, 0), ValueError, "there are 0 bins; give at least one"),
    (lambda x: upsweep.histogram(x, [3, 1]), ValueError, "the edges do not increase"),
    (lambda x: upsweep.histogram(x, 5, (2, 1)), ValueError, "bounds that increase"),
    (lambda x: upsweep.histogram(x, 5, (0, np.inf)), ValueError, "finite bounds"),
    (lambda x: upsweep.bincount(x), TypeError, "give a sequence of integers"),
    (lambda x: upsweep.bincount(x.astype("i4") - 1), ValueError, "below 0"),
])
def test_wrong_calls(wrong, kind, says):
    with pytest.raises(kind, match=says):
        wrong(np.arange(10.0))
