"""bench.py on a GPU: our calls on CuPy and PyTorch arrays, compared with calls of these libraries and of the C interface.

Large arrays are timed by events: the device time of one call, with cold caches. A write of 1 GiB precedes each call and hides the host's work before
the first kernel. So host time counts only where the call waits for the device. 1000 elements are timed by the clock: one call after the other, with
one wait at the end. Each figure is the median of several runs. The file also has the minimum and the maximum. Before it is timed, a result is compared
with the other library's: exactly, but sums of floats with sums in float64.
"""
import statistics
import time

import numpy as np

import upsweep
from upsweep import _calls, arrays

SMALL, MEDIUM, LARGE, SORTED = 1000, 1_000_003, 50_000_000, 100_000_000
ROWS = (7001, 7151)  # the shape for calls along an axis
FLUSHED = 1 << 30


class CuPy:
    name = "CuPy"

    def __init__(self, index):
        import cupy
        self.of, self.index = cupy, index
        cupy.cuda.Device(index).use()
        self.version = cupy.__version__
        self.scratch = cupy.empty(FLUSHED, "u1")

    def there(self, x):
        return self.of.asarray(x)

    def wide(self, x):
        return x.astype("f8")

    def flush(self):
        self.scratch.fill(1)

    def event(self):
        event = self.of.cuda.Event()
        event.record()
        return event

    def seconds(self, begin, end):
        return self.of.cuda.get_elapsed_time(begin, end) / 1e3

    def synchronize(self):
        self.of.cuda.Device(self.index).synchronize()

    def calls(self):
        cp = self.of
        return {"sum": lambda x: x.sum(), "max": lambda x: x.max(), "cumsum": cp.cumsum, "sort": cp.sort, "argsort": cp.argsort,
                "argmax": lambda x: x.argmax(), "unique": cp.unique, "select": lambda x: x[x > 7],
                "histogram": lambda x: cp.histogram(x, 64, range=bounds(x))[0], "sum axis 0": lambda x: x.sum(0), "sum axis 1": lambda x: x.sum(1),
                "max axis 1": lambda x: x.max(1), "cumsum axis 1": lambda x: cp.cumsum(x, 1), "sort axis 1": lambda x: cp.sort(x, 1)}


class Torch(CuPy):
    name = "PyTorch"

    def __init__(self, index):
        import torch
        if not torch.cuda.is_available():
            raise ImportError("no GPU answers PyTorch")
        self.of, self.index = torch, index
        torch.cuda.set_device(index)
        self.version = torch.__version__
        self.scratch = torch.empty(FLUSHED, dtype=torch.uint8, device=f"cuda:{index}")

    def there(self, x):
        return self.of.from_numpy(x).to(f"cuda:{self.index}")

    def wide(self, x):
        return x.double()

    def flush(self):
        self.scratch.fill_(1)

    def event(self):
        event = self.of.cuda.Event(enable_timing=True)
        event.record()
        return event

    def seconds(self, begin, end):
        return begin.elapsed_time(end) / 1e3

    def synchronize(self):
        self.of.cuda.synchronize(self.index)

    def calls(self):
        torch = self.of
        return {"sum": torch.sum, "max": torch.max, "cumsum": lambda x: torch.cumsum(x, 0), "sort": lambda x: torch.sort(x).values,
                "argsort": lambda x: torch.sort(x, stable=True).indices, "argmax": torch.argmax, "unique": torch.unique, "select": lambda x: x[x > 7],
                "histogram": lambda x: torch.histc(x, 64, *bounds(x)), "sum axis 0": lambda x: x.sum(0), "sum axis 1": lambda x: x.sum(1),
                "max axis 1": lambda x: torch.amax(x, 1), "cumsum axis 1": lambda x: torch.cumsum(x, 1),
                "sort axis 1": lambda x: torch.sort(x, 1).values}


