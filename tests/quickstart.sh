#!/usr/bin/env bash
# Tests cases of quickstart that tests/bare.sh cannot test, with scripts in place of apt-get, dpkg, sudo, cmake and nvidia-smi:
# no root rights, no apt, a package that a release lacks, a GPU, a build folder with more parts than are requested.
#   tests/quickstart.sh SOURCE
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1/quickstart" "$work/"
mkdir "$work/bin"

play() { # name, body
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
# The scripts' own variables, not this one's:
# shellcheck disable=SC2016
{
  play apt-get 'echo "$@" >>"$WORK/apt"'
  play apt-cache 'shift; for p in "$@"; do
    [[ $p == ccache ]] && c="(none)" || c=1.0
    printf "%s:\n  Installed: (none)\n  Candidate: %s\n  Version table:\n" "$p" "$c"
    for ((i = 0; i < 2000; ++i)); do echo "        500 a line that a reader may leave before"; done
  done'
  play dpkg-query 'shift 3; status=0; for p in "$@"; do
    [[ " $MISSING " == *" $p "* ]] && status=1 || echo "$p install ok installed"; done; exit $status'
  play id 'echo "$USER_ID"'
  play sudo '[[ $SUDO == yes ]] || exit 1; [[ $1 == -n ]] && exit 0; echo "sudo $*" >>"$WORK/sudo"; exec "$@"'
  play cmake 'echo "cmake $*" >>"$WORK/cmake"'
  play nvidia-smi '[[ $GPU ]] || exit 9; [[ $1 == -L ]] && echo "GPU 0: a card" || printf "8.9\n9.0\n8.9\n"'
  play nvcc ''
}

run() { # MISSING, USER_ID, SUDO, words; GPU of the environment
  rm -f "$work"/{apt,sudo,cmake,said}
  status=0
  WORK=$work MISSING=$1 USER_ID=$2 SUDO=$3 GPU=${GPU:-} PATH="$work/bin:$PATH" "$work/quickstart" "${@:4}" >"$work/said" 2>&1 || status=$?
}
fail() {
  echo "FAILED: $*" >&2
  cat "$work/said" "$work/cmake" >&2
  exit 1
}
anew() { # and a command that takes a tour
  rm -rf "$work/build"
  mkdir "$work/build"
  printf '#!/bin/sh\necho "toured: $*"\n' >"$work/build/upsweep"
  chmod +x "$work/build/upsweep"
}
configured() { [[ " $(head -1 "$work/cmake") " == *" $1 "* ]]; }

anew
run "" 1000 no build
[[ $status == 0 && ! -e $work/apt ]] || fail "nothing was missing, and apt-get was called"
[[ $(wc -l <"$work/cmake") == 2 ]] || fail "it did not configure and build"
configured -DUPSWEEP_CONFORMANCE=ON && configured -DUPSWEEP_TESTS=OFF && configured -DUPSWEEP_CUDA=ON || fail "build's options"
grep -q '^Seconds: packages [0-9]* s, configuring' "$work/said" && grep -q '^building [0-9]' "$work/build/quickstart.log" || fail "no seconds"

# A package that the release lacks is reported once and not searched for again.
run "libtbb-dev libpng-dev ccache" 0 no build
[[ $status == 0 ]] || fail "root could not install"
grep -qx 'update -qq' "$work/apt" || fail "no apt-get update"
grep -q -- 'install .* libtbb-dev libpng-dev$' "$work/apt" || fail "not exactly what is missing and available: $(cat "$work/apt")"
grep -q 'no package ccache' "$work/said" || fail "it did not report the package that this release lacks"
run "ccache" 0 no build
[[ $status == 0 && ! -e $work/apt ]] || fail "it searched again for a package that this release lacks"

anew
run "cmake" 1000 yes build
[[ $status == 0 ]] && grep -q 'sudo .*apt-get install .*cmake' "$work/sudo" || fail "sudo was not used"

run "cmake ninja-build ccache" 1000 no
[[ $status == 1 && ! -e $work/cmake ]] || fail "it continued without a required package"
grep -q 'sudo apt-get update && sudo apt-get install -y --no-install-recommends cmake ninja-build ccache' "$work/said" ||
  fail "the one command was not printed"
run "ccache" 1000 no
[[ $status == 0 && -e $work/cmake ]] || fail "a missing optional package stopped it"
grep -q 'sudo apt-get install .* ccache' "$work/said" || fail "it did not print how to install the optional package"
run "ccache libhdf5-dev" 0 no --required
[[ $status == 0 && ! -e $work/apt ]] || fail "--required installed an optional package"
run "libgtest-dev" 0 no
[[ $status == 0 && ! -e $work/apt ]] || fail "the tour installed what tests need"

# The tour builds only what it runs; CUDA if a GPU is found, for that GPU, or with --cuda.
anew
run "" 1000 no
[[ $status == 0 ]] && grep -q '^toured: tour' "$work/said" || fail "no tour"
configured -DUPSWEEP_CONFORMANCE=OFF && configured -DUPSWEEP_TESTS=OFF || fail "it builds more than the tour runs"
grep -q 'quickstart test' "$work/said" || fail "it did not print how to build the rest"
if [[ ! -e /dev/nvidia0 ]]; then configured -DUPSWEEP_CUDA=OFF || fail "CUDA without a GPU"; fi
run "" 1000 no --cuda
configured -DUPSWEEP_CUDA=ON || fail "CUDA was requested"
GPU=yes run "" 1000 no
configured -DUPSWEEP_CUDA=ON && configured '-DUPSWEEP_CUDA_ARCHITECTURES=89;90' || fail "a GPU was found"
run "" 1000 no build
[[ $(head -1 "$work/cmake") != *ARCHITECTURES* ]] || fail "without a GPU, CMake chooses the architectures"
run "" 1000 no test
configured -DUPSWEEP_CUDA_ARCHITECTURES=90-virtual || fail "without a GPU, tests are compiled for more than one architecture"
printf 'UPSWEEP_%s:BOOL=ON\n' CONFORMANCE TESTS CUDA >"$work/build/CMakeCache.txt"
run "" 1000 no
[[ $status == 0 && $(head -1 "$work/cmake") != *=OFF* ]] || fail "a part that was built already was turned off"
printf '#!/bin/sh\nexit 3\n' >"$work/build/upsweep"
run "" 1000 no
[[ $status == 3 ]] || fail "a tour that failed passed"

# The site: its packages are installed for this command only; an error if they cannot be installed.
anew
play mkdocs ''
# shellcheck disable=SC2016
play python3 'echo "python3 $*" >>"$WORK/cmake"'
run "mkdocs mkdocs-material" 0 no build
[[ $status == 0 && ! -e $work/apt ]] || fail "the build installed what the site needs"
run "mkdocs mkdocs-material" 0 no site
grep -q -- 'install .* mkdocs mkdocs-material$' "$work/apt" || fail "the site's packages are not installed: $(cat "$work/apt")"
[[ $status == 0 ]] && configured -DUPSWEEP_CONFORMANCE=ON && configured -DUPSWEEP_TESTS=OFF || fail "the site's options"
grep -q 'python3 site/build.py --command build/upsweep --out build/site' "$work/cmake" || fail "no site"
run "mkdocs" 1000 no site
[[ $status == 1 && ! -e $work/cmake ]] || fail "it continued without MkDocs"
rm "$work"/bin/{mkdocs,python3}

# The Python package: its packages, its two targets, pip in a venv, and its tests, whose status is returned.
anew
mkdir -p "$work/build/python/bin"
# shellcheck disable=SC2016
play python3 'echo "python3 $*" >>"$WORK/cmake"'
# shellcheck disable=SC2016
printf '#!/usr/bin/env bash\necho "venv $*" >>"$WORK/cmake"\n[[ $2 != pytest ]] || exit "${PYTEST:-0}"\n' >"$work/build/python/bin/python"
chmod +x "$work/build/python/bin/python"
export PYTHON=python3  # the script
run "python3-venv" 0 no python
[[ $status == 0 ]] && grep -q -- 'install .* python3-venv$' "$work/apt" || fail "Python's packages are not installed: $(cat "$work/apt")"
configured -DUPSWEEP_CONFORMANCE=OFF && grep -q -- '--target upsweep_c upsweep_command' "$work/cmake" || fail "wrong targets for the package"
grep -q 'venv -m pip install .* \.$' "$work/cmake" && grep -q 'venv examples/day_of_sales.py' "$work/cmake" || fail "no package, or no example"
PYTEST=5 run "" 1000 no python
[[ $status == 5 ]] || fail "tests of the package that failed passed"
rm "$work/bin/python3"
unset PYTHON

# Not Debian: the packages are listed, and the build is tried.
mkdir "$work/elsewhere"
for tool in bash cat dirname env head mkdir nproc paste sed sort tr; do ln -s "$(command -v $tool)" "$work/elsewhere/"; done
ln -s "$work"/bin/{id,cmake} "$work/elsewhere/"
rm -f "$work/cmake"
WORK=$work PATH=$work/elsewhere "$work/quickstart" build >"$work/said" 2>&1 || fail "it needs apt"
grep -q 'libtbb-dev' "$work/said" && [[ -e $work/cmake ]] || fail "without apt it did not list the required packages"
rm -f "$work/cmake"
status=0
WORK=$work PATH=$work/elsewhere "$work/quickstart" site >"$work/said" 2>&1 || status=$?
[[ $status == 1 && ! -e $work/cmake ]] && grep -q '^quickstart: the site needs MkDocs' "$work/said" || fail "a site without MkDocs"

for words in dance --dance 'tour extra' 'build test'; do
  status=0
  # shellcheck disable=SC2086
  "$work/quickstart" $words >"$work/said" 2>&1 || status=$?
  [[ $status == 2 && $(wc -l <"$work/said") == 1 ]] || fail "'$words' was accepted, or the error is not one line"
done
echo "quickstart passed"
