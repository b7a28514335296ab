#!/usr/bin/env python3
"""Proves in the machine code what truth.py takes for proved.

    lens/machine_code/held.py NVCC ARCHITECTURE [--program build/upsweep_machine_code] [--command build/upsweep]
                              [--record results/h200-lens-truth-newer.json] [--differences FILE] [--beside FILE]

nvcc compiles the textbook variants again, nvdisasm lists their instructions, and upsweep_machine_code runs these on the host,
lane by lane, on the input that the GPU had. Then

- every number that Nsight Compute counted on the GPU must be what the machine code asks for, launch by launch: so it is
  the compiled code, and no chance, that decides it;
- of each difference between lens and GPU that --differences names, the instructions must stand where they are said to
  stand and have lanes in that launch; where lanes differ, these instructions must be as wide as accounts for it;
- for variants without a record the lens is compared with the machine code, and may differ only as --beside says.

Skipped, with status 77, without nvdisasm (beside nvcc, on PATH or in $NVDISASM), or where nvcc is another than the
record's, whose code may be other code.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
sys.path.append(str(ROOT / "results"))
import disassembly  # noqa: E402
import runs  # noqa: E402
import truth  # noqa: E402

KINDS = {"LDG": "global load", "STG": "global store", "ATOMG": "global atomic", "REDG": "global atomic",
         "LDS": "shared load", "STS": "shared store", "ATOMS": "shared atomic"}
FIELDS = ("lanes", "requests", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts")
# What has no record of a GPU: sizes that are no multiple of anything, and more than a tile.
WITHOUT_RECORD = {"convolve": (1000, 2000, 5000), "nbody": (300, 1000)}


def kind_of(text):
    return KINDS.get(truth.opcode(text).split(".")[0])


def counts_of(launch):
    counts = collections.Counter()
    for _, text, _, _, lanes, *costs in launch["code"]:
        if kind_of(text) and lanes:
            for field, value in zip(FIELDS, (lanes, *costs)):
                if field != "requests" or kind_of(text) in ("global load", "global store"):  # as truth.py counts
                    counts[f"{kind_of(text)} {field}"] += value
    return counts


def names_of(*sides):
    return sorted({name for side in sides for name in side if name.startswith(tuple(KINDS.values())) and
                   any(s.get(name, 0) for s in sides)})


def name_of(mangled):
    """The function's own name, the last of those that _ZN…E counts out."""
    at, last = mangled.index("_ZN") + 3, ""
    while mangled[at].isdigit():
        digits = len(mangled[at:]) - len(mangled[at:].lstrip("0123456789"))
        length = int(mangled[at:at + digits])
        last, at = mangled[at + digits:at + digits + length], at + digits + length
    return last


