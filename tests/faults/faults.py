#!/usr/bin/env python3
"""Faults, one after the other, in what the command asks of the system: faults.py COMMAND FAULTY [--all] [--only WORD] [--kind KIND]

Each line of LINES runs once to know how many calls it makes of each kind, and what it answers; then again for each of those calls, of which that
one fails, or that one and all after it (of hundreds a sample, or with --all every one). After each fault the command is done and right, or says in
one sentence what was wrong and exits with 1; outputs are whole or are not there; nothing is left behind. Reads and writes of one byte, and
interrupted ones, change nothing at all. A signal in the middle, and a kill, leave the outputs whole or absent.

Then the same over files that are there already: each is as it was, or the whole new one. What a killed command left beside it, under a name of
its own, the next one takes away.

Then standard output is a pipe that nobody reads, or a full disk: the command says so, or SIGPIPE ends it, as it ends every filter.
Last, the view of the bodies is refused its threads.
"""
import argparse
import errno
import gzip
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "results"))
import runs  # noqa: E402

FULL = f"{errno.ENOSPC}+"  # and full it stays
FAULTS = {"memory": [errno.ENOMEM, f"{errno.ENOMEM}+"], "open": [errno.EMFILE, errno.EACCES], "read": [errno.EIO, "short", "interrupted"],
          "write": [errno.ENOSPC, FULL, errno.EPIPE, "short", "interrupted", "kill", "term", "int"], "sync": [errno.EIO, errno.ENOSPC, "kill", "term"],
          "link": [errno.EACCES, errno.ENOSPC, "kill", "int"], "close": [errno.EIO, errno.ENOSPC, "kill", "term"], "size": [errno.ENOSPC, FULL],
          "map": [errno.ENOMEM], "thread": [errno.EAGAIN, f"{errno.EAGAIN}+"]}
# Where the outputs are there already.
OVER = {"write": [FULL, "kill", "term"], "sync": [errno.EIO, "kill", "int"], "link": [errno.ENOSPC, "kill", "term"],
        "close": [errno.EIO, "kill", "int"], "size": [FULL], "memory": [f"{errno.ENOMEM}+"]}
ENDINGS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "int": signal.SIGINT}

