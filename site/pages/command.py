"""A page for each command, made from its --help."""
from book import fence
from contracts import code, prose


def page_of(help):
    return f"command/{'-'.join(help.path[1:]) or 'index'}.md"


def rows_table(rows, link=None):
    out = "| | |\n| --- | --- |\n"
    for row in rows:
        left = code(row.left)
        if link:
            left = f"[{left}]({link(row)})"
        out += f"| {left} | {prose(row.what)} |\n"
    return out


def footer(help):
    """The text below the options of a --help: sentences, and examples."""
    out = ""
    for kind, lines in help.parts():
        if kind == "code":
            least = min(len(line) - len(line.lstrip()) for line in lines)
            out += fence("\n".join(line[least:] for line in lines), "sh") + "\n"
        elif lines != ["Examples:"]:
            out += prose(" ".join(lines)) + "\n\n"
    return out


def write_one(book, help):
    out = f"# {help.name}\n\n{prose(help.about)}\n\n{fence(help.usage, 'sh')}\n{footer(help)}"
    below = {row.left for _, row in help.commands}
    for name, rows in help.groups:
        is_commands = rows and rows[0].left in below

        def link(row):
            return "-".join([*help.path[1:], row.left]) + ".md"
        out += f"## {name}\n\n" + rows_table(rows, link if is_commands else None) + "\n"
    book.write(page_of(help), out)


def write(book):
    for help in book.helps:
        write_one(book, help)
    nav = [("upsweep", "command/index.md")]
    for help in book.helps:
        if len(help.path) == 2:
            deeper = [(h.path[-1], page_of(h)) for h in book.helps if h.path[:2] == help.path and len(h.path) > 2]
            nav.append((help.path[1], [(help.path[1], page_of(help))] + deeper if deeper else page_of(help)))
    book.nav.append(("The command", nav))
