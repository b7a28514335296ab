#!/usr/bin/env python3
"""Runs the tests of Thrust, CUB, ParlayLib, x86-simd-sort, Highway and libc++ on this library, on the CPU, and tells which passed, which did not, and why.

    tests/peers/run.py --build build --cccl DIR --cub DIR --parlay DIR --x86-simd-sort DIR --highway DIR --libcxx DIR [--json FILE] [--only NAME…]

A test program is copied with its calls renamed (thrust::sort becomes on_upsweep::sort, of on_thrust.hpp and its kin). What does
not compile is taken out, test by test, with the compiler's first error as the reason. README.md has the rest.
"""
import argparse
import collections
import concurrent.futures
import datetime
import itertools
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
sys.path.append(str(root / "results"))
import runs  # noqa: E402


def names_in(header, macro="ON_UPSWEEP"):
    return "|".join(re.findall(rf"^{macro}\((\w+)\)", (here / header).read_text(), re.M))


def runtime_of(cuda):
    """What calls of CUDA's runtime are linked with, even where the library itself is built without CUDA."""
    return [f"-L{cuda}/lib64", "-lcudart_static", "-ldl", "-lrt", "-lpthread"]


class project:
    """What one project's tests want: where they are, how a copy calls this library, what it is compiled and linked with."""
    optimised, links, sources, environment = "-O0", [], [], {}
    compiler = []  # of the tests alone, where it is not that of the command line
    called = r"\s*[(<]"

    def main(self, text):
        return "gtest_main.hpp"

    def renamed(self, text):
        return re.sub(rf"(?<![\w:])(?:::)?{self.prefix}::({names_in(self.header)})(?={self.called})", r"on_upsweep::\1", text)

    def left_out(self, file, text):
        return "calls nothing that is ours" if self.renamed(text) == text else ""

    def places(self, lines):
        return {}  # all of a file compile, or none

    def prepare(self, folder):
        """Writes what the tests include besides into the folder where they are compiled."""

    def taken_out(self, lines, tests):
        """Tests that are not to be compiled, with their reasons; their lines are emptied."""
        return {}

    def variants(self, text):
        """What a file is compiled with, once for each: a word for its tests' names, and lines before it."""
        return [("", "")]


class thrust(project):
    name, header, prefix = "Thrust", "on_thrust.hpp", "thrust"

    def __init__(self, folder, options):
        self.folder, self.catch2 = folder, options.catch2
        self.tests = folder / "thrust/testing"
        self.flags = ["-fopenmp", "-DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP", "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_OMP",
                      f"-I{self.tests}", f"-isystem{folder}/thrust", f"-isystem{folder}/libcudacxx/include"]
        if self.catch2:
            self.flags.append(f"-isystem{self.catch2}/include")
            self.links = [f"-L{self.catch2}/lib", "-lCatch2"]

    def main(self, text):
        return "catch2_main.hpp" if "catch2_test_helper.h" in text else "thrust_main.hpp"

    def files(self):
        return sorted(self.tests.glob("*.cu"))

    def version(self):
        text = (self.folder / "thrust/thrust/version.h").read_text()
        number = int(re.search(r"define THRUST_VERSION (\d+)", text)[1])
        return f"{number // 100000}.{number // 100 % 1000}.{number % 100}"

    def left_out(self, file, text):
        if "catch2_test_helper.h" in text and not self.catch2:
            return "written for Catch2 3, which was not named"
        return super().left_out(file, text)

    def places(self, lines):
        """Each test's lines: of its functions, and of what declares it. Templates alone stay where the declaration goes."""
        found = collections.defaultdict(list)
        declared = re.compile(r"^\s*(?:DECLARE_\w+\(\s*(\w+)|(?:Simple|Variable|Vector)UnitTest<\s*(\w+))")
        for i, line in enumerate(lines):
            if m := re.match(r'\s*(?:TEMPLATE_LIST_)?TEST_CASE\(\s*"([^"]+)"', "\n".join(lines[i:i + 2])):  # Catch2's
                if m[0].lstrip() == m[0]:
                    found[m[1]].append(range(i, end_of_body(lines, i)))
            elif m := declared.match(line):
                found[m[1] or m[2]].append(range(i, end_of(lines, i, lambda l: l.rstrip().endswith((";", ")")))))
            elif m := re.match(r"^\s*(?:inline |static )?(?:void|struct|class) (Test\w+)", line):
                first = i
                while first and lines[first - 1].strip() and not lines[first - 1].startswith(("}", "#", "DECLARE")):
                    first -= 1
                found[m[1]].append(range(first, end_of_body(lines, i)))
        return {t: p for t, p in found.items()
                if any(declared.match(lines[r.start]) or "TEST_CASE" in lines[r.start] for r in p)}


