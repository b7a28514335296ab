#!/usr/bin/env bash
# The library's own CUDA kernels on the lens (lens/README.md), without nvcc and without a GPU: builds the command with them, and holds them
# to the oracle while the lens looks for races, divergent barriers, wrong addresses, reads of what nobody wrote, and deadlocks. Without
# arguments a sample of every variant; else what `upsweep check --device cuda:0` is to be given.
#
#   tests/on_lens.sh [argument of upsweep check...]
#
# The build folder is build-lens beside build/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
wanted=("$@")
if ((${#wanted[@]} == 0)); then wanted=(--quick --max-n 3000); fi

cmake -S . -B build-lens -G Ninja -DCMAKE_BUILD_TYPE=Release -DUPSWEEP_CUDA_ON_LENS=ON -DUPSWEEP_PROOF=ON -DUPSWEEP_TESTS=OFF -DUPSWEEP_C=OFF \
  -DUPSWEEP_OPENCL=OFF -DUPSWEEP_GPU_PEERS=OFF >/dev/null
cmake --build build-lens --target upsweep_command -j "${JOBS:-$(nproc)}"
build-lens/upsweep check --device cuda:0 "${wanted[@]}"
