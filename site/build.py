#!/usr/bin/env python3
"""Builds the site: pages made of what the repository has, by MkDocs into HTML that is read from files or from any host.

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
from pages import command, exercises, guide, ladder, lens_here, performance, reference, start, trust  # noqa: E402

# In the order of the tabs; the first page comes last, when all that it links to is known.
KINDS = [guide, reference, command, ladder, lens_here, exercises, performance, trust, start]
# Copies of sources, and tables of figures: found by their links, and not worth their weight in the index.
NOT_SEARCHED = re.compile(r"source/|performance/(?!index)")


def asked(words):
    answer = subprocess.run(words, capture_output=True, text=True)
    if answer.returncode:
        raise Missing(f"{' '.join(words)}: {answer.stderr.strip()}")
    return answer.stdout


def room_by_variant(root):
    """{"scan/blelloch": "scan"}: the folder whose sources name a variant; of several the one of its own name."""
    found = {}
    for path in sorted((root / "upsweep").glob("*/**/*")):
        if path.suffix in (".cpp", ".cu", ".hpp", ".cuh") and not {"proof", "core"} & set(path.parts):
            room = path.relative_to(root / "upsweep").parts[0]
            for name in re.findall(r'"([a-z0-9-]+/[a-z0-9-]+)"', path.read_text(encoding="utf-8")):
                if name not in found or room == name.split("/")[0].replace("-", "_"):
                    found[name] = room
    return found


def gathered(root, out, program):
    book = Book(root, out, program)
    book.catalog = json.loads(asked([program, "list", "--json"]))
    if isinstance(book.catalog, dict):
        book.catalog = next(value for value in book.catalog.values() if isinstance(value, list))
    rooms = room_by_variant(book.root)
    book.room_of = lambda variant: rooms.get(variant, variant.split("/")[0].replace("-", "_"))
    book.helps = every_help(program)
    book.benches = benches(book)
    book.lens_runs = ladder.rungs_of_lens(program)
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
    version = json.dumps("Upsweep " + asked([book.command, "--version"]).strip())
    text += f"copyright: {version}\ndocs_dir: {pages}\nsite_dir: {html}\n"
    config.write_text(f"{text}nav:\n{yaml_nav(book.nav)}", encoding="utf-8")
    shutil.copyfile(HERE / "theme/site.css", pages / "site.css")
    if subprocess.run(["mkdocs", "build", "--strict", "--quiet", "-f", config]).returncode:
        raise Missing("mkdocs has found the above")
    # They want to know where the site will stand; nobody does.
    for name in ("404.html", "sitemap.xml", "sitemap.xml.gz", "main.html"):
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
    index = html / "search/search_index.json"
    data = json.loads(index.read_text(encoding="utf-8"))
    data["docs"] = [d for d in data["docs"] if not NOT_SEARCHED.match(d["location"])]
    index.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    worker = next(html.glob("assets/javascripts/workers/search.*.js")).read_text(encoding="utf-8")
    script = (f"var __search = {{index: Promise.resolve({index.read_text(encoding='utf-8')}),\n"
              f"worker: URL.createObjectURL(new Blob([{json.dumps(worker)}], {{type: 'text/javascript'}}))}};\n")
    (html / "search/from_file.js").write_text(script, encoding="utf-8")


def take_place(new, old):
    """All of it, or what was there."""
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
    take_place(work, out)


def build(root, out, program):
    work = out.with_name(out.name + ".new")
    shutil.rmtree(work, ignore_errors=True)
    pages, html = work / "pages", work / "html"
    make_html(write_pages(root, pages, program), pages, html)
    make_search(html)
    wrong = problems(html)
    if wrong:
        raise Missing("\n".join(wrong))
    take_place(html, out)
    shutil.rmtree(work)
    files = [p for p in out.rglob("*") if p.is_file()]
    pages, size = sum(p.suffix == ".html" for p in files), sum(p.stat().st_size for p in files)
    print(f"{out}: {pages} pages, {size / 1e6:.1f} MB")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--command", default="build/upsweep", help="the built upsweep")
    options.add_argument("--out", default="build/site", help="the folder that is to be the site")
    options.add_argument("--markdown", action="store_true", help="only the pages' texts, which want no MkDocs")
    o = options.parse_args()
    if not o.markdown and not shutil.which("mkdocs"):
        sys.exit("site/build.py: mkdocs is not there; install mkdocs and mkdocs-material, or run ./quickstart site")
    if not os.access(o.command, os.X_OK):
        sys.exit(f"site/build.py: {o.command} is not there; build it first: ./quickstart build")
    try:
        make = build_pages if o.markdown else build
        make(HERE.parent, pathlib.Path(o.out).resolve(), str(pathlib.Path(o.command).resolve()))
    except (Missing, RuntimeError) as e:
        sys.exit(f"site/build.py: {e}")


if __name__ == "__main__":
    main()
