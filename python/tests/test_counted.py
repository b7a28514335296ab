"""Counted arrays compared with NumPy: on the CPU, on an OpenCL device, and with a GPU library that runs on the CPU."""
import contextlib
import sys

import numpy as np
import pytest
from conftest import FOLDED, TYPES, random_array, opencl
from numpy.lib.mixins import NDArrayOperatorsMixin

import upsweep
from upsweep import _calls, arrays, folds

CAPACITY = 4099
COUNTS = [0, 1, 31, 1024, CAPACITY - 1, CAPACITY, CAPACITY + 1]


class Opaque(NDArrayOperatorsMixin):
    """An array whose elements NumPy cannot read: a stand-in for a GPU array."""

    def __init__(self, inside):
        self.inside = np.array(inside)
        self.dtype, self.shape, self.ndim = self.inside.dtype, self.inside.shape, self.inside.ndim

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, which):
        return Opaque(self.inside[which])

    def reshape(self, *shape):
        return Opaque(self.inside.reshape(*shape))

    def __array_ufunc__(self, function, method, *given, **how):
        return Opaque(getattr(function, method)(*(each.inside if isinstance(each, Opaque) else each for each in given), **how))


class OpaqueKind:
    """The class of kinds.py for these arrays. New memory is not zero, so that tests see missing writes."""

    family, synchronous, foreign_stream = "opaque", False, False

    def __init__(self):
        self.waits_are_wrong = False

    def on_gpu(self, array):
        return True

    def capturing(self, array):
        return False

    def location(self, array):
        return 0, 0

    def describe(self, array):
        inside = array.inside
        return inside.ctypes.data, inside.shape, inside.dtype, inside.flags.c_contiguous

    def describe_flat(self, array):
        address, _, dtype, contiguous = self.describe(array)
        return address, array.inside.size, dtype, contiguous

    def empty(self, like, shape, dtype):
        array = Opaque(np.empty(shape, dtype))
        array.inside.reshape(-1).view("u1")[:] = 0xAB
        return array

    def empty_scalar(self, like, dtype):
        return self.empty(like, (), dtype)

    def address(self, array):
        return array.inside.ctypes.data

    def writable(self, array):
        return array.inside.flags.writeable

    def astype(self, array, dtype):
        with np.errstate(all="ignore"):
            return Opaque(array.inside.astype(dtype))

    def item(self, array):
        assert not self.waits_are_wrong
        return array.inside.reshape(-1)[0].item()


class Cpu:
    to_device = to_host = staticmethod(np.asarray)
    inside = staticmethod(contextlib.nullcontext)
    nothing_waits = staticmethod(contextlib.nullcontext)


class OpenCl(Cpu):
    def __init__(self, monkeypatch):
        if opencl() is None:
            pytest.skip("no OpenCL device was found")

    @staticmethod
    def inside():
        return upsweep.device(opencl())


class Gpu(Cpu):
    to_device = staticmethod(Opaque)

    def __init__(self, monkeypatch):
        self.kind = OpaqueKind()
        monkeypatch.setitem(arrays.known, Opaque, self.kind)
        monkeypatch.setattr(arrays, "on_stream", lambda index, stream: arrays.opened("cpu"))
        monkeypatch.setattr(folds, "on_stream", arrays.on_stream)

    @staticmethod
    def to_host(array):
        return array.inside if isinstance(array, Opaque) else np.asarray(array)

    @contextlib.contextmanager
    def nothing_waits(self):
        def waits(*given):
            raise AssertionError("a wait")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(self.kind, "waits_are_wrong", True)
            for name in ("upload", "download", "synchronize"):
                patched.setattr(_calls, name, waits)
            yield


@pytest.fixture(params=["cpu", "opencl", "gpu"])
def where(request, monkeypatch):
    place = {"cpu": lambda _: Cpu(), "opencl": OpenCl, "gpu": Gpu}[request.param](monkeypatch)
    with place.inside():
        yield place


def counted(where, x, count, kind="u8"):
    return upsweep.counted(where.to_device(x), where.to_device(np.array([count], kind)))


