"""Manual pages, made from the --help of every command: upsweep.1, upsweep-sort.1, …"""
import re

SECTION = 1


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text)


def bold_names(left):
    """Formats "-o,--output OUT" with bold names and an italic value."""
    names, _, value = left.partition(" ")
    if not names.startswith("-"):
        return f"\\fB{escaped(left)}\\fR" if re.fullmatch(r"[a-z0-9-]+", left) else f"\\fI{escaped(left)}\\fR"
    bold = ", ".join(f"\\fB{escaped(n)}\\fR" for n in names.split(","))
    return bold + (f" \\fI{escaped(value)}\\fR" if value else "")


def file_of(help):
    return "-".join(help.path) + f".{SECTION}"


def code(lines):
    return ".PP\n.nf\n" + "".join(f"{escaped(line)}\n" for line in lines) + ".fi\n"


def page(help, version, all_of_them):
    name = "-".join(help.path)
    about = help.about.rstrip(".")
    out = f'.TH {escaped(name.upper())} {SECTION} "" "upsweep {version}" "Upsweep"\n'
    out += f".SH NAME\n{escaped(name)} \\- {escaped(about[:1].lower() + about[1:])}\n"
    out += f".SH SYNOPSIS\n{escaped(help.usage)}\n"
    status, more = [], []
    for kind, lines in help.parts():
        (status if lines[0].startswith("Exit status") else more).append((kind, lines))
    texts = [lines for kind, lines in more if kind == "text" and lines != ["Examples:"]]
    if texts:
        out += ".SH DESCRIPTION\n" + ".PP\n".join(escaped(" ".join(lines)) + "\n" for lines in texts)
    for title, rows in help.groups:
        out += f".SH {escaped(title.upper())}\n"
        for row in rows:
            out += f".TP\n{bold_names(row.left)}\n{escaped(row.what) or '.'}\n"
    examples = [lines for kind, lines in more if kind == "code"]
    if examples:
        out += ".SH EXAMPLES\n" + "".join(code(lines) for lines in examples)
    for _, lines in status:
        out += ".SH EXIT STATUS\n" + escaped(" ".join(lines).removeprefix("Exit status: ")) + "\n"
    near = [h for h in all_of_them if h is not help and (h.path[:-1] == help.path or h.path == help.path[:-1])]
    if near:
        out += ".SH SEE ALSO\n" + ",\n".join(f"\\fB{escaped('-'.join(h.path))}\\fR({SECTION})" for h in near) + "\n"
    return out


def write(helps, version, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for help in helps:
        (folder / file_of(help)).write_text(page(help, version, helps), encoding="utf-8")
