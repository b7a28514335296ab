"""GPU arrays of CuPy and PyTorch, on their streams, and of JAX. The tests are skipped without a GPU."""
import contextlib
import gc
import os
import threading

import numpy as np
import pytest
from conftest import FOLDED, random_array

import upsweep


class CuPys:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        if not self.cupy.cuda.is_available():
            pytest.skip("CuPy finds no GPU")

    def to_device(self, x):
        return self.cupy.asarray(x)

    def to_host(self, x):
        assert isinstance(x, self.cupy.ndarray)
        return x.get()

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def used(self):
        return self.cupy.cuda.Device().mem_info[0]


class Torchs:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("PyTorch finds no GPU")

    def to_device(self, x):
        return self.torch.from_numpy(np.array(x)).cuda()

    def to_host(self, x):
        assert isinstance(x, self.torch.Tensor) and x.is_cuda
        return x.cpu().numpy()

    def stream(self):
        return self.torch.cuda.stream(self.torch.cuda.Stream())

    def used(self):
        return self.torch.cuda.mem_get_info()[0]


class Jaxs:
    platform = "gpu"

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        self.jax = pytest.importorskip("jax")
        try:
            self.device = self.jax.devices(self.platform)[0]
        except RuntimeError:
            pytest.skip("JAX finds no GPU")
        self.jax.config.update("jax_enable_x64", True)

    def to_device(self, x):
        return self.jax.device_put(np.array(x), self.device)

    def to_host(self, x):
        assert isinstance(x, self.jax.Array) and x.devices() == {self.device}
        return np.asarray(x)

    def stream(self):
        return contextlib.nullcontext()

    def used(self):
        return -self.device.memory_stats()["bytes_in_use"]


class JaxsOnHost(Jaxs):
    platform = "cpu"


@pytest.fixture(params=[CuPys, Torchs, Jaxs], ids=["cupy", "torch", "jax"])
def gpu(request):
    return request.param()


@pytest.mark.parametrize("n", [1, 33, 1023, 100_003])
@pytest.mark.parametrize("dtype", FOLDED)
def test_one_row(gpu, rng, dtype, n):
    x = random_array(rng, n, dtype)
    d = gpu.to_device(x)
    exact = x.dtype.kind in "iu"
    near = np.array_equal if exact else lambda a, b: np.allclose(a, b, rtol=1e-4, atol=1e-4 * np.abs(x).sum(dtype="f8"))
    for got, want in ((upsweep.sum(d), x.sum()), (upsweep.cumsum(d), x.cumsum()), (upsweep.min(d), x.min()), (upsweep.max(d), x.max()),
                      (upsweep.reduce(d), x.sum(dtype=dtype)), (upsweep.scan(d), x.cumsum(dtype=dtype))):
        assert near(gpu.to_host(got), want)
    for got, want in ((upsweep.sort(d), np.sort(x)), (upsweep.argsort(d), np.argsort(x, kind="stable")), (upsweep.unique(d), np.unique(x)),
                      (upsweep.select(d, "x > 0"), x[x > 0]), (upsweep.select(d, gpu.to_device(x > 0)), x[x > 0]),
                      (upsweep.sort(d, descending=True), np.sort(x)[::-1]), (upsweep.top_k(d, min(n, 7))[0], np.sort(x)[::-1][:7]),
                      (upsweep.gather(d, gpu.to_device(np.arange(n)[::-1].copy())), x[::-1])):
        assert np.array_equal(gpu.to_host(got), want)
    assert int(upsweep.argmax(d)) == np.argmax(x) and int(upsweep.argmin(d)) == np.argmin(x)
    sorted_on_device = upsweep.sort(d)
    assert np.array_equal(gpu.to_host(upsweep.searchsorted(sorted_on_device, d)), np.searchsorted(np.sort(x), x))


