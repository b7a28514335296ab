"""The ladders: for each algorithm a page with its steps in teaching order, a page for each step, and a page with its figures and
its tuning history. The steps come from the sources of the textbook variants and from the lens, so no GPU is needed."""
import json
import os
import re
import subprocess
import textwrap

from book import LANGUAGES, WIDE, fence, table
from contracts import prose
from figures import newest_time, power, time
from pages import lens_here
from textbook import header_fields, host_code, kernels, variants
from plain_program import program_of

DEVICE = "H200"
# All variants together take seconds, and each runs several blocks. Variants with O(n²) work get fewer elements.
LENS_N, LENS_N_OF_SQUARES = 4096, 1024
# The algorithms with a ladder, in learning order, with a sentence each.
ORDER = {
    "vector_add": "One thread per element. The threads do not depend on each other.",
    "reduce": "All threads contribute to one value: trees, divergence, bank conflicts, barriers, warps.",
    "scan": "Every element needs the sum of all before it: depth against work, padding, one pass over memory.",
    "select": "Keep the elements that pass a test: a scan says where each one goes.",
    "histogram": "Many threads add to the same counter: atomics, and private copies that avoid the contention.",
    "sort": "Networks, merges and radix sorts. The radix sorts are built from scans.",
    "summed_area_table": "Scans in two directions: rows are fast, columns are not, and a transpose fixes it.",
    "convolve": "Neighbouring results share inputs: constant memory, tiles in shared memory, registers.",
    "nbody": "Every body acts on every other body: tiles and registers let several threads use each loaded body.",
}
ABOUT = """A ladder is a sequence of variants of one algorithm. Each step is a complete kernel that gives the right result. Each has a
weakness, which the next step fixes. The sources are the code that runs on a GPU, in the tests and in the lens."""


def name_of(algorithm):
    return algorithm.replace("_", "-")


def page_of(algorithm):
    return f"ladder/{name_of(algorithm)}.md"


def notes_of(algorithm):
    return f"ladder/{name_of(algorithm)}/notes.md"


def page_of_step(variant):
    return f"ladder/{name_of(variant.algorithm)}/{variant.step}.md"


def variants_of_lens(program):
    """The names of the variants that the lens of the command has, in teaching order."""
    listed = subprocess.run([program, "lens", "--list"], capture_output=True, text=True).stdout
    return re.findall(r"^ *([a-z0-9-]+/[a-z0-9-]+)\b", listed, re.M)


def plan(book):
    root = book.root
    book.algorithms = sorted(p.parent.name for p in (root / "upsweep").glob("*/README.md"))
    book.textbook = variants(root, book.lens_order)
    book.lens_order = [name for name in book.lens_order if name in book.textbook]
    book.counts = {}
    for algorithm in {*book.algorithms, *(v.algorithm for v in book.textbook.values())}:
        notes = f"upsweep/{algorithm}/README.md"
        if algorithm in book.algorithms:
            book.shows(notes_of(algorithm), notes, f"upsweep/{algorithm}")
    for variant in book.textbook.values():
        book.shows(page_of_step(variant), variant.file)
    book.shows("learn/lens.md", "lens/README.md", "lens")


def steps_of(book, algorithm):
    return [v for v in book.textbook.values() if v.algorithm == algorithm]


def linked(book, page, text):
    """Replaces names of textbook variants and short names of sources by links."""
    def to(match):
        variant = book.textbook.get(match[0])
        return f"[{match[0]}]({book.link(page, variant.file)})" if variant else match[0]
    return re.sub(r"\b[a-z-]+/[a-z0-9]+(?:-[a-z0-9]+)*\b", to, prose(text))


def cited(page, text):
    to = os.path.relpath("learn/sources.md", os.path.dirname(page))

    def link(match):
        return f"[{match[0]}]({to}#{'utcs' if match[0] == 'course report' else match[0]})"
    return re.sub(r"\b(article|harris2007|kaust|kit|utcs|course report)\b", link, text)


def sentence(text):
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def counted(book, variant):
    """The counts of the lens for a run of the variant; None if the lens does not have it."""
    if variant.name not in book.counts:
        result = None
        if variant.name in book.lens_order:
            square = re.search(r"n²|n\^2|n\(n", variant.says.get("work", "") + variant.fields.get("Work", "")[:60])
            words = [book.command, "lens", variant.name, "--n", str(LENS_N_OF_SQUARES if square else LENS_N), "--json", "-"]
            done = subprocess.run(words, capture_output=True, text=True)
            result = json.loads(done.stdout)["result"] if done.stdout.startswith("{") else None
        book.counts[variant.name] = result
    return book.counts[variant.name]


