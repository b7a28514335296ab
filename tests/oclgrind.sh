#!/bin/sh
# Runs every OpenCL variant at small sizes on Oclgrind, a simulator that looks for data races, accesses out of bounds, uninitialised
# reads and wrong API calls.
#   tests/oclgrind.sh build/upsweep [NAME…]
set -eu
command=$1
shift
if ! command -v oclgrind >/dev/null; then
  echo "oclgrind is not installed: nothing was looked for" >&2
  exit 77 # ctest: skipped
fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# 1537 elements are more than three sections of 512, and 12000 more than a library tile; each variant has the sizes up to that.
status=0
oclgrind --data-races --check-api --uninitialized --max-errors 100000 --log "$report" \
  "$command" check "$@" --device opencl:0 --quick --max-n "${MAX_N:-1537}" || status=$?

# Oclgrind takes vector stores apart and reports the empty store that it leaves behind; results are unharmed, and the parts are looked at.
real=$(awk 'BEGIN { RS = ""; ORS = "\n\n" } !/store <[0-9]+ x [a-z0-9]+> undef/ && NF' "$report")
if [ -n "$real" ]; then
  printf '%s\n' "$real" | head -60 >&2
  echo "oclgrind reported errors" >&2
  exit 1
fi
exit $status
