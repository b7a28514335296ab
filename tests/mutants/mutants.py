"""Are the checks able to fail? Makes the library's CPU code wrong, at one place after the other, and sees who notices.

    tests/mutants/mutants.py build [--tests]      a copy of the tree, every operator of the files below one that can be wrong, and its command
    tests/mutants/mutants.py run [--tests] [--sample N] [--seed S] [--json FILE] [--only FILE ...]

A mutant is one `<` that is `<=` (and the other way round, and so for > and >=), one == that is != (likewise), one + that is - (likewise), or one std::min
that is std::max (likewise); see mutant.hpp. All that comes by it is run, the quickest first, until one notices: fails, crashes, or takes ten times as long.
These are the checks of the variants (`upsweep check --quick`), and with --tests the suites of the C++ tests. A mutant that none comes by is told apart: it
is the compiler's alone, or of what they do not call. BUILD names the folder, else build-mutants; JOBS how many run at once.
"""
import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(os.environ.get("BUILD", root / "build-mutants")).resolve()
tree, made = build / "tree", build / "made"
jobs = int(os.environ.get("JOBS", os.cpu_count()))
mutated = ["upsweep/cpu/*.[ch]pp", "upsweep/*/cpu/*.[ch]pp"]
names = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "std::min": "std::max", "std::max": "std::min"}
# clang-format puts a space on both sides of an operator of two operands, and of nothing else.
operator = re.compile(r"(?<= )(<=|>=|==|!=|<|>|\+|-)(?=[ \n])|\bstd::(?:min|max)(?=\()")
# What a compiler alone reads, texts, and remarks.
blank = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*(?:#|template\b|requires\b|static_assert\b)[^\n]*',
                   re.S | re.M)


def places(text):
    """Where the operators stand: (offset, operator)."""
    seen = blank.sub(lambda m: re.sub(r"[^\n]", "_", m[0]), text)
    return [(m.start(), m[0]) for m in operator.finditer(seen)]


def write_tree():
    """The copy, and the list of its mutants; files that are as they were keep their time."""
    tree.mkdir(parents=True, exist_ok=True)
    files = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True).stdout.decode().split("\0")[:-1]
    wrong = {str(p.relative_to(root)) for pattern in mutated for p in root.glob(pattern)}
    mutants = []
    for name in files:
        to, data = tree / name, (root / name).read_bytes() if not (root / name).is_symlink() else None
        to.parent.mkdir(parents=True, exist_ok=True)
        if data is None:
            if not to.is_symlink():
                to.symlink_to(os.readlink(root / name))
            continue
        if name in wrong:
            text, out, last = data.decode(), [], 0
            for at, op in places(text):
                k = len(mutants) + 1
                mutants.append({"mutant": k, "file": name, "line": text.count("\n", 0, at) + 1, "is": op, "becomes": names[op],
                                "code": text.splitlines()[text.count("\n", 0, at)].strip()})
                out += [text[last:at], f"mutant::extreme<{k}, {'true' if op == 'std::max' else 'false'}>" if op.startswith("std") else f"{op} mutant::at<{k}>{{}} {op}"]
                last = at + len(op)
            data = "".join([*out, text[last:]]).encode()
        if not to.exists() or to.read_bytes() != data:
            to.write_bytes(data)
            shutil.copymode(root / name, to)
    commit = subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    (build / "mutants.json").write_text(json.dumps({"commit": commit, "mutants": mutants}))
    if not (build / "mutant.hpp").exists() or (build / "mutant.hpp").read_bytes() != (root / "tests/mutants/mutant.hpp").read_bytes():
        shutil.copy(root / "tests/mutants/mutant.hpp", build / "mutant.hpp")
    return mutants


