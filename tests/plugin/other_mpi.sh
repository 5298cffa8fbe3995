#!/usr/bin/env bash
# Under the MPI that the plug-in was not built for, a program that is linked with it ("goes_on") does the same with the
# plug-in as without, and one that loads it late ("ends") ends, with a line that says why.
# Usage: other_mpi.sh goes_on|ends MPIEXEC PLUGIN LINE COMMAND..., MPIEXEC the program's
set -uo pipefail
expected=$1 mpiexec=$2 plugin=$3 line=$4
shift 4
bare=$("$mpiexec" -np 2 "$@" 2>&1) || { echo "without the plug-in: $bare"; exit 1; }
with_plugin=$("$(dirname "$0")/run_with_plugin.sh" "$mpiexec" 2 "$plugin" none "$@" 2>&1)
status=$?
echo "$with_plugin"
lines=$(grep -c "^rondo_pmpi: .*librondo_pmpi.so.* was $line" <<<"$with_plugin")
if [ "$expected" = goes_on ]; then
  [ "$status" -eq 0 ] && grep -q "no errors" <<<"$with_plugin" || { echo "it did not go on"; exit 1; }
  [ "$lines" -eq 1 ] || { echo "$lines ranks said why, not one"; exit 1; }
else
  [ "$status" -ne 0 ] && ! grep -q "no errors" <<<"$with_plugin" || { echo "it did not fail"; exit 1; }
  [ "$lines" -gt 0 ] || { echo "it did not say why"; exit 1; }
fi
