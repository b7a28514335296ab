"""Compares `upsweep reduce` and `upsweep scan` with NumPy on the same files: compare_with_numpy.py COMMAND"""
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


def expect(what, got, wanted, tolerance=0.0):
    global differences
    got, wanted = np.asarray(got), np.asarray(wanted)
    same = got.shape == wanted.shape and got.dtype == wanted.dtype
    # Written so that NaN fails.
    if not (same and np.all(np.abs(got.astype(np.longdouble) - wanted.astype(np.longdouble)) <= tolerance)):
        print(f"{what}: {got} is not {wanted}")
        differences += 1


def random_array(dtype, n):
    if dtype.kind == "f":
        return (rng.standard_normal(n) * 2.0 ** rng.integers(-8, 8, n)).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    for code in "<i4 <u4 <i8 <u8 <f4 <f8 >i4 >u8 >f4 >f8".split():
        dtype = np.dtype(code)
        native = dtype.newbyteorder("=")
        for n in [0, 1, 1000, 1 << 16, (1 << 22) + 17]:
            x = random_array(native, n).astype(dtype)
            for version in [(1, 0), (2, 0), (3, 0)] if n == 1000 else [(1, 0)]:
                with open("x.npy", "wb") as file:
                    np.lib.format.write_array(file, x, version=version)
                tolerance = float(n * np.finfo(native).eps * np.sum(np.abs(x), dtype=np.longdouble)) if dtype.kind == "f" else 0.0
                exact = np.longdouble if dtype.kind == "f" else native
                wanted = np.cumsum(x.astype(exact)).astype(native) if dtype.kind == "f" else np.cumsum(x, dtype=native)
                run("scan", "x.npy", "-o", "y.npy")
                expect(f"cumsum {code} n={n}", np.load("y.npy"), wanted, tolerance)
                piped = run("scan", "-", "-o", "-", standard_input=open("x.npy", "rb").read())
                expect(f"cumsum {code} n={n} through pipes", np.load(io.BytesIO(piped)), wanted, tolerance)
                run("scan", "x.npy", "-o", "y.npy", "--op", "max")
                expect(f"maximum.accumulate {code} n={n}", np.load("y.npy"), np.maximum.accumulate(x).astype(native))
                total = np.sum(x, dtype=exact)
                expect(f"sum {code} n={n}", native.type(run("reduce", "x.npy").decode()), native.type(total), tolerance)
                if n > 0:
                    expect(f"min {code} n={n}", native.type(run("reduce", "x.npy", "--op", "min").decode()), x.astype(native).min())

    # NumPy sums narrow integers in 64 bits; --as does so.
    for code in "|b1 |i1 |u1 <i2 >i2 <u2 <i4".split():
        x = rng.integers(0, 2, 1000).astype(bool) if code == "|b1" else random_array(np.dtype(code).newbyteorder("="), 1000).astype(code)
        np.save("x.npy", x)
        run("scan", "x.npy", "-o", "y.npy", "--as", "i64")
        expect(f"cumsum {code} as i64", np.load("y.npy"), np.cumsum(x, dtype=np.int64))

    np.save("m.npy", np.arange(12, dtype=np.int32).reshape(3, 4))
    expect("sum of a matrix", int(run("reduce", "m.npy")), 66)
    m = np.random.default_rng(1).integers(-1000, 1000, (3, 4))
    np.save("f.npy", np.asfortranarray(m))
    run("select", "f.npy", "--where", "x > 0", "-o", "y.npy")
    expect("elements of a matrix in Fortran order", np.load("y.npy"), m[m > 0])

print("differences:", differences)
sys.exit(differences > 0)
