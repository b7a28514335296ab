"""histogram and bincount against NumPy."""
import numpy as np
import pytest
from conftest import SIZES, TYPES, drawn
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

import upsweep


def same_as_numpys(x, *how):
    """By definition, with NumPy's edges: a bin holds its lower edge, the last one its upper edge too. NumPy counts so up to the rounding of the
    index that it finds bins by, which differs for a few elements on an edge; there the edges decide."""
    counts, edges = upsweep.histogram(x, *how)
    _, theirs = np.histogram(x.astype("f8") if x.dtype.kind != "f" or x.dtype.itemsize < 4 else x, *how)
    # NumPy's edges are of the elements' type where that is a float, and no closer than that type's numbers lie.
    unit = np.finfo(theirs.dtype if theirs.dtype.kind == "f" else "f8")
    near = float(unit.smallest_subnormal) + 4 * float(unit.eps) * np.abs(theirs).max()
    assert counts.dtype == np.int64 and np.allclose(edges, theirs, rtol=0, atol=near)
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
    x = drawn(rng, n, dtype, 100)
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
    x = drawn(rng, n, "u1", 2).astype(bool) if dtype == "?" else drawn(rng, n, dtype, 100)
    want = np.bincount(x.astype("i8"))
    assert np.array_equal(upsweep.bincount(x), want) and upsweep.bincount(x).dtype == np.int64
    assert np.array_equal(upsweep.bincount(x, minlength=120), np.bincount(x.astype("i8"), minlength=120))
    weights = rng.integers(0, 9, n).astype("f4")
    assert np.allclose(upsweep.bincount(x, weights), np.bincount(x.astype("i8"), weights), rtol=1e-6)


@pytest.mark.parametrize("wrong, kind, says", [
    (lambda x: upsweep.histogram(x, 0), ValueError, "there are 0 bins"),
    (lambda x: upsweep.histogram(x, [3, 1]), ValueError, "edges are to be"),
    (lambda x: upsweep.histogram(x, 5, (2, 1)), ValueError, "bounds that increase"),
    (lambda x: upsweep.histogram(x, 5, (0, np.inf)), ValueError, "finite bounds"),
    (lambda x: upsweep.bincount(x), TypeError, "give a sequence of integers"),
    (lambda x: upsweep.bincount(x.astype("i4") - 1), ValueError, "below 0"),
])
def test_wrong_calls(wrong, kind, says):
    with pytest.raises(kind, match=says):
        wrong(np.arange(10.0))
