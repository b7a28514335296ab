"""Why to trust it: what repeats bit for bit, how it is checked, the lens beside the hardware, what was fuzzed."""
import glob
import json
import re

from contracts import prose


def plan(book):
    book.shows("trust/determinism.md", "docs/determinism.md")
    book.shows("trust/contributing.md", "CONTRIBUTING.md")


def checks(book, page):
    """Every run of `upsweep check` that is kept."""
    out = "| run | devices | variants | cases | failed | date, commit |\n| --- | --- | ---: | ---: | ---: | --- |\n"
    for path in sorted(book.root.glob("results/*check*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        results, p = data["results"], data["provenance"]
        devices = ", ".join(dict.fromkeys(r["description"] for r in results))
        file = f"results/{path.name}"
        out += (f"| [{path.stem}]({book.link(page, file)}) | {devices} | {len(results)} | {sum(r['cases'] for r in results):,} | "
                f"{sum(r['failed'] for r in results)} | {p['date'][:10]}, {p['commit'][:7]} |\n")
    return out


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
    said = " ".join(prose(" ".join(lines)) for kind, lines in check.parts() if kind == "text" and not lines[0].startswith("Exit"))
    out = "# Why trust it\n\n## What repeats bit for bit\n\n"
    out += book.adopted(page, book.read("docs/determinism.md").split("\n\n")[1], "docs/determinism.md")
    out += f"\n\n[All that is promised]({book.link(page, 'docs/determinism.md')}).\n\n"
    out += "## What every change keeps\n\n" + book.adopted(page, book.section("CONTRIBUTING.md", "What every change keeps").split("\n\n")[0], "CONTRIBUTING.md")
    out += f"\n\n## How it is checked\n\n{prose(check.about)}. {said}\n\n[upsweep check](../command/check.md)\n\n{checks(book, page)}\n"
    out += "## The lens beside the hardware\n\n" + book.adopted(page, book.section("lens/README.md", "Is it true?"), "lens/README.md")
    out += f"\n\n[Rung by rung]({book.link(page, 'lens/README.md', '#beside-the-hardware')}).\n\n"
    out += "## What is fuzzed\n\n" + fuzzers(book)
    book.write(page, out)
    book.write("trust/determinism.md", book.adopted("trust/determinism.md", book.read("docs/determinism.md"), "docs/determinism.md"))
    book.write("trust/contributing.md", book.adopted("trust/contributing.md", book.read("CONTRIBUTING.md"), "CONTRIBUTING.md"))
    book.nav.append(("Why trust it", [("Overview", page), ("Determinism", "trust/determinism.md"), ("Contributing", "trust/contributing.md")]))