def same(where, got, want, capacity=CAPACITY):
    """Return whether got is a counted array of this capacity whose elements equal want."""
    assert type(got) is upsweep.counted and len(got.array) == capacity and len(got) == len(want)
    first = where.to_host(got.first())
    return first.dtype == want.dtype and np.array_equal(first, want)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_orders_and_selections(where, rng, dtype, count):
    x = random_array(rng, CAPACITY, dtype, 100)
    first, mask = x[:count], random_array(rng, CAPACITY, "u1", 2) > 0
    xs = counted(where, x, count)
    mask_on_device = where.to_device(mask)
    with where.nothing_waits():
        up, down, order = upsweep.sort(xs), upsweep.sort(xs, 0, descending=True), upsweep.argsort(xs)
        by_comparison, by_mask, by_expression = upsweep.select(xs, "x > 50"), upsweep.select(xs, mask_on_device), upsweep.select(xs, "x % 7 == 3")
        runs = upsweep.unique_consecutive(up)
    stable = np.argsort(first, kind="stable")
    assert same(where, up, np.sort(first)) and same(where, down, np.sort(first)[::-1]) and same(where, order, stable)
    assert same(where, by_comparison, first[first > 50]) and same(where, by_mask, first[mask[:count]])
    assert same(where, by_expression, first[first % 7 == 3]) and same(where, runs, np.unique(first))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("dtype", FOLDED)
def test_folds(where, rng, dtype, count):
    x = random_array(rng, CAPACITY, dtype, 100)
    first, xs = x[:count], counted(where, x, count)
    wide = np.zeros(0, dtype).cumsum().dtype
    factors = np.where(np.arange(CAPACITY) % 1000, 1, 2).astype(dtype)
    factors[count:] = 3
    factors_on_device = counted(where, factors, count)
    with where.nothing_waits():
        total, product, own = upsweep.sum(xs), upsweep.prod(factors_on_device), upsweep.reduce(xs)
        squares, kept = upsweep.reduce(xs, transform="square", init=3), upsweep.sum(xs, keepdims=True, axis=0)
        running, ran = upsweep.cumsum(xs), upsweep.scan(xs, "max", exclusive=True, init=7)
        negated = upsweep.scan(xs, transform="negate")
        by_expression = upsweep.reduce(xs, upsweep.expression("a > b ? a : b", identity=0))
        ran_by_expression = upsweep.scan(xs, upsweep.expression("a > b ? a : b", identity=0))
    assert where.to_host(total) == first.sum() and where.to_host(total).dtype == wide
    assert where.to_host(own) == first.sum(dtype=dtype) and where.to_host(kept) == first.sum() and where.to_host(kept).shape == (1,)
    assert where.to_host(squares) == (first * first).sum(dtype=dtype) + np.array(3, dtype)
    assert where.to_host(product) == factors[:count].prod()
    assert same(where, running, first.cumsum())
    assert same(where, ran, np.maximum.accumulate(np.append(7, first)).astype(dtype)[:len(first)])
    assert same(where, negated, np.negative(first).cumsum(dtype=dtype))
    assert where.to_host(by_expression) == first.max(initial=0) and same(where, ran_by_expression, np.maximum.accumulate(first))
    if count:
        with where.nothing_waits():
            least, greatest = upsweep.min(xs), upsweep.max(xs)
        assert where.to_host(least) == first.min() and where.to_host(greatest) == first.max()


@pytest.mark.parametrize("dtype", ["i1", "u2", "f2", "?"])
def test_folds_of_types_that_are_converted(where, rng, dtype):
    x = random_array(rng, CAPACITY, "u1", 2).astype(dtype)
    xs, first = counted(where, x, 1000), x[:1000]
    with where.nothing_waits() if dtype == "?" else contextlib.nullcontext():
        total, running, least, greatest = upsweep.sum(xs), upsweep.cumsum(xs), upsweep.min(xs), upsweep.max(xs)
    assert where.to_host(total) == first.sum() and where.to_host(total).dtype == first.sum().dtype
    assert same(where, running, first.cumsum())
    assert (where.to_host(least), where.to_host(greatest)) == (first.min(), first.max()) and where.to_host(least).dtype == x.dtype


@pytest.mark.parametrize("count", COUNTS)
def test_by_key(where, rng, count):
    keys, values = random_array(rng, CAPACITY, "i4", 40), random_array(rng, CAPACITY, "i8", 1000)
    keys_on_device, values_on_device = counted(where, keys, count), where.to_device(values)
    with where.nothing_waits():
        ordered, along = upsweep.sort_by_key(keys_on_device, values_on_device)
        groups, sums = upsweep.reduce_by_key(ordered, along)
        _, negated = upsweep.reduce_by_key(ordered, along, "max", transform="negate")
    keys, values = keys[:count], values[:count]
    order = np.argsort(keys, kind="stable")
    assert same(where, ordered, keys[order]) and same(where, along, values[order])
    known = np.unique(keys)
    assert same(where, groups, known) and same(where, sums, np.array([values[keys == k].sum() for k in known], "i8"))
    assert same(where, negated, np.array([-values[keys == k].min() for k in known], "i8"))
    assert sums.count is groups.count and along.count is keys_on_device.count