def test_scalars_do_not_share_memory(gpu, rng):
    """Results do not share memory, on any stream."""
    xs = [gpu.to_device(np.full(10, i, dtype)) for i, dtype in enumerate(["f4", "f8", "i8"] * 70)]
    sums = [upsweep.sum(x) for x in xs]
    with gpu.stream():
        sums += [upsweep.max(x) for x in xs]
        again = [float(each) for each in sums[len(xs):]]
    assert again == [float(i) for i in range(len(xs))]
    assert [float(each) for each in sums] == [float(10 * i) for i in range(len(xs))] + again
    assert all(tuple(each.shape) == () and each.dtype == x.dtype for each, x in zip(sums, xs))


def test_many_axes(gpu, rng):
    x = random_array(rng, 3 * 40 * 50, "i4", 1000).reshape(3, 40, 50)
    d = gpu.to_device(x)
    for axis in (0, 1, 2, -1):
        for got, want in ((upsweep.sum(d, axis=axis), x.sum(axis)), (upsweep.cumsum(d, axis=axis), x.cumsum(axis)),
                          (upsweep.max(d, axis=axis, keepdims=True), x.max(axis, keepdims=True)), (upsweep.sort(d, axis), np.sort(x, axis)),
                          (upsweep.argsort(d, axis), np.argsort(x, axis, kind="stable"))):
            assert np.array_equal(gpu.to_host(got), want)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_nans_are_last_in_descending_order(gpu, rng, dtype):
    x = rng.integers(-4, 5, (7, 1009)).astype(dtype)
    x[rng.random(x.shape) < 0.3] = np.nan
    for axis in (0, 1):
        order = np.argsort(-x, axis=axis, kind="stable")
        assert np.array_equal(gpu.to_host(upsweep.argsort(gpu.to_device(x), axis, descending=True)), order)
        got = gpu.to_host(upsweep.sort(gpu.to_device(x), axis, descending=True))
        assert np.array_equal(got, np.take_along_axis(x, order, axis), equal_nan=True)
    row, order = gpu.to_device(x[0]), np.argsort(-x[0], kind="stable")
    keys, values = upsweep.sort_by_key(row, gpu.to_device(np.arange(1009)), descending=True)
    assert np.array_equal(gpu.to_host(values), order) and np.array_equal(gpu.to_host(keys), x[0][order], equal_nan=True)
    assert upsweep.is_sorted(keys, descending=True)
    assert np.array_equal(gpu.to_host(row), x[0], equal_nan=True)


def test_outputs_of_other_types_and_strides(gpu, rng):
    x = random_array(rng, 6 * 8, "f8", 100).reshape(6, 8)
    d = gpu.to_device(x)
    for out in (gpu.to_device(np.zeros(8, "f4")), gpu.to_device(np.zeros((8, 2)))[:, 1]):
        assert upsweep.sum(d, axis=0, out=out) is out and np.allclose(gpu.to_host(out), x.sum(0))
    for out in (gpu.to_device(np.zeros((6, 8), "f4")), gpu.to_device(np.zeros((6, 16)))[:, ::2]):
        assert upsweep.sort(d, out=out, descending=True) is out and np.allclose(gpu.to_host(out), -np.sort(-x))
    with pytest.raises(upsweep.BadArgument, match="out is"):
        upsweep.sum(d, axis=0, out=gpu.to_device(np.zeros(8, "i4")))
    assert np.array_equal(gpu.to_host(upsweep.cumsum(gpu.to_device(x.astype("u1")), dtype=np.int8)), np.cumsum(x.astype("u1"), dtype="i1"))