class thrust_on_gpu(thrust):
    """The same with nvcc: device_vector is CUDA's, and so is what answers."""
    def __init__(self, folder, options):
        super().__init__(folder, options)
        parts = ("thrust/testing", "thrust", "cub", "libcudacxx/include")
        self.compiler = [str(options.cuda / "bin/nvcc"), f"-arch={options.gpu}", "--extended-lambda", "-x", "cu"]
        self.flags = [f"-I{folder / part}" for part in parts] + [f"-I{here}", "-DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP"]
        if self.catch2:
            self.flags.append(f"-I{self.catch2}/include")
        self.links = self.links + runtime_of(options.cuda)

    def renamed(self, text):  # what asks the driver of their tests, which is not here, for GPUs of before nvcc's oldest
        return super().renamed(re.sub(r"dynamic_cast<const CUDATestDriver\*>\([^;]*?\)\)(?=\))", "nullptr", text))


class cub(project):
    """CUB's device-wide calls, each file for each set of types that it is compiled for, launched from the host."""
    name, header, prefix = "CUB", "on_cub.hpp", "cub"
    environment = {"C2H_SEED_COUNT_OVERRIDE": "1", "OMP_NUM_THREADS": "1"}
    most = 1 << 16  # elements, where a test draws sizes up to some millions: all is compiled without optimisation
    called = r"::"
    runtime = re.compile(r"(?<![\w:])(cuda(?:PeekAtLastError|GetLastError|DeviceSynchronize|StreamSynchronize|StreamCreate|StreamDestroy|"
                         r"GetDevice|Memcpy|MallocHost|FreeHost))(?=\()")
    inner = re.compile(r"cub::detail::(?:segmented_sort|batched_topk|topk::(?!select\b)|merge)|cub::PtxVersion|"  # of kernels
                       r"generate_edge_case_offsets|cub::DeviceCopy|<<<")
    reasons = (  # of files, by their names
        (r"_env(_api)?$", "the same calls with an environment: streams, memory resources and tunings of a GPU"),
        (r"_custom_policy_hub$|_vsmem$|_dispatcher$|_no_unroll$|_cluster_layout$|_for_utils$|_tile$|_vectorized$|_decoupled_look_back$",
         "a kernel's tuning or inner parts, not a call"),
        (r"_large_offsets$|_64bit$", "2^31 elements and more"))

    def __init__(self, folder, options):
        self.folder = folder
        self.tests = folder / "cub/test"
        self.flags = ["-fopenmp", "-DCATCH_CONFIG_PREFIX_ALL", "-DTEST_LAUNCH=0", "-DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP",
                      "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_OMP", f"-I{here}"]
        self.flags += [f"-isystem{folder / part}" for part in ("c2h/include", "cub", "thrust", "libcudacxx/include")]
        self.flags += [f"-isystem{options.cuda}/include", f"-isystem{options.catch2}/include"]
        self.links = [f"-L{options.catch2}/lib", "-lCatch2", *runtime_of(options.cuda)]

    def main(self, text):
        return "catch2_main.hpp"

    def files(self):
        return sorted(self.tests.glob("catch2_test_device_*.cu"))

    version = thrust.version

    def renamed(self, text):
        """Calls, and sizes that are drawn; and what is a GPU's, where none is."""
        text = re.sub(r"(?<![\w:])(?:::)?cuda::(stream|stream_ref|devices)\b(?!\()", r"on_upsweep::\1", text)
        text = re.sub(r"(?<![\w:])(?:::)?cuda::execution::gpu\b", "on_upsweep::gpu", text)
        return self.calls_renamed(self.runtime.sub(r"on_upsweep::\1", text))

    def calls_renamed(self, text):
        def drawn(m):
            return m[1] + (str(self.most) if eval(m[2].replace("'", "")) > self.most else m[2])

        text = re.sub(r"(\bmax_(?:num_)?items\s*=\s*)([\d'< ]+)(?=;)", drawn, text)
        text = re.sub(r"\b(?:random\(1|values\(\{0), [^;]*?\)", lambda m: re.sub(r"()(\b[\d']{6,}\b)", drawn, m[0]), text)
        text = re.sub(r"\b1920, (\w*\{?)1080\b", r"240, \g<1>135", text)  # images, for the same reason
        text = re.sub(r"\bcub::detail::(dispatch_topk_hub)\b", r"on_upsweep::\1", text)
        # an assignment that returns nothing, for which GCC 13 ends the program
        text = re.sub(r"(& operator=\(const T& val\) noexcept\s*\{\s*val_ = val;)(?=\s*\})", r"\1 return *this;", text)
        return super().renamed(text)

    def left_out(self, file, text):
        for pattern, why in self.reasons:
            if re.search(pattern, file.stem):
                return why
        return "" if re.search(rf"\bcub::({names_in(self.header)})::", text) else "calls nothing that is ours"

    def prepare(self, folder):
        """The headers that tests share, renamed as they are; nothing in the place of CUB's kernels and of what asks for a GPU."""
        for shared in [*self.tests.glob("*.cuh"), *self.tests.glob("*.h")]:
            lines = self.renamed(shared.read_text()).splitlines()
            for i in range(len(lines)):
                if self.inner.search(lines[i]):
                    block, _ = block_around(lines, i)
                    lines[block.start:block.stop] = [""] * len(block)
            (folder / shared.name).write_text("\n".join(lines) + "\n")
        empty = ["catch2_test_launch_helper.h", "insert_nested_NVTX_range_guard.h", "test_util.h", "c2h/checked_allocator.cuh",
                 "c2h/detail/generators.cuh", *self.kernels()]
        vectors = "c2h/test_util_vec.h"  # its operators of int2 and kin stand under a test for CUDA
        (folder / "c2h").mkdir(exist_ok=True)
        (folder / vectors).write_text(re.sub(r"#if THRUST_DEVICE_SYSTEM == \w+", "#if 1", (self.folder / "c2h/include" / vectors).read_text()))
        for name in empty:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("#pragma once\n")

    def kernels(self):
        """Headers that nothing stands in the place of."""
        return ["cub/cub.cuh", *(str(f.relative_to(self.folder / "cub")) for f in (self.folder / "cub/cub/device").rglob("*.cuh"))]

    def variants(self, text):
        found = re.findall(r"%PARAM%\s+(\w+)\s+\w+\s+([\w:]+)", text)
        sets = [[f"{name} {value}" for value in values.split(":")] for name, values in found if name != "TEST_LAUNCH"]
        return [(", ".join(one), "".join(f"#define {d}\n" for d in one)) for one in itertools.product(*sets)]

    def taken_out(self, lines, tests):
        large = {t for t, p in tests.items() if huge.search(t) or any(huge.search(" ".join(lines[r.start:r.start + 6])) for r in p)}
        for t in large:
            for r in tests[t]:
                lines[r.start:r.stop] = [""] * len(r)
        return {t: too_large for t in large}

    def places(self, lines):
        found = collections.defaultdict(list)
        for i, line in enumerate(lines):
            if re.match(r"(?:CUB|C2H)_TEST\w*\(|TEST_CASE\(", line):
                first = i
                while first and lines[first - 1].startswith("template"):
                    first -= 1
                name = re.search(r'"([^"]+)"', " ".join(lines[i:i + 3]))[1]
                found[name].append(range(first, end_of_body(lines, i)))
        return found