@pytest.mark.parametrize("count", [0, 31, CAPACITY - 1, CAPACITY + 1])
@pytest.mark.parametrize("dtype", TYPES)
def test_histograms(where, rng, dtype, count):
    x = random_array(rng, CAPACITY, dtype, 100)
    xs = counted(where, x, count)
    for bins, range in ((10, (0, 100)), (7, (3.5, 61)), ([0, 0.25, 0.5, 3, 50], None), ([0.25, 0.5], None), (256, (0, 255))):
        if (bins, range, dtype) == (256, (0, 255), "i1"):
            range = (-128, 127)
        upsweep.histogram(xs, bins, range)  # uploads the edges
        with where.nothing_waits():
            counts, edges = upsweep.histogram(xs, bins, range)
        of_edges = x[:count] if dtype in ("f2", "f4") else x[:count].astype("f8")  # edges of floats have their type, as in NumPy; others are f8
        exact_edges = np.histogram_bin_edges(of_edges, bins, range)
        want, _ = np.histogram(x[:count].astype("f8"), exact_edges)
        assert np.array_equal(where.to_host(counts), want) and np.array_equal(edges, exact_edges)


def test_a_chain_of_calls_after_a_selection(where, rng):
    x = random_array(rng, 30_011, "i4", 1000)
    on_device = where.to_device(x)
    with where.nothing_waits():
        kept = upsweep.select(on_device, "x > 300", count="device")
        fewer = upsweep.select(upsweep.unique_consecutive(upsweep.sort(kept)), upsweep.expression("x % 3 == 0"))
        total = upsweep.sum(fewer)
    want = np.unique(x[x > 300])
    assert same(where, fewer, want[want % 3 == 0], x.size) and where.to_host(total) == want[want % 3 == 0].sum()
    capacity, count = kept
    assert capacity is kept.array and count is kept.count and len(capacity) == x.size


def test_conditions_are_not_evaluated_past_the_count():
    x = np.zeros(100, "i4")  # a division by these zeros would be an error
    x[:10] = np.arange(1, 11)
    xs = upsweep.counted(x, [10])
    assert same(Cpu, upsweep.select(xs, upsweep.expression("10 / x > 2")), np.array([1, 2, 3], "i4"), 100)
    with np.errstate(all="raise"):
        assert same(Cpu, upsweep.select(xs, "10 / x > 2.5"), np.array([1, 2, 3], "i4"), 100)


@pytest.mark.parametrize("kind", ["u8", "i8"])
def test_out(where, rng, kind):
    x = random_array(rng, CAPACITY, "f8")
    xs, out, places = counted(where, x, 1000, kind), where.to_device(np.full(CAPACITY, 7.0)), where.to_device(np.zeros(CAPACITY, "i8"))
    for call, want in ((upsweep.sort, np.sort), (upsweep.cumsum, np.cumsum), (upsweep.scan, np.cumsum)):
        got = call(xs, out=out)
        assert got.array is out and got.count is xs.count and np.allclose(where.to_host(out)[:1000], want(x[:1000]), rtol=1e-9)
    assert upsweep.argsort(xs, out=places).array is places and np.array_equal(where.to_host(places)[:1000], np.argsort(x[:1000], kind="stable"))
    got = upsweep.select(xs, "x > 0", out=out)
    assert got.array is out and np.array_equal(where.to_host(got.first()), x[:1000][x[:1000] > 0])
    assert upsweep.sum(xs, out=(total := where.to_device(np.zeros((), "f8")))) is total and np.isclose(where.to_host(total), x[:1000].sum())


def test_torch_on_the_cpu(rng):
    torch = pytest.importorskip("torch")
    x = random_array(rng, CAPACITY, "f4")
    kept = upsweep.select(torch.from_numpy(x), "x > 0", count="device")
    want = x[x > 0]
    assert isinstance(kept.array, torch.Tensor) and isinstance(kept.count, torch.Tensor)
    for got, wanted in ((kept, want), (upsweep.sort(kept), np.sort(want)), (upsweep.select(kept, "x % 2 < 1"), want[want % 2 < 1]),
                        (upsweep.argsort(kept), np.argsort(want, kind="stable"))):
        assert isinstance(got.first(), torch.Tensor) and np.array_equal(got.first().numpy(), wanted)
    assert np.isclose(float(upsweep.sum(kept)), want.sum(dtype="f8"), rtol=1e-5)


