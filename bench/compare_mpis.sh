#!/usr/bin/env bash
# Runs benchmarks under the MPIs of other releases of Debian, each release in a chroot that stays under build/systems,
# and also with settings by which these MPIs choose other algorithms. Prints a table: how many of the figures hold with
# each of them, and the largest ratio that does not. Logs are in results/, by release, MPI, setting and benchmark.
# Needs root. Usage: bench/compare_mpis.sh [BENCHMARK [OPTION...]]      default: plugin --quick
#   RELEASES="trixie forky"   of Debian; SETTINGS="coll_han_priority=100"   of Open MPI, each for runs of their own
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
[ "$(id -u)" -eq 0 ] || { echo "compare_mpis.sh: only root may make a chroot" >&2; exit 2; }
cmake/install-packages.sh systems || exit 2
source cmake/systems.sh

[ $# -gt 0 ] || set -- plugin --quick
mkdir -p results
table=() failed=0

# compare RELEASE MPI SETTING BENCHMARK...
compare() {
  local release=$1 mpi=$2 setting=$3 log=results/$1-$2${3:+-$3}-$4.log
  shift 3
  # shellcheck disable=SC2016  # the inner shell expands these
  inside "$root" bash -c 'cd /rondo; setting=$1 mpi=$2; shift 2
    [ -z "$setting" ] || export "OMPI_MCA_$setting"
    exec bench/run.sh "$@" --mpi "$mpi"' - "$setting" "$mpi" "$@" >"$log" 2>&1
  local status=$?
  [ "$status" -eq 0 ] || failed=1
  table+=("$(awk -v name="$release $mpi ${setting:-}" -v status="$status" '
    / figures hold$/ && $2 == "of" { hold += $1; all += $3 }
    /MISSED$/ && !/, ns more:/ { for (i = 1; i <= NF; ++i) if ($i ~ /^\[/ && $(i - 1) + 0 > worst) { worst = $(i - 1) + 0; line = $0 } }
    END {
      if (status != 0) { printf "%-40s broke off: see the log\n", name; exit }
      sub(/^ *=> /, "", line)
      printf "%-40s %4d of %4d hold%s\n", name, hold, all, line == "" ? "" : "; farthest: " line
    }' "$log")")
  echo "${table[-1]}"
}

for release in ${RELEASES:-trixie forky}; do
  prepare_system "$release" || {
    table+=("$release could not be made: build/systems/$release.log") failed=1
    continue
  }
  for setting in "" ${SETTINGS:-}; do compare "$release" openmpi "$setting" "$@"; done
  compare "$release" mpich "" "$@"
done
printf '%s\n' "${table[@]}"
exit "$failed"
