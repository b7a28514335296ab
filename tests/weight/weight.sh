#!/usr/bin/env bash
# The size of a stripped program that calls one primitive, and a check that it has no code of other algorithms.
#   tests/weight/weight.sh PROGRAM LIMIT ROOT ALGORITHM
# PROGRAM calls one algorithm; LIMIT is in bytes. Algorithms are the folders in ROOT/upsweep that have a *_problem.hpp.
set -euo pipefail
export LC_ALL=C
program=$1 limit=$2 root=$3 algorithm=$4
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

# Symbols of the linked program and strings of the stripped program show which code it contains.
nm -C "$program" >"$work/symbols"
# The OpenCL C of all algorithms is one object, which the OpenCL device reads by file name: its lines are ignored.
find "$root/upsweep" -name '*.cl' -exec cat {} + >"$work/opencl"
strings -a -n 4 "$work/stripped" | grep -vxFf "$work/opencl" | grep -v '\.cl$' >"$work/strings"
grep -q "upsweep::detail::${algorithm}_impl::" "$work/symbols" || fail "no symbol of $algorithm's own: is $program stripped, or not ours?"
algorithms=0
for other in "$root"/upsweep/*/*_problem.hpp; do
  other=${other%/*} other=${other##*/}
  if [[ $other == core || $other == "$algorithm" ]]; then continue; fi
  algorithms=$((algorithms + 1))
  if grep -m 3 -F "upsweep::detail::${other}_impl::" "$work/symbols"; then fail "it holds code of $other"; fi
  if grep -m 3 -E "(^|[^a-z_/-])${other//_/-}/[a-z]" "$work/strings"; then fail "it holds a name of $other"; fi
done
((algorithms >= 5)) || fail "only $algorithms other algorithms were looked for in $root/upsweep"
for word in 'upsweep::algorithms()' 'upsweep::catalog()' 'upsweep::textbook::'; do
  if grep -m 3 -F "$word" "$work/symbols"; then fail "it holds the catalog of all algorithms"; fi
done
if grep -m 3 -E "(^|[^a-z_/-])$algorithm/sequential" "$work/strings"; then fail "it holds textbook variants"; fi
exit $bad
