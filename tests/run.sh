#!/usr/bin/env bash
# Builds with warnings as errors and runs the tests, and says how long each stage took.
# Usage: tests/run.sh              the suite under Open MPI, as .ci/run begins: with 7% of the random programs and seeds, a
#                                  part of what goes through many cases, and without the tests that CTest labels "night":
#                                  other numbers of ranks, and what differs little from another test; tests and examples
#                                  are compiled by clang, which takes half as long as GCC: GCC looks at these at night,
#                                  or where somebody works on them
#        tests/run.sh all          the same, then all other stages but alone in the same way, as .ci/run does; for MPICH
#                                  clang compiles everything
#        tests/run.sh quick STAGE...   these stages in the same way
#        tests/run.sh STAGE...     whole, as for a night:
#          openmpi, mpich   the test suite under each MPI; under MPICH on up to 5 ranks
#          asan             what moves data, under the address and undefined-behavior sanitizers, and some for leaks
#          tsan             what has threads, under the thread sanitizer
#          valgrind         faults and requests on 2 ranks under memcheck
#          fuzz             30 seconds of all fuzzers at once
#          alone            every file of the library compiled by itself, without the others of its room
#        tests/run.sh long [FACTOR]    for a night: the random sweep, the simulation and the random programs with FACTOR
#                                      (default 100) times as many seeds, and the longest blocks
#        tests/run.sh mutants [ROOM...] for a night: breaks the library in many ways, one at a time, and demands that the
#                                      tests find each (tests/mutants)
#        tests/run.sh shm              for a night: tests of several ranks under both MPIs where no ranks share memory, where
#                                      some pairs do, where those of two nodes do, and where persistent operations learn
#        tests/run.sh coverage         lines and branches that the tests under Open MPI reach, as docs/coverage.md has them
# BROKEN_IN_OPENMPI: a regular expression of tests that are left out, as this Open MPI cannot do what they need
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/progress.sh

jobs=$(nproc)
left_out=()
openmpi=openmpi mpich=mpich # their presets

# build PRESET
build() {
  say "$1: configuring" && configure --preset "$1" && say "$1: compiling" && compile --preset "$1" -j "$jobs"
}

# suite PRESET OPTIONS...: more at once than there are cores, as ranks that start, end and wait leave them idle.
suite() { say "$1: testing" && ctest --preset "$1" -j "$((4 * jobs))" "${@:2}"; }

run_valgrind() {
  { cmake/install-packages.sh valgrind && build "$openmpi"; } || return 1
  (
    source cmake/mpi-environment.sh
    for test in "faces --file=requests" whole_mpi_faults; do
      echo "valgrind: $test"
      # shellcheck disable=SC2086 # a program and its option
      rondo_mpirun openmpi 2 valgrind -q --error-exitcode=9 --suppressions=/usr/share/openmpi/openmpi-valgrind.supp \
        --suppressions=tests/valgrind.supp "build/$openmpi/tests/test_"$test || exit 1
    done
  )
}

run_coverage() {
  cmake/install-packages.sh coverage
  build coverage
  find build/coverage -name '*.gcda' -delete
  RONDO_TEST_SCALE=0.1 suite coverage || true
  gcovr --root . --filter runtime/ --filter collectives/ --filter datatypes/ --filter include/ --exclude-throw-branches \
    --exclude-unreachable-branches build/coverage
}

run_shm() {
  local mpi way apart all_well=0
  for mpi in openmpi mpich; do
    build "$mpi" || return 1
    for way in RONDO_SHM=off RONDO_SHM=odd RONDO_TEST_NODES=2 RONDO_LEARN=4; do
      say "$mpi: testing with $way"
      apart='out_of_memory|plugin_memory_(traced_)?[0-9]'
      [ "$way" != RONDO_LEARN=4 ] || apart+='|whole/lanes_' # counts messages over MPI, of which each sum of times is one
      env "$way" ctest --preset "$mpi" -j "$jobs" -R '_[2-9]$|/killed_rank_' -E "$apart" || all_well=1
    done
  done
  return "$all_well"
}

stage() {
  case "$1" in
    openmpi) build "$openmpi" && suite "$openmpi" "${left_out[@]}" ${BROKEN_IN_OPENMPI:+--exclude-regex "$BROKEN_IN_OPENMPI"} ;;
    tsan) build tsan && suite tsan "${left_out[@]}" ;;
    mpich) build "$mpich" && suite "$mpich" "${left_out[@]}" ;;
    asan) cmake/install-packages.sh fuzz && build asan && suite asan "${left_out[@]}" && suite leaks ;;
    valgrind) run_valgrind ;;
    fuzz) tests/fuzz/run.sh 30 ;;
    alone) build alone ;;
    *) echo "tests/run.sh: no stage is called $1" >&2; return 2 ;;
  esac
}

case "${1:-}" in
  -h | --help) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit ;;
esac
say "packages"
cmake/install-packages.sh build tests
case "${1:-}" in
  long)
    build openmpi
    whole='whole/(sweep|reduction_sweep|simulation|chaos|chaos_threads)_'
    RONDO_TEST_SCALE=${2:-100} ctest --preset openmpi --timeout 100000 \
      -R "^($whole|faces/large_counts_|plugin_(all_|async_)?chaos_)"
    exit
    ;;
  mutants)
    shift
    source cmake/mpi-environment.sh
    exec tests/mutants/run.py "$@"
    ;;
  coverage) run_coverage; exit ;;
  shm) run_shm; exit ;;
  "" | all | quick)
    export RONDO_TEST_SCALE=${RONDO_TEST_SCALE:-0.07}
    left_out=(--label-exclude night)
    openmpi=openmpi-quick mpich=mpich-quick
    cmake/install-packages.sh fuzz # clang
    case "${1:-}" in
      all) set -- openmpi mpich asan fuzz tsan valgrind ;;
      quick) shift ;;
      *) set -- openmpi ;;
    esac
    ;;
esac
failed=() times=()
for name in "$@"; do
  began=$SECONDS
  # One stage that fails does not hide what the others find.
  stage "$name" || failed+=("$name")
  times+=("$(printf '%-9s %s' "$name" "$(minutes $((SECONDS - began)))")")
done
say "done"
printf '%s\n' "${times[@]}" "$(printf '%-9s %s' together "$(minutes $SECONDS)")"
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
