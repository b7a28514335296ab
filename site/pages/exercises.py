"""The exercises as questions: the visitor points at a line and picks the mend, and the lens's word, before and after, comes to
light. What is asked stands in lens/exercises: README.md, mends.json."""
import html
import json
import re

from book import Missing

PAGE, HERE = "ladder/exercises.md", "lens/exercises"
SAID = "Point at the line where it goes wrong."


def plan(book):
    book.shows(PAGE, f"{HERE}/README.md", HERE)


def question(name, source, mends):
    lines = source.rstrip("\n").split("\n")
    right = [n for n, line in enumerate(lines, 1) if any(piece in line for piece in mends["where"])]
    if len(right) < len(mends["where"]) or sum(m[1] is True for m in mends["mends"]) != 1:
        raise Missing(f"{HERE}/mends.json: what is asked of '{name}' is not in its source, or has no one mend")
    out = f'<div class="exercise" data-right="{json.dumps(right)}">\n<div class="code">'
    for n, line in enumerate(lines, 1):
        code = html.escape(line).replace("_", "&#95;").replace("*", "&#42;")
        out += f'<button type="button" class="line" data-line="{n}"><i>{n}</i>{code or " "}</button>'
    out += f'</div>\n<p class="told" role="status">{SAID}</p>\n<fieldset class="mends" disabled><legend>Which mend?</legend>'
    for text, why in mends["mends"]:
        word = "right" if why is True else html.escape(why)
        out += (f'<label><input type="radio" name="{name}" data-why="{word}"> {html.escape(text)}</label>')
    return out + "</fieldset>\n</div>\n"


def write(book):
    text, mends = book.read(f"{HERE}/README.md"), json.loads(book.read(f"{HERE}/mends.json"))
    for name, asked in mends.items():
        block = re.search(rf"<!-- {name} -->\n```cpp\n(.*?)```\n\n(.*?)<!-- /{name} -->\n", text, re.S)
        if not block:
            raise Missing(f"{HERE}/README.md has no exercise '{name}', which mends.json asks about")
        before = f'<details class="before" markdown>\n<summary>What the lens says of it</summary>\n\n{block[2]}\n</details>\n'
        text = text[:block.start()] + question(name, block[1], asked) + "\n" + before + text[block.end():]
    book.copy(book.root / "site/theme/exercises.js", "lens/exercises.js")
    page = book.adopted(PAGE, text, f"{HERE}/README.md")
    book.write(PAGE, page + '\n\n<script src="../lens/exercises.js"></script>\n')
