"""results/runs.py gives back what results/add.py stored, and add.py and fetch refuse what is no run.

    runs.py [SEED]
"""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "results"))
import runs  # noqa: E402

seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(2**32)
print(f"seed {seed}")
draw = random.Random(seed)


def expect(right, what):
    if not right:
        sys.exit(f"FAILED: {what} (seed {seed})")


def same(a, b):
    """Whether two values are the same JSON. 1, 1.0 and true are equal in Python, and are different JSON."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def tool(name, *words):
    ran = subprocess.run([sys.executable, "-B", ROOT / "results" / name, *map(str, words)], capture_output=True)
    return ran.returncode, ran.stdout, ran.stderr.decode()


def some_value(depth=2):
    kind = draw.randrange(6 + (depth > 0))
    if kind == 0:
        return draw.choice([0, 1, 2**63, -5])
    if kind == 1:
        return draw.choice([0.0, 1.0, draw.random() * 1e-5, 1e300])
    if kind == 2:
        return draw.random() < 0.5
    if kind == 3:
        return draw.choice(["", "µs − 5", "\"\\\n", "shared"])
    if kind == 4:
        return None
    if kind == 5:
        return [some_value(depth - 1) if depth > 0 else 1 for _ in range(draw.randrange(3))]
    return {draw.choice("abc") + draw.choice(["", " ", "/x"]): some_value(depth - 1) for _ in range(draw.randrange(4))}


def some_row_values():
    names = draw.sample("abcdefgh", draw.randint(0, 6))
    return {name: [some_value() for _ in range(draw.choice([1, 1, 3]))] for name in names}


def some_rows(count):
    """Rows of a few shapes, with values that repeat as those of a bench do."""
    shapes = [some_row_values() for _ in range(3)]
    return [{k: draw.choice(values) for k, values in draw.choice(shapes).items()} for _ in range(count)]


# Tables, of random rows and through text.
for size in [0, 1, 2, 31, 33, 255, 257, 1009]:
    for _ in range(40 if size < 100 else 4):
        rows = some_rows(size)
        if rows:
            by = draw.sample("abcdefgh", draw.randrange(4))
            table = json.loads(json.dumps(runs.packed(rows, by)))
            expect(same(runs.unpacked(table), rows), f"{size} rows by {by} are others after they were packed")
rows = [{"a": 1, "b": {"c": [1], "d": {}}}, {"a": 1, "b": {"c": [1], "d": {}}}, {"a": True, "b": {"c": [1], "d": {}}},
        {"a": 1.0, "b": {"c": [], "d": {"e": 1}}}, {}, {}, {"b": {}}]
expect(same(runs.unpacked(runs.packed(rows, [])), rows), "equal rows, or 1, 1.0 and true, changed when packed")

# Every run: its extract has all that is not said to be left out, in order.
for name in runs.names():
    run = runs.whole(name)
    text = runs.extract_text(name, run)
    path = ROOT / "results" / f"{name}.json"
    expect((text is not None) == path.exists(), f"{name} has an extract, or is to have one, and not both")
    if text is None:
        expect(same(runs.read(name), run), f"{name} has no extract, and is not read whole")
        continue
    read = runs.read(name)
    spec = runs.EXTRACTS[run["kind"]]
    left_out = set(run) - set(read)
    expect(left_out == set(spec.get("drop", [])) & set(run), f"{name}: the extract leaves out {left_out}")
    for where, key in [(p, p.split("/")) for p in spec.get("tables", {})]:
        gone = spec["tables"][where].get("drop", [])
        parts = [(read, run)] if len(key) == 1 else list(zip(read[key[0]], run[key[0]]))
        for part, part_of in parts:
            expected = [{k: v for k, v in row.items() if k not in gone} for row in part_of.get(key[-1], [])
                        if run["kind"] != "bench" or row.get("stands", True)]
            expect(same(part.get(key[-1], []), expected), f"{name}: {where} of the extract are not those of the run")
    expect(same(read.get("provenance"), run.get("provenance")), f"{name}: the extract has another provenance")
expect(len(runs.names()) > 50, "there are few runs")
expect(runs.names("h200-bench-sort*") == ["h200-bench-sort-wide", "h200-bench-sort"], "names: another order")

# The archive.
bench = runs.raw("h200-bench-nbody-f64")
huge = runs.raw("h200-check-huge")
with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
    one, other = pathlib.Path(one), pathlib.Path(other)
    expect(runs.archived(one) == [] and runs.names(folder=one) == [], "an empty folder has runs")
    runs.store({"a.json": bench, "b.txt": b"b"}, one)
    with zipfile.ZipFile(one / "raw.zip") as archive:
        first = archive.read("a.json.xz")
    runs.store({"c.json": huge}, one)
    runs.store({"c.json": huge}, other)
    runs.store({"b.txt": b"b"}, other)
    runs.store({"a.json": huge}, other)
    runs.store({"a.json": bench}, other)
    expect((one / "raw.zip").read_bytes() == (other / "raw.zip").read_bytes(), "the same runs are other bytes")
    expect(runs.archived(one) == ["a.json", "b.txt", "c.json"], "other files are archived")
    expect(runs.names(folder=one) == ["a", "c"], "other runs have names")
    stored = [runs.raw(name, one) for name in ("a", "b.txt", "c.json")]
    expect(stored == [bench, b"b", huge], "a run is not as it was written")
    with zipfile.ZipFile(one / "raw.zip") as archive:
        expect(archive.read("a.json.xz") == first, "another run changed the bytes of one")
    try:
        runs.raw("d", one)
        expect(False, "there is a run that nobody stored")
    except KeyError:
        pass

# add.py and fetch.
with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as place:
    folder, place = pathlib.Path(folder), pathlib.Path(place)
    (folder / "x-bench.json").write_bytes(bench)
    (folder / "x-check-huge.json").write_bytes(huge)
    (folder / "x.txt").write_text("a table\n")
    added = tool("add.py", "--folder", place, *folder.glob("*"))
    expect(added[0] == 0 and not added[2], f"add.py: {added[2]}")
    written = sorted(p.name for p in place.iterdir())
    expect(written == ["raw.zip", "x-bench.json", "x-check-huge.json"], f"add.py wrote {written}")
    expect(tool("add.py", "--folder", place, "--check")[0] == 0, "what add.py wrote does not pass its check")
    extract = (place / "x-bench.json").read_text()
    expect(runs.is_extract(json.loads(extract)), "an extract is not known as one")
    expect(not runs.is_extract(json.loads(bench)), "a run is taken for an extract")
    expect(same(runs.earlier(place / "x-bench.json", place), json.loads(bench)), "earlier: not the run of an extract")
    expect(same(runs.earlier(folder / "x-bench.json", place), json.loads(bench)), "earlier: not the file")
    expect(runs.earlier(place / "y.json", place) is None, "earlier: a run that nobody stored")
    median = str(json.loads(bench)["rows"][0]["median_s"])
    expect(median in extract, "the extract has no times")
    for change in (extract.replace(median, "1e-9"), None):
        (place / "x-bench.json").unlink()
        if change:
            (place / "x-bench.json").write_text(change)
        status, _, error = tool("add.py", "--folder", place, "--check")
        expect(status == 1 and "x-bench.json: not the extract" in error, f"add.py --check passes a change: {error}")
        expect(tool("add.py", "--folder", place, "--again")[0] == 0, "add.py --again fails")
        expect((place / "x-bench.json").read_text() == extract, "add.py --again does not make the extract again")
    shutil.copy(place / "x-bench.json", place / "stray.json")
    status, _, error = tool("add.py", "--folder", place, "--check")
    expect(status == 1 and "stray.json: raw.zip has no run" in error, "add.py --check passes an extract of no run")
    before = (place / "raw.zip").read_bytes()
    nothing = json.loads(huge) | {"provenance": {}}
    for name, text, said in [("e.json", extract, "an extract"), ("n.json", "{", "not JSON"), ("l.json", "[]", "no kind"),
                             ("x.csv", "1", "json file"), ("p.json", json.dumps(nothing), "its commit and its date")]:
        (folder / name).write_text(text)
        status, _, error = tool("add.py", "--folder", place, folder / name)
        expect(status == 1 and said in error and error.count("\n") == 1, f"add.py takes {name}, or says: {error}")
    expect((place / "raw.zip").read_bytes() == before, "add.py changed the archive for what it refused")
    expect(tool("add.py")[0] == 2 and tool("add.py", "--check", "--again")[0] == 2, "add.py takes no words, or both")

    status, out, error = tool("fetch", "h200-check-huge")
    expect(status == 0 and out == huge, "fetch writes another run")
    status, out, error = tool("fetch", "--to", folder / "to", "h200-check-huge*", "h200-bench-nbody-f64")
    written = sorted(p.name for p in (folder / "to").iterdir())
    expected = ["h200-bench-nbody-f64.json", "h200-check-huge-textbook.json", "h200-check-huge.json"]
    expect(written == expected, f"fetch --to wrote {written}")
    expect((folder / "to/h200-bench-nbody-f64.json").read_bytes() == bench, "fetch --to writes another run")
    for words, said in [(["no-such-run"], "no run has the name no-such-run"), (["h200-*"], "name a folder")]:
        status, out, error = tool("fetch", *words)
        expect(status == 1 and not out and said in error, f"fetch {words}: {error}")
    status, out, error = tool("fetch")
    lines = out.decode().splitlines()
    expect(status == 0 and len(lines) == len(runs.archived()), "fetch lists others")
    listed = [line.split()[:4] for line in lines]
    expect(["h200-check-huge", "check", "2026-11-20", "6972dc9"] in listed, "fetch lists another date or commit")
print(f"{len(runs.names())} runs, random tables, add.py and fetch: all as expected")
