#!/usr/bin/env python3
"""Holds the lens to the hardware: every textbook rung once under Nsight Compute, launch by launch beside `upsweep lens`.

    lens/truth.py [--command build/upsweep] [--device cuda:0] [--variants scan/blelloch-padded,...] [--out FILE.json]
                  [--runs u32:1000,u32:5000,u32:65536,f64:5000,u32:5000:inclusive] [--sass FOLDER]
                  [--measured FILE.json [--differences FILE.json]]

Needs ncu and the right to read performance counters. For every machine instruction that touches memory ncu says how many
lanes took part, and the sectors or wavefronts that their addresses took and would take at best. Summed over a launch by
kind of access, all of them must be equal to what the lens counts from the source, and so must the requests that global
memory received. f64 sums are DADD instructions, which nothing else is: the lanes that executed one are the work, and
must be equal too. The share of lanes active in all instructions, the compiler's own included, must lie in BANDS.
Ends with a status other than 0 where any of this fails. --sass keeps the counts of each machine instruction where it does.
--measured needs no GPU: it holds the lens to what an earlier run measured, and writes nothing but --out. A run of results/
is read whole, out of its archive. Where numbers
differ for a reason that is proved in the machine code (machine_code/held.py proves it), --differences names them: each by
rung, kernel, number, launch and both amounts. One that no longer differs as it says is a failure, as is any other.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "results"))
import runs  # noqa: E402

KINDS = ("global load", "global store", "global atomic", "shared load", "shared store", "shared atomic")
COUNTS = {  # of each kind: the lens's name, ncu's
    "lanes": "thread_inst_executed_true",
    "sectors": "memory_l2_theoretical_sectors_global",
    "ideal_sectors": "memory_l2_theoretical_sectors_global_ideal",
    "wavefronts": "memory_l1_wavefronts_shared",
    "ideal_wavefronts": "memory_l1_wavefronts_shared_ideal",
}
PLACES = ("memory_type", "memory_access_type", "memory_access_size_type")
REQUESTS = {
    "global load requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global store requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
}
# Where timing decides what is read, and in which function.
POLLS = {"scan/decoupled-lookback": "look_back"}
# Where nvcc's additions are not the source's: it adds in all lanes what the source adds in some, and selects; or leaves out
# what nobody reads.
OTHER_ADDITIONS = {"reduce/warp-shuffle", "reduce/cooperative-groups", "scan/kogge-stone-warp", "scan/scan-then-propagate",
                   "scan/reduce-then-scan", "scan/decoupled-lookback"}
# Lanes active in all instructions of a run: how many percentage points the GPU may lie from the lens. Index arithmetic is
# done by all lanes and raises the share; a predicated instruction is issued by warps that have no lane for it and lowers it.
BANDS = {
    "reduce/sequential": (-1, 1), "scan/sequential": (-1, 1), "scan/thread-per-output": (-2, 2),
    "vector-add/one-thread-per-element": (-5, 0), "reduce/global-interleaved": (-5, 15), "reduce/global-sequential": (-5, 15),
    "scan/blelloch": (-5, 5), "scan/brent-kung": (-5, 5), "scan/kogge-stone-warp": (-5, 10),
    "reduce/interleaved-divergent": (30, 35), "reduce/interleaved-strided": (-25, -20),
    "reduce/sequential-addressing": (-25, -20), "reduce/first-add-on-load": (-25, -20),
    "reduce/unrolled-last-warp": (-20, -10), "reduce/fully-unrolled": (-20, -10), "reduce/grid-stride": (-15, -10),
    "reduce/warp-shuffle": (-15, -5), "reduce/cooperative-groups": (-15, -5),
    "scan/blelloch-block": (-40, -30), "scan/blelloch-padded": (-30, -20), "scan/blelloch-doubly-padded": (-25, -20),
    "histogram/global-atomics": (-15, -10), "histogram/lane-private": (-15, -10), "histogram/sort-based": (-15, -10),
    "histogram/shared-privatized": (-20, -15), "sort/odd-even-merge": (5, 10), "sort/merge-path": (-15, -10),
    "sort/onesweep": (-15, -10), "sort/radix-reduce-then-scan": (-20, -15),
}
USUAL_BAND = (-10, 5)
# Records that are older have the sort's keys as its exam made them until then.
KEYS_CHANGED = "2026-11-24T13:02:30Z"


def how(run):
    n, dtype, inclusive = run
    return ["--n", str(n), "--type", dtype, *(["--inclusive"] if inclusive else [])]


def runs_of(text):
    """'u32:5000:inclusive,…' as (n, type, inclusive)."""
    runs = []
    for one in text.split(","):
        dtype, n, *rest = one.split(":")
        runs.append((int(n), dtype, rest == ["inclusive"]))
    return runs


def size_for(variant, n):
    # One thread, or a square of work.
    return min(n, 4096) if variant.endswith("/sequential") or variant == "scan/thread-per-output" else n


# ---- under the lens


def mixed(x):
    x = x + 0x9e3779b97f4a7c15 & 2**64 - 1
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & 2**64 - 1
    x = (x ^ x >> 27) * 0x94d049bb133111eb & 2**64 - 1
    return x ^ x >> 31


def earlier_keys(n, seed=1):
    """The bytes of a sort's u32 keys as upsweep/sort/sort_keys.hpp made them before KEYS_CHANGED."""
    keys = []
    for i in range(n):
        random = mixed(mixed(seed) ^ i)
        bits = random >> 8 & 0xffffffff
        sign = bits & 0x80000000
        ends = (0, 0, 0xffffffff, 0x80000000, 0x80000000, 0x7fffffff, sign | 1, sign | 3)
        keys.append(bits if random & 15 else ends[random >> 4 & 7])
    return struct.pack(f"<{n}I", *keys)


