"""Runs the plain program of every textbook variant that has one under the lens: it must print "right", without a fault.

    plain_programs.py COMMAND"""
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "site"))
from textbook import variants  # noqa: E402
from plain_program import program_of  # noqa: E402

wrong, right = [], 0
with tempfile.TemporaryDirectory() as folder:
    for variant in variants(ROOT, []).values():
        program = program_of(variant)
        if not program:
            continue
        file = pathlib.Path(folder) / f"{variant.step.replace('-', '_')}.cu"
        file.write_text(program, encoding="utf-8")
        done = subprocess.run([sys.argv[1], "lens", str(file)], capture_output=True, text=True)
        if done.returncode or "right" not in done.stdout.split("\n")[0]:
            wrong.append(f"{variant.name}: {(done.stderr or done.stdout).strip()[:300]}")
        else:
            right += 1
if wrong or right < 12:
    sys.exit("FAILED: " + "\n".join(wrong or [f"only {right} programs"]))
print(f"{right} plain programs of textbook variants are right under the lens")
