#!/usr/bin/env bash
# Builds the fuzzers with clang and runs all at once for a while, from the corpus in the tree and on.
# Usage: tests/fuzz/run.sh [SECONDS [NAME...]]     default: 60 seconds, all of them
#        tests/fuzz/run.sh --merge [DIRECTORY NAME] leaves in the corpus what adds coverage, after taking in DIRECTORY
# An input that fails is kept in build/asan/NAME-...; run the fuzzer on that file to see it again.
set -euo pipefail
cd "$(dirname "$0")/../.."
names="builder flatten neighborhood"
packed=$PWD/tests/fuzz/corpus.tar.gz
cmake/install-packages.sh build fuzz
source cmake/mpi-environment.sh
source cmake/progress.sh
say "fuzz: compiling"
configure --preset asan
compile --preset asan -j "$(nproc)" --target fuzz
cd build/asan
rm -rf corpus
tar -xzf "$packed"
export ASAN_OPTIONS=detect_leaks=0
if [ "${1:-}" = --merge ]; then
  [ $# -lt 3 ] || cp "$2"/* "corpus/$3"
  mv corpus all
  for name in $names; do
    mkdir -p "corpus/$name"
    "tests/fuzz/fuzz_$name" -merge=1 "corpus/$name" "all/$name" >"$name.log" 2>&1 || { tail -40 "$name.log"; exit 1; }
    echo "$name: $(find "all/$name" -type f | wc -l) inputs, $(find "corpus/$name" -type f | wc -l) add coverage"
  done
  rm -r all
  # The same inputs make the same archive.
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - corpus | gzip -n9 >"$packed"
  exit
fi
seconds=${1:-60}
shift || true
say "fuzz: ${*:-$names}, $seconds s"
declare -A runs
for name in ${*:-$names}; do
  mkdir -p "found/$name"  # what is found goes there, not into the tree
  "tests/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=256 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$name-" "found/$name" "corpus/$name" >"$name.log" 2>&1 &
  runs[$name]=$!
done
status=0
for name in "${!runs[@]}"; do
  wait "${runs[$name]}" || { status=1; tail -40 "$name.log"; }
  echo "$name:"
  grep -E 'does not hold|number_of_executed|written to' "$name.log" || status=1
done
exit $status
