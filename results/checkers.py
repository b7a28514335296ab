"""compute-sanitizer over every variant of a CUDA device, each tool and variant a process, as one file for
results/add.py.

    python3 results/checkers.py --command build/upsweep --parts 16 --json h100-checkers.json [--tool racecheck ...]
                                [--max-n N] [--seconds S] [--until S] [NAME ...]

What a tool reports is an error of the library's, unless `proved` has it: reports that are wrong, each with the place
of the proof. A variant whose check takes long goes type by type; what took longer than --seconds goes again with a
quarter of the elements, and once more. Where variants are named, the file keeps the others' rows: its own, or those
of the run of its name in results/; each row has its commit. Exits with 1 where there is a report that is not proved
wrong, a process ended badly, or a variant did not run.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import runs

# Tool, kernel, and where it is proved that what the tool reports of it is no fault.
proved = [
    ("racecheck", "resident_sort", "lens/ordered/README.md#what-all-agree-on"),
]

p = argparse.ArgumentParser()
p.add_argument("names", nargs="*")
p.add_argument("--command", default="build/upsweep")
p.add_argument("--device", default="cuda:0")
p.add_argument("--tool", action="append", choices=["memcheck", "racecheck", "initcheck", "synccheck"])
p.add_argument("--parts", type=int, default=max(1, (os.cpu_count() or 2) - 1))
p.add_argument("--max-n", type=int, default=40000)
p.add_argument("--seconds", type=float, default=150, help="of one process")
p.add_argument("--until", type=float, default=3600, help="seconds after which no process is begun")
p.add_argument("--json", type=pathlib.Path, required=True)
a = p.parse_args()
began = time.monotonic()
tools = a.tool or ["racecheck", "memcheck", "synccheck", "initcheck"]

listed = json.loads(subprocess.run([a.command, "list", "--json"], check=True, capture_output=True, text=True).stdout)
listed = listed if isinstance(listed, list) else listed["variants"]
names = [v["name"] for v in listed if v["backend"] == "cuda" and (not a.names or any(n in v["name"] for n in a.names))]
if not names:
    sys.exit("results/checkers.py: no variant is of that name")
# The longest first, as far as the last whole check tells.
took = {r["variant"]: r["seconds"] for r in runs.whole("h100-check-cuda")["results"]}
names.sort(key=lambda n: -took.get(n, 5))
types_of = {v["name"]: sorted({t for types in v["takes"].values() for t in types}) if isinstance(v["takes"], dict) else []  # or forms
            for v in listed if v["backend"] == "cuda"}
jobs = []  # tool, variant, type
for tool in tools:
    for name in names:
        jobs += [(tool, name, t) for t in (types_of[name] if took.get(name, 0) > 20 else []) or [None]]


def reports(text):
    """Kernel and kind of each report, with the number of times."""
    found = {}
    for block in re.split(r"\n=========\s*\n", text):
        head = re.search(r"========= (.*)", block)
        if not head or "SUMMARY" in head[1] or "COMPUTE-SANITIZER" in head[1] and "\n" not in block.strip():
            continue
        kernel = re.search(r"(?:at|in|kernel) (?:void )?(?:[\w:]+::)?(\w+)[<(]", block)
        kind = re.search(r"=========\s+((?:Error|Warning): Race|Invalid|Uninitialized|Barrier|Program hit|Host|Misaligned|Leaked|Target)", block)
        if kind:
            key = (kernel[1] if kernel else "", kind[1])
            found[key] = found.get(key, 0) + 1
    return [{"kernel": k, "kind": kind, "reports": n} for (k, kind), n in sorted(found.items())]


def one(job):
    tool, name, only = job
    row = {"tool": tool, "variant": name} | ({"type": only} if only else {})
    of_type = ["--type", only] if only else []
    n = a.max_n
    with tempfile.TemporaryDirectory() as folder:
        kept = pathlib.Path(folder, "check.json")
        for _ in range(3):
            if time.monotonic() - began > a.until:
                return {**row, "ran": False, "why": "time was over"}
            start = time.monotonic()
            try:
                ran = subprocess.run(["compute-sanitizer", "--tool", tool, "--print-limit", "50", a.command, "check", name, "--device",
                                      a.device, "--quick", "--max-n", str(n), "--json", str(kept), *of_type],
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=a.seconds)
            except subprocess.TimeoutExpired:
                n //= 4
                continue
            break
        else:
            return {**row, "ran": False, "why": f"longer than {a.seconds:g} s at {4 * n} elements"}
        row |= {"ran": True, "max_n": n, "seconds": round(time.monotonic() - start, 1)}
        if not kept.exists():
            return {**row, "ran": False, "why": ran.stdout.strip()[-300:]}
        check = json.loads(kept.read_text())
    mine = [r for r in check["results"] if r["variant"] == name]
    row |= {"cases": sum(r["cases"] for r in mine), "ok": all(r["ok"] for r in mine), "seed": check["options"]["seed"]}
    summary = re.findall(r"SUMMARY: (.*)", ran.stdout)
    row["summary"] = summary[-1] if summary else ""
    row["reports"] = reports(ran.stdout)
    silent = re.search(r"\b0 errors(?!,)|\b0 hazards", row["summary"])
    if not summary:
        row["ok"] = False
    elif not silent:
        known = [next((proof for t, k, proof in proved if t == tool and k == r["kernel"]), None) for r in row["reports"]]
        row["proofs"] = sorted({k for k in known if k})
        row["ok"] &= bool(row["reports"]) and all(known)
        if not row["ok"]:
            row["text"] = ran.stdout[-4000:]
    row["provenance"], row["commit"] = check["provenance"], check["provenance"]["commit"][:7]
    return row


with concurrent.futures.ThreadPoolExecutor(a.parts) as pool:
    rows = list(pool.map(one, jobs))
provenance = next((r["provenance"] for r in rows if "provenance" in r), None)
for r in rows:
    r.pop("provenance", None)
bad = [r for r in rows if not r["ran"] or not r["ok"]]
version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True).stdout.strip().splitlines()
if a.names and (before := runs.earlier(a.json)):
    again = {(r["tool"], r["variant"]) for r in rows}
    rows += [r for r in before["results"] if (r["tool"], r["variant"]) not in again]
    provenance = provenance or before["provenance"]
temp = a.json.with_name(f".{a.json.name}.part")
head = {"kind": "checkers", "provenance": provenance, "options": {"device": a.device, "max_n": a.max_n, "parts": a.parts},
        "version": version[-1] if version else "", "results": []}
lines = ",\n".join(json.dumps(r) for r in sorted(rows, key=lambda r: (r["tool"], r["variant"], r.get("type", ""))))
temp.write_text(json.dumps(head, indent=1).replace('"results": []', f'"results": [\n{lines}\n ]') + "\n")
temp.rename(a.json)
for tool in tools:
    of = [r for r in rows if r["tool"] == tool]
    ran = [r for r in of if r["ran"]]
    print(f"{tool}: {len({r['variant'] for r in ran})} of {len({r['variant'] for r in of})} variants in {sum(r['cases'] for r in ran)} cases, {sum(not r.get('reports') for r in ran)} silent, "
          f"{sum(bool(r.get('proofs')) and r['ok'] for r in ran)} with reports that are proved wrong, {sum(not r['ok'] for r in ran)} with others")
for r in bad:
    print(r["tool"], r["variant"], r.get("why") or r.get("summary"), *(f"{k['kernel']}: {k['kind']}" for k in r.get("reports", [])))
sys.exit(1 if bad else 0)
