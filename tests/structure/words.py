"""Rules about words: names and phrases of words.json where people from outside read them."""
import ast
import collections
import dataclasses
import functools
import io
import json
import pathlib
import re
import tokenize

import source
from figure import Figure
from tree import role

LIST = pathlib.Path(__file__).with_name("words.json")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
NOT_OURS = re.compile(r"(?:std|views|ranges|cuda|cub|thrust)::$")
LANGUAGES = {"c++", "c", "python"}


@dataclasses.dataclass
class Hit:
    path: str
    line: int
    word: str  # the row of the list
    text: str  # as it was found

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text!r}, in the list: {self.word}"


def rules(tree):
    for name, hits in {**name_scopes(tree), **prose_scopes(tree)}.items():
        yield Figure(name, len(hits), [str(h) for h in hits])


# Names

class Names:
    """The list's names for one file."""

    def __init__(self, path, language):
        self.whole, self.parts, self.patterns = {}, {}, []
        for row in load()["names"]:
            only = row.get("only", LANGUAGES)
            if language not in only and not any(path.endswith("/" + file) for file in only if file not in LANGUAGES):
                continue
            if any(path.endswith("/" + file) for file in row.get("except", ())):
                continue
            self.whole.update(dict.fromkeys(row.get("names", ())))
            self.parts.update(dict.fromkeys(row.get("parts", ())))
            if "pattern" in row:
                self.patterns.append((row["word"], re.compile(row["pattern"])))

    def of(self, identifier):
        if identifier in self.whole:
            return identifier
        return next((p for p in identifier.lower().split("_") if p in self.parts), None)


def names_in(path, language, code, line_of):
    names = Names(path, language)
    for match in IDENTIFIER.finditer(code):
        identifier = match.group()
        if language == "c":
            identifier = re.sub(r"^(?:upsweep|UPSWEEP)_", "", identifier)
        word = names.of(identifier)
        if word and not NOT_OURS.search(code, max(0, match.start() - 8), match.start()):
            yield Hit(path, line_of(match.start()), word, match.group())
    for word, pattern in names.patterns:
        for match in pattern.finditer(code):
            yield Hit(path, line_of(match.start()), word, " ".join(match.group().split()))


def cpp_names(tree, files, language="c++"):
    return [hit for f in files for hit in names_in(f, language, tree.code(f), functools.partial(tree.line_of, f))]


def name_scopes(tree):
    return {
        "banned names in public headers": cpp_names(tree, tree.public_headers),
        "banned names in c/upsweep.h": cpp_names(tree, c_header(tree), "c"),
        "banned names in the Python package": [hit for f in python_package(tree) for hit in python_names(tree, f)],
    }


def python_names(tree, path):
    code = python_code(tree.text(path))
    return names_in(path, "python", code, source.Lines(code).of)


def python_code(text):
    """Python without comments and strings; lines stay."""
    return python_parts(text)[0]


# Prose

def prose_hits(path, pieces):
    """Hits in pieces of prose, each with the line of its first character."""
    for first, text in pieces:
        in_one_line = text.replace("\n", " ")
        for word, pattern in prose_patterns():
            for match in pattern.finditer(in_one_line):
                yield Hit(path, first + text.count("\n", 0, match.start()), word, " ".join(match.group().split()))


def prose_scopes(tree):
    markdown = [f for f in tree.files if f.endswith(".md")]
    docs = [f for f in markdown if f == "README.md" or f.startswith("docs/")]
    site = [f for f in markdown if f.startswith("site/")]
    other = [f for f in markdown if f not in docs and f not in site and role(f) == "production"]
    site_code = [f for f in tree.files if f.startswith("site/") and f.endswith(".py")]
    command = [f for f in tree.production if f.startswith("cli/")]

    def hits(files, pieces):
        return [hit for f in files for hit in prose_hits(f, pieces(tree.text(f)))]

    return {
        "banned words in public headers": hits(tree.public_headers, comments),
        "banned words in c/upsweep.h": hits(c_header(tree), comments),
        "banned words in Python docstrings": hits(python_package(tree), docstrings),
        "banned words in README and docs": hits(docs, markdown_prose),
        "banned words in the site": hits(site, markdown_prose) + hits(site_code, python_strings),
        "banned words in --help texts": hits(command, sentences),
        "banned words in other Markdown": hits(other, markdown_prose),
    }


