"""upsweep.signal and interp() compared with SciPy and NumPy."""
import warnings

import numpy as np
import pytest

import upsweep

signal = pytest.importorskip("scipy.signal")


def near(got, want, dtype=None):
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype, got.shape, want.shape)
    scale = np.abs(want).max() if want.size and want.dtype.kind == "f" else 1
    assert np.allclose(got, want, rtol=0, atol=scale * (2e-5 if want.dtype == np.float32 else 2e-10), equal_nan=True)


FILTERS = [([1.0], [1.0]), ([0.5, 0.25], [1.0, -0.4]), ([1.0, -2.0, 1.0], [2.0, -0.5, 0.3]), ([1.0, 0.0, 0.0], [1.0, 0.5, 0.0]), ([0.0], [1.0, -0.2]),
           (np.hanning(9), [1.0]), (np.hanning(7), [1.0, -0.3, 0.2]), ([1.0, 2.0], [1.0, 0.0, 0.5, 0.0])]


@pytest.mark.parametrize("b, a", FILTERS)
def test_lfilter(rng, b, a):
    for dtype in ("f4", "f8", "i4"):
        for shape in ((0,), (1,), (2,), (101,), (3, 17), (2, 5, 4)):
            x = (rng.normal(size=shape) * 5).astype(dtype)
            for axis in range(-x.ndim, x.ndim):
                for view in (x, np.flip(x)):
                    kinds = (np.asarray(b, dtype), np.asarray(a, dtype)) if dtype == "f4" else (b, a)
                    if dtype == "i4" and x.size:
                        near(upsweep.signal.lfilter(*kinds, view, axis), signal.lfilter(*kinds, view.astype("f8"), axis))
                        continue
                    if not x.size:  # SciPy refuses no elements where there are no poles, and returns zeros as the state
                        assert upsweep.signal.lfilter(*kinds, x, axis).shape == x.shape
                        state = np.arange(max(len(a), len(b)) - 1, dtype=dtype)
                        assert np.array_equal(upsweep.signal.lfilter(*kinds, x, axis, state)[1], state)
                        continue
                    near(upsweep.signal.lfilter(*kinds, view, axis), signal.lfilter(*kinds, view, axis))
                    state = list(view.shape)
                    state[axis] = max(len(a), len(b)) - 1
                    zi = rng.normal(size=state).astype(dtype)
                    for got, want in zip(upsweep.signal.lfilter(*kinds, view, axis, zi), signal.lfilter(*kinds, view, axis, zi)):
                        near(got, want)


def test_a_signal_in_two_parts(rng):
    x = rng.normal(size=100)
    for b, a in FILTERS:
        zi = np.zeros(max(len(a), len(b)) - 1)
        first, state = upsweep.signal.lfilter(b, a, x[:37], zi=zi)
        second, _ = upsweep.signal.lfilter(b, a, x[37:], zi=state)
        assert np.allclose(np.append(first, second), signal.lfilter(b, a, x))


def test_sections(rng):
    for order in (1, 2, 5, 8):
        sos = signal.butter(order, 0.2, output="sos")
        assert upsweep.signal.sosfilt(sos, np.zeros((3, 0))).shape == (3, 0)
        for shape in ((1,), (301,), (3, 50), (2, 4, 30)):
            for dtype in ("f8", "f4"):
                x, its = rng.normal(size=shape).astype(dtype), sos.astype(dtype)
                for axis in range(-x.ndim, x.ndim):
                    near(upsweep.signal.sosfilt(its, x, axis), signal.sosfilt(its, x, axis))
                    state = list(x.shape)
                    state[axis] = 2
                    zi = rng.normal(size=(len(sos), *state)).astype(dtype)
                    for got, want in zip(upsweep.signal.sosfilt(its, x, axis, zi), signal.sosfilt(its, x, axis, zi)):
                        near(got, want)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "i8", "u8", "f4", "f8"])
@pytest.mark.parametrize("shapes", [((1,), (1,)), ((9,), (4,)), ((4,), (9,)), ((8,), (8,)), ((1, 7), (3, 2)), ((6, 5), (2, 5)), ((4, 5, 6), (2, 3, 2)),
                                    ((2, 3), (4, 5))])
def test_convolutions(rng, dtype, shapes):
    a, b = (rng.integers(0, 5, shape).astype(dtype) for shape in shapes)
    for mode in ("full", "same", "valid"):
        for name in ("convolve", "correlate", "fftconvolve"):
            more = {} if name == "fftconvolve" else {"method": "direct"}
            try:
                want = getattr(signal, name)(a, b, mode, **more)
            except ValueError:
                with pytest.raises(upsweep.BadArgument, match="valid"):
                    getattr(upsweep.signal, name)(a, b, mode, **more)
                continue
            near(getattr(upsweep.signal, name)(a, b, mode, **more), want)


def test_medians(rng):
    for dtype in ("u1", "f4", "f8", "i4"):
        for shape in ((1,), (30,), (9, 11)):
            x = rng.integers(0, 50, shape).astype(dtype)
            for size in (None, 1, 3, 5):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # a box longer than the array
                    want = signal.medfilt(x, size)
                near(upsweep.signal.medfilt(x, size), want)


