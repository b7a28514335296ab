"""Parses the output of `upsweep COMMAND --help`, which cli/process/help.cpp formats."""
import re
import subprocess

TEXT_COLUMN = 30  # the first column of the explanations


class Row:
    def __init__(self, left):
        self.left, self.what = left, ""

    @property
    def names(self):
        """-o and --output for "-o,--output OUT"."""
        return re.findall(r"(?<![\w-])(--?[\w][\w-]*)", self.left.split(" ")[0])

    @property
    def value(self):
        """OUT for "-o,--output OUT"; empty for a flag."""
        rest = re.split(r" (?:REQUIRED|Excludes:|Needs:|\(Env:)", self.left + " ")[0].split(" ", 1)
        return re.sub(r"\s*\.\.\.$|^=\S*$", "", rest[1].strip()) if len(rest) > 1 else ""

    @property
    def choices(self):
        """Words to complete: zero and skip for "zero|skip|X"."""
        words = re.split(r"[|{},]", self.value)
        return [w for w in words if re.fullmatch(r"[a-z][a-z0-9-]+", w)] if len(words) > 1 else []


class Help:
    def __init__(self, path, text):
        self.path, self.text = path, text
        lines = text.rstrip("\n").split("\n")
        usage = next(i for i, line in enumerate(lines) if line.startswith("Usage:"))
        self.about = " ".join(line.strip() for line in lines[:usage] if line.strip())
        at = usage + 1
        while at < len(lines) and lines[at].startswith(" " * 7):
            at += 1
        self.usage = " ".join(line.strip() for line in lines[usage:at])[len("Usage: "):]
        self.groups = []
        while at < len(lines):
            if not lines[at]:
                at += 1
            elif self.is_group(lines[at:at + 2]):
                at = self.take_group(lines, at)
            else:
                break
        self.footer = lines[at:]

    @staticmethod
    def is_group(lines):
        return (re.match(r"[A-Z][^.]*:$", lines[0]) and lines[0] != "Examples:" and len(lines) > 1
                and lines[1].startswith("  "))

    def take_group(self, lines, at):
        rows = []
        title = lines[at][:-1]
        at += 1
        while at < len(lines) and lines[at].startswith("  "):
            line = lines[at]
            if line.startswith(" " * TEXT_COLUMN):
                rows[-1].what += " " + line.strip()
            elif line.startswith(" " * 6):  # a long left part is on a separate line
                left, what = self.split(line)
                rows[-1].left += " " + left
                rows[-1].what += what
            else:
                left, what = self.split(line)
                rows.append(Row(left))
                rows[-1].what = what
            at += 1
        for row in rows:
            row.what = row.what.strip()
        self.groups.append((title, rows))
        return at

    @staticmethod
    def split(line):
        left, what = line[:TEXT_COLUMN], line[TEXT_COLUMN:]
        if what and not left.endswith(" "):
            return line.strip(), ""
        return left.strip(), " " + what

    @property
    def name(self):
        return " ".join(self.path)

    @property
    def options(self):
        return [row for _, rows in self.groups for row in rows if row.names]

    @property
    def commands(self):
        """(group, row) of each command below this one."""
        return [(title, row) for title, rows in self.groups for row in rows
                if not row.names and title != "Positionals" and re.fullmatch(r"[a-z0-9-]+", row.left)]

    @property
    def positionals(self):
        return [row for title, rows in self.groups for row in rows if title == "Positionals"]

    def parts(self):
        """The parts of the footer: ("text", paragraph) and ("code", lines)."""
        found = []
        for line in self.footer:
            kind = "code" if line.startswith(" ") else "text"
            if not line:
                found.append(None)
            elif found and found[-1] and found[-1][0] == kind and not re.match(r"Exit status|\w+:$", line):
                found[-1][1].append(line)
            else:
                found.append((kind, [line]))
        return [(kind, lines) for kind, lines in filter(None, found)]


def help_of(command, path=()):
    done = subprocess.run([command, "help", *path], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command} help {' '.join(path)}: {done.stderr.strip()}")
    return Help(("upsweep", *path), done.stdout)


def every_help(command, path=()):
    """The help of the command and of all commands below it, in order."""
    here = help_of(command, path)
    found = [here]
    for _, row in here.commands:
        found += every_help(command, (*path, row.left))
    return found
