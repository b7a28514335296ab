"""Calls on narrow types convert a piece at a time: their memory, and their results compared with NumPy where pieces are small."""
import tracemalloc

import numpy as np
import pytest

import upsweep
from upsweep import averages, counts, folds, interpolation, logic, pictures, searches

N = (1 << 22) + 5
PIECE = 1 << 15


def small_pieces(monkeypatch, piece):
    for module in (averages, counts, folds, interpolation, logic, pictures, searches):
        monkeypatch.setattr(module, "_PIECE", piece)


def peak(call):
    tracemalloc.start()
    try:
        result = call()
        return result, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def narrow(dtype, n):
    x = np.zeros(n, dtype)
    x[::1001] = 1  # sums that float16 represents
    return x


# Each call, the types of its elements, and the bytes for each element that it may take: those of its result, and a copy of the elements.
CALLS = {
    "cumsum": (lambda x: upsweep.cumsum(x), "i1 u1 i2 u2 ?", 8),
    "cumsum of float16": (lambda x: upsweep.cumsum(x), "f2", 2),
    "cumsum, axis": (lambda x: upsweep.cumsum(x.reshape(5, -1), axis=1), "i1 u2 ?", 8),
    "cumsum of float16, axis": (lambda x: upsweep.cumsum(x.reshape(5, -1), axis=0), "f2", 2),
    "cumsum, dtype": (lambda x: upsweep.cumsum(x, dtype=np.float32), "i1 ? f2", 4),
    "cumsum, narrow dtype": (lambda x: upsweep.cumsum(x, dtype=np.int8), "i1 u2", 1),
    "cumprod": (lambda x: upsweep.cumprod(x), "i1 u1 ?", 8),
    "cumprod of float16": (lambda x: upsweep.cumprod(x), "f2", 2),
    "cumulative_sum": (lambda x: upsweep.cumulative_sum(x, include_initial=True), "i1", 8),
    "sum, dtype": (lambda x: upsweep.sum(x, dtype=np.float32), "i1 u2 ? f2", 0),
    "sum, axis": (lambda x: upsweep.sum(x.reshape(5, -1), axis=1), "i1 u2 ? f2", 0),
    "sum, axis, dtype": (lambda x: upsweep.sum(x.reshape(-1, 5), axis=0, dtype=np.float64), "i1 ? f2", 0),
    "prod": (lambda x: upsweep.prod(x), "i1 ? f2", 0),
    "mean": (lambda x: upsweep.mean(x), "i1 ? f2", 0),
    "mean, axis": (lambda x: upsweep.mean(x.reshape(5, -1), axis=1), "i1 f2", 0),
    "var": (lambda x: upsweep.var(x), "i1 ? f2", 0),
    "std, axis": (lambda x: upsweep.std(x.reshape(5, -1), axis=1), "i1 f2", 0),
    "min, axis": (lambda x: upsweep.min(x.reshape(5, -1), axis=1), "i1 ? f2", 1),
    "max": (lambda x: upsweep.max(x), "i1 ? f2", 0),
    "histogram": (lambda x: upsweep.histogram(x, 5)[0], "i1 u2 ? f2", 1),
    "histogram, weights": (lambda x: upsweep.histogram(x, 5, weights=x)[0], "i1 f2", 1),
    "bincount": (lambda x: upsweep.bincount(x), "i1 u2", 0),
    "bincount, weights": (lambda x: upsweep.bincount(x, x), "i1 u2 ?", 0),
    "sort": (lambda x: upsweep.sort(x), "i1 u2 ? f2", 4),
    "median": (lambda x: upsweep.median(x), "i1 f2", 4),
    "isin": (lambda x: upsweep.isin(x, [1, 3]), "i1 u2 f2", 2),
    "flatnonzero": (lambda x: upsweep.flatnonzero(x), "i1 ? f2", 4.5),
    "searchsorted": (lambda x: upsweep.searchsorted([0.5], x), "i1 f2", 8),
    "convolve": (lambda x: upsweep.convolve(x, np.ones(5, x.dtype)), "i1 u2 f2", 2),
}


