#!/usr/bin/env python3
"""Fills the figures sections of the rooms' READMEs and of docs/ from the JSON in this folder, so that no number is typed by hand.

    results/figures.py          rewrites what stands between <!-- figures --> and <!-- /figures -->
    results/figures.py --check  rewrites nothing, and fails where that is not what stands there
"""
import json
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent


def read(name):
    with open(here / name) as f:
        return json.load(f)


def time(seconds):
    for unit, scale in (("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1 or unit == "µs":
            return f"{seconds * scale:.3g} {unit}"


def power(n):
    if n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    return f"2^{(n + 5).bit_length() - 1} − 5" if n > 1000 and (n + 5) & (n + 4) == 0 else f"{n:,}"


def told(run):
    p = run["provenance"]
    return f"{p['date'][:10]}, commit {p['commit'][:7]}"


def mended(run):
    """Whether each peer was timed at each of its settings, on input random in every bit: such a run lists what it lost."""
    return "losses" in run


def warning(run, primitives):
    """What a reader must know of a run of before."""
    rows = [r for r in run["rows"] if r["primitive"] in primitives]
    if mended(run) or not any(r["who"].startswith("cub") for r in rows):
        return ""
    width = 64 if {r["primitive"] for r in rows} & {"histogram", "select"} else 32
    text = f"**Measured before the bench was mended**: beside CUB with {width}-bit counts alone, which are not always its faster ones"
    if any(r["primitive"] == "sort" and r["type"] in ("u64", "i64", "f64") for r in rows):
        text += ", and on keys of 8 bytes whose top byte was always 0, so that one of our eight passes was skipped"
    return text + ".\n\n"


def stands(row):
    """Of a peer's settings the fastest stands in the tables. Rows of before have one setting."""
    return row.get("stands", True)


def form(row):
    return (row["form"] + ("" if row["input"] == "uniform" else ", " + row["input"]) +
            (", operands off alignment" if row.get("operands") == "shifted" else ""))


def ladder(primitive, run):
    rows = [r for r in run["rows"] if r["primitive"] == primitive and r["cache"] == "cold" and not r["peer"]]
    text = f"Every rung, u32 sums of {power(rows[0]['n'])} elements, cold, one NVIDIA H200 ({told(run)}):\n\n"
    text += "| rung | time | GB/s | of the roof |\n| --- | ---: | ---: | ---: |\n"
    for r in rows:
        text += f"| `{r['who'].split('/')[1]}` | {time(r['median_s'])} | {r['bytes_per_s'] / 1e9:.0f} | {r['roof_fraction']:.1%} |\n"
    return text


def beside_cub(primitive, runs):
    versions = sorted({p["version"] for run in runs for p in run["peers"] if p["name"].startswith("cub")})
    text = (f"The library's own beside {' and '.join(versions)} in the same run, cold, by events ({told(runs[0])}); "
            f"{'CUB' if len(versions) == 1 else 'the faster CUB'}'s time over ours:\n\n") + warning(runs[0], (primitive,))
    rows = [r for run in runs for r in run["rows"] if r["primitive"] == primitive and r["cache"] == "cold" and r["mode"] == "kernel"
            and stands(r) and r.get("operands", "aligned") == "aligned"]
    types = list(dict.fromkeys(r["type"] for r in rows))
    text += "| n |" + "".join(f" {t} | of the roof | CUB / ours |" for t in types) + "\n"
    text += "| --- |" + " ---: |" * (3 * len(types)) + "\n"
    for n in sorted({r["n"] for r in rows}):
        cells = ""
        for t in types:
            ours = [r for r in rows if r["n"] == n and r["type"] == t and not r["peer"]]
            cub = sorted((r for r in rows if r["n"] == n and r["type"] == t and r["who"].startswith("cub")), key=lambda r: r["median_s"])
            cells += f" {time(ours[0]['median_s'])} | {ours[0]['roof_fraction']:.1%} | {cub[0]['ratio']:.2f} |" if ours and cub else " | | |"
        text += f"| {power(n)} |{cells}\n"
    return text


def by_form(run, primitives):
    """A line a form, a column a size: our time, and in brackets the best peer's time over ours."""
    rows = [r for r in run["rows"] if r["primitive"] in primitives and r["cache"] == "cold" and r["mode"] == "kernel" and stands(r)]
    sizes = sorted({r["n"] for r in rows})
    where = run["devices"][0]
    peers = ", ".join(sorted({r["who"] for r in rows if r["peer"]}))
    text = f"What a call runs on {where['description'].split(',')[0]}, caches cold ({told(run)})."
    text += f" In brackets the fastest peer's time over ours, of those that do the same work ({peers}).\n\n" if peers else "\n\n"
    text += warning(run, primitives)
    text += "| |" + "".join(f" {power(n)} |" for n in sizes) + "\n| --- |" + " ---: |" * len(sizes) + "\n"
    for words in dict.fromkeys(form(r) for r in rows):
        same = [r for r in rows if form(r) == words]
        text += f"| {words} |"
        for n in sizes:
            ours = [r for r in same if r["n"] == n and r["chosen"]] or [r for r in same if r["n"] == n and not r["peer"]]
            best = min((r["median_s"] for r in same if r["n"] == n and r["peer"]), default=None)
            text += f" {time(ours[0]['median_s'])}" + (f" ({best / ours[0]['median_s']:.2f})" if best else "") if ours else ""
            text += " |"
        text += "\n"
    return text


def on_opencl(primitive, run):
    rows = [r for r in run["rows"] if r["primitive"] == primitive and r["cache"] == "cold"]
    where = next(d["description"] for d in run["devices"] if d["name"].startswith("opencl"))
    text = f"OpenCL, {where.split(',')[0]} ({told(run)}):\n\n| n | variant | time | GB/s |\n| --- | --- | ---: | ---: |\n"
    for r in rows:
        text += f"| {power(r['n'])} | `{r['who']}` | {time(r['median_s'])} | {r['bytes_per_s'] / 1e9:.0f} |\n"
    return text


def published(table):
    text = f"`upsweep bench --table {table['table']['name']}` ({told(table)}):\n\n| row |"
    columns = [c for c in table["columns"] if any(isinstance(r["cells"].get(c["key"]), (int, float)) for r in table["rows"])]
    text += "".join(f" {c['who']} {c['title']} {c['unit']} |" for c in columns) + "\n| --- |" + " ---: |" * len(columns) + "\n"
    scale = {"ms": 1e3, "µs": 1e6}
    for r in table["rows"]:
        values = [r["cells"].get(c["key"]) for c in columns]
        text += f"| {r['label']} |"
        for c, v in zip(columns, values):
            text += f" {v * scale.get(c['unit'], 1):.4g} |" if isinstance(v, (int, float)) else " |"
        text += "\n"
    return text


def held_equal(run, rung):
    """Of a rung's numbers that must be equal, how many are, and how many there are."""
    kinds = ("global load", "global store", "global atomic", "shared load", "shared store", "shared atomic")
    timed = rung == "scan/decoupled-lookback"
    rows = [r for r in run["rows"] if r["rung"] == rung]
    names = [(r, k) for r in rows for k in {*r["lens"], *r["gpu"]} if k.startswith(kinds) and not (timed and k.startswith("global load"))]
    if not any(r["type"] == "f64" and r["lens"]["applications"] != r["gpu"]["applications"] for r in rows):
        names += [(r, "applications") for r in rows if r["type"] == "f64"]
    return sum(r["lens"].get(k, 0) == r["gpu"].get(k, 0) for r, k in names), len(names)


def truth(run):
    """One line a rung: its largest u32 run in numbers, and how many launches and numbers agree over all its runs."""
    kinds = ("global load", "global store", "global atomic", "shared load", "shared store", "shared atomic")
    sizes = sorted({(r["type"], r["n"], r["inclusive"]) for r in run["rows"]}, key=lambda s: (s[0] != "u32", s[2], s[1]))
    told_sizes = ", ".join(f"{t} n = {n:,}{' inclusive' if i else ''}" for t, n, i in sizes)
    text = (f"The lens beside Nsight Compute on an NVIDIA H200 ({told(run)}). Runs: {told_sizes}; 4,096 is for the rungs of one "
            "thread or a square of work, in place of what is larger. *Launches* are all of a rung's, over its runs; *numbers* "
            "are those that must be equal, and how many are. The other columns are one run, u32 exclusive of the largest n, "
            "its launches added up: sectors and wavefronts with the ideal in brackets where it is less, and the lanes that took "
            "part in accesses (lens = GPU, or both); the lanes active in all instructions, and how many of the memory "
            "instructions that the GPU's warps issued had no lane at all.\n\n")
    text += ("| rung | launches | numbers equal | n | global sectors | shared wavefronts | lanes in accesses | active, lens | "
             "active, GPU | issued for no lane |\n| --- |" + " ---: |" * 9 + "\n")
    for rung in dict.fromkeys(r["rung"] for r in run["rows"]):
        all_rows = [r for r in run["rows"] if r["rung"] == rung]
        timed = rung == "scan/decoupled-lookback"
        equal, numbers = held_equal(run, rung)
        n = max(r["n"] for r in all_rows if r["type"] == "u32" and not r["inclusive"])
        rows = [r for r in all_rows if (r["type"], r["n"], r["inclusive"]) == ("u32", n, False)]

        def both(of, at_best=None):
            def one(side, what):
                return sum(v for r in rows for k, v in r[side].items() if what(k))

            ours, theirs = one("lens", of), one("gpu", of)
            if ours != theirs:
                return f"{ours:,}, GPU {theirs:,}"
            ideal = one("gpu", at_best) if at_best else ours
            return f"{ours:,}" + (f" ({ideal:,})" if ideal < ours else "") if ours else ""

        def of(space, what):
            return lambda k: k.startswith(space) and k.endswith(" " + what)

        def share(side):
            return f"{100 * sum(r[side]['lanes'] for r in rows) / (32 * sum(r[side]['instructions'] for r in rows)):.0f}%"

        issued = sum(r["gpu"]["memory instructions"] for r in rows)
        had_lanes = sum(v for r in rows for k, v in r["gpu"].items() if k.endswith("requests") or k.startswith("shared") and k.endswith("ideal_wavefronts"))
        idle = "" if timed else f"{100 * (issued - had_lanes) / issued:.0f}%"
        text += (f"| `{rung}` | {len(all_rows)} | {equal} of {numbers} | {n:,} | {both(of('global', 'sectors'), of('global', 'ideal_sectors'))} | "
                 f"{both(of('shared', 'wavefronts'), of('shared', 'ideal_wavefronts'))} | {both(lambda k: k.startswith(kinds) and k.endswith(' lanes'))} | "
                 f"{share('lens')} | {share('gpu')} | {idle} |\n")
    return text


def link(name):
    return f"[{name}](../results/{name}.json)"


def checks():
    """Every run of `upsweep check` that is kept, newest first."""
    runs = [(p.stem, read(p.name)) for p in here.glob("*-check-*.json")]
    text = "| run | device | variants | cases | failed | date, commit |\n| --- | --- | ---: | ---: | ---: | --- |\n"
    for name, run in sorted(runs, key=lambda r: r[1]["provenance"]["date"], reverse=True):
        if run["kind"] == "check":
            rows = run["results"]
            devices = ", ".join(dict.fromkeys(r["description"] for r in rows))
            cases, failed = sum(r["cases"] for r in rows), sum(r["failed"] for r in rows)
            text += f"| {link(name)} | {devices} | {len(rows)} | {cases:,} | {failed} | {told(run)} |\n"
    return text


def huge_checks():
    """What `upsweep check --huge` asked past 2^32 elements, a row a run, and what it left out and why."""
    text = "| run | device | variants | cases past 2^32 | failed | date, commit |\n| --- | --- | ---: | ---: | ---: | --- |\n"
    left = {}
    for path in sorted(here.glob("*-check-huge*.json")):
        run = read(path.name)
        rows = [r for r in run["results"] if r.get("huge_cases")]
        if not rows:
            continue
        devices = ", ".join(dict.fromkeys(r["description"] for r in rows))
        text += (f"| {link(path.stem)} | {devices} | {len(rows)} | {sum(r['huge_cases'] for r in rows):,} | "
                 f"{sum(r['failed'] for r in rows)} | {told(run)} |\n")
        for r in run["results"]:
            for one in r.get("left_out", []):
                left.setdefault((r["variant"], r["description"]), {}).setdefault(one["why"], {})[one["what"].split(", n = ")[0]] = True
    if left:
        text += "\n| left out | device | what and why |\n| --- | --- | --- |\n"
        for (variant, device), why in sorted(left.items()):
            told_why = "; ".join(f"{', and '.join(what)}: {reason}" for reason, what in why.items())
            text += f"| `{variant}` | {device} | {told_why} |\n"
    return text


def drawn_on(run):
    """What ran the cases: a GPU by its own name, the CPU where it did the work."""
    p = run["provenance"]
    cpu = f"{p['cpu']}, {p['cores']} cores"
    by_name = {d["name"]: d["description"] for d in p["devices"] if d["usable"]}
    names = []
    for name in run["devices"] or by_name:
        about = by_name.get(name, "")
        if name.startswith("cpu"):
            names.append(cpu)
        elif about.endswith("Portable Computing Language"):
            names.append(f"PoCL on {cpu}")
        elif about.startswith("upsweep lens"):
            names.append(f"the lens on {cpu}")
        else:
            names.append(about)
    return ", ".join(dict.fromkeys(names))


def span_of_time(seconds):
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def drawn_checks():
    """Every run of `upsweep check --cases` that is kept."""
    text = "| run | drawn on | seed | threads | primitives | cases | of 2^16 elements or more | time | other kernels beside | failed | date, commit |\n"
    text += "| --- | --- |" + " ---: |" * 8 + " --- |\n"
    for path in sorted(here.glob("*-check-drawn*.json")):
        run = read(path.name)
        p = run["provenance"]
        changed = ", changed since" if p["uncommitted_changes"] else ""
        beside = f"{run['kernels_beside']:,}" if run.get("crowded") else "none"
        text += (f"| {link(path.stem)} | {drawn_on(run)} | {run['seed']} | {run['threads']} | {len(run['primitives'])} | {run['cases']:,} | "
                 f"{sum(run['sizes'][17:]):,} | {span_of_time(run['seconds'])} | {beside} | {run['failed']} | {told(run)}{changed} |\n")
    return text


def checkers():
    """Every run of compute-sanitizer's tools that is kept, a row for each."""
    text = "| run | tool | variants | cases | silent | reports proved wrong | others | commits |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
    for path in sorted(here.glob("*-checkers.json")):
        rows = read(path.name)["results"]
        for tool in dict.fromkeys(r["tool"] for r in rows):
            of = {}
            for r in rows:
                if r["tool"] == tool:
                    of.setdefault(r["variant"], []).append(r)
            ran = {v: all_of for v, all_of in of.items() if all(r["ran"] for r in all_of)}
            wrong = sum(any(not r["ok"] for r in all_of) for all_of in ran.values())
            proved = sum(any(r.get("proofs") for r in all_of) for all_of in ran.values())
            commits = ", ".join(sorted({r["commit"] for all_of in ran.values() for r in all_of}))
            text += (f"| {link(path.stem)} | {tool} | {len(ran)} of {len(of)} | {sum(r['cases'] for all_of in ran.values() for r in all_of):,} | "
                     f"{len(ran) - wrong - proved} | {proved} | {wrong} | {commits} |\n")
    return text


def mutants():
    """What became of the library's code made wrong at one place after the other, by what was made of it."""
    runs = [read(path.name) for path in sorted(here.glob("mutants*.json"))]
    rows = [r for run in runs for r in run["results"]]
    text = "| where it says | it said | drawn | nobody comes by | a check or test failed | crashed | took ten times as long | nobody noticed |\n"
    text += "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    for wrong in [*sorted({(r["is"], r["becomes"]) for r in rows}), None]:
        of = [r for r in rows if wrong in (None, (r["is"], r["becomes"]))]
        hows = [r.get("how") for r in of]
        names = f"`{wrong[0]}` | `{wrong[1]}`" if wrong else "all |"
        text += (f"| {names} | {len(of)} | {sum(r['verdict'] == 'not met' for r in of)} | {hows.count('wrong')} | {hows.count('crash')} | "
                 f"{hows.count('too slow')} | {sum(r['verdict'] == 'survived' for r in of)} |\n")
    where = ", ".join(f"{len(run['results'])} of {run['places']:,} places, seed {run['seed']} ({run['cpu']}, {run['date']}, commit {run['commit'][:7]})" for run in runs)
    return text + f"\n{where}.\n"


def fuzzers():
    """What each fuzzer has done, over all runs that are kept."""
    if not (here / "fuzz.json").exists():
        return ""
    runs = read("fuzz.json")["runs"]
    text = "| harness | processor time, min | executions | edges | inputs kept | found |\n| --- | ---: | ---: | ---: | ---: | ---: |\n"
    for name in sorted({r["harness"] for run in runs for r in run["results"]}):
        of = [r for run in runs for r in run["results"] if r["harness"] == name]
        text += (f"| `{name}` | {sum(r['processor_seconds'] for r in of) / 60:.0f} | {sum(r['executions'] for r in of):,} | {max(r['edges'] for r in of)} | "
                 f"{of[-1]['corpus']} | {sum(r['found'] for r in of)} |\n")
    every = [r for run in runs for r in run["results"]]
    where = "; ".join(dict.fromkeys(f"{run['cpu']}, {run['cores']} cores, {run['time'][:10]}, commit {run['commit'][:7]}" for run in runs))
    return text + (f"\n{sum(r['executions'] for r in every):,} executions in {sum(r['processor_seconds'] for r in every) / 3600:.1f} hours of a processor "
                   f"({link('fuzz')}: {where}).\n")


def peers_tests(name):
    """Peers' own tests: by file, and why those that did not pass did not."""
    run = read(f"{name}.json")
    kinds = ("passed", "failed", "does not compile", "not done", "not ours")
    where = run["provenance"].get("gpu") or run["provenance"]["cpu"]
    text = f"{link(name)}, {where} ({told(run)}; a file's own commit stands beside it):\n\n"
    text += "| tests of | files looked at | passed | failed | do not compile | too long | no call of ours | commit |\n"
    text += "| --- | ---: |" + " ---: |" * 5 + " --- |\n"
    for s in run["suites"]:
        total = [sum(f.get(k, 0) for f in s["files"]) for k in kinds]
        text += f"| **{s['name']} {s['version']}** | {len(s['files'])} of {s['there_are']} | " + " | ".join(f"**{n}**" for n in total) + " | |\n"
        for f in sorted(s["files"], key=lambda f: f["file"]):
            if "left_out" not in f:
                text += f"| `{f['file']}` | | " + " | ".join(str(f.get(k, 0)) for k in kinds) + f" | {f.get('commit', '')[:7]} |\n"
    left = [(s["name"], f) for s in run["suites"] for f in sorted(s["files"], key=lambda f: f["file"]) if "left_out" in f]
    if left:
        text += "\n| looked at and left out | files |\n| --- | --- |\n"
        for name, why in dict.fromkeys((name, f["left_out"]) for name, f in left):
            text += f"| {name}: {why} | " + ", ".join(f"`{f['file']}`" for n, f in left if (n, f["left_out"]) == (name, why)) + " |\n"
    rows = [(s["name"], r) for s in run["suites"] for r in s["not_passed"]]
    if rows:
        text += "\n| did not pass | | why |\n| --- | --- | --- |\n"
    for name, r in rows:
        why = r.get("why", "").replace("|", "\\|").replace("\n", " ")
        text += f"| `{r['file']}`, {r['test']} | {r['outcome']} | {why} |\n"
    return text


def lens_checks(names):
    text = ("| record | rungs | launches | numbers that must be equal | are not | proved in the machine code | date, commit |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n")
    proved = json.loads((here.parent / "lens/machine_code/differences.json").read_text())
    for name in names:
        run = read(f"{name}.json")
        held = [held_equal(run, rung) for rung in dict.fromkeys(r["rung"] for r in run["rows"])]
        equal, numbers = sum(e for e, _ in held), sum(n for _, n in held)
        text += f"| {link(name)} | {len(held)} | {len(run['rows'])} | {numbers:,} | {numbers - equal} | "
        text += f"{sum(len(d['launches']) for d in proved['differences']) if proved['record'] == name + '.json' else 0} | {told(run)} |\n"
    return text


def proved_differences(told):
    """A line for each kernel and reason: which numbers differ, by how much in the first launch that does, and the instructions."""
    groups = {}
    for one in told["differences"]:
        groups.setdefault((one["rung"], one["kernel"], " and ".join(one["why"]), tuple(one["code"])), []).append(one)
    text = "| rung, kernel | launches | numbers, lens and GPU in the first | why | instructions |\n| --- | --- | --- | --- | --- |\n"
    for (rung, kernel, why, code), those in groups.items():
        launches = sorted({int(launch) for one in those for launch in one["launches"]})
        numbers = []
        for one in those:
            lens, gpu = next(iter(one["launches"].values()))
            numbers.append(f"{one['number']} {lens:,}, {gpu:,}")
        text += (f"| `{rung}`, `{kernel}` | {', '.join(map(str, launches))} | {'; '.join(numbers)} | {why} | "
                 f"{'; '.join('`' + c + '`' for c in code)} |\n")
    return text


def python_calls(run):
    """A line a call, type and size: ours on each library's arrays, and in brackets the library's own time over ours."""
    p, rows = run["provenance"], run["results"]
    libraries = list(dict.fromkeys(r["arrays"] for r in rows))
    versions = {"CuPy": p["cupy"], "PyTorch": p["torch"], "cuda.compute": p["cuda.compute"]}
    others = [who for who in dict.fromkeys(r["who"] for r in rows) if who not in ("upsweep", "upsweep.h", *libraries)]
    text = (f"`bench.py --device cuda:0` on {p['machine']}, {' and '.join(f'{each} {versions[each]}' for each in libraries)}, Python {p['python']} ({told(run)}). "
            "Of 1000 elements by the clock, one call after the other; of more by events, caches cold. In brackets the library's own call's time over "
            "ours on its arrays; *C alone* is the one call of `upsweep.h` that ours comes to.\n\n")
    text += "| call | elements |" + "".join(f" on {each}'s |" for each in libraries) + " C alone |" + "".join(f" {each} |" for each in others)
    text += "\n| --- | --- |" + " ---: |" * (len(libraries) + 1 + len(others)) + "\n"

    def cell(same, who, beside=None):
        ours = next((r["seconds"] for r in same if r["who"] == who), None)
        theirs = next((r["seconds"] for r in same if r["who"] == beside), None)
        return "" if ours is None else f" {time(ours)}" + (f" ({theirs / ours:.2f})" if theirs else "")

    for key in dict.fromkeys((r["call"], r["type"], tuple(r["shape"])) for r in rows):
        same = [r for r in rows if (r["call"], r["type"], tuple(r["shape"])) == key]
        text += f"| `{key[0]}` | {' × '.join(f'{n:,}' for n in key[2])} {key[1]} |"
        text += "".join(cell([r for r in same if r["arrays"] == each], "upsweep", each) + " |" for each in libraries)
        text += cell(same, "upsweep.h") + " |" + "".join(cell(same, each) + " |" for each in others) + "\n"
    return text


stale = []


def fill(page, text, name=""):
    """What stands between the marks <!-- figures: NAME --> and <!-- /figures -->."""
    begin, end = f"<!-- figures{name and ': ' + name} -->\n", "<!-- /figures -->"
    old = page.read_text(encoding="utf-8")
    if begin not in old:
        sys.exit(f"{page}: there is no {begin.strip()}")
    before, rest = old.split(begin, 1)
    new = before + begin + text + end + rest.split(end, 1)[1]
    if new != old:
        stale.append(f"{page}{name and ', ' + name}")
        if sys.argv[1:] != ["--check"]:
            page.write_text(new, encoding="utf-8")


rungs, opencl = read("h200-rungs-u32.json"), read("h100-bench-opencl.json")
benches = [read("h200-bench-u32.json"), read("h200-bench-f32-u64.json")]
tables = {"reduce": ["kaust-reduction", "kit-reduction"], "scan": ["harris2007-scan", "utcs-scan"]}
for room in ("reduce", "scan"):
    parts = [ladder(room, rungs), beside_cub(room, benches), on_opencl(room, opencl)]
    parts += [published(read(f"h200-table-{t}.json")) for t in tables[room]]
    fill(here.parent / "upsweep" / room / "README.md", "\n".join(parts))
for room, primitives in {"sort": ("sort", "segmented-sort", "top-k", "merge", "is-sorted"),
                         "select": ("select", "run-lengths", "expand-runs", "gather", "scatter-if"),
                         "histogram": ("histogram", "range-counts"),
                         "segmented": ("reduce-by-key", "scan-by-key", "segmented-reduce", "segmented-scan"),
                         "convolve": ("convolve",), "integral": ("integral", "box-filter", "rectangle-sums"),
                         "nbody": ("nbody",)}.items():
    runs = [read(f.name) for f in sorted(here.glob(f"*-bench-{room}*.json"))]
    fill(here.parent / "upsweep" / room / "README.md", "\n".join(by_form(run, primitives) for run in runs))
fill(here.parent / "lens" / "README.md",
     truth(read("h200-lens-truth.json")) + "\nThe rungs that came later, of which twelve agree but for what is proved in the machine code:\n\n" + truth(read("h200-lens-truth-newer.json")))
differences = here.parent / "lens/machine_code/differences.json"
fill(differences.parent / "README.md", proved_differences(json.loads(differences.read_text())))
page = here.parent / "docs" / "how-we-know.md"
fill(page, checks(), "checks")
fill(page, drawn_checks(), "drawn")
fill(page, huge_checks(), "huge")
fill(page, checkers(), "checkers")
fill(page, fuzzers(), "fuzz")
fill(page, mutants(), "mutants")
fill(page, lens_checks(["h200-lens-truth", "h200-lens-truth-newer"]), "lens")
fill(here.parent / "docs" / "peers-tests.md", "\n".join(peers_tests(f.stem) for f in sorted(here.glob("*-peers-tests.json"))))
fill(here.parent / "python" / "README.md", "\n".join(python_calls(read(f.name)) for f in sorted(here.glob("*-python.json"))))
if sys.argv[1:] == ["--check"]:
    sys.exit("\n".join(f"{page} is not what results/ says: run results/figures.py" for page in stale) or None)