class cub_on_gpu(cub):
    """The same with nvcc: device_vector is CUDA's, of managed memory, CUB's own kernels are there for the tests, and a GPU answers."""
    most = 1 << 18

    def __init__(self, folder, options):
        super().__init__(folder, options)
        self.compiler = thrust_on_gpu(folder, options).compiler + ["--expt-relaxed-constexpr"]
        parts = ("c2h/include", "cub", "thrust", "libcudacxx/include")
        self.flags = ["-DCATCH_CONFIG_PREFIX_ALL", "-DTEST_LAUNCH=0", "-DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP", f"-I{here}"]
        self.flags += [f"-I{folder / part}" for part in parts] + [f"-I{options.catch2}/include"]

    def renamed(self, text):
        return self.calls_renamed(re.sub(r"\bthrust::device_vector\b", "c2h::device_vector", text))

    def kernels(self):
        return []


class parlay(project):
    name, header, prefix, links = "ParlayLib", "on_parlay.hpp", "parlay", ["-lgtest"]
    called = r"\("  # with a type named, pack_index of another one

    def __init__(self, folder, options):
        self.folder = folder
        self.tests = folder / "test"
        self.flags = [f"-I{self.tests}", f"-isystem{folder}/include"]

    def files(self):
        return sorted(self.tests.glob("test_*.cpp"))

    def version(self):
        return re.search(r"project\(PARLAY VERSION ([\d.]+)", (self.folder / "CMakeLists.txt").read_text())[1]

    def renamed(self, text):
        within = names_in(self.header, "ON_UPSWEEP_WITHIN")
        return super().renamed(re.sub(rf"\bparlay::internal::({within})(?=\()", r"on_upsweep::internal::\1", text))

    def places(self, lines):
        found = collections.defaultdict(list)
        for i, line in enumerate(lines):
            if m := re.match(r"^TEST(?:_\w)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", line):
                found[f"{m[1]}.{m[2]}"].append(range(i, end_of_body(lines, i)))
        return found


