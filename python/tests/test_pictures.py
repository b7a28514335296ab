"""Convolutions, summed-area tables and filters compared with NumPy and SciPy."""
import numpy as np
import pytest
from conftest import random_array

import upsweep

ndimage = pytest.importorskip("scipy.ndimage")
BORDERS = {"zero": "constant", "clamp": "nearest", "reflect": "reflect", "mirror": "mirror", "wrap": "wrap"}


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
@pytest.mark.parametrize("n, m", [(1, 1), (33, 4), (1000, 7), (5003, 300)])
def test_signals(rng, dtype, n, m):
    x, v = random_array(rng, n, dtype, 50), random_array(rng, m, dtype, 9)  # integers: their sums are exact, except those of an FFT
    off = {"rtol": 0, "atol": 0.05 if dtype == "f4" else 1e-6}
    for mode in ("full", "same", "valid"):
        got, want = upsweep.convolve(x, v, mode), np.convolve(x, v, mode)
        assert got.dtype == x.dtype and np.allclose(got, want, **off)
        assert np.allclose(upsweep.correlate(x, v, mode), np.correlate(x, v, mode), **off)
    assert np.allclose(upsweep.convolve(x, v), np.convolve(x, v), **off)
    assert np.allclose(upsweep.correlate(x, v), np.correlate(x, v), **off)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("mask", [(3, 3), (5, 1), (1, 4), (2, 2), (7, 4)])
def test_pictures(rng, border, mask):
    for dtype in ("f4", "f8"):
        x, v = rng.normal(size=(61, 83)).astype(dtype), rng.normal(size=mask).astype(dtype)
        assert np.allclose(upsweep.correlate(x, v, border=border), ndimage.correlate(x, v, mode=BORDERS[border]), atol=1e-4)
        assert np.allclose(upsweep.convolve(x, v, border=border), ndimage.convolve(x, v, mode=BORDERS[border]), atol=1e-4)


def test_volumes_channels_and_bytes(rng):
    x, v = rng.normal(size=(9, 20, 31)).astype("f4"), rng.normal(size=(3, 3, 3)).astype("f4")
    assert np.allclose(upsweep.convolve(x, v, border="mirror"), ndimage.convolve(x, v, mode="mirror"), atol=1e-4)
    rgb, blur = rng.integers(0, 256, (40, 50, 3), "u1"), np.ones((3, 3), "i4")
    got = upsweep.correlate(rgb, blur, border="zero", channels=True)
    assert got.dtype == np.int32 and got.shape == rgb.shape
    for c in range(3):
        assert np.array_equal(got[..., c], ndimage.correlate(rgb[..., c].astype("i4"), blur, mode="constant"))
    assert upsweep.correlate(rgb[..., 0], blur / 9, border="clamp").dtype == np.float32
    batch = rng.normal(size=(6, 100)).astype("f4")
    rows = upsweep.convolve(batch, np.array([1, 2, 1], "f4"), "same")
    assert np.allclose(rows, [np.convolve(row, [1, 2, 1], "same") for row in batch], atol=1e-4)


@pytest.mark.parametrize("dtype, table", [("u1", "u4"), ("u2", "u8"), ("u4", "u8"), ("i4", "i8"), ("f4", "f8"), ("f8", "f8")])
def test_tables_and_boxes(rng, dtype, table):
    x = random_array(rng, 47 * 61, dtype, 200).reshape(47, 61)
    got = upsweep.integral(x)
    assert got.dtype == table and np.allclose(got, x.astype(table).cumsum(0).cumsum(1))
    for radius in (1, (2, 5)):
        ry, rx = (radius, radius) if np.ndim(radius) == 0 else radius
        boxes = [[x[max(i - ry, 0):i + ry + 1, max(j - rx, 0):j + rx + 1].astype("f8") for j in range(61)] for i in range(47)]
        assert np.allclose(upsweep.box_filter(x, radius, "sum"), [[b.sum() for b in row] for row in boxes])
        assert np.allclose(upsweep.box_filter(x, radius), [[b.mean() for b in row] for row in boxes], rtol=1e-5)
        assert np.allclose(upsweep.box_filter(x, radius, "variance"), [[b.var() for b in row] for row in boxes], rtol=1e-4, atol=1e-2)


