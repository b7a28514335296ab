"""Builds the wheel around a build's C interface, and tests the file: what it needs, what it has, and where pip accepts it.

    tests/packaging/test_wheel.py BUILD
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "packaging"))
import elf  # noqa: E402
import wheel  # noqa: E402


def pip(*words):
    return subprocess.run([sys.executable, "-m", "pip", *map(str, words)], capture_output=True, text=True, check=False)


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        os.environ["UPSWEEP_COMMAND"] = "0"
        cls.wheel = wheel.build(BUILD, cls.folder / "dist")
        cls.files = cls.folder / "files"
        wheel.unpack(cls.wheel, cls.files)

    def changed(self, change, name=None):
        """The sentences of check() on a copy of the wheel after `change`."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(self.files, folder / "files")
        (dist_info,) = (folder / "files").glob("*.dist-info")
        change(folder / "files")
        result = folder / (name or self.wheel.name)
        wheel.pack(folder / "files", dist_info, result)
        return " / ".join(wheel.check(result))

    def test_it_keeps_its_promises(self):
        self.assertEqual(list(wheel.check(self.wheel)), [])
        self.assertRegex(self.wheel.name, r"^upsweep-[0-9.]+-cp311-abi3-manylinux_2_\d+_\w+\.whl$")

    def test_what_is_in_it(self):
        names = {path.relative_to(self.files).as_posix() for path in self.files.rglob("*") if path.is_file()}
        self.assertLessEqual({"upsweep/__init__.py", "upsweep/py.typed", "upsweep/__init__.pyi", "upsweep/_calls.abi3.so"}, names)
        for path in (ROOT / "python/upsweep").rglob("*.py"):
            self.assertIn(path.relative_to(ROOT / "python").as_posix(), names)
        self.assertTrue([name for name in names if name.endswith(".data/scripts/upsweep")], "no script upsweep")
        self.assertTrue([name for name in names if name.endswith("/LICENSE")], "no licence")
        metadata = next(self.files.glob("*.dist-info/METADATA")).read_text()
        carries_fftw = any("libfftw3" in name for name in names)
        self.assertIn("License: Apache-2.0" + (" AND GPL-2.0-or-later" if carries_fftw else "") + "\n", metadata)
        self.assertIn("Requires-Python: >=3.11\n", metadata)

    def test_libraries_are_carried_under_names_of_their_own(self):
        carried = [path.name for path in (self.files / "upsweep.libs").iterdir()]
        self.assertTrue([name for name in carried if name.startswith("libtbb-")])
        for path in (self.files / "upsweep.libs").iterdir():
            self.assertEqual(elf.read(path).soname, path.name)
        needed = elf.read(next((self.files / "upsweep").glob("libupsweep_c.so.*"))).needed
        self.assertNotIn("libtbb.so.12", needed)

    def test_two_builds_give_the_same_bytes(self):
        again = wheel.build(BUILD, self.folder / "again")
        self.assertEqual(self.wheel.read_bytes(), again.read_bytes())

    def test_check_finds_faults(self):
        def without_tbb(files):
            next((files / "upsweep.libs").glob("libtbb-*")).unlink()

        def run_path_outside(files):
            library = next((files / "upsweep").glob("libupsweep_c.so.*"))
            subprocess.run(["patchelf", "--set-rpath", "/usr/lib", library], check=True)

        def without_licence(files):
            next(files.glob("*.dist-info/licenses/libtbb.txt")).unlink()

        self.assertEqual(self.changed(lambda files: None), "")
        self.assertRegex(self.changed(without_tbb), r"needs libtbb-\w+\.so\.12, which is neither in the wheel nor on every system")
        self.assertRegex(self.changed(run_path_outside), "does not find libtbb.* / .*a folder outside the wheel")
        self.assertRegex(self.changed(without_licence), "libtbb.* has no licence text")
        older = self.wheel.name.replace(self.wheel.name.split("manylinux_2_")[1].split("_")[0], "17")
        self.assertRegex(self.changed(lambda files: None, older), r"the files need glibc 2\.\d+, and the tag promises 2\.17")

    def test_record_is_checked(self):
        damaged = self.folder / self.wheel.name
        with zipfile.ZipFile(self.wheel) as old, zipfile.ZipFile(damaged, "w") as new:
            for entry in old.infolist():
                data = old.read(entry)
                new.writestr(entry, data + b"#" if entry.filename == "upsweep/__init__.py" else data)
        self.assertEqual(list(wheel.check(damaged)), ["upsweep/__init__.py differs from its line in RECORD"])

    def test_it_works_where_it_is_installed(self):
        target = self.folder / "installed"
        done = pip("install", "--quiet", "--no-index", "--no-deps", "--target", target, self.wheel)
        self.assertEqual(done.returncode, 0, done.stderr)
        program = ("import numpy as np, upsweep\n"
                   "assert upsweep.sort(np.array([3, 1, 2])).tolist() == [1, 2, 3]\n"
                   "maps = open('/proc/self/maps').read()\n"
                   "assert 'upsweep.libs/libtbb-' in maps and 'upsweep.libs/libtbb.so' not in maps\n"
                   "assert [l for l in maps.splitlines() if 'libtbb.so.12' in l] == [], 'the system library is loaded'\n")
        done = subprocess.run([sys.executable, "-c", program], cwd=self.folder, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(target)})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_without_numpy_there_is_one_sentence(self):
        target = self.folder / "without_numpy"
        self.assertEqual(pip("install", "--quiet", "--no-index", "--no-deps", "--target", target, self.wheel).returncode, 0)
        # -S and -I hide the packages of the system.
        program = f"import sys; sys.path.insert(0, {str(target)!r}); import upsweep"
        done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.splitlines()[-1], r"^ImportError: upsweep needs NumPy .* python3 -m pip install numpy$")

    def test_the_script_does_not_start_itself(self):
        """The package has no command here, and the only `upsweep` on PATH is the script that starts the package's."""
        target = self.folder / "script"
        self.assertEqual(pip("install", "--quiet", "--no-index", "--no-deps", "--target", target, self.wheel).returncode, 0)
        done = subprocess.run([target / "bin" / "upsweep", "--version"], capture_output=True, text=True, check=False, timeout=30,
                              env={"PYTHONPATH": str(target), "PATH": str(target / "bin")})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^upsweep: this package was built without the command")

    def test_pip_refuses_other_systems(self):
        tag = self.wheel.stem.split("-")[4]
        machine = tag.split("_", 3)[3]
        for what, words, accepted in [
            ("this system", ["--platform", tag, "--python-version", "3.11"], True),
            ("a later Python", ["--platform", tag, "--python-version", "3.14"], True),
            ("Python 3.10", ["--platform", tag, "--python-version", "3.10"], False),
            ("musl", ["--platform", f"musllinux_1_2_{machine}", "--python-version", "3.12"], False),
            ("another processor", ["--platform", tag.replace(machine, "ppc64le"), "--python-version", "3.12"], False),
        ]:
            target = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
            done = pip("install", "--quiet", "--no-index", "--no-deps", "--only-binary=:all:", "--implementation", "cp", *words, "--target", target, self.wheel)
            with self.subTest(what):
                self.assertEqual(done.returncode == 0, accepted, done.stderr)
                if not accepted:
                    self.assertIn("is not a supported wheel on this platform", done.stderr)


if __name__ == "__main__":
    for tool in ("patchelf", "readelf", "strip"):
        if not shutil.which(tool):
            print(f"{tool} was not found: the wheel is not tested")
            sys.exit(77)
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
