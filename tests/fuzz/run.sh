#!/usr/bin/env bash
# Builds the fuzzers with clang and runs each for a while, from the corpus in the tree and on.
# Usage: tests/fuzz/run.sh [SECONDS [NAME...]]     default: 60 seconds, all of them
#        tests/fuzz/run.sh --merge DIRECTORY NAME  takes what DIRECTORY has that covers more into the corpus
# An input that fails is kept in build/fuzz/NAME-...; run the fuzzer on that file to see it again.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake/install-packages.sh build fuzz
source cmake/mpi-environment.sh
source cmake/progress.sh
say "fuzz: compiling"
configure --preset fuzz
compile --preset fuzz -j "$(nproc)"
export ASAN_OPTIONS=detect_leaks=0
if [ "${1:-}" = --merge ]; then
  "build/fuzz/tests/fuzz/fuzz_$3" -set_cover_merge=1 "tests/fuzz/corpus/$3" "$2"
  exit
fi
seconds=${1:-60}
shift || true
status=0
for name in ${*:-builder flatten neighborhood}; do
  echo "== fuzz $name, $seconds s"
  mkdir -p "build/fuzz/found/$name"  # what is found goes there, not into the tree
  "build/fuzz/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=256 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="build/fuzz/$name-" "build/fuzz/found/$name" "tests/fuzz/corpus/$name" >"build/fuzz/$name.log" 2>&1 ||
    { status=1; tail -40 "build/fuzz/$name.log"; }
  grep -E 'does not hold|number_of_executed|written to' "build/fuzz/$name.log" || status=1
done
exit $status
