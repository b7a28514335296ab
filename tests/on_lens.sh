#!/usr/bin/env bash
# The library's own CUDA kernels on the lens (lens/README.md), without nvcc and without a GPU: builds the command with them, and holds them
# to the oracle while the lens looks for races, divergent barriers, wrong addresses, reads of what nobody wrote, and deadlocks. Without
# arguments a sample of every variant but those whose pictures take the lens minutes, and cases drawn for the library's own; else what
# `upsweep check --device cuda:0` is to be given.
#
#   tests/on_lens.sh [argument of upsweep check...]
#   tests/on_lens.sh sources [filter of GoogleTest's]     run-time compiled kernels: the tests that run them on CUDA, or some of these
#   tests/on_lens.sh bodies [filter of GoogleTest's]    the tree of bodies by domains, of one to seven members
#
# SEED draws other cases than the sources'. CAPABILITY=80 or 90 is another GPU than Turing's; the build folder is build-lens-$CAPABILITY beside
# build/. JOBS parts run at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
capability=${CAPABILITY:-75} jobs=${JOBS:-$(nproc)}
folder=build-lens-$capability

tests=OFF
if [[ ${1:-} == sources || ${1:-} == bodies ]]; then tests=ON; fi
# Only the kernels' time counts here, and their options are their own.
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
# The library's own once more, of up to 2^16 elements: at 3000 one block does most of it, and no tile is whole.
mapfile -t own < <(listed tuned | grep -vE '^nbody/')
# Fresh for every change of the sources, and the same for whoever looks at them again.
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
# What no drawn case need come to. Bytes beyond what one block counts, and short of what many do: by a cluster, where there is such. And more
# tiles of keys than the sort's scanner takes at once, so that its sums go from group to group.
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
