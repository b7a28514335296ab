#!/usr/bin/env python3
"""Holds the exercises to what README says of them: exercises.py COMMAND [--write]

Each kernel goes through `upsweep lens` as it is, and mended. A fault is found at its line and is gone with the mend; a waste is the
count that README names, before and after. --write puts sources and answers into README anew. Ends with 77 where nothing can be compiled.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Of each: the lens's options, and the fault with its place in the source, or the count that is wasted: of which access, in
# the line that has most of it, before and after.
EXERCISES = {
    "reversed": ([], ("race", "cells[255 - t]")),
    "running_sums": ([], ("race", "cells[t - d]")),
    "pairs": (["--n", "1000"], ("divergent barrier", "__syncthreads")),
    "twice": (["--n", "1000"], ("out of bounds", "out[i]")),
    "last_bits": ([], ("uninitialised read", "atomicAdd(&bins")),
    "stretches": (["--grid", "1"], ("global load", "sectors", 4096, 512)),
    "tree": ([], ("shared load", "divergent", 1504, 160)),
    "rows": ([], ("shared load", "wavefronts", 1024, 128)),
    "transpose": (["--grid", "2x2", "--block", "32x32"], ("global store", "sectors", 4096, 512)),
    "evens": ([], ("global atomic", "turns", 2022, 128)),
}


def lens(command, file, *options):
    return subprocess.run([command, "lens", file, *options], cwd=HERE, capture_output=True, text=True)


def answer(command, file, options):
    done = lens(command, file, *options, "--json")
    if not done.stdout:
        sys.exit(f"FAILED: {file}: {done.stderr}")
    return done.returncode, json.loads(done.stdout)["result"]


def wrong_with(command, name):
    options, expected = EXERCISES[name]
    status, before = answer(command, f"{name}.cu", options)
    mended_status, after = answer(command, f"{name}_mended.cu", options)
    if mended_status != 0 or after["findings"]:
        return f"mended, it still has {after['findings']}"
    if len(expected) == 2:
        kind, piece = expected
        source = (HERE / f"{name}.cu").read_text().split("\n")
        place = f"{name}.cu:{next(i for i, line in enumerate(source, 1) if piece in line)}"
        if status == 0 or not any(f["what"] == kind and place in f["text"] for f in before["findings"]):
            return f"no {kind} was found at {place}, but {before['findings']}"
        said = f"{kind}: "
    else:
        access, count, wasted, left = expected
        counted = [max(line.get(count, 0) for line in side["total"]["lines"] if line["what"] == access) for side in (before, after)]
        if status != 0 or counted != [wasted, left]:
            return f"{count} of {access} are {counted}, not {[wasted, left]}; it ended with {status}"
        said = f"{wasted:,}"
    readme = (HERE / "README.md").read_text()
    block = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", readme, re.S)
    if not block or said not in block[1]:
        return f"README does not say '{said}' of it"
    return None


def told(command, file, options):
    """The source, and what the lens says of it: its faults, or its lines."""
    lines = lens(command, file, *options, "--lines").stdout.split("\n")
    begin = next((i + 1 for i, line in enumerate(lines) if line == "Found"), None)
    if begin is None:
        begin = next(i for i, line in enumerate(lines) if line.startswith("Lines,")) + 1
    said = "\n".join(line.removeprefix("  ") for line in lines[begin:]).strip("\n")
    words = " ".join(["upsweep lens", file, *options, "--lines"])
    return f"```cpp\n{(HERE / file).read_text()}```\n\n`{words}` prints:\n\n```\n{said}\n```\n"


def write(command):
    readme = (HERE / "README.md").read_text()
    for name, (options, _) in EXERCISES.items():
        for file in (name, f"{name}_mended"):
            mark, text = f"<!-- {file} -->\n", told(command, f"{file}.cu", options)
            before, rest = readme.split(mark, 1)
            end = f"<!-- /{file} -->"
            readme = before + mark + text + end + rest.split(end, 1)[1]
    (HERE / "README.md").write_text(readme)


def main():
    command = str(pathlib.Path(sys.argv[1]).resolve())
    if not shutil.which("g++") or not shutil.which("addr2line"):
        print("skipped: g++ and addr2line compile such files")
        sys.exit(77)
    if sys.argv[2:] == ["--write"]:
        write(command)
    wrong = [f"{name}: {what}" for name in EXERCISES if (what := wrong_with(command, name))]
    files = {f"{name}{end}.cu" for name in EXERCISES for end in ("", "_mended")}
    if others := {p.name for p in HERE.glob("*.cu")} ^ files:
        wrong.append(f"{', '.join(sorted(others))}: is no exercise, or is not there")
    print("\n".join(wrong) or f"{len(EXERCISES)} exercises: each fault is found and each waste counted, and with the mend they are gone")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
