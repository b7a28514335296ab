"""Every bench in results/ as tables, the pages that `upsweep report` makes of them, and what was found wrong."""
import os
import subprocess

from book import fence, sections
from chart import ratios
from contracts import prose
from figures import newest_with_peers, power, shape, time


def chart(book, device):
    """The fastest peer's time over ours, and the runs that it was drawn from; "" where there are none."""
    found = newest_with_peers(book, device)
    if not found:
        return "", []
    groups = []
    for primitive, (_, pairs) in found.items():
        dots = [(peer["median_s"] / ours["median_s"],
                 f"{ours['form']}, {power(ours['n'])}: {time(ours['median_s'])}, {peer['who']} {time(peer['median_s'])}") for ours, peer in pairs]
        groups.append((primitive, dots))
    return ratios(groups), list(dict.fromkeys(run for run, _ in found.values()))


def chart_with_source(book, page, device):
    svg, runs = chart(book, device)
    of = "; ".join(f"[{run.told}]({book.link(page, run.file)})" for run in runs)
    lost, won = svg.count('class="lost"'), svg.count('class="won"')
    return (f'<figure markdown>\n{svg}<figcaption markdown>The fastest peer\'s time over ours, caches cold, by device time. Each dot is a form of the '
            f"primitive and a size; the bar is their median; {lost} of {lost + won} are below 1. "
            f"From {of}.</figcaption>\n</figure>\n")


def rate(row):
    if row.get("roof_fraction"):
        return f"{row['roof_fraction']:.0%} of {prose(row['roof'])}"
    return ""


def table(rows):
    """A line for each who, form and size; of a peer's its time over ours."""
    out = "| form | n | who | time | | peer / ours |\n| --- | ---: | --- | ---: | --- | ---: |\n"
    for key in dict.fromkeys(shape(r) for r in rows):
        same = sorted((r for r in rows if shape(r) == key), key=lambda r: (r["peer"], not r["chosen"]))
        ours = next((r for r in same if not r["peer"]), None)
        for r in same:
            form = r.get("form") or f"{r['primitive']}, {r['type']} {r['op']}"
            if r.get("input", "uniform") != "uniform":
                form += f", {r['input']}"
            notes = ", ".join(w for w, said in ((r["mode"], r["mode"] != "kernel"), (r["cache"], r["cache"] != "cold")) if said)
            over = f"{r['median_s'] / ours['median_s']:.2f}" if r["peer"] and ours else ""
            who = r["who"] if r["peer"] else f"`{r['who']}`"
            out += f"| {prose(form)}{f' ({notes})' if notes else ''} | {power(r['n'])} | {who} | {time(r['median_s'])} | {rate(r)} | {over} |\n"
    return out


def facts(run):
    p = run.data["provenance"]
    out = f"{run.told}. {p['os']}, {p['compiler']}, {p['cuda_compiler']}.\n\n"
    for device in run.data["devices"]:
        limits = [f"{c['name']} {c['rate'] / 1e9:,.0f} GB/s" for c in device.get("ceilings", []) if c["kind"] in ("copy", "read", "write")]
        if limits:
            out += f"What the device could, measured in the same run: {', '.join(limits)}.\n\n"
    return out


def report(book, run):
    """The page of `upsweep report`, or nothing where this build cannot draw it."""
    name = os.path.basename(run.file).removesuffix(".json")
    target = book.out / f"files/reports/{name}.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    drawn = subprocess.run([book.command, "report", str(book.root / run.file), "-o", str(target), "--title", name], capture_output=True, text=True)
    if drawn.returncode:
        raise RuntimeError(f"upsweep report {run.file}: {drawn.stderr.strip()}")
    return f"../files/reports/{name}.html"


def write_run(book, run):
    name = os.path.basename(run.file).removesuffix(".json")
    page = f"performance/{name}.md"
    out = f"# {name}\n\n{facts(run)}[Drawn]({report(book, run)}) by `upsweep report`; [the JSON]({book.link(page, run.file)}).\n\n"
    for primitive in dict.fromkeys(r["primitive"] for r in run.rows):
        out += f"## {primitive}\n\n" + table([r for r in run.rows if r["primitive"] == primitive]) + "\n"
    book.write(page, out)
    return name, page


def found_wanting(book, page):
    """What the rooms tell of figures that did not hold, and of what is still missing."""
    out, remains = "", []
    for room in book.rooms:
        file = f"upsweep/{room}/README.md"
        for _, heading, text in sections(book.read(file)):
            if "found wanting" in heading:
                out += f"### {room}: {heading}\n\n{book.adopted(page, text, file)}\n\n"
            if heading == "What remains":
                remains.append(f"[{room}]({book.link(page, file, '#what-remains')})")
    return out + f"What each room still lacks: {', '.join(dict.fromkeys(remains))}.\n"


def write(book):
    page = "performance/index.md"
    pages = [write_run(book, run) for run in book.benches]
    bench = next(h for h in book.helps if h.name == "upsweep bench")
    out = "# Performance\n\n## Beside what others made\n\n" + chart_with_source(book, page, "H200") + "\n"
    out += "## How to run it\n\n" + prose(bench.about) + "\n\n"
    for kind, lines in bench.parts():
        out += fence("\n".join(line[2:] for line in lines), "sh") + "\n" if kind == "code" else ""
    out += "Every option: [upsweep bench](../command/bench.md). The tables of published figures: `upsweep bench --table`.\n\n"
    out += "## Every run\n\n| run | device | date | commit | primitives |\n| --- | --- | --- | --- | --- |\n"
    for run, (name, where) in zip(book.benches, pages):
        out += (f"| [{name}]({os.path.basename(where)}) | {run.device} | {run.date[:10]} | {run.commit} | "
                f"{', '.join(dict.fromkeys(r['primitive'] for r in run.rows))} |\n")
    out += "\n## What was found wanting\n\n" + found_wanting(book, page)
    book.write(page, out)
    book.nav.append(("Performance", [("Beside others", page), ("Runs", pages)]))
