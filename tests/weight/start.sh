#!/usr/bin/env bash
# What the library adds to a program's start and end: processor time, the least of 20 runs, so that other programs do not count.
#   tests/weight/start.sh PROGRAM EMPTY LIMIT
# Both print the processor time, in nanoseconds, at main's first line and at its last. LIMIT is in microseconds, of PROGRAM beyond EMPTY.
set -euo pipefail
program=$1 empty=$2 limit=$3

least() { # program: the least at main's first line, and the least at its last
  local run begin end first=999999999999 last=999999999999
  for run in {1..20}; do
    read -r begin end < <("$1") || {
      echo "$1 failed in run $run" >&2
      return 1
    }
    first=$((begin < first ? begin : first)) last=$((end < last ? end : last))
  done
  echo "$((first / 1000)) $((last / 1000))"
}
read -r first last <<<"$(least "$program")"
read -r empty_first empty_last <<<"$(least "$empty")"
echo "microseconds of processor time until main begins, and until it ends:"
printf '%-14s %6d %6d\n' "${program##*/}" "$first" "$last" "${empty##*/}" "$empty_first" "$empty_last" \
  "the library's" $((first - empty_first)) $((last - empty_last))
if ((last - empty_last > limit)); then
  echo "FAILED: the library adds more than $limit microseconds to a program's start"
  exit 1
fi
