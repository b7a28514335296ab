"""Every row of docs/from-numpy.md, from-cupy.md and from-pytorch.md runs. Where the left side is a call of NumPy, or of a library that is
installed, the results are compared."""
import importlib.util
import pathlib
import sys

import numpy as np
import pytest

import upsweep

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/migration"))
import pages  # noqa: E402

ROWS = [(name, *row) for name in ("numpy", "cupy", "pytorch") for row in pages.rows(ROOT / f"docs/from-{name}.md")]


def operands():
    bits = np.random.default_rng(5)
    return {"x": bits.random(1000), "y": bits.random(1000), "m": bits.random((40, 25)), "i": bits.integers(0, 100, 1000, np.int32),
            "keys": np.sort(bits.integers(0, 50, 1000, np.int32)), "offsets": np.array([0, 10, 400, 1000]),
            "order": bits.permutation(1000), "out": np.zeros(1000)}


@pytest.mark.parametrize(("page", "line", "theirs", "ours"), ROWS, ids=lambda value: str(value))
def test_a_row_runs(page, line, theirs, ours):
    names = {"np": np, "cupy": np, "upsweep": upsweep, **operands()}
    result = eval(ours, dict(names))  # noqa: S307
    assert result is not None, f"docs/from-{page}.md:{line}"
    if "(" in theirs or "[" in theirs or " " in theirs:
        expected = eval(theirs, dict(names))  # noqa: S307
        np.testing.assert_allclose(np.asarray(result), np.asarray(expected), rtol=1e-12)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
@pytest.mark.parametrize(("line", "theirs", "ours"), [row[1:] for row in ROWS if row[0] == "pytorch"], ids=lambda value: str(value))
def test_a_row_runs_on_tensors(line, theirs, ours):
    import torch
    tensors = {name: torch.from_numpy(array) for name, array in operands().items()}
    assert eval(ours, {"np": np, "upsweep": upsweep, **tensors}) is not None, line  # noqa: S307
    names = torch
    for part in theirs.split(".")[1:]:
        names = getattr(names, part)


def test_most_rows_are_compared():
    assert sum("(" in theirs or "[" in theirs for _, _, theirs, _ in ROWS) > 50
