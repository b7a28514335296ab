"""Tests of packaging/: versions, recipes, issue forms, the citation and the release script. Nothing is compiled.

    tests/packaging/test_packaging.py
"""
import ast
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest

try:
    import yaml
except ImportError:
    yaml = None

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGING = ROOT / "packaging"
sys.dont_write_bytecode = True
sys.path.insert(0, str(PACKAGING))
import release  # noqa: E402
import wheel  # noqa: E402

VERSION = release.version()


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def cmake_options():
    """Options and cache variables that a user may set."""
    return set(re.findall(r"^(?:option|set)\((UPSWEEP_\w+|BUILD_SHARED_LIBS) ", text("CMakeLists.txt"), re.M))


class Versions(unittest.TestCase):
    def test_every_file_has_the_version_of_the_project(self):
        for name, pattern in {
            "packaging/vcpkg/vcpkg.json": r'"version": "([^"]+)"', "packaging/conan/conanfile.py": r'^    version = "([^"]+)"',
            "packaging/spack/package.py": r'version\("([^"]+)"', "packaging/conda-forge/recipe.yaml": r'version: "([^"]+)"',
            "CITATION.cff": r"^version: (\S+)$", "CHANGELOG.md": r"^## ([0-9.]+)",
        }.items():
            found = re.search(pattern, text(name), re.M)
            self.assertTrue(found, name)
            self.assertEqual(found[1], VERSION, name)


