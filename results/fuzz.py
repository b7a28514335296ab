"""The fuzzers of tests/fuzz side by side, for as long as there is time, and the outcome in a file for results/add.py.

    tests/fuzz.sh 1 npy                                                # builds them into build-fuzz
    python3 results/fuzz.py --build build-fuzz --minutes 30 --jobs 2 --json fuzz.json [NAME ...]

Each harness gets --jobs processes, which go on behind an input that ends one. --at-once harnesses run side by side,
all if not said. The file gets one run more, after its own or those of the run of its name in results/;
docs/how-we-know.md sums them up. Inputs that ended a process are kept in BUILD/found/NAME, what was learnt in
BUILD/learnt/NAME. Exits with 1 where one was found: tests/fuzz.sh's BUILD/fuzz/NAME FILE runs it again, and says
whose fault it is.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import runs

root = pathlib.Path(__file__).resolve().parent.parent
p = argparse.ArgumentParser()
p.add_argument("names", nargs="*")
p.add_argument("--build", type=pathlib.Path, default=root / "build-fuzz")
p.add_argument("--minutes", type=float, default=1)
p.add_argument("--jobs", type=int, default=2, help="processes of each harness")
p.add_argument("--at-once", type=int, default=1000)
p.add_argument("--commit", help="of the build, where there is no git")
p.add_argument("--json", type=pathlib.Path, required=True)
a = p.parse_args()
corpus = root / "tests/fuzz/corpus"
names = a.names or sorted(d.name for d in corpus.iterdir())
if unknown := [n for n in names if not (corpus / n).is_dir()]:
    sys.exit(f"results/fuzz.py: no fuzzer has the name {unknown[0]}")
build = a.build.resolve()
commit = a.commit or subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())


def one(name):
    learnt, found = build / "learnt" / name, build / "found" / name
    learnt.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    before = set(os.listdir(found))
    words = root / "tests/fuzz/words" / name
    # As tests/fuzz.sh has them: what a command leaks ends with it; a window of zstd's may be 2 GiB; libhdf5 asks for more than there is.
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0" + (":allocator_may_return_null=1" if name == "hdf5" else ""),
                                "UBSAN_OPTIONS": "print_stacktrace=1"}
    last = None
    with tempfile.TemporaryDirectory() as scratch, open(build / f"fuzz-{name}.log", "w") as log:
        environment["TMPDIR"] = scratch
        start = time.monotonic()
        fuzzer = subprocess.Popen(
            [build / "fuzz" / name, learnt, corpus / name, f"-fork={a.jobs}", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1",
             f"-max_total_time={int(60 * a.minutes)}", "-timeout=10", "-rss_limit_mb=3072", f"-malloc_limit_mb={2200 if name == 'zstd' else 1024}",
             "-max_len=65536", "-close_fd_mask=3", f"-artifact_prefix={found}/", *([f"-dict={words}"] if words.exists() else [])],
            cwd=scratch, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        for line in fuzzer.stdout:
            log.write(line)
            last = re.match(r"#(\d+): cov: (\d+) .*corp: (\d+)", line) or last
        _, _, used = os.wait4(fuzzer.pid, 0)
        seconds = time.monotonic() - start
    new = sorted(set(os.listdir(found)) - before)
    return {"harness": name, "seconds": round(seconds * a.jobs), "processor_seconds": round(used.ru_utime + used.ru_stime),
            "executions": int(last[1]) if last else 0, "edges": int(last[2]) if last else 0, "corpus": int(last[3]) if last else 0, "found": len(new),
            "files": new[:20]}


with concurrent.futures.ThreadPoolExecutor(a.at_once) as pool:
    rows = list(pool.map(one, names))
run = {"cpu": model[1] if model else "", "cores": os.cpu_count(), "commit": commit, "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
       if hasattr(datetime, "UTC") else datetime.datetime.utcnow().isoformat(timespec="seconds"), "jobs": a.jobs, "results": rows}
kept = runs.earlier(a.json) or {"kind": "fuzz", "runs": []}
kept["runs"].append(run)
temp = a.json.with_name(f".{a.json.name}.part")
temp.write_text(json.dumps(kept, indent=1) + "\n")
temp.rename(a.json)
for r in rows:
    print(f"{r['harness']:14} {r['executions']:>10} executions in {r['seconds']:>5} s ({r['processor_seconds']} s of a processor), {r['edges']} edges, "
          f"{r['found']} found {' '.join(r['files'][:3])}")
sys.exit(1 if any(r["found"] for r in rows) else 0)
