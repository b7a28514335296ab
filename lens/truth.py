#!/usr/bin/env python3
"""Holds the lens to the hardware: every textbook rung once under Nsight Compute, launch by launch beside `upsweep lens`.

    lens/truth.py [--command build/upsweep] [--device cuda:0] [--sizes 1000,65536] [--types u32,f64]
                  [--inclusive] [--rungs scan/blelloch-padded,...] [--out results/lens-truth.json] [--report FILE.md]

Needs ncu and the right to read performance counters. Global load and store sectors and shared wavefronts, actual and
ideal, must be equal where a launch does not poll; warp instructions are the compiler's, and are shown as a ratio.
"""
import argparse
import csv
import io
import json
import subprocess
import sys

# The counters of the memory tables (by access) and the address-exact ones of the source view.
SOURCE = {
    "theoretical_sectors_global": "memory_l2_theoretical_sectors_global",
    "theoretical_sectors_global_ideal": "memory_l2_theoretical_sectors_global_ideal",
    "wavefronts_shared": "memory_l1_wavefronts_shared",
    "wavefronts_shared_ideal": "memory_l1_wavefronts_shared_ideal",
}
COUNTERS = {
    "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "instructions": "smsp__inst_executed.sum",
    "threads": "smsp__thread_inst_executed.sum",
}
# What another block's timing decides cannot be equal.
POLLS = {"scan/decoupled-lookback"}


def command(options, rung, n, dtype):
    how = ["--inclusive"] if options.inclusive else []
    return [options.command, "lens", rung, "--n", str(n), "--type", dtype, *how]


def lens(options, rung, n, dtype):
    text = subprocess.run([*command(options, rung, n, dtype), "--no-races", "--json"], capture_output=True, text=True)
    if text.returncode != 0:
        return None, text.stderr.strip()
    return json.loads(text.stdout)["result"], None


def event(launch, name, field):
    return launch.get("events", {}).get(name, {}).get(field, 0)


def emulated(launch):
    globals_, shared = ("global load", "global store"), ("shared load", "shared store")
    return {
        "theoretical_sectors_global": sum(event(launch, e, "sectors") for e in globals_),
        "theoretical_sectors_global_ideal": sum(event(launch, e, "ideal_sectors") for e in globals_),
        "wavefronts_shared": sum(event(launch, e, "wavefronts") for e in shared),
        "wavefronts_shared_ideal": sum(event(launch, e, "ideal_wavefronts") for e in shared),
        "load_sectors": event(launch, "global load", "sectors"),
        "store_sectors": event(launch, "global store", "sectors"),
        "shared_load_wavefronts": event(launch, "shared load", "wavefronts"),
        "shared_store_wavefronts": event(launch, "shared store", "wavefronts"),
        "instructions": launch["instructions"],
        "threads": launch["lanes"],
    }


def number(text):
    """A metric as ncu prints it: '1,234', or, for one that has a value for each instruction, '1,234 (12; 0; 5)'."""
    try:
        return float(text.split("(")[0].strip().replace(",", ""))
    except ValueError:
        return None


def profiled(options, rung, n, dtype):
    """One dictionary a launch, in the order of launching."""
    metrics = {**SOURCE, **COUNTERS}
    run = subprocess.run([options.ncu, "--clock-control", "none", "--print-units", "base", "--csv", "--page", "raw",
                          "--target-processes", "all", "--metrics", ",".join(metrics.values()),
                          *command(options, rung, n, dtype), "--run-on", options.device],
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"ncu: {rung} n = {n} {dtype}: {run.stdout[-2000:]}{run.stderr[-2000:]}")
    # ncu's own lines and the program's come before the table.
    lines = run.stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        sys.exit(f"ncu printed no table for {rung}: {run.stdout[-2000:]}")
    rows = list(csv.DictReader(io.StringIO("\n".join(lines[start:]))))
    launches = []
    for row in rows:
        if not row.get("ID", "").strip().isdigit():
            continue  # the row of units
        one = {name: number(row.get(metric) or "") for name, metric in metrics.items()}
        one["kernel"] = row.get("Kernel Name", "")
        one["id"] = int(row["ID"])
        launches.append(one)
    return sorted(launches, key=lambda one: one["id"])


