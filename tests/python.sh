#!/usr/bin/env bash
# Builds the Python package's wheel with a build's C interface, installs it in a separate folder and tests it.
#   tests/python.sh PYTHON ROOT BUILD
set -euo pipefail
python=$1 root=$2 build=$(cd "$3" && pwd)
place=$build/tests/python
rm -rf "$place"
mkdir -p "$place"
if ! "$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; then
  echo "no headers of Python's (python3-dev)"
  exit 77
fi
UPSWEEP_BUILD=$build UPSWEEP_COMMAND=0 UPSWEEP_WHEEL=$place/made "$python" -m pip install --quiet --no-index --no-build-isolation --no-deps \
  --target "$place/installed" "$root"
cd "$place"  # no folder here is called upsweep
PYTHONPATH=$place/installed "$python" -m pytest -q -p no:cacheprovider --rootdir "$root/python/tests" "$root/python/tests"
