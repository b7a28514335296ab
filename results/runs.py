"""The runs that results/ keeps: what upsweep's commands and the tools of this repository measured and checked.

raw.zip has each run as it was written, byte for byte. NAME.json is the run's extract: the fields that pages are made
of.

    read("h200-bench-sort")      the extract, one dict a row; the whole run where there is no extract
    whole("h200-bench-sort")     the whole run, out of raw.zip
    names("*-bench-*")           names of runs
    earlier(path)                the whole run that a tool continues: the file, or the run of its name in raw.zip

add.py adds runs; fetch lists and extracts them.
"""
import copy
import fnmatch
import io
import json
import lzma
import pathlib
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parent
ABOUT = "an extract: `results/fetch {}` writes the whole run"

# By the run's kind, what its extract leaves out and which rows share a line. "drop" names members of the run. "tables"
# are lists of rows: rows with the same values of "by" share a line, and "drop" names members of a row. "suites/files"
# are the files of each of the suites.
EXTRACTS = {
    "bench": {"drop": ["absent"], "tables": {
        "devices/ceilings": {"drop": ["seconds", "amount", "how"]},
        "rows": {"by": ["primitive", "device", "type", "op", "inclusive", "form", "input", "operands", "mode", "cache",
                        "who", "version", "setting"],
                 "drop": ["p10_s", "p90_s", "fastest_s", "samples", "bytes_per_s", "elements_per_s", "error", "ours",
                          "ratio"]},
        "losses": {"by": ["device", "cache", "ours", "peer", "version", "setting"]}}},
    "check": {"tables": {"results": {"by": ["device", "description"], "drop": ["seconds"]}}},
    "check-drawn": {},
    "checkers": {"tables": {"results": {"by": ["tool", "commit"],
                                        "drop": ["max_n", "seconds", "seed", "summary", "reports", "text"]}}},
    "example": {},
    "examples": {},
    "fuzz": {"tables": {"runs/results": {"by": []}}},
    "group-bench": {},
    "lens-truth": {"tables": {"rows": {"by": ["rung"]}}},
    "mutants": {"tables": {"results": {"by": ["is", "becomes"],
                                       "drop": ["mutant", "file", "line", "code", "by", "asked"]}}},
    "peers-tests": {"tables": {"suites/files": {"by": ["commit"]},
                               "suites/not_passed": {"by": ["file", "outcome", "why"]}}},
    "python-bench": {"tables": {"results": {"by": ["call", "type", "shape"], "drop": ["least", "most"]}}},
    "table": {},
}
WIDTH = 2000  # of a line, where what it has can be divided


