"""Inputs given by mistake, or from unknown libraries: accepted, or rejected with one sentence."""
import ctypes
import tracemalloc

import numpy as np
import pytest

import upsweep


def test_a_mask_is_not_lost():
    class Masked:
        __cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (256, False), "version": 3, "mask": object()}

    for call in (upsweep.sum, upsweep.sort, upsweep.cumsum, upsweep.max):
        with pytest.raises(upsweep.Unsupported, match="mask"):
            call(Masked())


def test_arrays_of_ctypes_and_of_classes_without_a_module():
    three = (ctypes.c_float * 3)(1, 2, 3)
    assert upsweep.sum(three) == 6 and upsweep.sort(three, descending=True).tolist() == [3, 2, 1]
    assert upsweep.cumsum((ctypes.c_int64 * 3)(1, 2, 3)).tolist() == [1, 3, 6]
    nameless = type("Nameless", (), {"__module__": None, "__array__": lambda self, *a, **k: np.array([1.0, 2.0])})
    assert upsweep.sum(nameless()) == 3
    with pytest.raises(upsweep.Error):
        upsweep.sum(type("Nothing", (), {"__module__": None})())


@pytest.mark.parametrize("text, place, sign", [("x × 2", "character 3", "×"), ("é + x", "character 1", "é"), ("x +\n x ∧ 1", "line 2, character 4", "∧"),
                                               ("x 😀", "character 3", "😀"), ("x 2", "character 3", "2")])
def test_an_expression_names_the_character_that_it_does_not_take(text, place, sign):
    with pytest.raises(upsweep.BadArgument) as raised:
        upsweep.transform(text, np.ones(3, np.float32))
    assert place in str(raised.value) and sign in str(raised.value)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "?", "f2"])
def test_folds_of_narrow_types_take_little_memory(dtype):
    n = (1 << 25) + 5
    x = (np.arange(n) % 2).astype(dtype)
    expected = int(n // 2)
    upsweep.sum(x[:10])
    tracemalloc.start()
    try:
        if dtype != "f2":
            assert upsweep.sum(x) == expected
            assert upsweep.sum(x, dtype=np.float64) == expected
            assert upsweep.sum(x, keepdims=True).tolist() == [expected]
        assert upsweep.max(x) == 1 and upsweep.min(x) == 0
        assert upsweep.prod(x) == 0
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 3 * 8 * (1 << 24), "more than a piece was converted at once"


def test_host_and_gpu_arrays_in_one_call():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch finds no GPU")
    there, here = torch.ones(4, device="cuda"), torch.ones(4)
    for a, b in ((there, here), (here, there), (there, np.ones(4, np.float32)), (there, [1.0, 2.0, 3.0, 4.0])):
        with pytest.raises(upsweep.BadArgument, match="give arrays in one memory"):
            upsweep.transform("a + b", a, b)
    with pytest.raises(upsweep.BadArgument, match="give arrays in one memory"):
        upsweep.gather(there, np.array([0, 1]))
