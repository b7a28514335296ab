"""Tests of the single header: it includes nothing but the standard library, it compiles alone, and its calls give right results.

    tests/packaging/test_single_header.py COMPILER            parses the header
    tests/packaging/test_single_header.py COMPILER --whole    also compiles it with std::thread and with oneTBB, and runs calls
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SINGLE = pathlib.Path(__file__).resolve().parent / "single"
WITHOUT_SOURCES = "-DUPSWEEP_SINGLE_DECLARATIONS_ONLY"


def clang():
    """The oldest supported clang."""
    return next((found for version in range(16, 26) if (found := shutil.which(f"clang++-{version}"))), None)


class SingleHeader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run([sys.executable, "-B", ROOT / "packaging/single_header.py", cls.folder / "upsweep.hpp"], check=True)
        cls.text = (cls.folder / "upsweep.hpp").read_text()

    def compile(self, *words, compiler=None):
        done = subprocess.run([compiler or COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", self.folder, *words],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[:3000])

    def test_it_includes_only_the_standard_library(self):
        allowed = {"oneapi/tbb/global_control.h", "oneapi/tbb/parallel_for.h", "oneapi/tbb/task_arena.h"}
        for quoted, name in re.findall(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', self.text, re.M):
            self.assertEqual(quoted, "")
            self.assertTrue(name in allowed or not re.match("upsweep|hwy|oneapi|tbb|CL/|cuda", name), name)

    def test_two_runs_give_the_same_bytes(self):
        again = self.folder / "again.hpp"
        subprocess.run([sys.executable, "-B", ROOT / "packaging/single_header.py", again], check=True, cwd="/")
        self.assertEqual(self.text, again.read_text())

    def test_it_parses_without_a_warning(self):
        self.compile("-fsyntax-only", SINGLE / "main.cpp")

    def test_its_declarations_parse(self):
        self.compile("-fsyntax-only", WITHOUT_SOURCES, SINGLE / "main.cpp")

    @unittest.skipUnless(clang(), "no clang 16 or later")
    def test_clang_parses_it(self):
        self.compile("-fsyntax-only", SINGLE / "main.cpp", compiler=clang())

    def test_it_names_the_highway_that_it_needs(self):
        refused = subprocess.run([sys.executable, "-B", ROOT / "packaging/single_header.py", self.folder / "none.hpp", "--highway", self.folder],
                                 capture_output=True, text=True, check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("does not contain hwy/highway.h (libhwy-dev)", refused.stderr)

    @unittest.skipUnless("--whole" in sys.argv, "only with --whole")
    def test_its_calls_are_right(self):
        self.compile("-O0", "-c", WITHOUT_SOURCES, SINGLE / "main.cpp", "-o", self.folder / "main.o")
        (self.folder / "sources.cpp").write_text('#include "upsweep.hpp"\n')
        for name, words, libraries in (("threads", [], []), ("tbb", ["-DUPSWEEP_SINGLE_TBB=1"], ["-ltbb"])):
            with self.subTest(name):
                self.compile("-O0", "-c", *words, self.folder / "sources.cpp", "-o", self.folder / f"{name}.o")
                self.compile(self.folder / "main.o", self.folder / f"{name}.o", *libraries, "-o", self.folder / name)
                done = subprocess.run([self.folder / name], capture_output=True, text=True, check=False, timeout=300)
                self.assertEqual((done.returncode, done.stdout), (0, "0 wrong\n"), done.stderr)
                needs = subprocess.run(["readelf", "-d", self.folder / name], capture_output=True, text=True, check=True).stdout
                self.assertEqual("libtbb" in needs, name == "tbb")


if __name__ == "__main__":
    if not os.path.exists("/usr/include/hwy/highway.h"):
        print("Highway's headers are not in /usr/include (libhwy-dev)")
        sys.exit(77)
    COMPILER = sys.argv[1]
    unittest.main(argv=[sys.argv[0]])