def over_ideal(events, space, what):
    """The number of sectors or wavefronts, with the ideal number in brackets if it is less."""
    mine = [e for name, e in events.items() if name.startswith(space) and what in e]
    n, ideal = sum(e[what] for e in mine), sum(e["ideal_" + what] for e in mine)
    return f"{n:,}" + (f" ({ideal:,})" if ideal < n else "") if n else ""


def side_by_side(book, page, shown, own=None):
    """A table with a row for each variant: counts of the lens, and the time on a GPU with the share of its limit."""
    lines, runs = [], []
    for variant in shown:
        result, found = counted(book, variant), newest_time(book, variant.name, DEVICE, "cuda")
        cells = [""] * 9
        if found:
            runs.append(found[0])
            row = found[1]
            cells[:2] = [f"{time(row['median_s'])}, {power(row['n'])}", f"{row['roof_fraction']:.0%}" if row.get("roof_fraction") else ""]
        if result:
            t = result["total"]
            events = t.get("events", {})
            cells[2:] = [f"{t[k]:,}" for k in ("work", "span", "instructions", "divergent")]
            cells += [over_ideal(events, "global", "sectors"), over_ideal(events, "shared", "wavefronts"), f"{t['block_barriers']:,}"]
        if any(cells):
            fewer = f", n = {result['n']:,}" if result and result["n"] != LENS_N else ""
            name = f"**{variant.step}**" if variant is own else f"[{variant.step}]({book.link(page, variant.file)})"
            lines.append([name + fewer, *cells])
    if not lines:
        return ""
    out = table(["step", f"{DEVICE}>", "of the limit>", "work>", "span>", "warp instructions>", "diverged>",
                 "global sectors (ideal)>", "shared wavefronts (ideal)>", "block barriers>"], lines)
    out += f"\nCounts: [the lens]({book.link(page, 'lens/README.md')}), n = {LENS_N:,}"
    of = "; ".join(f"[{run.date[:10]}, commit {run.commit}]({book.link(page, run.file)})" for run in dict.fromkeys(runs))
    return out + (f". Times: one {DEVICE}, cold caches, device time; {of}" if of else "") + ".\n\n"


def code_of(book, page, file):
    """Writes a page with a whole source and returns its link."""
    source = f"source/{file}.md"
    if source not in book.written:
        book.write(source, f"{WIDE}# {file}\n\n" + fence(book.read(file), LANGUAGES[os.path.splitext(file)[1]]))
    return os.path.relpath(source, os.path.dirname(page))


def helper_of(book, variant):
    """The header of the same folder that the variant includes for its loop on the host, if any."""
    for file in re.findall(r'#include "(upsweep/\w+/textbook/\w+\.cuh)"', variant.text):
        if (book.root / file).exists():
            return file
    return None


def write_step(book, variant, before, after):
    page = page_of_step(variant)
    out = f"{WIDE}# {variant.name}\n\n{sentence(linked(book, page, variant.fields.get('Teaches', variant.teaches)))}\n\n"
    play = ""
    if variant.name in book.lens_order or book.lens_built:
        play = f"[▶ Play it]({lens_here.play_link(page, variant.name)}){{ .md-button .md-button--primary }} "
    for word, other in (("Before:", before), ("Next:", after)):
        if other:
            play += f"[{word} {other.step}]({book.link(page, other.file)}){{ .md-button }} "
    out += play + "\n\n"
    out += "## The kernel\n\n" + fence(kernels(variant.text), "cpp") + "\n"
    weakness = variant.fields.get("Wrong")
    if weakness:
        out += f"## Its weakness\n\n{sentence(linked(book, page, weakness))}\n\n"
    if variant.fields.get("Fixed by"):
        out += f"**Fixed by** {linked(book, page, variant.fields['Fixed by'])}\n\n"
    near = [v for v in (before, variant, after) if v]
    counts = side_by_side(book, page, near, variant)
    out += "## Counts and time\n\n" + counts if counts else ""
    program = program_of(variant)
    if program:
        out += ("## A program to copy\n\nThe same kernel for `float` and +, without templates, with a `main`. Compile it with nvcc, or run "
                f"it with `upsweep lens {variant.step}.cu`.\n\n" + fence(program, "cpp", f"{variant.step}.cu") + "\n")
    host = host_code(variant.text)
    if host:
        out += "## The launch\n\nThe library starts the kernel with this code.\n\n" + fence(host, "cpp") + "\n"
        helper = helper_of(book, variant)
        if helper:
            out += f"The rest of the host's code, which several steps share: [{os.path.basename(helper)}]({code_of(book, page, helper)}).\n\n"
    rows = [[f"**{name}**", cited(page, linked(book, page, text)) if name == "Source" else linked(book, page, text)]
            for name, text in variant.fields.items() if name not in ("Teaches", "Wrong", "Fixed by")]
    if variant.says.get("traffic"):
        rows.append(["**Moved**", prose(variant.says["traffic"]) + " (elements)"])
    out += "## Facts\n\n| | |\n| --- | --- |\n" + "".join(f"| {a} | {b} |\n" for a, b in rows) + "\n"
    if variant.opencl:
        code = fence(book.read(variant.opencl), LANGUAGES[".cl"])
        out += f'??? note "This step in OpenCL: {os.path.basename(variant.opencl)}"\n\n{textwrap.indent(code, "    ")}\n'
    out += f"[The whole source]({code_of(book, page, variant.file)})\n"
    book.write(page, out)


