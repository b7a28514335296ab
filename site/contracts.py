"""Converts the comment at the top of a public header, its contract, to Markdown."""
import html
import re

from book import fence

# "Result       exclusive: …": one or two words, and their text.
FIELD = re.compile(r"^([A-Z][\w–-]*(?: \w+)?) {2,}(\S.*)$")
TERM = re.compile(r"^ {2,4}(\S.*?) {2,}(\S.*)$")


def comment_of(header):
    lines = []
    for line in header.split("\n"):
        if not line.startswith("//"):
            break
        lines.append(line[3:] if line.startswith("// ") else line[2:])
    return lines


def is_code(block):
    looks = re.compile(r"upsweep::|[;{}]\s*(//|$)")
    return all(line.startswith("  ") for line in block) and any(looks.search(line) for line in block)


def prose(text):
    """Escapes Markdown and HTML, and formats names of files as code."""
    def of(part):
        part = html.escape(part, quote=False).replace("|", "&#124;")
        return re.sub(r"([*_\[\]\\#])", r"\\\1", part)
    parts = re.split(r"(`[^`]+`|\b[\w/]+\.(?:hpp|cuh|cpp|cu|md)\b)", text)
    return "".join(of(part) if i % 2 == 0 else code(part.strip("`")) for i, part in enumerate(parts))


def code(text):
    """Inline code that is also valid in a cell of a table."""
    return f"<code>{html.escape(text, quote=False).replace('|', '&#124;')}</code>" if "|" in text else f"`{text}`"


def blocks_of(lines):
    block = []
    for line in lines + [""]:
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []


def terms(block, indent=""):
    """Table rows of names and their explanations. Other lines continue the previous row."""
    rows = []
    for line in block:
        term = TERM.match(line)
        if term:
            rows.append([term[1], term[2]])
        elif rows:
            rows[-1][1] += " " + line.strip()
        else:
            rows.append(["", line.strip()])
    return "".join(f"{indent}| {code(name) if name else ''} | {prose(text)} |\n"
                   for name, text in rows)


def fields(block):
    """A table of fields and their texts. Terms that are indented below a field become rows of their own."""
    out = "| | |\n| --- | --- |\n"
    rows = []
    for line in block:
        field, term = FIELD.match(line), TERM.match(line)
        if field:
            rows.append([f"**{field[1]}**", field[2]])
        elif term and len(line) - len(line.lstrip()) <= 4:
            rows.append([f"&emsp;{code(term[1])}", term[2]])
        else:
            rows[-1][1] += " " + line.strip()
    return out + "".join(f"| {name} | {prose(text)} |\n" for name, text in rows)


def markdown_of(comment):
    """The comment above a declaration: fields, as at the top of a header, or sentences."""
    if FIELD.match(comment[0]):
        return fields(comment)
    return prose(" ".join(comment))


def contract(header, name):
    """The title and the text of the contract, as Markdown."""
    lines = comment_of(header)
    blocks = list(blocks_of(lines))
    title, parts = "", []
    for at, block in enumerate(blocks):
        if at == 0:
            title = prose(" ".join(line.strip() for line in block))
            prefix = f"{name}: ".replace("_", "\\_")
            if title.startswith(prefix):
                title = title[len(prefix):]
            title = title[:1].upper() + title[1:]
        elif FIELD.match(block[0]):
            parts.append(fields(block))
        elif is_code(block):
            least = min(len(line) - len(line.lstrip()) for line in block)
            parts.append(fence("\n".join(line[least:] for line in block), "cpp"))
        elif TERM.match(block[0]):
            parts.append("| | |\n| --- | --- |\n" + terms(block))
        else:
            parts.append(prose(" ".join(line.strip() for line in block)) + "\n")
    return title, "\n".join(parts)
