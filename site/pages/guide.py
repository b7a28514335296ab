"""A page for each task: the texts of guide/, with programs from the examples, which the tests compile and run."""
import os
import re
import textwrap

from book import LANGUAGES, Missing, fence

# In learning order.
ORDER = ["sum", "running-total", "sort", "keep", "group", "count", "picture", "simulate", "parse"]
HERE = "site/guide"
WHOLE = [("The calls, one by one", "guide/calls.md", "docs/calls.md"),
         ("The command", "guide/command.md", "docs/command.md"),
         ("Building", "guide/building.md", "docs/building.md"),
         ("Twenty tasks, five libraries", "guide/tasks.md", "docs/tasks.md"),
         ("Which call do I want?", "guide/which-call.md", "docs/which-call.md"),
         *((f"From {name}", f"guide/from-{page}.md", f"docs/from-{page}.md") for name, page in
           (("the standard library", "std"), ("Thrust", "thrust"), ("CUB", "cub"), ("NumPy", "numpy"), ("CuPy", "cupy"),
            ("PyTorch", "pytorch"), ("ArrayFire", "arrayfire"))),
         ("NumPy's contract in Python", "guide/numpy.md", "docs/numpy.md"),
         ("Bodies", "guide/nbody.md", "docs/nbody.md"),
         ("Example programs", "guide/examples.md", "examples/README.md")]


def plan(book):
    for name in ORDER:
        book.shows(f"guide/{name}.md", f"{HERE}/{name}.md")
    for _, page, file in WHOLE:
        book.shows(page, file)


def cut(book, file, name):
    """The part of a program between "// name" and "// end"."""
    found = re.search(rf"^ *// {re.escape(name)}(?::.*)?\n(.*?)^ *// end$", book.read(file), re.S | re.M)
    if not found:
        raise Missing(f"{file} has no part '// {name}' that ends with '// end', and a page requires it")
    return textwrap.dedent(found[1])


def filled(book, page, text):
    """Replaces @program FILE [PART] by the program or its part, and @examples COMMAND by the examples of its --help."""
    def program(match):
        file, part = match[1], match[2]
        code = cut(book, file, part.strip()) if part else book.read(file)
        return fence(code, LANGUAGES[os.path.splitext(file)[1]], file)

    def examples(match):
        help = next((h for h in book.helps if " ".join(h.path[1:]) == match[1]), None)
        if not help:
            raise Missing(f"{page}: there is no command '{match[1]}'")
        lines = [line[2:] for kind, block in help.parts() if kind == "code" for line in block]
        return fence("\n".join(lines), "sh") + f"\n[upsweep {match[1]}](../command/{'-'.join(help.path[1:])}.md)\n"
    text = re.sub(r"^@program (\S+)( .+)?$", program, text, flags=re.M)
    return re.sub(r"^@examples (.+)$", examples, text, flags=re.M)


def write(book):
    nav = []
    for name in ORDER:
        file, page = f"{HERE}/{name}.md", f"guide/{name}.md"
        text = book.read(file)
        book.write(page, filled(book, page, book.adopted(page, text, file)))
        nav.append((re.match(r"# (.*)", text)[1], page))
    for title, page, file in WHOLE:
        book.show(page, file)
        nav.append((title, page))
    book.nav.append(("Guide", nav))
