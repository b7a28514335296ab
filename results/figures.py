#!/usr/bin/env python3
"""Fills the figures sections of the READMEs and of docs/ from the JSON in this folder, so that no number is typed by hand.

    results/figures.py          rewrites the text between <!-- figures --> and <!-- /figures -->
    results/figures.py --check  rewrites nothing, and fails where the text is out of date
"""
import json
import pathlib
import re
import sys
import textwrap

from runs import names as runs_named, read

here = pathlib.Path(__file__).resolve().parent


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


def fixed_bench(run):
    """Whether the run times each peer at each of its settings, on input random in every bit: such a run has a list of losses."""
    return "losses" in run


def warning(run, primitives):
    """The warning above the figures of a run with the bench before it was fixed."""
    rows = [r for r in run["rows"] if r["primitive"] in primitives]
    if fixed_bench(run) or not any(r["who"].startswith("cub") for r in rows):
        return ""
    width = 64 if {r["primitive"] for r in rows} & {"histogram", "select"} else 32
    text = f"**Measured before the bench was fixed**: compared with CUB with {width}-bit counts alone, which are not always its faster setting"
    if any(r["primitive"] == "sort" and r["type"] in ("u64", "i64", "f64") for r in rows):
        text += ", and on keys of 8 bytes whose top byte was always 0, so that one of our eight passes was skipped"
    return text + ".\n\n"


def stands(row):
    """Whether the row is the fastest of a peer's settings; only that is in the tables. Older rows have one setting."""
    return row.get("stands", True)


def form(row):
    return (row["form"] + ("" if row["input"] == "uniform" else ", " + row["input"]) +
            (", unaligned operands" if row.get("operands") == "shifted" else ""))


def ladder(primitive, run):
    rows = [r for r in run["rows"] if r["primitive"] == primitive and r["cache"] == "cold" and not r["peer"]]
    text = f"Every textbook variant, u32 sums of {power(rows[0]['n'])} elements, cold, one NVIDIA H200 ({told(run)}):\n\n"
    text += "| variant | time | GB/s | of the roof |\n| --- | ---: | ---: | ---: |\n"
    for r in rows:
        text += f"| `{r['who'].split('/')[1]}` | {time(r['median_s'])} | {r['bytes'] / r['median_s'] / 1e9:.0f} | {r['roof_fraction']:.1%} |\n"
    return text


