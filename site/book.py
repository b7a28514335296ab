"""The pages of the site: which page shows a file of the repository, and links between pages instead of links between files."""
import os
import pathlib
import re
import shutil

LANGUAGES = {".cuh": "cpp", ".cu": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".cl": "cpp", ".py": "python", ".sh": "bash",
             ".json": "json", ".cmake": "cmake"}
COPIED = {".png", ".json", ".jpg", ".svg", ".html"}
# The beginning of a page of code: without the table of contents, 120 columns fit.
WIDE = "---\nhide:\n  - toc\n---\n\n"
HEADING = re.compile(r"^(#+) (.*)$")


class Missing(Exception):
    """A text that a page requires was not found."""


def fence(code, language="", title=""):
    marks = "```"
    while marks in code:
        marks += "`"
    words = language + (f' title="{title}"' if title else "")
    return f"{marks}{words}\n{code.rstrip()}\n{marks}\n"


def outside_blocks(text, change):
    """Applies `change` to each line outside of blocks of code."""
    out, closing = [], ""
    for line in text.split("\n"):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if closing:
            closing = "" if line.strip() == closing else closing
        elif mark:
            closing = mark[1]
        else:
            line = change(line)
        out.append(line)
    return "\n".join(out)


def outside_code(text, change):
    """Applies `change` to all text outside of blocks of code and inline code."""
    def in_line(line):
        parts = re.split(r"(`+[^`]*`+)", line)
        return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))
    return outside_blocks(text, in_line)


def table(columns, rows):
    """A Markdown table. A column whose name ends with ">" is aligned to the right."""
    out = "| " + " | ".join(c.rstrip(">") for c in columns) + " |\n"
    out += "|" + "".join(" ---: |" if c.endswith(">") else " --- |" for c in columns) + "\n"
    return out + "".join("| " + " | ".join(str(cell) for cell in row) + " |\n" for row in rows)


def sections(text):
    """[(level, heading, text)]. Headings inside of code are ignored."""
    found, inside = [(0, "", [])], False
    for line in text.split("\n"):
        if line.startswith("```"):
            inside = not inside
        heading = None if inside else HEADING.match(line)
        if heading:
            found.append((len(heading[1]), heading[2], []))
        else:
            found[-1][2].append(line)
    return [(level, name, "\n".join(lines).strip("\n")) for level, name, lines in found]


class Book:
    def __init__(self, root, out, command):
        self.root, self.out, self.command = pathlib.Path(root), pathlib.Path(out), command
        self.homes = {}      # a file of the repository: the page that shows it
        self.nav = []        # (title, page or [(title, page)])
        self.waiting = []    # files that a page links to and that no page shows yet
        self.written = set()

    # --- texts of the repository

    def read(self, file):
        try:
            return (self.root / file).read_text(encoding="utf-8")
        except OSError:
            raise Missing(f"{file} was not found, and a page requires it") from None

    def section(self, file, name, below=False):
        """The text under a heading. With `below` also the text of its subheadings."""
        all_of_them = sections(self.read(file))
        for at, (level, heading, text) in enumerate(all_of_them):
            if heading == name:
                for deeper, title, more in all_of_them[at + 1:] if below else []:
                    if deeper <= level:
                        break
                    text += f"\n\n{'#' * deeper} {title}\n\n{more}"
                return text
        raise Missing(f"{file} has no heading '{name}', and a page requires its text")

    # --- pages

    def shows(self, page, *files):
        for file in files:
            self.homes[file] = page

    def link(self, page, file, anchor=""):
        """The relative link from a page to the page that shows a file."""
        file = os.path.normpath(file)
        if file not in self.homes:
            self.find_home(file)
        target, _, place = self.homes[file].partition("#")
        place = anchor or ("#" + place if place else "")
        return (os.path.relpath(target, os.path.dirname(page) or ".") if target != page or not place else "") + place

    def find_home(self, file):
        path = self.root / file
        if not path.exists():
            raise Missing(f"{file} was not found, and a page links to it")
        if path.suffix in COPIED:
            self.shows("files/" + file, file)
            self.copy(path, "files/" + file)
        elif path.is_dir():
            readme = os.path.normpath(file + "/README.md")
            if (self.root / readme).exists():
                self.find_home(readme) if readme not in self.homes else None
                self.shows(self.homes[readme], file)
            else:
                self.shows(f"source/{file}/folder.md", file)
                self.waiting.append(file)
        else:
            self.shows(f"source/{file}.md", file)
            self.waiting.append(file)

    def adopted(self, page, text, file):
        """Markdown of a file of the repository, with its links replaced by links between pages."""
        folder = os.path.dirname(file)

        def change(part):
            def to(match):
                target, anchor = match[1], match[2] or ""
                if re.match(r"[a-z]+:", target) or not target:
                    return match[0]
                return f"]({self.link(page, os.path.join(folder, target), anchor)})"

            def definition(match):
                return f"[{match[1]}]: {self.link(page, os.path.join(folder, match[2]))}"
            part = re.sub(r"^\[([\w-]+)\]: (?![a-z]+:)(\S+)$", definition, part)
            return re.sub(r"\]\(([^)\s#]*)(#[^)\s]*)?\)", to, part)
        return outside_code(text, change)

    def shown_section(self, page, file, name):
        return self.adopted(page, self.section(file, name), file)

    def show(self, page, file):
        """Writes a page that shows one file of the repository."""
        self.write(page, self.adopted(page, self.read(file), file))

    def write(self, page, text):
        path = self.out / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        self.written.add(page)

    def copy(self, path, to):
        target = self.out / to
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)

    def write_sources(self):
        """Writes pages for the files that other pages link to, including the files that these link to."""
        while self.waiting:
            file = self.waiting.pop()
            page, path = self.homes[file], self.root / file
            if path.is_dir():
                names = sorted(f"{file}/{p.name}" for p in path.iterdir() if p.is_file())
                text = "\n".join(f"- [{os.path.basename(n)}]({self.link(page, n)})" for n in names)
            elif path.suffix == ".md":
                text = self.adopted(page, self.read(file), file)
            else:
                text = fence(self.read(file), LANGUAGES.get(path.suffix, "text"))
            title = "" if path.suffix == ".md" else f"{WIDE}# {file}\n\n"
            self.write(page, title + text)
