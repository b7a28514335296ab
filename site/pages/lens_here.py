"""The page that plays a variant under the lens: its form, its scripts, and the compiled lens or recorded runs."""
import concurrent.futures
import json
import os
import re
import subprocess
import tempfile

PAGE = "learn/play.md"
HOW = """Choose a variant and run it. The page then plays each step: threads, lanes, banks, sectors, barriers, and the line of
the source. Below are the counts. The address of the page contains all settings and the step that is shown, so you can send it
to a colleague."""
COMPILED = """This is the lens of [`upsweep lens`]({lens}), compiled for the browser. It runs on your machine and sends nothing. The
counts are those of the command: [a test]({test}) compares them for every variant. The lens ({size:.1f} MB) is loaded at the
first run."""
RECORDED = """This build of the site has no lens for the browser, because that requires Emscripten. The page plays runs that were
recorded with the command [`upsweep lens`]({lens}), with a fixed n. `upsweep lens scan/blelloch-block --n 64 --html steps.html`
writes such a page for any settings. To add the lens to the site: `apt-get install emscripten`, then `./quickstart site`."""
TYPES = ["u32", "i32", "u64", "i64", "f32", "f64"]
OPERATORS = ["plus", "multiplies", "minimum", "maximum", "compose_affine"]
INPUTS = ["uniform", "sorted", "reversed", "few", "zipf", "constant"]
NAMES = "variant n block type op input inclusive in_place seed resident compare step step2"
# A recorded run has this many elements, or half if its file would be larger than LARGEST bytes.
RECORDED_N, LARGEST = 64, 300000


def built(book):
    """The output folder of the target lens_browser, next to the command."""
    folder = os.path.join(os.path.dirname(book.command), "lens_browser")
    return folder if os.path.exists(os.path.join(folder, "variants.json")) else None


def play_link(page, variant, settings=""):
    """The relative link that plays a variant."""
    return os.path.relpath(PAGE, os.path.dirname(page) or ".") + f"#variant={variant}{settings}"


def choice(name, label, values):
    options = "".join(f'<option value="{v}">{v}</option>' for v in values)
    return f'<label>{label} <select name="{name}">{options}</select></label>'


def number(name, label, value, most):
    return f'<label>{label} <input name="{name}" type="number" min="1" max="{most}" value="{value}" required></label>'


def tick(name, label):
    return f'<label><input name="{name}" type="checkbox"> {label}</label>'


def form():
    first = [choice("variant", "Variant", []), number("n", "n", 64, 1 << 20), choice("block", "Threads per block", []),
             choice("compare", "Compare with", [])]
    more = [choice("padding", "Padding of shared memory", []), choice("type", "Type", TYPES),
            choice("op", "Operator", OPERATORS), choice("input", "Input", INPUTS), tick("inclusive", "inclusive"),
            tick("in_place", "in place"), number("seed", "Seed of the schedule", 1, 1 << 30),
            number("resident", "Resident blocks", 4, 64)]
    return ('<form class="settings">' + "".join(first) +
            '<span><button class="md-button md-button--primary run">Run</button> '
            '<button type="button" class="link md-button">Link to this step</button></span>'
            '<details class="more"><summary>More settings</summary><div>' + "".join(more) + "</div></details></form>")


def player_style(css):
    """The style of the player, which follows the theme's light or dark setting instead of the one of the system."""
    return re.sub(r"@media \(prefers-color-scheme:dark\)\{\.player(\{[^}]*\})\}",
                  r'[data-md-color-scheme="slate"] .player\1', css)


def without_details(result):
    """The result of a run as the page shows it: without the counts of each launch and the names of functions."""
    for launch in result["launches"]:
        for key in set(launch) - {"threads_a_block", "blocks"}:
            del launch[key]
    for line in result["total"]["lines"]:
        line.pop("function", None)
    return result


def recorded(program, variant, more=(), n=RECORDED_N):
    """{name, n, result, steps} of a run by the command, or None."""
    words = [program, "lens", variant, "--n", str(n), *more]
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "steps.html")
        if subprocess.run([*words, "--html", page], capture_output=True).returncode:
            return None
        with open(page, encoding="utf-8") as file:
            steps = json.loads(re.search(r"^const D=(.*);$", file.read(), re.M)[1])
    threads = max(launch["threads"] for launch in steps["launches"])
    counts = subprocess.run([*words, *([] if more else ["--block", str(threads)]), "--json", "-"], capture_output=True, text=True)
    if not counts.stdout.startswith("{"):
        counts = subprocess.run([*words, "--json", "-"], capture_output=True, text=True)
    return {"name": variant, "n": n, "result": without_details(json.loads(counts.stdout)["result"]), "steps": steps}