def test_elements_past_the_count_are_unchanged_on_the_cpu(rng):
    x, out = random_array(rng, 500, "f4"), np.full(500, 7, "f4")
    upsweep.sort(upsweep.counted(x, [200]), out=out)
    assert np.array_equal(out[:200], np.sort(x[:200])) and (out[200:] == 7).all()
    xs = upsweep.counted(x, np.array([200]))
    assert upsweep.sort(xs, out=x).array is x and np.array_equal(x[:200], out[:200])


def test_counts_and_reprs(where):
    xs = counted(where, np.arange(10), 4)
    assert len(xs) == int(xs) == 4 and np.array_equal(where.to_host(xs.first()), np.arange(4)) and xs
    with where.nothing_waits():
        assert repr(xs) == "upsweep.counted(up to 10 of int64)"
    assert len(counted(where, np.arange(10), 11)) == len(counted(where, np.arange(10), -1, "i8")) == 10
    assert not counted(where, np.arange(10), 0)
    assert len(upsweep.counted([1, 2, 3], [2])) == 2 and upsweep.sum(upsweep.counted([1, 2, 3], [2])) == 3


def test_wrong_arguments(where):
    x = where.to_device(np.arange(10))
    xs = counted(where, np.arange(10), 4)
    for wrong in (np.zeros(2, "u8"), np.zeros(1, "i4"), np.zeros(1), np.zeros(0, "u8")):
        with pytest.raises(ValueError, match="sort: the count is .*; give one uint64 or int64"):
            upsweep.sort(upsweep.counted(x, where.to_device(wrong)))
    with pytest.raises(ValueError, match=r"counted: an array of shape \(2, 5\)"):
        upsweep.counted(where.to_device(np.zeros((2, 5))), xs.count)
    with pytest.raises(ValueError, match="axis 1 of an array of 1 axes"):
        upsweep.sort(xs, axis=1)
    with pytest.raises(ValueError, match="axis 1 of an array of 1 axes"):
        upsweep.sum(xs, axis=1)
    with pytest.raises(ValueError, match="sort: less= and a counted array"):
        upsweep.sort(xs, less="a < b")
    with pytest.raises(ValueError, match="unique_consecutive: equal= and a counted array"):
        upsweep.unique_consecutive(xs, equal="a == b")
    with pytest.raises(ValueError, match="sort_by_key: two counted arrays with different counts"):
        upsweep.sort_by_key(xs, counted(where, np.arange(10), 4))
    with pytest.raises(ValueError, match=r"reduce_by_key: counted keys in an array of shape \(10,\) and values of shape \(9,\)"):
        upsweep.reduce_by_key(xs, where.to_device(np.arange(9)))
    with pytest.raises(ValueError, match="a counted array, which this call does not support"):
        upsweep.argmax(xs)
    with pytest.raises(ValueError, match="unknown operator 'nand'"):
        upsweep.scan(xs, "nand")
    with pytest.raises(ValueError, match="out is uint32"):
        upsweep.sort(xs, out=where.to_device(np.zeros(10, "u4")))


def test_bins_up_to_the_greatest_number(monkeypatch):
    gpu, most = Gpu(monkeypatch), 2**63 - 1
    with pytest.raises(TypeError, match="histogram: bins of a counted array that include the greatest int64"):
        upsweep.histogram(counted(gpu, np.arange(10), 4), [0, 5, most])
    with pytest.raises(ValueError, match="the range of an array on a device"):
        upsweep.histogram(counted(gpu, np.arange(10), 4), 5)
    assert np.array_equal(upsweep.histogram(counted(Cpu, np.arange(10), 4), [0, 2, most])[0], [2, 2])


def test_no_reference_is_leaked(rng):
    x, count = random_array(rng, 1000, "f4"), np.array([500], "u8")
    xs = upsweep.counted(x, count)
    for _ in range(300):
        upsweep.sort(xs), upsweep.sum(xs), upsweep.select(xs, "x > 0"), upsweep.cumsum(xs)
    before = sys.getrefcount(x), sys.getrefcount(count)
    for _ in range(300):
        upsweep.sort(xs), upsweep.sum(xs), upsweep.select(xs, "x > 0"), upsweep.cumsum(xs)
    assert (sys.getrefcount(x), sys.getrefcount(count)) == before