# "few:" samples less: what such a line has of its own is its writer, or its threads.
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
few: scan x.npy -o y.raw
few: scan x.npy -o y.csv
few: scan x.npy -o y.npz
few: scan x.npy -o y.npy.zst
few: sort x.npy -o y.npy --memory 1M
few: reduce x.npy --json
few: histogram x.npy --bins 16 -o y.csv
few: range-count x.npy 0,10 20,30 -o y.npy
few: rle values.npy --lengths lengths.npy --decode -o x2.npy
few: image gaussian --sigma 2 p.ppm y.jpg
few: image gaussian --sigma 2 p.ppm y.png
few: image gaussian --sigma 2 p.ppm y.pam
few: image gaussian --sigma 1 p.tif y.png
few: image gaussian --sigma 1 p.gif y.png
few: image gaussian --sigma 1 p.webp y.png
few: image box --size 3 pictures smaller
few: lex t.csv --grammar csv --tokens -o y.txt
few: nbody --scene figure-eight --steps 5 --trajectory y.npy
few: nbody --scene figure-eight --steps 5 --trajectory y.json
few: nbody --scene figure-eight --steps 5 --trajectory y.h5
few: nbody --scene figure-eight --steps 3 --size 32x32 --frames frames
few: nbody --scene figure-eight --steps 3 --size 32x32 --video y.gif
few: nbody --resume old.checkpoint --steps 5 --checkpoint y.checkpoint --every 2
few: nbody --errors --bodies 300 --thetas 0.5 --judged 8 --repeats 1 --json y.json
few: lens scan/blelloch --n 64 --json y.json
few: lens scan/blelloch --n 16 --html y.html
few: report check.json -o y.html
few: check vector-add --quick --max-n 100 --json y.json
few: bench scan --sizes 1000 --repeats 3 --modes hot --operands aligned --type u32 --json y.json
few: sort x.npy --top 10 -o y.npy
few: select t.csv --where "city ~ '^O' and price is not missing" -o y.csv
few: convolve f.npy --mask '1 2 3 4 5 6 7 8 9 8 7 6 5 4 3 2 1' -o y.npy --variant convolve/fft
few: image resize --size 50% --kernel lanczos p.ppm y.ppm
few: image pipeline 'median:2 | canny | threshold:0.1' p.ppm y.ppm
few: scan x.npy -o y.npy --device cpu:8
few: reduce x.npy --device cpu:1,cpu:1,cpu:1
few: scan x.npy -o y.npy --device cpu:1,cpu:1,cpu:1
few: sort x.npy -o y.npy --device cpu:2,cpu:1,cpu:1
few: select x.npy --where 'x > 0' -o y.npy --device cpu:1,cpu:1,cpu:1
few: nbody --scene figure-eight --steps 3 --trajectory y.npy --device cpu:1,cpu:1,cpu:1
""".strip().splitlines()

# What goes to standard output, beside what LINES say there: each command once.
SAID = """
scan x.npy -o - --output-format npy
scan x.npy -o - --output-format csv
sort x.npy -o - --output-format npy
sort t.csv --by city
select t.csv --where 'price > 3'
select x.npy --where 'x > 0' -o -
unique x.npy -o -
rle x.npy -o - --output-format csv
group t.csv --by city --sum price
range-count x.npy 0,10 20,30
recurrence f.npy --average 0.1 -o -
convolve f.npy --mask 1,2,1 -o -
histogram x.npy --bins 16 --json
scan x.npy -o - --json
image gaussian --sigma 2 p.ppm -
lex t.csv --grammar csv --tokens
nbody --scene figure-eight --steps 5
nbody --scene figure-eight --steps 5 --json
cmp x.npy x.npy --json
devices
list reduce
list --json
cache
check vector-add --quick --max-n 100
bench scan --sizes 1000 --repeats 3 --modes hot --operands aligned --type u32
lens scan/blelloch --n 64
lens scan/blelloch --n 64 --json
tour --quick -o report
help sort
--version
--help
""".strip().splitlines()

# What they say tells the time.
TELLS_TIME = re.compile(r"^(lens|check|bench|tour|nbody)")
# libhdf5 reads where it has none: docs/test-records.md.
NEEDS_MEMORY = re.compile(r"\.h5")
WITHOUT_DEVICE = re.compile(r"^(lex|lens|report|cmp|devices|list|cache|help|--|image test-picture)|--device ")


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
    npy("values.npy", ("i", "i4"), [rng.randrange(-9, 9) for _ in range(5000)])
    npy("lengths.npy", ("Q", "u8"), [rng.randrange(1, 9) for _ in range(5000)])
    (folder / "z.npy.gz").write_bytes(gzip.compress(data))
    rows = [f"{rng.choice(['Oslo', 'Lima', 'Kyiv'])},{rng.uniform(0, 9):.2f}" for _ in range(2000)]
    (folder / "t.csv").write_text("city,price\n" + "\n".join(rows) + "\n")
    picture = b"P6 64 48 255\n" + bytes(rng.randrange(256) for _ in range(64 * 48 * 3))
    (folder / "p.ppm").write_bytes(picture)
    (folder / "pictures").mkdir()
    (folder / "smaller").mkdir()
    for name in ("a.ppm", "b.ppm"):
        (folder / "pictures" / name).write_bytes(picture)
    root = pathlib.Path(__file__).resolve().parents[2]
    for kind, name in (("tif", "tiff/bits"), ("gif", "gif/rgb"), ("webp", "webp/lossy")):
        shutil.copy(root / "tests/fuzz/corpus" / name, folder / f"p.{kind}")
    (folder / "check.json").write_bytes(runs.raw("h200-check-huge"))


class Runner:
    def __init__(self, command, faulty, folder):
        self.command, self.faulty, self.folder = command, faulty, folder
        self.wrong, self.runs = [], 0
        self.before = set()

    def outputs(self):
        return {str(p.relative_to(self.folder)): p.read_bytes() for p in sorted(self.folder.rglob("*"))
                if p.is_file() and str(p.relative_to(self.folder)) not in self.before}

    def clear(self):
        for p in sorted(self.folder.rglob("*"), reverse=True):
            if str(p.relative_to(self.folder)) not in self.before:
                p.rmdir() if p.is_dir() else p.unlink()

    def started(self, line, fault=None, preload=True, **streams):
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(self.folder.parent), "OCL_ICD_VENDORS": "/nowhere"}
        if preload:
            environment |= {"LD_PRELOAD": self.faulty, "UPSWEEP_FAULT_COUNTS": str(self.folder.parent / "counts")}
        if fault:
            environment["UPSWEEP_FAULT"] = ":".join(map(str, fault))
        self.runs += 1
        words = shlex.split(line)
        words += [] if WITHOUT_DEVICE.search(line) else ["--device", "cpu:2"]
        return subprocess.Popen([self.command, *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                **streams)

    def run(self, line, fault=None, **streams):
        with self.started(line, fault, **({"stdout": subprocess.PIPE} | streams)) as running:
            try:
                out, err = running.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                running.kill()
                return None
        return subprocess.CompletedProcess(line, running.returncode, out, err)

    def counts(self):
        return {kind: int(n) for kind, n in (row.split() for row in (self.folder.parent / "counts").read_text().splitlines())}

    def complain(self, line, fault, ran, what):
        said = "" if ran is None else ran.stderr.decode(errors="replace")[:300]
        self.wrong.append(f"{line}  [{' '.join(map(str, fault))}]: {what}; it said {said!r}")

    # The line without a fault, twice: what it answers and writes, and whether that is the same each time. None where it cannot be done here.
    def learn(self, line):
        seen = []
        for _ in range(2):
            ran = self.run(line)
            if ran is None or ran.returncode != 0:
                sys.exit(f"{line}: without a fault it exits with {ran and ran.returncode}: {ran and ran.stderr.decode()}")
            seen.append((ran.stdout, self.outputs()))
            counts = self.counts()
            self.clear()
        self.answer = None if TELLS_TIME.search(line) else seen[0][0]
        # HDF5 writes down when, to the second; and of checkpoints an earlier one is whole, too.
        varies = ".h5" in line or "--every" in line
        self.whole = {name: data if seen[1][1].get(name) == data and not varies else None for name, data in seen[0][1].items()}
        self.size = {name: len(data) for name, data in seen[0][1].items()}
        return counts

    # Whether an output is all of it; of what tells the time, by its ends.
    def is_whole(self, name, data):
        if self.whole[name] is not None:
            return data == self.whole[name]
        ends = {".json": (b"{", b"}\n"), ".html": (b"<!", b"</html>\n"), ".checkpoint": (b"", b"")}.get(pathlib.Path(name).suffix, (b"", b""))
        return len(data) * 2 > self.size[name] and data.startswith(ends[0]) and data.endswith(ends[1])

    def check_sentence(self, line, fault, ran):
        lines = ran.stderr.decode(errors="replace").splitlines()
        if ran.returncode != 1:
            self.complain(line, fault, ran, f"it exited with {ran.returncode}")
        elif not 1 <= len(lines) <= (3 if "pictures" in line else 1) or any(  # a folder has one for each of two pictures, and of all
                not each.startswith("upsweep: ") or "unexpected error" in each for each in lines):
            self.complain(line, fault, ran, "that is not one sentence of ours")

    def check(self, line, fault, old=None):
        if fault[0] == "memory" and str(fault[2]).endswith("+") and NEEDS_MEMORY.search(line):
            return None
        if old is not None:
            for name in self.whole:
                (self.folder / name).parent.mkdir(exist_ok=True)
                (self.folder / name).write_bytes(old)
        ran = self.run(line, fault)
        left, how = self.outputs(), fault[2]
        ours = {name for name in left if re.search(r"\.upsweep-\d+-\d+$", name)}
        if how == "kill" and ours:  # a name that it had from the beginning: libhdf5 wants one, and who maps the file
            self.run(line)
            if ours & set(self.outputs()):
                self.complain(line, fault, ran, f"{sorted(ours)} is left behind for ever")
            left = {name: data for name, data in left.items() if name not in ours}
        self.clear()
        if ran is None:
            return self.complain(line, fault, ran, "it did not end within a minute")
        for name, data in left.items():
            if name not in self.whole:
                self.complain(line, fault, ran, f"{name} is left behind")
            elif not self.is_whole(name, data) and data != old:
                self.complain(line, fault, ran, f"{name} is {len(data)} bytes, not the {self.size[name]} that it has whole")
            elif ran.returncode == 0 and data == old:
                self.complain(line, fault, ran, f"it was done, and {name} is as it was")
        if old is not None and not set(self.whole) <= set(left):
            self.complain(line, fault, ran, f"of {sorted(self.whole)} {sorted(left)} are left")
        if ran.returncode < 0:
            if -ran.returncode != ENDINGS.get(how):
                self.complain(line, fault, ran, f"it died of {signal.Signals(-ran.returncode).name}")
        elif ran.returncode == 0:
            if set(left) != set(self.whole):
                self.complain(line, fault, ran, f"it was done, and wrote {sorted(left)} of {sorted(self.whole)}")
            if self.answer is not None and ran.stdout != self.answer:
                self.complain(line, fault, ran, f"it was done, and answered {ran.stdout[:100]!r}")
        elif how in ("short", "interrupted"):
            self.complain(line, fault, ran, f"it exited with {ran.returncode}")
        else:
            self.check_sentence(line, fault, ran)
        return None

    # Standard output takes nothing.
    def check_stdout(self, line):
        for how in ("closed", "closed, and SIGPIPE is ignored", "full"):
            if how == "full":
                out = os.open("/dev/full", os.O_WRONLY)
            else:
                nobody, out = os.pipe()
                os.close(nobody)
            ignored = how.endswith("ignored")
            ran = self.run(line, stdout=out, restore_signals=not ignored)  # Python itself ignores SIGPIPE
            os.close(out)
            left, fault = self.outputs(), ("standard output is", how)
            self.clear()
            if ran is None:
                self.complain(line, fault, ran, "it did not end within a minute")
                continue
            for name, data in left.items():
                if name not in self.whole or not self.is_whole(name, data):
                    self.complain(line, fault, ran, f"{name} is left behind, {len(data)} bytes")
            if ran.returncode == 0:
                if self.answer != b"":
                    self.complain(line, fault, ran, "it says that it was done")
            elif ran.returncode != -signal.SIGPIPE or how != "closed":
                self.check_sentence(line, fault, ran)

    # The view starts threads, and then serves until it is ended.
    def check_view(self):
        line, refused = "nbody --scene figure-eight --view --device cpu:3", 0
        for n in range(1, 6):
            for how in (errno.EAGAIN, f"{errno.EAGAIN}+"):
                with self.started(line, ("thread", n, how), stdout=subprocess.DEVNULL) as running:
                    try:
                        running.wait(timeout=3)
                    except subprocess.TimeoutExpired:
                        running.send_signal(signal.SIGINT)
                    try:
                        err = running.communicate(timeout=20)[1]
                    except subprocess.TimeoutExpired:
                        running.kill()
                        self.complain(line, ("thread", n, how), None, "it did not end within 20 seconds of SIGINT")
                        continue
                if running.returncode not in (0, -signal.SIGINT):
                    refused += 1
                    self.check_sentence(line, ("thread", n, how), subprocess.CompletedProcess(line, running.returncode, b"", err))
        if refused == 0:
            self.wrong.append(f"{line}: no thread that was refused was one of its own")


def places(count, every, few, rng):
    if every or count <= (4 if few else 24):
        return range(1, count + 1)
    first, last, drawn = (1, 2, 1) if few else (8, 4, 14)
    return sorted(set(range(1, first + 1)) | {count - i for i in range(last)} | {rng.randint(1, count) for _ in range(drawn)})


def main():
    # Who is started in the background ignores it, and so would every command.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    options = argparse.ArgumentParser()
    options.add_argument("command")
    options.add_argument("faulty")
    options.add_argument("--all", action="store_true")
    options.add_argument("--only", default="")
    options.add_argument("--kind", help=f"one of {', '.join(FAULTS)}, or over, stdout, view")
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--part", default="1/1", help="K/N: every Nth line, from the Kth on")
    o = options.parse_args()
    rng = random.Random(o.seed)
    part, parts = map(int, o.part.split("/"))
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place) / "here"
        folder.mkdir()
        inputs(folder)
        runner = Runner(os.path.abspath(o.command), os.path.abspath(o.faulty), folder)
        names = lambda: {str(p.relative_to(folder)) for p in folder.rglob("*")}  # noqa: E731
        runner.run("nbody --scene figure-eight --steps 5 --checkpoint old.checkpoint")
        runner.before = names()
        made = 0
        chosen = [each for each in LINES if o.only in each and (shutil.which("ffmpeg") or "--video" not in each)][part - 1::parts]
        for each in chosen:
            few, line = each.startswith("few: "), each.removeprefix("few: ")
            counts = runner.learn(line)
            made += sum(counts.values())
            for kind, ways in FAULTS.items():
                if o.kind in (None, kind):
                    for how in ways:
                        seldom = few or kind == "close" or str(how).endswith("+") or how in ("term", "int", errno.EPIPE)
                        for n in places(counts[kind], o.all, seldom, rng):
                            runner.check(line, (kind, n, how))
            if o.kind in (None, "over") and runner.whole and "--frames" not in line:  # old frames go before new ones come
                for kind, ways in OVER.items():
                    for how in ways:
                        for n in places(counts[kind] + 2, o.all, True, rng):  # a rename more than where the name is free
                            runner.check(line, (kind, n, how), b"old")
            if o.kind in (None, "stdout"):
                runner.check_stdout(line)
            print(f"{runner.runs} runs, {len(runner.wrong)} wrong, after: {line}", file=sys.stderr, flush=True)
        if o.kind in (None, "stdout"):
            for line in [each for each in SAID if o.only in each][part - 1::parts]:
                runner.learn(line)
                runner.check_stdout(line)
        if o.kind in (None, "view") and o.only in "view" and part == 1:
            runner.check_view()
        runner.clear()
        shutil.rmtree(folder)
    for each in runner.wrong[:40]:
        print(each)
    print(f"seed {o.seed}: {runner.runs} runs of {len(chosen)} lines, {made} calls seen, {len(runner.wrong)} wrong")
    if chosen and made < 1000:
        sys.exit("hardly a call was counted: the faults are not in place")
    sys.exit(bool(runner.wrong))


main()