class Compute:
    """cuda.compute on CuPy arrays, with preallocated outputs."""

    name = "cuda.compute"

    def __init__(self):
        import cuda.compute
        self.of = cuda.compute
        self.version = getattr(cuda.compute, "__version__", "unknown")

    def calls(self, x, cupy):
        of, dtype = self.of, np.dtype(str(x.dtype))
        nothing, one, many = np.zeros(1, dtype), cupy.empty(1, dtype), cupy.empty_like(x)

        def into(to, call, *more):
            call(x, to, *more)
            return to
        return {"sum": lambda _: into(one, of.reduce_into, of.OpKind.PLUS, x.size, nothing),
                "cumsum": lambda _: into(many, of.inclusive_scan, of.OpKind.PLUS, nothing, x.size),
                "sort": lambda _: into(many, of.radix_sort, None, None, of.SortOrder.ASCENDING, x.size)}


OURS = {
    "sum": upsweep.sum, "max": upsweep.max, "cumsum": upsweep.cumsum, "sort": upsweep.sort, "argsort": upsweep.argsort, "argmax": upsweep.argmax,
    "unique": upsweep.unique, "select": lambda x: upsweep.select(x, "x > 7"), "histogram": lambda x: upsweep.histogram(x, 64, bounds(x))[0],
    "sum axis 0": lambda x: upsweep.sum(x, 0), "sum axis 1": lambda x: upsweep.sum(x, 1), "max axis 1": lambda x: upsweep.max(x, 1),
    "cumsum axis 1": lambda x: upsweep.cumsum(x, 1), "sort axis 1": lambda x: upsweep.sort(x, 1),
}


def bounds(x):
    """Return the range of a histogram, which GPU arrays require."""
    return (-300, 300) if "float" in str(x.dtype) else (-2**31, 2**31 - 2)


def c_interface(name, x, space):
    """Return the call of the C interface that our call makes, with a preallocated output. Sums of int32 take more than one call."""
    if "float" not in str(x.dtype) and name != "sort":
        return None
    view = space.as_array(x, name)
    to, code, context = space.empty((1,) if name == "sum" else view.shape, view.dtype), arrays.CODES[view.dtype], space.context.address
    given, n, there = view.address, view.size, to.address
    call = {"sum": lambda _: _calls.reduce(context, code, given, n, 0, 0, None, there),
            "cumsum": lambda _: _calls.scan(context, code, given, n, True, 0, 0, None, there),
            "sort": lambda _: _calls.sort(context, code, given, n, False, there)}.get(name)
    return call and (lambda x, kept=to: call(x))


def by_events(library, call, x, rounds):
    for _ in range(3):
        call(x)
    spans = []
    for _ in range(rounds):
        library.flush()
        begin = library.event()
        result = call(x)
        spans.append((begin, library.event()))
        del result
    library.synchronize()
    return [library.seconds(*each) for each in spans]


def by_the_clock(library, call, x, rounds, times):
    for _ in range(50):
        call(x)
    seconds = []
    for _ in range(rounds):
        library.synchronize()
        began = time.perf_counter()
        for _ in range(times):
            call(x)
        library.synchronize()
        seconds.append((time.perf_counter() - began) / times)
    return seconds


def held(name, library, x, ours, theirs):
    """Raise an exception if our result differs from theirs."""
    got = ours(x)
    floats = "float" in str(got.dtype) and name.startswith(("sum", "cumsum"))
    want = theirs(library.wide(x) if floats else x)
    right = tuple(got.shape) == tuple(want.shape)
    if right and floats:
        right = float(abs(got - want).max()) <= 1e-5 * float(abs(want).max()) + 1e-3
    elif right and name == "histogram":  # the other libraries find bins by a rounded index
        right = int(abs(got - want).max()) <= 1e-5 * x.shape[0] + 1
    elif right:
        right = bool((got == want).all())
    if not right:
        raise SystemExit(f"{name} of {tuple(x.shape)} {x.dtype}: ours is not {library.name}'s; nothing is written")


