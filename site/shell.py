#!/usr/bin/env python3
"""Writes manual pages and completion for shells from the --help of the built command: site/shell.py COMMAND FOLDER"""
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

import completion  # noqa: E402
import manual  # noqa: E402
from help_text import every_help  # noqa: E402

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
new = folder.with_name(folder.name + ".new")
shutil.rmtree(new, ignore_errors=True)
helps = every_help(program)
version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[0]
manual.write(helps, version, new / "man")
completion.write(helps, new / "completion")
shutil.rmtree(folder, ignore_errors=True)
new.rename(folder)
