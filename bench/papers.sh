#!/usr/bin/env bash
# Runs what docs/papers.md has of the papers' experiments on simulated machines: writes results/papers/NAME.csv, draws
# docs/plots/papers/NAME.svg and prints the figures that stand on that page.
# Usage: bench/papers.sh [--quick] [NAME...]   (all where no name is given)
#   --quick   small ones, with data that are checked, to results/papers-quick/, which nothing is drawn from on the page
# Two run at a time. Exits 3 where data arrived wrong, or where table 1 is not exact.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=()
folder=results/papers
plots=docs/plots/papers
names=()
for argument in "$@"; do
  case "$argument" in
    --quick) quick=(--quick) folder=results/papers-quick plots=results/papers-quick ;;
    *) names+=("$argument") ;;
  esac
done

cmake/install-packages.sh build bench
source cmake/mpi-environment.sh
build=build/bench-openmpi
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DRONDO_MPI=openmpi -DRONDO_BUILD_BENCH=ON \
  -DRONDO_BUILD_TESTS=OFF -DRONDO_BUILD_EXAMPLES=OFF >/dev/null
cmake --build "$build" --target papers -- --quiet
mkdir -p "$folder"

program=$PWD/$build/bench/papers
if [ ${#names[@]} = 0 ]; then
  mapfile -t names < <(rondo_mpirun openmpi 1 "$program")
fi

status=0
running=0
for name in "${names[@]}"; do
  if [ "$running" = 2 ]; then
    wait -n || status=$?
    running=1
  fi
  rondo_mpirun openmpi 1 "$program" "$folder" ${quick[@]+"${quick[@]}"} "$name" </dev/null >"$folder/$name.txt" 2>&1 &
  running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
  wait -n || status=$?
  running=$((running - 1))
done
for name in "${names[@]}"; do tail -n 1 "$folder/$name.txt"; done
python3 bench/plot/papers.py "$folder" "$plots"
exit "$status"
