"""A page for each public header: its contract, its variants on each device, and its declarations."""
import itertools
import re

from book import LANGUAGES, WIDE, fence, outside_blocks, table
from contracts import contract, markdown_of, prose
from declarations import declarations

# Headers in subfolders that are public too, because a public header takes or returns their types, or includes them.
MORE_HEADERS = ["operators/comparisons.hpp", "operators/monoid.hpp", "sort/sort_comparators.hpp",
                "sort/sort_by.hpp", "sort/sort_order.hpp", "reduce/reduce_reproducible.hpp",
                "convolve/convolve_mask.hpp", "core/image_shape.hpp", "core/device.hpp", "core/catalog.hpp",
                "axis/axis_layout.hpp", "histogram/histogram_bins.hpp", "jit/jit.hpp"]


# A page for the interface of each other language.
OTHER_INTERFACES = [("Python", "reference/python.md", "python/README.md"), ("C", "reference/c.md", "c/README.md")]


def headers(book):
    public = sorted(p.name for p in (book.root / "upsweep").glob("*.hpp"))
    return public + MORE_HEADERS


def page_of(header):
    return "reference/" + header.removesuffix(".hpp").replace("/", "-") + ".md"


def plan(book):
    for header in headers(book):
        book.shows(page_of(header), f"upsweep/{header}")
    for _, page, file in OTHER_INTERFACES:
        book.shows(page, file)


def variants_of(book, page, header):
    """The table of tuned variants that the calls of a header use, from the catalog."""
    algorithm = header.removesuffix(".hpp")
    own = [v for v in book.catalog if v["kind"] == "tuned" and book.algorithm_of(v["name"]) == algorithm]
    if not own:
        return ""
    rows = []
    for v in own:
        takes = v["takes"]
        types = list(dict.fromkeys(itertools.chain.from_iterable(takes.values()))) if isinstance(takes, dict) else takes
        rows.append([f"`{v['name']}`", v["backend"], " ".join(types), prose(v["traffic"]), prose(v["limits"])])
    out = "## Variants on each device\n\n" + table(["variant", "device", "takes", "moved", "limits"], rows)
    out += "\nUser-defined types, operators and functions: [supported platforms](index.md#supported-platforms).\n"
    if algorithm in book.algorithms:
        out += f"Tuning history: [{algorithm}]({book.link(page, f'upsweep/{algorithm}/README.md')}).\n"
    return out


def declared(header_text):
    found = declarations(header_text)
    out, section = "", None
    for name in dict.fromkeys(d.name for d in found):
        same = [d for d in found if d.name == name]
        code = []
        for d in same:
            # The comment of a single declaration becomes text. Comments of overloads tell them apart and stay in the code.
            lines = [f"// {line}".rstrip() for line in d.comment] if len(same) > 1 else []
            code.append("\n".join(lines + [d.text]))
        heading = name.removeprefix("upsweep::")
        out += f"### `{heading}` {{ #{anchor_of(heading)} }}\n\n"
        if len(same) == 1 and same[0].comment:
            out += markdown_of(same[0].comment) + "\n\n"
        out += fence("\n\n".join(code), "cpp") + "\n"
    return "## Declarations\n\n" + out if out else ""


def anchor_of(name):
    return "".join(c if c.isalnum() or c in "_-" else "-" for c in name)


def linked(book, page, text):
    """Replaces names of headers and documents by links to their pages."""
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
    out += variants_of(book, page, header) + "\n" + declared(text)
    out = linked(book, page, out)
    source = f"source/upsweep/{header}.md"
    book.write(source, f"{WIDE}# upsweep/{header}\n\n{fence(text, 'cpp')}")
    out += f"\n[Source of the header](../{source})\n"
    book.write(page, out)
    return header, title


def write(book):
    pages = [write_one(book, header) for header in headers(book)]
    page = "reference/index.md"
    rows = [[f"[`{header}`]({page_of(header).removeprefix('reference/')})", title] for header, title in pages]
    out = "# Reference\n\n" + table(["header", ""], rows)
    out += "\n## Supported platforms\n\n" + book.shown_section(page, "README.md", "Supported platforms")
    book.write(page, out)
    public = [(h, page_of(h)) for h in headers(book) if "/" not in h]
    more = [(h, page_of(h)) for h in MORE_HEADERS]
    others = [(title, shown) for title, shown, _ in OTHER_INTERFACES]
    for _, shown, file in OTHER_INTERFACES:
        book.show(shown, file)
    book.nav.append(("Reference", [("All headers", "reference/index.md")] + others + public + [("Headers in subfolders", more)]))
