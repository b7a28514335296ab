"""Compares the command with NumPy on every kind of .npy, .npz and packed file, created here or found on this machine: the result
is right, or the file is rejected in one sentence: compare_files_with_numpy.py COMMAND"""
import bz2
import glob
import gzip
import io
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

command = os.path.abspath(sys.argv[1])
rng = np.random.default_rng(17)
agree = refused = differences = 0


def run(*arguments, standard_input=None):
    return subprocess.run([command, *arguments], input=standard_input, capture_output=True)


def wrong(what, how):
    global differences
    differences += 1
    print(f"{what}: {how}")


def expect_refusal(what, result, *words):
    global refused
    said = result.stderr.decode(errors="replace")
    if result.returncode in (0, -6, -11) or said.count("\n") != 1 or any(word not in said for word in words):
        return wrong(what, f"status {result.returncode}, said {said!r}, wanted {words}")
    if os.path.exists("y.npy"):
        return wrong(what, "a refusal left an output")
    refused += 1


# The elements as the command has them: through a select that keeps them all.
def expect_same(what, path, wanted):
    global agree
    if os.path.exists("y.npy"):
        os.remove("y.npy")
    result = run("select", path, "--where", "x == x or x != x", "-o", "y.npy")
    if result.returncode != 0:
        return wrong(what, f"refused: {result.stderr.decode()}")
    got = np.load("y.npy")
    os.remove("y.npy")
    if got.dtype != wanted.dtype.newbyteorder("=") or got.tobytes() != wanted.ravel().astype(got.dtype).tobytes():
        return wrong(what, f"{got} is not {wanted}")
    agree += 1


def is_read(array):
    return not array.dtype.names and array.dtype.kind in "biuf" and array.dtype.itemsize <= 8


def random_array(dtype, shape=50):
    if dtype.kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    native = dtype.newbyteorder("=")
    return rng.integers(np.iinfo(native).min, np.iinfo(native).max, shape, dtype=native, endpoint=True).astype(dtype)


def kinds():
    for code in "|b1 |i1 |u1 <i2 >i2 <u2 >u2 <i4 >i4 <u4 >u4 <i8 >i8 <u8 >u8 <f2 >f2 <f4 >f4 <f8 >f8".split():
        yield code, random_array(np.dtype(code))
    for code in "<c8 <c16 >c16 <f16 <U5 >U5 |S7 <M8[ns] <m8[s] |V3".split():
        yield code, np.zeros(4, code)
    yield "objects", np.array([1, 2.5, "x"], object)
    yield "records", np.zeros(3, [("a", "<f8"), ("b", "<i4")])
    yield "records of one field", np.zeros(3, [("a", "<f8")])
    yield "records of arrays", np.zeros(3, [("a", "<f8", (2,))])
    yield "a header of 60000 bytes", np.zeros(2, [("n" * 60000, "<f8")])
    yield "no axes, f64", np.array(4.25)
    yield "no axes, i64", np.array(-7)
    yield "no elements", np.zeros(0)
    yield "no rows", np.zeros((0, 5))
    yield "one element of two axes", np.ones((1, 1))
    yield "a matrix", random_array(np.dtype("<f8"), (7, 9))
    yield "four axes", random_array(np.dtype(">i4"), (2, 3, 4, 5))
    yield "a matrix in Fortran order", np.asfortranarray(random_array(np.dtype("<f8"), (7, 9)))
    yield "a volume in Fortran order", np.asfortranarray(random_array(np.dtype("<i4"), (3, 4, 5)))
    yield "a column in Fortran order", np.asfortranarray(random_array(np.dtype("<f4"), (7, 1)))


def made_kinds():
    for name, array in kinds():
        for version in (1, 0), (2, 0), (3, 0):
            with open("x.npy", "wb") as file:
                np.lib.format.write_array(file, array, version=version, allow_pickle=True)
            what = f"{name}, version {version[0]}"
            if is_read(array):
                expect_same(what, "x.npy", array)
            else:
                expect_refusal(what, run("select", "x.npy", "--where", "x == x", "-o", "y.npy"), "x.npy")
            # A header of any length, as others pad theirs.
            if version == (2, 0) and is_read(array):
                text = open("x.npy", "rb").read()
                n = struct.unpack("<I", text[8:12])[0]
                padded = text[12:12 + n].rstrip() + b" " * 5001 + b"\n"
                open("x.npy", "wb").write(text[:8] + struct.pack("<I", len(padded)) + padded + text[12 + n:])
                expect_same(what + ", padded", "x.npy", array)


def with_warnings_off(load):
    try:
        return load()
    except Exception:
        return None  # pickled objects