def drawn(rng, shape, dtype):
    if dtype == "float32":
        return rng.standard_normal(shape, dtype) * np.float32(100)
    return np.frombuffer(bytearray(rng.bytes(int(np.prod(shape)) * 4)), dtype).reshape(shape)


def tasks():
    """Return (call, type, shape) of each row."""
    flat = ["sum", "max", "cumsum", "sort", "argsort", "argmax", "select", "histogram", "unique"]
    for n in (SMALL, MEDIUM, LARGE):
        for dtype in ("float32", "int32"):
            yield from ((name, dtype, (n,)) for name in flat)
    yield from (("sort", "uint32", (n,)) for n in (SMALL, MEDIUM, LARGE, SORTED))
    yield from ((name, "float32", ROWS) for name in ("sum axis 0", "sum axis 1", "max axis 1", "cumsum axis 1", "sort axis 1"))


def opened(index):
    there = []
    for kind in (CuPy, Torch):
        try:
            there.append(kind(index))
        except ImportError:
            pass
    if not there:
        raise SystemExit("neither CuPy nor PyTorch is here; one of them has the arrays")
    return there


def compute():
    try:
        return Compute()
    except ImportError:
        return None


def wake(libraries):
    """Work for two seconds: on processors that just woke up a launch takes half as long again."""
    until = time.perf_counter() + 2
    there = [library.there(np.ones(SMALL, "f4")) for library in libraries]
    while time.perf_counter() < until:
        for library, x in zip(libraries, there, strict=True):
            library.flush()
            for _ in range(100):
                upsweep.sum(x)
            library.synchronize()


def versions():
    said = {}
    for module in ("cupy", "torch"):
        try:
            said[module] = __import__(module).__version__
        except ImportError:
            said[module] = None
    said["cuda.compute"] = compute().version if compute() else None
    return said


def rows(index):
    libraries, third, rng, results, x = opened(index), compute(), np.random.default_rng(), [], (None, None, None)
    wake(libraries)
    for name, dtype, shape in tasks():
        if x[:2] != (dtype, shape):
            x = (dtype, shape, drawn(rng, shape, dtype))
        by_clock = shape == (SMALL,)
        line = f"{name:14} {dtype:8} {str(shape):14}"
        for library in libraries:
            if library.name == "PyTorch" and dtype == "uint32":  # PyTorch has no kernels for it
                continue
            there, theirs = library.there(x[2]), library.calls()[name]
            if library.name == "PyTorch" and name == "histogram" and dtype != "float32":
                theirs = None
            if theirs is not None:
                held(name, library, there, OURS[name], theirs)
            timed = [("upsweep", OURS[name]), (library.name, theirs)]
            if library.name == "CuPy":
                timed.append(("upsweep.h", c_interface(name, there, arrays.space_of(name, there))))
                if third is not None and dtype != "uint32":
                    timed.append((third.name, third.calls(there, library.of).get(name)))
            for who, call in timed:
                if call is None:
                    continue
                try:
                    seconds = by_the_clock(library, call, there, 7, 1000 if name not in ("unique",) else 100) if by_clock else \
                        by_events(library, call, there, 9 if there.shape[0] > MEDIUM else 15)
                except Exception as wrong:
                    if who != "cuda.compute":
                        raise
                    print(f"{who}: {wrong}")
                    continue
                results.append({"call": name, "type": dtype, "shape": list(shape), "measured": "clock" if by_clock else "events", "who": who,
                                "arrays": library.name, "seconds": statistics.median(seconds), "least": min(seconds), "most": max(seconds)})
                line += f"  {who}{' on ' + library.name + 's' if who == 'upsweep' else ''} {results[-1]['seconds'] * 1e6:,.1f}"
            del there, timed, theirs
        print(line, flush=True)
    return results
