"""Rules about sizes and names of files and functions, the folder results/, and files that should not be in the tree."""
import ast
import collections
import os
import re
import shutil
import subprocess

import source
from figure import Figure, counted
from tree import CPP

LONGEST_FUNCTION = 100
SHORTEST_FILE = 12
MARKDOWN_COLUMNS = 120
ARTEFACT = re.compile(r"(^|/)(\.hypothesis|\.pytest_cache|__pycache__|\.ipynb_checkpoints|CMakeFiles)(/|$)"
                      r"|\.(pyc|pyo|o|obj|a|so|orig|rej|swp|gcda|gcno)$|(^|/)(\.DS_Store|core)$")
ISSUE = re.compile(r"\b[Ii]ssue\s+(?:no\.?\s*)?#?\d+\b|(?<![\w&/(\[])#\d{1,4}\b(?!\]?\()|\bGH-\d+\b")
COMMENTS_WITH_NUMBER_SIGN = (".py", ".sh", ".cmake", ".toml", ".yml", ".txt")


def rules(tree):
    yield counted(f"functions over {LONGEST_FUNCTION} lines", long_functions(tree))
    yield counted(f"files under {SHORTEST_FILE} lines", short_files(tree))
    yield counted("files that share a name", shared_names(tree))
    yield counted("long Markdown lines in README and docs", long_lines(tree, documentation(tree)))
    yield counted("long Markdown lines elsewhere", long_lines(tree, set(markdown(tree)) - set(documentation(tree))))
    yield counted("references to issue numbers", issue_numbers(tree))
    yield from results(tree)
    yield counted("artefacts in the tree", artefacts(tree))


def long_functions(tree):
    for path in tree.production:
        if tree.lines(path) <= LONGEST_FUNCTION or path.endswith(".cl"):
            continue
        for function in source.functions(tree.code(path)):
            first, last = tree.line_of(path, function.begin), tree.line_of(path, function.end)
            if last - first + 1 > LONGEST_FUNCTION:
                yield f"{path}:{first}: {function.name} has {last - first + 1} lines"
    for path in tree.files:
        if path.startswith("python/upsweep/") and path.endswith(".py"):
            for node in ast.walk(ast.parse(tree.text(path))):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    if node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION:
                        yield f"{path}:{node.lineno}: {node.name} has {node.end_lineno - node.lineno + 1} lines"


def short_files(tree):
    return (f"{f}:1: {tree.lines(f)} lines" for f in tree.production if tree.lines(f) < SHORTEST_FILE)


def shared_names(tree):
    """Each file whose name another has, too, so that a compiler's message needs the folder."""
    named = collections.defaultdict(list)
    for path in tree.production:
        named[os.path.basename(path)].append(path)
    for name, paths in sorted(named.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(paths) > 1:
            yield from (f"{path}:1: {name}, as {len(paths) - 1} other files" for path in paths)


def markdown(tree):
    return [f for f in tree.files if f.endswith(".md")]


def documentation(tree):
    return [f for f in markdown(tree) if f == "README.md" or f.startswith("docs/")]


def long_lines(tree, files):
    for path in sorted(files):
        for number, line in enumerate(tree.text(path).split("\n"), 1):
            # A line without a space, such as an address, cannot be broken.
            if len(line) > MARKDOWN_COLUMNS and " " in line.strip():
                yield f"{path}:{number}: {len(line)} columns"


def issue_numbers(tree):
    """In comments and Markdown: the tree is read without the tracker."""
    for path in tree.files:
        if path.startswith("tests/structure/"):
            continue  # the rule's own examples
        sign = "//" if path.endswith(CPP) else "#" if path.endswith(COMMENTS_WITH_NUMBER_SIGN) else ""
        if not sign and not path.endswith(".md"):
            continue
        for number, line in enumerate(tree.text(path).split("\n"), 1):
            comment = line.partition(sign)[2] if sign else line
            if match := ISSUE.search(comment):
                yield f"{path}:{number}: {match.group()}"


def results(tree):
    files = [f for f in tree.files if f.startswith("results/")]
    bytes_of = {f: os.path.getsize(tree.root / f) for f in files}
    yield Figure("results in bytes", sum(bytes_of.values()), [f"{f}:1: {b} bytes" for f, b in bytes_of.items()])
    text = [f for f in files if "\0" not in tree.text(f)]
    yield Figure("results in lines", sum(map(tree.lines, text)), [f"{f}:1: {tree.lines(f)} lines" for f in text])


def artefacts(tree):
    found = {f for f in tree.files if ARTEFACT.search(f)}
    # The walk omits files that .gitignore names, and git may track them.
    if (tree.root / ".git").exists() and shutil.which("git"):
        git = ["git", "-C", str(tree.root), "ls-files", "-ci", "--exclude-standard"]
        listed = subprocess.run(git, capture_output=True, text=True).stdout
        found |= set(listed.split("\n")) - {""}
    return (f"{f}:1: is written by a tool" for f in sorted(found))
