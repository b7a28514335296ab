"""upsweep check of every variant of a device, in several processes at once, as one file for results/add.py.

    python3 results/check.py --command build/upsweep --device cuda:0 --parts 12 --json h200-check-cuda.json [--max-n N]

Variants are distributed by the seconds that they took before: in the file where it exists, or else in the run of its
name in results/. Exits with 1 where a case failed, a process ended badly, or a variant is missing.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import runs

p = argparse.ArgumentParser()
p.add_argument("--command", default="build/upsweep")
p.add_argument("--device", default="cuda:0")
p.add_argument("--parts", type=int, default=8)
p.add_argument("--json", type=pathlib.Path, required=True)
p.add_argument("--max-n", type=int)
a = p.parse_args()

seconds = {}
if before := runs.earlier(a.json):
    seconds = {r["variant"]: r["seconds"] for r in before["results"]}
listed = json.loads(subprocess.run([a.command, "list", "--json"], check=True, capture_output=True, text=True).stdout)
variants = listed if isinstance(listed, list) else listed["variants"]
backend = a.device.split(":")[0]
names = [v["name"] for v in variants if v["backend"] == backend]
parts = [[0.0, []] for _ in range(a.parts)]
for name in sorted(names, key=lambda n: -seconds.get(n, 5)):
    least = min(parts)
    least[0] += seconds.get(name, 5)
    least[1].append(name)

with tempfile.TemporaryDirectory() as folder:
    running = []
    for i, (_, mine) in enumerate(parts):
        if not mine:
            continue
        file = pathlib.Path(folder, f"{i}.json")
        words = [a.command, "check", *mine, "--device", a.device, "--json", str(file)]
        if a.max_n:
            words += ["--max-n", str(a.max_n)]
        running.append((file, mine, subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)))
    whole, seeds, found, bad = None, [], {}, 0
    for file, mine, process in running:
        complaint = process.communicate()[1]
        if process.returncode != 0:
            bad += 1
            print(f"a part ended with {process.returncode}: {complaint.strip()}", file=sys.stderr)
        if not file.exists():
            continue
        part = json.loads(file.read_text())
        whole = whole or part
        seeds.append(part["options"]["seed"])
        for r in part["results"]:  # a piece of a name may mean several variants: the first is kept, unless another failed
            if r["variant"] not in found or not r["ok"]:
                found[r["variant"]] = r

if whole is None:
    sys.exit("results/check.py: no part left a result")
missing = [n for n in names if n not in found]
whole["options"]["seed"] = seeds
whole["results"] = [found[n] for n in names if n in found]
failed = [r for r in whole["results"] if not r["ok"]]
a.json.write_text(json.dumps(whole, indent=1) + "\n")
print(f"{len(found)} of {len(names)} variants, {sum(r['cases'] for r in found.values())} cases, {len(failed)} variants failed, "
      f"{len(missing)} missing, {bad} processes ended badly")
for r in failed:
    print(r["variant"], *r["failures"][:2])
for n in missing:
    print("missing:", n)
sys.exit(1 if failed or missing or bad else 0)