def compare(options, rung, n, dtype, rows):
    counted, why = lens(options, rung, n, dtype)
    if counted is None:
        print(f"{rung} n = {n} {dtype}: left out, {why}", file=sys.stderr)
        return True
    seen = profiled(options, rung, n, dtype)
    same_count = len(seen) == len(counted["launches"])
    if not same_count:
        print(f"{rung} n = {n} {dtype}: {len(seen)} launches on the GPU, {len(counted['launches'])} under the lens",
              file=sys.stderr)
    right = same_count
    for index, (gpu, launch) in enumerate(zip(seen, counted["launches"])):
        here = emulated(launch)
        for name in here:
            there = gpu.get(name)
            binding = name in SOURCE and rung not in POLLS
            equal = there is not None and there == here[name]
            if binding and not equal:
                right = False
            rows.append({"rung": rung, "n": n, "type": dtype, "inclusive": options.inclusive, "launch": index + 1, "kernel": gpu["kernel"],
                         "metric": name, "lens": here[name], "gpu": there, "binding": binding, "equal": equal})
    return right


def table(rows):
    """One line a rung, size and type: the sums over launches, and how many of its launches agree in each metric."""
    groups = {}
    for row in rows:
        groups.setdefault((row["rung"], row["n"], row["type"]), []).append(row)
    heads = list(SOURCE)
    lines = ["| rung | n | type | launches | " + " | ".join(h.replace("_", " ") for h in heads) +
             " | warp instructions, GPU : lens |", "| --- " * (5 + len(heads)) + "|"]
    for (rung, n, dtype), group in groups.items():
        cells = []
        for metric in heads:
            of = [r for r in group if r["metric"] == metric]
            if any(r["gpu"] is None for r in of):
                cells.append("not measured")
                continue
            ours, theirs = sum(r["lens"] for r in of), sum(r["gpu"] for r in of)
            cells.append(f"{ours:.0f} =" if all(r["equal"] for r in of) else f"{ours:.0f}, GPU {theirs:.0f}")
        of = [r for r in group if r["metric"] == "instructions" and r["gpu"] is not None and r["lens"] > 0]
        ratio = f"{sum(r['gpu'] for r in of) / sum(r['lens'] for r in of):.1f}" if of else ""
        launches = max(r["launch"] for r in group)
        lines.append(f"| {rung} | {n} | {dtype} | {launches} | " + " | ".join(cells) + f" | {ratio} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default="build/upsweep")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--sizes", default="1000,65536")
    parser.add_argument("--types", default="u32,f64")
    parser.add_argument("--inclusive", action="store_true")
    parser.add_argument("--rungs", default="")
    parser.add_argument("--out", default="results/lens-truth.json")
    parser.add_argument("--report", default="")
    options = parser.parse_args()

    rungs = [r for r in options.rungs.split(",") if r]
    if not rungs:
        listed = subprocess.run([options.command, "list", "--device", "cuda", "--json"], capture_output=True, text=True,
                                check=True)
        rungs = [v["name"] for v in json.loads(listed.stdout) if v["kind"] == "textbook"]
    rows, right = [], True
    told = subprocess.run([options.command, "lens", rungs[0], "--n", "32", "--json"], capture_output=True, text=True, check=True)
    provenance = json.loads(told.stdout)["provenance"]  # machine, commit and date
    for rung in rungs:
        for n in (int(n) for n in options.sizes.split(",")):
            if rung.endswith("/sequential") or rung == "scan/thread-per-output":
                n = min(n, 4096)  # one thread, or a square of work
            for dtype in options.types.split(","):
                if any(r["rung"] == rung and r["n"] == n and r["type"] == dtype for r in rows):
                    continue
                right = compare(options, rung, n, dtype, rows) and right
                with open(options.out, "w") as out:  # what is there so far survives a machine that is taken away
                    json.dump({"kind": "lens-truth", "provenance": provenance, "rows": rows}, out, indent=1)
    text = table(rows)
    print(text)
    if options.report:
        with open(options.report, "w") as out:
            out.write(text)
    unequal = [r for r in rows if r["binding"] and not r["equal"]]
    print(f"{len([r for r in rows if r['binding']])} comparisons, {len(unequal)} of them unequal")
    sys.exit(0 if right and rows else 1)


if __name__ == "__main__":
    main()
