#!/usr/bin/env python3
"""Makes a wheel that needs no other package's libraries, and checks such a wheel.

    packaging/wheel.py build BUILD OUT      builds the wheel around the CMake build in the folder BUILD, and repairs it
    packaging/wheel.py repair WHEEL OUT     copies the shared libraries that manylinux does not have into the wheel
    packaging/wheel.py check WHEEL          checks a wheel: libraries, run paths, symbol versions, RECORD

`repair` does what auditwheel does, which not every distribution has. A library in the wheel has a hash in its name, so
it never replaces another package's copy in the same process. The platform tag follows from the symbol versions that the
files need. The output is reproducible: the same input gives the same bytes. `repair` needs patchelf and binutils.
"""
import argparse
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

import elf

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Libraries that every manylinux system has (PEP 600, and the list of auditwheel).
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libutil.so.1", "libresolv.so.2", "libgcc_s.so.1",
          "libstdc++.so.6", "libz.so.1", "libmvec.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
# The first glibc release of a distribution whose libstdc++ and libgcc have a symbol version; auditwheel's policies say the same.
# Entries are sorted, and a version belongs to the first entry that is not older.
FIRST_GLIBC = {
    "GLIBCXX": [("3.4.24", 24), ("3.4.25", 28), ("3.4.28", 31), ("3.4.29", 34), ("3.4.30", 35), ("3.4.31", 37), ("3.4.32", 38), ("3.4.33", 39)],
    "CXXABI": [("1.3.11", 24), ("1.3.12", 31), ("1.3.13", 34), ("1.3.14", 38), ("1.3.15", 39)],
    "GCC": [("7.0.0", 28), ("12.0.0", 34), ("13.0.0", 38), ("14.0.0", 39)],
    "ZLIB": [("1.2.9", 24)],
}
# Licences of carried libraries whose terms apply to the wheel as a whole.
WHOLE_LICENCES = {"libfftw3": "GPL-2.0-or-later"}
LIBRARIES = "upsweep.libs"


class Refused(Exception):
    pass


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, text=True, capture_output=True, **more).stdout


def numbers(version):
    return tuple(int(part) for part in re.findall(r"\d+", version))


def glibc_of(version):
    """The minor number of the oldest glibc 2.N whose systems have that symbol version."""
    name, _, number = version.partition("_")
    if name == "GLIBC":
        return 36 if number == "ABI_DT_RELR" else numbers(number)[1]
    for newest, glibc in FIRST_GLIBC.get(name, []):
        if number[:1].isdigit() and numbers(number) <= numbers(newest):
            return glibc
    raise Refused(f"no manylinux tag is known for symbol version {version}")


def minor_glibc(elves):
    """For {name: Elf}: the minor number of the oldest glibc on which all of the files load."""
    return max([17] + [glibc_of(version) for one in elves.values() for library, versions in one.versions.items() if library in SYSTEM
                       for version in versions])


def elves_below(folder):
    return {str(path.relative_to(folder)): elf.read(path) for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink() and elf.is_elf(path)}


def cached_libraries():
    """The dynamic linker's cache: {soname: path}, the first entry of each name."""
    found = {}
    for name, path in re.findall(r"^\s+(\S+) \(libc6,(?:x86-64|AArch64)[^)]*\) => (\S+)", run("/sbin/ldconfig", "-p"), re.M):
        found.setdefault(name, path)
    return found


def find(name, needed_by, cache):
    for folder in elf.read(needed_by).run_path:
        path = pathlib.Path(folder.replace("$ORIGIN", str(needed_by.parent)), name)
        if path.exists():
            return path.resolve()
    if name in cache:
        return pathlib.Path(cache[name]).resolve()
    raise Refused(f"{needed_by.name} needs {name}, which is not on this system")


def licence_text(path):
    """The copyright file of the Debian package that a library is from."""
    for name in dict.fromkeys([str(path), str(path).removeprefix("/usr")]):
        answer = subprocess.run(["dpkg-query", "-S", name], text=True, capture_output=True, check=False)
        if answer.returncode == 0:
            package = answer.stdout.split(":")[0]
            text = pathlib.Path("/usr/share/doc", package, "copyright")
            if text.exists():
                return text.read_bytes()
    raise Refused(f"no licence text was found for {path}, which the wheel would carry: install it as a package")


