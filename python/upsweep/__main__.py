"""python -m upsweep: the command upsweep, as it came with the package or stands on PATH."""
import os
import shutil
import sys


def main():
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "upsweep")
    command = own if os.access(own, os.X_OK) else shutil.which("upsweep")
    if command is None:
        sys.exit("upsweep: this package was built without the command, and there is none on PATH; ./quickstart builds it")
    os.execv(command, [command, *sys.argv[1:]])


main()
