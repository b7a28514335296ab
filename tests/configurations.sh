#!/usr/bin/env bash
# Tests every other configuration that the README promises: each must configure, compile without a warning, and pass the tests that apply to
# it, with samples of the checks. Without NAMEs, all of them:
#   required     only the required packages: other packages are hidden from CMake (tests/bare.sh SUITE required really lacks them)
#   no-cuda      everything but CUDA
#   no-opencl    everything but OpenCL; with CUDA if nvcc is found
#   no-boost     no lens, no view, none of Boost's headers
#   shared       shared libraries instead of archives; no CUDA. Tests: a program outside the tree, the start of the command, some suites
#   clang        clang 16, or a newer one, compiles the library, the command, every public header and calls of each kind
#
#   tests/configurations.sh [NAME...]
#
# The build folders are build-NAME next to build/, and compiler options are those of build/, so that a compiler cache finds the same objects.
# Warnings are detected in the output. After a warning, the next run cleans the folder, so that the compiler prints the warning again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
names=("$@")
if ((${#names[@]} == 0)); then names=(no-cuda no-opencl no-boost shared required clang); fi
jobs=${JOBS:-$(nproc)}
without_boost=(-DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON -DUPSWEEP_BEAST=OFF -DUPSWEEP_WITH_SPREADSORT=OFF)
hidden=(OpenCL PNG JPEG ZLIB OpenCV OpenMP MPI rapidcheck Python3)

find_nvcc() {
  local place
  for place in "$(command -v nvcc || true)" "${CUDA_HOME:-/nowhere}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
    if [[ -x $place ]]; then
      echo "$place"
      return
    fi
  done
}

# The oldest supported clang that is installed, or that this release offers.
find_clang() {
  local version policy
  for version in 16 17 18 19 20 21 22; do
    if command -v "clang++-$version"; then return; fi
  done
  if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then return; fi
  for version in 16 17 18 19 20 21 22; do
    policy=$(LC_ALL=C apt-cache policy "clang-$version" 2>/dev/null || true)
    if [[ $policy == *'Candidate: '[0-9]* ]]; then
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "clang-$version" >/dev/null && command -v "clang++-$version"
      return
    fi
  done
}

# Links only the required packages' pkg-config files.
required_pkg_config() { # folder
  local module file
  rm -rf "$1"
  mkdir -p "$1"
  for module in libhwy libhwy-contrib tbb fmt; do
    file=$(pkg-config --variable=pcfiledir "$module" 2>/dev/null || true)
    if [[ $file ]]; then ln -s "$file/$module.pc" "$1/"; fi
  done
}

steps=()
run_step() { # what, command...
  local began=$SECONDS
  if ! "${@:2}" >>"$log" 2>&1; then
    echo "$name: $1 failed"
    tail -n 60 "$log"
    return 1
  fi
  steps+=("$1 $((SECONDS - began)) s")
}

try() { # name
  local name=$1 folder=build-$1 log=build-$1/log warnings=build-$1/warned options=() targets=() which clang nvcc
  # Each header alone, without CUDA and OpenCL, and with clang; every build of the tests covers both backends.
  which=(-LE 'whole-build|slow' -E '^headers\.alone$')
  steps=()
  mkdir -p "$folder"
  : >"$log"
  case $name in
    required)
      which=(-LE 'whole-build|slow')
      required_pkg_config "$folder/pkg-config"
      local -x PKG_CONFIG_LIBDIR=$PWD/$folder/pkg-config
      options=(-DUPSWEEP_CUDA=OFF "${without_boost[@]}" -DUPSWEEP_HAS_IPS4O_HEADER=OFF -DUPSWEEP_OCLGRIND=OFF -DUPSWEEP_OPENCL_HPP=OFF
               -DUPSWEEP_ZSTD=OFF -DUPSWEEP_TIFF=OFF -DUPSWEEP_WEBP=OFF -DUPSWEEP_GIF=OFF)
      local package
      for package in "${hidden[@]}"; do options+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
      ;;
    no-cuda) options=(-DUPSWEEP_CUDA=OFF) ;;
    no-opencl)
      options=(-DUPSWEEP_OPENCL=OFF)
      nvcc=$(find_nvcc)
      if [[ $nvcc ]]; then options+=("-DCMAKE_CUDA_COMPILER=$nvcc" -DUPSWEEP_CUDA_ARCHITECTURES=90); fi
      ;;
    no-boost) options=(-DUPSWEEP_CUDA=OFF "${without_boost[@]}") ;;
    shared)
      options=(-DUPSWEEP_CUDA=OFF -DBUILD_SHARED_LIBS=ON)
      which=(-R '^install\.outside_program$|^start\.one_primitive$|^visibility\.|^cli\.start$|^c\.|^Catalog|^Context|^Textbook')
      ;;
    clang)
      clang=$(find_clang)
      if [[ -z $clang ]]; then
        echo "clang: no version 16 or newer is installed or can be installed: skipped"
        return 0
      fi
      # Nothing is run, so nothing is optimised. GCC's std::stable_sort calls functions that C++17 deprecated.
      options=(-DUPSWEEP_CUDA=OFF "-DCMAKE_CXX_COMPILER=$clang" -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_CXX_FLAGS=-Wno-deprecated-declarations)
      targets=(--target upsweep_command)
      which=(-R '^headers\.alone$|^calls\.by_clang$')
      ;;
    *)
      echo "tests/configurations.sh: there is no '$name'" >&2
      exit 2
      ;;
  esac
  if [[ -e $warnings ]]; then
    cmake --build "$folder" --target clean >>"$log" 2>&1 || true
    rm -f "$warnings"
  fi
  run_step configuring cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DUPSWEEP_CONFORMANCE=ON -DUPSWEEP_TESTS=ON \
    -DUPSWEEP_SANITIZED_TESTS=OFF "${options[@]}" || return
  sed -n 's/^  \([A-Za-z0-9 ]\{12\}off .*\)/   \1/p' "$log"
  run_step building cmake --build "$folder" -j "$jobs" "${targets[@]}" || return
  if grep -E '(warning:|warning #)' "$log"; then
    touch "$warnings"
    echo "$name: the compiler warned"
    return 1
  fi
  run_step testing env UPSWEEP_QUICK=1 ctest --test-dir "$folder" --output-on-failure -j "$jobs" "${which[@]}" || return
  grep -E '^100% tests passed' "$log" || return
  local IFS=,
  echo "$name: ${steps[*]}"
}

failed=()
for name in "${names[@]}"; do
  echo
  echo "== Configuration $name"
  try "$name" || failed+=("$name")
done
echo
if ((${#failed[@]})); then
  echo "FAILED: ${failed[*]}"
  exit 1
fi
echo "Configurations pass: ${names[*]}"