def keys_of(provenance, variant, run, folder):
    """A file with the keys that a record was made with, where they are others than today's; else None."""
    if not variant.startswith("sort/") or not provenance or provenance["date"] >= KEYS_CHANGED:
        return None
    if run[1] != "u32":
        sys.exit(f"{variant}: the keys of {run[1]} before {KEYS_CHANGED} are not known here")
    file = pathlib.Path(folder, f"keys-{run[0]}")
    if not file.exists():
        file.write_bytes(earlier_keys(run[0]))
    return file


def lens(options, variant, run, keys=None):
    ran = subprocess.run([options.command, "lens", variant, *how(run), *(["--in", keys] if keys else []), "--no-races", "--json"],
                         capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"lens {variant} n = {run[0]}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)["result"]["launches"]


def by_lens(launch, polling):
    counts = {}
    for kind, event in launch.get("events", {}).items():
        if kind in KINDS:
            for name in COUNTS:
                if event.get(name, 0) > 0 or name == "lanes":
                    counts[f"{kind} {name}"] = event.get(name, 0)
            if kind in ("global load", "global store"):
                counts[f"{kind} requests"] = event["instructions"]
    counts["applications"] = launch["work"]
    counts["instructions"], counts["lanes"] = launch["instructions"], launch["lanes"]
    # What timing decides is known only from below: each line of the look-back runs once at least.
    if polling:
        for line in launch["lines"]:
            if polling in line["function"] and line["what"] == "global load":
                for name in ("lanes", "sectors", "ideal_sectors"):
                    counts[f"global load {name}"] -= line[name]
                counts["global load requests"] -= line["instructions"]
    return counts


# ---- on the GPU


def number(text):
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return 0.0


def opcode(source):
    words = source.split()
    return words[1] if words[0].startswith("@") else words[0]


def by_gpu(instructions, counters):
    counts = {"instructions": 0, "lanes": 0, "memory instructions": 0, "memory lanes": 0, "applications": 0}
    for one in instructions:
        lanes, issued = number(one["thread_inst_executed_true"]), number(one["inst_executed"])
        counts["instructions"] += issued
        counts["lanes"] += lanes
        if opcode(one["Source"]) == "DADD":
            counts["applications"] += lanes
        where, what = one.get("memory_type", "-"), one.get("memory_access_type", "-")
        if where not in ("Global", "Generic", "Shared") or lanes == 0:
            continue
        kind = ("shared " if where == "Shared" else "global ") + {"Load": "load", "Store": "store"}.get(what, "atomic")
        counts["memory instructions"] += issued
        counts["memory lanes"] += lanes
        for name, metric in COUNTS.items():
            value = number(one.get(metric))
            if value > 0:
                counts[f"{kind} {name}"] = counts.get(f"{kind} {name}", 0) + value
    for name, metric in REQUESTS.items():
        if number(counters.get(metric)) > 0:
            counts[name] = number(counters.get(metric))
    return {name: int(value) for name, value in counts.items()}


def profiled(options, variants, run):
    """The launches of all rungs, one after the other: kernel, counts, machine instructions."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "truth")
        metrics = ["inst_executed", *COUNTS.values(), *PLACES, *REQUESTS.values()]
        ran = subprocess.run([options.ncu, "--clock-control", "none", "--metrics", ",".join(metrics), "-o", file,
                              options.command, "lens", *variants, *how(run), "--run-on", options.device],
                             capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"ncu: n = {run[0]}: {ran.stdout[-2000:]}{ran.stderr[-2000:]}")

        def page(*which):
            text = subprocess.run([options.ncu, "-i", file + ".ncu-rep", "--csv", "--print-units", "base", "--page", *which],
                                  capture_output=True, text=True, check=True).stdout
            return csv.reader(text.splitlines())

        raw = page("raw")
        heads = next(line for line in raw if line and line[0] == "ID")
        counters = [dict(zip(heads, line)) for line in raw if line and line[0].isdigit()]
        pages, heads = [], []
        for line in page("source", "--print-source", "sass"):
            if line and line[0] == "Kernel Name":
                pages.append({"kernel": line[1], "sass": []})
            elif line and line[0] == "Address":
                heads = line
            elif len(line) == len(heads) and heads:
                pages[-1]["sass"].append(dict(zip(heads, line)))
    # ncu prints most launches twice over. Which is which shows in the instructions that were executed.
    launches = []
    for counted in counters:
        if not pages or sum(number(one["inst_executed"]) for one in pages[0]["sass"]) != number(counted["inst_executed"]):
            sys.exit(f"ncu's pages of launch {len(launches)} at n = {run[0]} do not belong together")
        launches.append(pages.pop(0))
        if pages and pages[0] == launches[-1]:
            pages.pop(0)
    if pages:
        sys.exit(f"ncu says {len(counters)} launches on one page and more on another")
    for launch, counted in zip(launches, counters):
        launch["gpu"] = by_gpu(launch["sass"], counted)
    return launches


# ---- side by side


def active(rows, side):
    """Lanes active in all instructions of those launches, in percent."""
    issued = sum(row[side]["instructions"] for row in rows)
    return 100 * sum(row[side]["lanes"] for row in rows) / (32 * issued) if issued else 0.0


def run_of(row):
    return row["n"], row["type"], row["inclusive"]


def outside_bands(rows):
    groups = {}
    for row in rows:
        groups.setdefault((row["rung"], run_of(row)), []).append(row)
    outside = []
    for (variant, run), those in groups.items():
        low, high = BANDS.get(variant, USUAL_BAND)
        ours, theirs = active(those, "lens"), active(those, "gpu")
        if not low <= theirs - ours <= high:
            outside.append(f"{variant} {' '.join(how(run))}: {theirs:.1f}% of the lanes active on the GPU, {ours:.1f}% under the "
                           f"lens: not {low} to {high} points apart")
    return outside, len(groups)


def compared(row):
    """The names of what must be equal and is not."""
    ours, theirs = row["lens"], row["gpu"]
    names = {name for side in (ours, theirs) for name in side if name.startswith(KINDS)}
    sums = row["rung"].startswith(("vector-add/", "reduce/", "scan/"))
    if sums and row["type"] == "f64" and row["rung"] not in OTHER_ADDITIONS:
        names.add("applications")
    wrong = []
    for name in sorted(names):
        a, b = ours.get(name, 0), theirs.get(name, 0)
        least = row["rung"] in POLLS and name.startswith("global load")
        if not (b >= a if least else a == b):
            wrong.append(name)
    return wrong, len(names)


class differences:
    """Those that are proved: what is found is held to them, and they to what is found."""

    def __init__(self, file):
        self.known = {}
        if file:
            for one in json.loads(pathlib.Path(file).read_text())["differences"]:
                for launch, amounts in one["launches"].items():
                    self.known[one["rung"], one["kernel"], one["number"], int(launch)] = tuple(amounts)
        self.left, self.proved = dict(self.known), 0

    def explain(self, row, name):
        key = row["rung"], row["kernel"], name, row["launch"]
        if self.known.get(key) != (row["lens"].get(name, 0), row["gpu"].get(name, 0)):
            return False
        self.left.pop(key, None)
        self.proved += 1
        return True


def keep_sass(folder, row, launch):
    name = f"{row['rung'].replace('/', '-')}-{row['type']}-{row['n']}{'-inclusive' if row['inclusive'] else ''}-{row['launch']}.csv"
    with open(os.path.join(folder, name), "w", newline="") as out:
        heads = ["Source", "inst_executed", *COUNTS.values(), *PLACES]
        table = csv.DictWriter(out, heads, extrasaction="ignore", restval="")
        table.writeheader()
        table.writerows(launch["sass"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default="build/upsweep")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--runs", default="u32:1000,u32:5000,u32:65536,f64:5000,u32:5000:inclusive")
    parser.add_argument("--variants", default="")
    parser.add_argument("--out", default="")
    parser.add_argument("--sass", default="")
    parser.add_argument("--measured", default="")
    parser.add_argument("--differences", default="")
    options = parser.parse_args()

    measured, provenance = [], {}
    if options.measured:
        earlier = runs.earlier(pathlib.Path(options.measured))
        if earlier is None:
            parser.error(f"{options.measured}: neither a file nor a run of results/")
        measured, provenance = earlier["rows"], earlier["provenance"]
    elif not options.out:
        options.out = "lens-truth.json"
    variants = [r for r in options.variants.split(",") if r]
    if not variants and not measured:
        listed = subprocess.run([options.command, "list", "--device", "cuda", "--json"], capture_output=True, text=True,
                                check=True)
        variants = [v["name"] for v in json.loads(listed.stdout) if v["kind"] == "textbook"]
        # The others have no operator and no inclusive form; --variants and --runs u32:5000 say what to ask of them.
        variants = [r for r in variants if r.startswith(("vector-add/", "reduce/", "scan/"))]
    if not measured:
        told = subprocess.run([options.command, "lens", variants[0], "--n", "32", "--json"], capture_output=True, text=True,
                              check=True)
        provenance = json.loads(told.stdout)["provenance"]  # machine, commit and date
    if options.sass:
        os.makedirs(options.sass, exist_ok=True)

    jobs = {}  # (n, type, inclusive): variants
    for n, dtype, inclusive in runs_of(options.runs):
        for variant in variants:
            if inclusive and not variant.startswith("scan/"):
                continue
            those = jobs.setdefault((size_for(variant, n), dtype, inclusive), [])
            if variant not in those:
                those.append(variant)
    if measured:
        jobs = {run: list(dict.fromkeys(row["rung"] for row in measured if run_of(row) == run))
                for run in map(run_of, measured)}
    rows, unequal, comparisons, proved = [], 0, 0, differences(options.differences)

    def hold(row, launch=None):
        nonlocal unequal, comparisons
        wrong, count = compared(row)
        wrong = [name for name in wrong if not proved.explain(row, name)]
        rows.append(row)
        comparisons += count
        unequal += len(wrong)
        for name in wrong:
            print(f"{row['rung']} {' '.join(how(run_of(row)))}, launch {row['launch']}, {row['kernel']}: {name} "
                  f"{row['lens'].get(name, 0)} under the lens, {row['gpu'].get(name, 0)} on the GPU")
        if launch and options.sass and wrong:
            keep_sass(options.sass, row, launch)

    def save():
        with open(options.out, "w") as out:
            out.write(json.dumps({"kind": "lens-truth", "provenance": provenance, "rows": rows}, separators=(",", ":"))
                      .replace('{"rung"', '\n{"rung"') + "\n")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as folder:
        under_lens = {(variant, run): pool.submit(lens, options, variant, run,
                                               keys_of(provenance if measured else None, variant, run, folder))
                      for run, those in jobs.items() for variant in those}
        for old in measured:
            launches = under_lens[old["rung"], run_of(old)].result()
            if old["launch"] > len(launches):
                sys.exit(f"{old['rung']}: {len(launches)} launches under the lens, more on the GPU")
            old["lens"] = by_lens(launches[old["launch"] - 1], POLLS.get(old["rung"]))
            hold(old)
        for run, those in jobs.items() if not measured else ():
            launches = profiled(options, those, run)
            expected = [(variant, index, launch) for variant in those
                        for index, launch in enumerate(under_lens[variant, run].result())]
            if len(launches) != len(expected):
                sys.exit(f"n = {run[0]}: {len(launches)} launches on the GPU, {len(expected)} under the lens")
            for (variant, index, launch), seen in zip(expected, launches):
                kernel = seen["kernel"].split("<")[0].split("(")[0].split("::")[-1].split()[-1]
                hold({"rung": variant, "n": run[0], "type": run[1], "inclusive": run[2], "launch": index + 1, "kernel": kernel,
                      "lens": by_lens(launch, POLLS.get(variant)), "gpu": seen["gpu"]}, seen)
            save()  # what is there so far survives a machine that is taken away
    if options.out:
        save()
    for (variant, kernel, name, launch), (ours, theirs) in proved.left.items():
        print(f"{variant}, launch {launch}, {kernel}: {name} is said to be {ours} under the lens and {theirs} on the GPU, and is not")
    outside, runs_in_all = outside_bands(rows)
    for_reasons = f"{proved.proved} differ for reasons proved in {options.differences}, " if options.differences else ""
    print("\n".join(outside + [f"{len(rows)} launches, {comparisons} numbers: {comparisons - unequal - proved.proved} equal, "
                               f"{for_reasons}{unequal} {'unexplained' if for_reasons else 'unequal'}; {runs_in_all} runs, "
                               f"{len(outside)} of them outside the band of their lanes active"]))
    sys.exit(0 if rows and unequal == 0 and not outside and not proved.left else 1)


if __name__ == "__main__":
    main()
