#!/usr/bin/env bash
# Builds Rondo and runs the stencil example on 4 ranks: diffusion and Life on a sample image, results in results/.
# Usage: examples/run-stencil.sh [INPUT [options of the program, see --help]]
set -euo pipefail
cd "$(dirname "$0")/.."

cmake/install-packages.sh build
source cmake/mpi-environment.sh
cmake -S . -B build/examples -G Ninja -DCMAKE_BUILD_TYPE=Release -DRONDO_MPI=openmpi -DRONDO_BUILD_TESTS=OFF >/dev/null
cmake --build build/examples -- --quiet
mkdir -p results
program=build/examples/examples/stencil
if [ $# -gt 0 ]; then
  rondo_mpirun openmpi 4 "$program" "$@"
  exit
fi
rondo_mpirun openmpi 4 "$program" examples/data/sample.pgm --kernel diffusion --steps 500 --output results/diffusion.pgm
rondo_mpirun openmpi 4 "$program" examples/data/sample.pgm --kernel life --steps 500 --output results/life.pgm
echo "wrote results/diffusion.pgm and results/life.pgm"
