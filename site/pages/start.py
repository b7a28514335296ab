"""The first page: what it is, the fastest way to a result, and how fast it is."""
import re

from book import fence, sections
from pages.performance import chart_with_source


def plan(book):
    book.shows("index.md", "README.md")
    book.shows("changes.md", "CHANGELOG.md")


def blocks(text):
    return re.findall(r"```(\w*)\n(.*?)```", text, re.S)


def tab(title, *parts):
    inside = "\n\n".join(part.strip("\n") for part in parts)
    return f'=== "{title}"\n\n' + "".join(f"    {line}\n" if line else "\n" for line in inside.split("\n")) + "\n"


def write(book):
    page = "index.md"
    top = sections(book.read("README.md"))[1][2]
    said = top.split("\n\n")[0]
    begin = next(code for language, code in blocks(top))
    first = next(code for language, code in blocks(book.section("README.md", "In C++")) if language == "cpp")
    project = [code for _, code in blocks(book.section("docs/building.md", "In your own CMake project"))]
    python = next(code for language, code in blocks(book.section("README.md", "In Python")) if language == "python")
    command = blocks(book.section("README.md", "On the command line"))[0][1]
    out = f"---\nhide:\n  - navigation\n---\n\n# Upsweep\n\n{said}\n\n"
    out += "## The fastest way to a result\n\n" + fence(begin, "sh") + "\n"
    out += tab("C++", fence('#include "upsweep/upsweep.hpp"\n\n' + first, "cpp"), "In a CMake project:",
               fence(project[0], "sh"), fence(project[1], "cmake"),
               f"[The calls, one by one]({book.link(page, 'docs/calls.md')})")
    out += tab("Python", fence("./quickstart python", "sh"), fence(python, "python"),
               f"[The Python package]({book.link(page, 'python/README.md')})")
    out += tab("Command", fence(command, "sh"), "[Every command](command/index.md)")
    out += "\n## How fast\n\n" + chart_with_source(book, page, "H200") + "\n[Every run](performance/index.md)\n\n"
    out += "## What is in it\n\n" + book.shown_section(page, "docs/calls.md", "What there is") + "\n"
    book.write(page, out)
    book.show("changes.md", "CHANGELOG.md")
    book.nav.insert(0, ("Start", page))
    book.nav.append(("Changes", "changes.md"))
