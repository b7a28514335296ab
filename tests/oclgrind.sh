#!/bin/sh
# Runs the OpenCL kernels at small sizes on Oclgrind, a simulator that looks for data races, accesses out of bounds, uninitialised
# reads and wrong API calls.
#   tests/oclgrind.sh build/upsweep [NAME…]       some kernels of each algorithm: minutes
#   tests/oclgrind.sh build/upsweep --whole       every kernel: a quarter of an hour or more
# With --whole, CALLS can name the program of oclgrind/calls.cpp: it makes the calls that the command does not make. LAUNCHED can name
# the library of oclgrind/launched.c: then the script fails if a kernel is not launched, unless oclgrind/not_launched.txt has a reason.
set -eu
command=$1
shift
here=$(dirname "$0")
if ! command -v oclgrind >/dev/null; then
  echo "oclgrind is not installed: nothing was tested" >&2
  exit 77 # ctest: skipped
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/launched"
LAUNCHED=${LAUNCHED:-}
export LAUNCHED UPSWEEP_LAUNCHED="$work/launched"

# Oclgrind's compiler optimises some kernels to LLVM instructions that its simulator does not support: freeze (for divisions), usub.sat
# (for differences clamped at 0) and memmove (for copies of maps). Without optimisation it supports all kernels.
as_written="--build-options -cl-opt-disable"
form=
uninitialized=--uninitialized

# look MAX_N [NAME…]
look() {
  max_n=$1
  shift
  watch "$command" check "$@" --quick --max-n "$max_n" --device opencl:0
}

# watch PROGRAM ARGUMENT…
watch() {
  wrong=0
  # The library that records launches is loaded before Oclgrind's.
  # shellcheck disable=SC2086,SC2016
  oclgrind --data-races --check-api $uninitialized $form --max-errors 100000000 --log "$work/report" \
    sh -c 'LD_PRELOAD="$LAUNCHED${LAUNCHED:+:}${LD_PRELOAD:-}" exec "$@"' sh "$@" || wrong=$?
  # Oclgrind splits vector stores and wrongly reports the remaining store of an undefined vector; this removes those reports. The parts
  # themselves are checked.
  real=$(awk 'BEGIN { RS = ""; ORS = "\n\n" } !/store <[0-9]+ x [a-z0-9]+> (undef|<[^>]*(undef|poison))/ && NF' "$work/report")
  if [ -n "$real" ]; then
    printf '%s\n' "$real" | head -60 >&2
    echo "oclgrind reported errors: $*" >&2
    exit 1
  fi
  [ "$wrong" -eq 0 ] || exit "$wrong"
}

if [ $# -gt 0 ] && [ "$1" != --whole ]; then
  look "${MAX_N:-40000}" "$@"
  exit
fi

# Each form of a call compiles another kernel. Therefore one type is tested, and the many forms of sort have few sizes.
look 1537 --type u32 reduce scan select run-lengths expand-runs gather scatter-if \
  reduce-by-key scan-by-key segmented-reduce segmented-scan # more than three sections of 512
look 1025 range-counts reduce/reproducible
look 1025 for-each-index
look 5000 --type u32 count-if find-if mismatch argmin # several groups
look 257 --type f32 find-if mismatch argmin bounds
look 257 --type u32 sort segmented-sort top-k merge is-sorted
look 5000 --type u32 top-k/radix-sorted # several groups
look 40000 --type u32 reduce/contiguous-chunks scan/reduce-then-scan scan/decoupled-lookback # several tiles
look 600 --type u8 integral
# With optimisation the simulator computes wrong shifts of 128-bit weights: the last bits of an f64 differ.
form=$as_written
look 1537 --type u32 histogram
form=

filters() {
  # These filters are not in the catalog. The command applies each to a small picture.
  "$command" image test-picture "$work/picture.ppm" --size 40x30
  for filter in canny median:2 bilateral:1,0.1 resize:20x50; do
    watch "$command" image pipeline "$filter" "$work/picture.ppm" "$work/filtered.ppm" --device opencl:0
  done
}

if [ $# -eq 0 ]; then
  # Optimised, without the check for uninitialised values, which does not support all instructions.
  uninitialized=
  look 5000 --type u32 recurrence # several groups of runs
  look 600 --type f32 moving-average
  look 300 --type u8 box-filter
  look 600 rectangle-sums
  look 300 --type f32 convolve/direct convolve/separable
  filters
  exit
fi

form=$as_written
look 200 --type u32 axis-sort axis-argsort axis-top-k copy-pieces copy vector-add
look 2000 --type u32 axis-reduce axis-scan
look 200 --type u32 adjacent-difference fill iota replace reverse rotate shuffle random-permutation swap-ranges tabulate \
  transform transform-if scatter gather-if
look 200 --type u32 set-union set-difference merge-by-key stencil-select stencil-partition run-offsets
look 5000 --type u32 recurrence # several groups of runs
look 600 --type f32 moving-average
look 300 --type u8 box-filter
look 600 rectangle-sums
look 60 --type f32 integral # four channels of doubles; 32 KB of local memory
look 300 --type f32 convolve/direct convolve/separable
look 60 --type f32 median bilateral linked-edges thin-edges resize
look 100 --type f32 nbody
filters
# Steps of nbody.
watch "$command" nbody --scene figure-eight --steps 2 --device opencl:0
watch "$command" nbody --scene figure-eight --integrator hermite --adaptive 0.02 --steps 2 --trajectory "$work/x.npy" --device opencl:0
# Oclgrind's check for uninitialised values ends the process at vectors of doubles.
uninitialized=
look 60 --type f32 recursive-gaussian
uninitialized=--uninitialized
# The kernels for CPUs.
export UPSWEEP_OPENCL_AS_CPU=1
look 100 --type f32 nbody
look 1025 --type u32 reduce/contiguous-chunks scan/reduce-then-scan histogram sort
unset UPSWEEP_OPENCL_AS_CPU
if [ -n "${CALLS:-}" ]; then
  watch "$CALLS" opencl:0
  [ -z "$LAUNCHED" ] || python3 -B "$here/oclgrind/kernels.py" "$here/.." "$UPSWEEP_LAUNCHED" "$here/oclgrind/not_launched.txt"
fi
