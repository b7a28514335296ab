"""A page for each room: its story, and its rungs in teaching order, each with its source, its counts and its time."""
import json
import os
import re
import subprocess
import textwrap

from book import LANGUAGES, fence, table
from contracts import prose
from figures import newest_time, power, time
from pages import exercises, lens_here

DEVICE = "H200"
# Small enough that all rungs together take seconds, large enough for several blocks; of a square of work fewer.
LENS_N, LENS_N_OF_SQUARES = 4096, 1024
SAID = """Each rung says what is wrong with it, and which one mends that; its source is what runs, on a GPU and under
the lens. Rooms without rungs tell how the library's own came to be what it is."""
FIELD = re.compile(r"^(Mended by|[A-Z]\w+(?: \w+)?(?= {2})) +(\S.*)$")


def page_of(room):
    return f"ladder/{room.replace('_', '-')}.md"


def anchor_of(variant):
    return variant.split("/")[1]


def sources_of(book, room):
    """{(variant, backend): file} by the first line of each file, which is the rung's name."""
    found = {}
    for path in sorted((book.root / "upsweep" / room / "textbook").glob("*")):
        if path.suffix in (".cuh", ".cl"):
            first = path.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("// ").strip()
            if re.fullmatch(r"[a-z0-9-]+/[a-z0-9-]+", first):
                found[first, "opencl" if path.suffix == ".cl" else "cuda"] = str(path.relative_to(book.root))
    return found


def rungs_of_lens(program):
    listed = subprocess.run([program, "lens", "--list"], capture_output=True, text=True).stdout
    return set(re.findall(r"^ *([a-z0-9-]+/[a-z0-9-]+)\b", listed, re.M))


def plan(book):
    book.rooms = sorted(p.parent.name for p in (book.root / "upsweep").glob("*/README.md"))
    book.sources = {}
    for room in book.rooms:
        book.shows(page_of(room), f"upsweep/{room}/README.md", f"upsweep/{room}")
    # A room without a story may have a rung. Where a build lists no rungs (no CUDA, no lens), their sources are shown alone.
    listed = {v["name"] for v in book.catalog if v["kind"] == "textbook"}
    for folder in sorted(p.parent.name for p in (book.root / "upsweep").glob("*/textbook")):
        sources = sources_of(book, folder)
        book.sources[folder] = sources
        for (variant, backend), file in sources.items():
            if backend == "cuda" and variant in listed:
                book.shows(f"{page_of(folder)}#{anchor_of(variant)}", file)
    book.shows("ladder/lens.md", "lens/README.md", "lens")


def told_of(text):
    """A rung's own words: the fields at its top, and the code below them."""
    lines, rows, at = text.split("\n"), [], 1
    while at < len(lines) and lines[at].startswith("//"):
        line = lines[at][3:]
        field = FIELD.match(line)
        if field:
            rows.append([field[1], field[2]])
        elif rows and line.strip():
            rows[-1][1] += " " + line.strip()
        at += 1
    return rows


def linked(book, page, text):
    """Names of rungs as links to them."""
    def to(match):
        for sources in book.sources.values():
            if (match[0], "cuda") in sources:
                return f"[`{match[0]}`]({book.link(page, sources[match[0], 'cuda'])})"
        return match[0]
    return re.sub(r"\b[a-z-]+/[a-z0-9]+(?:-[a-z0-9]+)*\b", to, prose(text))


def counted(book, variant):
    """What the lens counts in a rung's run, or nothing where it does not run it."""
    if variant not in book.lens_runs:
        return None
    square = any(v["name"] == variant and re.search(r"n²|n\^2|n\(n", v["work"]) for v in book.catalog)
    words = [book.command, "lens", variant, "--n", str(LENS_N_OF_SQUARES if square else LENS_N), "--json", "-"]
    asked = subprocess.run(words, capture_output=True, text=True)
    return json.loads(asked.stdout)["result"] if asked.stdout.startswith("{") else None


def over_ideal(events, space, what):
    """How many sectors or wavefronts there were, and in brackets how few would do."""
    mine = [e for name, e in events.items() if name.startswith(space) and what in e]
    n, ideal = sum(e[what] for e in mine), sum(e["ideal_" + what] for e in mine)
    return f"{n:,}" + (f" ({ideal:,})" if ideal < n else "") if n else ""


