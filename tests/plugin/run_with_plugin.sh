#!/usr/bin/env bash
# Runs an application with the plug-in in front of MPI, in its ranks only. PLUGIN may go on with other libraries, with
# colons between them. Fails where the application does, where it did not come to its end, or where the plug-in's report
# does not tell of the operation, or of one of several with commas between them. Where that is "none", no report is
# asked for, without which calls that are left to MPI are not looked at twice. Fails also if MPI_Finalize says that
# objects are left; and where RONDO_TRACE names a file that does not have all ranks in it, or in which there are not
# messages "through" RONDO_TEST_THROUGH alone, where that is set.
# Usage: run_with_plugin.sh MPIEXEC RANKS PLUGIN OPERATION COMMAND...
set -uo pipefail
mpiexec=$1 ranks=$2 plugin=$3 operation=$4
shift 4
# A sanitizer's library must come before all others.
preload=$(ldd "${plugin%%:*}" | awk '/lib[at]san/ {printf "%s:", $3}')$plugin
if [[ $("$mpiexec" --version 2>&1) =~ "Open MPI"|OpenRTE ]]; then
  forward=(-x "LD_PRELOAD=$preload")
else
  forward=(-genv LD_PRELOAD "$preload")
fi
# Each in a file of its own: mpirun may pass what one of them says in the middle of a line of the other.
output=$(mktemp) report=$(mktemp)
trap 'rm -f "$output" "$report"' EXIT
[ "$operation" = none ] || export RONDO_REPORT=1
rm -f "${RONDO_TRACE:-}"
"$mpiexec" -np "$ranks" "${forward[@]}" "$@" >"$output" 2>"$report"
status=$?
cat "$output" "$report"
[ "$status" -eq 0 ] || { echo "ended with status $status"; exit "$status"; }
failed=0
if [ -n "${RONDO_TRACE:-}" ]; then
  for ((rank = 0; rank < ranks; ++rank)); do
    grep -q "\"pid\":$rank," "$RONDO_TRACE" || { echo "no rank $rank in $RONDO_TRACE"; failed=1; }
  done
  through=$(grep -oE '"through": ?"[^"]*"' "$RONDO_TRACE" | sed 's/.*"\(.*\)"$/\1/' | sort -u)
  [ "${RONDO_TEST_THROUGH:-$through}" = "$through" ] || { echo "messages went through: $through"; failed=1; }
fi
grep -q "no errors" "$output" || { echo "the application did not say how it ended"; failed=1; }
! grep "leaked" "$report" || failed=1
[ "$operation" = none ] && exit $failed
grep -q "^rondo_pmpi:" "$report" || { echo "the plug-in did not report"; failed=1; }
IFS=, read -ra operations <<<"$operation"
for each in "${operations[@]}"; do
  grep -qE "^ *$each( |:|$)" "$report" || { echo "the plug-in did not report on $each"; failed=1; }
done
exit $failed
