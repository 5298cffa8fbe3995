#!/usr/bin/env bash
# A program of the MPI that the plug-in was not built for runs without the plug-in, and with it ends at once, with a line
# that says why. Usage: other_mpi.sh MPIEXEC PLUGIN LINE COMMAND..., MPIEXEC the program's
set -uo pipefail
mpiexec=$1 plugin=$2 line=$3
shift 3
bare=$("$mpiexec" -np 2 "$@" 2>&1) || { echo "without the plug-in: $bare"; exit 1; }
with_plugin=$("$(dirname "$0")/run_with_plugin.sh" "$mpiexec" 2 "$plugin" none "$@" 2>&1)
status=$?
echo "$with_plugin"
[ "$status" -ne 0 ] || { echo "it did not fail"; exit 1; }
grep -q "^rondo_pmpi: .*librondo_pmpi.so.* was $line" <<<"$with_plugin" || { echo "it did not say why"; exit 1; }
! grep -q "no errors" <<<"$with_plugin"