def text_of(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# Tables. Rows that share a line have the same members, and so have the objects in them.

def members(value):
    return tuple((k, members(v)) for k, v in sorted(value.items())) if isinstance(value, dict) else None


def columns(rows):
    """What all rows have in common, and a list for each member in which they differ."""
    same, differ = {}, {}
    for key, first in rows[0].items():
        values = [r[key] for r in rows]
        if isinstance(first, dict) and first:
            inner_same, inner_differ = columns(values)
            if inner_same:
                same[key] = inner_same
            if inner_differ:
                differ[key] = inner_differ
        elif len({text_of(v) for v in values}) == 1:
            same[key] = first
        else:
            differ[key] = values
    return same, differ


def packed(rows, by):
    """{"shared": members that all rows have in common, "lines": [line], "order": place in the list of each row}.

    A line is [members that its rows have in common, {member: list}], [members] where it is one row, and
    [members, {}, count] where its rows are equal. There is no order where the lines have the rows in order.
    """
    def is_shared(key):
        first = rows[0][key]
        return not isinstance(first, dict) and all(key in r and text_of(r[key]) == text_of(first) for r in rows)

    shared = {k: rows[0][k] for k in rows[0] if is_shared(k)} if len(rows) > 1 else {}
    groups = {}
    for place, row in enumerate(rows):
        rest = {k: v for k, v in row.items() if k not in shared}
        groups.setdefault((text_of([row.get(k) for k in by]), members(rest)), []).append((place, rest))
    lines, order = [], []
    for group in groups.values():
        same, differ = columns([row for _, row in group])
        lines.append([same, differ] if differ else [same, {}, len(group)] if len(group) > 1 else [same])
        order += [place for place, _ in group]
    return {"shared": shared, "lines": lines} | ({"order": order} if order != sorted(order) else {})


def count(differ):
    inner = next(iter(differ.values()))
    return count(inner) if isinstance(inner, dict) else len(inner)


def put(row, differ, at):
    for key, value in differ.items():
        if isinstance(value, dict):
            put(row.setdefault(key, {}), value, at)
        else:
            row[key] = value[at]
    return row


def unpacked(table):
    rows = []
    for same, differ, *many in ([*line, {}] if len(line) == 1 else line for line in table["lines"]):
        for at in range(count(differ) if differ else many[0] if many else 1):
            rows.append(put({**copy.deepcopy(table["shared"]), **copy.deepcopy(same)}, differ, at))
    return [row for _, row in sorted(zip(table["order"], rows), key=lambda pair: pair[0])] if "order" in table else rows


# Extracts.

def change(tree, path, how):
    """Replaces the list at the path, of each element where the path leads through a list."""
    first, _, rest = path.partition("/")
    if rest:
        tree[first] = [change(dict(one), rest, how) for one in tree[first]]
    elif tree.get(first):
        tree[first] = how(tree[first])
    return tree


def extract(run):
    """What pages need of a run; None where no page is made of runs of its kind."""
    spec = EXTRACTS.get(run.get("kind")) if isinstance(run, dict) else None
    if spec is None:
        return None
    out = {k: v for k, v in run.items() if k not in spec.get("drop", [])}
    for path, table in spec.get("tables", {}).items():
        gone = table.get("drop", [])
        change(out, path, lambda rows: [{k: v for k, v in row.items() if k not in gone} for row in rows])
    if run["kind"] == "bench":
        # Of all peers that the program knows those that this run timed, and of a peer's settings the fastest.
        timed = {r["who"] for r in run["rows"]}
        known = dict.fromkeys((p["name"], p["version"]) for p in run["peers"])
        out["peers"] = [{"name": name, "version": version} for name, version in known if name in timed]
        out["rows"] = [r for r in out["rows"] if r.get("stands", True)]
    return out


def packed_table(value):
    return isinstance(value, dict) and list(value)[:2] == ["shared", "lines"]


def value_has_more(value):
    """Whether there are lists or objects in a list or an object."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return any(isinstance(v, (dict, list)) for v in inner)


def layout(value, indent):
    """JSON, an element a line where it is wide, and a table's line always a line."""
    line = text_of(value)
    is_table = packed_table(value)
    divided = is_table or len(line) > WIDTH and value_has_more(value)
    if isinstance(value, dict) and divided:
        parts = [f"{text_of(k)}:{layout(v, indent + ' ') if k != 'lines' or not is_table else rows_of(v, indent + ' ')}"
                 for k, v in value.items()]
    elif divided:
        parts = [layout(v, indent + " ") for v in value]
    else:
        return line
    begin, end = line[0], line[-1]
    return begin + "\n" + ",\n".join(f"{indent} {p}" for p in parts) + "\n" + indent + end


def rows_of(lines, indent):
    return "[\n" + ",\n".join(f"{indent} {text_of(line)}" for line in lines) + "\n" + indent + "]"


def extract_text(name, run):
    """The text of NAME.json; None where runs of that kind have no extract."""
    out = extract(run)
    if out is None:
        return None
    for path, table in EXTRACTS[run["kind"]].get("tables", {}).items():
        if "by" in table:
            change(out, path, lambda rows: packed(rows, table["by"]))
    parts = [f"{text_of(k)}:{layout(v, '')}" for k, v in {"about": ABOUT.format(name), **out}.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def is_extract(tree):
    return isinstance(tree, dict) and str(tree.get("about", "")).startswith(ABOUT.split("{")[0])


def from_extract(tree):
    """The extract with a dict for each row."""
    def rows(value):
        if packed_table(value):
            return unpacked(value)
        if isinstance(value, dict):
            return {k: rows(v) for k, v in value.items()}
        return [rows(v) for v in value] if isinstance(value, list) else value

    return {k: rows(v) for k, v in tree.items() if k != "about"}


# The archive. Its members are .xz files, which the zip file does not compress again: a member's bytes stay the same
# when another run is added, and `unzip -p raw.zip NAME.json.xz | xz -d` reads one without this module.

def file_name(name):
    return name if name.endswith((".json", ".txt")) else f"{name}.json"


def archived(folder=FOLDER):
    """Names of the files that the archive has."""
    if not (folder / "raw.zip").exists():
        return []
    with zipfile.ZipFile(folder / "raw.zip") as archive:
        return [n.removesuffix(".xz") for n in archive.namelist()]


def raw(name, folder=FOLDER):
    """A run as it was written, in bytes. KeyError where there is none of that name."""
    if file_name(name) not in archived(folder):
        raise KeyError(f"results/raw.zip has no run {name}; results/fetch lists them")
    with zipfile.ZipFile(folder / "raw.zip") as archive:
        return lzma.decompress(archive.read(file_name(name) + ".xz"))


def store(files, folder=FOLDER):
    """Puts files, {name: bytes}, into the archive; those of the same names are replaced."""
    path = folder / "raw.zip"
    kept = {}
    if path.exists():
        with zipfile.ZipFile(path) as archive:
            kept = {n: archive.read(n) for n in archive.namelist()}
    for name, data in files.items():
        packed_before = kept.get(name + ".xz")
        if packed_before is None or lzma.decompress(packed_before) != data:
            how = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]  # text
            kept[name + ".xz"] = lzma.compress(data, check=lzma.CHECK_CRC32, filters=how)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(kept):
            about = zipfile.ZipInfo(name)  # of 1980-01-01: the same runs are the same bytes
            about.create_system, about.external_attr = 3, 0o644 << 16
            archive.writestr(about, kept[name])
    temp = path.with_name(f".{path.name}.part")
    temp.write_bytes(out.getvalue())
    temp.replace(path)


# What tools call.

def names(pattern="*", folder=FOLDER):
    """Names of the runs that match, in the order of their files."""
    files = {n for n in archived(folder) if n.endswith(".json")} | {p.name for p in folder.glob("*.json")}
    return [n.removesuffix(".json") for n in sorted(files) if fnmatch.fnmatchcase(n.removesuffix(".json"), pattern)]


def whole(name, folder=FOLDER):
    return json.loads(raw(name, folder))


def read(name, folder=FOLDER):
    path = folder / file_name(name)
    if not path.exists():
        return whole(name, folder)
    tree = json.loads(path.read_text(encoding="utf-8"))
    return from_extract(tree) if is_extract(tree) else tree


def earlier(path, folder=FOLDER):
    """None where there is neither the file nor a run of its name."""
    if path.exists():
        tree = json.loads(path.read_text(encoding="utf-8"))
        if not is_extract(tree):
            return tree
    try:
        return whole(path.name, folder)
    except KeyError:
        return None
