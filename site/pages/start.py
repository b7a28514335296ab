"""The first page: what the library is, one figure, four doors, and the fastest way to a result."""
import re

from book import fence, sections
from pages.performance import chart_with_source

DOORS = """<div class="doors" markdown>
<div markdown>
[Use it](guide/sum.md)

Sum, sort, select, group, count: one page for each task, in C++, Python and on the command line.
</div>
<div markdown>
[Learn](learn/index.md)

A kernel in five minutes, the machine in three pictures, and algorithms step by step. No GPU is needed.
</div>
<div markdown>
[Measure](performance/index.md)

Every measured time, also those where another library is faster, and the command that repeats them.
</div>
<div markdown>
[Why trust it](trust/index.md)

How results are tested, which repeat bit for bit, and what is still open.
</div>
</div>

"""


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
    out = f"---\nhide:\n  - navigation\n  - toc\n---\n\n# Upsweep\n\n{said}\n\n" + DOORS
    out += "## Speed\n\n" + chart_with_source(book, page, "H200") + "\n[Every run](performance/index.md)\n\n"
    out += "## The fastest way to a result { #in-c }\n\n" + fence(begin, "sh") + "\n"
    out += tab("C++", fence('#include "upsweep/upsweep.hpp"\n\n' + first, "cpp"), "In a CMake project:",
               fence(project[0], "sh"), fence(project[1], "cmake"),
               f"[The calls, one by one]({book.link(page, 'docs/calls.md')})")
    out += tab("Python", fence("./quickstart python", "sh"), fence(python, "python"),
               f"[The Python package]({book.link(page, 'python/README.md')})")
    out += tab("Command", fence(command, "sh"), "[Every command](command/index.md)")
    book.write(page, out)
    book.show("changes.md", "CHANGELOG.md")
    book.nav.insert(0, ("Start", page))
    book.nav.append(("Changes", "changes.md"))