def test_counts_keys_and_runs(gpu, rng):
    x = random_array(rng, 50_021, "i4", 100)
    d = gpu.to_device(x)
    counts, edges = upsweep.histogram(d, 10, (0, 100))
    assert np.array_equal(gpu.to_host(counts), np.histogram(x, 10, (0, 100))[0])
    assert np.array_equal(gpu.to_host(upsweep.bincount(d, minlength=100)), np.bincount(x, minlength=100))
    assert np.array_equal(gpu.to_host(upsweep.bincount(d, minlength=3)), np.bincount(x))  # minlength has no effect on more elements
    with pytest.raises(ValueError, match="below 0"):
        upsweep.bincount(gpu.to_device(np.array([1, -1], "i4")), minlength=3)
    weights = rng.random(x.size) * 10.0 ** rng.integers(-30, 30, x.size)
    weights[x == 7], weights[x == 8], weights[x == 9] = 1e300, np.nan, np.inf
    sums = gpu.to_host(upsweep.bincount(d, gpu.to_device(weights)))
    assert np.allclose(sums, np.bincount(x, weights), rtol=1e-12, atol=0, equal_nan=True)
    assert np.array_equal(gpu.to_host(upsweep.histogram(d, [-np.inf, 3, 7.5, 7.6, np.inf])[0]), np.histogram(x, [-np.inf, 3, 7.5, 7.6, np.inf])[0])
    keys, sums = upsweep.reduce_by_key(upsweep.sort(d), gpu.to_device(np.ones(x.size, "i4")))
    assert np.array_equal(gpu.to_host(keys), np.unique(x)) and np.array_equal(gpu.to_host(sums), np.bincount(x)[np.unique(x)])
    keys, values = upsweep.sort_by_key(d, gpu.to_device(np.arange(x.size)))
    assert np.array_equal(gpu.to_host(values), np.argsort(x, kind="stable")) and np.array_equal(gpu.to_host(keys), np.sort(x))
    values, lengths = upsweep.run_length_encode(upsweep.sort(d))
    assert np.array_equal(gpu.to_host(upsweep.run_length_decode(values, lengths)), np.sort(x))


def test_pictures_and_sequences(gpu, rng):
    x = rng.random((203, 310), "f4")
    d, mask = gpu.to_device(x), rng.random((3, 3), "f4")
    for ours in (lambda a: upsweep.convolve(a, mask, border="wrap"), lambda a: upsweep.gaussian(a, 1.5), lambda a: upsweep.box_filter(a, 2),
                 lambda a: upsweep.image.box_median(a, 1), lambda a: upsweep.image.resize(a, (77, 91)), upsweep.integral, lambda a: upsweep.bilateral(a, 1.5, 0.2)):
        assert np.allclose(gpu.to_host(ours(d)), ours(x), rtol=1e-3, atol=1e-3)
    line = rng.random(20_003)
    assert np.allclose(gpu.to_host(upsweep.moving_average(gpu.to_device(line), 0.3)), upsweep.moving_average(line, 0.3))


def test_bodies(gpu, rng):
    bodies = [*rng.normal(size=(3, 1000)), rng.random(1000)]
    on_device = upsweep.nbody.accelerations(*map(gpu.to_device, bodies), potential=True, softening=0.01)
    for ours, cpus in zip(on_device, upsweep.nbody.accelerations(*bodies, potential=True, softening=0.01), strict=True):
        assert np.allclose(gpu.to_host(ours), cpus, rtol=1e-9)


def test_work_follows_the_librarys_stream(gpu, rng):
    x = random_array(rng, 4_000_003, "i4")
    d, want = gpu.to_device(x), np.sort(x)
    for _ in range(5):
        with gpu.stream():
            later = d + d * 0  # enqueued on the stream, without a wait
            for _ in range(20):
                later = later * 1
            got = upsweep.sort(later)
            got = got + 0
            assert np.array_equal(gpu.to_host(got), want)


def test_threads_on_streams_of_their_own(gpu, rng):
    xs = [random_array(rng, 100_003 + 1000 * i, "i4") for i in range(6)]
    wrong = []

    def work(x):
        try:
            d, want = gpu.to_device(x), np.sort(x)
            with gpu.stream():
                for _ in range(30):
                    got, total = upsweep.sort(d), upsweep.sum(d)
                    assert np.array_equal(gpu.to_host(got), want) and int(total) == x.sum()
                    assert np.array_equal(gpu.to_host(upsweep.select(got, "x > 0")), want[want > 0])
        except Exception as error:
            wrong.append(repr(error))
    threads = [threading.Thread(target=work, args=(x,)) for x in xs]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


