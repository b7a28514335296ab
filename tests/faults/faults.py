#!/usr/bin/env python3
"""Faults, one after the other, in what the command asks of the system: faults.py COMMAND FAULTY [--all] [--only WORD] [--kind KIND]

Each line of LINES runs once to know how many calls it makes of each kind, and what it answers; then again for each of those calls, of which that
one fails (of hundreds a sample, or with --all every one). After each fault the command is done and right, or says in one sentence what was wrong
and exits with 1; outputs are whole or are not there; nothing is left behind. Reads and writes of one byte, and interrupted ones, change nothing at
all. A killed command leaves its outputs whole or absent.
"""
import argparse
import errno
import gzip
import os
import pathlib
import random
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

FAULTS = {"memory": [errno.ENOMEM], "open": [errno.EMFILE, errno.EACCES], "read": [errno.EIO, "short", "interrupted"],
          "write": [errno.ENOSPC, "short", "interrupted", "kill"], "sync": [errno.EIO, "kill"], "link": [errno.EACCES, "kill"],
          "size": [errno.ENOSPC], "map": [errno.ENOMEM], "thread": [errno.EAGAIN]}

LINES = """
reduce x.npy
scan x.npy -o y.npy
sort x.npy -o y.npy
sort t.csv --by city,-price -o y.csv
select x.npy --where 'x > 0' -o y.npy
select t.csv --where 'price > 3' -o y.csv
unique x.npy -o y.npy
rle x.npy -o v.npy --lengths l.npy
histogram x.npy --bins 16
group t.csv --by city --sum price -o y.csv
recurrence f.npy --average 0.1 -o y.npy
convolve f.npy --mask 1,2,1 -o y.npy
image gaussian --sigma 2 p.ppm y.ppm
image test-picture y.png --size 64x48
lex t.csv --grammar csv
nbody --scene figure-eight --steps 5 --checkpoint y.checkpoint
reduce z.npy.gz
scan x.npy -o y.npy.gz
""".strip().splitlines()


def inputs(folder):
    rng = random.Random(7)

    def npy(name, kind, values):
        head = f"{{'descr': '<{kind[1]}', 'fortran_order': False, 'shape': ({len(values)},), }}"
        head += " " * (-(10 + len(head) + 1) % 64) + "\n"
        data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}{kind[0]}", *values)
        (folder / name).write_bytes(data)
        return data
    npy("x.npy", ("i", "i4"), [rng.randrange(-1000, 1000) for _ in range(50_000)])
    data = npy("f.npy", ("f", "f4"), [rng.uniform(-1, 1) for _ in range(50_000)])
    (folder / "z.npy.gz").write_bytes(gzip.compress(data))
    rows = [f"{rng.choice(['Oslo', 'Lima', 'Kyiv'])},{rng.uniform(0, 9):.2f}" for _ in range(2000)]
    (folder / "t.csv").write_text("city,price\n" + "\n".join(rows) + "\n")
    (folder / "p.ppm").write_bytes(b"P6 64 48 255\n" + bytes(rng.randrange(256) for _ in range(64 * 48 * 3)))


class Runner:
    def __init__(self, command, faulty, folder):
        self.command, self.faulty, self.folder = command, faulty, folder
        self.wrong, self.runs = [], 0

    def outputs(self, before):
        return {p.name: p.read_bytes() for p in sorted(self.folder.iterdir()) if p.name not in before}

    def run(self, line, fault=None):
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(self.folder), "OCL_ICD_VENDORS": "/nowhere",
                       "LD_PRELOAD": self.faulty, "UPSWEEP_FAULT_COUNTS": str(self.folder.parent / "counts")}
        if fault:
            environment["UPSWEEP_FAULT"] = ":".join(map(str, fault))
        self.runs += 1
        words = shlex.split(line)
        words += [] if words[0] == "lex" or "test-picture" in words else ["--device", "cpu:2"]
        try:
            return subprocess.run([self.command, *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=60)
        except subprocess.TimeoutExpired:
            return None

    def counts(self):
        return {kind: int(n) for kind, n in (row.split() for row in (self.folder.parent / "counts").read_text().splitlines())}

    def check(self, line, fault, answer, whole, before):
        def complain(what):
            said = "" if ran is None else ran.stderr.decode(errors="replace")[:300]
            self.wrong.append(f"{line}  [{' '.join(map(str, fault))}]: {what}; it said {said!r}")
        ran = self.run(line, fault)
        left = self.outputs(before)
        for name in left:
            (self.folder / name).unlink()
        if ran is None:
            return complain("it did not end within a minute")
        for name, data in left.items():
            if name not in whole:
                complain(f"{name} is left behind")
            elif data != whole[name]:
                complain(f"{name} is {len(data)} bytes, not the {len(whole[name])} that it has whole")
        how = fault[2]
        if how == "kill":
            return None
        if ran.returncode < 0:
            return complain(f"it died of {signal.Signals(-ran.returncode).name}")
        if ran.returncode == 0:
            if set(left) != set(whole):
                complain(f"it was done, and wrote {sorted(left)} of {sorted(whole)}")
            if ran.stdout != answer and b" steps " not in answer:  # a simulation tells its times
                complain(f"it was done, and answered {ran.stdout[:100]!r}")
        elif how in ("short", "interrupted"):
            complain(f"it exited with {ran.returncode}")
        else:
            if ran.returncode != 1:
                complain(f"it exited with {ran.returncode}")
            if len(ran.stderr.decode(errors="replace").splitlines()) != 1:
                complain("that is not one sentence")
        return None


def places(count, every, rng):
    if every or count <= 24:
        return range(1, count + 1)
    return sorted(set(range(1, 9)) | {count - i for i in range(4)} | {rng.randint(1, count) for _ in range(14)})


def main():
    options = argparse.ArgumentParser()
    options.add_argument("command")
    options.add_argument("faulty")
    options.add_argument("--all", action="store_true")
    options.add_argument("--only", default="")
    options.add_argument("--kind")
    options.add_argument("--seed", type=int, default=int(time.time()))
    o = options.parse_args()
    rng = random.Random(o.seed)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place) / "here"
        folder.mkdir()
        inputs(folder)
        before = {p.name for p in folder.iterdir()}
        runner = Runner(os.path.abspath(o.command), os.path.abspath(o.faulty), folder)
        made = 0
        for line in (each for each in LINES if o.only in each):
            ran = runner.run(line)
            if ran.returncode != 0:
                sys.exit(f"{line}: without a fault it exits with {ran.returncode}: {ran.stderr.decode()}")
            whole, counts = runner.outputs(before), runner.counts()
            made += sum(counts.values())
            for name in whole:
                (folder / name).unlink()
            for kind, ways in FAULTS.items():
                if o.kind and kind != o.kind:
                    continue
                for how in ways:
                    for n in places(counts[kind], o.all, rng):
                        runner.check(line, (kind, n, how), ran.stdout, whole, before)
        shutil.rmtree(folder)
    for each in runner.wrong[:40]:
        print(each)
    print(f"seed {o.seed}: {runner.runs} runs, {made} calls seen, {len(runner.wrong)} wrong")
    if made < 1000:
        sys.exit("hardly a call was counted: the faults are not in place")
    sys.exit(bool(runner.wrong))


main()