@pytest.mark.parametrize("mode", ["interp", "mirror", "nearest", "wrap", "constant"])
@pytest.mark.parametrize("window, degree, derivative", [(5, 2, 0), (7, 3, 1), (9, 4, 2), (3, 0, 0), (1, 0, 0), (5, 1, 2)])
def test_smoothing(rng, window, degree, derivative, mode):
    for use in ("conv", "dot"):
        near(upsweep.signal.savgol_coeffs(window, degree, derivative, 0.5, use=use), signal.savgol_coeffs(window, degree, derivative, 0.5, use=use))
    for shape in ((9,), (31,), (12, 13), (3, 20, 11)):
        for dtype in ("f8", "f4", "i2"):
            x = (rng.normal(size=shape) * 9).astype(dtype)
            for axis in range(-x.ndim, x.ndim):
                if x.shape[axis] >= window:
                    near(upsweep.signal.savgol_filter(x, window, degree, derivative, 0.5, axis, mode),
                         signal.savgol_filter(x, window, degree, derivative, 0.5, axis, mode))


@pytest.mark.parametrize("call, sentence", [
    (lambda: upsweep.signal.lfilter([1], [1, 1, 1, 1], [1.0]), "3 poles"), (lambda: upsweep.signal.lfilter([1], [0, 1], [1.0]), r"a\[0\] is 0"),
    (lambda: upsweep.signal.lfilter([1], [1, 1], [1j]), "complex128"), (lambda: upsweep.signal.lfilter([1, 1], [1], [1.0], zi=[1, 2]), "zi is of shape"),
    (lambda: upsweep.signal.sosfilt([[1, 0, 0, 2, 0, 0]], [1.0]), "the fourth of which is 1"),
    (lambda: upsweep.signal.convolve([1], [[1]]), "give as many"), (lambda: upsweep.signal.convolve([1], [1], "all"), "unknown mode 'all'"),
    (lambda: upsweep.signal.convolve([1], [1], method="slow"), "unknown method"), (lambda: upsweep.signal.medfilt([1.0], 2), "one odd length"),
    (lambda: upsweep.signal.savgol_filter([1.0], 3, 1), "a window of 3"), (lambda: upsweep.signal.savgol_coeffs(3, 3), "polyorder is 3"),
    (lambda: upsweep.signal.fftconvolve([[1.0]], [[1.0]], axes=0), "give all axes"),
    (lambda: upsweep.interp([1], [], []), "at least one"), (lambda: upsweep.interp([1], [1, 2], [1]), "of one length"),
    (lambda: upsweep.interp([1], [1], [1], period=0), "the period is 0"), (lambda: upsweep.interp([1], [1], [1j]), "complex128"),
])
def test_refused(call, sentence):
    with pytest.raises(upsweep.Error, match=sentence) as raised:
        call()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "u1", "?"])
def test_interp(rng, dtype):
    inf, nan = np.inf, np.nan
    for n in (1, 2, 7, 100):
        xp = np.sort(rng.integers(0, 40, n)).astype("f8")
        fp = rng.normal(size=n)
        for shape in ((), (0,), (1,), (211,), (5, 7)):
            x = (rng.normal(size=shape) * 30).astype(dtype)
            for view in (x, np.flip(x)) if shape else (x,):
                for more in ({}, {"left": -1}, {"left": -1, "right": 5.5}, {"period": 11}, {"period": -7.5}):
                    if np.unique(xp).size < n and "period" in more:
                        continue  # NumPy's sort of equal places is not stable
                    got, want = (module.interp(view, xp, fp, **more) for module in (upsweep, np))
                    assert type(got) is type(want) and np.shape(got) == np.shape(want) and np.allclose(got, want, rtol=1e-12, atol=1e-12)
    special = np.array([nan, inf, -inf, 0, 1, 1.5, 2, 3])
    for fp in ([1, inf, 3], [inf, inf, inf], [nan, 2, 3], [1, -inf, inf]):
        with np.errstate(all="ignore"):
            assert np.array_equal(upsweep.interp(special, [0, 1.5, 2], fp), np.interp(special, [0, 1.5, 2], fp), equal_nan=True), fp
    assert np.array_equal(upsweep.interp(special, [1], [5]), np.interp(special, [1], [5]), equal_nan=True)
    assert np.array_equal(upsweep.interp([3, 1], range(3), [2, 4, 8]), [8, 4])


@pytest.mark.parametrize("one", ["u1", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("other", ["u1", "f2", "f4", "f8"])
def test_fftconvolve_has_scipys_types(one, other):
    a, b = np.full(5, 255).astype(one), np.array([300, 1]).astype(other)
    got, want = upsweep.signal.fftconvolve(a, b), signal.fftconvolve(a, b)
    assert np.allclose(got, want, rtol=1e-4, atol=0.1)  # SciPy's transforms round
    assert got.dtype == want.dtype


def test_a_filters_state_widens_the_result():
    b, a, x, zi = np.ones(1, "f4"), np.array([1, -0.5], "f4"), np.ones(5, "f4"), np.array([0.1])
    for got, want in zip(upsweep.signal.lfilter(b, a, x, zi=zi), signal.lfilter(b, a, x, zi=zi)):
        assert got.dtype == want.dtype and np.allclose(got, want)
