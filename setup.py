"""What pyproject.toml cannot say: the C interface, and the command, are built by CMake; the extension is made of the C interface's header.

UPSWEEP_BUILD names a build folder to use, and to keep what it was configured with; else one of its own is made. UPSWEEP_COMMAND=0 leaves the
command out of the wheel. UPSWEEP_WHEEL names the folder for what is made on the way, build/wheel where it is not given.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent
VERSION = re.search(r"project\(upsweep VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
# Beside what CMake builds, not among it.
SCRATCH = Path(os.environ.get("UPSWEEP_WHEEL") or ROOT / "build" / "wheel")
SCRATCH.mkdir(parents=True, exist_ok=True)


class built_by_cmake(build_ext):
    def build_extension(self, extension):
        folder = Path(os.environ.get("UPSWEEP_BUILD") or Path(self.build_temp).resolve() / "cmake").resolve()
        if not (folder / "CMakeCache.txt").exists():
            options = ["-DCMAKE_BUILD_TYPE=Release", "-DUPSWEEP_CONFORMANCE=OFF", "-DUPSWEEP_TESTS=OFF"]
            options += ["-GNinja"] if shutil.which("ninja") else []
            subprocess.check_call(["cmake", "-S", str(ROOT), "-B", str(folder), *options, *os.environ.get("CMAKE_ARGS", "").split()])
        command = os.environ.get("UPSWEEP_COMMAND") != "0"
        targets = ["upsweep_c", "upsweep_probe"] + (["upsweep_command"] if command else [])
        subprocess.check_call(["cmake", "--build", str(folder), "-j", os.environ.get("JOBS") or str(os.cpu_count()), "--target", *targets])

        library = next(path for path in (folder / "c").glob("libupsweep_c.so.*.*") if path.is_symlink())  # its soname
        package = Path(self.get_ext_fullpath(extension.name)).parent
        package.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, package / library.name)
        shutil.copy(folder / "upsweep-probe", package / "upsweep-probe")  # next to the library, which looks for it there
        if command:
            shutil.copy(folder / "upsweep", package / "upsweep")

        made = Path(self.build_temp).resolve() / "_calls.c"
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(subprocess.check_output([sys.executable, ROOT / "python/make_calls.py", ROOT / "c/upsweep.h"], text=True))
        extension.sources = [str(made)]
        extension.include_dirs = [str(ROOT / "c"), str(ROOT / "python")]
        extension.extra_objects = [str(package / library.name)]
        extension.extra_link_args = ["-Wl,-rpath,$ORIGIN"]
        super().build_extension(extension)


class for_all_later_versions(bdist_wheel):
    def get_tag(self):
        python, abi, platform = super().get_tag()
        return "cp311", "abi3", platform


setup(
    version=VERSION,
    options={"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}},
    ext_modules=[Extension("upsweep._calls", sources=[], py_limited_api=True, define_macros=[("Py_LIMITED_API", "0x030b0000")])],
    cmdclass={"build_ext": built_by_cmake, "bdist_wheel": for_all_later_versions},
)
