"""Run the command upsweep with `python -m upsweep`: the one in the package, or else the one on PATH."""
import os
import sys


def is_command(path):
    """Whether the file is the compiled command. A script of that name, which starts this module, is not."""
    try:
        with open(path, "rb") as file:
            return os.access(path, os.X_OK) and file.read(2) != b"#!"
    except OSError:
        return False


def main():
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "upsweep")
    on_path = [os.path.join(folder, "upsweep") for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    command = next((path for path in [own, *on_path] if is_command(path)), None)
    if command is None:
        sys.exit("upsweep: this package was built without the command, and the command is not on PATH; ./quickstart builds it")
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    main()
