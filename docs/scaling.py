#!/usr/bin/env python3
"""The tables of docs/scaling.md: a model of time against ranks, from constants that were measured.

    docs/scaling.py          rewrites the text between <!-- NAME --> and <!-- /NAME --> in docs/scaling.md
    docs/scaling.py --check  changes nothing, and fails if that text is out of date

CPU constants come from the run cpu-bench-group of results/, by `upsweep bench --group cpu:1,cpu:1 --json`.
"""
import math
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.append(str(here.parent / "results"))
import runs  # noqa: E402

page = here / "scaling.md"

# One H200, CUDA 13.0, kernel time, caches cold: elements a second at 2^28 (bodies: at 2^20 all pairs, at 2^24 the tree),
# bytes a second of a copy, read and written.
H200 = {
    "reduce": 2**28 / 249e-6,
    "scan": 2**28 / 518e-6,
    "sort": 2**28 / 4246e-6,
    "select": 2**28 / 429e-6,
    "histogram": 2**28 / 436e-6,
    "copy": 4306e9,
    "pairs": 2.83e12,
    "walk": 2**24 / 57.1e-3,
    "build": 2**24 / 4.1e-3,
}
# Two H200 of one host, NCCL 2.28: a small exchange, and bytes a second one way with both ways under way.
NVLINK = {"alpha": 19e-6, "beta": 360e9}
# Between hosts nothing was measured: one adapter of 400 Gb/s for each GPU, nine tenths of it reached, and a small exchange
# of 25 us. Eight GPUs a host.
NETWORK = {"alpha": 25e-6, "beta": 45e9}
A_HOST = 8
HOST = 30e-6  # of a call's own steps between exchanges, on the host; not measured


def way(p):
    return NVLINK if p <= A_HOST else NETWORK


def small(p, steps=1):
    """Seconds of `steps` exchanges of a few bytes between p ranks, and of one at the end of the call: ceil(log2 p) rounds each."""
    return 0.0 if p == 1 else (steps + 1) * way(p)["alpha"] * math.ceil(math.log2(p)) + HOST


def all_to_all(p, bytes_sent):
    """Seconds of an exchange in which each rank sends this many bytes, evenly to all ranks."""
    return 0.0 if p == 1 else (p - 1) * way(p)["alpha"] / 4 + bytes_sent / way(p)["beta"]


def ring(p, bytes_in_all):
    """Seconds until every rank has received all parts, in p - 1 steps."""
    return 0.0 if p == 1 else (p - 1) * (way(p)["alpha"] + bytes_in_all / p / way(p)["beta"])


def reduce(n, p):
    return n / p / H200["reduce"] + small(p)


def scan(n, p):
    return n / p / H200["scan"] + (n / p / H200["reduce"] if p > 1 else 0) + small(p)


def select(n, p):
    return n / p / H200["select"] + small(p)


def histogram(n, p):
    return n / p / H200["histogram"] + small(p) + (256 * 8 * p / way(p)["beta"] if p > 1 else 0)


def sort(n, p):
    own = n / p
    if p == 1:
        return own / H200["sort"]
    merges = math.ceil(math.log2(p)) * own * 8 / (H200["copy"] / 2)  # half as fast as a copy
    return own / H200["sort"] + all_to_all(p, own * 4 * (p - 1) / p) + merges + small(p, 3)


def all_pairs(n, p):
    exchanged = ring(p, 16 * n) + all_to_all(p, 16 * n * (p - 1) / p)
    return n * n / p / H200["pairs"] + (exchanged + small(p, 2) if p > 1 else 0)


def tree(n, p):
    return n / H200["build"] + n / p / H200["walk"] + (2 * ring(p, 16 * n) + small(p, 3) if p > 1 else 0)


def domains(n, p):
    """The walks need parts of other ranks' trees: about 1000 own^(2/3) bytes, counted on CPUs, and the coarsest cells of each."""
    if p == 1:
        return tree(n, 1)
    own = n / p
    merges = math.ceil(math.log2(p)) * own * 24 / (H200["copy"] / 2)  # of keys and numbers
    bodies = all_to_all(p, own * (12 + 4 + 16 + 16) * (p - 1) / p)
    essential = all_to_all(p, 1000 * own ** (2 / 3) + 4096 * (p - 1))
    return own / H200["build"] + own / H200["walk"] + merges + bodies + essential + small(p, 30)


