#!/usr/bin/env python3
"""What is wrong with the links of a folder of HTML: site/check.py FOLDER. Every local one leads somewhere, to its
anchor, too; and nothing that a page needs to be shown comes from elsewhere."""
import html.parser
import os
import pathlib
import re
import sys
import urllib.parse

# Of these a page is made; an <a href> may lead anywhere.
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


def is_place(page, anchor):
    """An anchor of the page, or what its script reads: a=1&b=2 of the words that an element's data-address names."""
    said = [word.partition("=") for word in anchor.split("&")]
    return anchor in page.anchors or all(name in page.words and value for name, _, value in said)


def elsewhere(link):
    return re.match(r"(?:[a-z][a-z0-9+.-]*:)?//", link) is not None


def problems(folder):
    folder = pathlib.Path(folder)
    pages = {p.relative_to(folder).as_posix(): Page(p.read_text(encoding="utf-8"))
             for p in sorted(folder.rglob("*.html"))}
    wrong = []
    for name, page in pages.items():
        wrong += [f"{name}: it is shown with {part}, which is elsewhere" for part in page.parts if elsewhere(part)]
        for link in dict.fromkeys(page.links):
            if elsewhere(link) or re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            file = urllib.parse.unquote(path.split("?")[0])
            target = os.path.normpath(os.path.join(os.path.dirname(name), file)) if path else name
            if path.endswith("/") or target == ".":
                wrong.append(f"{name}: {link} is a folder, which a file's reader cannot open")
            elif not (folder / target).is_file():
                wrong.append(f"{name}: {link} leads nowhere")
            elif anchor and target in pages and not is_place(pages[target], urllib.parse.unquote(anchor)):
                wrong.append(f"{name}: {link} has no such place")
    for sheet in sorted(folder.rglob("*.css")):
        for link in re.findall(r"url\(\s*['\"]?([^'\")]*)|@import\s+['\"]([^'\"]*)", sheet.read_text(encoding="utf-8")):
            wrong += [f"{sheet.relative_to(folder)}: it asks for {part}" for part in link if elsewhere(part)]
    return wrong


if __name__ == "__main__":
    found = problems(sys.argv[1])
    print("\n".join(found) or f"{sys.argv[1]}: every link leads somewhere")
    sys.exit(bool(found))