def test_filters(rng):
    x = rng.random((50, 70), "f4")
    assert np.array_equal(upsweep.image.box_median(x, 2, border="reflect"), ndimage.median_filter(x, 5, mode="reflect"))
    assert np.allclose(upsweep.gaussian(x, 4.0), ndimage.gaussian_filter(x, 4.0, mode="nearest"), atol=0.01)
    assert upsweep.bilateral(x, 2.0, 0.2).shape == x.shape
    assert np.allclose(upsweep.bilateral(np.full((20, 30), 0.25, "f4"), 2.0, 0.2), 0.25)
    assert upsweep.image.resize(x, (25, 35)).shape == (25, 35)
    assert np.allclose(upsweep.image.resize(x, (25, 35), "area"), x.reshape(25, 2, 35, 2).mean((1, 3)), atol=1e-5)


@pytest.mark.parametrize("wrong, kind, says", [
    (lambda x: upsweep.convolve(x, np.ones((1, 1, 1))), ValueError, "a mask of shape"),
    (lambda x: upsweep.convolve(x, []), ValueError, "at least one element"),
    (lambda x: upsweep.convolve(x, [1.5], "some"), ValueError, "unknown mode 'some'"),
    (lambda x: upsweep.convolve(x, [1.5], border="edge"), ValueError, "unknown border 'edge'; give one of none, zero"),
    (lambda x: upsweep.convolve(x.astype("i4"), [1.5]), TypeError, "give integers, or elements of floats"),
    (lambda x: upsweep.convolve(x.astype("i8"), [1]), TypeError, "elements of int64; give int32, uint8"),
    (lambda x: upsweep.integral(x, channels=True), ValueError, "1 to 4 channels"),
    (lambda x: upsweep.image.box_median(x, 2), TypeError, "an image of float64; give float32"),
    (lambda x: upsweep.gaussian(x.astype("f4"), -1), ValueError, "sigma"),
    (lambda x: upsweep.box_filter(x, 1, "mode"), ValueError, "unknown result 'mode'"),
])
def test_wrong_calls(wrong, kind, says):
    with pytest.raises(kind, match=says):
        wrong(np.ones((8, 9)))


@pytest.mark.parametrize("border", BORDERS)
def test_signals_have_one_axis(rng, border):
    x = rng.random(401).astype("f4")
    for radius in (1, 2, 5, 12):
        want = ndimage.median_filter(x, 2 * radius + 1, mode=BORDERS[border])
        assert np.array_equal(upsweep.image.box_median(x, radius, border=border), want)
    assert np.allclose(upsweep.gaussian(x, 3, border=border), ndimage.gaussian_filter1d(x, 3, mode=BORDERS[border], truncate=8), atol=2e-3)
    ones = np.ones(101, "f4")
    if border == "zero":
        assert abs(upsweep.gaussian(ones, 2, border="zero")[50] - 1) < 1e-5 and (upsweep.image.box_median(ones, 2, border="zero") == 1).all()
        assert (upsweep.image.box_median(ones[None], 2, border="zero") == 0).all(), "a picture with one row has rows of zeros above and below it"


def test_a_gaussian_keeps_nan_in_its_window():
    x = np.ones((51, 51), "f4")
    x[25, 25] = np.nan
    got = np.isnan(upsweep.gaussian(x, 1))
    assert got.sum() == 81 and np.array_equal(got, np.isnan(ndimage.gaussian_filter(x, 1)))
    x[25, 25], x[3, 0] = np.inf, -np.inf
    assert np.array_equal(np.isfinite(upsweep.gaussian(x, 2)), np.isfinite(ndimage.gaussian_filter(x, 2, mode="nearest")))
