#!/usr/bin/env bash
# Builds everything with warnings as errors and runs all tests, under Open MPI and MPICH.
# Usage: tests/run.sh [openmpi|mpich]
#        tests/run.sh long [FACTOR]   for a night: only the random sweep and the simulation, with FACTOR (default 100)
#                                     times as many seeds
set -euo pipefail
cd "$(dirname "$0")/.."

cmake/install-packages.sh build tests
build() { cmake --preset "$1" >/dev/null && cmake --build --preset "$1" -j "$(nproc)" -- --quiet; }

if [ "${1:-}" = long ]; then
  build openmpi
  RONDO_TEST_SCALE=${2:-100} ctest --preset openmpi -R '^(sweep|simulation)_' --timeout 100000
  exit
fi
status=0
for mpi in ${1:-openmpi mpich}; do
  echo "== $mpi"
  # One MPI that fails does not hide what the other does.
  { build "$mpi" && ctest --preset "$mpi"; } || status=1
done
exit $status
