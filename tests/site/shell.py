"""Tests the manual pages and the completion: a page for each command, no warnings of the formatter, and the right words.

    shell.py COMMAND FOLDER       FOLDER is the output of site/shell.py"""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "site"))
from help_text import every_help  # noqa: E402

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
helps = every_help(program)


def fail(words):
    sys.exit(f"FAILED: {words}")


def ran(words, **more):
    return subprocess.run(words, capture_output=True, text=True, **more)


for help in helps:
    page = folder / "man" / ("-".join(help.path) + ".1")
    if not page.exists():
        fail(f"{help.name} has no manual page")
    text = page.read_text(encoding="utf-8").replace("\\", "")
    for row in help.options:
        if any(n not in text for n in row.names):
            fail(f"{page.name} does not name {row.left}")
    if not help.options or not help.about:
        fail(f"{help.name}: its help was not parsed")
    if shutil.which("groff"):
        said = ran(["groff", "-man", "-Tutf8", "-K", "utf8", "-ww", "-z", page]).stderr
        if said:
            fail(f"{page.name}: {said}")

# The words that bash offers for the last word of a line.
ASK = """source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _upsweep; printf '%s\\n' "${COMPREPLY[@]}" """


def offered(*words):
    return set(ran(["bash", "-c", ASK, "bash", folder / "completion/upsweep.bash", "upsweep", *words]).stdout.split())


for words, some in ((("so",), {"sort"}), (("sort", "--desc"), {"--descending"}), (("image", "gau"), {"gaussian"}),
                    (("image", "gaussian", "--sig"), {"--sigma"}),
                    (("help", "re"), {"reduce", "report", "recurrence"})):
    if not some <= offered(*words):
        fail(f"bash offers {sorted(offered(*words))} for upsweep {' '.join(words)}")
for shell, file in (("bash", "upsweep.bash"), ("zsh", "_upsweep"), ("fish", "upsweep.fish")):
    if shutil.which(shell):
        said = ran([shell, "-n", folder / "completion" / file])
        if said.returncode or said.stderr:
            fail(f"{file}: {said.stderr}")
print(f"{len(helps)} manual pages, and completion for three shells")
