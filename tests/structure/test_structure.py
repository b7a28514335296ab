#!/usr/bin/env python3
"""Tests of structure.py on small trees: each rule finds its violation, and nothing where there is none."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import source
import structure
import words
from tree import Tree

PROGRAM = pathlib.Path(__file__).with_name("structure.py")
CASES = pathlib.Path(__file__).with_name("cases.txt")


def files_of(block):
    """path → text, of a block of cases.txt."""
    files = {}
    for line in block.split("\n"):
        if line.startswith("-- "):
            lines = files[line[3:]] = []
        elif files:
            times = re.fullmatch(r"\((\d+) times\) (.*)", line)
            lines += [times.group(2)] * int(times.group(1)) if times else [line]
    return {path: "".join(line + "\n" for line in lines) for path, lines in files.items()}


def cases():
    """figure, right files, wrong files, findings."""
    for case in re.split(r"(?m)^figure: ", CASES.read_text(encoding="utf-8"))[1:]:
        parts = re.fullmatch(r"(.*)\nright:\n(.*)\nwrong:\n(.*)\nfinds:\n(.*)", case.strip(), re.S)
        name, right, wrong, finds = parts.groups()
        yield name, files_of(right), files_of(wrong), finds.split("\n")


class SmallTree(unittest.TestCase):
    """A tree in a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, files):
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")

    def figure(self, name):
        return {f.name: f for f in structure.measure(Tree(self.root))}[name]


class Rules(SmallTree):
    def expect(self, name, right, wrong, findings):
        self.write(right)
        self.assertEqual(self.figure(name).findings, [], name)
        self.write(wrong)
        found = self.figure(name).findings
        self.assertEqual(len(found), len(findings), (name, found))
        for finding, begin in zip(sorted(found), sorted(findings)):
            self.assertTrue(finding.startswith(begin), f"{name}: {finding!r} does not begin with {begin!r}")

    def test_headers_and_lines_behind_a_public_header(self):
        self.write({"upsweep/a.hpp": '#include "upsweep/b/c.hpp"\n#include "upsweep/d.hpp"\n',
                    "upsweep/b/c.hpp": "1\n2\n3\n",
                    "upsweep/d.hpp": '#include "upsweep/b/c.hpp"\n',
                    "upsweep/e.hpp": "#include <vector>\n"})
        self.assertEqual((self.figure("headers of a.hpp").value, self.figure("lines of a.hpp").value), (3, 6))
        self.assertEqual((self.figure("headers of e.hpp").value, self.figure("lines of e.hpp").value), (1, 1))

    def test_results(self):
        self.write({"results/a.json": "{}\n{}\n", "results/raw/b.json": "{}\n", "docs/a.json": "{}\n"})
        self.assertEqual(self.figure("results in bytes").value, 9)
        self.assertEqual(self.figure("results in lines").value, 3)

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_artefacts_that_git_tracks(self):
        self.write({".gitignore": "__pycache__/\n", "a/__pycache__/b.pyc": ""})
        git = ["git", "-C", str(self.root)]
        subprocess.run([*git, "init", "-q"], check=True)
        self.assertEqual(self.figure("artefacts in the tree").findings, [])
        subprocess.run([*git, "add", "-f", "a"], check=True)
        found = self.figure("artefacts in the tree").findings
        self.assertEqual(found, ["a/__pycache__/b.pyc:1: is written by a tool"])

    def test_each_figure_has_a_test(self):
        self.write({"upsweep/a.hpp": ""})
        tested = {name for name, *_ in cases()}
        tested |= {"results in bytes", "results in lines", "headers of a.hpp", "lines of a.hpp"}
        self.assertEqual({f.name for f in structure.measure(Tree(self.root))}, tested)

    def test_each_phrase_of_the_list_is_found(self):
        """A phrase that its own pattern does not match would never be counted."""
        for row in words.load()["prose"]:
            if "(" not in row["word"]:
                phrase = row["word"].split(",")[0]
                self.assertTrue(list(words.prose_hits("x", [(1, f"It {phrase}, x.")])), phrase)

    def test_the_table_of_words(self):
        self.write({"upsweep/a.hpp": "int room;  // beside\n"})
        lines = list(words.table(Tree(self.root)))
        self.assertTrue(any(line.split()[:2] == ["room", "1"] for line in lines), lines)
        self.assertTrue(any(line.split()[:2] == ["beside", "1"] for line in lines), lines)


