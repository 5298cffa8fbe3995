#!/usr/bin/env bash
# Steps of a stencil as one graph beside the other variants of examples/stencil_overlap, at 2 ranks: builds if needed,
# and prints a table for each size.
# Usage: bench/run.sh step_graph [--mpi openmpi|mpich] [options of stencil_overlap, see its --help]
set -euo pipefail
cd "$(dirname "$0")/../.."
source cmake/progress.sh
source cmake/mpi-environment.sh
mpi=openmpi
if [ "${1:-}" = --mpi ]; then
  mpi=$2
  shift 2
fi
cmake/install-packages.sh build
configure --preset "$mpi"
cmake --build "build/$mpi" --target stencil_overlap -- --quiet
for size in "32x32 --tiles 1 --steps 200" "128x128 --tiles 1 --steps 200" "256x256 --tiles 2" "512x512 --tiles 2" "1024x1024 --tiles 4" "2048x2048 --tiles 4"; do
  # shellcheck disable=SC2086 # a size and an option
  rondo_mpirun "$mpi" 2 "build/$mpi/examples/stencil_overlap" --size $size --repetitions 15 "$@"
done
