#!/bin/sh
# Runs the OpenCL variants at small sizes on Oclgrind, a simulator that looks for data races, accesses out of bounds, uninitialised
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

uninitialized=--uninitialized

# look MAX_N [NAME…]
look() {
  max_n=$1
  shift
  watch check "$@" --quick --max-n "$max_n"
}

# watch ARGUMENT…
watch() {
  wrong=0
  oclgrind --data-races --check-api $uninitialized --max-errors 100000000 --log "$report" \
    "$command" "$@" --device opencl:0 || wrong=$?
  # Oclgrind takes vector stores apart and reports the empty store that it leaves behind; the parts themselves it looks at.
  real=$(awk 'BEGIN { RS = ""; ORS = "\n\n" } !/store <[0-9]+ x [a-z0-9]+> undef/ && NF' "$report")
  if [ -n "$real" ]; then
    printf '%s\n' "$real" | head -60 >&2
    echo "oclgrind reported errors" >&2
    exit 1
  fi
  [ "$wrong" -eq 0 ] || exit "$wrong"
}

if [ $# -gt 0 ]; then
  look "${MAX_N:-40000}" "$@"
else
  # Every form is a kernel compiled anew; so one type stands for all, and the many forms of a sort meet few sizes.
  look 1537 --type u32 reduce scan select run-lengths expand-runs gather scatter-if histogram \
    reduce-by-key scan-by-key segmented-reduce segmented-scan # more than three sections of 512
  look 1025 range-counts reduce/reproducible
  look 1025 for-each-index
  look 5000 --type u32 count-if find-if mismatch argmin # several groups
  look 257 --type f32 find-if mismatch argmin bounds
  look 257 --type u32 sort segmented-sort top-k merge is-sorted
  look 40000 --type u32 reduce/contiguous-chunks scan/reduce-then-scan scan/decoupled-lookback # several tiles
  look 600 --type u8 integral
  # Divisions by what is known late become LLVM's freeze, which Oclgrind's look at uninitialised values does not know.
  # Nor does it know memmove, with which maps of steps are moved; and Oclgrind does not take the code at all in which
  # functions return structs as large as a section's map.
  uninitialized=
  look 5000 --type u32 recurrence # several groups of runs
  look 600 --type f32 moving-average
  look 300 --type u8 box-filter
  look 600 rectangle-sums
  look 300 --type f32 convolve/direct convolve/separable
  # The filters are not in the catalog: a small picture goes through each.
  picture=$(mktemp --suffix=.ppm)
  filtered=$(mktemp --suffix=.ppm)
  trap 'rm -f "$report" "$picture" "$filtered"' EXIT
  "$command" image test-picture "$picture" --size 40x30
  for filter in canny median:2 bilateral:1,0.1 resize:20x50; do
    watch image pipeline "$filter" "$picture" "$filtered"
  done
fi
