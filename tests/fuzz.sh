#!/usr/bin/env bash
# Fuzzes the ways in from outside: builds the harnesses of tests/fuzz with clang's libFuzzer and the sanitizers of addresses and undefined
# behaviour, and gives each SECONDS to find an input that it must not take. It begins with tests/fuzz/corpus/NAME; what it learns stays in
# the build folder. Fails where one finds something, and prints the file.
#
#   tests/fuzz.sh [SECONDS [NAME...]]      60 seconds; every harness; 77 where there is no clang with its libFuzzer (libclang-rt-19-dev)
#
# BUILD names the build folder, else build-fuzz; JOBS how many compilers run at once. A file once more: build-fuzz/fuzz/NAME FILE.
# What was learnt, for the corpus: build-fuzz/fuzz/NAME -merge=1 tests/fuzz/corpus/NAME build-fuzz/learnt/NAME
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
build=${BUILD:-build-fuzz} jobs=${JOBS:-$(nproc)} seconds=${1:-60}
names=("${@:2}")
if ((${#names[@]} == 0)); then mapfile -t names < <(ls tests/fuzz/corpus); fi

compiler=''
for version in 22 21 20 19 18 17 16; do
  candidate=$(command -v "clang++-$version" || true)
  if [[ $candidate && $(echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    "$candidate" -x c++ - -fsanitize=fuzzer,address -o /dev/null 2>&1 || echo no) == '' ]]; then
    compiler=$candidate
    break
  fi
done
if [[ -z $compiler ]]; then
  echo "No clang with libFuzzer is here: install clang-19 and libclang-rt-19-dev"
  exit 77
fi

cmake --preset fuzz -B "$build" -DCMAKE_CXX_COMPILER="$compiler" >/dev/null
cmake --build "$build" --target upsweep_fuzz -j "$jobs"
build=$(cd "$build" && pwd)

export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=0} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=()
for name in "${names[@]}"; do
  learnt=$build/learnt/$name found=$build/found/$name log=$build/fuzz-$name.log
  mkdir -p "$learnt" "$found"
  words=()
  if [[ -f tests/fuzz/words/$name ]]; then words=("-dict=$root/tests/fuzz/words/$name"); fi
  status=0
  # What the readers print is not wanted; what the fuzzer and the sanitizers print goes to the log.
  (cd "$scratch" && TMPDIR=$scratch "$build/fuzz/$name" "$learnt" "$root/tests/fuzz/corpus/$name" -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=3072 -malloc_limit_mb=1024 -max_len=65536 -len_control=50 -reload=0 -print_final_stats=1 -close_fd_mask=3 "${words[@]}" \
    -artifact_prefix="$found/") >"$log" 2>&1 || status=$?
  rm -rf "${scratch:?}"/*
  covered=$(grep -o 'cov: [0-9]*' "$log" | tail -1 || true) runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  printf '%-14s %10s executions, %s edges\n' "$name" "${runs:-?}" "${covered#cov: }"
  if ((status != 0)); then
    file=$(sed -n 's/^.*Test unit written to //p' "$log" | tail -1)
    printf 'FAILED: %s found %s\n' "$name" "${file:-something, and no file: see $log}"
    grep -E 'ERROR|SUMMARY|runtime error|wrong:|another exception' "$log" | head -5 || true
    if [[ $file ]]; then base64 -w 120 "$file" | head -40; fi
    failed+=("$name")
  fi
done
if ((${#failed[@]})); then
  echo "FAILED: ${failed[*]}"
  exit 1
fi
