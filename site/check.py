#!/usr/bin/env python3
"""Reports broken links in a folder of HTML: site/check.py FOLDER. The target and the anchor of every local link must exist, and
a page must load its parts (scripts, styles, images) from the folder itself."""
import html.parser
import os
import pathlib
import re
import sys
import urllib.parse

# Parts that a page loads. An <a href> may name another host.
PARTS = {("link", "href"), ("script", "src"), ("img", "src"), ("source", "src"), ("iframe", "src"), ("use", "href"),
         ("image", "href")}
NOT_FETCHED = {"canonical", "next", "prev", "author", "license"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.parts, self.words = set(), [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        self.anchors.update(has[k] for k in ("id", "name") if has.get(k))
        self.words.update((has.get("data-address") or "").split())
        for key in ("href", "src"):
            if has.get(key) is None:
                continue
            if (tag, key) in PARTS and has.get("rel") not in NOT_FETCHED:
                self.parts.append(has[key])
            self.links.append(has[key])


def has_anchor(page, anchor):
    """Whether the anchor exists, or is of the form a=1&b=2 with names that the data-address of an element lists."""
    settings = [word.partition("=") for word in anchor.split("&")]
    return anchor in page.anchors or all(name in page.words and value for name, _, value in settings)


def on_another_host(link):
    return re.match(r"(?:[a-z][a-z0-9+.-]*:)?//", link) is not None


def problems(folder):
    folder = pathlib.Path(folder)
    pages = {p.relative_to(folder).as_posix(): Page(p.read_text(encoding="utf-8"))
             for p in sorted(folder.rglob("*.html"))}
    wrong = []
    for name, page in pages.items():
        wrong += [f"{name}: it loads {part} from another host" for part in page.parts if on_another_host(part)]
        for link in dict.fromkeys(page.links):
            if on_another_host(link) or re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            file = urllib.parse.unquote(path.split("?")[0])
            target = os.path.normpath(os.path.join(os.path.dirname(name), file)) if path else name
            if path.endswith("/") or target == ".":
                wrong.append(f"{name}: {link} is a folder, which a browser cannot open from disk")
            elif not (folder / target).is_file():
                wrong.append(f"{name}: the target of {link} does not exist")
            elif anchor and target in pages and not has_anchor(pages[target], urllib.parse.unquote(anchor)):
                wrong.append(f"{name}: the anchor of {link} does not exist")
    for sheet in sorted(folder.rglob("*.css")):
        for link in re.findall(r"url\(\s*['\"]?([^'\")]*)|@import\s+['\"]([^'\"]*)", sheet.read_text(encoding="utf-8")):
            wrong += [f"{sheet.relative_to(folder)}: it loads {part} from another host" for part in link if on_another_host(part)]
    return wrong


if __name__ == "__main__":
    found = problems(sys.argv[1])
    print("\n".join(found) or f"{sys.argv[1]}: every link has a target")
    sys.exit(bool(found))