class x86_simd_sort(project):
    name, header, prefix, links = "x86-simd-sort", "on_x86_simd_sort.hpp", "x86simdsort", ["-lgtest"]
    optimised = "-O1"  # ten thousand sorts a test

    def __init__(self, folder, options):
        self.folder = folder
        self.tests = folder / "tests"
        self.flags = [f"-isystem{folder / part}" for part in ("tests", "utils", "lib", "src")]

    def files(self):
        return sorted(self.tests.glob("*.cpp"))

    def version(self):
        return re.search(r"version\s*:\s*'([\d.x]+)'", (self.folder / "meson.build").read_text())[1]


class highway(project):
    """Nothing is renamed: on_highway.hpp defines what vqsort.h declares, and Highway's own sorts are not linked."""
    name, header, links, optimised = "Highway", "on_highway.hpp", ["-lgtest"], "-O1"

    def __init__(self, folder, options):
        self.folder = folder
        self.flags = ["-march=haswell", "-maes", "-DHWY_COMPILE_ONLY_STATIC", f"-isystem{folder}"]
        self.sources = [f for part in ("hwy", "hwy/contrib/thread_pool") for f in sorted((folder / part).glob("*.cc"))
                        if not f.stem.endswith("_test")] + [folder / "hwy/tests/test_util.cc"]

    def files(self):
        return [self.folder / "hwy/contrib/sort" / f for f in ("bench_parallel.cc", "bench_sort.cc", "sort_test.cc", "sort_unit_test.cc")]

    def version(self):
        text = (self.folder / "hwy/base.h").read_text() + (self.folder / "hwy/highway.h").read_text()
        return ".".join(re.search(rf"define HWY_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))

    def renamed(self, text):
        return text

    def left_out(self, file, text):
        return "" if re.search(r"\bVQ\w+\(|Algo::kVQ", re.sub(r"//.*", "", text)) else "calls VQSort's inner parts alone"


class libcxx(project):
    name, header = "libc++", "on_libcxx.hpp"

    def __init__(self, folder, options):
        self.folder = folder / "libcxx" if (folder / "libcxx").exists() else folder
        self.tests = self.folder / "test/std/algorithms"
        self.flags = [f"-isystem{self.folder}/test/support", "-D_GLIBCXX_USE_TBB_PAR_BACKEND=0"]

    def main(self, text):
        return "libcxx_main.hpp"

    def files(self):
        return sorted(self.tests.rglob("pstl.*.pass.cpp"), key=lambda f: f.name)

    def version(self):
        number = int(re.search(r"define _LIBCPP_VERSION (\d+)", (self.folder / "include/__config").read_text())[1])
        return f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def renamed(self, text):
        text = re.sub(rf"\bstd::({names_in(self.header)})(?=\s*\(\s*(?:policy\b|std::execution::))", r"on_upsweep::\1", text)
        return re.sub(r"\bint main\(", "int test_main(", text) if "on_upsweep::" in text else text

    def places(self, lines):
        return {"main": [range(0, 0)]}


def block_around(lines, at):
    """A function or type that tests share: its lines, from the blank line before it to the brace that ends it, and its name."""
    first = at
    while first and lines[first - 1].strip() and not lines[first - 1].startswith(("}", "#", "DECLARE")):
        first -= 1
    while lines[first].startswith(" ") and first:  # inside a body that has blank lines
        first -= 1
        while first and lines[first - 1].strip() and not lines[first - 1].startswith(("}", "#", "DECLARE")):
            first -= 1
    last = end_of_body(lines, first)
    head = " ".join(lines[first:last]).split("{")[0]
    named = re.search(r"(?:struct|class)\s+(\w+)", re.sub(r"template\s*<[^{]*?>\s*(?=struct|class|\w)", "", head)) or re.search(r"(\w+)\s*\(", head)
    return range(first, last), named[1] if named and at < last else None


def end_of(lines, first, last):
    for i in range(first, len(lines)):
        if last(lines[i]):
            return i + 1
    return len(lines)


def end_of_body(lines, first):
    last = end_of(lines, first, lambda l: l.startswith("}"))
    while last < len(lines) and lines[last].startswith("catch"):  # of a body that is one try
        last = end_of(lines, last, lambda l: l.startswith("}"))
    return last


def compiled(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


of_nvcc = re.compile(r"(\S+)\((\d+)\): (?:catastrophic )?error(?: #[\d-]+D?)?: (.*)")


def errors_of_nvcc(stderr, source):
    """The same, where a sentence comes first, and then what led to it: a line is of the file named last."""
    told = None
    for line in stderr.splitlines():
        if m := of_nvcc.match(line):
            if told:
                yield told
            told = (m[3], [int(m[2]) - 1] if m[1] == source else [])
            file = m[1]
        elif told and (m := re.search(r" at line (\d+)(?: of (\S+))?", line)):
            file = m[2] or file
            if file == source:
                told[1].append(int(m[1]) - 1)
        elif told and re.match(r"\S+\(\d+\): |\d+ errors? detected", line):  # a warning, a note, or the end
            yield told
            told = None
    if told:
        yield told


def errors(stderr, source):
    """Each error's sentence, with the lines of the source that led to it: the outermost last."""
    lines, leading = [], False
    yield from errors_of_nvcc(stderr, source)
    for line in stderr.splitlines():
        if "error:" in line and not of_nvcc.match(line):
            at = re.match(rf"{re.escape(source)}:(\d+)", line)
            yield line.split("error:", 1)[1].strip(), lines + ([int(at[1]) - 1] if at else [])
            leading = False
        elif re.search(r": In |required (from|by)|At global scope|In file included", line):
            if not leading:
                lines = []
            leading = True
            if at := re.match(rf"{re.escape(source)}:(\d+):", line):
                lines.append(int(at[1]) - 1)


def plain_text(why):
    return "".join(c for c in why if c.isprintable() or c.isspace())  # a byte's value may be written as a character


def plainly(sentence):
    sentence = re.sub(r'^static assertion failed(?:: | with "(.*)"$)', r"\1", sentence)
    if m := re.match(r"no matching function for call to .(?:\w+::)*(\w+)[(<]|no instance of (?:\w+ )?function(?: template)? \"(?:\w+::)*(\w+)[\"(<]", sentence):
        return f"no such form of {m[1] or m[2]}"
    if re.search(r"is not a member of .cub::.*detail", sentence):
        return "asks for inner parts of CUB's kernels"
    if "unimplemented for this system" in sentence:
        return "a call that upsweep/thrust.hpp has not"
    return sentence[:160]


def build(suite, text, folder, options, base):
    """Whether there is a program, the tests that had to be taken out of it with their reasons, all tests, and, where there is none, why."""
    source = folder / "test.cpp"
    lines = text.splitlines()
    tests = suite.places(lines)
    blocks = dict(tests)  # and what tests share, where it does not compile
    out = suite.taken_out(lines, tests)

    def told_of(good, why=""):
        return good, {t: w for t, w in out.items() if t in tests}, tests, why

    for _ in range(8):
        source.write_text("\n".join(lines) + f'\n#include "tests/peers/{suite.main(text)}"\n')
        good, told = compiled(base + ["-include", suite.header, "-c", str(source), "-o", str(folder / "test.o")])
        if good:
            good, told = compiled(options.compiler + suite.flags[:1] + [str(folder / "test.o"), *suite.objects, str(options.library)] + suite.links +
                                  options.links + ["-o", str(folder / "test")])
            return told_of(good, "" if good else "does not link: " + told.strip()[-160:])
        wrong = collections.defaultdict(list)
        for sentence, at in errors(told, str(source)):
            for line in reversed(at):
                names = [b for b, p in blocks.items() if any(line in r for r in p) and b not in out]
                if not names:
                    block, name = block_around(lines, line)
                    if name and name not in out:
                        blocks[name] = [block]
                        names = [name] + [t for t, p in tests.items() if t not in out and
                                          any(re.search(rf"\b{name}\b", l) for r in p for l in lines[r.start:r.stop])]
                if names:
                    for name in names if names[0] not in tests else names[:1]:
                        wrong[name].append(plainly(sentence))
                    break
        if not wrong:
            first = next((s for s, _ in errors(told, str(source))), told[-200:])
            return told_of(False, plainly(first))
        for name, sentences in wrong.items():
            ours = [s for s in sentences if "upsweep" in s]
            out[name] = (ours or sentences)[0]
            for r in blocks[name]:
                for i in r:
                    if not lines[i].startswith("#"):
                        lines[i] = ""
    return told_of(False, "errors without end")


# What fails by the other's rule and not by a wrong answer; looked at one by one.
known = {("scan_by_key.inclusive.cu", "TestInclusiveScanByKeyInPlace"): "sums of bytes written to ints are whole here; there they wrap as bytes",
         ("scan_by_key.exclusive.cu", "TestExclusiveScanByKeyInPlace"): "sums of bytes written to ints are whole here; there they wrap as bytes",
         ("catch2_test_device_histogram.cu", "DeviceHistogram::Histogram* large levels(0) - types_528 - 8"):
             "halves are binned as floats here (upsweep/histogram/histogram_bins.hpp); there each step is rounded to a half",
         ("catch2_test_device_histogram.cu", "DeviceHistogram::HistogramEven bin computation does not overflow(0) - types_701 - 3"):
             "CUB refuses such levels, as its arithmetic overflows; here they are binned",
         **{("catch2_test_device_select_unique.cu", f"DeviceSelect::Unique handles none equal(0) - types_116 - {i}"):
                "the adapter counts by differences of iterators: cuda::discard_iterator's run backwards, and those over bytes end at 255" for i in (0, 1)},
         **{("catch2_test_device_select_unique_by_key.cu", f"DeviceSelect::UniqueByKey {test}"):
                "the adapter counts by differences of iterators: cuda::discard_iterator's run backwards, and those over bytes end at 255"
            for test in ("handles none equal(0) - types_131 - 0", "works for very large outputs that needs 64-bit offset types(0) - types_446 - 0")},
         **{(file, test): "a GPU exchanges elements as bytes here, not by a swap of their own" for file, test in (
             ("swap_ranges.cu", "TestSwapRangesUserSwap"), ("pair.cu", "TestPairSwap"), ("tuple.cu", "TestTupleSwap"))},
         ("shuffle.cu", "TestHostDeviceIdentical"): "the order is this library's, not that of Thrust's shuffle on the host"}

huge = re.compile(r"BigInd|LargeInd|LargeInput|HugeInput|2\^3|large (?:num|offset|runs)|CUB_LARGE")
too_large = "2^31 elements and more, in code that is not optimised"


def run(suite, program, limit, tests):
    """What each test told; one that ends the program is told so, and those after it run in another."""
    told = {t: {"test": t, "outcome": "not done", "calls": 1, "why": too_large} for t in tests if huge.search(t)}
    while True:
        try:
            done = subprocess.run([str(program), *told], capture_output=True, text=True, timeout=limit, errors="replace",
                                  env={**os.environ, **suite.environment})
            text, end, last = done.stdout, done.returncode, (done.stderr.strip().splitlines() or [""])[-1]
        except subprocess.TimeoutExpired as e:
            text, end = (e.stdout or b"").decode(errors="replace"), None
        begun = None
        for line in text.splitlines():
            if not line.startswith("{"):
                continue
            row = json.loads(line)
            if row["outcome"] == "begun":
                begun = row["test"]
            else:
                told[row["test"]] = row
                begun = None
        if begun is None:
            return list(told.values())
        told[begun] = ({"test": begun, "outcome": "not done", "calls": 1, "why": f"not done after {limit} s"} if end is None else
                       {"test": begun, "outcome": "failed", "calls": 1, "why": f"ended the program ({end}) {last}".strip()})


def judged(row):
    if row["outcome"] == "not done":
        return "not done"
    if row["outcome"] == "failed":
        return "failed" if row["calls"] else "not ours"
    return "passed" if row["calls"] and row["outcome"] == "passed" else "not ours"


def examine(suite, options, save, before):
    """The suite's table, saved after every file. What an earlier run told of files that this one is not asked for stays."""
    chosen = [f for f in suite.files() if not options.only or f.stem in options.only]
    if options.only:
        chosen.sort(key=lambda f: options.only.index(f.stem))
    names = {f.name for f in chosen}
    files = [f for f in before.get("files", []) if f["file"] not in names]
    rows = [r for r in before.get("not_passed", []) if r["file"] not in names]
    table = {"name": suite.name, "version": suite.version(), "there_are": len(suite.files()), "files": files, "not_passed": rows}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        base = (suite.compiler or options.compiler) + ["-std=c++20", "-w", suite.optimised, f"-I{folder}", f"-I{root}"] + suite.flags
        suite.prepare(folder)
        if not suite.compiler:  # nvcc compiles no header before others
            good, told = compiled(base + ["-x", "c++-header", str(here / suite.header), "-o", str(folder / (suite.header + ".gch"))])
            if not good:
                sys.exit(told)
        suite.objects = []
        for source in suite.sources:
            suite.objects.append(str(folder / (source.stem + ".o")))
            good, told = compiled(options.compiler + ["-std=c++20", "-w", "-O1", *suite.flags, "-c", str(source), "-o", suite.objects[-1]])
            if not good:
                sys.exit(told)

        def examined(file, text, alone, which):
            """The tests of a file in one of its variants."""
            alone.mkdir()
            good, out, places, wrong = build(suite, text, alone, options, base)
            found = [{"test": t, "outcome": "not done" if w == too_large else "does not compile", "why": w} for t, w in out.items()]
            if good:
                left = [t for t in places if t not in out]
                found += [dict(r, outcome=judged(r), why=re.sub(r"[^\s\[]*/(test\.cpp)", r"\1", plain_text(r.get("why", ""))))
                          for r in run(suite, alone / "test", options.limit, left)]
            else:
                found += [{"test": t, "outcome": "does not compile", "why": wrong} for t in places or ["all"] if t not in out]
            shutil.rmtree(alone)
            for t in found:
                t["test"] = t["test"].replace('"', "") + (f" ({which})" if which else "")
                if t["outcome"] == "failed" and (file.name, t["test"]) in known:
                    t["why"] = known[file.name, t["test"]] + ": " + t["why"]
            return file, found

        def tell(file, tests):
            files.append({"file": file.name, "commit": options.commit, **collections.Counter(t["outcome"] for t in tests)})
            rows.extend({"file": file.name, **t} for t in tests if t["outcome"] in ("failed", "does not compile", "not done"))
            counts = collections.Counter(t["outcome"] for t in tests)
            print(f"{suite.name} {file.name}: " + ", ".join(f"{n} {o}" for o, n in sorted(counts.items())), flush=True)
            for t in tests:
                if t["outcome"] == "failed":
                    print(f"    {t['test']}: {t.get('why', '')}", flush=True)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            parts, left, tests = [], collections.Counter(), collections.defaultdict(list)
            for file in chosen:
                original = file.read_text()
                if why := suite.left_out(file, original):
                    files.append({"file": file.name, "commit": options.commit, "left_out": why})
                    continue
                for i, (which, before) in enumerate(suite.variants(original)):
                    left[file] += 1
                    parts.append(pool.submit(examined, file, before + suite.renamed(original), folder / f"{file.stem}.{i}", which))
            save(table)
            for done in concurrent.futures.as_completed(parts):
                file, found = done.result()
                tests[file] += found
                left[file] -= 1
                if not left[file]:
                    tell(file, tests[file])
                    save(table)
    return table


def linked(build):
    """The library of a build, and what a program that calls it is linked with: as upsweep_only_reduce is."""
    told = build / "tests/CMakeFiles/upsweep_only_reduce.dir/link.txt"  # of Makefiles
    line = told.read_text() if told.exists() else subprocess.run(
        ["ninja", "-C", str(build), "-t", "commands", "upsweep_only_reduce"], check=True, capture_output=True,
        text=True).stdout.splitlines()[-1]
    words = shlex.split(line)
    at = next(i for i, w in enumerate(words) if w.endswith("libupsweep.a"))
    after = [w for w in words[at + 1:] if re.match(r"-l|.*\.(a|so)(\.[\d.]+)?$", w)]
    return build / "library/libupsweep.a", [w for w in words[:at] if w.startswith("-L")] + after


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--compiler", type=shlex.split, default=["c++"])
    p.add_argument("--build", type=pathlib.Path, help="a build of this tree: the library, and what it is linked with")
    p.add_argument("--library", type=pathlib.Path, help="libupsweep.a, instead of a build's")
    p.add_argument("--links", type=shlex.split, default=["-ltbb", "-lfftw3", "-lfftw3f", "-lpthread"],
                   help="what that library is linked with: this, and with OpenCL -lOpenCL; CUDA's runtime is there where tests call it")
    p.add_argument("--cccl", type=pathlib.Path, help="a checkout of NVIDIA/cccl")
    p.add_argument("--cub", type=pathlib.Path, help="a checkout of NVIDIA/cccl, for CUB's tests, with --catch2 and --cuda")
    p.add_argument("--cuda", type=pathlib.Path, default=pathlib.Path("/usr/local/cuda"), help="a CUDA toolkit: its headers and runtime, and with --gpu its nvcc")
    p.add_argument("--gpu", nargs="?", const="native", metavar="ARCH", help="tests of Thrust and CUB by nvcc, on the GPU: its architecture, sm_90, or what is there")
    p.add_argument("--parlay", type=pathlib.Path, help="a checkout of cmuparlay/parlaylib")
    p.add_argument("--x86-simd-sort", type=pathlib.Path, help="a checkout of intel/x86-simd-sort")
    p.add_argument("--highway", type=pathlib.Path, help="a checkout of google/highway")
    p.add_argument("--libcxx", type=pathlib.Path, help="a checkout of llvm/llvm-project, or of its libcxx")
    p.add_argument("--catch2", type=pathlib.Path, help="where Catch2 3 is installed, for those of Thrust's tests that want it")
    p.add_argument("--json", type=pathlib.Path)
    p.add_argument("--machine", default=platform.processor() or platform.machine())
    p.add_argument("--limit", type=int, default=120, help="seconds that a test program may take")
    p.add_argument("--jobs", type=int, default=1, help="files at once")
    p.add_argument("--only", nargs="*", help="names of files, without their endings")
    options = p.parse_args()
    if options.build:
        options.library, options.links = linked(options.build.resolve())
    elif not options.library:
        p.error("name a build, or the library")
    kinds = ((thrust_on_gpu if options.gpu else thrust, options.cccl), (cub_on_gpu if options.gpu else cub, options.cub), (parlay, options.parlay), (x86_simd_sort, options.x86_simd_sort),
             (highway, options.highway), (libcxx, options.libcxx))
    if options.gpu and any(f for _, f in kinds[2:]):
        p.error("--gpu is for the tests of Thrust and CUB alone, --cccl and --cub")
    if options.cub and not options.catch2:
        p.error("CUB's tests are written for Catch2 3: name where it is installed, --catch2")
    suites = [kind(folder.resolve(), options) for kind, folder in kinds if folder]
    if not suites:
        print("no checkout was named: --cccl, --cub, --parlay, --x86-simd-sort, --highway, --libcxx")
        return 77  # ctest: skipped
    commit = options.commit = subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    before = runs.earlier(options.json) if options.json else None
    tables = {s["name"]: s for s in before["suites"]} if before else {}

    def save(table):
        by_file = lambda r: r["file"]
        tables[table["name"]] = {**table, "files": sorted(table["files"], key=by_file), "not_passed": sorted(table["not_passed"], key=by_file)}
        if options.json:
            options.json.write_text(json.dumps(
                {"kind": "peers-tests", "suites": list(tables.values()),
                 "provenance": {"commit": commit, "date": datetime.datetime.now().isoformat(timespec="seconds"),
                                "gpu" if options.gpu else "cpu": options.machine}}, indent=1, sort_keys=True) + "\n")

    done = [examine(s, options, save, tables.get(s.name, {})) for s in suites]
    for s in done:
        total = collections.Counter()
        for f in s["files"]:
            total.update({k: v for k, v in f.items() if isinstance(v, int)})
        print(f"{s['name']} {s['version']}: " + ", ".join(f"{n} {o}" for o, n in sorted(total.items())))
    return 1 if any(r["outcome"] == "failed" for s in done for r in s["not_passed"]) else 0


if __name__ == "__main__":
    sys.exit(main())
