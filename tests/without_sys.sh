#!/usr/bin/env bash
# Without /sys, as in a chroot, an OpenCL driver may end the process that lists its devices: the command and the tour
# continue without OpenCL and say why, and so does a program of the library.
# Usage: tests/without_sys.sh COMMAND [PROGRAM PROBE]. Exits with 77 if /sys cannot be hidden.
set -u
command=$(realpath "$1")
if ! unshare -m sh -c 'mount -t tmpfs none /sys' 2>/dev/null; then
  echo "skipped: this user cannot hide /sys (unshare and mount need root)"
  exit 77
fi
without() { unshare -m sh -c 'mount -t tmpfs none /sys && exec "$@"' sh "$@"; }

failed=0
expect() { # status, text in the output, command...
  local status=$1 text=$2 output got=0
  output=$(without "${@:3}" 2>&1) || got=$?
  if [[ $got != "$status" || $output != *"$text"* ]]; then
    printf 'FAILED: %s\nstatus %s (expected %s), output without "%s":\n%s\n' "${*:3}" "$got" "$status" "$text" "$output"
    failed=1
  fi
}
expect 0 'cpu ' "$command" devices
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'a\n1\n2\n3\n' >"$work/table.csv"
expect 0 '6' "$command" reduce "$work/table.csv" --column a --device best
expect 0 'index.html' "$command" tour --quick -o "$work/report"
listing=$(without "$command" devices 2>&1)
if [[ $listing == *"ended the process that queried it"* ]]; then
  expect 1 '/sys is missing' "$command" reduce "$work/table.csv" --column a --device opencl:0
  if (($# == 3)); then
    # Unasked, too; and without the child's program OpenCL is off, since nothing can try the driver.
    expect 0 'ended the process that queried it' env UPSWEEP_PROBE_PROGRAM="$3" "$2" unasked
    expect 0 'no process can be started to try it' env UPSWEEP_PROBE_PROGRAM=/nowhere "$2" unasked
  fi
fi
exit $failed
