"""out= of other types, strides and byte orders: the results of NumPy, or one sentence."""
import numpy as np
import pytest
from conftest import opencl

import upsweep

X = np.random.default_rng(3).integers(-9, 9, (4, 6))
F = np.random.default_rng(4).normal(size=(4, 6))
DEVICES = ["cpu"] + ([opencl()] if opencl() else [])

CALLS = {
    "sum": lambda m, x, out: m.sum(x, axis=0, out=out), "sum of all": lambda m, x, out: m.sum(x, out=out),
    "sum, several": lambda m, x, out: m.sum(x, axis=(0, 1), out=out), "prod": lambda m, x, out: m.prod(x, axis=1, out=out),
    "min": lambda m, x, out: m.min(x, axis=0, out=out), "max": lambda m, x, out: m.max(x, axis=1, keepdims=True, out=out),
    "cumsum": lambda m, x, out: m.cumsum(x, axis=0, out=out), "cumsum, flat": lambda m, x, out: m.cumsum(x, out=out),
    "cumprod": lambda m, x, out: m.cumprod(x, axis=1, out=out), "mean": lambda m, x, out: m.mean(x, axis=0, out=out),
    "var": lambda m, x, out: m.var(x, axis=1, out=out), "median": lambda m, x, out: m.median(x, axis=0, out=out),
    "any": lambda m, x, out: m.any(x, axis=0, out=out), "clip": lambda m, x, out: m.clip(x, -2, 2, out=out),
    "nansum": lambda m, x, out: m.nansum(x, axis=1, out=out), "nanmax": lambda m, x, out: m.nanmax(x, axis=1, out=out),
}
OURS = {
    "reduce": lambda m, x, out: m.reduce(x, axis=0, out=out), "scan": lambda m, x, out: m.scan(x, axis=1, out=out),
    "sort": lambda m, x, out: m.sort(x, out=out), "argsort": lambda m, x, out: m.argsort(x, out=out),
    "argmin": lambda m, x, out: m.argmin(x, axis=0, out=out), "take": lambda m, x, out: m.take(x, [3, 1], out=out),
    "compress": lambda m, x, out: m.compress([True, False, True], x, axis=0, out=out),
    "gather": lambda m, x, out: m.gather(x.reshape(-1), [3, 1], out=out),
    "segmented_scan": lambda m, x, out: m.segmented_scan(x.reshape(-1), [0, 3, 24], out=out),
    "merge": lambda m, x, out: m.merge(np.sort(x[0]), np.sort(x[1]), out=out),
    "transform": lambda m, x, out: m.transform("x + x", x, out=out),
}


def outputs(shape, dtype):
    """Yield arrays to write to: contiguous, with steps, backwards, transposed, and in the other byte order."""
    yield np.zeros(shape, dtype)
    if shape:
        yield np.zeros((*shape[:-1], shape[-1] * 2), dtype)[..., ::2]
        yield np.zeros(shape, dtype)[::-1]
        yield np.zeros(shape[::-1], dtype).T
    yield np.zeros(shape, np.dtype(dtype).newbyteorder())


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", [*CALLS, *OURS])
def test_results_are_written_through(name, device):
    call = (CALLS | OURS)[name]
    for x in (X, F, F.astype("f4"), X.astype("i4"), X.astype("u1"), F.astype("f2")):
        if device != "cpu" and x.dtype == np.float16 or name in ("reduce", "scan", "segmented_scan", "transform") and x.dtype.itemsize < 4:
            continue
        with upsweep.device(device), np.errstate(all="ignore"):
            plain = np.asarray(call(upsweep, x, None))
            for kind in ("f8", "f4", "f2", "i8", "i4", "i1", "u2", "c16", "?"):
                for out in outputs(plain.shape, kind):
                    if not np.can_cast(plain.dtype, out.dtype, "same_kind"):
                        before = out.copy()
                        with pytest.raises(upsweep.Error, match=f"out is {out.dtype}") as raised:
                            call(upsweep, x, out)
                        assert "\n" not in str(raised.value) and np.array_equal(out, before)
                        continue
                    assert call(upsweep, x, out) is out
                    with np.errstate(all="ignore"):
                        want = plain.astype(out.dtype)
                    assert np.allclose(out, want, rtol=1e-2 if "f2" in (kind, x.dtype.str[1:]) else 1e-5, equal_nan=True), (name, x.dtype, kind)


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name):
    for x in (X, F, F.astype("f4"), X.astype("i2"), X > 0):
        if x.dtype == bool and name in ("clip", "median"):
            continue
        plain = np.asarray(CALLS[name](np, x, None))
        for kind in ("f8", "f4", "i8", "i4", "i1"):
            if np.can_cast(plain.dtype, kind, "same_kind") and not (name in ("median", "mean", "var") and kind[0] == "i"):
                theirs, ours = (np.zeros(plain.shape, kind) for _ in range(2))
                CALLS[name](np, x, theirs)
                CALLS[name](upsweep, x, ours)
                assert np.allclose(ours, theirs, rtol=1e-5), (name, x.dtype, kind)


