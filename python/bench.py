"""Compare the time of calls with NumPy on this machine's CPU, or on a GPU with CuPy, PyTorch and cuda.compute.

    bench.py [--device cuda:0] [-o FILE.json] [--commit HASH, where this is no checkout]

Inputs are random, and their sizes are not powers of two. On the CPU each figure is the minimum of several alternating runs. NumPy's figure is that
of the array's method if there is one. bench_gpu.py describes the measurements on a GPU. The output file is written atomically.
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

sys.path.append(sys.path.pop(0))  # the installed package, not the sources next to this file

import upsweep  # noqa: E402

TYPES = ["f4", "f8", "i4", "u4", "i8", "i2", "u1"]
CALLS = {
    "sum": (upsweep.sum, np.sum), "cumsum": (upsweep.cumsum, np.cumsum), "max": (upsweep.max, np.max), "sort": (upsweep.sort, np.sort),
    "argsort": (upsweep.argsort, lambda x: np.argsort(x, kind="stable")), "argmax": (upsweep.argmax, np.argmax),
    "unique": (upsweep.unique, np.unique), "select": (lambda x: upsweep.select(x, "x > 7"), lambda x: x[x > 7]),
    "histogram": (lambda x: upsweep.histogram(x, 64), lambda x: np.histogram(x, 64)),
}


def random_array(rng, n, dtype):
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


def on_cpu():
    rng, rows = np.random.default_rng(), []
    for n in (1000, 1_000_003, 10_000_019):
        for dtype in TYPES:
            x = random_array(rng, n, dtype)
            for name, (ours, theirs) in CALLS.items():
                a, b = least(lambda: ours(x), lambda: theirs(x), *((7, 2000) if n == 1000 and name != "unique" else (5, 1)))
                rows.append({"call": name, "type": np.dtype(dtype).name, "n": n, "seconds": a, "numpy_seconds": b})
                print(f"{n:>10,} {np.dtype(dtype).name:8} {name:10} {a * 1e6:12,.1f} µs   NumPy {b * 1e6:12,.1f}   {b / a:6.2f}", flush=True)
    return rows


def commit():
    asked = subprocess.run(["git", "-C", str(pathlib.Path(__file__).parent), "rev-parse", "HEAD"], capture_output=True, text=True)
    return asked.stdout.strip() or "unknown"


def write(path, said):
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(os.path.abspath(path)), delete=False) as beside:
        try:
            json.dump(said, beside, indent=1)
        except BaseException:
            os.unlink(beside.name)
            raise
    os.replace(beside.name, path)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", default="cpu", help="cpu, or cuda:N")
    options.add_argument("-o", "--out", metavar="FILE.json")
    options.add_argument("--commit", help="what was measured, where this is no checkout")
    o = options.parse_args()
    device = next((d for d in upsweep.devices() if d.name == o.device and d.usable), None)
    if device is None or not o.device.startswith(("cpu", "cuda:")):
        options.error(f"no device {o.device} answers; give cpu, or a GPU as `python -m upsweep devices` lists it")
    said = {"kind": "python-bench", "provenance": {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "commit": o.commit or commit(),
        "machine": device.description, "cores": os.cpu_count(), "python": sys.version.split()[0], "numpy": np.__version__, "upsweep": upsweep.__version__}}
    if o.device == "cpu":
        said["results"] = on_cpu()
    else:
        import bench_gpu
        said["provenance"] |= bench_gpu.versions()
        said["results"] = bench_gpu.rows(int(o.device.partition(":")[2]))
    if o.out:
        write(o.out, said)


if __name__ == "__main__":
    main()
