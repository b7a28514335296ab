"""The index of the site's search, from the one that MkDocs writes, and the other names of pages."""
import html
import json
import re

# Copies of sources and tables of figures are reached by links. They would make the index large.
NOT_SEARCHED = re.compile(r"source/|performance/(?!index)")
# Words that people search for, and the page that must be the first result. The build fails if there is no such page.
NAMES = {
    "guide/running-total.html": ["prefix sum", "prefix sums", "cumulative sum", "cumsum", "running sum", "running total", "accumulate"],
    "reference/scan.html": ["scan", "inclusive scan", "exclusive scan", "partial sum", "prefix scan"],
    "guide/sum.html": ["sum", "total", "fold", "accumulate", "reduction"],
    "reference/reduce.html": ["reduce"],
    "guide/sort.html": ["top k", "topk", "top-k", "nth element", "argsort", "order by", "k largest", "k smallest"],
    "reference/sort.html": ["sort", "radix sort", "stable sort"],
    "guide/group.html": ["groupby", "group by", "group", "aggregate", "reduce by key", "pivot"],
    "guide/keep.html": ["compaction", "stream compaction", "compact", "filter", "where", "copy if", "select", "remove if"],
    "guide/count.html": ["count", "histogram", "bincount", "value counts"],
    "guide/picture.html": ["blur", "convolution", "image", "edge detection", "stencil"],
    "guide/simulate.html": ["simulation", "gravity", "n-body", "nbody", "barnes hut"],
    "learn/machine.html": ["warp", "bank", "bank conflict", "divergence", "barrier", "syncthreads", "wavefront", "sector"],
    "learn/machine.html#coalescing": ["coalescing", "coalesced", "memory coalescing", "uncoalesced"],
    "learn/first.html": ["kernel", "first kernel", "cuda", "hello world", "tutorial"],
    "learn/sources.html": ["bibtex", "citation", "cite", "references"],
    "learn/lens.html": ["lens", "emulator", "race checker", "profiler"],
    "guide/building.html": ["install", "build", "cmake"],
    "guide/tasks.html": ["parlaylib", "twenty tasks"],
    "guide/which-call.html": ["which call", "choose", "own operator", "stable", "larger than memory"],
    "guide/from-std.html": ["std", "std execution", "standard library", "execution par", "transform reduce"],
    "guide/from-thrust.html": ["thrust", "port from thrust", "device vector", "counting iterator"],
    "guide/from-cub.html": ["cub", "port from cub", "devicereduce", "deviceradixsort", "devicescan"],
    "guide/from-numpy.html": ["numpy", "port from numpy", "reduceat"],
    "guide/from-cupy.html": ["cupy", "elementwisekernel"],
    "guide/from-pytorch.html": ["pytorch", "torch", "masked select", "segment reduce"],
    "guide/from-arrayfire.html": ["arrayfire", "setunique", "af"],
    "trust/determinism.html": ["determinism", "reproducible", "bit for bit"],
}


def plain(text):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text))).strip()


def write_index(folder, script):
    """Writes search/index.js, and returns the names whose pages do not exist."""
    index = folder / "search/search_index.json"
    docs = json.loads(index.read_text(encoding="utf-8"))["docs"]
    titles = {d["location"]: plain(d["title"]) for d in docs if "#" not in d["location"]}
    rows, missing = [], set(NAMES)
    for d in docs:
        where = d["location"] or "index.html"
        if NOT_SEARCHED.match(where):
            continue
        missing.discard(where)
        rows.append([where, plain(d["title"]), titles.get(d["location"].split("#")[0], ""), plain(d["text"])[:1500], NAMES.get(where, [])])
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    (folder / "search/index.js").write_text(f"upsweepSearch({text});\n", encoding="utf-8")
    (folder / "search/search.js").write_text(script, encoding="utf-8")
    index.unlink()
    return sorted(missing)
