"""upsweep.image compared with scipy.ndimage."""
import numpy as np
import pytest
from conftest import random_array

import upsweep

ndimage = pytest.importorskip("scipy.ndimage")
MODES = ["reflect", "nearest", "mirror", "wrap", "constant"]
TYPES = ["u1", "i2", "u2", "i4", "u4", "f4", "f8", "i8"]


def near(got, want, dtype):
    # SciPy drops the fraction of integers, so a last bit of a sum may change them by 1 for each axis.
    assert got.dtype == want.dtype and got.shape == want.shape
    assert np.allclose(got.astype("f8"), want.astype("f8"), rtol=2e-6 if dtype == "f4" else 1e-12,
                       atol=2e-4 if dtype == "f4" else 1e-9 if dtype == "f8" else 2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", TYPES)
def test_linear_filters(rng, dtype, mode):
    for shape in ((40,), (31, 23), (9, 10, 11)):
        x = random_array(rng, int(np.prod(shape)), "u1", 200).astype(dtype).reshape(shape)
        whole = dtype[0] != "f"
        for sigma, more in ((1.5, {}), (0.4, {}), (2, {"truncate": 2.5}), (1, {"order": 1}), (1.2, {"order": 2}), (0, {})):
            near(upsweep.image.gaussian_filter(x, sigma, mode=mode, **more), ndimage.gaussian_filter(x, sigma, mode=mode, **more), dtype) if not (whole and more) else None
        for size in (1, 3, 4):
            near(upsweep.image.uniform_filter(x, size, mode=mode), ndimage.uniform_filter(x, size, mode=mode), dtype)
        for axis in range(x.ndim):
            near(upsweep.image.sobel(x.astype("f8"), axis, mode=mode), ndimage.sobel(x.astype("f8"), axis, mode=mode), "f8")
        weights = rng.integers(-3, 4, (3, 2, 5)[:x.ndim])
        for name in ("correlate", "convolve"):
            near(getattr(upsweep.image, name)(x.astype("f8"), weights, mode=mode), getattr(ndimage, name)(x.astype("f8"), weights, mode=mode), "f8")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", TYPES)
def test_medians(rng, dtype, mode):
    for shape in ((60,), (31, 23)):
        # SciPy compares as float64: 64-bit values stay below 2^53.
        x = random_array(rng, int(np.prod(shape)), dtype).reshape(shape) // (4096 if dtype == "i8" else 1)
        for size in (1, 3, 5):
            got, want = upsweep.image.median_filter(x, size, mode=mode), ndimage.median_filter(x, size, mode=mode)
            assert got.dtype == want.dtype and np.array_equal(got, want)


def test_outputs_and_each_axis(rng):
    x = rng.random((20, 30))
    out = np.zeros((20, 30), "f4")
    assert upsweep.image.gaussian_filter(x, (1, 3), output=out) is out and np.allclose(out, ndimage.gaussian_filter(x, (1, 3)), atol=1e-6)
    assert upsweep.image.uniform_filter(x, (3, 1), output="f4").dtype == np.float32
    assert np.allclose(upsweep.image.gaussian_filter(x, 1, order=(0, 1)), ndimage.gaussian_filter(x, 1, order=(0, 1)))
    x[3, 4] = np.nan
    assert np.array_equal(np.isnan(upsweep.image.gaussian_filter(x, 1)), np.isnan(ndimage.gaussian_filter(x, 1)))


@pytest.mark.parametrize("wrong, kind, says", [
    (lambda x: upsweep.image.gaussian_filter(x, -1), ValueError, "sigma is -1"),
    (lambda x: upsweep.image.gaussian_filter(x, (1, 2, 3)), ValueError, "3 values of sigma for 2 axes"),
    (lambda x: upsweep.image.gaussian_filter(x, 1, mode="edge"), ValueError, "unknown mode 'edge'"),
    (lambda x: upsweep.image.gaussian_filter(x, 1, mode="constant", cval=3), TypeError, "give cval=0"),
    (lambda x: upsweep.image.uniform_filter(x, 0), ValueError, "the size is 0"),
    (lambda x: upsweep.image.median_filter(x, 2), TypeError, "one odd length"),
    (lambda x: upsweep.image.median_filter(x), ValueError, "no size"),
    (lambda x: upsweep.image.correlate(x, [1, 2]), ValueError, "weights of 1 axes for 2"),
    (lambda x: upsweep.image.sobel(x > 0), TypeError, "elements of bool"),
    (lambda x: upsweep.image.sobel(x, 5), ValueError, "axis 5"),
])
def test_wrong_calls(wrong, kind, says):
    with pytest.raises(kind, match=says) as raised:
        wrong(np.ones((8, 9)))
    assert isinstance(raised.value, upsweep.Error)
