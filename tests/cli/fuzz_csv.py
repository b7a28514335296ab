"""Random CSV text, as the command reads it and as Python's csv module does: fuzz_csv.py COMMAND [SECONDS] [SEED]"""
import csv
import io
import os
import random
import subprocess
import sys
import tempfile
import time

command = os.path.abspath(sys.argv[1])
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 12
seed = sys.argv[3] if len(sys.argv) > 3 else str(random.randrange(1 << 32))
draw = random.Random(seed)
agreed = refused = differences = 0


def run(*arguments):
    done = subprocess.run([command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        raise SystemExit(f"seed {seed}: {arguments} ended with {done.returncode}: {done.stderr}")
    return done.stdout.decode() if done.returncode == 0 else None


def differ(what, text, got, wanted):
    global differences
    differences += 1
    print(f"seed {seed}, {what} of {text!r}: {got!r} is not {wanted!r}")


def rows_of(text, separator):
    """What Python reads, without blank lines; nothing where a quote is misplaced or a row is longer than the first."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error:
        return None
    if any(len(r) == 1 and r[0] and not r[0].strip(" \t") for r in rows):
        return None  # a blank line or quoted blanks: Python cannot distinguish them
    rows = [r for r in rows if r]
    width = len(rows[0]) if rows else 0
    return None if any(any(r[width:]) for r in rows) else rows


def random_text(separator):
    pieces = ["a", "b ", " c", "1", "-2.5", "007", "x" * 40, "''", 'q"q', '"', '""', "\t", "\u00e9", "-", "NA", "2020-01-02"]
    def field():
        kind = draw.random()
        if kind < 0.35:
            inside = "".join(draw.choice([*pieces, separator, "\n", "\r", "\r\n"]) for _ in range(draw.randrange(4)))
            return '"' + inside.replace('"', '""') + '"'
        plain = "".join(draw.choice(pieces) for _ in range(draw.randrange(3)))
        return plain if draw.random() < 0.03 or not plain.startswith('"') else "p" + plain
    end = draw.choice(["\n", "\r\n", "\r", None])
    columns = draw.randrange(2, 5)
    text = ""
    for _ in range(draw.randrange(1, 12)):
        n = columns if draw.random() < 0.9 else draw.randrange(1, columns + 1 + (draw.random() < 0.1))
        text += separator.join(field() for _ in range(n)) + (end or draw.choice(["\n", "\r\n", "\r"])) * draw.choice([1, 1, 1, 2])
    return text if draw.random() < 0.8 else text.rstrip("\r\n")


def fields_agree():
    """A column that is only moved has the fields that Python finds."""
    global agreed, refused
    separator = draw.choice([",", ";", "\t"])
    text = random_text(separator)
    with open("t.csv", "w", newline="") as file:
        file.write(text)
    rows = rows_of(text, separator)
    column = draw.randrange(max(len(rows[0]), 1)) if rows else 0
    for verb in (["sort"], ["sort", "--memory", "64K"]):
        out = run(*verb, "t.csv", "--column", str(column + 1), "--no-header", "--separator", separator)
        if out is None:
            refused += 1
            if rows:
                differ("refusal", text, None, rows)
            continue
        if rows is None:
            # Python's strict reader minds blanks behind a quote, and nothing else that is read here.
            continue
        got = sorted(r[0] for r in csv.reader(io.StringIO(out, newline=""), delimiter=separator) if r and r[0].strip())
        wanted = sorted(r[column] for r in rows if len(r) > column and r[column].strip())
        if got == wanted:
            agreed += 1
        else:
            differ(" ".join(verb), text, got, wanted)


def numbers_agree():
    """Integers of any size among missing values: sums, extremes, and rows in their order."""
    global agreed
    limit = draw.choice([10, 1 << 31, 1 << 53, 1 << 62])
    missing = ["", "NA", "nan", "null", "-", "N/A", "None", ' ""'.strip()]
    values = [draw.randrange(-limit, limit) if draw.random() < 0.85 else None for _ in range(draw.randrange(1, 40))]
    end = draw.choice(["\n", "\r\n", "\r"])
    texts = [draw.choice(missing) if v is None else draw.choice(["{}", " {}", '"{}"', "{} "]).format(v) for v in values]
    lines = [f"{i},{t}" for i, t in enumerate(texts)]
    with open("t.csv", "w", newline="") as file:
        file.write(end.join(["i,v", *lines]) + draw.choice(["", end]))
    known = [v for v in values if v is not None]
    total = run("reduce", "t.csv", "--column", "v", "--na", "skip")
    fits = -(1 << 63) <= sum(known) < 1 << 63
    if (total is None) == fits or (fits and int(total) != sum(known)):
        differ("sum", lines, total, sum(known))
    if known:
        for op, wanted in (("min", min(known)), ("max", max(known))):
            got = run("reduce", "t.csv", "--column", "v", "--na", "skip", "--op", op)
            if int(got) != wanted:
                differ(op, lines, got, wanted)
    for by, down in (("v", False), ("-v", True)):
        order = sorted(range(len(values)), key=lambda i: (values[i] is None, 0 if values[i] is None else -values[i] if down else values[i]))
        got = run("sort", "t.csv", "--by", by)
        wanted = end.join(["i,v", *(lines[i] for i in order)]) + end
        if got.encode() != wanted.encode():
            differ(f"sort --by {by}", lines, got, wanted)
    agreed += 1


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    began = time.monotonic()
    while time.monotonic() - began < seconds and differences < 10:
        fields_agree()
        numbers_agree()
print(f"seed {seed}: {agreed} texts agree with Python's csv, {refused} were refused, {differences} differences")
sys.exit(differences > 0)