class Described:
    """An array with the CUDA array interface only."""

    def __init__(self, array, **more):
        self.array, self.more = array, more

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__ | self.more


def test_the_cuda_array_interface(rng):
    gpu = CuPys()
    cupy = gpu.cupy
    x = random_array(rng, 10_007, "f4")
    d = gpu.to_device(x)
    assert np.array_equal(gpu.to_host(upsweep.sort(Described(d))), np.sort(x)) and float(upsweep.max(Described(d))) == x.max()
    assert len(upsweep.select(Described(d), "x > 0")) == (x > 0).sum() and int(upsweep.argmax(Described(d))) == x.argmax()
    out = cupy.empty_like(d)
    given = Described(out)
    assert upsweep.sort(Described(d), out=given) is given and np.array_equal(gpu.to_host(out), np.sort(x))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        later = d + 0
    assert np.array_equal(gpu.to_host(upsweep.sort(Described(later, stream=stream.ptr))), np.sort(x))
    whole = random_array(rng, 10_007, "i4")  # summed in 64 bits
    with cupy.cuda.Stream(non_blocking=True) as stream:
        later = cupy.asarray(whole) + 0
    given = Described(later, stream=stream.ptr)
    assert int(upsweep.sum(given)) == whole.sum() and np.array_equal(gpu.to_host(upsweep.cumsum(given)), whole.cumsum())
    with pytest.raises(ValueError, match="contiguous"):
        upsweep.sum(Described(d[::2]))
    with pytest.raises(ValueError, match="read-only"):
        upsweep.sort(d, out=Described(out, data=(out.data.ptr, True)))


def test_numbas_arrays(rng):
    gpu = CuPys()
    cuda = pytest.importorskip("numba.cuda")
    x = random_array(rng, 10_007, "i4")
    d = cuda.to_device(x)
    assert np.array_equal(gpu.to_host(upsweep.sort(d)), np.sort(x)) and int(upsweep.sum(d)) == x.sum()


@pytest.mark.parametrize("where", [CuPys, Torchs], ids=["cupy", "torch"])
def test_arrays_of_another_device_than_the_current_one(where, rng):
    gpu = where()
    x = random_array(rng, 10_007, "i4")
    if where is CuPys:
        if gpu.cupy.cuda.runtime.getDeviceCount() < 2:
            pytest.skip("one GPU is here")
        with gpu.cupy.cuda.Device(1):
            d = gpu.to_device(x)
    else:
        if gpu.torch.cuda.device_count() < 2:
            pytest.skip("one GPU is here")
        d = gpu.to_device(x).to("cuda:1")
    for got, want in ((upsweep.sort(d), np.sort(x)), (upsweep.sum(d), x.sum()), (upsweep.select(d, "x > 0"), x[x > 0])):
        assert got.device == d.device and np.array_equal(gpu.to_host(got), want)
    with pytest.raises(ValueError, match="two libraries, devices or streams"):
        upsweep.merge(upsweep.sort(d), gpu.to_device(np.sort(x)))


def test_a_pytorch_graph_replays_calls(rng):
    gpu = Torchs()
    torch = gpu.torch
    x = random_array(rng, 100_003, "i4", 1000)
    d = gpu.to_device(x)
    sums, ordered = torch.empty(x.size, dtype=torch.int64, device="cuda"), torch.empty_like(d)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        upsweep.cumsum(d, out=sums), upsweep.sort(d, out=ordered)
    side.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        upsweep.cumsum(d, out=sums)
        upsweep.sort(d, out=ordered)
    for seed in range(3):
        y = random_array(np.random.default_rng(seed), x.size, "i4", 1000)
        d.copy_(torch.from_numpy(y))
        graph.replay()
        assert np.array_equal(gpu.to_host(sums), np.cumsum(y)) and np.array_equal(gpu.to_host(ordered), np.sort(y))


