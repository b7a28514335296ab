#!/usr/bin/env python3
"""Tests of compare.py on synthetic runs: each rule finds a run that is worse, and accepts one that is not."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import baseline

PROGRAM = pathlib.Path(__file__).with_name("compare.py")
GOOD = {
    "check": [{"variant": "scan/a", "device": "cpu", "cases": 100, "failed": 1}],
    "bench": [{"who": "scan/a", "device": "cpu", "primitive": "scan", "n": n, "mode": "kernel", "cache": "cold",
               "median_s": 1.0, "p10_s": 0.9, "p90_s": 1.1} for n in (1, 2)],
    "weight": [{"program": "p", "bytes": 1000}],
    "headers": [{"header": "scan.hpp", "seconds": 2.0}],
    "hashes": [{"command": "scan x.npy", "sha256": "ab"}],
}


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, folder, kind, rows, hardware="one"):
        (self.root / folder).mkdir(exist_ok=True)
        baseline.write_rows(self.root / folder / f"baseline-{kind}.json", kind, {"hardware": hardware}, rows)

    def compare(self, *arguments):
        command = [sys.executable, PROGRAM, self.root / "old", self.root / "new", *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout + done.stderr

    def expect(self, kind, change, status, says=""):
        """The status after `change` is applied to the first row of a good run."""
        self.write("old", kind, GOOD[kind])
        self.write("new", kind, [{**GOOD[kind][0], **change}, *GOOD[kind][1:]])
        got, said = self.compare()
        self.assertEqual(got, status, said)
        self.assertIn(says, said)

    def test_equal_runs(self):
        for kind in GOOD:
            with self.subTest(kind):
                self.expect(kind, {}, 0, "0 worse")

    def test_check(self):
        self.expect("check", {"failed": 0}, 0)
        self.expect("check", {"cases": 120}, 0)
        self.expect("check", {"failed": 2}, 1, "WORSE scan/a cpu: 99 right, 1 wrong -> 98 right, 2 wrong")
        self.expect("check", {"cases": 99}, 1)

    def test_bench(self):
        self.expect("bench", {"median_s": 0.5}, 0)
        self.expect("bench", {"median_s": 1.13}, 0)
        self.expect("bench", {"median_s": 1.14}, 1, "2 compared, 1 worse\n  WORSE scan/a cpu scan 1 kernel cold")
        self.expect("bench", {"median_s": float("nan")}, 1)

    def test_weight(self):
        self.expect("weight", {"bytes": 999}, 0)
        self.expect("weight", {"bytes": 1001}, 1, "1000 bytes -> 1001 bytes")

    def test_headers(self):
        self.expect("headers", {"seconds": 2.29}, 0)
        self.expect("headers", {"seconds": 2.31}, 1, "scan.hpp: 2.00 s -> 2.31 s")

    def test_hashes(self):
        self.expect("hashes", {"sha256": "cd"}, 1, "scan x.npy: ab -> cd")
        self.write("new", "hashes", GOOD["hashes"], hardware="another")
        self.assertEqual(self.compare()[0], 1)

    def test_what_is_missing(self):
        self.write("old", "bench", GOOD["bench"])
        self.write("new", "bench", GOOD["bench"][:1])
        self.assertIn("measured -> missing", self.compare()[1])
        self.assertEqual(self.compare()[0], 1)
        self.write("old", "weight", GOOD["weight"])
        self.write("new", "bench", GOOD["bench"])
        self.assertEqual(self.compare()[0], 1)
        self.assertIn("baseline-weight.json: WORSE, it is missing", self.compare()[1])

    def test_no_baseline(self):
        (self.root / "old").mkdir()
        self.assertEqual(self.compare()[0], 1)
        self.assertIn("has no baseline-*.json", self.compare()[1])

    def test_new_rows_are_accepted_and_listed_on_request(self):
        self.write("old", "bench", GOOD["bench"][:1])
        self.write("new", "bench", GOOD["bench"])
        self.assertEqual(self.compare()[0], 0)
        self.assertNotIn("scan/a", self.compare()[1])
        self.assertIn("ok   scan/a", self.compare("--all")[1])

    def test_renamed(self):
        self.write("old", "check", GOOD["check"])
        self.write("new", "check", [{**GOOD["check"][0], "variant": "prefix/a"}])
        self.assertEqual(self.compare()[0], 1)
        names = self.root / "names.json"
        names.write_text(json.dumps({"scan/a": "prefix/a"}))
        self.assertEqual(self.compare("--renamed", names)[0], 0)


class Baseline(unittest.TestCase):
    def test_compact_keeps_what_is_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "in.json"), pathlib.Path(folder, "out.json")
            peer, ours = {**GOOD["bench"][0], "peer": True}, {**GOOD["bench"][1], "peer": False, "error": 0}
            run = {"kind": "bench", "provenance": {"commit": "c", "os": "o"}, "rows": [peer, ours]}
            source.write_text(json.dumps(run))
            baseline.compact(source, target)
            written = json.loads(target.read_text())
            self.assertEqual(written["rows"], [GOOD["bench"][1]])
            self.assertEqual(written["provenance"]["commit"], "c")
            self.assertEqual(len(target.read_text().splitlines()), 3)

    def test_inputs_are_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as folder:
            old, baseline.ELEMENTS = baseline.ELEMENTS, 1009
            self.addCleanup(setattr, baseline, "ELEMENTS", old)
            baseline.write_inputs(pathlib.Path(folder))
            first = {f.name: f.read_bytes() for f in pathlib.Path(folder).iterdir()}
            baseline.write_inputs(pathlib.Path(folder))
            self.assertEqual(first, {f.name: f.read_bytes() for f in pathlib.Path(folder).iterdir()})
            # NumPy's format wants elements at a multiple of 64 bytes.
            self.assertEqual((len(first["x.npy"]) - 1009 * 4) % 64, 0)
            self.assertEqual((len(first["d.npy"]) - 1009 * 8) % 64, 0)


if __name__ == "__main__":
    unittest.main()
