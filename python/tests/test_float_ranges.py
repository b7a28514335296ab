"""Sums and products of floats that overflow only in a parallel order, on the host and on a GPU."""
import numpy as np
import pytest

import upsweep


def on_host(x):
    return x


def on_torch(x):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no GPU answers PyTorch")
    return torch.as_tensor(x, device="cuda")


def back(x):
    return x.cpu().numpy() if hasattr(x, "cpu") else np.asarray(x)


PLACES = pytest.mark.parametrize("put", [on_host, on_torch])
FLOATS = pytest.mark.parametrize("dtype", ["f4", "f8"])


def limits(dtype):
    return (1e20, 3e38) if dtype == "f4" else (1e160, 1.7e308)


@PLACES
@FLOATS
def test_products(put, dtype):
    large, _ = limits(dtype)
    zero = put(np.array([0] + [large] * 40, dtype))
    assert upsweep.prod(zero) == 0
    assert not back(upsweep.cumprod(zero)).any()
    assert not back(upsweep.cumprod(put(np.arange(0, 50, 0.5, dtype=dtype)))).any()
    got = back(upsweep.cumprod(put(np.array([1 / large, 1 / large, large, large], dtype))))
    assert np.isclose(got[-1], 1, rtol=1e-4)
    rows = put(np.array([[0, large, large, large], [1, large, 1 / large, large]] * 200, dtype))
    got = back(upsweep.cumprod(rows, axis=1))
    assert not got[0::2].any() and np.allclose(got[1::2, [0, 2]], 1, rtol=1e-4)
    assert np.isfinite(back(upsweep.cumprod(put(np.ascontiguousarray(back(rows).T)), axis=0))).all()
    keys = put(np.array([0] * 4 + [1] * 4, "i4"))
    values = put(np.array([0, large, large, large, 1 / large, 1 / large, large, large], dtype))
    _, folds = upsweep.reduce_by_key(keys, values, "multiplies")
    assert np.allclose(back(folds), [0, 1], rtol=1e-4)
    assert np.isfinite(back(upsweep.scan_by_key(keys, values, "multiplies"))).all()
    offsets = put(np.array([0, 4, 8], "u8").astype("i8"))
    assert np.allclose(back(upsweep.segmented_reduce(values, offsets, "multiplies")), [0, 1], rtol=1e-4)
    assert np.isfinite(back(upsweep.segmented_scan(values, offsets, "multiplies"))).all()


@PLACES
@FLOATS
def test_sums(put, dtype):
    _, most = limits(dtype)
    x = np.array([-most, 0, most, most], dtype)
    assert np.array_equal(back(upsweep.cumsum(put(x))), np.array([-most, -most, 0, most], dtype))
    assert upsweep.sum(put(x)) == x[-1]
    rows = np.tile(x, (300, 1))
    assert np.array_equal(back(upsweep.cumsum(put(rows), axis=1))[:, -1], rows[:, -1])
    assert np.array_equal(back(upsweep.cumsum(put(np.ascontiguousarray(rows.T)), axis=0))[-1], rows[:, -1])


@PLACES
@pytest.mark.parametrize("zeros", [False, True])
def test_cumulative_distribution_does_not_go_down(put, zeros):
    x = np.random.default_rng(3).random(1 << 20, dtype=np.float32)
    if zeros:
        x[::2] = 0
    got = back(upsweep.cumsum(put(x)))
    assert (np.diff(got) >= 0).all()
    assert not np.diff(got)[x[1:] == 0].any()
    offsets = np.array([0, 1000, 1 << 19, 1 << 20], "i8")
    got = back(upsweep.segmented_scan(put(x), put(offsets)))
    for begin, end in zip(offsets, offsets[1:]):
        assert (np.diff(got[begin:end]) >= 0).all()
