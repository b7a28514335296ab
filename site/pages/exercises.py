"""The exercises as questions: the reader selects the faulty line and then the fix. The page then shows the output of the lens
before and after the fix. The questions are in lens/exercises: README.md and questions.json."""
import html
import json
import re

from book import Missing

PAGE, HERE = "learn/exercises.md", "lens/exercises"
PROMPT = "Click the line with the fault."


def plan(book):
    book.shows(PAGE, f"{HERE}/README.md", HERE)


def question(name, source, asked):
    lines = source.rstrip("\n").split("\n")
    right = [n for n, line in enumerate(lines, 1) if any(piece in line for piece in asked["where"])]
    if len(right) < len(asked["where"]) or sum(why is True for _, why in asked["fixes"]) != 1:
        raise Missing(f"{HERE}/questions.json: '{name}' names a line that its source does not have, "
                      "or does not have exactly one right fix")
    out = f'<div class="exercise" data-right="{json.dumps(right)}">\n<div class="code">'
    for n, line in enumerate(lines, 1):
        code = html.escape(line).replace("_", "&#95;").replace("*", "&#42;")
        out += f'<button type="button" class="line" data-line="{n}"><i>{n}</i>{code or " "}</button>'
    out += f'</div>\n<p class="verdict" role="status">{PROMPT}</p>\n<fieldset class="fixes" disabled><legend>Which fix?</legend>'
    for text, why in asked["fixes"]:
        word = "right" if why is True else html.escape(why)
        out += (f'<label><input type="radio" name="{name}" data-why="{word}"> {html.escape(text)}</label>')
    return out + "</fieldset>\n</div>\n"


def wrapped(text):
    """Lets blocks of findings wrap. Blocks with a table of counts stay as they are."""
    def block(match):
        if match[1] or re.search(r"^line  ", match[2], re.M):
            return match[0]
        return f"``` {{ .text .wrap }}\n{match[2]}```\n"
    return re.sub(r"^```(\w*)\n(.*?)^```$\n", block, text, flags=re.S | re.M)


def write(book):
    text, questions = book.read(f"{HERE}/README.md"), json.loads(book.read(f"{HERE}/questions.json"))
    for name, asked in questions.items():
        block = re.search(rf"<!-- {name} -->\n```cpp\n(.*?)```\n\n(.*?)<!-- /{name} -->\n", text, re.S)
        if not block:
            raise Missing(f"{HERE}/README.md has no exercise '{name}', which questions.json names")
        before = f'<details class="before" markdown>\n<summary>Output of the lens</summary>\n\n{block[2]}\n</details>\n'
        text = text[:block.start()] + question(name, block[1], asked) + "\n" + before + text[block.end():]
    book.copy(book.root / "site/theme/exercises.js", "lens/exercises.js")
    page = book.adopted(PAGE, wrapped(text), f"{HERE}/README.md")
    book.write(PAGE, "---\nhide:\n  - toc\n---\n\n" + page + '\n\n<script src="../lens/exercises.js"></script>\n')
