#!/usr/bin/env bash
# Without /sys, as in a chroot, an OpenCL driver may end the process that lists its devices: the command continues
# without OpenCL and says why. Usage: tests/without_sys.sh COMMAND. Exits with 77 if /sys cannot be hidden.
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
table=$(mktemp --suffix=.csv)
trap 'rm -f "$table"' EXIT
printf 'a\n1\n2\n3\n' >"$table"
expect 0 '6' "$command" reduce "$table" --column a --device best
listing=$(without "$command" devices 2>&1)
if [[ $listing == *"ends the process that asks"* ]]; then
  expect 1 'ends the process that asks' "$command" reduce "$table" --column a --device opencl:0
fi
exit $failed
