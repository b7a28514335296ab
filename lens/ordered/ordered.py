#!/usr/bin/env python3
"""Holds the programs here to what README says of them: ordered.py COMMAND [NVCC]

Each goes through `upsweep lens` as it stands, without a fault and with the right result; and taken apart by a flag, with the fault
that this makes, at the lines named. With nvcc each is compiled for 75, 80 and 90, too. Ends with 77 where nothing can be compiled.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COPIED, STORED, READ = "cp.async.ca.shared.global", "*to_shared = *from", "ring[s][31 - lane]"
# Flags, and the fault with pieces of the lines that it names; None: there is none.
PROGRAMS = {
    "one_lane_tells.cu": [
        ([], None),
        (["ON_TURING"], None),
        (["WITHOUT_SYNCWARP_BEFORE_THERE"], ("race", READ, COPIED)),
        (["WITHOUT_SYNCWARP_BEFORE_READ"], ("race", COPIED, READ)),
        (["WITHOUT_WAIT"], ("uninitialised read", READ)),
        (["ON_TURING", "WITHOUT_SYNCWARP_BEFORE_THERE"], ("race", READ, STORED)),
        (["ON_TURING", "WITHOUT_SYNCWARP_BEFORE_READ"], ("race", STORED, READ)),
    ],
    "what_all_agree_on.cu": [
        ([], None),
        (["PLAIN"], ("race", "return *p", "*p = x")),
    ],
}


def fault_of(command, name, flags, expected):
    ran = subprocess.run([command, "lens", name, *(f"--flag=-D{flag}" for flag in flags), "--json"], cwd=HERE,
                         capture_output=True, text=True)
    if not ran.stdout:
        return f"it did not run: {ran.stderr.strip()}"
    findings = json.loads(ran.stdout)["result"]["findings"]
    if expected is None:
        return f"it ended with {ran.returncode} and {findings}" if ran.returncode != 0 or findings else None
    what, *pieces = expected
    source = (HERE / name).read_text().split("\n")
    places = [f"{name}:{next(i for i, line in enumerate(source, 1) if piece in line)}" for piece in pieces]
    if ran.returncode == 0 or {f["what"] for f in findings} != {what}:
        return f"it ended with {ran.returncode} and {findings}, not with a {what}"
    if not any(all(place in f["text"] for place in places) and
               [f["text"].index(place) for place in places] == sorted(f["text"].index(place) for place in places)
               for f in findings):
        return f"no {what} names {' and '.join(places)}: {findings}"
    return None


def main():
    command = str(pathlib.Path(sys.argv[1]).resolve())
    nvcc = sys.argv[2] if len(sys.argv) > 2 else None
    if not shutil.which("g++"):
        print("skipped: there is no g++")
        sys.exit(77)
    faults = []
    for name, cases in PROGRAMS.items():
        for flags, expected in cases:
            fault = fault_of(command, name, flags, expected)
            print(f"{name} {' '.join(flags)}: {fault or (expected[0] if expected else 'right, and no fault')}")
            faults += [fault] if fault else []
        for capability in ("75", "80", "90") if nvcc else ():
            with tempfile.TemporaryDirectory() as folder:
                made = subprocess.run([nvcc, "-std=c++20", "-Wno-deprecated-gpu-targets", f"-arch=sm_{capability}", "-cubin", HERE / name,
                                       "-o", pathlib.Path(folder, "code")], capture_output=True, text=True)
            said = (made.stdout + made.stderr).strip()
            print(f"{name} for {capability}: {said or 'compiled'}")
            faults += [said] if made.returncode != 0 or said else []
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
