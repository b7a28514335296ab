"""The parts of the package that pyproject.toml cannot describe: CMake builds the C interface and the command, and the extension is generated
from the header of the C interface.

UPSWEEP_BUILD     a CMake build folder to use with its options; without it, a new one is made
UPSWEEP_COMMAND   0: the wheel does not contain the command
UPSWEEP_WHEEL     folder for intermediate files; build/wheel by default
"""
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
VERSION = re.search(r"project\(upsweep VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
# Next to the build of CMake, not in it.
SCRATCH = Path(os.environ.get("UPSWEEP_WHEEL") or ROOT / "build" / "wheel")
SCRATCH.mkdir(parents=True, exist_ok=True)
# Free-threaded Python has no limited API, so a wheel for it is for one version of Python.
LIMITED = not sysconfig.get_config_var("Py_GIL_DISABLED")


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
        extension.extra_compile_args = ["-g0"]  # debug information names temporary folders, so no two builds would be equal
        extension.extra_link_args = ["-Wl,-rpath,$ORIGIN"]
        super().build_extension(extension)


options = {"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}}
if LIMITED:
    options["bdist_wheel"] = {"py_limited_api": "cp311"}
setup(
    version=VERSION,
    license="Apache-2.0",
    options=options,
    ext_modules=[Extension("upsweep._calls", sources=[], py_limited_api=LIMITED,
                           define_macros=[("Py_LIMITED_API", "0x030b0000")] if LIMITED else [])],
    cmdclass={"build_ext": built_by_cmake},
)