def with_cub(primitive, runs):
    versions = sorted({p["version"] for run in runs for p in run["peers"] if p["name"].startswith("cub")})
    text = (f"The library's default algorithm and {' and '.join(versions)} in the same run, cold, timed by events ({told(runs[0])}); "
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
            cells += f" {time(ours[0]['median_s'])} | {ours[0]['roof_fraction']:.1%} | {cub[0]['median_s'] / ours[0]['median_s']:.2f} |" if ours and cub else " | | |"
        text += f"| {power(n)} |{cells}\n"
    return text


def by_form(run, primitives):
    """A row for each form and a column for each size: our time, and in brackets the best peer's time over ours."""
    rows = [r for r in run["rows"] if r["primitive"] in primitives and r["cache"] == "cold" and r["mode"] == "kernel" and stands(r)]
    sizes = sorted({r["n"] for r in rows})
    where = run["devices"][0]
    peers = ", ".join(sorted({r["who"] for r in rows if r["peer"]}))
    text = f"Time of a call on {where['description'].split(',')[0]}, caches cold ({told(run)})."
    text += f" In brackets: the time of the fastest peer over ours, of the peers that do the same work ({peers}).\n\n" if peers else "\n\n"
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
        text += f"| {power(r['n'])} | `{r['who']}` | {time(r['median_s'])} | {r['bytes'] / r['median_s'] / 1e9:.0f} |\n"
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


def held_equal(run, variant):
    """How many of the numbers that must agree do, of how many."""
    kinds = ("global load", "global store", "global atomic", "shared load", "shared store", "shared atomic")
    timed = variant == "scan/decoupled-lookback"
    rows = [r for r in run["rows"] if r["rung"] == variant]
    names = [(r, k) for r in rows for k in {*r["lens"], *r["gpu"]} if k.startswith(kinds) and not (timed and k.startswith("global load"))]
    if not any(r["type"] == "f64" and r["lens"]["applications"] != r["gpu"]["applications"] for r in rows):
        names += [(r, "applications") for r in rows if r["type"] == "f64"]
    return sum(r["lens"].get(k, 0) == r["gpu"].get(k, 0) for r, k in names), len(names)


def truth(run):
    """A row for each variant: its largest u32 run in numbers, and how many launches and numbers agree over all its runs."""
    kinds = ("global load", "global store", "global atomic", "shared load", "shared store", "shared atomic")
    sizes = sorted({(r["type"], r["n"], r["inclusive"]) for r in run["rows"]}, key=lambda s: (s[0] != "u32", s[2], s[1]))
    told_sizes = ", ".join(f"{t} n = {n:,}{' inclusive' if i else ''}" for t, n, i in sizes)
    text = (f"The lens and Nsight Compute on an NVIDIA H200 ({told(run)}). Runs: {told_sizes}; variants with one thread or "
            "quadratic work run at n = 4,096 in place of larger n. *Launches* counts all launches of a variant over its runs; "
            "*numbers equal* gives how many of the numbers that must be equal are. The other columns are for one run, u32 "
            "exclusive of the largest n, summed over its launches: sectors and wavefronts, with the ideal in brackets where it is "
            "less, and the lanes that took part in accesses (one number where lens and GPU agree); the share of lanes active in all "
            "instructions; and the share of the memory instructions issued by the GPU's warps that had no active lane.\n\n")
    text += ("| variant | launches | numbers equal | n | global sectors | shared wavefronts | lanes in accesses | active, lens | "
             "active, GPU | issued for no lane |\n| --- |" + " ---: |" * 9 + "\n")
    for variant in dict.fromkeys(r["rung"] for r in run["rows"]):
        all_rows = [r for r in run["rows"] if r["rung"] == variant]
        timed = variant == "scan/decoupled-lookback"
        equal, numbers = held_equal(run, variant)
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
        text += (f"| `{variant}` | {len(all_rows)} | {equal} of {numbers} | {n:,} | {both(of('global', 'sectors'), of('global', 'ideal_sectors'))} | "
                 f"{both(of('shared', 'wavefronts'), of('shared', 'ideal_wavefronts'))} | {both(lambda k: k.startswith(kinds) and k.endswith(' lanes'))} | "
                 f"{share('lens')} | {share('gpu')} | {idle} |\n")
    return text


def link(name):
    return f"[{name}](../results/{name}.json)"


def with_targets(table):
    """A table whose cells [NAME] link to the runs of results/: their targets follow it, so that rows stay short."""
    names = re.findall(r"^\| \[([\w-]+)\] \|", table, re.M)
    return table + "\n" + "".join(f"[{name}]: ../results/{name}.json\n" for name in dict.fromkeys(names))


def day(run):
    p = run["provenance"]
    return f"{p['date'][:10]}, {p['commit'][:7]}"


def short(device):
    """A device in a column of a table."""
    for words, fewer in (("Intel(R) Xeon(R) Processor", "Xeon"), ("AMD EPYC", "EPYC"), ("NVIDIA H", "H"), (" 80GB HBM3", ""), ("the lens", "lens"),
                         ("cpu-skylake-avx512-Xeon, Portable Computing Language", "PoCL on Xeon"), ("UPSWEEP_INSTRUCTIONS=", "")):
        device = device.replace(words, fewer)
    return device


def checks():
    """Every recorded run of `upsweep check`, newest first."""
    runs = [(name, read(name)) for name in runs_named("*-check-*")]
    text = "| run | device | variants | cases | failed | date, commit |\n| --- | --- | ---: | ---: | ---: | --- |\n"
    for name, run in sorted(runs, key=lambda r: r[1]["provenance"]["date"], reverse=True):
        if run["kind"] == "check":
            rows = run["results"]
            devices = ", ".join(dict.fromkeys(r["description"] for r in rows))
            cases, failed = sum(r["cases"] for r in rows), sum(r["failed"] for r in rows)
            text += f"| [{name}] | {short(devices)} | {len(rows)} | {cases:,} | {failed} | {day(run)} |\n"
    return with_targets(text)


def huge_checks():
    """The cases of `upsweep check --huge` past 2^32 elements, a row for each run, and the cases left out and why."""
    text = "| run | device | variants | cases past 2^32 | failed | date, commit |\n| --- | --- | ---: | ---: | ---: | --- |\n"
    left = {}
    for name in runs_named("*-check-huge*"):
        run = read(name)
        rows = [r for r in run["results"] if r.get("huge_cases")]
        if not rows:
            continue
        devices = ", ".join(dict.fromkeys(r["description"] for r in rows))
        text += (f"| [{name}] | {short(devices)} | {len(rows)} | {sum(r['huge_cases'] for r in rows):,} | "
                 f"{sum(r['failed'] for r in rows)} | {day(run)} |\n")
        for r in run["results"]:
            for one in r.get("left_out", []):
                left.setdefault((r["variant"], r["description"]), {}).setdefault(one["why"], {})[one["what"].split(", n = ")[0]] = True
    text = with_targets(text)
    if left:
        text += "\nCases that were left out, and the reason, which the command printed:\n\n"
        for (variant, device), why in sorted(left.items()):
            reasons = "; ".join(f"{', and '.join(what)}: `{reason}`" for reason, what in why.items())
            text += item(f"`{variant}` on {short(device)}: {reasons}.")
    return text


def drawn_on(run):
    """The devices that ran the cases: a GPU by its own name, the CPU where it did the work."""
    p = run["provenance"]
    cpu = f"{p['cpu']}, {p['cores']} cores"
    by_name = {d["name"]: d["description"] for d in p["devices"] if d["usable"]}
    names = []
    for name in run["devices"] or by_name:
        about = by_name.get(name, "")
        if name.startswith("cpu"):
            names.append(cpu)
        elif about.endswith("Portable Computing Language"):
            names.append(f"PoCL, {cpu}")
        elif about.startswith("upsweep lens"):
            names.append(f"the lens on {cpu}")
        else:
            names.append(about)
    return ", ".join(dict.fromkeys(names))


def span_of_time(seconds):
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def drawn_checks():
    """Every recorded run of `upsweep check --cases`."""
    text = "| run | device | seed | threads | primitives | cases | from 2^16 | time | other kernels | failed | date, commit |\n"
    text += "| --- | --- |" + " ---: |" * 8 + " --- |\n"
    for name in runs_named("*-check-drawn*"):
        run = read(name)
        p = run["provenance"]
        changed = ", changed since" if p["uncommitted_changes"] else ""
        others = f"{run['kernels_beside']:,}" if run.get("crowded") else "0"
        text += (f"| [{name}] | {short(drawn_on(run))} | {run['seed']} | {run['threads']} | {len(run['primitives'])} | {run['cases']:,} | "
                 f"{sum(run['sizes'][17:]):,} | {span_of_time(run['seconds'])} | {others} | {run['failed']} | {day(run)}{changed} |\n")
    return with_targets(text)


def checkers():
    """Every recorded run of compute-sanitizer's tools, a row for each."""
    text = "| run | tool | variants | cases | silent | reports proved wrong | others | commits |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
    for name in runs_named("*-checkers"):
        rows = read(name)["results"]
        for tool in dict.fromkeys(r["tool"] for r in rows):
            of = {}
            for r in rows:
                if r["tool"] == tool:
                    of.setdefault(r["variant"], []).append(r)
            ran = {v: all_of for v, all_of in of.items() if all(r["ran"] for r in all_of)}
            wrong = sum(any(not r["ok"] for r in all_of) for all_of in ran.values())
            proved = sum(any(r.get("proofs") for r in all_of) for all_of in ran.values())
            commits = ", ".join(sorted({r["commit"] for all_of in ran.values() for r in all_of}))
            text += (f"| [{name}] | {tool} | {len(ran)} of {len(of)} | {sum(r['cases'] for all_of in ran.values() for r in all_of):,} | "
                     f"{len(ran) - wrong - proved} | {proved} | {wrong} | {commits} |\n")
    return with_targets(text)


def mutants():
    """The outcome of each mutation of the library's code, by kind of mutation."""
    runs = [read(name) for name in runs_named("mutants*")]
    rows = [r for run in runs for r in run["results"]]
    text = "| original | mutated to | selected | not executed | a check or test failed | crashed | 10 times slower | not detected |\n"
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
    """The work of each fuzzer, over all recorded runs."""
    runs = read("fuzz")["runs"]
    text = "| harness | processor time, min | executions | edges | inputs kept | found |\n| --- | ---: | ---: | ---: | ---: | ---: |\n"
    for name in sorted({r["harness"] for run in runs for r in run["results"]}):
        of = [r for run in runs for r in run["results"] if r["harness"] == name]
        text += (f"| `{name}` | {sum(r['processor_seconds'] for r in of) / 60:.0f} | {sum(r['executions'] for r in of):,} | {max(r['edges'] for r in of)} | "
                 f"{of[-1]['corpus']} | {sum(r['found'] for r in of)} |\n")
    every = [r for run in runs for r in run["results"]]
    where = "; ".join(dict.fromkeys(f"{run['cpu']}, {run['cores']} cores, {run['time'][:10]}, commit {run['commit'][:7]}" for run in runs))
    return text + (f"\n{sum(r['executions'] for r in every):,} executions in {sum(r['processor_seconds'] for r in every) / 3600:.1f} hours of a processor "
                   f"({link('fuzz')}: {where}).\n")


# Reasons in the records, in the words of this page.
REASONS = {"calls nothing that is ours": "no call of this library",
           "asks for inner parts of CUB's kernels": "uses internal parts of CUB's kernels",
           "no such form of ": "the adapter has no such form of ",
           "not done after": "not finished after",
           "a kernel's tuning or inner parts, not a call": "tunings or internal parts of a kernel, not a call",
           "2^31 elements and more, in code that is not optimised": "2^31 elements and more, in unoptimised code",
           "sums of bytes written to ints are whole here; there they wrap as bytes":
               "sums of bytes that are written to ints do not wrap in this library; in Thrust they wrap as bytes",
           "halves are binned as floats here (upsweep/histogram/bins.hpp); there each step is rounded to a half":
               "this library bins halves as floats; CUB rounds each step to a half",
           "CUB refuses such levels, as its arithmetic overflows; here they are binned":
               "CUB refuses such levels, because its arithmetic overflows; this library bins them",
           "a GPU exchanges elements as bytes here, not by a swap of their own":
               "on a GPU this library exchanges elements as bytes, not by their own swap",
           "the order is this library's, not that of Thrust's shuffle on the host":
               "shuffle has the order of this library, not that of Thrust on the host",
           "the adapter counts by differences of iterators: cuda::discard_iterator's run backwards, and those over bytes end at 255":
               "the adapter counts by differences of iterators, which are negative for cuda::discard_iterator, and end at 255 for bytes"}
OUTCOMES = {"not done": "too long"}


def item(text, columns=120):
    """An item of a list, in lines of at most that many columns. No line begins with a mark that would start a block, and code
    ends and begins again with the lines."""
    lines, mark = ["-"], ""
    for words in re.split(r" +(?![-+=#>|~]|\*(?!\*)|\d+[.)])", text):
        begins = mark
        for one in re.findall(r"`+", words):
            mark = "" if mark == one else mark or one
        if len(lines[-1]) + 1 + len(words) + len(mark) > columns:
            lines[-1] += begins
            lines.append("  " + begins + words)
        else:
            lines[-1] += " " + words
    return "\n".join(lines) + "\n"


def reason(record):
    """Why a test did not pass: our words as they are, messages of compilers and tests as code."""
    why = " ".join(record.get("why", "").split())
    for ours, words in REASONS.items():
        if why.startswith(ours):
            rest = why[len(ours):].lstrip(": ")
            return f"{words} ``{rest}``" if rest and not ours.startswith(("no such", "not done")) else words + " " * bool(rest) + rest
    mark = "``" if "`" in why else "`"
    return f"{mark}{why}{mark}" if why else "no message"


def by_reason(records):
    """An item for each outcome and reason, with the tests of each file."""
    text, groups = "", {}
    for suite, r in records:
        groups.setdefault((suite, r["outcome"], reason(r)), {}).setdefault(r["file"], []).append(" ".join(r["test"].split()))
    for (suite, outcome, why), files in groups.items():
        tests = "; ".join(f"`{file}`: {', '.join(names)}" for file, names in files.items())
        text += item(f"**{suite}, {OUTCOMES.get(outcome, outcome)}**: {why}. {tests}.")
    return text


def peers_tests(name):
    """Tests of peers: a row for each file, and the reason for each test that did not pass."""
    run = read(name)
    kinds = ("passed", "failed", "does not compile", "not done", "not ours")
    where = run["provenance"].get("gpu") or run["provenance"]["cpu"]
    text = f"{link(name)} ({told(run)}; each file has its own commit):\n{where}\n\n"
    text += "| tests of | files tried | passed | failed | do not compile | too long | no call of ours | commit |\n"
    text += "| --- | ---: |" + " ---: |" * 5 + " --- |\n"
    for s in run["suites"]:
        total = [sum(f.get(k, 0) for f in s["files"]) for k in kinds]
        text += f"| **{s['name']} {s['version']}** | {len(s['files'])} of {s['there_are']} | " + " | ".join(f"**{n}**" for n in total) + " | |\n"
        for f in sorted(s["files"], key=lambda f: f["file"]):
            if "left_out" not in f:
                text += f"| `{f['file']}` | | " + " | ".join(str(f.get(k, 0)) for k in kinds) + f" | {f.get('commit', '')[:7]} |\n"
    left = [(s["name"], f) for s in run["suites"] for f in sorted(s["files"], key=lambda f: f["file"]) if "left_out" in f]
    if left:
        text += "\nFiles that are left out, by reason:\n\n"
        for name, why in dict.fromkeys((name, f["left_out"]) for name, f in left):
            files = ", ".join(f"`{f['file']}`" for n, f in left if (n, f["left_out"]) == (name, why))
            text += item(f"**{name}**: {REASONS.get(why, why)}. {files}.")
    records = [(s["name"], r) for s in run["suites"] for r in s["not_passed"]]
    return text + ("\nTests that did not pass, by outcome and reason:\n\n" + by_reason(records) if records else "")


def lens_checks(names):
    text = ("| record | variants | launches | numbers that must be equal | not equal | proved in the machine code | date, commit |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n")
    proved = json.loads((here.parent / "lens/machine_code/differences.json").read_text())
    for name in names:
        run = read(name)
        held = [held_equal(run, variant) for variant in dict.fromkeys(r["rung"] for r in run["rows"])]
        equal, numbers = sum(e for e, _ in held), sum(n for _, n in held)
        text += f"| [{name}] | {len(held)} | {len(run['rows'])} | {numbers:,} | {numbers - equal} | "
        text += f"{sum(len(d['launches']) for d in proved['differences']) if proved['record'] == name + '.json' else 0} | {told(run)} |\n"
    return with_targets(text)


def proved_differences(told):
    """A row for each kernel and reason: which numbers differ, by how much in the first launch that does, and the instructions."""
    groups = {}
    for one in told["differences"]:
        groups.setdefault((one["rung"], one["kernel"], " and ".join(one["why"]), tuple(one["code"])), []).append(one)
    text = "| variant, kernel | launches | numbers, lens and GPU in the first | why | instructions |\n| --- | --- | --- | --- | --- |\n"
    for (variant, kernel, why, code), those in groups.items():
        launches = sorted({int(launch) for one in those for launch in one["launches"]})
        numbers = []
        for one in those:
            lens, gpu = next(iter(one["launches"].values()))
            numbers.append(f"{one['number']} {lens:,}, {gpu:,}")
        text += (f"| `{variant}`, `{kernel}` | {', '.join(map(str, launches))} | {'; '.join(numbers)} | {why} | "
                 f"{'; '.join('`' + c + '`' for c in code)} |\n")
    return text


def python_calls(run):
    """A row for each call, type and size: ours on each library's arrays, and in brackets the library's own time over ours."""
    p, rows = run["provenance"], run["results"]
    libraries = list(dict.fromkeys(r["arrays"] for r in rows))
    versions = {"CuPy": p["cupy"], "PyTorch": p["torch"], "cuda.compute": p["cuda.compute"]}
    others = [who for who in dict.fromkeys(r["who"] for r in rows) if who not in ("upsweep", "upsweep.h", *libraries)]
    text = (f"`bench.py --device cuda:0` on {p['machine']}, {' and '.join(f'{each} {versions[each]}' for each in libraries)}, Python {p['python']} ({told(run)}). "
            "1000 elements are timed by the clock, one call after the other; more elements by events, caches cold. In brackets: the time of that library's "
            "call over ours on its arrays; *C alone* is the one call of `upsweep.h` that ours makes.\n\n")
    text += "| call | elements |" + "".join(f" on {each}'s |" for each in libraries) + " C alone |" + "".join(f" {each} |" for each in others)
    text += "\n| --- | --- |" + " ---: |" * (len(libraries) + 1 + len(others)) + "\n"

    def cell(same, who, other=None):
        ours = next((r["seconds"] for r in same if r["who"] == who), None)
        theirs = next((r["seconds"] for r in same if r["who"] == other), None)
        return "" if ours is None else f" {time(ours)}" + (f" ({theirs / ours:.2f})" if theirs else "")

    for key in dict.fromkeys((r["call"], r["type"], tuple(r["shape"])) for r in rows):
        same = [r for r in rows if (r["call"], r["type"], tuple(r["shape"])) == key]
        text += f"| `{key[0]}` | {' × '.join(f'{n:,}' for n in key[2])} {key[1]} |"
        text += "".join(cell([r for r in same if r["arrays"] == each], "upsweep", each) + " |" for each in libraries)
        text += cell(same, "upsweep.h") + " |" + "".join(cell(same, each) + " |" for each in others) + "\n"
    return text


stale = []


def wrapped(text):
    """Text whose lines of prose have at most 120 columns; rows of tables stay."""
    return "\n".join(line if line.startswith("|") else textwrap.fill(line, 120, break_long_words=False, break_on_hyphens=False)
                     for line in text.split("\n"))


def fill(page, text, name=""):
    """Replaces the text between the marks <!-- figures: NAME --> and <!-- /figures -->."""
    begin, end = f"<!-- figures{name and ': ' + name} -->\n", "<!-- /figures -->"
    old = page.read_text(encoding="utf-8")
    text = wrapped(text)
    if begin not in old:
        sys.exit(f"{page}: there is no {begin.strip()}")
    before, rest = old.split(begin, 1)
    new = before + begin + text + end + rest.split(end, 1)[1]
    if new != old:
        stale.append(f"{page}{name and ', ' + name}")
        if sys.argv[1:] != ["--check"]:
            page.write_text(new, encoding="utf-8")


textbook, opencl = read("h200-textbook-u32"), read("h100-bench-opencl")
benches = [read("h200-bench-u32"), read("h200-bench-f32-u64")]
tables = {"reduce": ["kaust-reduction", "kit-reduction"], "scan": ["harris2007-scan", "utcs-scan"]}
for algorithm in ("reduce", "scan"):
    parts = [ladder(algorithm, textbook), with_cub(algorithm, benches), on_opencl(algorithm, opencl)]
    parts += [published(read(f"h200-table-{t}")) for t in tables[algorithm]]
    fill(here.parent / "upsweep" / algorithm / "README.md", "\n".join(parts))
for algorithm, primitives in {"sort": ("sort", "segmented-sort", "top-k", "merge", "is-sorted"),
                         "select": ("select", "run-lengths", "expand-runs", "gather", "scatter-if"),
                         "histogram": ("histogram", "range-counts"),
                         "segmented": ("reduce-by-key", "scan-by-key", "segmented-reduce", "segmented-scan"),
                         "convolve": ("convolve",), "integral": ("integral", "box-filter", "rectangle-sums"),
                         "nbody": ("nbody",)}.items():
    runs = [read(name) for name in runs_named(f"*-bench-{algorithm}*")]
    folder = {"integral": "summed_area_table"}.get(algorithm, algorithm)
    fill(here.parent / "upsweep" / folder / "README.md", "\n".join(by_form(run, primitives) for run in runs))
fill(here.parent / "lens" / "README.md",
     truth(read("h200-lens-truth")) + "\nThe variants that were added later; twelve of them agree except for the differences proved in the machine code:\n\n" + truth(read("h200-lens-truth-newer")))
differences = here.parent / "lens/machine_code/differences.json"
fill(differences.parent / "README.md", proved_differences(json.loads(differences.read_text())))
page = here.parent / "docs" / "test-records.md"
fill(page, checks(), "checks")
fill(page, drawn_checks(), "drawn")
fill(page, huge_checks(), "huge")
fill(page, checkers(), "checkers")
fill(page, fuzzers(), "fuzz")
fill(page, mutants(), "mutants")
fill(page, lens_checks(["h200-lens-truth", "h200-lens-truth-newer"]), "lens")
fill(here.parent / "docs" / "peers-tests-records.md", "\n".join(map(peers_tests, runs_named("*-peers-tests"))))
fill(here.parent / "python" / "README.md", "\n".join(python_calls(read(name)) for name in runs_named("*-python")))
if sys.argv[1:] == ["--check"]:
    sys.exit("\n".join(f"{page} is out of date: run results/figures.py" for page in stale) or None)
