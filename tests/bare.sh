#!/usr/bin/env bash
# Runs README's commands on a new system: a minimal root of SUITE (a Debian or Ubuntu release) with the files of HEAD, a clean environment, no
# compiler cache and no CUDA. Without WORDs it checks all promises of `./quickstart`. WORDs run one after the other in one root:
#   first      ./quickstart, once more, and the tour without /sys, where OpenCL's drivers may end their process
#   build      ./quickstart build
#   site       ./quickstart site
#   test       ./quickstart test
#   required   ./quickstart --required: only the required packages, and the tour
#   configure  packages, configuration, and the library compiled without a warning
#
#   tests/bare.sh SUITE [WORD...]      requires root and mmdebstrap; without them it exits with 77
#
# UPSWEEP_BARE_CACHE=folder     stores the minimal root there as SUITE.tar, and reuses it
# UPSWEEP_BARE_MIRROR=address   instead of mmdebstrap's choice; Ubuntu requires its keyring (ubuntu-keyring) in /usr/share/keyrings
#
# The table at the end lists each step's seconds. No step fails because it is slow: machines differ by more than a factor of two.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
suite=${1:?usage: tests/bare.sh SUITE [first|build|site|test|required|configure ...]}
words=("${@:2}")
if ((${#words[@]} == 0)); then words=(first); fi
for word in "${words[@]}"; do
  case $word in
    first | build | site | test | required | configure) ;;
    *)
      echo "tests/bare.sh: there is no '$word'" >&2
      exit 2
      ;;
  esac
done

script=tests/bare.sh
# shellcheck source=tests/bare_root.sh
source "$source/tests/bare_root.sh"
git -C "$source" archive HEAD | tar -C "$root/root/upsweep" -xf -
table=("$(printf '%-32s %6d' "the root" $((SECONDS - started)))")

# --- checks

failures=()
hold() { # sentence, command...: prints the sentence if the command fails
  if "${@:2}"; then return; fi
  failures+=("$1")
  echo "FAILED: $1"
}
parts() { sed -n '/Parts of this build/,/^$/p' "$log" | sed -n 's/^  \([A-Za-z]\)/\1/p'; }

# Every part whose packages the suite has is on; the packages are those in parentheses in its line. No suite has the CUDA toolkit. The first
# build has no textbook variants, MPI is installed with the tests, and OpenCV is not installed because of its size.
parts_are_on() {
  local line name package bad=0
  while IFS= read -r line; do
    read -r name _ <<<"$line"
    if [[ ${line:12} != off* || $name == CUDA || $name == textbook || $name == OpenCV ]]; then continue; fi
    if [[ $name == MPI && $word != test ]]; then continue; fi
    # shellcheck disable=SC2013
    for package in $(grep -oE '[a-z0-9][a-z0-9.+-]*-[a-z0-9.+-]*[a-z0-9]' <<<"$(grep -oE '\([^)]*\)' <<<"$line")"); do
      if [[ $(inside "LC_ALL=C apt-cache policy $package") == *'Candidate: '[0-9]* ]]; then
        echo "$name is off, and $suite has $package"
        bad=1
      fi
    done
  done < <(parts)
  [[ $bad == 0 && $(parts) == *OpenCL* ]]
}
parts_are_off() {
  local name bad=0
  for name in OpenCL FFTW PNG JPEG HDF5 view; do
    if ! grep -q "^$name  *off" <<<"$(parts)"; then
      echo "$name is not off"
      bad=1
    fi
  done
  return $bad
}
tour_words() { sed -n '/^== The tour/,/^== Not built yet/p' "$log"; }
tour_ran() {
  local at=$root/root/upsweep file bad=0
  [[ $(tour_words | wc -l) -gt 5 && -s $at/report/index.html ]] || return 1
  for file in $(tour_words | grep -oE '(^|[ `"(])(report|build|docs|examples)/[A-Za-z0-9_./-]+' | sed 's/^[ `"(]//; s/[.]$//' | sort -u); do
    if [[ ! -e $at/$file ]]; then
      echo "the tour names $file, which is not there"
      bad=1
    fi
  done
  # shellcheck disable=SC2013
  for file in $(grep -oE '(href|src)="[^"#]+' "$at/report/index.html" | sed 's/^[a-z]*="//' | grep -vE '^([a-z]+:|//)' | sort -u); do
    if [[ ! -e $at/report/${file%%[?#]*} ]]; then
      echo "the page names $file, which is not there"
      bad=1
    fi
  done
  return $bad
}
installed_state() { (cd "$root/var" && cksum lib/dpkg/status log/dpkg.log log/apt/history.log && ls -l --time-style=full-iso lib/apt/lists) 2>/dev/null; }
no_compilation() { ! grep -E '\] (Building|Linking) C' "$log"; }
no_warning() { ! grep -E '(warning:|warning #)' "$log"; }
quickstart() { # words
  local status=0 step count
  echo
  echo "== $suite: ./quickstart${*:+ $*}"
  rm -f "$root/root/upsweep/build/quickstart.log"
  logged inside "./quickstart${*:+ $*}" || status=$?
  while read -r step count; do
    table+=("$(printf '%-32s %6d' "./quickstart${*:+ $*}: $step" "$count")")
  done < <(cat "$root/root/upsweep/build/quickstart.log" 2>/dev/null)
  return $status
}

# After a failed command the remaining checks of a word are skipped.
for word in "${words[@]}"; do
  case $word in
    first)
      hold "./quickstart ends with 0" quickstart
      if ((${#failures[@]})); then break; fi
      hold "what $suite has packages for is on" parts_are_on
      hold "the tour ran, and every file that it and its page name is there" tour_ran
      hold "no compiler warning" no_warning
      before=$(installed_state)
      hold "a second ./quickstart ends with 0" quickstart
      hold "a second ./quickstart installs nothing" test "$before" = "$(installed_state)"
      hold "a second ./quickstart compiles nothing" no_compilation
      UPSWEEP_BARE_WITHOUT_SYS=1 hold "the tour ends with 0 without /sys" logged inside 'build/upsweep tour --quick -o report-without-sys'
      hold "the tour without /sys wrote its page" test -s "$root/root/upsweep/report-without-sys/index.html"
      UPSWEEP_BARE_WITHOUT_SYS=1 hold "the devices are listed without /sys" logged inside 'build/upsweep devices'
      hold "OpenCL is off without /sys, with a reason" grep -q 'off: .*/sys is missing' "$log"
      hold "upsweep --version runs" logged inside 'TIMEFORMAT="%R s for upsweep --version"; time build/upsweep --version'
      ;;
    build)
      hold "./quickstart build ends with 0" quickstart build
      if ((${#failures[@]})); then break; fi
      hold "what $suite has packages for is on" parts_are_on
      hold "no compiler warning" no_warning
      ;;
    site)
      hold "./quickstart site ends with 0" quickstart site
      hold "every link of the site has a target" logged inside 'python3 -B site/check.py build/site'
      ;;
    test)
      hold "./quickstart test ends with 0" quickstart test
      if ((${#failures[@]})); then break; fi
      hold "what $suite has packages for is on" parts_are_on
      hold "no compiler warning" no_warning
      hold "ctest ran tests, and all passed" grep -q '^100% tests passed' "$log"
      ;;
    required)
      hold "./quickstart --required ends with 0" quickstart --required
      if ((${#failures[@]})); then break; fi
      hold "what needs other packages is off" parts_are_off
      hold "the tour ran, and every file that it and its page name is there" tour_ran
      hold "no compiler warning" no_warning
      ;;
    configure)
      hold "./quickstart packages ends with 0" quickstart packages
      if ((${#failures[@]})); then break; fi
      step_started=$SECONDS
      hold "the library compiles" logged inside 'cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DUPSWEEP_CONFORMANCE=OFF -DUPSWEEP_TESTS=OFF &&
        cmake --build build --target library/libupsweep.a'
      hold "what $suite has packages for is on" parts_are_on
      hold "no compiler warning" no_warning
      table+=("$(printf '%-32s %6d' "the library" $((SECONDS - step_started)))")
      ;;
  esac
done

echo
echo "== $suite, from a bare root: seconds"
printf '   %s\n' "${table[@]}"
if ((${#failures[@]})); then
  printf 'FAILED: %s\n' "${failures[@]}"
  exit 1
fi
echo "$suite: ${words[*]}: all checks pass"
