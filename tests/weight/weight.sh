#!/usr/bin/env bash
# What a program that calls one primitive carries with it: its bytes when it is stripped, and nothing of any other room's.
#   tests/weight/weight.sh PROGRAM LIMIT ROOT ROOM
# PROGRAM calls ROOM alone; LIMIT is in bytes; the rooms are the folders below ROOT/upsweep that have a problem.hpp.
set -euo pipefail
export LC_ALL=C
program=$1 limit=$2 root=$3 room=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
fail() {
  echo "FAILED: $*"
  bad=1
}

cp "$program" "$work/stripped"
strip "$work/stripped"
bytes=$(wc -c <"$work/stripped")
echo "${program##*/}: $bytes bytes when stripped, of $limit"
((bytes <= limit)) || fail "it is heavier than $limit bytes; nm -CS --size-sort says what of"

# The sections' sizes do not tell a name, but symbols do, in the program as it was linked, and strings in the stripped one.
nm -C "$program" >"$work/symbols"
# The OpenCL C of all rooms is one object, and the OpenCL device reads it by its files' names: its lines are not looked at.
find "$root/upsweep" -name '*.cl' -exec cat {} + >"$work/opencl"
strings -a -n 4 "$work/stripped" | grep -vxFf "$work/opencl" | grep -v '\.cl$' >"$work/strings"
grep -q "upsweep::${room}_room::" "$work/symbols" || fail "no symbol of $room's own: is $program stripped, or not ours?"
rooms=0
for other in "$root"/upsweep/*/problem.hpp; do
  other=${other%/problem.hpp} other=${other##*/}
  if [[ $other == core || $other == "$room" ]]; then continue; fi
  rooms=$((rooms + 1))
  if grep -m 3 -F "upsweep::${other}_room::" "$work/symbols"; then fail "it holds code of $other"; fi
  if grep -m 3 -E "(^|[^a-z_/-])${other//_/-}/[a-z]" "$work/strings"; then fail "it holds a name of $other"; fi
done
((rooms >= 5)) || fail "only $rooms other rooms were looked for in $root/upsweep"
for word in 'upsweep::rooms()' 'upsweep::catalog()' 'upsweep::textbook::'; do
  if grep -m 3 -F "$word" "$work/symbols"; then fail "it holds the catalog of all rooms"; fi
done
if grep -m 3 -E "(^|[^a-z_/-])$room/sequential" "$work/strings"; then fail "it holds rungs of the textbook"; fi
exit $bad