CALLS = [
    ("reduce u32", reduce, 2**31),
    ("inclusive scan u32", scan, 2**31),
    ("select u32, half kept", select, 2**31),
    ("histogram u32, 4096 bins", histogram, 2**31),
    ("sort u32", sort, 2**31),
    ("all pairs, f32", all_pairs, 2**20),
    ("the whole tree, θ 0.5, cube", tree, 2**26),
    ("the tree by domains", domains, 2**26),
]


def time(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1 or unit == "µs":
            return f"{seconds * scale:.3g} {unit}"


def power(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}"


def stops(call, n):
    """The number of ranks, a power of two, beyond which twice as many gain less than a fifth."""
    p = 1
    while p < 2**20 and call(n, p) / call(n, 2 * p) > 1.2:
        p *= 2
    return p


def strong():
    lines = ["| call | n in all | 1 GPU | 2 | 8 | 64 | 1024 | twice as many gain < 20 % from |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for name, call, n in CALLS:
        one = call(n, 1)
        cells = [f"{time(call(n, p))} ({one / call(n, p):.3g}×)" for p in (2, 8, 64, 1024)]
        lines.append(f"| {name} | {power(n)} | {time(one)} | " + " | ".join(cells) + f" | {stops(call, n)} |")
    return lines


def weak():
    lines = ["| call | n a GPU | 1 GPU | 2 | 8 | 64 | 1024 |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for name, call, n in CALLS:
        if call is all_pairs:  # twice the bodies are four times the work
            continue
        own = n // 8
        one = call(own, 1)
        cells = [f"{time(call(own * p, p))} ({one / call(own * p, p):.0%})" for p in (2, 8, 64, 1024)]
        lines.append(f"| {name} | {power(own)} | {time(one)} | " + " | ".join(cells) + " |")
    return lines


def measured():
    run = runs.read("cpu-bench-group")
    p = len(run["members"])
    alpha = run["note"]["median_s"]
    largest = max(run["rows"], key=lambda r: r["bytes_sent_by_each"])
    beta = largest["exchange_bytes_per_s"]
    told = run["provenance"]
    lines = [f"{p} ranks of one thread each, {told['cpu']}, {told['date'][:10]}, commit {told['commit'][:7]}. A call with one small message: α = {time(alpha)}; an",
             f"exchange of {largest['bytes_sent_by_each'] / 2**20:.0f} MiB: β = {beta / 1e9:.3g} GB/s.", "",
             "| call | n | one rank alone | group | speed-up | the model | sent by each | bus | exchange alone |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for r in run["rows"]:
        one, sent = r["alone"]["median_s"], r["bytes_sent_by_each"]
        calls = {"sort": 2.5, "tree": 2.5, "tree by domains": 15, "all pairs": 2}.get(r["primitive"], 1)  # half of its exchanges, and its end
        parted = one / p
        if r["primitive"] == "scan":
            reduces = [q for q in run["rows"] if q["primitive"] == "reduce" and q["n"] == r["n"]]
            parted += reduces[0]["alone"]["median_s"] / p
        told_by_model = parted + calls * alpha + (2 if r["primitive"] == "tree" else 1) * sent / beta
        bus = [f"{r[of] / 1e9:.3g} GB/s" if sent >= 2**15 else "" for of in ("bus_bytes_per_s", "exchange_bytes_per_s")]
        lines.append(f"| {r['primitive']} | {power(r['n'])} | {time(one)} | {time(r['group']['median_s'])} | {r['speedup']:.3g} | {one / told_by_model:.3g} | "
                     f"{sent:,} B | {bus[0]} | {bus[1]} |")
    return lines


def main():
    text = page.read_text()
    filled = text
    for name, lines in (("measured", measured()), ("strong", strong()), ("weak", weak())):
        filled, found = re.subn(f"<!-- {name} -->\n.*?<!-- /{name} -->",
                                lambda _: f"<!-- {name} -->\n" + "\n".join(lines) + f"\n<!-- /{name} -->", filled, flags=re.S)
        if found != 1:
            sys.exit(f"{page}: the marker '{name}' is missing")
    if "--check" in sys.argv[1:]:
        if filled != text:
            sys.exit(f"{page}: its tables are out of date; run docs/scaling.py")
    else:
        page.write_text(filled)


main()
