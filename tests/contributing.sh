#!/usr/bin/env bash
# Follows the recipes of CONTRIBUTING.md and docs/new-algorithm.md in a copy of the tree: a new variant of scan, and a
# new algorithm. Both must build, be listed and pass the check. An algorithm may change at most five lines outside of
# its own files.
#   tests/contributing.sh ROOT WORK [COMPILER [FLAGS [JOBS]]]
# WORK keeps the copy and its build for the next run. Its build folder is at the same depth as build/ in the tree, so that a compiler cache
# finds the unchanged files.
set -euo pipefail
mkdir -p "$2"
root=$(cd "$1" && pwd) work=$(cd "$2" && pwd) compiler=${3:-c++} flags=${4:-} jobs=${JOBS:-${5:-$(nproc)}}
tree=$work/tree
fail() {
  echo "FAILED: $*"
  exit 1
}

# --- a copy of the tree

mkdir -p "$tree"
find "$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
cp -a "$root"/{CMakeLists.txt,LICENSE,README.md,cmake,upsweep,c,cli,peers,lens} "$tree/"
rm -rf "$work/before"
cp -a "$tree/upsweep" "$work/before"

# --- the recipes' blocks

rm -rf "$work/blocks"
mkdir "$work/blocks"
awk -v to="$work/blocks/" '
  /^```/ {
    if (open) { open = 0; if (out) close(out); out = ""; next }
    open = 1; first = 1; next
  }
  open && first {
    first = 0; out = ""
    if (match($0, /^\/\/ FILE: /)) { out = sprintf("%s%02d.file", to, ++blocks); print substr($0, RLENGTH + 1) > out; next }
    if (/^# EDIT/) { out = sprintf("%s%02d.edit", to, ++blocks); next }
  }
  open && out { print > out }' "$root/CONTRIBUTING.md" "$root/docs/new-algorithm.md"

new=()
apply() { # the blocks of one recipe
  local block file
  for block in "$@"; do
    case $block in
      *.file)
        file=$(head -n 1 "$block")
        [[ $file == upsweep/* && $file != *..* ]] || fail "a block's file is $file"
        [[ ! -e $tree/$file ]] || fail "$file is there already: the recipe must have another name"
        mkdir -p "$tree/${file%/*}"
        tail -n +2 "$block" >"$tree/$file"
        new+=("$file")
        ;;
      *.edit) (cd "$tree" && bash -e "$block") || fail "an edit ended with an error: $(cat "$block")" ;;
    esac
  done
}
changed_lines() { # counts new and changed lines in existing files
  diff -r -U 0 "$work/before" "$tree/upsweep" | grep -vE '^(Only in|diff|---|\+\+\+|@@)' | grep -cE '^\+.' || true
}

edits=("$work"/blocks/*.edit)
((${#edits[@]} == 2)) || fail "the pages have ${#edits[@]} blocks of edits; each of the two recipes needs one"
variant=() algorithm=()
for block in "$work"/blocks/*; do
  if [[ $block > ${edits[0]} ]]; then algorithm+=("$block"); else variant+=("$block"); fi
done
apply "${variant[@]}"
lines=$(changed_lines)
((${#new[@]} == 1 && lines >= 1 && lines <= 5)) || fail "a variant is ${#new[@]} files, and $lines lines elsewhere"
rm -rf "$work/before"
cp -a "$tree/upsweep" "$work/before"
apply "${algorithm[@]}"
lines=$(changed_lines)
((lines >= 1 && lines <= 5)) || fail "an algorithm changes $lines lines outside of its own files; at most five are allowed"
echo "The algorithm has $((${#new[@]} - 1)) files, and $lines lines elsewhere"

# The recipes satisfy the format that contributors are asked for.
if command -v clang-format-19 >/dev/null; then
  (cd "$tree" && clang-format-19 --style="file:$root/.clang-format" --dry-run -Werror "${new[@]}") || fail "the recipes are not formatted"
fi
if (cd "$tree" && LC_ALL=C.UTF-8 grep -nE '^.{121,}' "${new[@]}"); then fail "the recipes have lines of more than 120 columns"; fi

# --- builds only the required targets

options=(-DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=$compiler" "-DCMAKE_CXX_FLAGS=$flags" -DUPSWEEP_CONFORMANCE=ON -DUPSWEEP_TESTS=OFF
         -DUPSWEEP_CUDA=OFF -DUPSWEEP_OPENCL=OFF -DUPSWEEP_BEAST=OFF -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON
         -DCMAKE_DISABLE_FIND_PACKAGE_OpenCV=ON)
cmake -S "$tree" -B "$tree/build" -G Ninja "${options[@]}" >"$work/log" 2>&1 || {
  tail -n 40 "$work/log"
  fail "it does not configure"
}
cmake --build "$tree/build" -j "$jobs" --target upsweep_command >"$work/log" 2>&1 || {
  grep -E 'error|FAILED' "$work/log" | head -n 20
  fail "it does not build"
}
if grep -E 'warning:' "$work/log"; then fail "the compiler warned"; fi

# --- lists, checks and calls them

upsweep=$tree/build/upsweep
listed=$("$upsweep" list --brief)
for name in scan/two-halves largest-gap/sequential largest-gap/blocks; do
  grep -q "$name" <<<"$listed" || fail "upsweep list does not have $name"
  "$upsweep" check "$name" --quick --device cpu >"$work/check" 2>&1 || {
    tail -n 20 "$work/check"
    fail "upsweep check $name"
  }
  grep -q "$name" "$work/check" || fail "upsweep check $name says nothing of it"
  tail -n 1 "$work/check"
done

cat >"$work/call.cpp" <<'TEXT'
#include <vector>

#include "upsweep/upsweep.hpp"

int main() {
  const std::vector<double> x{1, 2, 10, 11, 4};
  return upsweep::largest_gap(upsweep::context::cpu(), x) == 8 ? 0 : 1;
}
TEXT
# shellcheck disable=SC2086
"$compiler" $flags -std=c++20 -I "$tree" "$work/call.cpp" -o "$work/call" "$tree/build/library/libupsweep.a" -ltbb -lpthread ||
  fail "a program that calls the new public header does not compile and link"
"$work/call" || fail "the new algorithm has a wrong result"
echo "The recipes work"
