"""Devices, arrays of other libraries, threads, memory."""
import gc
import multiprocessing
import os
import pathlib
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import random_array, opencl

import upsweep


def test_devices():
    rows = upsweep.devices()
    assert rows[0].name.startswith("cpu") and rows[0].usable and rows[0].total_memory > 2**28
    with upsweep.device("cpu:1") as one:
        assert upsweep.sum([1, 2]) == 3 and one.free_memory > 0 and repr(one) == "upsweep.device('cpu:1')"
    one.synchronize()
    for wrong in ("gpu", "cuda:99", "cpu:x", ""):
        with pytest.raises((ValueError, LookupError)) as raised:
            upsweep.device(wrong)
        assert isinstance(raised.value, upsweep.Error) and len(str(raised.value)) > 20
    with pytest.raises(TypeError):
        upsweep.device(3)


def test_drivers_are_probed_by_the_program_in_the_package():
    probe = pathlib.Path(upsweep.__file__).parent / "upsweep-probe"
    assert os.access(probe, os.X_OK)
    listing = "import upsweep; print([(d.name, d.usable) for d in upsweep.devices()])"
    both = [subprocess.run([sys.executable, "-c", listing], env={**os.environ, "UPSWEEP_PROBE_DRIVERS": setting}, check=True,
                           capture_output=True).stdout for setting in "01"]
    assert both[0] == both[1]


def test_a_chosen_device_holds_for_its_thread_alone():
    seen = []
    with upsweep.device("cpu:1"):
        thread = threading.Thread(target=lambda: seen.append(upsweep.devices and upsweep.sum(np.arange(5))))
        thread.start()
        thread.join()
    assert seen == [10]


def test_host_arrays_on_opencl(rng):
    name = opencl()
    if name is None:
        pytest.skip("no OpenCL device answers")
    x = random_array(rng, 5003, "i4", 100)
    with upsweep.device(name):
        assert upsweep.reduce(x) == x.sum(dtype="i4") and upsweep.sum(x) == x.sum()
        assert np.array_equal(upsweep.cumsum(x), np.cumsum(x))
        out = np.empty(x.size, "i8")
        assert upsweep.cumsum(x, out=out) is out and np.array_equal(out, np.cumsum(x))
        assert np.array_equal(upsweep.sort(x), np.sort(x)) and np.array_equal(upsweep.argsort(x), np.argsort(x, kind="stable"))
        assert np.array_equal(upsweep.select(x, "x > 50"), x[x > 50]) and np.array_equal(upsweep.select(x, x > 50), x[x > 50])
        assert np.array_equal(upsweep.select(x, "x % 2 == 0"), x[x % 2 == 0])
        for ours, numpys in zip(upsweep.unique(x, True, True, True), np.unique(x, True, True, True)):
            assert np.array_equal(ours, numpys)
        assert np.array_equal(upsweep.histogram(x, 10, (0, 100))[0], np.histogram(x, 10, (0, 100))[0])
        assert upsweep.argmax(x) == np.argmax(x)
        picture = rng.random((40, 50), "f4")
        assert np.allclose(upsweep.convolve(picture, np.ones((3, 3)), border="wrap"), upsweep.box_filter(np.pad(picture, 1, mode="wrap"), 1, "sum")[1:-1, 1:-1],
                           atol=1e-4)
        assert np.array_equal(upsweep.sum(x.reshape(-1, 5003), axis=0), x)
        keys, sums = upsweep.reduce_by_key(np.sort(x), np.ones(x.size, "i4"))
        assert np.array_equal(keys, np.unique(x)) and sums.sum() == x.size


def test_torch_on_the_cpu(rng):
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(random_array(rng, 3003, "f4").reshape(3, 1001))
    order = torch.from_numpy(np.argsort(x.numpy(), kind="stable"))
    for got, want in ((upsweep.sort(x), torch.sort(x, 1).values), (upsweep.argsort(x), order), (upsweep.sum(x, axis=0), x.sum(0)),
                      (upsweep.cumsum(x, axis=1), x.cumsum(1)), (upsweep.max(x, axis=1), x.max(1).values),
                      (upsweep.select(x, "x > 0"), x[x > 0]), (upsweep.select(x, x > 0), x[x > 0]),
                      (upsweep.top_k(x, 5)[0], torch.topk(x, 5).values)):
        assert isinstance(got, torch.Tensor) and got.shape == want.shape and torch.allclose(got, want, atol=1e-2)
    total = upsweep.sum(x)
    assert isinstance(total, torch.Tensor) and abs(float(total) - float(x.double().sum())) < 1e-3 * float(x.abs().sum())
    out = torch.empty(3, 1001)
    assert upsweep.sort(x, out=out) is out and torch.equal(out, torch.sort(x, 1).values)
    assert torch.equal(upsweep.sort(x.t()), torch.sort(x.t(), 1).values)
    with pytest.raises(TypeError, match="bfloat16"):
        upsweep.sum(x.to(torch.bfloat16))


