"""Why to trust it: what repeats bit for bit, how it is checked, the lens beside the hardware, what was fuzzed."""
import glob
import json
import re

from book import table
from contracts import prose
from pages.command import footer

WHOLE = [("Determinism", "trust/determinism.md", "docs/determinism.md"),
         ("Security", "trust/security.md", "SECURITY.md"),
         ("Contributing", "trust/contributing.md", "CONTRIBUTING.md")]


def plan(book):
    for _, page, file in WHOLE:
        book.shows(page, file)


def checks(book, page):
    """Every run of `upsweep check` that is kept."""
    rows = []
    for path in sorted(book.root.glob("results/*check*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        results, p = data["results"], data["provenance"]
        devices = ", ".join(dict.fromkeys(r["description"] for r in results))
        name = f"[{path.stem}]({book.link(page, f'results/{path.name}')})"
        cases, failed = sum(r["cases"] for r in results), sum(r["failed"] for r in results)
        rows.append([name, devices, len(results), f"{cases:,}", failed, f"{p['date'][:10]}, {p['commit'][:7]}"])
    return table(["run", "devices", "variants>", "cases>", "failed>", "date, commit"], rows)


def fuzzers(book):
    """Tests that make their input up, by what they say of themselves."""
    out = ""
    for path in sorted(glob.glob(str(book.root / "tests/cli/fuzz*.py"))):
        said = re.search(r'"""(.*?)(?:: fuzz|""")', open(path, encoding="utf-8").read(), re.S)[1]
        out += f"- {prose(said)}.\n"
    for path in sorted(glob.glob(str(book.root / "tests/**/test_*propert*.cpp"), recursive=True) +
                       glob.glob(str(book.root / "tests/cli/test_mutations.cpp"))):
        words = []
        for line in open(path, encoding="utf-8"):
            if not line.startswith("//"):
                break
            words.append(line[2:].strip())
        out += f"- {prose(' '.join(words))}\n" if words else ""
    return out


def write(book):
    page = "trust/index.md"
    check = next(h for h in book.helps if h.name == "upsweep check")
    out = "# Why trust it\n\n## What repeats bit for bit\n\n"
    out += book.adopted(page, book.read("docs/determinism.md").split("\n\n")[1], "docs/determinism.md")
    out += f"\n\n[All that is promised]({book.link(page, 'docs/determinism.md')}).\n\n"
    keeps = book.shown_section(page, "CONTRIBUTING.md", "What every change keeps").split("\n\n")[0]
    out += f"## What every change keeps\n\n{keeps}\n\n"
    out += f"## How it is checked\n\n{prose(check.about)}.\n\n{footer(check)}"
    out += f"[upsweep check](../command/check.md)\n\n{checks(book, page)}\n"
    out += "## The lens beside the hardware\n\n" + book.shown_section(page, "lens/README.md", "Is it true?")
    out += f"\n\n[Rung by rung]({book.link(page, 'lens/README.md', '#beside-the-hardware')}).\n\n"
    out += "## What is fuzzed\n\n" + fuzzers(book)
    book.write(page, out)
    book.nav.append(("Why trust it", [("Overview", page)] + [(title, shown) for title, shown, _ in WHOLE]))
    for _, shown, file in WHOLE:
        book.show(shown, file)