def test_integers_do_not_wrap_in_an_output_of_floats():
    x = np.full(4, 2**62)
    for call in ("sum", "prod"):
        out, want = np.zeros(()), np.zeros(())
        getattr(upsweep, call)(x, out=out)
        getattr(np, call)(x, out=want)
        assert out == want > 1e18
    assert upsweep.cumsum(x, out=np.zeros(4)).tolist() == np.cumsum(x, out=np.zeros(4)).tolist()


def test_an_output_that_overlaps_the_input():
    x = np.arange(10)
    assert upsweep.cumsum(x[:5], out=x[::2]).tolist() == [0, 1, 3, 6, 10]
    x = np.arange(10, dtype="i4")
    assert upsweep.cumsum(x, out=x).tolist() == np.cumsum(np.arange(10)).tolist()
    x = np.arange(10, dtype="f2")
    assert upsweep.cumsum(x, out=x).tolist() == np.cumsum(np.arange(10)).tolist()
    x = np.arange(10, dtype="f2")
    assert upsweep.cumsum(x[1:], out=x[:-1]).tolist() == np.cumsum(np.arange(1, 10)).tolist()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("test", ["x > 0", "x > 0 and x != 2", X.reshape(-1) > 0])
def test_selected_elements_are_written_and_others_stay(device, test):
    x = X.reshape(-1)
    with upsweep.device(device):
        for out in (np.full(24, 77), np.full(48, 77)[::2], np.full(24, 77.0), np.full(24, 77, ">i4")):
            kept = upsweep.select(x, test, out=out)
            want = x[(x > 0) & (x != 2)] if isinstance(test, str) and "2" in test else x[x > 0]
            assert np.array_equal(kept, want) and np.array_equal(out[:len(want)], want) and (out[len(want):] == 77).all()
            assert kept.base is not None


def test_scatter_writes_in_place():
    out = np.zeros(6)
    assert upsweep.scatter(np.ones(2), [1, 3], out).tolist() == [0, 1, 0, 1, 0, 0]
    for wrong in (out[::2], np.zeros(6, "f4")):
        with pytest.raises(upsweep.BadArgument, match="give a contiguous array of float64"):
            upsweep.scatter(np.ones(2), [1, 2], wrong)


def test_outputs_that_are_no_arrays_or_read_only():
    locked = np.zeros(6)
    locked.flags.writeable = False
    for call in (lambda out: upsweep.sum(F, axis=0, out=out), lambda out: upsweep.mean(F, axis=0, out=out),
                 lambda out: upsweep.argmin(F, axis=0, out=out), lambda out: upsweep.sum(F, axis=(0,), out=out)):
        with pytest.raises(upsweep.BadArgument, match="out is read-only"):
            call(locked)
        with pytest.raises(upsweep.Unsupported, match="out is not an array"):
            call([0.0] * 6)
        with pytest.raises(upsweep.Unsupported, match="mask"):
            call(np.ma.masked_greater(np.zeros(6), 3))


@pytest.mark.parametrize("own, wide", [("f4", "f8"), ("f2", "f4"), ("f2", "f8")])
def test_a_wider_output_is_folded_in_its_type(own, wide):
    x = np.array([[60000, 60000, 1], [3, 5000, 60000]], own) * np.dtype(own).type(1 if own == "f2" else 5e33)
    for name in ("sum", "prod", "mean", "cumsum", "cumprod", "nansum", "nanprod", "nanmean"):
        for axis in (None, 0, 1):
            want = getattr(np, name)(x.astype(wide), axis=axis)
            out = np.empty_like(np.asarray(want))
            got = getattr(upsweep, name)(x, axis=axis, out=out)
            assert out.dtype == wide and np.allclose(out, want, rtol=1e-6, equal_nan=True), (name, axis)
            assert got is out
    y = np.array([16777216, 1, 1], "f4")
    assert np.array_equal(upsweep.cumsum(y, out=np.zeros(3)), [16777216, 16777217, 16777218])


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8"])
def test_histograms_of_wide_integer_weights_are_exact_and_wrap(dtype):
    rng = np.random.default_rng()
    x, limits = rng.random(1000) * 5, np.iinfo(dtype)
    weights = rng.integers(limits.min, limits.max, 1000, dtype, endpoint=True)
    edges = [0, 0.5, 2, 4, 5]
    got, want = upsweep.histogram(x, edges, weights=weights)[0], np.histogram(x, edges, weights=weights)[0]
    assert got.dtype == want.dtype and np.array_equal(got, want)
    assert upsweep.histogram([0.5], [0, 1], weights=np.array([limits.max], dtype))[0][0] == limits.max
