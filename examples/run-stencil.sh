#!/usr/bin/env bash
# Builds what the stencil example needs, and runs it: see usage below, or --help.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/examples
source "$root/cmake/progress.sh"

usage() {
  cat <<'END'
usage: examples/run-stencil.sh [--ranks N] [INPUT [options]]

Builds the stencil example as far as that is not done, and runs it. Without INPUT: diffusion and Life on
a gray image, then diffusion on a small image in color, where the halo weighs more; pictures in results/.

  --ranks N            processes (default: one for each core, at most 4)
END
  # The program's own text, out of its source: nothing is built for it.
  sed -n '/^  INPUT /,/^)"/{/^)"/!p}' "$root/examples/stencil/arguments.cpp"
}

# Physical cores that this process may use; two hardware threads of one core are slower than one.
cores() {
  local ranges range cpu topology quota period count
  ranges=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
  count=$(
    for range in ${ranges//,/ }; do
      for ((cpu = ${range%-*}; cpu <= ${range#*-}; cpu++)); do
        topology=/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list
        if [ -r "$topology" ]; then cat "$topology"; else echo "$cpu"; fi
      done
    done | sort -u | wc -l
  )
  # A container may have the time of fewer.
  if read -r quota period 2>/dev/null </sys/fs/cgroup/cpu.max && [ "$quota" != max ]; then
    [ $((quota / period)) -ge "$count" ] || count=$((quota / period))
  fi
  echo $((count > 0 ? count : 1))
}

ranks=
arguments=()
while [ $# -gt 0 ]; do
  case "$1" in
    --help) usage; exit ;;
    --ranks)
      if ! [[ ${2:-} =~ ^[1-9][0-9]*$ ]]; then
        echo "run-stencil.sh: --ranks: is \"${2:-}\", must be a number of at least 1" >&2
        exit 2
      fi
      ranks=$2
      shift
      ;;
    *) arguments+=("$1") ;;
  esac
  shift
done

cores=$(cores)
[ -n "$ranks" ] || ranks=$((cores < 4 ? cores : 4))

say "packages"
"$root/cmake/install-packages.sh" build
say "configuring"
configure -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DRONDO_MPI=openmpi -DRONDO_BUILD_TESTS=OFF \
  -DRONDO_BUILD_PLUGIN=OFF -DRONDO_BUILD_BENCH=OFF
say "compiling $(ninja -C "$build" -t commands stencil | grep -c -- ' -c ') files, but for those that are up to date"
compile "$build" --target stencil
source "$root/cmake/mpi-environment.sh"
# Unbound, two ranks were seen to take turns, as on one core, where a step takes twice as long.
[ "$ranks" -gt "$cores" ] || export OMPI_MCA_hwloc_base_binding_policy=core:if-supported \
  PRTE_MCA_hwloc_default_binding_policy=core:if-supported PRTE_MCA_bindto=core:if-supported
run() { rondo_mpirun openmpi "$ranks" "$build/examples/stencil" "$@"; }

say "running on $ranks rank$([ "$ranks" -eq 1 ] || echo s), with $cores core$([ "$cores" -eq 1 ] || echo s)"
if [ ${#arguments[@]} -gt 0 ]; then
  run "${arguments[@]}"
  exit
fi
data=$root/examples/data
mkdir -p "$root/results"
cd "$root"
run "$data/sample.pgm" --kernel diffusion --steps 500 --pictures results/diffusion
run "$data/sample.pgm" --kernel life --steps 500 --pictures results/life
run "$data/sample.ppm" --kernel diffusion --steps 500 --pictures results/color
say "done"
