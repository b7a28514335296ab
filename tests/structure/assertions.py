"""Rules about tests: each asserts something, and one that cannot run says so instead of returning."""
import ast
import functools
import os
import re

import source
from figure import counted
from includes import include_graph
from tree import role

TEST = re.compile(r"^[ \t]*(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\s*\(", re.M)
ASSERTS = re.compile(
    r"\b(?:EXPECT|ASSERT|RC_ASSERT|RC_FAIL|ADD_FAILURE|GTEST_FAIL|FAIL)(?:_\w+)?\s*\(|\bstatic_assert\b|\brc::check\b"
)
SKIPS = re.compile(r"\bGTEST_SKIP\b")
CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^;{}()]*>)?\s*[({]|\b([A-Za-z_]\w*)\s+\w+\s*[({;]")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\n]*\\\n)*[^\n]*)", re.M)
EARLY = re.compile(r"\bif\s*\(")
LEVELS = 3  # of helpers that are followed


def rules(tree):
    graph = include_graph(tree)
    tests = [f for f in tree.cpp if TEST.search(tree.text(f))]
    helpers = Helpers(tree, graph)
    yield counted("C++ tests without an assertion", (place for f in tests for place in silent_tests(tree, f, helpers)))
    yield counted("early returns in C++ tests", (place for f in tests for place in early_returns(tree, f, helpers)))
    yield counted("Python tests without an assertion", silent_python_tests(tree))


def test_bodies(tree, path):
    """Of each test: the offset of its macro, its name, its body without comments and strings, and the body's offset."""
    code = source.without_preprocessor(tree.code(path))
    for match in TEST.finditer(code):
        close = source.closing(code, match.end() - 1)
        opening = code.find("{", close or len(code))
        end = source.closing(code, opening) if opening >= 0 else None
        if end:
            name = ".".join(part.strip() for part in code[match.end():close].split(",")[:2])
            yield match.start(), name, code[opening:end], opening


class Helpers:
    """The functions of a test file and of the test headers that it includes, to be searched for assertions."""

    def __init__(self, tree, graph):
        self.tree, self.graph = tree, graph

    @functools.cache
    def defined(self, path):
        """name → the bodies that this file defines under that name; macros and classes included."""
        code, bodies = self.tree.code(path), {}
        for function in source.functions(code):
            bodies.setdefault(function.name.lstrip("~"), []).append(code[function.body:function.end])
        for macro in MACRO.finditer(code):
            bodies.setdefault(macro.group(1), []).append(macro.group(2))
        # An object of a class may assert in its constructor or destructor, and a fixture in TearDown.
        for match in re.finditer(r"\b(?:struct|class)\s+(\w+)[^;{}()]*\{", code):
            end = source.closing(code, match.end() - 1)
            bodies.setdefault(match.group(1), []).append(code[match.end():end] if end else "")
        return bodies

    @functools.cache
    def files(self, path):
        """The file, the test headers behind its includes, and the .cpp files of these headers."""
        seen, todo = [path], [path]
        while todo:
            header = todo.pop()
            for file in [*self.graph[header], os.path.splitext(header)[0] + ".cpp"]:
                if file in self.graph and file not in seen and role(file) != "production":
                    seen.append(file)
                    todo.append(file)
        return seen

    def assert_in(self, path, body, levels=LEVELS, asked=frozenset()):
        if ASSERTS.search(body):
            return True
        if levels == 0:
            return False
        for name in called(body) - asked:
            for file in self.files(path):
                for inner in self.defined(file).get(name, ()):
                    if self.assert_in(path, inner, levels - 1, asked | {name}):
                        return True
        return False


def called(body):
    return {name for match in CALLED.finditer(body) for name in match.groups() if name}


def silent_tests(tree, path, helpers):
    for at, name, body, _ in test_bodies(tree, path):
        if not helpers.assert_in(path, body) and not SKIPS.search(body):
            fixture = name.split(".")[0]
            if not helpers.assert_in(path, f"{fixture}()"):
                yield tree.place(path, at, name)


def early_returns(tree, path, helpers):
    """`if (…) return;` in a test before its first assertion: the test counts as passed though it checked nothing."""
    for _, name, body, offset in test_bodies(tree, path):
        for match in EARLY.finditer(body):
            condition_end = source.closing(body, match.end() - 1)
            statement = re.compile(r"\s*(?:return\s*;|\{\s*return\s*;)").match(body, (condition_end or len(body)) + 1)
            before = body[1:condition_end]
            if statement and before.count("{") == before.count("}") and not helpers.assert_in(path, before):
                yield tree.place(path, offset + match.start(), f"{name} returns, and counts as passed")


# Python

def silent_python_tests(tree):
    for path in tree.files:
        if role(path) == "test" and path.endswith(".py") and os.path.basename(path).startswith("test_"):
            known = python_functions(tree, path)
            tests = [d for name, ds in known.items() for d in ds if name.startswith("test_") and d.file == path]
            for node in tests:
                if not python_asserts(node, known):
                    yield f"{path}:{node.lineno}: {node.name}"


def python_functions(tree, path):
    """name → definitions: those of a file, of conftest.py in its folder, and of modules there that it imports."""
    here = os.path.dirname(path)
    text = tree.text(path)
    files = [path] + [f for f in tree.files if os.path.dirname(f) == here and f.endswith(".py") and f != path
                      and (f.endswith("conftest.py") or re.search(rf"\bimport {os.path.basename(f)[:-3]}\b"
                                                                  rf"|\bfrom {os.path.basename(f)[:-3]} import", text))]
    known = {}
    for file in files:
        for node in ast.walk(ast.parse(tree.text(file))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                node.file = file
                known.setdefault(node.name, []).append(node)
    return known


def python_asserts(node, known, levels=LEVELS):
    names = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assert):
            return True
        if isinstance(inner, ast.Raise) and inner.exc is not None and "AssertionError" in ast.dump(inner.exc):
            return True
        if isinstance(inner, ast.Call):
            function = inner.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name.startswith("assert") or name in ("raises", "warns", "fail", "deprecated_call"):
                return True
            names.add(name)
    # A fixture is called by being a parameter.
    names |= {argument.arg for argument in node.args.args} if isinstance(node, ast.FunctionDef) else set()
    helpers = [d for name in names for d in known.get(name, ()) if d is not node]
    return levels > 0 and any(python_asserts(helper, known, levels - 1) for helper in helpers)
