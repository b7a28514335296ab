"""Run the command upsweep with `python -m upsweep`: the one in the package, or else the one on PATH."""
import os
import shutil
import sys


def main():
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "upsweep")
    command = own if os.access(own, os.X_OK) else shutil.which("upsweep")
    if command is None:
        sys.exit("upsweep: this package was built without the command, and the command is not on PATH; ./quickstart builds it")
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    main()