def carry(folder):
    """Copies the libraries that the files below `folder` need, and that a system may lack. Returns {file name in the wheel: path of the original}."""
    cache, carried, at = cached_libraries(), {}, folder / LIBRARIES
    waiting = [(folder / name, folder / name) for name in elves_below(folder)]
    own = {path.name for path, _ in waiting}
    new_names, done = {}, []
    while waiting:
        path, original = waiting.pop(0)
        for name in elf.read(path).needed:
            if name in SYSTEM or name in own or name in new_names:
                continue
            source = find(name, original, cache)
            stem, _, rest = name.partition(".so")
            digest = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
            new_names[name] = f"{stem}-{digest}.so{rest}"
            at.mkdir(exist_ok=True)
            copy = at / new_names[name]
            shutil.copyfile(source, copy)
            copy.chmod(0o755)
            carried[new_names[name]] = source
            waiting.append((copy, source))
        done.append(path)
    for path in done:
        run("strip", "--strip-unneeded", path)
        info = elf.read(path)
        replaced = [word for name in info.needed if name in new_names for word in ("--replace-needed", name, new_names[name])]
        if path.parent == at:
            replaced += ["--set-soname", path.name]
        local = [name for name in info.needed if name in own]
        up = os.path.relpath(at, path.parent)
        run_path = (["$ORIGIN"] if local or path.parent == at else []) + ([f"$ORIGIN/{up}"] if path.parent != at and any(n in new_names for n in info.needed) else [])
        if replaced:
            run("patchelf", *replaced, path)
        if run_path:
            run("patchelf", "--set-rpath", ":".join(run_path), path)
        elif info.run_path:
            run("patchelf", "--remove-rpath", path)
    return carried


def describe_licences(dist_info, carried):
    licences = dist_info / "licenses"
    licences.mkdir(exist_ok=True)
    whole = set()
    for name, source in sorted(carried.items()):
        (licences / f"{re.split('[.-]', name)[0]}.txt").write_bytes(licence_text(source))
        whole |= {licence for start, licence in WHOLE_LICENCES.items() if name.startswith(start)}
    metadata = dist_info / "METADATA"
    head, _, body = metadata.read_text(encoding="utf-8").partition("\n\n")
    lines = [line for line in head.split("\n") if not re.match("Licen[sc]e(-Expression)?:", line)]
    lines.append("License: " + " AND ".join(["Apache-2.0", *sorted(whole)]))
    metadata.write_text("\n".join(lines) + "\n\n" + body, encoding="utf-8")


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return name, f"sha256={digest}", str(len(data))


def pack(folder, dist_info, wheel):
    """Writes the files below `folder` as a wheel with a new RECORD: sorted, with one date."""
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != dist_info / "RECORD")
    files.sort(key=lambda path: dist_info in path.parents)  # metadata last, as the standard recommends
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        def add(name, data, mode):
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)

        for path in files:
            name, data = path.relative_to(folder).as_posix(), path.read_bytes()
            table.writerow(record_line(name, data))
            add(name, data, 0o755 if path.stat().st_mode & 0o100 else 0o644)
        record = (dist_info / "RECORD").relative_to(folder).as_posix()
        table.writerow((record, "", ""))
        add(record, lines.getvalue().encode(), 0o644)


