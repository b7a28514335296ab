"""Every benchmark run in results/ as tables, with the page of `upsweep report` for it, and the corrections of earlier figures."""
import os
import subprocess

from book import sections, table
from chart import ratios
from contracts import prose
from figures import newest_with_peers, power, shape, time
from pages.command import footer

# Headings of the algorithms' READMEs.
CORRECTED = ("found wanting", "found wrong", "with faults")
# The order of the chart; the others follow by name.
FIRST = ["reduce", "scan", "sort", "select", "histogram", "convolve"]
OPEN_WORK = ("What remains", "Open work", "Not done")


def dot(ours, peer):
    label = f"{form_of(ours)}, {power(ours['n'])}: {time(ours['median_s'])}, {peer['who']} {time(peer['median_s'])}"
    return peer["median_s"] / ours["median_s"], label


def library_of(row):
    """The library of a peer: CUB for cub-3.6-merge-sort."""
    name = row["who"].split("-")[0]
    return {"cub": "CUB", "npp": "NPP", "thrust": "Thrust", "cudnn": "cuDNN", "cufft": "cuFFT"}.get(name, name)


def versions_of(rows):
    return ", ".join(sorted({r["version"] for r in rows if r.get("version")}))


def chart(book, device):
    """The chart of the fastest peer's time divided by ours, and its runs; "" if no run has peers."""
    found = newest_with_peers(book, device)
    if not found:
        return "", []
    groups = []
    order = [name for name in FIRST if name in found] + sorted(set(found) - set(FIRST))
    for primitive in order:
        pairs = found[primitive][1]
        peers = ", ".join(dict.fromkeys(library_of(peer) for _, peer in pairs))
        groups.append((primitive, peers, [dot(ours, peer) for ours, peer in pairs]))
    return ratios(groups), list(dict.fromkeys(run for run, _ in found.values()))


def when(run):
    return f"{run.date[:10]}, commit {run.commit}"


def chart_with_source(book, page, device):
    svg, runs = chart(book, device)
    peers = [peer for _, pairs in newest_with_peers(book, device).values() for _, peer in pairs]
    of = "; ".join(f"{key} (" + ", ".join(f"[{r.name}]({book.link(page, r.file)})" for r in runs if when(r) == key) + ")"
                   for key in dict.fromkeys(when(run) for run in runs))
    lost, won = svg.count('class="lost"'), svg.count('class="won"')
    caption = (f"The peer's time divided by ours on one {device}: device time, cold caches. The peer is the fastest of the libraries "
               f"under each name ({versions_of(peers)}). Each dot is one form and size, and the bar is their median. {lost} of "
               f"{lost + won} are below 1. Top-k is not shown: its peer would be CUB's DeviceTopK, which no run has measured. Runs: {of}.")
    return f"<figure markdown>\n{svg}<figcaption markdown>{caption}</figcaption>\n</figure>\n"


def of_limit(row):
    """The fraction of the device's limit that the same run measured."""
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
    """A row for each form, size and variant of ours. The row of the variant that a call chooses also lists the peers."""
    lines = []
    for key in dict.fromkeys(shape(r) for r in rows):
        same = [r for r in rows if shape(r) == key]
        ours = sorted((r for r in same if not r["peer"]), key=lambda r: not r["chosen"])
        peers = [r for r in same if r["peer"] and r.get("stands", True)]
        for at, r in enumerate(ours or peers):
            ratios_of_peers = [f"{p['who']} {time(p['median_s'])} ({p['median_s'] / r['median_s']:.2f})" for p in peers]
            who = r["who"] if r["peer"] else f"`{r['who']}`"
            peers_cell = ", ".join(ratios_of_peers) if ours and at == 0 else ""
            lines.append([form_of(r), power(r["n"]), who, time(r["median_s"]), of_limit(r), peers_cell])
    return table(["form", "n>", "who", "time>", "of the limit", "peers, and their times divided by ours"], lines)


def facts(run):
    p = run.data["provenance"]
    out = f"{run.label}. {p['os']}, {p['compiler']}, {p['cuda_compiler']}.\n\n"
    for device in run.data["devices"]:
        limits = [f"{c['name']} {c['rate'] / 1e9:,.0f} GB/s"
                  for c in device.get("ceilings", []) if c["kind"] in ("copy", "read", "write")]
        if limits:
            out += f"Limits of the device, measured in the same run: {', '.join(limits)}.\n\n"
    return out


def whole(book, run):
    """Copies the whole JSON of the run, as the command wrote it, to the files of the site."""
    file = book.out / f"files/runs/{run.name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(run.raw())
    return file


def report(book, run, file):
    """Writes the page of `upsweep report` and returns its link."""
    target = book.out / f"files/reports/{run.name}.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    words = [book.command, "report", str(file), "-o", str(target), "--title", run.name]
    drawn = subprocess.run(words, capture_output=True, text=True)
    if drawn.returncode:
        raise RuntimeError(f"upsweep report {run.name}: {drawn.stderr.strip()}")
    return f"../files/reports/{run.name}.html"


def write_run(book, run):
    name, file = run.name, whole(book, run)
    page = f"performance/{name}.md"
    out = f"# {name}\n\n{facts(run)}"
    out += f"[Charts]({report(book, run, file)}) by `upsweep report`; [JSON](../files/runs/{file.name}).\n\n"
    for primitive in dict.fromkeys(r["primitive"] for r in run.rows):
        out += f"## {primitive}\n\n" + measured([r for r in run.rows if r["primitive"] == primitive]) + "\n"
    book.write(page, out)
    return name, page


def corrections(book, page):
    """The sections of the algorithms' READMEs about wrong figures, and links to those about open work."""
    out, remains = "", []
    for algorithm in book.algorithms:
        file = f"upsweep/{algorithm}/README.md"
        for _, heading, text in sections(book.read(file)):
            if any(words in heading for words in CORRECTED):
                out += f"### {algorithm}: {heading}\n\n{book.adopted(page, text, file)}\n\n"
            if heading in OPEN_WORK:
                anchor = "#" + heading.lower().replace(" ", "-")
                remains.append(f"[{algorithm}]({book.link(page, file, anchor)})")
    return out + f"Open work of each algorithm: {', '.join(dict.fromkeys(remains))}.\n"


def write(book):
    page = "performance/index.md"
    pages = [write_run(book, run) for run in book.benches]
    bench = next(h for h in book.helps if h.name == "upsweep bench")
    out = "# Performance\n\n## Compared with other libraries\n\n" + chart_with_source(book, page, "H200") + "\n"
    out += "## How to run it\n\n" + prose(bench.about) + ".\n\n" + footer(bench)
    out += "Every option: [upsweep bench](../command/bench.md).\n\n"
    lines = []
    for run, (name, where) in zip(book.benches, pages):
        primitives = ", ".join(dict.fromkeys(r["primitive"] for r in run.rows))
        lines.append([f"[{name}]({os.path.basename(where)})", run.device, run.date[:10], run.commit, primitives])
    out += "## Every run\n\n" + table(["run", "device", "date", "commit", "primitives"], lines)
    out += "\n## Corrections\n\n" + corrections(book, page)
    book.write(page, out)
    book.nav.append(("Performance", [("Other libraries", page), ("Runs", pages)]))
