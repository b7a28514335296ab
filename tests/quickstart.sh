#!/usr/bin/env bash
# quickstart's choices, with apt-get, dpkg, sudo and cmake played by scripts: it installs only what is missing, asks for nothing
# when nothing is, and without root prints the one command to run.
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
play apt-get 'echo "$@" >>"$WORK/apt"'
play apt-cache '[[ $2 == oclgrind ]] && echo "  Candidate: (none)" || echo "  Candidate: 1.0"'
play dpkg-query 'for gone in $MISSING; do [[ ${!#} == "$gone" ]] && exit 1; done; echo "install ok installed"'
play id 'echo "$USER_ID"'
play sudo '[[ $SUDO == yes ]] || exit 1; [[ $1 == -n ]] && exit 0; echo "sudo $*" >>"$WORK/sudo"; exec "$@"'
play cmake 'echo "cmake $*" >>"$WORK/cmake"'

run() { # MISSING, USER_ID, SUDO
  rm -f "$work"/{apt,sudo,cmake,said}
  status=0
  WORK=$work MISSING=$1 USER_ID=$2 SUDO=$3 PATH="$work/bin:$PATH" "$work/quickstart" build >"$work/said" 2>&1 || status=$?
}
fail() {
  echo "FAILED: $*" >&2
  cat "$work/said" >&2
  exit 1
}

run "" 1000 no
[[ $status == 0 && ! -e $work/apt ]] || fail "nothing was missing, and apt-get was asked"
[[ $(wc -l <"$work/cmake") == 2 ]] || fail "it did not configure and build"

run "libtbb-dev oclgrind ccache" 0 no
[[ $status == 0 ]] || fail "root could not install"
grep -qx 'update -qq' "$work/apt" || fail "no apt-get update"
grep -q -- '--no-install-recommends libtbb-dev ccache$' "$work/apt" || fail "not exactly what is missing and available: $(cat "$work/apt")"
grep -q 'no package oclgrind' "$work/said" || fail "it did not say what this release lacks"

run "cmake" 1000 yes
[[ $status == 0 ]] && grep -q 'sudo .*apt-get install .*cmake' "$work/sudo" || fail "sudo was not used"

run "cmake ninja-build ccache" 1000 no
[[ $status == 1 && ! -e $work/cmake ]] || fail "it went on without what it needs"
grep -q 'sudo apt-get update && sudo apt-get install -y --no-install-recommends cmake ninja-build ccache' "$work/said" ||
  fail "the one command was not printed"

run "ccache" 1000 no
[[ $status == 0 && -e $work/cmake ]] || fail "a missing optional package stopped it"
grep -q 'sudo apt-get install .* ccache' "$work/said" || fail "it did not say how to have the optional package"

status=0
"$work/quickstart" dance >"$work/said" 2>&1 || status=$?
[[ $status == 2 ]] && grep -q "there is no 'dance'" "$work/said" || fail "a wrong word was taken"
echo "quickstart does as it says"
