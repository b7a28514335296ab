#!/usr/bin/env python3
"""Compares a run with a baseline: two folders of baseline-*.json, as tests/structure/baseline.sh writes them.

  tests/structure/compare.py BASELINE_DIR NEW_DIR [--renamed NAMES.json] [--all]

Exit status 1 where one of these rules is broken:
  check    each variant is there, no more cases fail, and no fewer cases are right
  bench    no row's median is above 1.03 times the upper end of the baseline's spread (its 90th percentile)
  weight   no program has more bytes
  headers  no public header takes more than 1.10 times the baseline's seconds and 0.1 s
  hashes   each result has the same bits, on the same hardware
NAMES.json is an object, old name → new name, for variants, primitives, commands and headers that were renamed.
"""
import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from baseline import KEPT

SLOWER = 1.03
HEADER_SLOWER, HEADER_SECONDS = 1.10, 0.1
# The fields that identify a row.
KEYS = {
    "check": KEPT["check"][1],
    "bench": KEPT["bench"][1],
    "weight": ("program",),
    "headers": ("header",),
    "hashes": ("command",),
}


def check(old, new):
    right = [row["cases"] - row["failed"] for row in (old, new)]
    ok = new["failed"] <= old["failed"] and right[1] >= right[0]
    return ok, f"{right[0]} right, {old['failed']} wrong", f"{right[1]} right, {new['failed']} wrong"


def bench(old, new):
    spread = max(old["p90_s"], old["median_s"])
    # A comparison that NaN does not pass.
    ok = new["median_s"] <= SLOWER * spread
    return ok, f"{old['median_s'] * 1e6:.3f} µs (to {spread * 1e6:.3f})", f"{new['median_s'] * 1e6:.3f} µs"


def weight(old, new):
    return new["bytes"] <= old["bytes"], f"{old['bytes']} bytes", f"{new['bytes']} bytes"


def headers(old, new):
    limit = HEADER_SLOWER * old["seconds"] + HEADER_SECONDS
    return new["seconds"] <= limit, f"{old['seconds']:.2f} s", f"{new['seconds']:.2f} s"


def hashes(old, new):
    return new["sha256"] == old["sha256"], old["sha256"][:16], new["sha256"][:16]


RULES = {"check": check, "bench": bench, "weight": weight, "headers": headers, "hashes": hashes}


def key_of(kind, row, renamed):
    return tuple(renamed.get(value, value) if isinstance(value, str) else value for value in map(row.get, KEYS[kind]))


def compare(old, new, renamed):
    """Of each row of the baseline: whether it is right, its name, the old value and the new one."""
    kind = old["kind"]
    if kind == "hashes" and old["provenance"] != new["provenance"]:
        yield False, "hardware", old["provenance"].get("hardware"), new["provenance"].get("hardware")
        return
    rows = {key_of(kind, row, {}): row for row in new["rows"]}
    for row in old["rows"]:
        key = key_of(kind, row, renamed)
        name = " ".join(str(part) for part in key if part not in (None, False))
        if key in rows:
            ok, before, after = RULES[kind](row, rows[key])
            yield ok, name, before, after
        else:
            yield False, name, "measured", "missing"


def print_rows(title, rows, everything):
    bad = [row for row in rows if not row[0]]
    print(f"{title}: {len(rows)} compared, {len(bad)} worse")
    for ok, name, before, after in rows if everything else bad:
        print(f"  {'ok  ' if ok else 'WORSE'} {name}: {before} -> {after}")
    return len(bad)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("baseline", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--renamed", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="print the rows that are right, too")
    given = parser.parse_args()
    renamed = json.loads(given.renamed.read_text(encoding="utf-8")) if given.renamed else {}
    files = sorted(given.baseline.glob("baseline-*.json"))
    if not files:
        sys.exit(f"{given.baseline} has no baseline-*.json: tests/structure/baseline.sh writes them")
    worse = 0
    for file in files:
        other = given.new / file.name
        if other.is_file():
            old, new = (json.loads(f.read_text(encoding="utf-8")) for f in (file, other))
            worse += print_rows(file.name, list(compare(old, new, renamed)), given.all)
        else:
            print(f"{file.name}: WORSE, it is missing in {given.new}")
            worse += 1
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
