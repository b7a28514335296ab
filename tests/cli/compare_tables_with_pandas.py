"""Compares how the command and pandas read CSV files, both from Debian's packages and generated:
compare_tables_with_pandas.py COMMAND [--all]. Without --all, one numeric column of every third file."""
import concurrent.futures
import glob
import io
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    import pandas as pd
except ImportError:
    sys.exit(77)

warnings.simplefilter("ignore")
command = os.path.abspath(sys.argv[1])
all_columns = "--all" in sys.argv
missing = ["-", "--", ".", "?", "nil", "Null", "NONE", "none", "na", "Na", "NAN", "Nan", "None"]
places = ["/usr/lib/python3/dist-packages/statsmodels", "/usr/lib/python3/dist-packages/sklearn", "/usr/lib/R/library", "/usr/share"]


def run(*arguments):
    done = subprocess.run([command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def values_of(text, dtype):
    lines = text.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return np.array([float(v.strip().strip('"')) if dtype.kind == "f" else int(v.strip().strip('"')) for v in lines if v.strip()], dtype=dtype)


def columns_of(path):
    """The numeric columns as pandas reads them, each with its name for --column. Headers follow the command's rule."""
    _, _, told = run("sort", path, "--column", "1", "--top", "0", "--verbose", "--format", "csv")
    header = 0 if "first row holds names" in told else None
    frame = pd.read_csv(path, na_values=missing, header=header, low_memory=False, float_precision="round_trip", skipinitialspace=True, encoding="latin-1")
    heads = [str(h).strip() for h in frame.columns]
    found = []
    for place, head in enumerate(heads):
        series = frame.iloc[:, place]
        if series.dtype.kind not in "iuf" or series.notna().sum() == 0:
            continue
        # Of two columns of one name pandas renames the second.
        found.append((str(place + 1) if header is None or str(place + 1) not in heads else head, series.dropna().to_numpy()))
    return found


def compare(path):
    try:
        columns = columns_of(path)
    except Exception as trouble:
        return path, 0, 0, [], f"pandas refuses it: {str(trouble)[:80]}"
    if not all_columns and columns:
        columns = [columns[len(path) % len(columns)]]
    agreed, wrong = 0, []
    for name, x in columns:
        got = {}
        options = ["--format", "csv", "--column", name, "--na", "skip"]
        for what, line in {
            "sum": ["reduce", path, *options],
            "min": ["reduce", path, *options, "--op", "min"],
            "max": ["reduce", path, *options, "--op", "max"],
            "sort": ["sort", path, *options, "--output-format", "csv"],
            "unique": ["unique", path, *options, "--output-format", "csv"],
        }.items():
            status, out, err = run(*line)
            if status != 0:
                wrong.append(f"{path} {name} {what}: {err.strip()}")
                break
            if what in ("sort", "unique"):
                titled = bool(run("sort", path, *options, "--top", "0", "--output-format", "csv")[1])
                out = out[out.index(b"\n" if b"\n" in out else b"\r") + 1:] if titled else out
            got[what] = out
        else:
            same = {
                "sum": np.isclose(float(got["sum"]), float(np.sum(x)), rtol=1e-9, atol=1e-9 * float(np.sum(np.abs(x)))) if x.dtype.kind == "f" else int(got["sum"]) == int(x.sum(dtype=object)),
                "min": float(got["min"]) == float(x.min()),
                "max": float(got["max"]) == float(x.max()),
                "sort": np.array_equal(values_of(got["sort"], x.dtype), np.sort(x)),
                "unique": np.array_equal(values_of(got["unique"], x.dtype), x[np.append(True, x[1:] != x[:-1])]),
            }
            if all(same.values()):
                agreed += 1
            else:
                wrong.append(f"{path} {name}: {[w for w, s in same.items() if not s]}")
    return path, len(columns), agreed, wrong, ""


def groups_agree(seed):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 5000))
    frame = pd.DataFrame({
        "city": draw.choice(["Oslo", "Rome", "\u00c4lv, \"x\"", "a\nb", "z"], n),
        "year": draw.integers(1990, 1995, n),
        "price": np.where(draw.random(n) < 0.1, np.nan, np.round(draw.normal(size=n), 3)),
        "id": draw.integers(-(2**40), 2**40, n) * 4001,
    })
    frame.to_csv("g.csv", index=False)
    status, out, err = run("group", "g.csv", "--by", "city,year", "--sum", "price,id", "--mean", "price", "--min", "id", "--max", "price", "--count")
    if status:
        return [err]
    got = pd.read_csv(io.StringIO(out.decode()), float_precision="round_trip")
    by = frame.groupby(["city", "year"])
    wanted = pd.DataFrame({"price_sum": by.price.sum(), "id_sum": by.id.sum(), "price_mean": by.price.mean(), "id_min": by.id.min(), "price_max": by.price.max(), "count": by.size()}).reset_index()
    try:
        pd.testing.assert_frame_equal(got, wanted, rtol=1e-12, atol=1e-12)
    except AssertionError as trouble:
        return [f"group, seed {seed}: {trouble}"]
    order = frame.sort_values(["city", "price"], ascending=[True, False], kind="stable", key=lambda c: c if c.name == "price" else c.map(str.encode), na_position="last")
    _, out, _ = run("sort", "g.csv", "--by", "city,-price")
    same = pd.read_csv(io.StringIO(out.decode()), float_precision="round_trip").equals(order.reset_index(drop=True))
    return [] if same else [f"sort --by city,-price, seed {seed}"]


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    files = sorted(f for place in places for f in glob.glob(place + "/**/*.csv", recursive=True))
    files = files if all_columns else files[::3]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(compare, files))
    troubles = [w for r in results for w in r[3]] + [w for seed in range(5) for w in groups_agree(seed)]
    for trouble in troubles:
        print(trouble)
    for path, _, _, _, refused in results:
        if refused and all_columns:
            print(f"{path}: {refused}")
    read = [r for r in results if r[1]]
    print(f"{sum(r[1] == r[2] for r in read)} of {len(read)} files and {sum(r[2] for r in read)} of {sum(r[1] for r in read)} numeric columns agree with pandas")
    sys.exit(len(troubles) > 0)
