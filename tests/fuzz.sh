#!/usr/bin/env bash
# Fuzzes the readers of external input: builds the harnesses of tests/fuzz with clang's libFuzzer and the address and undefined-behaviour
# sanitizers, and runs each for SECONDS. A run begins with tests/fuzz/corpus/NAME and stores new inputs in the build folder. Fails if a
# harness finds an error, and prints the input.
#
#   tests/fuzz.sh [SECONDS [NAME...]]      default: 60 seconds, every harness; exits with 77 without clang's libFuzzer (libclang-rt-19-dev)
#
# BUILD is the build folder (default: build-fuzz); JOBS is the number of compilers, and then of fuzzers. To repeat one input:
# build-fuzz/fuzz/NAME FILE. To add new inputs to the corpus: build-fuzz/fuzz/NAME -merge=1 tests/fuzz/corpus/NAME build-fuzz/learnt/NAME
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
build=${BUILD:-build-fuzz} jobs=${JOBS:-$(nproc)} seconds=${1:-60}
names=("${@:2}")
if ((${#names[@]} == 0)); then mapfile -t names < <(ls tests/fuzz/corpus); fi
for name in "${names[@]}"; do
  [[ -d tests/fuzz/corpus/$name ]] || {
    echo "tests/fuzz.sh: no fuzzer has the name $name" >&2
    exit 2
  }
done

has_fuzzer() { # compiler
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    "$1" -x c++ - -fsanitize=fuzzer,address -o /dev/null 2>/dev/null
}

# The newest clang, at least 16, that is installed with its fuzzer, or that this release offers.
find_clang() {
  local version policy
  for version in 22 21 20 19 18 17 16; do
    if command -v "clang++-$version" >/dev/null && has_fuzzer "clang++-$version"; then
      command -v "clang++-$version"
      return
    fi
  done
  if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then return; fi
  for version in 22 21 20 19 18 17 16; do
    policy=$(LC_ALL=C apt-cache policy "libclang-rt-$version-dev" 2>/dev/null || true)
    if [[ $policy == *'Candidate: '[0-9]* ]]; then
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "clang-$version" "libclang-rt-$version-dev" \
        "llvm-$version" >/dev/null && command -v "clang++-$version"
      return
    fi
  done
}
compiler=$(find_clang)
if [[ -z $compiler ]]; then
  echo "No clang with its libFuzzer is here (clang-19, libclang-rt-19-dev)"
  exit 77
fi
symbolizer=$(command -v "llvm-symbolizer-${compiler##*-}" || true)
if [[ $symbolizer ]]; then export ASAN_SYMBOLIZER_PATH=$symbolizer; fi

cmake --preset fuzz -B "$build" -DCMAKE_CXX_COMPILER="$compiler" >/dev/null
cmake --build "$build" --target upsweep_fuzz -j "$jobs"
build=$(cd "$build" && pwd)

# Leaks of a command end with it; leak detection after each run would take longer than the runs.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Counts the errors in a log by the first frame in our sources or in a library that reads a format: "OURS THEIRS".
count_faults() { # log
  awk '
    /ERROR: (libFuzzer|AddressSanitizer|LeakSanitizer)|runtime error:/ { if (open) ours++; open = 1; next }
    open && /^ *#[0-9]+ / && /\/(cli|upsweep|tests)\/[^ ()]*\.[ch]pp/ { ours++; open = 0 }
    open && /^ *#[0-9]+ / && /\/lib(hdf5|tiff|webp|gif|png|jpeg|z|zstd)[^ \/]*\.so/ { theirs++; open = 0 }
    END { print ours + open, theirs + 0 }' "$1"
}

# Runs one harness and prints one line of statistics, then its findings. Returns 1 if it found an error in our sources.
fuzz() { # name
  local name=$1 learnt=$build/learnt/$1 found=$build/found/$1 log=$build/fuzz-$1.log own=$scratch/$1
  local words=() sanitizing=$ASAN_OPTIONS most=1024 status=0 covered runs ours theirs file
  rm -rf "$found"
  mkdir -p "$learnt" "$found" "$own"
  if [[ -f tests/fuzz/words/$name ]]; then words+=("-dict=$root/tests/fuzz/words/$name"); fi
  # A window of zstd may have 2 GiB, whose memory is allocated as it fills.
  if [[ $name == zstd ]]; then most=2200; fi
  # libhdf5 1.10 reads out of bounds in invalid files, and allocates too much memory. After such a file the fuzzer continues in another
  # process; at the end, the script determines which library caused the error.
  if [[ $name == hdf5 ]]; then
    words+=(-fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1)
    sanitizing+=:allocator_may_return_null=1
  fi
  # The readers' output is discarded; the output of the fuzzer and of the sanitizers goes to the log.
  (cd "$own" && TMPDIR=$own ASAN_OPTIONS=$sanitizing "$build/fuzz/$name" "$learnt" "$root/tests/fuzz/corpus/$name" -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=3072 -malloc_limit_mb=$most -max_len=65536 -len_control=50 -reload=0 -print_final_stats=1 -close_fd_mask=3 "${words[@]}" \
    -artifact_prefix="$found/") >"$log" 2>&1 || status=$?
  rm -rf "${own:?}"/*
  if [[ $name == hdf5 ]]; then
    find "$found" -type f | while IFS= read -r file; do
      TMPDIR=$own ASAN_OPTIONS=$sanitizing "$build/fuzz/$name" -timeout=10 "$file" 2>&1 || echo "Test unit written to $file"
    done >"$log.found"
    sed -i '/ERROR: /d' "$log"
    cat "$log.found" >>"$log"
  fi
  covered=$(grep -o 'cov: [0-9]*' "$log" | tail -1 || true)
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p; s/^#\([0-9]*\): cov.*/\1/p' "$log" | tail -1)
  read -r ours theirs < <(count_faults "$log")
  printf '%-14s %10s executions, %s edges\n' "$name" "${runs:-?}" "${covered#cov: }"
  file=$(sed -n 's/^.*Test unit written to //p' "$log" | tail -1)
  # On a shared processor, another program may have caused a timeout.
  if [[ $file == */timeout-* ]] && TMPDIR=$own "$build/fuzz/$name" -timeout=10 "$file" >>"$log" 2>&1; then
    echo "               $file took more than 10 seconds, but not when it was repeated"
    status=0 ours=0
  fi
  if ((theirs > 0)); then echo "               $theirs faults of the library that reads it, such as ${file:-in $log}"; fi
  if ((ours > 0 || (status != 0 && theirs == 0))); then
    printf 'FAILED: %s found %s\n' "$name" "${file:-something, and no file: see $log}"
    grep -E 'ERROR|SUMMARY|runtime error|wrong:|another exception' "$log" | head -5 || true
    if [[ $file ]]; then base64 -w 120 "$file" | head -8; fi
    return 1
  fi
}

# Runs as many harnesses at once as there are processors; each prints its output at its end.
speak() { # name
  local status=0
  fuzz "$1" >"$scratch/$1.said" 2>&1 || status=$?
  cat "$scratch/$1.said"
  if ((status)); then echo "$1" >>"$scratch/failed"; fi
}
running=0
for name in "${names[@]}"; do
  if ((running == jobs)); then
    wait -n
    running=$((running - 1))
  fi
  speak "$name" &
  running=$((running + 1))
done
wait
if [[ -f $scratch/failed ]]; then
  echo "FAILED: $(sort "$scratch/failed" | xargs)"
  exit 1
fi
