#!/usr/bin/env python3
"""Shows that the words a rung is written in cost nothing under nvcc: the machine code of a rung, and of the same rung
with the words written out as plain CUDA, is the same byte for byte.

    lens/same_code.py NVCC [ARCHITECTURE]
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
VARIANTS = {
    "upsweep/reduce/textbook/interleaved_strided.cuh":
        ("reduce_variants::reduce_interleaved_strided<256, {T}, upsweep::plus>",
         "const {T}*, {T}*, std::uint64_t, upsweep::plus"),
    "upsweep/scan/textbook/blelloch_padded.cuh":
        ("scan_variants::scan_blelloch_padded<1024, {T}, upsweep::plus>",
         "const {T}*, {T}*, {T}*, std::uint64_t, bool, upsweep::plus"),
}


def written_out(text):
    text = re.sub(r"UPSWEEP_SHARED\((\w+), (\w+), (.*)\);", r"__shared__ \1 \2[\3];", text)
    return re.sub(r"global<(const T|T)>", r"\1*", text)


def machine_code(nvcc, architecture, source, folder):
    """The sections of instructions of the one kernel, by name, from the cubin's ELF."""
    cubin = source.with_suffix(".cubin")
    subprocess.run([nvcc, "-std=c++20", "-O3", f"-arch=sm_{architecture}", "-cubin", "-I", folder, "-I", ROOT, source,
                    "-o", cubin], check=True)
    data = cubin.read_bytes()
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    strings = sections[names][4]
    code = {}
    for name, _, _, _, offset, length in sections:
        text = data[strings + name:data.index(b"\0", strings + name)].decode()
        if text.startswith(".text."):
            code[text] = data[offset:offset + length]
    return code


def main():
    nvcc, architecture = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "90"
    same = True
    with tempfile.TemporaryDirectory() as folder:
        for file, (kernel, parameters) in VARIANTS.items():
            for element in ("unsigned", "double"):
                codes = []
                for how in ("words", "plain"):
                    text = (ROOT / file).read_text()
                    variant = pathlib.Path(folder, f"{how}.cuh")
                    variant.write_text(text if how == "words" else written_out(text))
                    if how == "plain":
                        assert "global<" not in variant.read_text() and "UPSWEEP_SHARED" not in variant.read_text()
                    source = pathlib.Path(folder, f"{how}.cu")
                    source.write_text(f'#include "upsweep/operators.hpp"\n#include "{how}.cuh"\ntemplate __global__ void '
                                      f"upsweep::textbook::{kernel.format(T=element)}({parameters.format(T=element)});\n")
                    codes.append(machine_code(nvcc, architecture, source, folder))
                equal = codes[0] == codes[1] and any(len(c) > 0 for c in codes[0].values())
                same = same and equal
                print(f"{file}, {element}: {sum(len(c) for c in codes[0].values())} bytes of machine code,",
                      "the same" if equal else "NOT the same")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