def file_of(variant):
    return variant.replace("/", "-") + ".js"


def record(book, variant):
    run = recorded(book.command, variant)
    text = json.dumps(run, separators=(",", ":"), ensure_ascii=False)
    if len(text) > LARGEST:
        text = json.dumps(recorded(book.command, variant, n=RECORDED_N // 2), separators=(",", ":"), ensure_ascii=False)
    folder = book.out / "lens/steps"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file_of(variant)).write_text(f"upsweepSteps({text});\n", encoding="utf-8")
    return run


def plan(book):
    book.lens_built = built(book)
    book.shows(PAGE, "lens/browser/lens.cpp", "lens/browser")


def scripts(page, names):
    return "".join(f'<script src="{os.path.relpath("lens/" + name, os.path.dirname(page))}"></script>\n' for name in names)


def parts(book, page):
    """Copies the player and returns the tag of its style."""
    book.copy(book.root / "cli/lens/player/player.js", "lens/player.js")
    (book.out / "lens/player.css").write_text(player_style(book.read("cli/lens/player/player.css")), encoding="utf-8")
    return f'<link rel="stylesheet" href="{os.path.relpath("lens/player.css", os.path.dirname(page))}">\n'


def variants_here(book):
    """The variants, with the properties that the form needs."""
    if book.lens_built:
        book.copy(os.path.join(book.lens_built, "lens.js"), "lens/lens.js")
        with open(os.path.join(book.lens_built, "variants.json"), encoding="utf-8") as file:
            return json.load(file)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda name: record(book, name), book.lens_order))
    return [{"name": run["name"], "teaches": book.textbook[run["name"]].teaches, "primitive": run["name"].split("/")[0],
             "folds": True, "blocks": [], "standard": False, "recorded": file_of(run["name"])} for run in runs]


def write(book):
    style = parts(book, PAGE)
    book.copy(book.root / "site/theme/lens_here.js", "lens/lens_here.js")
    variants = json.dumps(variants_here(book)).replace("</", "<\\/")
    how = RECORDED.format(lens=book.link(PAGE, "lens/README.md"))
    source = 'data-recorded="../lens/steps/"'
    if book.lens_built:
        size = os.path.getsize(os.path.join(book.lens_built, "lens.js")) / 1e6
        how = COMPILED.format(lens=book.link(PAGE, "lens/README.md"), test=book.link(PAGE, "lens/browser/counts.cjs"), size=size)
        source = 'data-script="../lens/lens.js"'
    text = ("---\nhide:\n  - navigation\n  - toc\n---\n\n# Play a kernel\n\n" + HOW + "\n\n" + style +
            f'<div id="lens-here" {source} data-address="{NAMES}">\n{form()}\n<p class="teaches"></p>\n'
            '<div class="running" hidden><progress></progress> <button type="button" class="stop md-button">Stop</button></div>\n'
            '<p class="says" role="status"></p>\n<div class="players"></div>\n<div class="counts"></div>\n'
            '<pre class="command"></pre>\n</div>\n'
            f'<script type="application/json" id="lens-variants">{variants}</script>\n'
            + scripts(PAGE, ["player.js", "lens_here.js"]) + "\n" + EXAMPLES + "\n## About this page\n\n" + how + "\n")
    book.write(PAGE, text)


EXAMPLES = """
## Examples

- [Bank conflicts, and none](#variant=scan/blelloch-block&n=64&block=32&compare=scan/blelloch-padded): the tree of a
  scan with strides that are powers of two, and the same tree with one cell of padding after every 32.
- [Divergence](#variant=reduce/interleaved-divergent&n=64&block=32&compare=reduce/sequential-addressing): active and
  idle threads in two sums.
- [A transpose with scattered accesses](#variant=integral/rows-then-columns&n=64&compare=integral/transpose): sectors
  of global memory, accessed by rows and by columns.
"""