def found_files():
    places = [p for p in ("/usr/lib/python3/dist-packages", "/usr/share") if os.path.isdir(p)]
    for path in sorted(f for p in places for f in glob.glob(p + "/**/*.np[yz]", recursive=True)):
        if path.endswith(".npy"):
            array = with_warnings_off(lambda: np.load(path))
            arrays = {"": array}
        else:
            archive = np.load(path)
            some = archive.files[:: len(archive.files) // 20 + 1]
            arrays = {":" + name: with_warnings_off(lambda: archive[name]) for name in some}
            if len(archive.files) > 1:
                expect_refusal(path, run("select", path, "--where", "x == x", "-o", "y.npy"), archive.files[0])
        for name, array in arrays.items():
            if array is not None and is_read(array):
                expect_same(path + name, path + name, array)
            else:
                expect_refusal(path + name, run("select", path + name, "--where", "x == x", "-o", "y.npy"), path)


def archives():
    a, b = random_array(np.dtype("<f8"), 1000), random_array(np.dtype(">i4"), (20, 30))
    for save in np.savez, np.savez_compressed:
        save("two.npz", a=a, b=b)
        expect_same("member a", "two.npz:a", a)
        expect_same("member b.npy", "two.npz:b.npy", b)
        expect_refusal("two members", run("reduce", "two.npz"), "two.npz", "a, b")
        expect_refusal("no such member", run("reduce", "two.npz:c"), "'c'", "a, b")
        save("one.npz", a)
        expect_same("the only member", "one.npz", a)
        whole = open("one.npz", "rb").read()
        for at in (0, 40, 70, 200, len(whole) // 2, len(whole) - 60, len(whole) - 10):
            broken = bytearray(whole)
            broken[at] ^= 0x55
            open("bad.npz", "wb").write(broken)
            result = run("select", "bad.npz", "--where", "x == x or x != x", "-o", "y.npy")
            if result.returncode == 0:  # a byte that does not matter
                same = np.array_equal(np.load("y.npy"), a)
                os.remove("y.npy")
                if not same:
                    wrong(f"byte {at} of an .npz", "its damage was not seen")
            else:
                expect_refusal(f"byte {at} of an .npz", result, "bad.npz")
        for n in (0, 10, len(whole) // 2, len(whole) - 5):
            open("bad.npz", "wb").write(whole[:n])
            expect_refusal(f"{n} bytes of an .npz", run("select", "bad.npz", "--where", "x == x", "-o", "y.npy"), "bad.npz")
    with zipfile.ZipFile("bz.npz", "w", zipfile.ZIP_BZIP2) as z:
        z.writestr("a.npy", open("x.npy", "rb").read())
    expect_refusal("a member packed by bzip2", run("reduce", "bz.npz"), "bz.npz", "method 12")
    with zipfile.ZipFile("commented.npz", "w") as z:
        z.comment = b"PK\5\6 and so on"
        file = io.BytesIO()
        np.save(file, a)
        with z.open("a.npy", "w", force_zip64=True) as member:
            member.write(file.getvalue())
    expect_same("zip64 and a comment", "commented.npz", a)
    expect_refusal("an .npz through a pipe", run("reduce", "-", standard_input=whole), "zip")

    run("scan", "one.npz", "-o", "out.npz", "--op", "max")
    loaded = np.load("out.npz")
    if loaded.files != ["arr_0"] or not np.array_equal(loaded["arr_0"], np.maximum.accumulate(a)):
        wrong("an .npz that was written", f"{loaded.files}")
    if zipfile.ZipFile("out.npz").testzip() is not None:
        wrong("an .npz that was written", "its checksum is wrong")


def packed():
    a = random_array(np.dtype("<f8"), 100_000)
    np.save("x.npy", a)
    np.savetxt("x.csv", a, header="x", comments="", fmt="%r")
    plain = open("x.npy", "rb").read()
    open("x.npy.gz", "wb").write(gzip.compress(plain))
    expect_same(".npy.gz", "x.npy.gz", a)
    open("X.NPY.GZ", "wb").write(gzip.compress(plain[:999]) + gzip.compress(plain[999:]) + bytes(700))
    expect_same("two members and a padding", "X.NPY.GZ", a)
    open("x.csv.gz", "wb").write(gzip.compress(open("x.csv", "rb").read()))
    expect = float(run("reduce", "x.csv").stdout)
    if float(run("reduce", "x.csv.gz", "--column", "x").stdout or "nan") != expect:
        wrong("x.csv.gz", "its sum is another")
    for ending, unpack in (".gz", gzip.decompress), (".zst", lambda b: subprocess.run(["zstd", "-dc"], input=b, capture_output=True, check=True).stdout):
        if ending == ".zst" and not shutil.which("zstd"):
            continue
        for source, out in ("x.npy", "y.npy"), ("x.npy", "y.csv"), ("x.csv", "z.csv"), ("x.npy", "y.raw"):
            run("sort", source, "-o", out)
            result = run("sort", source, "-o", out + ending)
            if result.returncode or unpack(open(out + ending, "rb").read()) != open(out, "rb").read():
                wrong(out + ending, f"is not what {out} is: {result.stderr.decode()}")
            os.remove(out)
        pack = run("sort", "x.npy", "-o", "s.npy" + ending)
        whole = open("s.npy" + ending, "rb").read()
        expect_same("what was written " + ending, "s.npy" + ending, np.sort(a))
        for n in [0, 1, 5, 100, len(whole) // 2, len(whole) - 1]:
            open("cut.npy" + ending, "wb").write(whole[:n])
            expect_refusal(f"{n} bytes {ending}", run("sort", "cut.npy" + ending, "-o", "y.npy"), "cut.npy" + ending)
        for at in [1, len(whole) // 3, len(whole) - 3]:
            broken = bytearray(whole)
            broken[at] ^= 0x55
            open("bad.npy" + ending, "wb").write(broken)
            expect_refusal(f"byte {at} {ending}", run("scan", "bad.npy" + ending, "-o", "y.npy"), "bad.npy" + ending)
        open("more.npy" + ending, "wb").write(whole + b"more")
        expect_refusal("more behind " + ending, run("reduce", "more.npy" + ending), "more.npy" + ending)
        open("plain.npy" + ending, "wb").write(plain)
        expect_refusal("a plain file named " + ending, run("reduce", "plain.npy" + ending), "plain.npy" + ending)
    open("named.csv", "wb").write(gzip.compress(b"x\n1\n"))
    expect_refusal("gzip without its name", run("reduce", "named.csv"), "gzip")


def foreign():
    for name, start, word in [("p.parquet", b"PAR1\x15\x04\x15", "Parquet"), ("a.feather", b"ARROW1\0\0", "Arrow"),
                              ("x.csv", bz2.compress(b"x\n1\n"), "bzip2"), ("x.csv", b"\xfd7zXZ\0\0", "xz"),
                              ("t.xlsx", b"PK\3\4\x14\0", "zip"), ("h.h5", b"\x89HDF\r\n\x1a\n", "HDF5"),
                              ("x.csv", b"SQLite format 3\0", "SQLite")]:
        open(name, "wb").write(start + bytes(200))
        expect_refusal(word, run("reduce", name), name, word)
        expect_refusal(word, run("sort", name, "--format", "csv", "--by", "1", "-o", "y.npy"), word)
    open("short.npy", "wb").write(b"BZh")
    expect_refusal("three bytes", run("reduce", "short.npy"), "short.npy")


# Exit status, processor seconds and kilobytes of a command. A process starts with the memory of its parent, so the parent must
# be small.
def usage_of(words):
    starter = ("import os, subprocess, sys; child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL); "
               "_, status, used = os.wait4(child.pid, 0); print(status, used.ru_utime + used.ru_stime, used.ru_maxrss)")
    status, seconds, kilobytes = subprocess.check_output([sys.executable, "-S", "-c", starter, *words]).split()
    return int(status), float(seconds), int(kilobytes)


# A hundred megabytes take no more memory than a few chunks, and no more of a processor than NumPy takes.
def a_large_file():
    np.save("large.npy", rng.standard_normal(12_500_000))
    used = {}
    for who, words in ("upsweep", [command, "reduce", "large.npy", "--device", "cpu"]), (
            "NumPy", [sys.executable, "-c", "import numpy as np; print(np.load('large.npy').sum())"]):
        for _ in range(3):
            status, seconds, kilobytes = usage_of(words)
            used[who] = min(used.get(who, (9, 0)), (seconds, kilobytes))
            if status:
                wrong("a large file", f"{who} ends with {status}")
    print(", ".join(f"{who} {s:.2f} s of a processor and {kb / 1e3:.0f} MB" for who, (s, kb) in used.items()))
    # A sanitizer has time and memory of its own.
    if "ASAN_OPTIONS" not in os.environ and (used["upsweep"][0] > 1.5 * used["NumPy"][0] or used["upsweep"][1] > 100_000):
        wrong("a large file", "takes more")


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    made_kinds()
    found_files()
    archives()
    packed()
    foreign()
    a_large_file()

print(f"{agree} agree with NumPy, {refused} are refused in one sentence, differences: {differences}")
sys.exit(differences > 0)