def others_of(book, algorithm, shown):
    """A table of textbook variants without a CUDA source: loops on a CPU."""
    mine = [v for v in book.catalog if v["kind"] == "textbook" and book.algorithm_of(v["name"]) == algorithm and v["name"] not in shown]
    if not mine:
        return ""
    rows = [[f"`{v['name']}`", v["backend"], prose(v["teaches"])] for v in mine]
    return "## Reference variants\n\nThe tests compare with these.\n\n" + table(["variant", "device", ""], rows) + "\n"


def write_ladder(book, algorithm):
    page, steps = page_of(algorithm), steps_of(book, algorithm)
    out = f"{WIDE}# The ladder of {name_of(algorithm)}\n\n{ORDER.get(algorithm, '')}\n\n"
    play = bool(book.lens_order or book.lens_built)
    rows = []
    for number, step in enumerate(steps, 1):
        name = f"[{step.step}]({book.link(page, step.file)})"
        rows.append([number, name, sentence(prose(step.teaches)), f"[▶ play]({lens_here.play_link(page, step.name)})" if play else ""])
    out += table(["", "step", "", ""], rows) + "\n"
    out += "## Counts and times\n\n" + side_by_side(book, page, steps)
    out += others_of(book, algorithm, {s.name for s in steps})
    if algorithm in book.algorithms:
        out += f"[Figures and tuning history]({os.path.relpath(notes_of(algorithm), 'ladder')})\n"
    book.write(page, out)
    for before, step, after in zip([None, *steps], steps, [*steps[1:], None]):
        write_step(book, step, before, after)


def write_notes(book, algorithm):
    page, readme = notes_of(algorithm), f"upsweep/{algorithm}/README.md"
    text = book.adopted(page, book.read(readme), readme)
    out = re.sub(r"\A# .*\n", f"# {name_of(algorithm)}: figures and tuning history\n", text)
    if not steps_of(book, algorithm):
        out += "\n" + others_of(book, algorithm, set())
    book.write(page, out)


def write(book):
    ladders = [a for a in ORDER if steps_of(book, a)]
    ladders += sorted({v.algorithm for v in book.textbook.values()} - set(ladders))
    for algorithm in ladders:
        write_ladder(book, algorithm)
    for algorithm in book.algorithms:
        write_notes(book, algorithm)
    book.show("learn/lens.md", "lens/README.md")
    rows = [[f"[{name_of(a)}]({name_of(a)}.md)", ORDER.get(a, ""), len(steps_of(book, a))] for a in ladders]
    text = f"# The ladders\n\n{ABOUT}\n\n" + table(["algorithm", "", "steps>"], rows)
    notes = [f"[{name_of(a)}]({name_of(a)}/notes.md)" for a in book.algorithms]
    text += "\n## Figures and tuning history\n\nOf every algorithm of the library: " + ", ".join(notes) + ".\n"
    book.write("ladder/index.md", text)
    book.ladders = [(name_of(a), [(f"The ladder of {name_of(a)}", page_of(a))] +
                     [(s.step, page_of_step(s)) for s in steps_of(book, a)]) for a in ladders]
    book.notes = [(name_of(a), notes_of(a)) for a in book.algorithms]
