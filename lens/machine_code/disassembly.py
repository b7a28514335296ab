#!/usr/bin/env python3
"""Writes the machine code of a CUDA file's kernels as text, for read.cpp.

    lens/machine_code/disassembly.py NVCC NVDISASM ARCHITECTURE FILE.cu OUT

nvcc compiles; the cubin is an ELF file, whose sections of instructions nvdisasm turns to text. A disassembler that is
older than the compiler omits instructions that it does not know: those in the textbook variants are decoded here.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def sections(data):
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    strings = heads[names][4]
    for name, _, _, _, offset, length in heads:
        yield data[strings + name:data.index(b"\0", strings + name)].decode(), data[offset:offset + length]


def unknown(low, high):
    """The text of an instruction of 128 bits that the disassembler has left out."""
    guard = low >> 12 & 15
    text = "" if guard == 7 else f"@{'!' if guard & 8 else ''}P{guard & 7} "
    name = lambda r: "RZ" if r == 255 else f"R{r}"
    minus = lambda bit: "-" if high >> bit & 1 else ""
    to, a = name(low >> 16 & 255), name(low >> 24 & 255)
    number, uniform, against = f"0x{low >> 32:x}", low >> 32 & 63, "-" if low >> 63 else ""
    uniform = "URZ" if uniform == 63 else f"UR{uniform}"
    b = {0x8: number, 0xc: against + uniform, 0x2: against + name(low >> 32 & 255)}.get(low >> 8 & 15)
    code, chosen = low & 0xff, high >> 23 & 15
    chosen = ("!" if chosen & 8 else "") + ("PT" if chosen & 7 == 7 else f"P{chosen & 7}")
    sign = "" if high >> 9 & 1 else ".U32"
    if code == 0x36 and b:
        return f"{text}VIADD {to}, {minus(8)}{a}, {b}"
    if code == 0x48 and b:
        return f"{text}VIMNMX{sign} {to}, {a}, {b}, {chosen}"
    if low & 0xfff == 0xe46:
        return f"{text}VIADDMNMX{sign} {to}, {a}, {name(high & 255)}, {uniform}, {chosen}"
    return f"{text}UNKNOWN.x{low & 0xfff:x} {number}"


def disassembled(nvcc, nvdisasm, architecture, source):
    """'Function : NAME' and its instructions, for every kernel."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        cubin, raw = pathlib.Path(folder, "code.cubin"), pathlib.Path(folder, "code.bin")
        subprocess.run([nvcc, "-std=c++20", "-O3", "--extended-lambda", f"-arch=sm_{architecture}", "-cubin", "-I", ROOT, source,
                        "-o", cubin], check=True)
        for name, code in sections(cubin.read_bytes()):
            if not name.startswith(".text."):
                continue
            raw.write_bytes(code)
            text = subprocess.run([nvdisasm, "-b", f"SM{architecture}", raw], capture_output=True, text=True, check=True).stdout
            known = {int(at, 16): what for at, what in re.findall(r"/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", text)}
            lines.append("Function : " + name[len(".text."):])
            for at in range(0, len(code), 16):
                lines.append(f"/*{at:04x}*/ {known.get(at) or unknown(*struct.unpack_from('<QQ', code, at))} ;")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    nvcc, nvdisasm, architecture, source, out = sys.argv[1:]
    pathlib.Path(out).write_text(disassembled(nvcc, nvdisasm, architecture, source))