def compile_tree(tests):
    subprocess.run(["cmake", "-S", tree, "-B", made, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG -w",
                    f"-DCMAKE_CXX_FLAGS=-include {build / 'mutant.hpp'}", "-DUPSWEEP_CONFORMANCE=ON", f"-DUPSWEEP_TESTS={'ON' if tests else 'OFF'}",
                    "-DUPSWEEP_CUDA=OFF", "-DUPSWEEP_OPENCL=OFF", "-DUPSWEEP_C=OFF"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", made, "-j", str(jobs), "--target", "upsweep_command", *(["upsweep_tests"] if tests else [])], check=True)


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(arguments, limit, **environment):
    """(seconds, status); None for the status where it took longer."""
    with tempfile.TemporaryDirectory() as scratch:
        start = time.monotonic()
        try:
            done = subprocess.run(arguments, cwd=scratch, env=os.environ | environment, timeout=limit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  preexec_fn=bounded)
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = None
        return time.monotonic() - start, status


def trials(tests):
    """What can notice: each variant's check, and each suite of the tests but those that are such checks; (name, what is run)."""
    listed = json.loads(subprocess.run([made / "upsweep", "list", "--device", "cpu", "--json"], capture_output=True, check=True).stdout)
    checks = sorted({v["name"] for v in listed if v["backend"] == "cpu" and v["kind"] == "tuned"})
    all_trials = [(name, [made / "upsweep", "check", "--device", "cpu", "--quick", "--seed", str(a.seed), name]) for name in checks]
    if tests:
        suites = subprocess.run([made / "upsweep_tests", "--gtest_list_tests"], capture_output=True, check=True, text=True).stdout
        for suite in re.findall(r"^(\S+)\.(?: *#.*)?$", suites, re.M):
            if "EveryVariant" not in suite:
                all_trials.append((suite, [made / "upsweep_tests", f"--gtest_filter={suite}.*", "--gtest_brief=1"]))
    return all_trials


def met_by(trial):
    """How long it takes, and the mutants that it comes by; nothing of what fails without a mutant, or takes minutes."""
    name, arguments = trial
    seen = build / "seen" / name.replace("/", "-")
    seen.parent.mkdir(exist_ok=True)
    _, status = run(arguments, 300, UPSWEEP_MUTANTS_SEEN=str(seen), UPSWEEP_SEED=str(a.seed))
    if status != 0:
        print(f"{name} is left out: without a mutant it {'takes minutes' if status is None else 'fails'}", flush=True)
        return name, arguments, 0, set()
    seconds, _ = run(arguments, 300, UPSWEEP_SEED=str(a.seed))
    return name, arguments, seconds, {int(k) for k in seen.read_text().split()}


def checked(mutant, met):
    """Who noticed, among those that come by it: the quickest first, a minute's worth of them."""
    k = mutant["mutant"]
    near = sorted((seconds, name, arguments) for name, arguments, seconds, seen in met if k in seen)
    asked, used = [], 0
    for seconds, name, arguments in near:
        if used > 60:
            break
        asked.append(name)
        used += seconds
        _, status = run(arguments, 10 * seconds + 10, UPSWEEP_MUTANT=str(k), UPSWEEP_SEED=str(a.seed))
        if status != 0:
            return mutant | {"verdict": "noticed", "by": name, "how": "too slow" if status is None else "crash" if status < 0 or status > 2 else "wrong"}
    if not near:
        return mutant | {"verdict": "not met"}
    return mutant | {"verdict": "survived", "asked": asked, "not asked": len(near) - len(asked)}


p = argparse.ArgumentParser()
p.add_argument("what", choices=["build", "run"])
p.add_argument("--tests", action="store_true")
p.add_argument("--sample", type=int, default=1 << 30)
p.add_argument("--seed", type=int, default=1)
p.add_argument("--only", nargs="*", default=[])
p.add_argument("--json", type=pathlib.Path)
a = p.parse_args()
if a.what == "build":
    print(len(write_tree()), "mutants")
    compile_tree(a.tests)
    sys.exit()
made_of = json.loads((build / "mutants.json").read_text())
mutants = made_of["mutants"]
places_in_all = len(mutants)
if a.only:
    mutants = [m for m in mutants if any(m["file"].startswith(o) for o in a.only)]
random.Random(a.seed).shuffle(mutants)
mutants = mutants[:a.sample]
done = []
with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
    met = list(pool.map(met_by, trials(a.tests)))
    print(f"{len(met)} trials, which take {sum(seconds for _, _, seconds, _ in met):.0f} s, meet {len(set().union(*(m[3] for m in met)))} mutants", flush=True)
    for row in pool.map(lambda m: checked(m, met), mutants):
        done.append(row)
        if row["verdict"] == "survived":
            print(f"{row['file']}:{row['line']}: {row['is']} as {row['becomes']}: {row['code']}", flush=True)
print(", ".join(f"{n} {verdict}" for verdict, n in sorted(collections.Counter(r["verdict"] for r in done).items())))
if a.json:
    beside = a.json.with_name(f".{a.json.name}.part")
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    beside.write_text(json.dumps({"kind": "mutants", "commit": made_of["commit"], "cpu": model[1] if model else "", "cores": os.cpu_count(), "date": f"{datetime.date.today()}",
                                  "seed": a.seed, "places": places_in_all, "trials": len(met), "results": done}, indent=1) + "\n")
    beside.rename(a.json)
