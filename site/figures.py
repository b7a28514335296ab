"""What results/ says: benches, the newest of each kind, times and ratios."""
import json


def time(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1 or unit == "µs":
            return f"{seconds * scale:.3g} {unit}"


def power(n):
    if n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    return f"2^{(n + 5).bit_length() - 1} − 5" if n > 1000 and (n + 5) & (n + 4) == 0 else f"{n:,}"


class Run:
    """One JSON file that `upsweep bench --json` wrote."""

    def __init__(self, file, data):
        self.file, self.data, self.rows = file, data, data["rows"]
        provenance = data["provenance"]
        self.date, self.commit = provenance["date"], provenance["commit"][:7]
        self.devices = {d["name"]: d["description"] for d in data["devices"]}

    @property
    def device(self):
        return ", ".join(dict.fromkeys(self.devices.values()))

    @property
    def told(self):
        return f"{self.device}; {self.date[:10]}, commit {self.commit}{'' if self.mended else ', before the bench was mended'}"

    @property
    def mended(self):
        """Whether each peer was timed at each of its settings, on input random in every bit (results/README.md)."""
        return "losses" in self.data or not any(r["who"].startswith("cub") for r in self.rows)

    def on(self, device):
        return [r for r in self.rows if device in self.devices.get(r["device"], "")]


def benches(book):
    """Newest first."""
    found = []
    for path in sorted((book.root / "results").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict) and data.get("kind") == "bench":
            found.append(Run(f"results/{path.name}", data))
    return sorted(found, key=lambda run: run.date, reverse=True)


def shape(row):
    """What ours and a peer's must have in common to be compared."""
    return tuple(row.get(k) for k in ("device", "form", "input", "operands", "n", "mode", "cache"))


def beside_peers(rows, own):
    """[(ours, the fastest peer)] of one run. Ours is what a call runs, where the run says it; else the library's own,
    of those names; else what there is."""
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
    """{primitive: (run, pairs)}: the newest run on that device that measured peers, cold, by device time."""
    found, own = {}, {v["name"] for v in book.catalog if v["kind"] == "library"}
    for run in book.benches:
        rows = [r for r in run.on(device) if r["mode"] == "kernel" and r["cache"] == "cold"]
        for primitive in dict.fromkeys(r["primitive"] for r in rows):
            pairs = beside_peers([r for r in rows if r["primitive"] == primitive], own)
            if pairs and primitive not in found:
                found[primitive] = (run, pairs)
    return found


def newest_time(book, name, device, backend):
    """(run, row) of a variant by its largest n in the newest run that has it on that backend, or None."""
    for run in book.benches:
        rows = [r for r in run.on(device) if r["who"] == name and r["device"].startswith(backend + ":")
                and r["mode"] == "kernel" and r["cache"] == "cold"]
        if rows:
            return run, max(rows, key=lambda r: r["n"])
    return None
