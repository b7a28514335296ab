"""Writes docs/tasks.md from the programs in this folder: page.py PAGE writes it, page.py --check PAGE reports whether it is up to date."""
import os
import sys
import textwrap

TASKS = [
    "Sum of integers", "Sum of squares, in 64 bits", "Dot product, in 64 bits", "Index of the first maximum",
    "3a + b of two arrays", "Count of values below 100", "Running sums", "Running maxima, by an operator",
    "Sort", "Stable sort by a user-defined comparator: by the last digit", "Stable sort of values by keys",
    "The permutation that sorts", "The ten largest, in order", "Keep even values, in order", "First element of each run of equal keys",
    "Sum of each run of equal keys", "Sum of each segment, given its begin and end", "Histogram of 8 equal bins of [0, 1000)",
    "Lower bounds of many values in a sorted array", "Intersection of two sorted arrays"]
LIBRARIES = [("The standard library", "standard.cpp"), ("Upsweep", "upsweep.cpp"), ("Upsweep, in a .cu file", "upsweep.cu"),
             ("Thrust", "thrust.cu"), ("CUB", "cub.cu"), ("ParlayLib", "parlay.cpp")]
HEAD = """# Twenty tasks with five libraries

Each task, programmed with the C++ standard library, Upsweep, Thrust, CUB and ParlayLib. `page.py` in
[examples/tasks](../examples/tasks) makes this page from programs that the tests compile and run. Each result is
compared with that of the standard library, on new random input each time:

- `example.tasks` runs the standard library, Upsweep, Thrust (its C++ backend) and, with `-DUPSWEEP_PARLAY_DIR=FOLDER`,
  ParlayLib on the CPU;
- `example.tasks.cuda` runs Upsweep, Thrust and CUB on a CUDA device.

`x`, `y`, `keys`, `offsets`, `sorted`, `sorted2` and `queries` are inputs: vectors of `int` (`offsets`: of `u64`) with
`n` elements. For CUDA they are in device memory: a `buffer` for Upsweep, a `device_vector` for Thrust, and pointers for
CUB. `c` is an Upsweep context. CUB's algorithms are called twice, first for the size of temporary storage: `twice` is a
function of the program, and `to` returns a pointer to write to. Function objects such as `square` are defined in the
programs; `upsweep::square` is Upsweep's.

Number of lines, as formatted here:

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
        sys.exit(f"{path} is out of date: run examples/tasks/page.py {path}")
else:
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(new)
    os.replace(path + ".new", path)
