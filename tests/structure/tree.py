"""The files of the project: their names, roles and text."""
import fnmatch
import functools
import os
import pathlib

import source

CPP = (".hpp", ".h", ".cuh", ".cpp", ".cu", ".cl", ".inc", ".c")
HEADERS = (".hpp", ".h", ".cuh")
BACKENDS = {"cpu", "cuda", "opencl", "jit"}
BASE = BACKENDS | {"core", "detail", "operators"}
PRODUCTION_ROOTS = {"upsweep", "c", "cli", "lens"}
NEVER_READ = {".git", ".carry", ".cache", "report", "node_modules"}


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Tree:
    """All files below a folder, except for build folders and files that .gitignore names."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.ignored = self._ignore_patterns()
        self.files = sorted(self._walk())
        self.known = set(self.files)
        self._text, self._code, self._lines = {}, {}, {}

    def _ignore_patterns(self):
        listed = self.root / ".gitignore"
        lines = read(listed).splitlines() if listed.is_file() else []
        return [line.strip() for line in lines if line.strip() and not line.startswith(("#", "!"))]

    def _is_ignored(self, path, is_folder):
        name = path.rsplit("/", 1)[-1]
        for pattern in self.ignored:
            if pattern.endswith("/") and not is_folder:
                continue
            pattern = pattern.rstrip("/")
            # A pattern with a slash is relative to the root, any other is the name of a file or folder anywhere.
            if fnmatch.fnmatch(path, pattern.lstrip("/")) if "/" in pattern else fnmatch.fnmatch(name, pattern):
                return True
        return False

    def _walk(self):
        for folder, folders, names in os.walk(self.root):
            below = os.path.relpath(folder, self.root).replace(os.sep, "/")
            prefix = "" if below == "." else below + "/"
            if not prefix:
                folders[:] = [f for f in folders if not f.startswith("build")]
            folders[:] = [f for f in folders if f not in NEVER_READ and not self._is_ignored(prefix + f, True)]
            for name in names:
                # In a worktree .git is a file.
                if name != ".git" and not self._is_ignored(prefix + name, False):
                    yield prefix + name

    def text(self, path):
        if path not in self._text:
            self._text[path] = read(self.root / path)
        return self._text[path]

    def code(self, path):
        """A C++ file without comments and strings; offsets are those of its text."""
        if path not in self._code:
            self._code[path] = source.code_of(self.text(path))
        return self._code[path]

    def line_of(self, path, offset):
        """The line, from 1, of a character of a file."""
        if path not in self._lines:
            self._lines[path] = source.Lines(self.text(path))
        return self._lines[path].of(offset)

    def place(self, path, offset, text):
        """A finding: file:line: text."""
        return f"{path}:{self.line_of(path, offset)}: {text}"

    def lines(self, path):
        return self.text(path).count("\n")

    @functools.cached_property
    def cpp(self):
        return [f for f in self.files if f.endswith(CPP)]

    @functools.cached_property
    def production(self):
        """C++ sources that are part of the library, the C interface, the command or the lens."""
        return [f for f in self.cpp if f.split("/")[0] in PRODUCTION_ROOTS and role(f) == "production"]

    @functools.cached_property
    def library(self):
        return [f for f in self.production if f.startswith("upsweep/")]

    @functools.cached_property
    def public_headers(self):
        return [f for f in self.library if f.count("/") == 1 and f.endswith(".hpp")]


@functools.cache
def role(path):
    """production, textbook, conformance, test or sample."""
    parts = path.split("/")
    name = parts[-1]
    if parts[0] == "tests" or "tests" in parts or name.startswith(("test_", "test.")):
        return "test"
    if "conformance" in parts:
        return "conformance"
    if "textbook" in parts[:-1]:
        return "textbook"
    # Programs of the lens that are wrong on purpose.
    if parts[0] == "lens" and ("exercises" in parts or "ordered" in parts):
        return "sample"
    return "production"


def folder(path):
    """The folder below upsweep/ that holds a library file; None for a public header."""
    parts = path.split("/")
    return parts[1] if parts[0] == "upsweep" and len(parts) > 2 else None


def in_backend(path):
    return bool(set(path.split("/")[1:-1]) & BACKENDS)
