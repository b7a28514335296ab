#!/usr/bin/env bash
# Tests the library and the command for Arm (arm64) on another machine: a cross compiler compiles them with Debian 12's arm64 packages, which
# are unpacked in a separate folder, and QEMU runs them. Runs the quick check of every variant, 1000 random cases, and the C++ tests of FILTER.
#
#   tests/arm.sh [FILTER]      a GoogleTest filter such as '*Scan*'. Requires root, mmdebstrap and the cross compiler; without them it exits with 77
#
# BUILD is the build folder (default: build-arm); the packages' folder is next to it. JOBS is the number of compilers that run at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${BUILD:-build-arm} jobs=${JOBS:-$(nproc)} filter=${1:-}
root=$(realpath -m "$build-root")

cannot() {
  echo "tests/arm.sh: $1"
  exit 77
}
if [[ $(id -u) != 0 ]]; then cannot "not root: packages cannot be unpacked"; fi
if ! command -v aarch64-linux-gnu-g++ >/dev/null || ! command -v qemu-aarch64 >/dev/null || ! command -v mmdebstrap >/dev/null; then
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends g++-aarch64-linux-gnu qemu-user mmdebstrap >/dev/null 2>&1 ||
    cannot "g++-aarch64-linux-gnu, qemu-user or mmdebstrap is not installed"
fi
if [[ ! -d $root ]]; then
  packages=libc6-dev,libstdc++-12-dev,libtbb-dev,libhwy-dev,libcli11-dev,libfmt-dev,nlohmann-json3-dev,zlib1g-dev,libfftw3-dev,libgtest-dev,librapidcheck-dev
  mmdebstrap --arch=arm64 --variant=extract --include=$packages bookworm "$root.part" >/dev/null 2>&1 || {
    rm -rf "$root.part"
    cannot "mmdebstrap could not get the packages of Debian 12 for arm64"
  }
  mv "$root.part" "$root"
fi

mkdir -p "$build"
cat >"$build/toolchain.cmake" <<TOOLCHAIN
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT $root)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH $root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;$root")
TOOLCHAIN
tests=OFF
if [[ $filter ]]; then tests=ON; fi
PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig \
  cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$(realpath "$build")/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" -DUPSWEEP_CUDA=OFF -DUPSWEEP_OPENCL=OFF -DUPSWEEP_CONFORMANCE=ON -DUPSWEEP_TESTS=$tests >/dev/null
cmake --build "$build" --target upsweep_command -j "$jobs" 2>&1 | tee "$build/log"
if grep -E 'warning:' "$build/log"; then
  echo "FAILED: the compiler warned"
  exit 1
fi

on_arm() { qemu-aarch64 -L "$root" "$build/$1" "${@:2}"; }
on_arm upsweep check --quick --device cpu
on_arm upsweep check --cases 1000 --device cpu
if [[ $filter ]]; then
  cmake --build "$build" --target upsweep_tests -j "$jobs"
  on_arm upsweep_tests --gtest_filter="$filter" --gtest_brief=1
fi
echo "Arm: all tests pass"