def skipped(why):
    print(f"skipped: {why}")
    sys.exit(77)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nvcc")
    parser.add_argument("architecture")
    parser.add_argument("--program", default="build/upsweep_machine_code")
    parser.add_argument("--command", default="build/upsweep")
    parser.add_argument("--record", default=ROOT / "results/h200-lens-truth-newer.json")
    parser.add_argument("--differences", default=HERE / "differences.json")
    parser.add_argument("--beside", default=HERE / "beside.json")
    options = parser.parse_args()

    record = runs.earlier(pathlib.Path(options.record))
    if record is None:
        parser.error(f"{options.record}: neither a file nor a run of results/")
    version = subprocess.run([options.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    compiler = record["provenance"]["cuda_compiler"].split(",")[0].removeprefix("nvcc ")
    if f"V{compiler}" not in version or options.architecture != "90":
        skipped(f"the record is of nvcc {compiler} for sm_90")
    nvdisasm = os.environ.get("NVDISASM") or shutil.which("nvdisasm", path=os.pathsep.join(
        [str(pathlib.Path(options.nvcc).resolve().parent), os.environ.get("PATH", "")]))
    if not nvdisasm:
        skipped("there is no nvdisasm beside nvcc, on PATH or in $NVDISASM")

    faults, numbers = [], 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        algorithms = sorted({row["rung"].split("/")[0] for row in record["rows"]} | set(WITHOUT_RECORD))

        def disassembled(algorithm):
            out = pathlib.Path(folder, algorithm + ".sass")
            out.write_text(disassembly.disassembled(options.nvcc, nvdisasm, options.architecture,
                                                    ROOT / "upsweep" / algorithm / f"textbook/{algorithm}_textbook.cu"))
            return out

        code = dict(zip(algorithms, pool.map(disassembled, algorithms)))

        def run(variant, n, provenance=None):
            keys = truth.keys_of(provenance, variant, (n, "u32", False), folder)
            ran = subprocess.run([options.program, variant, str(n), "1", code[variant.split("/")[0]], *([keys] if keys else [])],
                                 capture_output=True, text=True)
            if ran.returncode != 0:
                sys.exit(f"the machine code of {variant}, n = {n}: {ran.stderr.strip()}")
            told = json.loads(ran.stdout)
            if told["wrong"]:
                faults.append(f"{variant}, n = {n}: the machine code's result: {told['wrong']}")
            return told["launches"]

        launches = {}
        for row in record["rows"]:
            key = row["rung"], row["n"]
            if (row["type"], row["inclusive"]) != ("u32", False):
                sys.exit(f"{row['rung']}: runs of {row['type']} are not known here")
            if key not in launches:
                launches[key] = run(*key, record["provenance"])
            ours, theirs = counts_of(launches[key][row["launch"] - 1]), row["gpu"]
            for name in names_of(ours, theirs):
                numbers += 1
                if ours.get(name, 0) != theirs.get(name, 0):
                    faults.append(f"{row['rung']}, launch {row['launch']}, {row['kernel']}: {name} {ours.get(name, 0)} in the "
                                  f"machine code, {theirs.get(name, 0)} on the GPU")
        print(f"{len(launches)} variants, {numbers} numbers counted on the GPU: {numbers - len(faults)} are the machine code's")

        def holds(one, n, sides):
            """Does the machine code show what this difference is said to come from?"""
            for launch, (lens, other) in one["launches"].items():
                where = f"{one['rung']}, launch {launch}, {one['kernel']}: {one['number']}"
                there = launches[one["rung"], n][int(launch) - 1]
                found = {f"{at} {text}": lanes for at, text, _, _, lanes, *_ in there["code"]}
                if name_of(there["kernel"]) != one["kernel"] or counts_of(there).get(one["number"], 0) != other:
                    faults.append(f"{where} is not {other} in the machine code")
                gone = [text for text in one["code"] if not found.get(text)]
                if gone or not one["code"]:
                    faults.append(f"{where}: no lane executes {'; '.join(gone)}")
                elif one["number"].endswith(" lanes"):
                    wide = sum(found[text] for text in one["code"])
                    if one["why"] == ["wide"] and lens - other not in (wide, 3 * wide):
                        faults.append(f"{where}: {lens - other} lanes fewer, of wide accesses by {wide}")
                    if not set(one["why"]) <= {"wide", "kept"}:
                        faults.append(f"{where}: rounds have as many lanes as the source")
            return len(one["launches"])

        told = json.loads(pathlib.Path(options.differences).read_text())["differences"]
        shown = sum(holds(one, 2000, None) for one in told)
        print(f"{shown} differences between lens and GPU, whose instructions stand where they are said to")

        beside, equal = truth.differences(options.beside), 0
        listed = json.loads(subprocess.run([options.command, "list", "--device", "cuda", "--json"], capture_output=True,
                                           text=True, check=True).stdout)
        names = [v["name"] for v in listed if v["kind"] == "textbook" and v["name"].split("/")[0] in WITHOUT_RECORD]
        for variant in names:
            for n in WITHOUT_RECORD[variant.split("/")[0]]:
                launches[variant, n] = run(variant, n)
                ran = subprocess.run([options.command, "lens", variant, "--n", str(n), "--no-races", "--json"],
                                     capture_output=True, text=True, check=True)
                under_lens = json.loads(ran.stdout)["result"]["launches"]
                if len(under_lens) != len(launches[variant, n]):
                    sys.exit(f"{variant}, n = {n}: {len(under_lens)} launches under the lens, {len(launches[variant, n])} of machine code")
                for index, (ours, there) in enumerate(zip(under_lens, launches[variant, n])):
                    row = {"rung": f"{variant} n = {n}", "launch": index + 1, "kernel": name_of(there["kernel"]),
                           "lens": truth.by_lens(ours, None), "gpu": counts_of(there)}
                    for name in names_of(row["lens"], row["gpu"]):
                        if row["lens"].get(name, 0) == row["gpu"].get(name, 0):
                            equal += 1
                        elif not beside.explain(row, name):
                            faults.append(f"{row['rung']}, launch {row['launch']}, {row['kernel']}: {name} {row['lens'].get(name, 0)} "
                                          f"under the lens, {row['gpu'].get(name, 0)} in the machine code")
        faults += [f"{key}: said to differ as {amounts}, and does not" for key, amounts in beside.left.items()]
        print(f"{len(names)} variants without a record, {equal + beside.proved} numbers: {equal} equal, {beside.proved} differ for "
              "reasons told")
    print("\n".join(faults))
    sys.exit(1 if faults or not numbers or not names else 0)


if __name__ == "__main__":
    main()
