#!/usr/bin/env python3
"""The parts of baseline.sh that no command of the project writes as JSON. Each file has one row a line.

  baseline.py compact IN.json OUT.json         a run of `upsweep check` or `bench`, with the fields that are compared
  baseline.py hashes UPSWEEP DEVICE OUT.json   SHA-256 of results of the command on fixed input
  baseline.py headers ROOT COMPILER OUT.json   seconds of the compiler for each public header
  baseline.py weight PROGRAM OUT.json          bytes of the stripped program
"""
import array
import hashlib
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

# kind → the name of its rows, the fields that identify a row, and the fields that are compared.
KEPT = {
    "check": ("results", ("variant", "device"), ("cases", "failed")),
    "bench": (
        "rows",
        ("who", "device", "primitive", "form", "inclusive", "type", "op", "input", "operands", "n", "mode", "cache"),
        ("median_s", "p10_s", "p90_s"),
    ),
}
ELEMENTS = 1_000_003
# Each command reads x.npy (f32), i.npy (u32) or d.npy (f64) and writes its result to standard output.
HASHED = [
    "reduce x.npy",
    "reduce x.npy --op maximum",
    "reduce d.npy",
    "reduce i.npy --op bit_xor",
    "scan x.npy -o -",
    "scan x.npy --exclusive -o -",
    "scan d.npy -o -",
    "scan i.npy --op maximum -o -",
    "sort x.npy -o -",
    "sort i.npy --argsort -o -",
    "histogram x.npy --bins 64 -o -",
    "select x.npy --where x>0.5 -o -",
    "rle s.npy -o - --output-format csv",
    "recurrence x.npy --average 0.1 -o -",
    "convolve x.npy --mask 1,2,4,2,1 -o -",
    "range-count x.npy 0,0.25 0.25,inf",
]
REPEATS = 3


def write_rows(path, kind, provenance, rows):
    lines = ",\n".join(json.dumps(row) for row in rows)
    head = json.dumps({"kind": kind, "provenance": provenance})[:-1]
    pathlib.Path(path).write_text(f'{head}, "rows": [\n{lines}\n]}}\n')


def compact(source, target):
    run = json.loads(pathlib.Path(source).read_text())
    listed, key, values = KEPT[run["kind"]]
    rows = [{field: row[field] for field in key + values if field in row} for row in run[listed] if not row.get("peer")]
    provenance = {k: run["provenance"].get(k) for k in ("commit", "date", "cpu", "compiler")}
    write_rows(target, run["kind"], provenance, rows)


def write_npy(path, descr, values):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + values.tobytes())


def write_inputs(folder):
    """Fixed input, random in every bit that the type's range has."""
    generator = random.Random(28)
    write_npy(folder / "x.npy", "<f4", array.array("f", (generator.random() for _ in range(ELEMENTS))))
    write_npy(folder / "d.npy", "<f8", array.array("d", (generator.gauss(0, 1e3) for _ in range(ELEMENTS))))
    write_npy(folder / "i.npy", "<u4", array.array("I", (generator.getrandbits(32) for _ in range(ELEMENTS))))
    write_npy(folder / "s.npy", "<u4", array.array("I", (generator.getrandbits(32) // 2**30 for _ in range(ELEMENTS))))


def hashes(command, device, target):
    command, rows = pathlib.Path(command).resolve(), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_inputs(folder)
        for words in HASHED:
            done = subprocess.run([command, *words.split(" "), "--device", device], cwd=folder, capture_output=True)
            said = done.stderr.decode(errors="replace").strip()
            # A device that cannot run it says so, and says so again in the later run.
            digest = hashlib.sha256(done.stdout).hexdigest() if done.returncode == 0 else f"none: {said}"
            rows.append({"command": words, "sha256": digest})
        listed = json.loads(subprocess.run([command, "devices", "--json"], capture_output=True, check=True).stdout)
    devices = listed if isinstance(listed, list) else listed["devices"]
    hardware = next((d["description"] for d in devices if d["name"] == device), device)
    write_rows(target, "hashes", {"hardware": hardware}, rows)


def seconds_of(command):
    """Processor time of a command that succeeds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def headers(root, compiler, target):
    """The least of several runs: other programs only add to it."""
    rows = []
    for header in sorted(pathlib.Path(root, "upsweep").glob("*.hpp")):
        command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{root}", "-x", "c++", str(header), "-w"]
        try:
            rows.append({"header": header.name, "seconds": round(min(seconds_of(command) for _ in range(REPEATS)), 3)})
        except subprocess.CalledProcessError:
            print(f"{header.name} is left out: {compiler} does not compile it by itself", file=sys.stderr)
    write_rows(target, "headers", {"compiler": compiler}, rows)


def weight(program, target):
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped")
        subprocess.run(["strip", "-o", stripped, program], check=True)
        write_rows(target, "weight", {}, [{"program": os.path.basename(program), "bytes": os.path.getsize(stripped)}])


if __name__ == "__main__":
    commands = {"compact": (compact, 2), "hashes": (hashes, 3), "headers": (headers, 3), "weight": (weight, 2)}
    function, count = commands.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if function is None or len(sys.argv) != count + 2:
        sys.exit(__doc__)
    function(*sys.argv[2:])
