"""Compares `upsweep sort`, `select`, `unique`, `rle`, `histogram` and `range-count` with NumPy on the same files: compare_sorts_with_numpy.py COMMAND"""
import csv
import io
import os
import subprocess
import sys
import tempfile

import numpy as np

command = os.path.abspath(sys.argv[1])
rng = np.random.default_rng()
differences = 0


def run(*arguments, standard_input=None):
    return subprocess.run([command, *arguments], input=standard_input, stdout=subprocess.PIPE, check=True).stdout


def expect(what, got, wanted, bits=True):
    """Equal, and where `bits` is set in every bit: a sort moves elements, it does not make them."""
    global differences
    got, wanted = np.asarray(got), np.asarray(wanted)
    same = got.shape == wanted.shape and got.dtype == wanted.dtype and (got.tobytes() == wanted.tobytes() if bits else np.array_equal(got, wanted))
    if not same:
        print(f"{what}: {got} is not {wanted}")
        differences += 1


def random_array(dtype, n):
    if dtype.kind == "f":
        x = (rng.standard_normal(n) * 2.0 ** rng.integers(-8, 8, n)).astype(dtype)
        x[rng.integers(0, 50, n) == 0] = 1.5
        if n > 10:
            x[rng.integers(0, n, 5)] = [0.0, -0.0, np.inf, -np.inf, np.nan]
        return x
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    return np.where(rng.integers(0, 2, n) == 0, x, x % np.array(100, dtype)).astype(dtype)


def runs(x):
    first = np.ones(x.size, dtype=bool)
    first[1:] = x[1:] != x[:-1]
    places = np.flatnonzero(first)
    return x[first], np.diff(np.append(places, x.size)).astype(np.uint64)


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    for code in "|i1 |u1 <i2 <u2 <f2 <i4 <u4 <f4 <i8 <u8 <f8 >i2 >f4 >i8".split():
        dtype = np.dtype(code)
        native = dtype.newbyteorder("=")
        for n in [0, 1, 1000, (1 << 18) + 17]:
            x = random_array(native, n)
            np.save("x.npy", x.astype(dtype))
            order = np.argsort(x, kind="stable")
            name = f"{code} n={n}"
            run("sort", "x.npy", "-o", "y.npy")
            expect(f"sort {name}", np.load("y.npy"), x[order])
            run("sort", "x.npy", "-o", "y.npy", "--argsort")
            expect(f"argsort {name}", np.load("y.npy"), order)
            piped = run("sort", "-", "-o", "-", "--memory", "300K", standard_input=open("x.npy", "rb").read())
            expect(f"sort on disk {name}", np.load(io.BytesIO(piped)), x[order])
            run("sort", "x.npy", "-o", "y.npy", "--top", "100", "--descending")
            kept = np.load("y.npy").astype(np.longdouble)
            largest = np.sort(x.astype(np.longdouble))[::-1][:100]
            expect(f"the 100 largest {name}", kept[~np.isnan(kept)], largest[~np.isnan(largest)], bits=False)

            run("select", "x.npy", "--where", "x > 3", "-o", "y.npy")
            expect(f"x[x > 3] {name}", np.load("y.npy"), x[x > 3])
            run("select", "x.npy", "--where", "1 <= x < 90 and not x == 2", "-o", "y.npy", "--indices")
            expect(f"flatnonzero {name}", np.load("y.npy"), np.flatnonzero((x >= 1) & (x < 90) & ~(x == 2)))
            if native.kind != "f":
                run("select", "x.npy", "--where", "x % 3 == 1", "-o", "y.npy")
                expect(f"x[x % 3 == 1] {name}", np.load("y.npy"), x[x.astype(object) % 3 == 1] if n < 2000 else x[np.mod(x, np.array(3, native)) == 1])
            flags = rng.integers(0, 2, n).astype(bool)
            np.save("f.npy", flags)
            run("select", "x.npy", "--flags", "f.npy", "-o", "y.npy")
            expect(f"x[flags] {name}", np.load("y.npy"), x[flags])

            z = x[order]
            np.save("z.npy", z)
            values, lengths = runs(z)
            run("unique", "z.npy", "-o", "y.npy")
            expect(f"unique {name}", np.load("y.npy"), values)
            if not np.any(np.isnan(z.astype(np.longdouble))):
                expect(f"numpy.unique {name}", np.load("y.npy"), np.unique(z), bits=False)
            run("rle", "z.npy", "-o", "v.npy", "--lengths", "l.npy")
            expect(f"rle values {name}", np.load("v.npy"), values)
            expect(f"rle lengths {name}", np.load("l.npy"), lengths)
            run("rle", "--decode", "v.npy", "--lengths", "l.npy", "-o", "y.npy")
            expect(f"repeat {name}", np.load("y.npy"), np.repeat(values, lengths.astype(np.int64)))

            # NumPy's last bin takes its upper edge in as well; no element is there.
            edges = [0, 1, 2, 5, 10, 50, 99.53]
            finite = x[np.isfinite(x.astype(np.float64))]
            run("histogram", "x.npy", "--edges", ",".join(map(str, edges)), "-o", "y.npy")
            expect(f"histogram {name}", np.load("y.npy"), np.histogram(finite.astype(np.float64), bins=edges)[0].astype(np.uint64))
            run("histogram", "x.npy", "--bins", "64", "--range", "0,128", "-o", "y.npy")
            inside = finite[finite.astype(np.float64) < 128]
            expect(f"even histogram {name}", np.load("y.npy"), np.histogram(inside.astype(np.float64), bins=64, range=(0, 128))[0].astype(np.uint64))
            queries = np.sort(rng.integers(-150, 150, (200, 2)), axis=1)
            np.save("q.npy", queries)
            run("range-count", "x.npy", "--queries", "q.npy", "-o", "y.npy")
            v = np.sort(finite.astype(np.float64))
            expect(f"range counts {name}", np.load("y.npy"), (np.searchsorted(v, queries[:, 1]) - np.searchsorted(v, queries[:, 0])).astype(np.uint64))

    # Weighted histograms. NumPy's sums are exact here as well.
    x = rng.uniform(0, 10, 100000)
    w = rng.integers(0, 64, x.size) / 8
    np.save("x.npy", x)
    np.save("w.npy", w)
    run("histogram", "x.npy", "--bins", "10", "--range", "0,10", "--weights", "w.npy", "-o", "y.npy")
    expect("weights", np.load("y.npy"), np.histogram(x, bins=10, range=(0, 10), weights=w)[0], bits=False)

    # Rows of a real table follow their column.
    rows = [[f"name, {i}", repr(float(v)), str(i)] for i, v in enumerate(np.round(rng.standard_normal(20000), 2))]
    with open("t.csv", "w", newline="") as file:
        csv.writer(file).writerows([["name", "value", "place"], *rows])
    run("sort", "t.csv", "--by", "value", "-o", "s.csv", "--memory", "500K")
    with open("s.csv", newline="") as file:
        expect("rows by value", [r[2] for r in csv.reader(file)], ["place"] + [r[2] for r in sorted(rows, key=lambda r: float(r[1]))])
    kept = run("select", "t.csv", "--where", "value > 0.5 and place % 2 == 0").decode()
    expect("rows with value > 0.5", [r[2] for r in csv.reader(io.StringIO(kept))], ["place"] + [r[2] for r in rows if float(r[1]) > 0.5 and int(r[2]) % 2 == 0])

print("differences:", differences)
sys.exit(differences > 0)