class Recipes(unittest.TestCase):
    def test_options_exist(self):
        for name in release.RECIPES:
            for option in re.findall(r"\bUPSWEEP_[A-Z_]+\b", text(f"packaging/{name}")):
                self.assertIn(option, cmake_options(), name)

    def test_vcpkg_port(self):
        manifest = json.loads(text("packaging/vcpkg/vcpkg.json"))
        self.assertLessEqual(set(manifest), {"name", "version", "description", "license", "supports", "dependencies", "default-features", "features", "homepage"})
        self.assertLessEqual(set(manifest["default-features"]), set(manifest["features"]))
        self.assertTrue(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest["name"]))
        # CMake runs the port with functions that record their arguments.
        names = set(re.findall(r"^\s*(vcpkg_\w+)\(", text("packaging/vcpkg/portfile.cmake"), re.M))
        self.assertIn("vcpkg_cmake_install", names)
        stubs = "".join(f'function({name})\n  message(STATUS "{name}|${{ARGV}}")\n  set(SOURCE_PATH s PARENT_SCOPE)\nendfunction()\n' for name in names)
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "run.cmake")
            script.write_text(f"cmake_policy(VERSION 3.22)\n{stubs}set(FEATURES tool)\nset(VERSION {VERSION})\nset(PORT upsweep)\n"
                              f'set(CURRENT_PACKAGES_DIR {folder}/packages)\ninclude({PACKAGING}/vcpkg/portfile.cmake)\n')
            done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(pathlib.Path(folder, "packages/share/upsweep/usage").exists())
        called = dict(re.findall(r"(vcpkg_\w+)\|(.*)", done.stdout))
        mapped = called["vcpkg_check_features"].split(";FEATURES;")[1].split(";")
        self.assertEqual(set(mapped[::2]), set(manifest["features"]))
        self.assertIn("-DUPSWEEP_TESTS=OFF", called["vcpkg_cmake_configure"])
        self.assertIn("vcpkg_copy_tools", called)

    def run_conan(self, **options):
        """Loads the recipe with a stand-in for Conan's modules and returns the CMake variables that it sets, and its requirements."""
        variables, requires = {}, []

        class Options(types.SimpleNamespace):
            def get_safe(self, name):
                return getattr(self, name)

        class Recipe:
            ref = "upsweep"

            def requires(self, name, **_):
                requires.append(name)

        class Anything:
            def __init__(self, *_):
                self.cache_variables = variables

            def __getattr__(self, _):
                return lambda *_: None

        modules = {name: types.ModuleType(name) for name in ("conan", "conan.errors", "conan.tools", "conan.tools.build", "conan.tools.cmake", "conan.tools.files", "conan.tools.gnu")}
        modules["conan"].ConanFile = Recipe
        modules["conan.errors"].ConanInvalidConfiguration = ValueError
        modules["conan.tools.build"].check_min_cppstd = lambda recipe, least: self.assertEqual(least, 20)
        for name in ("CMake", "CMakeDeps", "CMakeToolchain", "cmake_layout"):
            setattr(modules["conan.tools.cmake"], name, Anything)
        modules["conan.tools.gnu"].PkgConfigDeps = Anything
        for name in ("copy", "get", "rmdir"):
            setattr(modules["conan.tools.files"], name, lambda *_, **__: None)
        before = {name: sys.modules.get(name) for name in modules}
        sys.modules.update(modules)
        try:
            space = {}
            exec(compile(text("packaging/conan/conanfile.py"), "conanfile.py", "exec"), space)  # noqa: S102
            recipe = space["UpsweepConan"]()
            self.assertEqual(set(recipe.options), set(recipe.default_options))
            recipe.options = Options(**{**recipe.default_options, **options})
            recipe.settings = types.SimpleNamespace(os="Linux")
            recipe.validate()
            recipe.requirements()
            recipe.generate()
            recipe.cpp_info = types.SimpleNamespace(set_property=lambda *_: None)
            recipe.package_info()
            recipe.settings.os = "Windows"
            self.assertRaises(ValueError, recipe.validate)
        finally:
            for name, module in before.items():
                sys.modules.pop(name) if module is None else sys.modules.update({name: module})
        return variables, requires, recipe.cpp_info.requires

    def test_conan_recipe(self):
        variables, requires, linked = self.run_conan()
        self.assertEqual((variables["UPSWEEP_OPENCL"], variables["UPSWEEP_FFTW"], variables["UPSWEEP_TESTS"]), (True, False, False))
        self.assertFalse([name for name in requires if name.startswith("fftw")])
        variables, requires, linked = self.run_conan(fftw=True, opencl=False)
        self.assertEqual((variables["UPSWEEP_OPENCL"], variables["UPSWEEP_FFTW"]), (False, True))
        self.assertEqual({name.split("/")[0] for name in requires}, {name.split("::")[0] for name in linked})
        self.assertLessEqual(set(variables), cmake_options())

    def test_spack_recipe(self):
        said = {"variant": [], "depends_on": [], "version": [], "license": [], "conflicts": []}
        module = types.ModuleType("spack.package")

        class Base:
            def define(self, name, value):
                return name, value

            define_from_variant = define

        class When:
            def __init__(self, _):
                pass

            def __enter__(self):
                return self

            def __exit__(self, *_):
                pass

        module.CMakePackage, module.CudaPackage, module.when = Base, type("CudaPackage", (), {}), When
        for name, calls in said.items():
            setattr(module, name, lambda *words, _calls=calls, **more: _calls.append((words, more)))
        before = {name: sys.modules.get(name) for name in ("spack", "spack.package")}
        sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": module})
        try:
            space = {}
            exec(compile(text("packaging/spack/package.py"), "package.py", "exec"), space)  # noqa: S102
        finally:
            for name, old in before.items():
                sys.modules.pop(name) if old is None else sys.modules.update({name: old})
        recipe = space["Upsweep"]()
        recipe.spec = types.SimpleNamespace(satisfies=lambda _: True, variants={"cuda_arch": types.SimpleNamespace(value=("90",))})
        variants = {words[0] for words, _ in said["variant"]} | {"cuda"}  # cuda is CudaPackage's
        defined = dict(recipe.cmake_args())
        self.assertLessEqual(set(defined), cmake_options())
        self.assertEqual({value for value in defined.values() if isinstance(value, str)}, variants)

    @unittest.skipUnless(yaml, "no module yaml (python3-yaml)")
    def test_conda_recipe(self):
        recipe = yaml.safe_load(text("packaging/conda-forge/recipe.yaml"))
        self.assertEqual(recipe["schema_version"], 1)
        self.assertLessEqual(set(recipe), {"schema_version", "context", "recipe", "source", "build", "outputs", "about", "extra"})
        for output in recipe["outputs"]:
            self.assertLessEqual(set(output), {"package", "build", "requirements", "tests"})
            self.assertLessEqual(set(output["requirements"]), {"build", "host", "run", "run_exports"})
            for test in output["tests"]:
                self.assertEqual(len(set(test) & {"script", "python", "package_contents", "downstream"}), 1)
        self.assertEqual([output["package"]["name"] for output in recipe["outputs"]], ["libupsweep", "upsweep"])