def comments(text):
    """Comments of C++; lines of // that follow each other are one."""
    at, block, first = 0, [], 0
    for match in source.TOKEN.finditer(text):
        if not match.group("comment"):
            continue
        comment = match.group()
        line = text.count("\n", 0, match.start()) + 1
        one = re.sub(r"^//+ ?", "", comment) if comment.startswith("//") else None
        if one is None:
            yield line, re.sub(r"(?m)^\s*/?\*+/? ?", "", comment[:-2])
        elif block and line == first + len(block) and not text[at:match.start()].strip():
            block.append(one)
        else:
            if block:
                yield first, "\n".join(block)
            block, first = [one], line
        at = match.end()
    if block:
        yield first, "\n".join(block)


def sentences(text):
    """String literals that are prose; literals that follow each other are one."""
    pieces, end = [], -1
    for match in source.TOKEN.finditer(text):
        literal = match.group("string")
        inside = match.group("inside") if match.group("raw") else literal and literal[1:-1].replace("\\n", " ")
        if inside is None:
            continue
        gap = text[end:match.start()] if end >= 0 else "x"
        if not gap.strip():
            pieces[-1][1] += "\n" * gap.count("\n") + inside
        else:
            pieces.append([text.count("\n", 0, match.start()) + 1, inside])
        end = match.end()
    return [(line, piece) for line, piece in pieces if piece.count(" ") > 1]


def docstrings(text):
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node):
            yield node.body[0].value.lineno, node.body[0].value.value


def markdown_prose(text):
    """Markdown with its code blanked."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r"(?ms)^[ \t]*(```|~~~).*?^[ \t]*\1[^\n]*$", blank, text)
    text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", blank, text)
    text = re.sub(r"\]\([^)\n]*\)", blank, text)
    return [(1, text)]


def python_strings(text):
    """Comments, and strings that are prose."""
    return [(line, piece) for line, piece in python_parts(text)[1] if piece.count(" ") > 1]


def python_parts(text):
    """Code without strings and comments, and these."""
    lines, prose = [list(line) for line in text.split("\n")], []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            prose.append((token.start[0], token.string.lstrip("#rRbBfFuU").strip("\"'")))
            for row in range(token.start[0], token.end[0] + 1):
                begin = token.start[1] if row == token.start[0] else 0
                end = token.end[1] if row == token.end[0] else len(lines[row - 1])
                lines[row - 1][begin:end] = " " * (end - begin)
    return "\n".join(map("".join, lines)), prose


# Where

def c_header(tree):
    return [f for f in ("c/upsweep.h",) if f in tree.known]


def python_package(tree):
    return [f for f in tree.files if f.startswith("python/upsweep/") and f.endswith((".py", ".pyi"))]


@functools.cache
def load():
    return json.loads(LIST.read_text(encoding="utf-8"))


@functools.cache
def prose_patterns():
    def compiled(row):
        return re.compile(any_spaces(row["pattern"]), 0 if row.get("case") else re.I)
    return [(row["word"], compiled(row)) for row in load()["prose"]]


def any_spaces(pattern):
    """A pattern in which each space is one or more; a lookbehind has a fixed length and stays."""
    pieces = re.split(r"(\(\?<[!=][^)]*\))", pattern)
    return "".join(p if p.startswith("(?<") else p.replace(" ", " +") for p in pieces)


def table(tree):
    """--words: of each row of the list, how often it is found where."""
    names, prose = name_scopes(tree), prose_scopes(tree)
    # No bound limits these two; a renaming meets them, too.
    names["in the library's code"] = cpp_names(tree, tree.library)
    prose["in the library's comments"] = [h for f in tree.library for h in prose_hits(f, comments(tree.text(f)))]
    fields = {}
    for row in load()["names"]:
        listed = [*row.get("names", ()), *row.get("parts", ()), *([row["word"]] if "word" in row else [])]
        fields.update(dict.fromkeys(listed, row["field"]))
    yield from rows("names", fields, names)
    yield ""
    yield from rows("prose", {row["word"]: row["field"] for row in load()["prose"]}, prose)


def rows(title, fields, scopes):
    counts = {scope: collections.Counter(h.word for h in hits) for scope, hits in scopes.items()}
    for number, scope in enumerate(scopes, 1):
        yield f"{title} {number}: {scope.removeprefix('banned names ').removeprefix('banned words ')}"
    yield f"{title:30}" + "".join(f"{n:>7}" for n in range(1, len(scopes) + 1)) + "  the field's word"
    for word, field in fields.items():
        if any(c[word] for c in counts.values()):
            yield f"{word:30}" + "".join(f"{c[word] or '':>7}" for c in counts.values()) + f"  {field}"
    yield f"{'all':30}" + "".join(f"{c.total():>7}" for c in counts.values())
