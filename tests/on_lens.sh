#!/usr/bin/env bash
# Runs the library's CUDA kernels on the lens (lens/README.md), without nvcc and without a GPU. It builds the command with them and runs
# the conformance tests, while the lens detects races, divergent barriers, wrong addresses, uninitialised reads and deadlocks. Without
# arguments it tests a sample of every variant, except those whose pictures take minutes, and random cases of the tuned variants.
# Arguments are passed to `upsweep check --device cuda:0`.
#
#   tests/on_lens.sh [argument of upsweep check...]
#   tests/on_lens.sh sources [GoogleTest filter]    the tests of run-time compiled kernels on CUDA
#   tests/on_lens.sh bodies [GoogleTest filter]     the tests of nbody's tree with domains, on one to seven ranks
#
# SEED selects other random cases than the default, which depends on the sources. CAPABILITY=80 or 90 emulates another GPU than Turing; the
# build folder is build-lens-$CAPABILITY. JOBS is the number of processes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
capability=${CAPABILITY:-75} jobs=${JOBS:-$(nproc)}
folder=build-lens-$capability

tests=OFF
if [[ ${1:-} == sources || ${1:-} == bodies ]]; then tests=ON; fi
# Only the time of the kernels matters here, and they have their own compiler options.
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DUPSWEEP_CUDA_ON_LENS=ON \
  -DUPSWEEP_LENS_CAPABILITY="$capability" -DUPSWEEP_CONFORMANCE=ON -DUPSWEEP_TESTS="$tests" -DUPSWEEP_C=OFF -DUPSWEEP_OPENCL=OFF >/dev/null
if [[ ${1:-} == bodies ]]; then
  cmake --build "$folder" --target upsweep_bodies_tests -j "$jobs"
  UPSWEEP_BODIES=${UPSWEEP_BODIES:-131} exec "$folder/upsweep_bodies_tests" --gtest_filter="${2:-*domains_of_bodies*cuda*}"
fi
if [[ $tests == ON ]]; then
  cmake --build "$folder" --target upsweep_jit_tests -j "$jobs"
  # g++ compiles the device source into files next to the build, which the next run finds.
  export XDG_CACHE_HOME=$PWD/$folder/cache GTEST_TOTAL_SHARDS=$jobs
  filter=${2:-*Jit*cuda_0:MovesOfStructs*cuda_0:JitOnCuda*:WrongSourcesOnLens*:*On.*cuda_0}
  rm -f "$folder"/sources-*
  parts=() failed=0
  for ((part = 0; part < jobs; ++part)); do
    GTEST_SHARD_INDEX=$part "$folder/upsweep_jit_tests" --gtest_filter="$filter" --gtest_brief=1 >"$folder/sources-$part" 2>&1 &
    parts+=($!)
  done
  for ((part = 0; part < jobs; ++part)); do
    wait "${parts[part]}" || failed=1
    cat "$folder/sources-$part"
  done
  cat "$folder"/sources-* | awk '/ ran\. / { all += $2 } END { exit all == 0 }' || {
    echo "FAILED: no test has that name"
    exit 1
  }
  if ((failed)); then echo "FAILED: UPSWEEP_LENS_SEED ${UPSWEEP_LENS_SEED:-1}"; fi
  exit "$failed"
fi
cmake --build "$folder" --target upsweep_command -j "$jobs"
if (($#)); then exec "$folder/upsweep" check --device cuda:0 "$@"; fi

listed() {
  "$folder/upsweep" list --device cuda:0 | awk -v kind="$1" '/^[a-z0-9-]+\/[a-z0-9-]+ / && ($3 == kind || kind == "") { print $1 }' | sort -u |
    grep -vxE 'convolve/(chosen|separable|direct)|nbody/(barnes-hut|mutual)|median/rank-bitmap'
}
mapfile -t names < <(listed "")
((${#names[@]} > 100)) || {
  echo "FAILED: only ${#names[@]} variants are listed"
  exit 1
}
# The tuned variants again, with up to 2^16 elements: with 3000, one block does most of the work, and no tile is full.
mapfile -t own < <(listed tuned | grep -vE '^nbody/')
# The seed depends on the sources: a change gives new cases, and the same sources give the same cases.
seed=${SEED:-$(printf %d "0x$(git rev-parse --short=4 HEAD:upsweep 2>/dev/null | head -c 4 || echo 1)")} parts=()
run_part() {
  local part=$1 i of_part=() of_own=()
  for ((i = part; i < ${#names[@]}; i += jobs)); do of_part+=("${names[i]}"); done
  for ((i = part; i < ${#own[@]}; i += jobs)); do of_own+=("${own[i]}"); done
  "$folder/upsweep" check --device cuda:0 --quick --max-n 3000 --seed "$seed" "${of_part[@]}" || return 1
  "$folder/upsweep" check --device cuda:0 --cases "$((12 * ${#of_own[@]}))" --max-n 65536 --seed "$seed" "${of_own[@]}"
}
for ((part = 0; part < jobs; ++part)); do
  run_part "$part" >"$folder/part-$part" 2>&1 &
  parts+=($!)
done
failed=0
for ((part = 0; part < jobs; ++part)); do
  wait "${parts[part]}" || failed=1
  cat "$folder/part-$part"
done
# Cases that random ones may miss: a number of bytes that a cluster counts, if the GPU has clusters (too many for one block, too few for
# many blocks), and more tiles of keys than the sort's scan processes at once, so that it carries sums from group to group.
bytes=$folder/bytes.u8
same_as_cpu() {
  local count=$1 device
  shift
  head -c "$count" "$folder/upsweep" >"$bytes"
  for device in cuda:0 cpu; do
    "$folder/upsweep" "$1" "$bytes" --format raw --dtype u8 "${@:2}" --device "$device" >"$bytes.$device" || failed=1
  done
  cmp "$bytes.cuda:0" "$bytes.cpu" || failed=1
}
same_as_cpu 100000 histogram --bins 256
same_as_cpu 300000 sort
if ((failed)); then echo "FAILED: seed $seed, UPSWEEP_LENS_SEED ${UPSWEEP_LENS_SEED:-1}"; fi
exit "$failed"
