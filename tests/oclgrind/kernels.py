#!/usr/bin/env python3
"""Reports which OpenCL kernels of the library were launched: kernels.py ROOT LAUNCHED REASONS [--list]

LAUNCHED is the folder that launched.c wrote: the source of a program for each kernel. A kernel was launched if a program that contains its file's
source, apart from parameters for the constants of user text, launched a kernel of that name. REASONS has a line for each other kernel: FILE KERNEL
reason. Fails if a kernel was not launched and has no reason, if a kernel with a reason was launched, or if a reason names no kernel.
"""
import pathlib
import re
import sys


# The words before a kernel's "void": `kernel`, or a macro that begins with it.
def words_of(texts):
    return {"kernel", "__kernel"} | {word for text in texts for word in re.findall(r"#define (\w+) kernel\b", text)}


def kernels_of(text, words):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"(?m)^\s*#.*(\\\n.*)*$", "", text)
    return re.findall(r"\b(?:" + "|".join(words) + r")\b(?:\s*__attribute__\s*\(\([^;{]*?\)\)\))?\s*void\s+(\w+)\s*\(", text)


def main():
    root, launched, reasons = (pathlib.Path(each) for each in sys.argv[1:4])
    defined = {}
    files = sorted(root.glob("upsweep/**/*.cl"))
    words = words_of(file.read_text() for file in files)
    for file in files:
        data = file.read_bytes()
        for name in kernels_of(data.decode(), words):
            defined[str(file.relative_to(root / "upsweep")), name] = bytes(c if c < 128 else ord("?") for c in data).strip()
    constants = re.compile(rb",\s*(const [\w ]+ )?upsweep_literal_\d+")
    programs = [(each.name.split(".")[0], constants.sub(b"", each.read_bytes())) for each in launched.iterdir()]
    if not programs:
        sys.exit("no launch was seen: launched.c is not in place")
    reached = {of for of, text in defined.items() if any(name == of[1] and text in program for name, program in programs)}
    excused = {}
    for line in reasons.read_text().splitlines():
        if line and not line.startswith("#"):
            file, name, why = line.split(" ", 2)
            excused[file, name] = why
    wrong = [f"{file}: {name} was not launched" for file, name in sorted(set(defined) - reached - set(excused))]
    wrong += [f"{reasons.name}: {file} {name} was launched" for file, name in sorted(set(excused) & reached)]
    wrong += [f"{reasons.name}: there is no kernel {name} in {file}" for file, name in sorted(set(excused) - set(defined))]
    if "--list" in sys.argv:
        for file, name in sorted(reached):
            print(f"{file} {name}")
    print("\n".join(wrong))
    print(f"{len(defined)} kernels, {len(reached)} launched, {len(set(excused) & set(defined))} not, for a reason")
    sys.exit(bool(wrong))


main()
