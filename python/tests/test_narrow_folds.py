"""Folds of narrow types in pieces: along an axis, and in OpenCL memory."""
import tracemalloc

import numpy as np
import pytest
from conftest import opencl

import upsweep
from upsweep import folds


@pytest.mark.parametrize("dtype, call, expected", [("i1", "sum", 1253), ("u2", "max", 7), ("i4", "sum", 1253), ("?", "min", 0), ("i2", "prod", 0)])
@pytest.mark.parametrize("shape", [(2506,), (2, 1253)])
def test_more_than_one_piece_on_opencl(monkeypatch, dtype, call, expected, shape):
    if opencl() is None:
        pytest.skip("no OpenCL device")
    monkeypatch.setattr(folds, "_PIECE", 1000)
    x = (np.arange(2506) % 2).astype(dtype)
    if call == "max":
        x[-1] = 7  # in the last piece
    x = x.reshape(shape)
    fold = getattr(upsweep, call)
    with upsweep.device(opencl()):
        assert fold(x) == expected
        assert fold(x, keepdims=True).tolist() == np.full((1,) * x.ndim, expected).tolist()


@pytest.mark.parametrize("piece", [1, 7, 100])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "?", "f2"])
def test_along_an_axis_in_pieces(monkeypatch, dtype, piece):
    monkeypatch.setattr(folds, "_PIECE", piece)
    random = np.random.default_rng(5)
    for shape in ((211,), (5, 41), (41, 5), (3, 17, 4), (2, 3, 5, 7), (1, 211), (211, 1)):
        x = random.integers(-100, 100, shape).astype(dtype)
        for axis in range(-x.ndim, x.ndim):
            for keepdims in (False, True):
                for call in ("min", "max") if dtype == "f2" else ("sum", "prod", "min", "max"):
                    expected = getattr(np, call)(x, axis=axis, keepdims=keepdims)
                    result = getattr(upsweep, call)(x, axis=axis, keepdims=keepdims)
                    assert result.dtype == expected.dtype and np.array_equal(result, expected), (call, shape, axis)
        out = np.empty(x.shape[1:], np.sum(x, axis=0).dtype)
        if x.ndim > 1 and dtype != "f2":
            assert upsweep.sum(x, axis=0, out=out) is out and np.array_equal(out, np.sum(x, axis=0))


@pytest.mark.parametrize("axis", [0, 1])
def test_along_an_axis_a_piece_is_converted_and_not_the_whole(monkeypatch, axis):
    monkeypatch.setattr(folds, "_PIECE", 1 << 16)
    x = np.ones((2, 1 << 21) if axis else (1 << 21, 2), np.int8)
    upsweep.sum(x[:1, :1], axis=axis)
    tracemalloc.start()
    try:
        assert upsweep.sum(x, axis=axis).tolist() == [1 << 21] * 2
        assert upsweep.max(x, axis=axis).tolist() == [1, 1]
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 4 << 20, "the whole array was converted, which takes 16 to 32 MiB"
