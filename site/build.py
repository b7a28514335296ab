#!/usr/bin/env python3
"""Builds the site from the texts of the repository. MkDocs makes HTML that can be opened from disk or served by any host.

    site/build.py --command build/upsweep --out build/site
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from book import Book, Missing  # noqa: E402
from check import problems  # noqa: E402
from figures import benches  # noqa: E402
from help_text import every_help  # noqa: E402
from pages import command, exercises, guide, ladder, learn, lens_here, performance, reference, start, trust  # noqa: E402
from search import write_index  # noqa: E402

# In the order of the tabs. "Learn" and the first page are written last, because they link to the others, and come first.
KINDS = [guide, reference, command, ladder, lens_here, exercises, performance, trust, learn, start]


def output_of(words):
    answer = subprocess.run(words, capture_output=True, text=True)
    if answer.returncode:
        raise Missing(f"{' '.join(words)}: {answer.stderr.strip()}")
    return answer.stdout


def algorithm_by_variant(root):
    """{"scan/blelloch": "scan"}: the folder whose sources name a variant, or of several the one
    with the prefix of the variant."""
    found = {}
    for path in sorted((root / "upsweep").glob("*/**/*")):
        if path.suffix in (".cpp", ".cu", ".hpp", ".cuh") and not {"conformance", "core"} & set(path.parts):
            algorithm = path.relative_to(root / "upsweep").parts[0]
            for name in re.findall(r'"([a-z0-9-]+/[a-z0-9-]+)"', path.read_text(encoding="utf-8")):
                if name not in found or algorithm == name.split("/")[0].replace("-", "_"):
                    found[name] = algorithm
    return found


def gathered(root, out, program):
    book = Book(root, out, program)
    book.catalog = json.loads(output_of([program, "list", "--json"]))
    if isinstance(book.catalog, dict):
        book.catalog = next(value for value in book.catalog.values() if isinstance(value, list))
    algorithms = algorithm_by_variant(book.root)
    book.algorithm_of = lambda variant: algorithms.get(variant, variant.split("/")[0].replace("-", "_"))
    book.helps = every_help(program)
    book.benches = benches(book)
    book.lens_order = ladder.variants_of_lens(program)
    book.version = output_of([program, "--version"]).split()[0]
    return book


def yaml_nav(nav, indent="  "):
    out = ""
    for title, what in nav:
        below = f" {what}\n" if isinstance(what, str) else "\n" + yaml_nav(what, indent + "    ")
        out += f"{indent}- {json.dumps(title)}:{below}"
    return out


def make_html(book, pages, html):
    config = pages.parent / "mkdocs.yml"
    text = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    text = text.replace("  name: material\n", f"  name: material\n  custom_dir: {HERE / 'theme'}\n")
    version = json.dumps("Upsweep " + output_of([book.command, "--version"]).strip())
    text += f"copyright: {version}\ndocs_dir: {pages}\nsite_dir: {html}\n"
    config.write_text(f"{text}nav:\n{yaml_nav(book.nav)}", encoding="utf-8")
    shutil.copyfile(HERE / "theme/site.css", pages / "site.css")
    if subprocess.run(["mkdocs", "build", "--strict", "--quiet", "-f", config]).returncode:
        raise Missing("mkdocs reported the problems above")
    # These files require the address of the site, which is not known.
    for name in ("404.html", "sitemap.xml", "sitemap.xml.gz", "main.html", "partials/search.html", "search.js"):
        (html / name).unlink(missing_ok=True)
    for path in html.rglob("*.map"):
        path.unlink()
    for path in html.rglob("*.js"):
        source = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"\n//# sourceMappingURL=.*", "", source), encoding="utf-8")
    for path in html.rglob("*.css"):
        source = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"\n?/\*# sourceMappingURL=.*?\*/", "", source), encoding="utf-8")


def make_search(html):
    for path in [*html.glob("assets/javascripts/workers/*"), *html.glob("assets/javascripts/lunr/**/*")]:
        if path.is_file():
            path.unlink()  # of the theme's search, which search.js replaces
    missing = write_index(html, (HERE / "theme/search.js").read_text(encoding="utf-8"))
    if missing:
        raise Missing(f"site/search.py names pages that do not exist: {', '.join(missing)}")


def replace(new, old):
    """Replaces a folder atomically: on failure the old one remains."""
    before = old.with_name(old.name + ".before")
    shutil.rmtree(before, ignore_errors=True)
    if old.exists():
        os.rename(old, before)
    os.rename(new, old)
    shutil.rmtree(before, ignore_errors=True)


def write_pages(root, pages, program):
    pages.mkdir(parents=True)
    book = gathered(root, pages, program)
    for kind in KINDS:
        if hasattr(kind, "plan"):
            kind.plan(book)
    for kind in KINDS:
        kind.write(book)
    book.write_sources()
    return book


def build_pages(root, out, program):
    work = out.with_name(out.name + ".new")
    shutil.rmtree(work, ignore_errors=True)
    print(f"{out}: {len(write_pages(root, work, program).written)} pages of Markdown")
    replace(work, out)


def build(root, out, program):
    work = out.with_name(out.name + ".new")
    shutil.rmtree(work, ignore_errors=True)
    pages, html = work / "pages", work / "html"
    make_html(write_pages(root, pages, program), pages, html)
    make_search(html)
    wrong = problems(html)
    if wrong:
        raise Missing("\n".join(wrong))
    replace(html, out)
    shutil.rmtree(work)
    files = [p for p in out.rglob("*") if p.is_file()]
    pages, size = sum(p.suffix == ".html" for p in files), sum(p.stat().st_size for p in files)
    print(f"{out}: {pages} pages, {size / 1e6:.1f} MB")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--command", default="build/upsweep", help="the built upsweep")
    options.add_argument("--out", default="build/site", help="the output folder")
    options.add_argument("--markdown", action="store_true", help="write only the Markdown of the pages, without MkDocs")
    o = options.parse_args()
    if not o.markdown and not shutil.which("mkdocs"):
        sys.exit("site/build.py: mkdocs was not found; install mkdocs and mkdocs-material, or run ./quickstart site")
    if not os.access(o.command, os.X_OK):
        sys.exit(f"site/build.py: {o.command} was not found; build it first: ./quickstart build")
    try:
        make = build_pages if o.markdown else build
        make(HERE.parent, pathlib.Path(o.out).resolve(), str(pathlib.Path(o.command).resolve()))
    except (Missing, RuntimeError) as e:
        sys.exit(f"site/build.py: {e}")


if __name__ == "__main__":
    main()
