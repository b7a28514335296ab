"""Reads the calls of docs/from-*.md and docs/which-call.md: tables with calls of Upsweep in the second column, and blocks of C++ with pairs of
statements, the second one of Upsweep.

pages.py --cpp OUT PAGE...       writes a function for each row of C++, for tests/migration/main.cpp
pages.py --names FOLDER PAGE...  fails if a name of Thrust or CUB in the first column is in no header of the FOLDER
"""
import pathlib
import re
import sys


def rows(page):
    """(line number, theirs, ours) of each row of a table whose second column is code, and of each pair of statements."""
    found, pair, in_block = [], [], False
    for number, line in enumerate(pathlib.Path(page).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```") or (in_block and not line):
            if pair:
                first = next(at for at, code in enumerate(pair) if "upsweep::" in code)
                found.append((number - len(pair), " ".join(pair[:first]), "\n".join(pair[first:])))
            pair, in_block = [], in_block != line.startswith("```")
        elif in_block:
            pair.append(line.strip())
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if len(cells) >= 2 and re.fullmatch(r"`[^`]+`", cells[1]):
            found.append((number, cells[0].strip("`"), cells[1].strip("`")))
    return found


def cpp(out, pages):
    text, table = "", ""
    for page in pages:
        name = pathlib.Path(page).name
        for number, theirs, ours in rows(page):
            at = f"{name[:-3].replace('-', '_')}_{number}"
            compared = theirs.endswith(";")  # a statement of the standard library
            for side, code in (("ours", ours), ("theirs", theirs)):
                if side == "ours" or compared:
                    text += f'void {at}_{side}(state& s) {{\n  UPSWEEP_NAMES(s)\n#line {number} "docs/{name}"\n  {code}\n}}\n'
            table += f'    {{"docs/{name}:{number}: {theirs.split("(")[0]}", {at}_ours, {at + "_theirs" if compared else "nullptr"}}},\n'
    text += f"const std::vector<row> rows{{\n{table}}};\n"
    path = pathlib.Path(out)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def names(folder, pages):
    words = set()
    for header in pathlib.Path(folder).rglob("*.[hc]*"):
        if header.suffix in (".h", ".cuh", ".hpp"):
            words.update(re.findall(r"\w+", header.read_text(encoding="utf-8", errors="replace")))
    if len(words) < 1000:
        sys.exit(f"{folder} has no headers")
    wrong = [f"{page}:{number}: {theirs}" for page in pages for number, theirs, _ in rows(page)
             if not set(theirs.split("::")[1:]) <= words]
    if wrong:
        sys.exit(f"no header in {folder} has these names:\n" + "\n".join(wrong))


if __name__ == "__main__":
    {"--cpp": cpp, "--names": names}[sys.argv[1]](sys.argv[2], sys.argv[3:])
