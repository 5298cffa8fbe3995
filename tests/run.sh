#!/usr/bin/env bash
# Builds everything with warnings as errors and runs all tests, under Open MPI and MPICH. Usage: tests/run.sh [openmpi|mpich]
set -euo pipefail
cd "$(dirname "$0")/.."

cmake/install-packages.sh build tests
status=0
for mpi in ${1:-openmpi mpich}; do
  echo "== $mpi"
  # One MPI that fails does not hide what the other does.
  { cmake --preset "$mpi" >/dev/null && cmake --build --preset "$mpi" -j "$(nproc)" -- --quiet && ctest --preset "$mpi"; } ||
    status=1
done
exit $status
