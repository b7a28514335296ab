#!/usr/bin/env bash
# Builds one commit twice, from two clones with other names and places, without a compiler cache, with another number of jobs, locale, time
# zone and umask, and compares the installed files byte by byte. Takes 20 minutes on two cores. CUDA is off: nvcc generates the kernels' code.
#
#   tests/reproducible.sh [argument of cmake...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
commit=$(git rev-parse HEAD)

build() { # folder, jobs, argument of cmake...
  local folder=$place/$1 jobs=$2
  shift 2
  git clone -q --no-checkout "$PWD" "$folder"
  git -C "$folder" checkout -q "$commit"
  cmake -S "$folder" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DUPSWEEP_CUDA=OFF -DUPSWEEP_TESTS=OFF "$@" >/dev/null
  CCACHE_DISABLE=1 cmake --build "$folder/build" -j "$jobs" >"$folder/build/log" || {
    tail -20 "$folder/build/log"
    exit 1
  }
  DESTDIR=$folder/installed cmake --install "$folder/build" --prefix /usr >/dev/null
}

(
  # shellcheck disable=SC2030  # each in a shell of its own
  export LC_ALL=C TZ=UTC
  umask 022
  build one "$(nproc)" "$@"
)
(
  # shellcheck disable=SC2031
  export LC_ALL=C.UTF-8 TZ=Pacific/Auckland
  umask 027
  build "another place/of a longer name" $(($(nproc) + 1)) "$@"
)

cd "$place"
mapfile -t files < <(cd one/installed && find . -type f | sort)
if [[ ${files[*]} != "$(cd "another place/of a longer name/installed" && find . -type f | sort | paste -sd ' ')" ]]; then
  echo "FAILED: the builds install files of other names"
  exit 1
fi
differ=0
for file in "${files[@]}"; do
  cmp "one/installed/$file" "another place/of a longer name/installed/$file" || differ=$((differ + 1))
done
echo "$commit: ${#files[@]} files are installed, $differ differ"
if ((differ)); then
  echo "Of what they were made of:"
  (cd one/build && find . -name '*.o' -o -name '*.a' -o -name '*.hpp' -o -name '*.cpp') | while read -r file; do
    cmp -s "one/build/$file" "another place/of a longer name/build/$file" || echo "  $file"
  done
fi
exit $((differ > 0))
