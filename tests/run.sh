#!/usr/bin/env bash
# Builds everything with warnings as errors and runs all tests.
# Usage: tests/run.sh [STAGE...]       default: all stages
#          openmpi, mpich   the test suite under each MPI
#          asan             what moves data, under the address and undefined-behavior sanitizers, and some for leaks
#          tsan             engine, executions and simulation under the thread sanitizer
#          valgrind         faults and requests on 2 ranks under memcheck
#          fuzz             half a minute of each fuzzer
#        tests/run.sh long [FACTOR]    for a night: the random sweep and the simulation with FACTOR (default 100) times
#                                      as many seeds
#        tests/run.sh coverage         lines and branches that the tests under Open MPI reach, as docs/coverage.md has them
set -euo pipefail
cd "$(dirname "$0")/.."

build() { cmake --preset "$1" >/dev/null && cmake --build --preset "$1" -j "$(nproc)" -- --quiet; }

run_valgrind() {
  { cmake/install-packages.sh valgrind && build openmpi; } || return 1
  (
    source cmake/mpi-environment.sh
    for test in "faces --file=requests" whole_mpi_faults; do
      echo "valgrind: $test"
      # shellcheck disable=SC2086 # a program and its option
      rondo_mpirun openmpi 2 valgrind -q --error-exitcode=9 --suppressions=/usr/share/openmpi/openmpi-valgrind.supp \
        --suppressions=tests/valgrind.supp build/openmpi/tests/test_$test || exit 1
    done
  )
}

run_coverage() {
  cmake/install-packages.sh coverage
  build coverage
  find build/coverage -name '*.gcda' -delete
  RONDO_TEST_SCALE=0.1 ctest --preset coverage || true
  gcovr --root . --filter runtime/ --filter collectives/ --filter datatypes/ --filter include/ --exclude-throw-branches \
    --exclude-unreachable-branches build/coverage
}

stage() {
  case "$1" in
    openmpi | mpich | tsan) build "$1" && ctest --preset "$1" ;;
    asan) build asan && ctest --preset asan && ctest --preset leaks ;;
    valgrind) run_valgrind ;;
    fuzz) tests/fuzz/run.sh 30 ;;
    *) echo "tests/run.sh: no stage is called $1" >&2; return 2 ;;
  esac
}

cmake/install-packages.sh build tests
case "${1:-}" in
  long)
    build openmpi
    RONDO_TEST_SCALE=${2:-100} ctest --preset openmpi -R '^whole/(sweep|reduction_sweep|simulation)_' --timeout 100000
    exit
    ;;
  coverage) run_coverage; exit ;;
esac
failed=()
for name in ${*:-openmpi mpich asan tsan valgrind fuzz}; do
  echo "== $name"
  # One stage that fails does not hide what the others find.
  stage "$name" || failed+=("$name")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