def side_by_side(book, page, names):
    """A line a rung: what the lens counts, and what an H200 takes."""
    lines, runs = [], []
    for name in names:
        result, found = counted(book, name), newest_time(book, name, DEVICE, "cuda")
        cells = [""] * 8
        if result:
            t = result["total"]
            events = t.get("events", {})
            cells = [f"{t[k]:,}" for k in ("work", "span", "launches", "instructions", "divergent")]
            cells += [over_ideal(events, "global", "sectors"), over_ideal(events, "shared", "wavefronts")]
            cells.append(f"{t['block_barriers']:,}")
        if found:
            runs.append(found[0])
        cells.insert(0, f"{time(found[1]['median_s'])}, {power(found[1]['n'])}" if found else "")
        if any(cells):
            fewer = f", n = {result['n']:,}" if result and result["n"] != LENS_N else ""
            lines.append([f"[{anchor_of(name)}](#{anchor_of(name)}){fewer}", *cells])
    if not lines:
        return ""
    out = table(["rung", f"{DEVICE}>", "work>", "span>", "launches>", "warp instructions>", "diverged>",
                 "global sectors (ideal)>", "shared wavefronts (ideal)>", "block barriers>"], lines)
    out += f"\nCounted by [the lens]({book.link(page, 'lens/README.md')}) at n = {LENS_N:,}"
    of = "; ".join(f"[{run.told}]({book.link(page, run.file)})" for run in dict.fromkeys(runs))
    return out + (f"; times, caches cold, of {of}" if of else "") + ".\n\n"


def measured(book, page, variant):
    found = newest_time(book, variant, DEVICE, "cuda")
    if not found:
        return ""
    run, row = found
    limit = f", {row['roof_fraction']:.1%} of what the device could {row['roof']}" if row.get("roof_fraction") else ""
    return (f"On an {DEVICE}: {time(row['median_s'])} for {power(row['n'])} elements ({row['type']}{limit}; "
            f"[{run.date[:10]}, commit {run.commit}]({book.link(page, run.file)})).\n\n")


def rung(book, page, room, variants):
    """One name, which may run on several backends."""
    v = next((v for v in variants if v["backend"] == "cuda"), variants[0])
    name = v["name"]
    out = f"### {anchor_of(name)} {{ #{anchor_of(name)} }}\n\n{prose(v['teaches'])}\n\n"
    files = [book.sources[room][name, b] for b in ("cuda", "opencl") if (name, b) in book.sources[room]]
    rows = told_of(book.read(files[0])) if files else []
    rows = [row for row in rows if row[0] != "Teaches"] or [["Source", f"{v['source']}, {v['year']}"]]
    rows.append(["Moved", f"{v['traffic']} elements. Launches {v['launches']}."])
    out += "| | |\n| --- | --- |\n" + "".join(f"| **{a}** | {linked(book, page, b)} |\n" for a, b in rows) + "\n"
    out += measured(book, page, name)
    for file in files:
        code = fence(book.read(file), LANGUAGES[os.path.splitext(file)[1]])
        out += f'??? note "{os.path.basename(file)}"\n\n{textwrap.indent(code, "    ")}\n'
    if name in book.lens_runs:
        out += fence(f"upsweep lens {name} --html steps.html     # its steps, one by one, on an emulated GPU", "sh")
        out += "\n"
    return out


def rungs(book, page, room):
    mine = [v for v in book.catalog if v["kind"] == "textbook" and book.room_of(v["name"]) == room]
    out = ""
    for name in dict.fromkeys(v["name"] for v in mine):
        out += rung(book, page, room, [v for v in mine if v["name"] == name])
    names = list(dict.fromkeys(v["name"] for v in mine))
    return "## The rungs, in teaching order\n\n" + side_by_side(book, page, names) + out if out else ""


def write(book):
    pages = []
    for room in sorted({*book.rooms, *(r for r in book.sources if book.sources[r])}):
        page, readme = page_of(room), f"upsweep/{room}/README.md"
        story = book.adopted(page, book.read(readme), readme) if room in book.rooms else f"# {room.replace('_', '-')}\n"
        below = rungs(book, page, room)
        book.write(page, story + "\n\n" + below)
        pages.append((room.replace("_", "-"), page, below.count("\n### ")))
    book.show("ladder/lens.md", "lens/README.md")
    pages.sort(key=lambda p: (p[2] == 0, p[0]))
    rows = [(f"[{name}]({page.removeprefix('ladder/')})", n or "") for name, page, n in pages]
    book.write("ladder/index.md", f"# The ladder\n\n{SAID}\n\n" + table(["room", "rungs>"], rows))
    nav = [("Rooms", "ladder/index.md")] + [(name, page) for name, page, _ in pages]
    nav += [("The lens", "ladder/lens.md"), ("The lens here", lens_here.PAGE), ("Exercises", exercises.PAGE)]
    book.nav.append(("The ladder", nav))
