"""Compares `upsweep histogram` without --range with numpy.histogram: compare_histograms_with_numpy.py COMMAND [N] [SEED]

Random elements of every type and number of bins, and the numeric columns of the CSV files that statsmodels and
scikit-learn install: every edge and every count is to be the same."""
import csv
import glob
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

command = os.path.abspath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 150
seed = int(sys.argv[3]) if len(sys.argv) > 3 else int.from_bytes(os.urandom(4), "little")
rng = np.random.default_rng(seed)
warnings.simplefilter("ignore")
compared = differences = 0


def histogram(*arguments):
    """Edges and counts of each bin."""
    ran = subprocess.run([command, "histogram", *arguments, "--device", "cpu", "--output-format", "csv"], capture_output=True)
    if ran.returncode != 0:
        return ran.stderr.decode(), None
    rows = [line.split(",") for line in ran.stdout.decode().split("\n")[1:-1]]
    return [float(row[0]) for row in rows] + [float(rows[-1][1])], [int(row[2]) for row in rows]


def compare(what, x, bins, *arguments):
    global differences, compared
    try:
        counts, edges = np.histogram(x, bins)
    except (IndexError, ValueError):
        return  # elements so close together that NumPy finds no bin for them
    if not np.all(edges[:-1] < edges[1:]):
        return  # edges that are one number in this type: older NumPy counts in bins that hold nothing, newer refuses
    compared += 1
    got_edges, got_counts = histogram(*arguments, "--bins", str(bins))
    if got_counts == counts.tolist() and got_edges == edges.astype(np.float64).tolist():
        return
    differences += 1
    print(f"{what}, {bins} bins, {len(x)} elements from {x.min()} to {x.max()}: {got_edges if got_counts is None else ''}")
    if got_counts is not None:
        for b in range(bins):
            if got_counts[b] != counts[b] or got_edges[b] != edges[b]:
                print(f"  bin {b}: [{got_edges[b]!r} {got_counts[b]}, NumPy [{float(edges[b])!r} {counts[b]}")
                break


def random_elements(dtype, n):
    if dtype.kind != "f":
        info = np.iinfo(dtype)
        if rng.integers(3) == 0:
            return rng.integers(info.min, info.max, n, dtype=dtype.type, endpoint=True)
        middle = int(rng.integers(info.min, info.max, 1, dtype=dtype.type)[0]) if rng.integers(2) else 20
        wide = int(rng.choice([1, 2, 3, 10, 50, 100, 1000]))
        low, high = max(int(info.min), middle - wide), min(int(info.max), middle + wide)
        return rng.integers(low, high, n, dtype=dtype.type, endpoint=True)
    kind = rng.integers(5)
    if kind == 0:
        x = rng.integers(-50, 50, n) / rng.choice([1, 2, 3, 10, 100])
    elif kind == 1:
        x = np.round(rng.standard_normal(n) * 10.0 ** rng.integers(-2, 3), rng.integers(0, 4))
    elif kind == 2:
        x = np.linspace(rng.integers(-5, 5), rng.integers(6, 20), n)
    elif kind == 3:
        x = rng.random(n) * 10.0 ** rng.integers(-20, 20)
    else:
        x = 1e6 + rng.random(n)
    return np.clip(x, -60000, 60000).astype(dtype) if dtype.itemsize == 2 else x.astype(dtype)


def numeric_columns(path):
    """Names and values of the columns that are all numbers, read by Python's own csv module."""
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        rows = [row for row in csv.reader(file) if row]
    width = len(rows[0]) if rows else 0
    if len(rows) < 3 or any(len(row) != width for row in rows) or len(set(rows[0])) != width:
        return
    for k in range(width):
        try:
            float(rows[0][k])
            continue  # no header
        except ValueError:
            pass
        try:
            values = np.array([float(row[k]) for row in rows[1:]])
        except ValueError:
            continue
        if rows[0][k].strip() and np.all(np.isfinite(values)):
            yield rows[0][k], values


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    for run in range(runs):
        dtype = np.dtype(rng.choice("i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 f4 f8".split()))
        x = random_elements(dtype, int(rng.choice([1, 2, 3, 10, 100, 1000])))
        bins = int(rng.choice([1, 2, 3, 7, 10, 11, 20, 64, 100] + ([256, 1000] if dtype.itemsize > 2 else [])))
        np.save("x.npy", x)
        compare(f"random {dtype}", x, bins, "x.npy")

arrays, files, columns = compared, 0, 0
for root in ["/usr/lib/python3/dist-packages/statsmodels", "/usr/lib/python3/dist-packages/sklearn"]:
    for path in sorted(glob.glob(root + "/**/*.csv", recursive=True)):
        if os.path.getsize(path) > 2_000_000:
            continue
        before = columns
        for name, x in list(numeric_columns(path))[:3]:
            for bins in [10, 7] if columns % 10 == 0 else [10]:
                compare(f"{path} {name}", x, bins, path, "--column", name, "--dtype", "f64")
            columns += 1
        files += columns > before

print(f"{arrays} random arrays and {columns} columns of {files} files compared, {differences} differ (seed {seed})")
sys.exit(differences > 0)
