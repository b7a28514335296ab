#!/usr/bin/env python3
"""Adds runs to results/: each to raw.zip as it is, and its extract as NAME.json.

    results/add.py FILE...     JSON that upsweep bench, check or tour wrote with --json, or a tool of this repository
    results/add.py --again     makes every extract again, after a change of what runs.py has in an extract
    results/add.py --check     changes nothing, and fails where an extract is not that of its run in raw.zip

A run has the name of its file, and replaces the run of that name. Texts (.txt) go into raw.zip alone.
results/figures.py then makes the pages again.
"""
import argparse
import json
import pathlib
import sys

import runs

p = argparse.ArgumentParser(usage="results/add.py FILE... | --again | --check")
p.add_argument("files", nargs="*", type=pathlib.Path)
p.add_argument("--again", action="store_true")
p.add_argument("--check", action="store_true")
p.add_argument("--folder", type=pathlib.Path, default=runs.FOLDER, help="instead of results/")
a = p.parse_args()
if bool(a.files) + a.again + a.check != 1:
    p.error("name files, or --again, or --check")

added, wrong = {}, []
for file in a.files:
    data = file.read_bytes()
    if file.suffix not in (".json", ".txt"):
        sys.exit(f"{file}: a run is a .json file, or a .txt file")
    if file.suffix == ".json":
        try:
            run = json.loads(data)
        except ValueError as e:
            sys.exit(f"{file}: not JSON: {e}")
        if runs.is_extract(run):
            sys.exit(f"{file}: an extract. Add what the command wrote")
        if not isinstance(run, dict) or "kind" not in run:
            sys.exit(f"{file}: no run: it has no kind")
        text = json.dumps(run)
        if '"commit"' not in text or '"date"' not in text and '"time"' not in text:
            sys.exit(f"{file}: it does not say its commit and its date")
    if file.name in added:
        sys.exit(f"{file}: a file of that name is already among those to add")
    added[file.name] = data
if added:
    runs.store(added, a.folder)

for name in sorted(added or runs.archived(a.folder)):
    if not name.endswith(".json"):
        continue
    path = a.folder / name
    text = runs.extract_text(path.stem, runs.whole(name, a.folder))
    if text is None:
        if path.exists():
            wrong.append(f"{path}: runs of its kind have no extract")
            if not a.check:
                path.unlink()
    elif not path.exists() or path.read_text(encoding="utf-8") != text:
        wrong.append(f"{path}: not the extract of its run in raw.zip")
        if not a.check:
            path.write_text(text, encoding="utf-8")
if a.check:
    known = set(runs.archived(a.folder))
    wrong += [f"{path}: raw.zip has no run of that name" for path in sorted(a.folder.glob("*.json"))
              if path.name not in known]
    if wrong:
        wrong.append("results/add.py FILE adds what a command wrote; results/add.py --again makes extracts again")
    sys.exit("\n".join(wrong) or None)
