#!/usr/bin/env python3
"""Fills the figures sections of the rooms' READMEs from the JSON in this folder, so that no number is typed by hand.

    results/figures.py          rewrites what stands between <!-- figures --> and <!-- /figures -->
"""
import json
import pathlib
import re

here = pathlib.Path(__file__).resolve().parent


def read(name):
    with open(here / name) as f:
        return json.load(f)


def time(seconds):
    for unit, scale in (("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1 or unit == "µs":
            return f"{seconds * scale:.3g} {unit}"


def power(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}"


def told(run):
    p = run["provenance"]
    return f"{p['date'][:10]}, commit {p['commit'][:7]}"


def ladder(primitive, run):
    rows = [r for r in run["rows"] if r["primitive"] == primitive and r["cache"] == "cold" and not r["peer"]]
    text = f"Every rung, u32 sums of {power(rows[0]['n'])} elements, cold, one NVIDIA H200 ({told(run)}):\n\n"
    text += "| rung | time | GB/s | of the roof |\n| --- | ---: | ---: | ---: |\n"
    for r in rows:
        text += f"| `{r['who'].split('/')[1]}` | {time(r['median_s'])} | {r['bytes_per_s'] / 1e9:.0f} | {r['roof_fraction']:.1%} |\n"
    return text


def beside_cub(primitive, runs):
    text = f"The library's own beside CUB 3.0.1 in the same run, cold, by events ({told(runs[0])}); CUB's time over ours:\n\n"
    rows = [r for run in runs for r in run["rows"] if r["primitive"] == primitive and r["cache"] == "cold" and r["mode"] == "kernel"]
    types = list(dict.fromkeys(r["type"] for r in rows))
    text += "| n |" + "".join(f" {t} | of the roof | CUB / ours |" for t in types) + "\n"
    text += "| --- |" + " ---: |" * (3 * len(types)) + "\n"
    for n in sorted({r["n"] for r in rows}):
        cells = ""
        for t in types:
            ours = [r for r in rows if r["n"] == n and r["type"] == t and not r["peer"]]
            cub = [r for r in rows if r["n"] == n and r["type"] == t and r["who"] == "cub"]
            cells += f" {time(ours[0]['median_s'])} | {ours[0]['roof_fraction']:.1%} | {cub[0]['ratio']:.2f} |" if ours and cub else " | | |"
        text += f"| {power(n)} |{cells}\n"
    return text


def on_opencl(primitive, run):
    rows = [r for r in run["rows"] if r["primitive"] == primitive and r["cache"] == "cold"]
    text = f"OpenCL on the same GPU ({told(run)}):\n\n| n | variant | time | GB/s |\n| --- | --- | ---: | ---: |\n"
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


def truth(run):
    kinds = {
        "theoretical_sectors_global": "global sectors",
        "theoretical_sectors_global_ideal": "ideal",
        "wavefronts_shared": "shared wavefronts",
        "wavefronts_shared_ideal": "ideal",
    }
    rows = [r for r in run["rows"] if r["metric"] in kinds]
    text = f"The lens beside Nsight Compute on an NVIDIA H200 ({told(run)}), summed over a run's launches; where one number stands, both say it:\n\n"
    text += "| rung | n |" + "".join(f" {k} |" for k in kinds.values()) + "\n| --- | ---: |" + " ---: |" * len(kinds) + "\n"
    for rung, n in dict.fromkeys((r["rung"], r["n"]) for r in rows):
        text += f"| `{rung}` | {n} |"
        for kind in kinds:
            both = [(r["lens"], r["gpu"]) for r in rows if (r["rung"], r["n"], r["metric"]) == (rung, n, kind)]
            lens, gpu = (int(sum(v[i] for v in both)) for i in (0, 1))
            text += f" {lens} |" if all(a == b for a, b in both) else f" **{lens}, GPU {gpu}** |"
        text += "\n"
    return text


def fill(readme, text):
    old = readme.read_text()
    new = re.sub(r"<!-- figures -->.*<!-- /figures -->", lambda _: "<!-- figures -->\n" + text + "<!-- /figures -->", old, flags=re.S)
    readme.write_text(new)


rungs, opencl = read("h200-rungs-u32.json"), read("h200-bench-opencl.json")
benches = [read("h200-bench-u32.json"), read("h200-bench-f32-u64.json")]
tables = {"reduce": ["kaust-reduction", "kit-reduction"], "scan": ["harris2007-scan", "utcs-scan"]}
for room in ("reduce", "scan"):
    parts = [ladder(room, rungs), beside_cub(room, benches), on_opencl(room, opencl)]
    parts += [published(read(f"h200-table-{t}.json")) for t in tables[room]]
    fill(here.parent / "upsweep" / room / "README.md", "\n".join(parts))
fill(here.parent / "lens" / "README.md", truth(read("h200-lens-truth.json")))
