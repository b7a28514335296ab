"""Reads the benchmark runs of results/: the newest of each kind, times and ratios."""
import pathlib
import sys

# Last in the path, because results/ has a figures.py as well.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "results"))
import runs  # noqa: E402


def time(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1 or unit == "µs":
            return f"{seconds * scale:.3g} {unit}"


def power(n):
    if n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    return f"2^{(n + 5).bit_length() - 1} − 5" if n > 1000 and (n + 5) & (n + 4) == 0 else f"{n:,}"


class Run:
    """One run of `upsweep bench`."""

    def __init__(self, folder, name, data):
        self.folder, self.name, self.file, self.data, self.rows = folder, name, f"results/{name}.json", data, data["rows"]
        provenance = data["provenance"]
        self.date, self.commit = provenance["date"], provenance["commit"][:7]
        self.devices = {d["name"]: d["description"] for d in data["devices"]}

    @property
    def device(self):
        return ", ".join(dict.fromkeys(self.devices.values()))

    @property
    def label(self):
        return f"{self.device}; {self.date[:10]}, commit {self.commit}{'' if self.corrected else ', before the bench was corrected'}"

    @property
    def corrected(self):
        """Whether each peer was timed at all of its settings, on input with every bit random (results/README.md)."""
        return "losses" in self.data or not any(r["who"].startswith("cub") for r in self.rows)

    def raw(self):
        """The whole run, as the command wrote it."""
        return runs.raw(self.name, self.folder)

    def on(self, device):
        return [r for r in self.rows if device in self.devices.get(r["device"], "")]


def benches(book):
    """All benchmark runs, newest first."""
    found, folder = [], book.root / "results"
    for name in runs.names(folder=folder):
        data = runs.read(name, folder)
        if isinstance(data, dict) and data.get("kind") == "bench":
            found.append(Run(folder, name, data))
    return sorted(found, key=lambda run: run.date, reverse=True)


def shape(row):
    """The properties that two rows must share to be compared."""
    return tuple(row.get(k) for k in ("device", "form", "input", "operands", "n", "mode", "cache"))


def pairs_with_peers(rows, own):
    """[(ours, the fastest peer)] of one run. Ours is the fastest of the rows marked as chosen by a call; else of those
    with a name in `own`; else of all rows of ours."""
    pairs = []
    for key in dict.fromkeys(shape(r) for r in rows if r["peer"]):
        same = [r for r in rows if shape(r) == key]
        peers = [r for r in same if r["peer"]]
        ours = [r for r in same if not r["peer"]]
        ours = [r for r in ours if r["chosen"]] or [r for r in ours if r["who"] in own] or ours
        if ours:
            pairs.append((min(ours, key=lambda r: r["median_s"]), min(peers, key=lambda r: r["median_s"])))
    return pairs


def newest_with_peers(book, device):
    """{primitive: (run, pairs)} of the newest run on a device that measured peers: cold caches, device time."""
    found, own = {}, {v["name"] for v in book.catalog if v["kind"] == "tuned"}
    for run in book.benches:
        if run.name.endswith("-virtual"):  # kernels for older GPUs, compiled for this one by its driver
            continue
        rows = [r for r in run.on(device) if r["mode"] == "kernel" and r["cache"] == "cold"]
        rows = [r for r in rows if not r["who"].endswith("full-sort")]  # CUB's DeviceTopK would be the peer of top-k
        for primitive in dict.fromkeys(r["primitive"] for r in rows):
            pairs = pairs_with_peers([r for r in rows if r["primitive"] == primitive], own)
            if pairs and primitive not in found:
                found[primitive] = (run, pairs)
    return found


def newest_time(book, name, device, backend):
    """(run, row) of a variant with the largest n, in the newest run with that variant on that backend, or None."""
    for run in book.benches:
        rows = [r for r in run.on(device) if r["who"] == name and r["device"].startswith(backend + ":")
                and r["mode"] == "kernel" and r["cache"] == "cold"]
        if rows:
            return run, max(rows, key=lambda r: r["n"])
    return None
