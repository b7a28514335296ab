#!/usr/bin/env bash
# Prints the processor time that the library adds to a program's start and end: the minimum of 20 runs, which excludes other programs.
# Fails if a program fails. The time is not tested: machines differ. The goal is GOAL microseconds of PROGRAM beyond EMPTY.
#   tests/weight/start.sh PROGRAM EMPTY GOAL
# Both programs print their processor time, in nanoseconds, at main's first line and at its last.
set -euo pipefail
program=$1 empty=$2 goal=$3

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
if ((last - empty_last > goal)); then echo "over the goal of $goal microseconds on this machine"; fi
