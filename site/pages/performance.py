"""Every bench in results/ as tables, the pages that `upsweep report` makes of them, and what was found wrong."""
import os
import subprocess

from book import sections, table
from chart import ratios
from contracts import prose
from figures import newest_with_peers, power, shape, time
from pages.command import footer


def dot(ours, peer):
    said = f"{form_of(ours)}, {power(ours['n'])}: {time(ours['median_s'])}, {peer['who']} {time(peer['median_s'])}"
    return peer["median_s"] / ours["median_s"], said


def chart(book, device):
    """The fastest peer's time over ours, and the runs that it was drawn from; "" where there are none."""
    found = newest_with_peers(book, device)
    if not found:
        return "", []
    groups = []
    for primitive, (_, pairs) in found.items():
        groups.append((primitive, [dot(ours, peer) for ours, peer in pairs]))
    return ratios(groups), list(dict.fromkeys(run for run, _ in found.values()))


def chart_with_source(book, page, device):
    svg, runs = chart(book, device)
    of = "; ".join(f"[{run.told}]({book.link(page, run.file)})" for run in runs)
    lost, won = svg.count('class="lost"'), svg.count('class="won"')
    said = (f"The fastest peer's time over ours, caches cold, by device time. Each dot is a form of the primitive and "
            f"a size; the bar is their median; {lost} of {lost + won} are below 1. From {of}.")
    return f"<figure markdown>\n{svg}<figcaption markdown>{said}</figcaption>\n</figure>\n"


def of_limit(row):
    """How much of what the device could, in the same run."""
    share = row.get("roof_fraction")
    return f"{share:.0%} of {prose(row['roof'])}" if share and share >= 0.01 else ""


def form_of(row):
    words = [row.get("form") or f"{row['primitive']}, {row['type']} {row['op']}"]
    words += [row["input"]] if row.get("input", "uniform") != "uniform" else []
    words += ["operands off alignment"] if row.get("operands") == "shifted" else []
    words += [row["mode"]] if row["mode"] != "kernel" else []
    words += [row["cache"]] if row["cache"] != "cold" else []
    return prose(", ".join(words))


def measured(rows):
    """A line for each form, size and variant of ours; beside what a call runs the peers, with their times over ours."""
    lines = []
    for key in dict.fromkeys(shape(r) for r in rows):
        same = [r for r in rows if shape(r) == key]
        ours = sorted((r for r in same if not r["peer"]), key=lambda r: not r["chosen"])
        peers = [r for r in same if r["peer"] and r.get("stands", True)]
        for at, r in enumerate(ours or peers):
            beside = [f"{p['who']} {time(p['median_s'])} ({p['median_s'] / r['median_s']:.2f})" for p in peers]
            who = r["who"] if r["peer"] else f"`{r['who']}`"
            said = ", ".join(beside) if ours and at == 0 else ""
            lines.append([form_of(r), power(r["n"]), who, time(r["median_s"]), of_limit(r), said])
    return table(["form", "n>", "who", "time>", "of the limit", "peers, and their times over ours"], lines)


def facts(run):
    p = run.data["provenance"]
    out = f"{run.told}. {p['os']}, {p['compiler']}, {p['cuda_compiler']}.\n\n"
    for device in run.data["devices"]:
        limits = [f"{c['name']} {c['rate'] / 1e9:,.0f} GB/s"
                  for c in device.get("ceilings", []) if c["kind"] in ("copy", "read", "write")]
        if limits:
            out += f"What the device could, measured in the same run: {', '.join(limits)}.\n\n"
    return out


def report(book, run):
    """The page of `upsweep report`, or nothing where this build cannot draw it."""
    name = os.path.basename(run.file).removesuffix(".json")
    target = book.out / f"files/reports/{name}.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    words = [book.command, "report", str(book.root / run.file), "-o", str(target), "--title", name]
    drawn = subprocess.run(words, capture_output=True, text=True)
    if drawn.returncode:
        raise RuntimeError(f"upsweep report {run.file}: {drawn.stderr.strip()}")
    return f"../files/reports/{name}.html"


def write_run(book, run):
    name = os.path.basename(run.file).removesuffix(".json")
    page = f"performance/{name}.md"
    out = f"# {name}\n\n{facts(run)}"
    out += f"[Drawn]({report(book, run)}) by `upsweep report`; [the JSON]({book.link(page, run.file)}).\n\n"
    for primitive in dict.fromkeys(r["primitive"] for r in run.rows):
        out += f"## {primitive}\n\n" + measured([r for r in run.rows if r["primitive"] == primitive]) + "\n"
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
    out += "## How to run it\n\n" + prose(bench.about) + ".\n\n" + footer(bench)
    out += "Every option: [upsweep bench](../command/bench.md).\n\n"
    lines = []
    for run, (name, where) in zip(book.benches, pages):
        primitives = ", ".join(dict.fromkeys(r["primitive"] for r in run.rows))
        lines.append([f"[{name}]({os.path.basename(where)})", run.device, run.date[:10], run.commit, primitives])
    out += "## Every run\n\n" + table(["run", "device", "date", "commit", "primitives"], lines)
    out += "\n## What was found wanting\n\n" + found_wanting(book, page)
    book.write(page, out)
    book.nav.append(("Performance", [("Beside others", page), ("Runs", pages)]))
