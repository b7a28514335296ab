"""The lens in the visitor's browser, and pages that hand it exercises: forms, and the scripts that stand beside them."""
import json
import os
import re
import shutil

PAGE = "ladder/lens-here.md"
HOW = """The lens that [`upsweep lens`]({lens}) runs, compiled for the browser: it runs here, on your machine, and sends
nothing. Choose a rung and run it; its counts are those of the command ([a test]({test}) holds every rung to that), and
below them each step plays: threads, lanes, banks, sectors, barriers, and the line of the source. The address says all
of it, to the step that is shown: send it to a colleague."""
ABSENT = """The lens in the browser was not built here: it wants Emscripten. `apt-get install emscripten`, then
`./quickstart site` (or `cmake --build build --target lens_browser` and `site/build.py` again). Natively it is
`upsweep lens scan/blelloch-block --n 64 --html steps.html`."""
TYPES = ["u32", "i32", "u64", "i64", "f32", "f64"]
OPERATORS = ["plus", "multiplies", "minimum", "maximum", "compose_affine"]
INPUTS = ["uniform", "sorted", "reversed", "few", "zipf", "constant"]


def built(book):
    """The folder that the target lens_browser fills, beside the command."""
    folder = os.path.join(os.path.dirname(book.command), "lens_browser")
    return folder if os.path.exists(os.path.join(folder, "rungs.json")) else None


def choice(name, label, values):
    options = "".join(f'<option value="{v}">{v}</option>' for v in values)
    return f'<label>{label} <select name="{name}">{options}</select></label>'


def number(name, label, value, most):
    return f'<label>{label} <input name="{name}" type="number" min="1" max="{most}" value="{value}" required></label>'


def tick(name, label):
    return f'<label><input name="{name}" type="checkbox"> {label}</label>'


def form():
    fields = [choice("rung", "Rung", []), choice("padding", "Padding of shared memory", []), number("n", "n", 64, 1 << 20),
              choice("block", "Threads of a block", []), choice("type", "Type", TYPES),
              choice("op", "Operator", OPERATORS), choice("input", "Input", INPUTS), tick("inclusive", "inclusive"),
              tick("in_place", "in place"), number("seed", "Schedule (seed)", 1, 1 << 30),
              number("resident", "Blocks at once", 4, 64), choice("beside", "Beside it", [])]
    return ('<form class="asks">' + "".join(fields) + '<span><button class="md-button md-button--primary">Run</button> '
            '<button type="button" class="link md-button">Link to this step</button></span></form>')


def player_style(css):
    """The player's style with the theme's switch for light and dark in place of the system's."""
    return re.sub(r"@media \(prefers-color-scheme:dark\)\{\.player(\{[^}]*\})\}",
                  r'[data-md-color-scheme="slate"] .player\1', css)


def plan(book):
    book.lens_built = built(book)
    book.shows(PAGE, "lens/browser/lens.cpp", "lens/browser")


def scripts(book, page, names):
    return "".join(f'<script src="{os.path.relpath("lens/" + name, os.path.dirname(page))}"></script>\n' for name in names)


def write(book):
    text = "# The lens here\n\n"
    if not book.lens_built:
        book.write(PAGE, text + ABSENT)
        return
    for name in ("lens.js", "rungs.json"):
        book.copy(os.path.join(book.lens_built, name), "lens/" + name)
    book.copy(book.root / "cli/lens/player/player.js", "lens/player.js")
    book.copy(book.root / "site/theme/lens_here.js", "lens/lens_here.js")
    (book.out / "lens/player.css").write_text(player_style(book.read("cli/lens/player/player.css")), encoding="utf-8")
    with open(os.path.join(book.lens_built, "rungs.json"), encoding="utf-8") as file:
        rungs = json.dumps(json.load(file)).replace("</", "<\\/")
    size = os.path.getsize(os.path.join(book.lens_built, "lens.js")) / 1e6
    text += HOW.format(lens=book.link(PAGE, "lens/README.md"), test=book.link(PAGE, "lens/browser/counts.cjs"))
    text += (f" The lens is loaded when it is first asked for: {size:.1f} MB.\n\n"
             '<link rel="stylesheet" href="../lens/player.css">\n'
             f'<div id="lens-here" data-script="../lens/lens.js" data-address="rung n block type op input inclusive in_place seed resident beside step step2">\n{form()}\n<p class="teaches"></p>\n'
             '<p class="says" role="status"></p>\n<div class="counts"></div>\n<div class="players"></div>\n'
             '<pre class="command"></pre>\n</div>\n'
             f'<script type="application/json" id="lens-rungs">{rungs}</script>\n'
             + scripts(book, PAGE, ["player.js", "lens_here.js"]))
    text += "\n" + EXAMPLES
    book.write(PAGE, text)


EXAMPLES = """
## Where to look

- [A bank conflict, and none](#rung=scan/blelloch-block&n=64&block=32&beside=scan/blelloch-padded): the tree of a
  scan, its strides powers of two, and the same with a cell of padding every 32.
- [Divergence](#rung=reduce/interleaved-divergent&n=128&block=64&beside=reduce/sequential-addressing): whose
  threads work, and whose wait, in two sums.
- [A transpose that scatters](#rung=integral/rows-then-columns&n=256&beside=integral/transpose): sectors of global
  memory, asked for a row and a column at a time.
"""
