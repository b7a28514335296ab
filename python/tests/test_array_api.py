"""upsweep.array_namespace(): the functions of the array API standard, compared with NumPy."""
import inspect

import numpy as np
import pytest

import upsweep

xp = upsweep.array_namespace()
X = np.array([[3.0, -1.0, 2.0], [2.0, 0.0, 3.0]])
CALLS = {
    "sort": (lambda: xp.sort(X, axis=0, descending=True), lambda: -np.sort(-X, 0)),
    "argsort": (lambda: xp.argsort(X, descending=True), lambda: np.argsort(-X, kind="stable")),
    "argmax": (lambda: xp.argmax(X, axis=1, keepdims=True), lambda: np.argmax(X, 1, keepdims=True)), "argmin": (lambda: xp.argmin(X), lambda: np.argmin(X)),
    "nonzero": (lambda: xp.nonzero(X)[1], lambda: np.nonzero(X)[1]), "count_nonzero": (lambda: xp.count_nonzero(X, axis=0), lambda: np.count_nonzero(X, 0)),
    "searchsorted": (lambda: xp.searchsorted([1, 2], X, side="right"), lambda: np.searchsorted([1, 2], X, "right")),
    "unique_values": (lambda: xp.unique_values(X), lambda: np.unique(X)), "unique_counts": (lambda: xp.unique_counts(X).counts, lambda: np.unique(X, return_counts=True)[1]),
    "unique_inverse": (lambda: xp.unique_inverse(X).inverse_indices, lambda: np.unique(X, return_inverse=True)[1].reshape(X.shape)),
    "unique_all": (lambda: xp.unique_all(X).indices, lambda: np.unique(X, True)[1]),
    "sum": (lambda: xp.sum(X, axis=(0, 1), dtype=xp.float32), lambda: np.sum(X, dtype="f4")), "prod": (lambda: xp.prod(X, axis=1), lambda: np.prod(X, 1)),
    "max": (lambda: xp.max(X, keepdims=True), lambda: np.max(X, keepdims=True)), "min": (lambda: xp.min(X, axis=0), lambda: np.min(X, 0)),
    "mean": (lambda: xp.mean(X, axis=0), lambda: np.mean(X, 0)), "var": (lambda: xp.var(X, correction=1), lambda: np.var(X, ddof=1)),
    "std": (lambda: xp.std(X, axis=1, correction=1), lambda: np.std(X, 1, ddof=1)),
    "cumulative_sum": (lambda: xp.cumulative_sum(X, axis=1, include_initial=True), lambda: np.cumsum(np.pad(X, ((0, 0), (1, 0))), 1)),
    "cumulative_prod": (lambda: xp.cumulative_prod(X, axis=0), lambda: np.cumprod(X, 0)),
    "any": (lambda: xp.any(X, axis=0), lambda: np.any(X, 0)), "all": (lambda: xp.all(X, axis=1, keepdims=True), lambda: np.all(X, 1, keepdims=True)),
    "take": (lambda: xp.take(X, [1, 0], axis=1), lambda: np.take(X, [1, 0], 1)), "flip": (lambda: xp.flip(X, axis=0), lambda: np.flip(X, 0)),
    "roll": (lambda: xp.roll(X, 1, axis=1), lambda: np.roll(X, 1, 1)), "clip": (lambda: xp.clip(X, 0, 2), lambda: np.clip(X, 0, 2)),
    "diff": (lambda: xp.diff(X, n=2), lambda: np.diff(X, 2)),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions(name):
    got, want = (np.asarray(each()) for each in CALLS[name])
    assert got.shape == want.shape and got.dtype == want.dtype and np.allclose(got, want)


def test_every_function_is_tested_and_every_name_exists():
    assert {name for name in xp.__all__ if inspect.isfunction(getattr(xp, name))} == set(CALLS)
    assert xp.float32 is np.float32 and xp.bool is np.bool_ and xp.newaxis is None


def test_nans_are_distinct():
    values, counts = xp.unique_counts(np.array([np.nan, 1, np.nan]))
    assert np.array_equal(values, [1, np.nan, np.nan], equal_nan=True) and counts.tolist() == [1, 1, 1]
    assert xp.clip(X) is X
