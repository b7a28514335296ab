#!/usr/bin/env bash
# Measures a build for a comparison: correctness, speed, weight, compile time of the public headers, bits of results.
#   tests/structure/baseline.sh OUT DEVICE [BUILD [SIZES]]    DEVICE as `upsweep devices` lists it; BUILD: build
# It writes OUT/baseline-*.json. tests/structure/compare.py compares two such folders. Nothing else may run meanwhile.
# A Release build with tests gives the weight; SIZES are those of `upsweep bench --sizes`.
set -euo pipefail
if (($# < 2 || $# > 4)); then
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
fi
out=$1 device=$2 build=${3:-build} sizes=${4:-2^10..2^24:2,2^10..2^24:2-5}
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$folder/../.. name=${device//:/-} seed=20261128
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
baseline() { python3 -B "$folder/baseline.py" "$@"; }

# The seed is fixed, so that both runs have the same cases.
"$build/upsweep" check --quick --seed "$seed" --device "$device" --json "$work/check.json" >/dev/null || true
baseline compact "$work/check.json" "$out/baseline-check-$name.json"
"$build/upsweep" bench --sizes "$sizes" --seed "$seed" --device "$device" --json "$work/bench.json" >/dev/null
baseline compact "$work/bench.json" "$out/baseline-bench-$name.json"
baseline hashes "$build/upsweep" "$device" "$out/baseline-hashes-$name.json"
baseline headers "$root" "${CXX:-c++}" "$out/baseline-headers.json"
program=$build/tests/upsweep_only_reduce
if [[ -x $program ]]; then
  baseline weight "$program" "$out/baseline-weight.json"
else
  echo "no baseline-weight.json: $program is not built (the target upsweep_only_reduce)" >&2
fi
