"""Reads what an ELF file needs at run time, with readelf (binutils)."""
import re
import subprocess
from dataclasses import dataclass, field


@dataclass
class Elf:
    soname: str = ""
    needed: list = field(default_factory=list)
    run_path: list = field(default_factory=list)  # of DT_RPATH and DT_RUNPATH
    versions: dict = field(default_factory=dict)  # library: {symbol versions that the file needs of it}
    isa: str = ""                                 # x86-64 levels that the file requires, as its property note says


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def _readelf(option, path):
    return subprocess.run(["readelf", "-W", option, str(path)], text=True, capture_output=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def read(path):
    elf = Elf()
    for tag, value in re.findall(r"\((NEEDED|SONAME|RPATH|RUNPATH)\)[^\[]*\[([^\]]*)\]", _readelf("-d", path)):
        if tag == "SONAME":
            elf.soname = value
        elif tag == "NEEDED":
            elf.needed.append(value)
        else:
            elf.run_path += value.split(":")
    library, needs = "", False
    for line in _readelf("-V", path).splitlines():
        if line.startswith("Version "):
            needs = line.startswith("Version needs")
        elif needs and (found := re.search(r"File: (\S+)", line)):
            library = found[1]
        elif needs and (found := re.search(r"Name: (\S+)", line)):
            elf.versions.setdefault(library, set()).add(found[1])
    found = re.search(r"x86 ISA needed: ([^\n]*)", _readelf("-n", path))
    elf.isa = found[1].strip() if found else ""
    return elf
