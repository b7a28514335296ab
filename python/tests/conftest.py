"""Random arrays and sizes that the tests share."""
import numpy as np
import pytest

from hypothesis import settings

import upsweep

settings.register_profile("here", database=None)  # Hypothesis writes no files
settings.load_profile("here")

FOLDED = ["i4", "u4", "i8", "u8", "f4", "f8"]
TYPES = FOLDED + ["i1", "u1", "i2", "u2", "f2"]
SIZES = [0, 1, 2, 31, 32, 33, 1023, 4099, 100_003]


@pytest.fixture
def rng(request):
    return np.random.default_rng(abs(hash(request.node.nodeid)) % 2**32)


def random_array(rng, n, dtype, distinct=None):
    """Return n random elements: integers of all values, or finite floats."""
    dtype = np.dtype(dtype)
    if distinct is not None:
        return rng.integers(0, distinct, n).astype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, n, dtype, endpoint=True)
    if dtype == np.float16:
        return rng.normal(size=n).astype(dtype)
    return (rng.normal(size=n) * 10.0 ** rng.integers(-3, 4, n)).astype(dtype)


def opencl():
    return next((d.name for d in upsweep.devices() if d.name.startswith("opencl:") and d.usable), None)