@pytest.mark.parametrize("count", [0, 1, 1000, 50_021, 60_000])
def test_counted_arrays(gpu, rng, count):
    x, beside = random_array(rng, 50_021, "i4", 1000), np.arange(50_021)
    xs, first = upsweep.counted(gpu.to_device(x), gpu.to_device(np.array([count]))), x[:count]
    order = np.argsort(first, kind="stable")
    keys, places = upsweep.sort_by_key(xs, gpu.to_device(beside))
    groups, sums = upsweep.reduce_by_key(upsweep.sort(xs), gpu.to_device(np.ones(x.size, "i4")))
    for got, want in ((upsweep.sort(xs), first[order]), (upsweep.sort(xs, descending=True), first[order][::-1]), (upsweep.argsort(xs), order),
                      (upsweep.cumsum(xs), first.cumsum()), (upsweep.scan(xs, "max"), np.maximum.accumulate(first)),
                      (upsweep.select(xs, "x > 500"), first[first > 500]), (upsweep.select(xs, gpu.to_device(x % 2 == 0)), first[first % 2 == 0]),
                      (upsweep.select(xs, "x % 7 == 3 or x < 10"), first[(first % 7 == 3) | (first < 10)]),
                      (upsweep.unique_consecutive(upsweep.sort(xs)), np.unique(first)), (keys, first[order]), (places, order),
                      (groups, np.unique(first)), (sums, np.bincount(first, minlength=1)[np.unique(first)])):
        assert len(got) == len(want) and len(got.array) == x.size and np.array_equal(gpu.to_host(got.first()), want)
    assert int(upsweep.sum(xs)) == first.sum() and int(upsweep.reduce(xs, "|", transform="negate")) == np.bitwise_or.reduce(-first, initial=0)
    if count:
        assert (int(upsweep.min(xs)), int(upsweep.max(xs))) == (first.min(), first.max())
    for bins, range in ((10, (0, 1000)), ([0, 0.25, 0.5, 3, 500], None)):
        assert np.array_equal(gpu.to_host(upsweep.histogram(xs, bins, range)[0]), np.histogram(first, bins, range)[0])


@pytest.mark.parametrize("dtype", ["u1", "i2", "f2", "f4", "f8", "u8"])
def test_a_chain_of_calls_after_a_selection(gpu, rng, dtype):
    x = random_array(rng, 30_011, dtype, 100)
    kept = upsweep.select(gpu.to_device(x), "x > 30", count="device")
    capacity, count = kept
    want = x[x > 30]
    ordered = upsweep.sort(kept)
    assert capacity is kept.array and len(capacity) == x.size and int(count[0]) == len(kept) == len(want)
    assert np.array_equal(gpu.to_host(ordered.first()), np.sort(want))
    assert np.array_equal(gpu.to_host(upsweep.unique_consecutive(ordered).first()), np.unique(want))
    assert np.allclose(gpu.to_host(upsweep.sum(kept)), want.sum(), rtol=1e-3)


