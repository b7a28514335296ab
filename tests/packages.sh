#!/usr/bin/env bash
# Installs the wheel and the Debian packages of a folder in a bare root of SUITE, with the real pip and apt, uses them, and removes them.
#
#   tests/packages.sh SUITE DIST [wheel|deb|lintian ...]    DIST: ./quickstart wheel and ./quickstart deb write to dist/
#   tests/packages.sh SUITE --build                 runs both first
#
#   wheel    pip install --no-index in a root with Python, NumPy and pip only; three lines of Python; the command; no NumPy
#   lintian  lintian finds no error in the Debian packages
#   deb      apt install of each package; the command; one call in C++ by CMake and by pkg-config, in C and in Python; removal
#
# A .deb is for the release that it was built on. On another release apt may refuse it, which the test accepts if apt names the missing
# package and changes nothing. The steps that a user waits for have a limit of 20 seconds; apt's downloads are not in it.
# Environment variables: those of tests/bare.sh.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
suite=${1:?usage: tests/packages.sh SUITE DIST [wheel|deb|lintian ...]}
if [[ ${2:-} == --build ]]; then
  rm -rf "$source/dist"
  "$source/quickstart" wheel
  "$source/quickstart" deb
  set -- "$1" "$source/dist" "${@:3}"
fi
dist=$(cd "${2:?usage: tests/packages.sh SUITE DIST [wheel|deb|lintian ...]}" && pwd)
words=("${@:3}")
if ((${#words[@]} == 0)); then words=(wheel deb lintian); fi
shopt -s nullglob
wheels=("$dist"/upsweep-*.whl) debs=("$dist"/*.deb)
for word in "${words[@]}"; do
  case $word in
    wheel) ((${#wheels[@]} == 1)) || { echo "tests/packages.sh: $dist has ${#wheels[@]} wheels, not one" >&2; exit 2; } ;;
    deb | lintian) ((${#debs[@]} == 4)) || { echo "tests/packages.sh: $dist has ${#debs[@]} Debian packages, not four" >&2; exit 2; } ;;
    *)
      echo "tests/packages.sh: there is no '$word'" >&2
      exit 2
      ;;
  esac
done
script=tests/packages.sh
# shellcheck source=tests/bare_root.sh
source "$source/tests/bare_root.sh"
at=$root/root/upsweep
table=() failures=()

step() { # sentence, limit in seconds or 0, command in the root
  local began=$SECONDS status=0 took
  printf '\n== %s\n' "$1"
  logged inside "$3" || status=$?
  took=$((SECONDS - began))
  table+=("$(printf '%-60s %5d' "$1" $took)")
  if ((status)); then failures+=("$1: status $status"); fi
  if (($2 && took > $2)); then failures+=("$1: $took seconds, and the limit is $2"); fi
}
install="DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0"
step "apt-get update" 0 "apt-get update -qq"

wheel() {
  cp "${wheels[@]}" "$at/"
  cat >"$at/three.py" <<'PY'
import numpy as np, upsweep
x = np.array([3, 1, 2])
assert upsweep.sort(x).tolist() == [1, 2, 3] and upsweep.sum(x) == 6
PY
  cat >"$at/more.py" <<'PY'
import os
import numpy as np
import upsweep

x = np.random.default_rng(1).random((1000, 1000))
assert np.array_equal(upsweep.sort(x.ravel()), np.sort(x.ravel()))
assert np.allclose(upsweep.convolve(x, np.ones((31, 31)), mode="same")[500, 500], x[485:516, 485:516].sum())
assert upsweep.devices()[0].name == "cpu"
# All libraries but the system's are those of the wheel.
site = os.path.dirname(os.path.dirname(upsweep.__file__))
for line in open("/proc/self/maps"):
    for name in ("tbb", "fftw", "OpenCL", "upsweep"):
        if f"lib{name}" in line:
            assert site in line, line
assert any("upsweep.libs/libtbb" in line for line in open("/proc/self/maps"))
PY
  step "Python, NumPy and pip" 0 "$install python3 python3-numpy python3-pip >/dev/null"
  local break_system=''
  if inside "python3 -m pip install --help | grep -q break-system-packages"; then break_system=--break-system-packages; fi
  step "wheel: pip install and three lines of Python" 20 "python3 -m pip install -q --no-index --root-user-action=ignore $break_system ./upsweep-*.whl && python3 three.py"
  step "wheel: more calls, with the libraries of the wheel" 20 "python3 more.py"
  step "wheel: without AVX2" 20 "UPSWEEP_INSTRUCTIONS=baseline python3 more.py"
  step "wheel: the command" 20 "upsweep --version && printf '3\n1\n2\n' >x.csv && test \"\$(upsweep sort x.csv --no-header -o -)\" = \"\$(sort x.csv)\" && python3 -m upsweep --version && upsweep lens --help >/dev/null"
  step "wheel: devices" 20 "upsweep devices --json | python3 -c 'import json, sys; json.load(sys.stdin)'"
  step "wheel: without NumPy one sentence, and the command works" 20 "dpkg --remove --force-depends python3-numpy >/dev/null 2>&1
    python3 -c 'import upsweep' 2>said && exit 1
    tail -1 said; tail -1 said | grep -q '^ImportError: upsweep needs NumPy .*pip install numpy' && upsweep --version"
  step "wheel: pip uninstall leaves nothing" 20 "python3 -m pip uninstall -q -y --root-user-action=ignore $break_system upsweep && ! find /usr/local -name '*upsweep*' | grep ."
}

deb() {
  cp "${debs[@]}" "$at/"
  cat >"$at/main.cpp" <<'CPP'
#include <cstdio>
#include <upsweep/reduce.hpp>
#include <vector>
int main() {
  const std::vector<int> x{1, 2, 3};
  const int sum = upsweep::reduce(upsweep::context::cpu(), x);
  std::printf("%d\n", sum);
  return sum != 6;
}
CPP
  cat >"$at/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(one LANGUAGES CXX)
find_package(upsweep 0.1 REQUIRED)
add_executable(one main.cpp)
target_link_libraries(one PRIVATE upsweep::upsweep)
CMAKE
  cat >"$at/main.c" <<'C'
#include <stdio.h>
#include <upsweep.h>
int main(void) { return printf("%s\n", upsweep_version()) < 0; }
C
  local refused=0
  # Refused at once where the release lacks a package.
  inside "LC_ALL=C apt-get install -s -qq --no-install-recommends ./upsweep_*.deb >plan 2>&1" || refused=1
  if ((refused)); then
    printf '\n== apt refuses the packages in %s\n' "$suite"
    cat "$at/plan"
    grep -qE 'Depends:? .*(but it is not (installable|going to be installed)|but .* is to be installed|\(>= [^)]*\)$)' "$at/plan" || failures+=("deb: apt refuses the packages and names no package that is missing")
    inside "! dpkg -l upsweep 2>/dev/null | grep -q ^ii" || failures+=("deb: apt refused the packages and installed one")
    table+=("deb: refused by apt, which names what $suite lacks")
    return
  fi
  step "deb: packages that the command needs" 0 "$install --download-only ./upsweep_*.deb >/dev/null"
  step "deb: apt install upsweep, and one command" 20 "$install ./upsweep_*.deb >/dev/null && upsweep --version && printf '3\n1\n2\n' >x.csv && test \"\$(upsweep sort x.csv --no-header -o -)\" = \"\$(sort x.csv)\""
  step "deb: manual pages and completion" 0 "for file in /usr/share/man/man1/upsweep-sort.1.gz /usr/share/bash-completion/completions/upsweep /usr/share/zsh/vendor-completions/_upsweep /usr/share/fish/vendor_completions.d/upsweep.fish; do dpkg -L upsweep | grep -qx \$file || { echo \"no \$file\"; exit 1; }; done"
  step "deb: compilers, libupsweep-dev" 0 "$install g++ cmake make pkg-config ./libupsweep-*.deb >/dev/null"
  step "deb: find_package and one call" 20 "cmake -S . -B out >/dev/null && cmake --build out && out/one"
  step "deb: pkg-config and one call" 20 "g++ -std=c++20 -O2 main.cpp \$(pkg-config --cflags --libs upsweep) -o one && ./one"
  step "deb: the C interface" 20 "gcc main.c \$(pkg-config --cflags --libs upsweep_c) -o one_c && ./one_c"
  step "deb: packages that Python needs" 0 "$install --download-only ./python3-upsweep_*.deb >/dev/null"
  step "deb: apt install python3-upsweep, and three lines" 20 "$install ./python3-upsweep_*.deb ./libupsweep-c*.deb >/dev/null && cd / && python3 -c 'import numpy as np, upsweep; assert upsweep.sort(np.array([3, 1, 2])).tolist() == [1, 2, 3]; print(upsweep.__version__)' && python3 -m upsweep --version"
  step "deb: removal leaves nothing" 0 "dpkg -L upsweep libupsweep-dev libupsweep-c0.1 python3-upsweep | sort -u >/root/listed
    apt-get purge -y -qq upsweep libupsweep-dev libupsweep-c0.1 python3-upsweep >/dev/null
    ! find /usr /etc /var/lib -name '*upsweep*' -not -path '/var/lib/dpkg/*' | grep ."
}

lintian() {
  cp "${debs[@]}" "$at/"
  step "lintian: the tool" 0 "$install lintian >/dev/null"
  step "lintian: no error" 0 "lintian --allow-root --fail-on error --show-overrides *.deb"
}

for word in "${words[@]}"; do $word; done
echo
echo "== $suite: seconds"
printf '   %s\n' "${table[@]}"
if ((${#failures[@]})); then
  printf 'FAILED: %s\n' "${failures[@]}"
  exit 1
fi
echo "$suite: ${words[*]}: every step passed"
