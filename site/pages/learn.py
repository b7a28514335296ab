"""The tab "Learn": a first kernel, the machine with three playing pictures, the ladders, the exercises, and the sources."""
import json
import os
import re
import subprocess

from book import LANGUAGES, Missing, fence
from pages import exercises, ladder, lens_here

HERE = "site/learn"
PAGES = [("A kernel in five minutes", "learn/first.md", f"{HERE}/first.md"),
         ("The machine: warp, sector, bank", "learn/machine.md", f"{HERE}/machine.md"),
         ("Sources and BibTeX", "learn/sources.md", f"{HERE}/sources.md")]
# The three pictures: a variant, its options, which frame to show first, and the number of elements.
PICTURES = {"warp": ("reduce/interleaved-divergent", ["--block", "64"], "apply", 64),
            "sector": ("reduce/global-interleaved", ["--block", "32"], "sectors", 256),
            "bank": ("scan/blelloch-block", ["--block", "128"], "degree", 256)}
INDEX = """# Learn

From the first kernel to algorithms that run at the speed of memory. You need a C++ compiler, but no GPU.

| | | |
| --- | --- | --- |
| 1 | [A kernel in five minutes](first.md) | Threads, blocks, and a program to copy. |
| 2 | [The machine](machine.md) | Warp, sector, bank: three pictures that play. |
| 3 | [The ladder of reduce](../ladder/reduce.md) | A sum, from one thread to the speed of memory. |
| 4 | [The ladder of scan](../ladder/scan.md) | Prefix sums, from n² work to one pass. |
| 5 | [Exercises](exercises.md) | Ten small kernels, each with a fault or a waste to find. |

Then: [all ladders](../ladder/index.md), [play any kernel](play.md), and [the lens](lens.md), which runs a CUDA file of your own
and reports its faults and its counts. The texts that the ladders come from: [sources](sources.md).
"""


def plan(book):
    for _, page, file in PAGES:
        book.shows(page, file)


def program(book, match):
    return fence(book.read(match[1]), LANGUAGES[os.path.splitext(match[1])[1]], os.path.basename(match[1]))


def output(book, match):
    """The output of the lens for a program, without the seconds, which differ from run to run."""
    done = subprocess.run([book.command, "lens", str(book.root / match[1])], capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"upsweep lens {match[1]}: {done.stderr.strip()}")
    text = done.stdout.replace(str(book.root / match[1]), "add.cu")
    return "The lens prints:\n\n" + fence(re.sub(r" \([\d.]+ s here[^)]*\)", "", text), "text")


def first_frame(steps, kind):
    """The frame that a picture shows first: the one that shows the effect best."""
    def weight(frame):
        if kind == "apply":  # the fewest active lanes of several warps, but at least two
            lanes = [bin(e["m"]).count("1") for e in frame["e"]]
            return (len(lanes), -sum(lanes)) if frame["k"] == "apply" and sum(lanes) >= 2 * len(lanes) > 2 else (0, 0)
        key = "s" if kind == "sectors" else "f"
        right = frame["k"].startswith("global" if kind == "sectors" else "shared")
        return (max(e.get(key, 0) for e in frame["e"]), 0) if right else (0, 0)
    frames = steps["frames"]
    return max(range(len(frames)), key=lambda at: weight(frames[at]))


def picture(book, page, name):
    """A player in the page, with a recorded run."""
    variant, options, kind, n = PICTURES[name]
    if variant not in book.lens_order:
        return f"[{variant}]({book.link(page, book.textbook[variant].file)})"
    run = lens_here.recorded(book.command, variant, options, n)
    file = book.out / f"lens/steps/learn-{name}.js"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"(globalThis.upsweepPictures ||= {{}})[{json.dumps(name)}] = {json.dumps(run['steps'], separators=(',', ':'))};\n",
                    encoding="utf-8")
    at = first_frame(run["steps"], kind)
    return f'<div class="playing" data-picture="{name}" data-at="{at}"></div>\n<script src="../lens/steps/learn-{name}.js"></script>\n'


def write(book):
    for _, page, file in PAGES:
        text = book.read(file)  # its links are those between pages
        text = re.sub(r"^@program (\S+)$", lambda m: program(book, m), text, flags=re.M)
        text = re.sub(r"^@output (\S+)$", lambda m: output(book, m), text, flags=re.M)
        text = text.replace("@version", book.version)
        if "@play " in text:
            text = re.sub(r"^@play (\w+)$", lambda m: picture(book, page, m[1]), text, flags=re.M)
            book.copy(book.root / "site/theme/learn.js", "lens/learn.js")
            text += "\n" + lens_here.parts(book, page) + lens_here.scripts(page, ["player.js", "learn.js"])
        book.write(page, text)
    book.write("learn/index.md", INDEX)
    titles = {page: title for title, page, _ in PAGES}
    nav = [("Overview", "learn/index.md")] + [(titles[p], p) for p in ("learn/first.md", "learn/machine.md")]
    ladders = dict(book.ladders)
    nav += [(f"Ladder: {name}", ladders[name]) for name in ladders]
    nav += [("All ladders", "ladder/index.md"), ("Exercises", exercises.PAGE), ("Play a kernel", lens_here.PAGE),
            ("The lens", "learn/lens.md"), ("Sources and BibTeX", "learn/sources.md"), ("Figures and tuning", book.notes)]
    book.nav.insert(0, ("Learn", nav))
