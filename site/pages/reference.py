"""A page for each public header: its contract, what runs where, and its declarations."""
import itertools
import re

from book import LANGUAGES, fence, outside_blocks, table
from contracts import contract, prose, said_of
from declarations import declarations

# Headers below the faces' folder that callers see as well: through what a face takes, returns or includes.
BESIDES = ["operators/comparisons.hpp", "operators/monoid.hpp", "sort/comparing.hpp", "sort/by.hpp", "sort/order.hpp",
           "reduce/reproducible.hpp", "convolve/mask.hpp", "core/shape.hpp", "core/device.hpp", "core/catalog.hpp",
           "axis/lines.hpp", "histogram/bins.hpp", "opencl/custom.hpp"]


# The other languages' interfaces, a page each.
LANGUAGES_OF_THEIR_OWN = [("Python", "reference/python.md", "python/README.md"), ("C", "reference/c.md", "c/README.md")]


def headers(book):
    faces = sorted(p.name for p in (book.root / "upsweep").glob("*.hpp"))
    return faces + BESIDES


def page_of(header):
    return "reference/" + header.removesuffix(".hpp").replace("/", "-") + ".md"


def plan(book):
    for header in headers(book):
        book.shows(page_of(header), f"upsweep/{header}")
    for _, page, file in LANGUAGES_OF_THEIR_OWN:
        book.shows(page, file)


def runs_where(book, page, header):
    """The library's own variants behind a face, from the catalog."""
    room = header.removesuffix(".hpp")
    own = [v for v in book.catalog if v["kind"] == "library" and book.room_of(v["name"]) == room]
    if not own:
        return ""
    rows = []
    for v in own:
        takes = v["takes"]
        types = list(dict.fromkeys(itertools.chain.from_iterable(takes.values()))) if isinstance(takes, dict) else takes
        rows.append([f"`{v['name']}`", v["backend"], " ".join(types), prose(v["traffic"]), prose(v["limits"])])
    out = "## What runs where\n\n" + table(["variant", "device", "takes", "moved", "limits"], rows)
    out += "\nOf your own types, operators and functions: [what works where](index.md#what-works-where).\n"
    if room in book.rooms:
        out += f"How it came to this: [{room}]({book.link(page, f'upsweep/{room}/README.md')}).\n"
    return out


def declared(header_text):
    found = declarations(header_text)
    out, section = "", None
    for name in dict.fromkeys(d.name for d in found):
        same = [d for d in found if d.name == name]
        code = []
        for d in same:
            # What stands above the only one of a name is read as text; of several it says how they differ.
            lines = [f"// {line}".rstrip() for line in d.comment] if len(same) > 1 else []
            code.append("\n".join(lines + [d.text]))
        heading = name.removeprefix("upsweep::")
        out += f"### `{heading}` {{ #{anchor_of(heading)} }}\n\n"
        if len(same) == 1 and same[0].comment:
            out += said_of(same[0].comment) + "\n\n"
        out += fence("\n\n".join(code), "cpp") + "\n"
    return "## What it declares\n\n" + out if out else ""


def anchor_of(name):
    return "".join(c if c.isalnum() or c in "_-" else "-" for c in name)


def linked(book, page, text):
    """Names of headers and documents as links to their pages."""
    def to(match):
        for file in (match[1], f"upsweep/{match[1]}"):
            if file in book.homes and book.homes[file] != page:
                return f"[`{match[1]}`]({book.link(page, file)})"
        return match[0]
    return outside_blocks(text, lambda line: re.sub(r"(?<!\[)`([\w/]+\.(?:hpp|md))`", to, line))


def write_one(book, header):
    page, text = page_of(header), book.read(f"upsweep/{header}")
    name = header.removesuffix(".hpp")
    title, said = contract(text, name.split("/")[-1])
    out = f"---\ntitle: {header}\n---\n\n# {header}\n\n{title}\n\n"
    out += fence(f'#include "upsweep/{header}"', LANGUAGES[".hpp"]) + "\n" + said + "\n"
    out += runs_where(book, page, header) + "\n" + declared(text)
    out = linked(book, page, out)
    source = f"source/upsweep/{header}.md"
    book.write(source, f"# upsweep/{header}\n\n{fence(text, 'cpp')}")
    out += f"\n[The header itself](../{source})\n"
    book.write(page, out)
    return header, title


def write(book):
    pages = [write_one(book, header) for header in headers(book)]
    page = "reference/index.md"
    rows = [[f"[`{header}`]({page_of(header).removeprefix('reference/')})", title] for header, title in pages]
    out = "# Reference\n\n" + table(["header", ""], rows)
    out += "\n## What works where\n\n" + book.shown_section(page, "README.md", "What works where")
    book.write(page, out)
    faces = [(h, page_of(h)) for h in headers(book) if "/" not in h]
    besides = [(h, page_of(h)) for h in BESIDES]
    others = [(title, shown) for title, shown, _ in LANGUAGES_OF_THEIR_OWN]
    for _, shown, file in LANGUAGES_OF_THEIR_OWN:
        book.show(shown, file)
    book.nav.append(("Reference", [("What there is", "reference/index.md")] + others + faces + [("Below them", besides)]))