def add_cases():
    """A test for each case of cases.txt."""
    for name, right, wrong, findings in cases():
        def test(self, case=(name, right, wrong, findings)):
            self.expect(*case)
        setattr(Rules, "test_" + re.sub(r"\W+", "_", name), test)


add_cases()


class Program(SmallTree):
    """The program's exit status and sentences, with bounds that agree and with bounds that do not."""

    def setUp(self):
        super().setUp()
        self.write({"upsweep/a.hpp": "//\n" * 12})
        figures = structure.measure(Tree(self.root))
        rows = [{"name": f.name, "bound": f.value, "says": ""} for f in figures if not f.name.endswith(" a.hpp")]
        rows += [{"name": n, "step": s, "says": "", "each": {"a.hpp": s}} for n, s in (("headers", 5), ("lines", 100))]
        self.write({"tests/structure/bounds.json": json.dumps({"about": "", "figures": rows})})

    def run_program(self, *arguments, status):
        done = subprocess.run([sys.executable, PROGRAM, *arguments, self.root], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_agrees(self):
        self.assertNotIn("FAILED", self.run_program(status=0))

    def test_above_and_below(self):
        self.write({"upsweep/b.cpp": "//\n"})
        said = self.run_program(status=1)
        self.assertIn("files under 12 lines rose to 1; tests/structure/bounds.json allows 0\n", said)
        self.assertIn("\n  upsweep/b.cpp:1: 1 lines\n", said)
        self.run_program("--lower", status=0)
        self.run_program(status=1)  # --lower raises nothing
        self.run_program("--raise", "files under 12 lines", status=0)
        self.run_program(status=0)
        (self.root / "upsweep/b.cpp").unlink()
        said = self.run_program(status=1)
        self.assertIn("lower the bound of files under 12 lines from 1 to 0 in tests/structure/bounds.json", said)
        self.run_program("--lower", status=0)
        self.run_program(status=0)

    def test_steps(self):
        self.write({"upsweep/a.hpp": "//\n" * 99})
        self.run_program(status=0)
        self.write({"upsweep/a.hpp": "//\n" * 101})
        self.assertIn("lines of a.hpp rose to 101", self.run_program(status=1))

    def test_a_new_figure_and_one_that_is_gone(self):
        (self.root / "upsweep/a.hpp").rename(self.root / "upsweep/b.hpp")
        said = self.run_program(status=1)
        self.assertIn("headers of b.hpp is 1 and has no bound", said)
        self.assertIn("headers of a.hpp has a bound in tests/structure/bounds.json and is no longer measured", said)
        self.run_program("--lower", "--raise", "headers of b.hpp", "--raise", "lines of b.hpp", status=0)
        self.run_program(status=0)

    def test_list_and_wrong_arguments(self):
        self.write({"upsweep/b.cpp": "//\n"})
        self.assertEqual(self.run_program("--list", "files under 12 lines", status=0), "upsweep/b.cpp:1: 1 lines\n")
        self.assertIn("no figure is named 'nothing'", self.run_program("--list", "nothing", status=1))
        (self.root / "upsweep/a.hpp").unlink()
        self.assertIn("is not the root of the project", self.run_program(status=1))


FUNCTIONS = """
template <class T = std::array<int, 3>>
struct s : t<int> {
  int a = f();
  s() : x{1}, y(2) {}
  bool operator()(int v = int{}) const { if (v) { return {}; } }
};
int table[] = {g(1), 2};
#if A
void h() {
#else
void h(int) {
#endif
}
enum class e : int { one };
auto l = [](int i) { return i; };
"""


class Source(unittest.TestCase):
    def test_comments_and_strings_are_blanked(self):
        text = 'a(/* "x */ "b//c", \'"\', 1\'000, R"x(")")x");  // end "\nd'
        code = source.code_of(text)
        self.assertEqual(len(code), len(text))
        self.assertEqual("".join(code.split()), 'a("",,1\'000,);d')

    def test_functions(self):
        found = [f.name for f in source.functions(source.code_of(FUNCTIONS))]
        self.assertEqual(found, ["s", "operator()", "h", "?"])


if __name__ == "__main__":
    unittest.main()