class Pages(unittest.TestCase):
    @unittest.skipUnless(yaml, "no module yaml (python3-yaml)")
    def test_issue_forms(self):
        forms = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
        self.assertGreaterEqual(len(forms), 4)
        for path in forms:
            form = yaml.safe_load(path.read_text())
            if path.name == "config.yml":
                continue
            self.assertTrue(form["name"] and form["description"], path.name)
            identities = []
            for part in form["body"]:
                self.assertIn(part["type"], ("markdown", "textarea", "input", "dropdown", "checkboxes"), path.name)
                if part["type"] == "markdown":
                    self.assertTrue(part["attributes"]["value"])
                    continue
                identities.append(part["id"])
                self.assertTrue(part["attributes"]["label"], path.name)
                if part["type"] == "dropdown":
                    self.assertEqual(len(set(part["attributes"]["options"])), len(part["attributes"]["options"]))
            self.assertEqual(len(set(identities)), len(identities), path.name)
            self.assertIn("upsweep devices --json", path.read_text(), path.name)

    @unittest.skipUnless(yaml, "no module yaml (python3-yaml)")
    def test_citation(self):
        citation = yaml.safe_load(text("CITATION.cff"))
        self.assertEqual(citation["cff-version"], "1.2.0")
        for key in ("message", "title", "authors", "version"):
            self.assertTrue(citation[key])
        self.assertEqual(citation["license"], "Apache-2.0")

    def test_readme_says_where_packages_are(self):
        page = text("README.md")
        for registry in ("PyPI", "Debian", "vcpkg", "Conan", "Spack", "conda-forge"):
            self.assertTrue(re.search(rf"^\|[^|]*\b{registry}\b[^|]*\| not yet", page, re.M), registry)


class Symbols(unittest.TestCase):
    def test_symbol_versions(self):
        for version, glibc in {"GLIBC_2.34": 34, "GLIBC_2.2.5": 2, "GLIBCXX_3.4.30": 35, "GLIBCXX_3.4.9": 24, "CXXABI_1.3.13": 34, "GCC_3.0": 28,
                               "GLIBC_ABI_DT_RELR": 36, "GLIBCXX_3.4": 24}.items():
            self.assertEqual(wheel.glibc_of(version), glibc, version)
        for version in ("GLIBCXX_3.4.99", "GCC_99.0.0", "FROB_1", "CXXABI_FLOAT128"):
            self.assertRaises(wheel.Refused, wheel.glibc_of, version)


@unittest.skipUnless((ROOT / ".git").exists() and shutil.which("git"), "not a checkout of git")
class Release(unittest.TestCase):
    ONLY = "sources,results,recipes,sbom,sums"

    def test_two_runs_give_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            runs = []
            for number in ("one", "another longer name"):
                clone = folder / number / "clone"
                clone.parent.mkdir()
                subprocess.run(["git", "clone", "-q", "--no-checkout", ROOT, clone], check=True)
                subprocess.run(["git", "-C", clone, "-c", "advice.detachedHead=false", "checkout", "-q", "HEAD"], check=True)
                out = folder / number / "out"
                command = [sys.executable, "-B", clone / "packaging/release.py", out, "--only", self.ONLY, "--url", "https://example.com/r/"]
                subprocess.run(command, check=True, capture_output=True)
                runs.append({path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()})
            self.assertEqual(sorted(runs[0]), sorted(runs[1]))
            for name in runs[0]:
                self.assertEqual(runs[0][name], runs[1][name], name)

            self.assertEqual(subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=out, check=False).returncode, 0)
            sources = out / f"upsweep-{VERSION}.tar.gz"
            for name in release.RECIPES:
                self.assertNotRegex((out / "recipes" / name).read_text(), r"@(URL|SHA256|SHA512)@")
            self.assertIn(hashlib.sha256(sources.read_bytes()).hexdigest(), (out / "recipes/conan/conanfile.py").read_text())
            self.assertIn(f"https://example.com/r/{sources.name}", (out / "recipes/spack/package.py").read_text())
            ast.parse((out / "recipes/spack/package.py").read_text())
            with tarfile.open(sources) as archive:
                self.assertIn(f"upsweep-{VERSION}/CMakeLists.txt", archive.getnames())
                self.assertEqual(len({entry.mtime for entry in archive}), 1)
            bill = json.loads((out / f"upsweep-{VERSION}.spdx.json").read_text())
            identities = {package["SPDXID"] for package in bill["packages"]} | {"SPDXRef-DOCUMENT"}
            self.assertEqual(len(identities), len(bill["packages"]) + 1)
            for relation in bill["relationships"]:
                self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, identities)
            listed = {package["packageFileName"]: package["checksums"][0]["checksumValue"] for package in bill["packages"]}
            self.assertEqual(listed[sources.name], hashlib.sha256(sources.read_bytes()).hexdigest())

            (clone / "README.md").write_text("changed")
            refused = subprocess.run(command, check=False, capture_output=True, text=True)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("not committed", refused.stderr)


if __name__ == "__main__":
    unittest.main()
