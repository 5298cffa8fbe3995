#!/usr/bin/env bash
# The library itself on clusters that SimGrid's SMPI simulates, beside our own simulation of them: bench/run.sh smpi.
# Usage: bench/smpi/run.sh [--check] [--quick]
#        bench/smpi/run.sh --on "PLATFORM NETWORK NODES RANKS [CHANGE...]" [options of bench/smpi/points.hpp]
#   PLATFORM  one-switch, fat-tree, torus, slim-fly
#   NETWORK   omni-path, fdr-infiniband
#   CHANGE    free-receives, no-gaps, wide-links: bench/smpi/machine_of_run.hpp
# Exit 0 without doing anything where SimGrid is missing and cannot be installed.
set -euo pipefail
cd "$(dirname "$0")/../.."

cmake/install-packages.sh build
if ! command -v smpirun >/dev/null && ! cmake/install-packages.sh smpi; then
  echo "smpi: skipped, as SimGrid is not here (Debian: libsimgrid-dev)"
  exit 0
fi

build=build/smpi
# -fno-gnu-unique: variables of inline functions would be one and the same for all ranks.
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DRONDO_BUILD_SMPI=ON -DRONDO_BUILD_TESTS=OFF \
  -DRONDO_BUILD_EXAMPLES=OFF -DRONDO_BUILD_PLUGIN=OFF -DCMAKE_C_COMPILER=smpicc -DCMAKE_CXX_COMPILER=smpicxx \
  -DMPI_C_COMPILER=smpicc -DMPI_CXX_COMPILER=smpicxx \
  -DCMAKE_CXX_FLAGS="-include $PWD/bench/smpi/compatible.h -DSMPI_NO_OVERRIDE_MALLOC -fno-gnu-unique" >/dev/null
cmake --build "$build" --target smpi smpi_platform -- --quiet

mkdir -p results
csv=results/smpi.csv
echo "platform,network,ranks,nodes,mapping,collective,bytes,algorithm,SMPI us,LogGP us,ratio,data" >"$csv"
hosts=$(mktemp)
trap 'rm -f "$hosts"' EXIT

# simulate "PLATFORM NETWORK NODES RANKS" OPTIONS...
simulate() {
  local nodes ranks on_each rank
  read -r _ _ nodes ranks _ <<<"$1"
  on_each=$(((ranks + nodes - 1) / nodes))
  for ((rank = 0; rank < ranks; rank++)); do echo "n$((rank / on_each))"; done >"$hosts"
  # Time passes in messages and where the program says so. Ranks poll nowhere but in collectives at setup.
  SIMULATED_MACHINE=$1 RONDO_SIGNALS=off RONDO_SHM=off smpirun -np "$ranks" -platform "$build/bench/smpi/libsmpi_platform.so" \
    -hostfile "$hosts" --log=root.thresh:warning --cfg=smpi/privatization:dlopen --cfg=smpi/simulate-computation:no \
    --cfg=smpi/host-speed:1Gf --cfg=smpi/wtime:0 --cfg=smpi/test:1e-7 --cfg=smpi/iprobe:1e-7 \
    --cfg=smpi/grow-injected-times:no --cfg=surf/precision:1e-12 "$build/bench/smpi/smpi" "$csv" "${@:2}"
}

if [ "${1-}" = --on ]; then
  simulate "$2" "${@:3}"
  exit
fi
check=no
quick=()
for option in "$@"; do
  case "$option" in
    --check) check=yes ;;
    --quick) quick=(--quick) ;;
    *) echo "smpi: $option: is not known" >&2; exit 2 ;;
  esac
done
for platform in one-switch fat-tree torus; do
  simulate "$platform omni-path 64 64" ${quick[@]+"${quick[@]}"}
  simulate "$platform omni-path 64 64 free-receives" --collective dense --bytes 4096 --algorithms scatter
done
if [ ${#quick[@]} -eq 0 ]; then
  # As many nodes and ranks as the Cartesian collectives' paper has, and the randomized alltoall's network.
  for platform in fat-tree torus; do
    for neighborhood in 9-point 27-point; do
      simulate "$platform omni-path 36 1152" --collective $neighborhood --bytes 8,512 --algorithms direct,combining
    done
  done
  simulate "fat-tree omni-path 36 1152 no-gaps" --collective 9-point --bytes 8,512 --algorithms direct,combining
  for change in "" wide-links "wide-links free-receives"; do
    simulate "slim-fly fdr-infiniband 50 50 $change" --collective dense --bytes 8192 \
      --algorithms pairwise,windowed:8,randomized:8,direct
  done
fi

# At 64 ranks the two must agree, of scatter only where receives are free: docs/benchmark-tables.md says why.
missed=$(awk -F, 'NR > 1 && $(NF - 9) == 64 && ($(NF - 1) > 1.15 || 1.15 * $(NF - 1) < 1) &&
  ($(NF - 4) != "scatter" || /free-receives/)' "$csv")
if [ -z "$missed" ]; then
  echo "all figures hold"
else
  echo "figures that do not hold:"
  echo "$missed"
  [ "$check" = no ] || exit 1
fi
