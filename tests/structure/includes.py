"""Rules about includes: cycles, layers, and the size of what is behind a public header."""
import functools
import os
import re

from figure import Figure, counted
from tree import BASE, folder, role

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.M)
ABOVE_THE_LIBRARY = {"cli", "lens", "peers", "c", "python"}


@functools.cache
def include_graph(tree):
    """file → {included file of the project: line}."""
    graph = {}
    for path in tree.cpp:
        graph[path] = {}
        for match in INCLUDE.finditer(tree.text(path)):
            name = match.group(1)
            in_its_folder = os.path.normpath(os.path.join(os.path.dirname(path), name)).replace(os.sep, "/")
            for candidate in (name, in_its_folder):
                if candidate in tree.known and candidate != path:
                    graph[path].setdefault(candidate, tree.line_of(path, match.start(1)))
                    break
    return graph


def components(nodes, edges):
    """The strongly connected components of two nodes or more (Tarjan, without recursion)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for root in nodes:
        if root in index:
            continue
        work = [(root, iter(edges(root)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(edges(other))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = set(stack[stack.index(node):])
                    del stack[stack.index(node):]
                    on_stack -= component
                    if len(component) > 1:
                        found.append(sorted(component))
    return found


def crossing(graph, files, wrong):
    """Findings for each include from one of `files` to a file for which `wrong(path, included)` holds."""
    for path in files:
        for included, line in graph[path].items():
            if wrong(path, included):
                yield f"{path}:{line}: includes {included}"


def rules(tree):
    graph = include_graph(tree)
    yield from cycles(tree, graph)
    yield from layers(tree, graph)
    yield from behind_public_headers(tree, graph)


def cycles(tree, graph):
    headers = components(tree.cpp, lambda f: graph[f])
    yield counted("header cycles", (" <-> ".join(c) for c in headers))
    yield counted("headers in a cycle", (f"{f}:1: includes itself by way of others" for c in headers for f in c))

    edges, first = {}, {}
    for path in tree.library:
        for included, line in graph[path].items():
            a, b = folder(path), folder(included)
            if a and b and a != b and role(included) == "production":
                edges.setdefault(a, set()).add(b)
                first.setdefault((a, b), f"{path}:{line}: includes {included}")
    found = components(sorted(edges), lambda d: sorted(edges.get(d, ())))
    largest = max(found, key=len, default=[])
    between = [first[a, b] for a in largest for b in largest if (a, b) in first]
    yield Figure("folders in one cycle", len(largest), between)


def layers(tree, graph):
    def base_to_algorithm(path, included):
        return folder(path) in BASE and folder(included) is not None and folder(included) not in BASE

    def to_conformance_or_textbook(_, included):
        top = included.split("/")[0]
        return (top == "upsweep" and role(included) != "production") or top in ("textbook", "conformance")

    yield counted("includes of algorithms in base folders", crossing(graph, tree.library, base_to_algorithm))
    yield counted("includes of conformance tests or textbook in the library", crossing(graph, tree.library, to_conformance_or_textbook))
    yield counted("includes of command, lens, C or Python in the library",
                  crossing(graph, tree.library, lambda _, included: included.split("/")[0] in ABOVE_THE_LIBRARY))
    lens = [f for f in tree.cpp if f.startswith("lens/")]
    yield counted("includes of the command in the lens",
                  crossing(graph, lens, lambda _, included: included.startswith("cli/")))


def behind_public_headers(tree, graph):
    for header in tree.public_headers:
        seen, todo = {header}, [header]
        while todo:
            for included in graph[todo.pop()]:
                if included not in seen:
                    seen.add(included)
                    todo.append(included)
        listed = [f"{f}:1: {tree.lines(f)} lines" for f in sorted(seen)]
        name = header.split("/")[1]
        yield Figure(f"headers of {name}", len(seen), listed)
        yield Figure(f"lines of {name}", sum(tree.lines(f) for f in seen), listed)
