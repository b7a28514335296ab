#!/usr/bin/env python3
"""Makes the files of a release from a clean checkout, and writes nothing outside OUT and the build folders.

    packaging/release.py OUT [--url ADDRESS] [--only PART,...]

    sources   upsweep-VERSION.tar.gz: the files of the commit
    wheel     the wheel for CPUs and OpenCL (./quickstart wheel)
    deb       Debian packages for this release of Debian or Ubuntu (./quickstart deb)
    site      upsweep-site-VERSION.tar.gz (./quickstart site)
    results   upsweep-results-VERSION.tar.gz: the extracts of the measurements and the program that reads them
    header    upsweep.hpp: the single header
    recipes   recipes/: packaging/ with the address and the checksum of the sources filled in
    sbom      upsweep-VERSION.spdx.json: what is in each file (SPDX 2.3)
    sums      SHA256SUMS

ADDRESS is the folder from which the files will be downloaded. All dates are that of the commit, so two runs on the same commit and
machine give the same bytes. Tagging and uploading is done by a person.
"""
import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("sources", "wheel", "deb", "site", "results", "header", "recipes", "sbom", "sums")
RECIPES = ("vcpkg/vcpkg.json", "vcpkg/portfile.cmake", "vcpkg/usage", "conan/conanfile.py", "spack/package.py", "conda-forge/recipe.yaml")


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True).stdout


def version():
    return re.search(r"project\(upsweep VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def digest(path, kind="sha256"):
    return hashlib.new(kind, path.read_bytes()).hexdigest()


class Release:
    def __init__(self, out, url):
        self.out, self.url, self.version = out, url.rstrip("/"), version()
        self.commit = git("rev-parse", "HEAD").decode().strip()
        self.date = int(git("log", "-1", "--format=%ct"))

    def file(self, name):
        return self.out / name

    @property
    def tarball(self):
        return self.file(f"upsweep-{self.version}.tar.gz")

    def archive(self, name, members):
        """A tar.gz of [(name in it, path)], with the commit's date and no owner."""
        tar = io.BytesIO()
        with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for inside, path in sorted(members):
                entry = tarfile.TarInfo(f"{name}/{inside}")
                data = path.read_bytes()
                entry.size, entry.mtime, entry.mode = len(data), self.date, 0o755 if path.stat().st_mode & 0o100 else 0o644
                archive.addfile(entry, io.BytesIO(data))
        self.file(f"{name}.tar.gz").write_bytes(gzip.compress(tar.getvalue(), 9, mtime=0))

    def quickstart(self, word, pattern):
        for old in (ROOT / "dist").glob(pattern):
            old.unlink()
        subprocess.run([ROOT / "quickstart", word], check=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(self.date)})
        for path in (ROOT / "dist").glob(pattern):
            shutil.copy2(path, self.out)

    def sources(self):
        tar = git("archive", "--format=tar", f"--prefix=upsweep-{self.version}/", "HEAD")
        self.tarball.write_bytes(gzip.compress(tar, 9, mtime=0))

    def wheel(self):
        self.quickstart("wheel", "*.whl")

    def deb(self):
        self.quickstart("deb", "*.deb")

    def site(self):
        subprocess.run([ROOT / "quickstart", "site"], check=True)
        built = ROOT / "build" / "site"
        self.archive(f"upsweep-site-{self.version}", [(path.relative_to(built).as_posix(), path) for path in built.rglob("*") if path.is_file()])

    def results(self):
        names = [name for name in git("ls-files", "results").decode().splitlines() if not name.endswith(".zip")]
        self.archive(f"upsweep-results-{self.version}", [(name.removeprefix("results/"), ROOT / name) for name in names])

    def header(self):
        subprocess.run([sys.executable, "-B", ROOT / "packaging" / "single_header.py", self.file("upsweep.hpp"), "--commit", self.commit], check=True)

    def recipes(self):
        if not self.tarball.exists():
            sys.exit("packaging/release.py: recipes need the checksum of the sources: make sources first")
        values = {"@URL@": f"{self.url}/{self.tarball.name}", "@SHA256@": digest(self.tarball), "@SHA512@": digest(self.tarball, "sha512")}
        for name in RECIPES:
            text = (ROOT / "packaging" / name).read_text(encoding="utf-8")
            for token, value in values.items():
                text = text.replace(token, value)
            path = self.out / "recipes" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def sbom(self):
        path = self.file(f"upsweep-{self.version}.spdx.json")
        document = spdx(self.version, self.commit, self.date, self.url, sorted(p for p in self.out.iterdir() if p.is_file() and p.name not in (path.name, "SHA256SUMS")))
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")

    def sums(self):
        paths = sorted(path for path in self.out.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
        self.file("SHA256SUMS").write_text("".join(f"{digest(path)}  {path.relative_to(self.out).as_posix()}\n" for path in paths))


def spdx(release, commit, date, url, paths):
    """The SPDX 2.3 document: a package for each file of the release, and one for each library that a wheel carries."""
    files = {path.name: digest(path) for path in paths}
    packages, relations = [], []

    def add(name, **more):
        identifier = "SPDXRef-" + re.sub("[^A-Za-z0-9.-]", "-", name)
        packages.append({"SPDXID": identifier, "name": name, "filesAnalyzed": False, "copyrightText": "NOASSERTION",
                         "licenseDeclared": "NOASSERTION", "downloadLocation": "NOASSERTION", "licenseConcluded": "NOASSERTION", **more})
        return identifier

    for path in paths:
        owner = add(path.name, versionInfo=release, packageFileName=path.name, licenseDeclared="Apache-2.0",
                    downloadLocation=f"{url}/{path.name}", checksums=[{"algorithm": "SHA256", "checksumValue": files[path.name]}])
        relations.append({"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": owner})
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                for name in sorted(wheel.namelist()):
                    if name.startswith("upsweep.libs/"):
                        library = pathlib.PurePath(name).name
                        gpl = library.startswith("libfftw3")
                        part = add(f"{path.name}/{library}", packageFileName=name, licenseDeclared="GPL-2.0-or-later" if gpl else "NOASSERTION",
                                   checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(wheel.read(name)).hexdigest()}])
                        relations.append({"spdxElementId": owner, "relationshipType": "CONTAINS", "relatedSpdxElement": part})
    identity = hashlib.sha256(json.dumps([release, commit, files], sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"upsweep-{release}",
        "documentNamespace": f"{url}/spdx/upsweep-{release}-{identity}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(date)), "creators": ["Tool: packaging-release.py"],
                         "comment": f"commit {commit}"},
        "packages": packages, "relationships": relations,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--url", default="https://upsweep.invalid/releases")
    parser.add_argument("--only", default=",".join(PARTS))
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    if git("status", "--porcelain"):
        sys.exit("packaging/release.py: the checkout has changes that are not committed; a release is made of a commit")
    arguments.out.mkdir(parents=True, exist_ok=True)
    release = Release(arguments.out.resolve(), arguments.url)
    for part in PARTS:
        if part in chosen:
            print(f"== {part}", flush=True)
            getattr(release, part)()
    print(f"{arguments.out}: version {release.version}, commit {release.commit}")


if __name__ == "__main__":
    main()