class Exporter:
    """An array of an unknown library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_and_buffers(rng):
    x = random_array(rng, 1001, "i8")
    assert upsweep.sum(Exporter(x)) == x.sum() and np.array_equal(upsweep.sort(Exporter(x)), np.sort(x))
    assert upsweep.sum(memoryview(x)) == x.sum() and upsweep.max(bytearray(b"abc")) == ord("c")
    import array
    assert upsweep.sum(array.array("d", [1, 2, 3.5])) == 6.5

    class elsewhere(Exporter):
        def __dlpack_device__(self):
            return (4, 0)
    with pytest.raises(TypeError, match="DLPack device type 4"):
        upsweep.sum(elsewhere(x))


class Placed(Exporter):
    """An array of a library that has one type for arrays on all devices."""

    def __init__(self, array, device):
        super().__init__(array)
        self.device = device

    def __dlpack_device__(self):
        return self.device


def test_dlpacks_rules(rng):
    x = random_array(rng, 1001, "f4")
    out = np.full(1001, 7, "f4")
    given = Exporter(out)
    assert upsweep.sort(Exporter(x), out=given) is given and np.array_equal(out, np.sort(x))
    assert np.array_equal(upsweep.sort(Exporter(x[::-2])), np.sort(x[::-2]))
    with pytest.raises(ValueError, match="strided|read-only"):
        upsweep.sort(x[:500], out=Exporter(np.empty(1000, "f4")[::2]))
    assert upsweep.sort(Exporter(x[:0]), out=Exporter(np.empty(0, "f4"))).array.size == 0
    fixed = x.copy()
    fixed.flags.writeable = False
    try:
        assert upsweep.sum(Exporter(fixed)) == upsweep.sum(x)
    except upsweep.Unsupported as wrong:  # NumPy exports read-only arrays since DLPack 1.0
        assert "Exporter that NumPy does not accept through DLPack" in str(wrong)
    with pytest.raises(ValueError, match="read-only"):
        upsweep.sort(x, out=fixed)
    # Host memory, CUDA pinned memory, and then GPU memory.
    assert upsweep.max(Placed(x, (1, 0))) == upsweep.max(Placed(x, (3, 0))) == x.max()
    for device in (2, 10):
        with pytest.raises(upsweep.Unsupported, match=f"DLPack device type {device}"):
            upsweep.max(Placed(x, (device, 0)))
    assert upsweep.max(Placed(x, (1, 0))) == x.max()
    with pytest.raises(upsweep.BadArgument, match="sum: a list that cannot be converted to an array"):
        upsweep.sum([[1], [2, 3]])


def test_threads_share_what_there_is(rng):
    x = random_array(rng, 200_003, "u4")
    want, wrong = np.sort(x), []

    def work(seed):
        for _ in range(20):
            if not np.array_equal(upsweep.sort(x), want) or upsweep.sum(x) != x.sum():
                wrong.append(seed)
            try:
                upsweep.reduce(x, "bit_nand")
            except ValueError as said:
                if "bit_nand" not in str(said):
                    wrong.append(str(said))
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_a_forked_process_goes_on(rng):
    x = random_array(rng, 500_003, "f4")
    want = upsweep.sort(x)  # starts the threads
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert all(np.array_equal(each, want) for each in pool.map_async(upsweep.sort, [x] * 4).get(timeout=60))


def test_other_threads_run_while_a_call_works(rng):
    x = rng.random(30_000_000, "f4")
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.002):
            ticks.append(1)
    thread = threading.Thread(target=tick)
    thread.start()
    upsweep.sort(x)
    done.set()
    thread.join()
    assert len(ticks) > 10


def test_nothing_is_kept(rng):
    x = random_array(rng, 1000, "f4")
    out = np.empty(1000, "f4")
    calls = [lambda: upsweep.sum(x), lambda: upsweep.sort(x), lambda: upsweep.scan(x, out=out), lambda: upsweep.select(x, "x > 0"),
             lambda: upsweep.unique(x), lambda: upsweep.histogram(x), lambda: pytest.raises(ValueError, upsweep.reduce, x, "?")]
    for call in calls:
        for _ in range(200):
            call()
    gc.collect()
    counts, before = (sys.getrefcount(x), sys.getrefcount(out), sys.getrefcount(None)), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for call in calls:
        for _ in range(14_300):  # 10^5 in all
            call()
    gc.collect()
    after = (sys.getrefcount(x), sys.getrefcount(out), sys.getrefcount(None))
    assert counts[:2] == after[:2] and abs(after[2] - counts[2]) < 100
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * 1024  # KiB


def test_every_name_says_what_it_does():
    for name in upsweep.__all__:
        assert getattr(upsweep, name).__doc__, name


def test_the_command_and_what_it_says_where_there_is_none():
    ran = subprocess.run([sys.executable, "-m", "upsweep", "--version"], capture_output=True, text=True)
    if ran.returncode == 0:
        assert ran.stdout.startswith(upsweep.__version__)
    else:
        assert ran.returncode == 1 and "without the command" in ran.stderr and len(ran.stderr.splitlines()) == 1
