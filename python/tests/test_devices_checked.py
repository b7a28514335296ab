"""Calls check indices and offsets on every device. Importing a module runs nothing."""
import subprocess
import sys

import numpy as np
import pytest
from conftest import opencl

import upsweep

BAD = (upsweep.Error, ValueError, IndexError)


def devices():
    names = ["cpu"] + [n for n in (opencl(), *(d.name for d in upsweep.devices() if d.usable and d.name == "cuda:0")) if n]
    return names


@pytest.mark.parametrize("name", devices())
def test_indices_and_offsets_are_looked_at(name):
    x = np.arange(5, dtype=np.float32)
    with upsweep.device(name):
        for wrong in (5, 9, 10**12, 2**63):
            with pytest.raises(BAD):
                upsweep.gather(x, np.array([0, wrong], np.uint64))
            with pytest.raises(BAD):
                upsweep.scatter(x[:1], np.array([wrong], np.uint64), np.zeros(5, np.float32))
        for cuts in ([0, 10**10], [0, 4, 2, 5], [0, 6]):
            with pytest.raises(BAD):
                upsweep.segmented_reduce(x, np.array(cuts, np.uint64))
        assert upsweep.gather(x, np.array([4, 0], np.uint64)).tolist() == [4, 0]
        assert upsweep.segmented_reduce(x, np.array([0, 2, 5], np.uint64)).tolist() == [1, 9]
    with upsweep.device(name, checked=False) as bare:
        assert not bare.checked
        assert upsweep.gather(x, np.array([4, 0], np.uint64)).tolist() == [4, 0]


def test_import_of_every_module_runs_nothing():
    code = "import importlib, pkgutil, upsweep\n" \
           "for m in pkgutil.walk_packages(upsweep.__path__, 'upsweep.'): importlib.import_module(m.name)\n" \
           "print('all imported')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "all imported\n"), done.stderr