def test_a_pytorch_graph_of_counted_arrays(rng):
    """Each replay selects a different number of elements, and the host does not read it during the replay."""
    gpu = Torchs()
    torch = gpu.torch
    x = random_array(rng, 100_003, "i4", 1000)
    d, ones, places = gpu.to_device(x), gpu.to_device(np.ones(x.size, "i4")), gpu.to_device(np.arange(x.size))

    def calls():
        kept = upsweep.select(d, "x > 300", count="device")
        ordered = upsweep.sort(kept)
        odd = upsweep.select(ordered, "x % 2 == 1")
        return (ordered, upsweep.argsort(kept), upsweep.cumsum(kept), upsweep.unique_consecutive(ordered), odd, upsweep.sort_by_key(kept, places)[1],
                upsweep.reduce_by_key(ordered, ones)[1], upsweep.sum(kept), upsweep.max(odd), upsweep.histogram(kept, 10, (0, 1000))[0])

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        calls()
    side.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        *counted, total, most, counts = calls()
    for limit in (1000, 350, 310, 5000):
        y = random_array(np.random.default_rng(limit), x.size, "i4", limit)
        d.copy_(torch.from_numpy(y))
        graph.replay()
        torch.cuda.synchronize()
        kept = y[y > 300]
        order, ordered = np.argsort(kept, kind="stable"), np.sort(kept)
        odd = ordered[ordered % 2 == 1]
        wanted = (ordered, order, kept.cumsum(), np.unique(kept), odd, order, np.unique(kept, return_counts=True)[1])
        for got, want in zip(counted, wanted, strict=True):
            assert len(got) == len(want) and np.array_equal(gpu.to_host(got.first()), want)
        assert int(total) == kept.sum() and int(most) == odd.max()
        assert np.array_equal(gpu.to_host(counts), np.histogram(kept, 10, (0, 1000))[0])


def test_wrong_arguments(gpu, rng):
    d = gpu.to_device(random_array(rng, 1000, "f4"))
    if not isinstance(gpu, Jaxs):  # slices of JAX arrays are copies
        with pytest.raises(ValueError, match="contiguous"):
            upsweep.sum(d[::2])
    with pytest.raises(upsweep.Error):
        upsweep.merge(upsweep.sort(d), np.zeros(3, "f4"))


def test_arrays_of_two_libraries_are_refused(rng):
    a, b = CuPys().to_device(np.arange(5)), Torchs().to_device(np.arange(5))
    with pytest.raises(ValueError, match="two libraries"):
        upsweep.merge(a, b)
    with pytest.raises(ValueError, match="another library"):
        upsweep.sort(a, out=b)
    with pytest.raises(ValueError, match="host memory"):
        upsweep.sort(a, out=np.empty(5, "i8"))


def test_many_calls_leak_no_memory(gpu, rng):
    d = gpu.to_device(random_array(rng, 10_007, "f4"))
    for _ in range(50):
        upsweep.sort(d), upsweep.sum(d), upsweep.select(d, "x > 0")
    gc.collect()
    before = gpu.used()
    for _ in range(2000):
        upsweep.sort(d), upsweep.sum(d), upsweep.select(d, "x > 0")
    gc.collect()
    assert before - gpu.used() < 2**24


def test_host_arrays_are_uploaded(gpu, rng):
    x = random_array(rng, 100_003, "f8")
    with upsweep.device("cuda:0"):
        assert np.array_equal(upsweep.sort(x), np.sort(x)) and np.array_equal(upsweep.select(x, "x > 0"), x[x > 0])
        assert np.allclose(upsweep.cumsum(x), np.cumsum(x)) and upsweep.argmax(x) == np.argmax(x)


@pytest.mark.parametrize("where", [Jaxs, JaxsOnHost], ids=["gpu", "cpu"])
def test_jaxs_arrays(where, rng):
    gpu = where()
    x = random_array(rng, 10_007, "i8")
    d = gpu.to_device(x)
    gpu.jax.config.update("jax_enable_x64", False)  # the default; results of upsweep keep their 8 bytes
    try:
        assert np.array_equal(gpu.to_host(upsweep.sort(d)), np.sort(x)) and np.array_equal(gpu.to_host(upsweep.select(d, "x > 0")), x[x > 0])
        assert upsweep.cumsum(gpu.to_device(x.astype("i4"))).dtype == np.int64
        with pytest.raises(ValueError, match="immutable|read-only"):
            upsweep.sort(d, out=d)
        with pytest.raises(upsweep.Error, match="tracing"):
            gpu.jax.jit(upsweep.sum)(d)
    finally:
        gpu.jax.config.update("jax_enable_x64", True)
