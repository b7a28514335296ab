"""Writes docs/tasks.md from the programs beside this: page.py PAGE writes it, page.py --check PAGE says whether it is as it would be written."""
import os
import sys
import textwrap

TASKS = [
    "The sum of integers", "The sum of squares, in 64 bits", "The dot product, in 64 bits", "The place of the first greatest element",
    "3a + b of two arrays", "How many are below 100", "Running totals", "The greatest so far, by an operator",
    "Sort", "Sort stably by a comparison of one's own: by the last digit", "Sort values by their keys, stably",
    "The order that would sort", "The ten greatest, in order", "Keep the even ones, in order", "The first of each run of equal keys",
    "The sum of each run of equal keys", "The sum of each segment, given where they begin and end", "A histogram of 8 equal bins of [0, 1000)",
    "The lower bounds of many values in a sorted array", "The intersection of two sorted arrays"]
LIBRARIES = [("The standard library", "standard.cpp"), ("Upsweep", "upsweep.cpp"), ("Upsweep, in a .cu file", "upsweep.cu"),
             ("Thrust", "thrust.cu"), ("CUB", "cub.cu"), ("ParlayLib", "parlay.cpp")]
HEAD = """# The same twenty tasks with five libraries

What stands here is cut out of programs that are compiled and run: [examples/tasks](../examples/tasks), by `page.py` there. Each task's
answers are compared with the standard library's, on new random input each time: `example.tasks` runs the standard library, Upsweep, Thrust
(its C++ backend) and, with `-DUPSWEEP_PARLAY_DIR=FOLDER`, ParlayLib on the CPU; `example.tasks.cuda` runs Upsweep, Thrust and CUB on a CUDA
device.

`x`, `y`, `keys`, `offsets`, `sorted`, `sorted2` and `queries` are given: vectors of `int` (of `u64`: `offsets`), `n` of each; for CUDA they
lie in device memory: a `buffer` of ours, a `device_vector` of Thrust's, pointers for CUB. `c` is a context of ours: where the work is done. Of CUB
every algorithm is called twice, first for the bytes of scratch it wants: `twice` is a function of the program, and `to` gives a pointer to write to.
Function objects such as `square` are defined in the programs; `upsweep::square` is ours.

Lines each takes, as formatted here:

"""


def blocks(path):
    found, task, lines = {}, None, []
    for line in open(path, encoding="utf-8"):
        word = line.strip()
        if word.startswith("// task "):
            number, _, note = word[len("// task "):].partition(":")
            task, lines = int(number), ([f"// {note.strip()}\n".replace("\\\n", "\n")] if note else [])
            continue
        if word == "// end":
            found[task] = lines
            task = None
        elif task:
            lines.append(line)
    return {task: textwrap.dedent("".join(lines)) if not lines[0].startswith("//") else
            lines[0] + textwrap.dedent("".join(lines[1:])) for task, lines in found.items()}


def page(folder):
    code = [(name, blocks(os.path.join(folder, file))) for name, file in LIBRARIES]
    out = HEAD + "| | " + " | ".join(name for name, _ in LIBRARIES) + " |\n|---|" + "---:|" * len(LIBRARIES) + "\n"
    for task, title in enumerate(TASKS, 1):
        lines = [str(c[task].count("\n")) if task in c else "—" for _, c in code]
        out += f"| [{title}](#{task}) | " + " | ".join(lines) + " |\n"
    for task, title in enumerate(TASKS, 1):
        out += f'\n<a id="{task}"></a>\n## {task}. {title}\n'
        same = task in code[1][1] and code[1][1].get(task) == code[2][1].get(task)
        for place, (name, c) in enumerate(code):
            if same and place == 2:
                continue
            if same and place == 1:
                name = "Upsweep, in any file"
            out += f"\n{name}:\n```cpp\n{c[task]}```\n" if task in c else f"\n{name}: it has no call for this.\n"
    return out


check = sys.argv[1] == "--check"
path = sys.argv[-1]
new = page(os.path.dirname(os.path.abspath(__file__)))
if check:
    if open(path, encoding="utf-8").read() != new:
        sys.exit(f"{path} is not what examples/tasks holds: write it anew with examples/tasks/page.py {path}")
else:
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(new)
    os.replace(path + ".new", path)