@pytest.mark.parametrize("name, dtype", [(name, dtype) for name, (_, types, _) in CALLS.items() for dtype in types.split()])
def test_a_narrow_array_is_not_converted_whole(monkeypatch, name, dtype):
    small_pieces(monkeypatch, PIECE)
    call, _, bytes_each = CALLS[name]
    x = narrow(dtype, N // 5 * 5)
    call(x[:100])
    _, most = peak(lambda: call(x))
    assert most < bytes_each * N * 1.05 + 16 * 8 * PIECE


AXES = [((0,), None), ((1,), 0), ((211,), None), ((211,), 0), ((5, 41), 0), ((5, 41), 1), ((3, 17, 4), 1), ((3, 17, 4), -1), ((2, 3, 0), 2), ((3, 0, 2), 1)]


@pytest.mark.parametrize("piece", [1, 7, 64])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "?", "f2"])
def test_results_do_not_depend_on_the_pieces(monkeypatch, dtype, piece):
    random = np.random.default_rng(7)
    small_pieces(monkeypatch, piece)
    for shape, axis in AXES:
        numbers = random.integers(0 if dtype[0] == "u" else -3, 4, shape).astype(dtype)
        for view in (numbers, numbers[::-1], numbers.T if numbers.ndim > 1 else numbers[::2]):
            along = axis if axis is None or view.ndim == 1 else axis % view.ndim
            for call in ("sum", "prod", "cumsum", "cumprod"):
                for kind in (None, "i1", "u2", "i8", "f4", "f8", "f2", "?"):
                    x = (view != 0).astype(dtype) if "prod" in call and (kind or dtype) in ("f2", "f4") else view  # products that do not overflow
                    with np.errstate(all="ignore"):
                        want = getattr(np, call)(x, axis=along, dtype=kind)
                        got = getattr(upsweep, call)(x, axis=along, dtype=kind)
                    assert got.dtype == want.dtype and got.shape == want.shape, (call, shape, axis, kind)
                    half = want.dtype == np.float16
                    assert np.allclose(got, want, rtol=2e-2 if half else 1e-5, atol=0.1 if half else 0) if want.dtype.kind == "f" else np.array_equal(
                        got, want), (call, shape, axis, kind)
            if view.size and (along is None or view.shape[along]):
                for call in ("min", "max", "mean", "var"):
                    want, got = (getattr(module, call)(view, axis=along) for module in (np, upsweep))
                    assert got.dtype == want.dtype and np.allclose(got, want, rtol=1e-2 if dtype == "f2" else 1e-12), (call, shape, axis)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "f2"])
def test_searches_counts_and_convolutions_in_pieces(monkeypatch, dtype):
    random = np.random.default_rng(8)
    small_pieces(monkeypatch, 50)
    x = random.integers(0, 9, 331).astype(dtype)
    assert np.array_equal(upsweep.flatnonzero(x), np.flatnonzero(x))
    assert np.array_equal(upsweep.isin(x, [1, 300, 5]), np.isin(x, [1, 300, 5]))
    assert np.array_equal(upsweep.searchsorted([0.5, 3, 3, 7.5], x), np.searchsorted([0.5, 3, 3, 7.5], x))
    weights = random.integers(0, 9, 331).astype(dtype)
    for mine, theirs in zip(upsweep.histogram(x, 4, weights=weights), np.histogram(x, 4, weights=weights)):
        assert mine.dtype == theirs.dtype and np.array_equal(mine, theirs)
    for length in (1, 2, 5, 8):
        mask = random.integers(0, 4, length).astype(dtype)
        for mode in ("full", "same", "valid"):
            for call in ("convolve", "correlate"):
                got, want = (getattr(module, call)(x, mask, mode) for module in (upsweep, np))
                assert got.dtype == want.dtype and np.array_equal(got, want), (call, mode, length)
    if dtype != "f2":
        assert np.array_equal(upsweep.bincount(x, weights), np.bincount(x, weights)) and upsweep.bincount(x, -weights.astype("i2"), 20).size == 20
    assert np.array_equal(upsweep.interp(x, [1, 5], [0.0, 2.0]), np.interp(x, [1, 5], [0.0, 2.0]))


def test_float16_sums_do_not_lose_what_a_piece_adds(monkeypatch):
    small_pieces(monkeypatch, 1000)
    x = np.ones((5000, 3), np.float16)
    assert upsweep.sum(x, axis=0).tolist() == [5000] * 3
    assert upsweep.cumsum(x[:, 0])[-1] == 5000 and upsweep.cumsum(x, axis=0)[-1].tolist() == [5000] * 3
    assert upsweep.sum(np.ones((5000, 3), np.int8), axis=0, dtype=np.float32).tolist() == [5000] * 3
