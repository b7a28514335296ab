"""What calls take beside NumPy's, on this machine's CPU: bench.py [-o FILE.json]

Input is random in every bit, and of no power of two; each figure is the least of several, taken in turns. "over" is what a call on 1000 elements
takes, and NumPy's beside it: its array's own method where there is one.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import upsweep

TYPES = ["f4", "f8", "i4", "u4", "i8", "i2", "u1"]
CALLS = {
    "sum": (upsweep.sum, np.sum), "cumsum": (upsweep.cumsum, np.cumsum), "max": (upsweep.max, np.max), "sort": (upsweep.sort, np.sort),
    "argsort": (upsweep.argsort, lambda x: np.argsort(x, kind="stable")), "argmax": (upsweep.argmax, np.argmax),
    "unique": (upsweep.unique, np.unique), "select": (lambda x: upsweep.select(x, "x > 7"), lambda x: x[x > 7]),
    "histogram": (lambda x: upsweep.histogram(x, 64), lambda x: np.histogram(x, 64)),
}


def drawn(rng, n, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (rng.normal(size=n) * 100).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, n, dtype, endpoint=True)


def least(ours, theirs, rounds, times=1):
    best = [float("inf")] * 2
    for _ in range(rounds):
        for i, call in enumerate((ours, theirs)):
            began = time.perf_counter()
            for _ in range(times):
                call()
            best[i] = min(best[i], (time.perf_counter() - began) / times)
    return best


def commit():
    asked = subprocess.run(["git", "-C", str(pathlib.Path(__file__).parent), "rev-parse", "HEAD"], capture_output=True, text=True)
    return asked.stdout.strip() or "unknown"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("-o", "--out")
    o = options.parse_args()
    rng, rows = np.random.default_rng(), []
    for n in (1000, 1_000_003, 10_000_019):
        for dtype in TYPES:
            x = drawn(rng, n, dtype)
            for name, (ours, theirs) in CALLS.items():
                a, b = least(lambda: ours(x), lambda: theirs(x), *((7, 2000) if n == 1000 and name != "unique" else (5, 1)))
                rows.append({"call": name, "type": np.dtype(dtype).name, "n": n, "seconds": a, "numpy_seconds": b})
                print(f"{n:>10,} {np.dtype(dtype).name:8} {name:10} {a * 1e6:12,.1f} µs   NumPy {b * 1e6:12,.1f}   {b / a:6.2f}", flush=True)
    if o.out:
        device = next(d for d in upsweep.devices() if d.name == "cpu")
        said = {"provenance": {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "commit": commit(),
                               "machine": device.description, "cores": os.cpu_count(), "python": sys.version.split()[0], "numpy": np.__version__,
                               "upsweep": upsweep.__version__}, "results": rows}
        folder = os.path.dirname(os.path.abspath(o.out))
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as beside:
            json.dump(said, beside, indent=1)
        os.replace(beside.name, o.out)


main()