def unpack(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            path = archive.extract(entry, folder)
            os.chmod(path, 0o755 if entry.external_attr >> 16 & 0o100 else 0o644)


def repair(wheel, out):
    for tool in ("patchelf", "readelf", "strip"):
        if not shutil.which(tool):
            raise Refused(f"{tool} is needed, and not on PATH (Debian's packages: patchelf, binutils)")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        unpack(wheel, folder)
        (dist_info,) = folder.glob("*.dist-info")
        describe_licences(dist_info, carry(folder))
        name, version, python, abi, platform = wheel.stem.split("-")
        machine = platform.split("_", 1)[1] if platform.startswith("linux_") else platform.split("_", 3)[3]
        tag = f"{python}-{abi}-manylinux_2_{minor_glibc(elves_below(folder))}_{machine}"
        lines = (dist_info / "WHEEL").read_text().splitlines()
        (dist_info / "WHEEL").write_text("\n".join([line for line in lines if line and not line.startswith("Tag:")] + [f"Tag: {tag}", ""]))
        out.mkdir(parents=True, exist_ok=True)
        result = out / f"{name}-{version}-{tag}.whl"
        pack(folder, dist_info, result)
    return result


def check(wheel):
    """Yields a sentence for each rule that the wheel breaks."""
    name, version, python, abi, platform = wheel.stem.split("-")
    found = re.fullmatch(r"manylinux_2_(\d+)_\w+", platform)
    if not found:
        yield f"{wheel.name}: the platform tag is not manylinux_2_N: pip refuses the wheel on a registry"
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        unpack(wheel, folder)
        (dist_info,) = folder.glob("*.dist-info")
        if f"Tag: {python}-{abi}-{platform}" not in (dist_info / "WHEEL").read_text().splitlines():
            yield "WHEEL has another tag than the file's name"
        elves = elves_below(folder)
        names = {pathlib.PurePath(path).name: path for path in elves}
        for path, info in elves.items():
            at = pathlib.PurePath(path).parent
            for needed in info.needed:
                if needed in SYSTEM:
                    continue
                if needed not in names:
                    yield f"{path} needs {needed}, which is neither in the wheel nor on every system"
                    continue
                places = {os.path.normpath(str(at / entry.replace("$ORIGIN", "."))) for entry in info.run_path}
                if str(pathlib.PurePath(names[needed]).parent) not in places:
                    yield f"{path} does not find {needed}: its run path is {info.run_path}"
            for entry in info.run_path:
                if not entry.startswith("$ORIGIN"):
                    yield f"{path} has the run path {entry}, a folder outside the wheel"
            for word in ("v2", "v3", "v4"):
                if f"x86-64-{word}" in info.isa:
                    yield f"{path} requires a processor of level x86-64-{word}"
            if path.startswith(LIBRARIES) and info.soname != pathlib.PurePath(path).name:
                yield f"{path} has the soname {info.soname}"
        glibc = minor_glibc(elves)
        if glibc > int(found[1]):
            yield f"the files need glibc 2.{glibc}, and the tag promises 2.{found[1]}"
        for path in elves:
            stem = re.split("[.-]", pathlib.PurePath(path).name)[0]
            if path.startswith(LIBRARIES) and not (dist_info / "licenses" / f"{stem}.txt").exists():
                yield f"{path} has no licence text"
        with open(dist_info / "RECORD", newline="", encoding="utf-8") as file:
            recorded = {row[0]: tuple(row) for row in csv.reader(file)}
        for path in folder.rglob("*"):
            if path.is_file() and path != dist_info / "RECORD":
                name = path.relative_to(folder).as_posix()
                if recorded.pop(name, None) != record_line(name, path.read_bytes()):
                    yield f"{name} differs from its line in RECORD"
        if set(recorded) != {(dist_info / "RECORD").relative_to(folder).as_posix()}:
            yield f"RECORD has files that the wheel lacks: {sorted(recorded)}"


def build(folder, out):
    with tempfile.TemporaryDirectory() as temporary:
        environment = {**os.environ, "UPSWEEP_BUILD": str(folder), "UPSWEEP_WHEEL": temporary + "/scratch"}
        subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "-w", temporary, str(ROOT)],
                       check=True, env=environment)
        (wheel,) = pathlib.Path(temporary).glob("*.whl")
        return repair(wheel, out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "repair", "check"))
    parser.add_argument("path", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path, nargs="?")
    arguments = parser.parse_args()
    if (arguments.what == "check") == (arguments.out is not None):
        parser.error("give the folder OUT" if arguments.what != "check" else "check takes one wheel")
    try:
        wheel = {"build": build, "repair": repair, "check": lambda path, _: path}[arguments.what](arguments.path.resolve(), arguments.out and arguments.out.resolve())
        broken = list(check(wheel))
    except Refused as why:
        sys.exit(f"packaging/wheel.py: {why}")
    except subprocess.CalledProcessError as failure:
        sys.exit(f"packaging/wheel.py: {' '.join(map(str, failure.cmd))} failed:\n{failure.stderr or ''}")
    for sentence in broken:
        print(f"packaging/wheel.py: {sentence}", file=sys.stderr)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
