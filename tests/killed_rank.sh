#!/usr/bin/env bash
# A rank is killed in mid-exchange: the job must end with an error and a report, and leave no process and no shared memory.
# MPICH's launcher ends the other ranks with SIGKILL, which no program can answer: no report there.
# Usage: killed_rank.sh MPIEXEC PROGRAM
set -uo pipefail
shared_memory() { find /dev/shm -mindepth 1 | sort; }
before=$(shared_memory)
began=$SECONDS
output=$("$1" -np 4 "$2" 2>&1)
status=$?
echo "$output"
echo "ended with status $status after $((SECONDS - began)) s"
failed=0
[ "$status" -ne 0 ] || { echo "the job ended well"; failed=1; }
if [[ $1 != *mpich* ]]; then
  grep -q "\[rondo\] rank [0-3]: SIGTERM: in flight:" <<<"$output" || { echo "no rank said what Rondo was doing"; failed=1; }
  grep -q "it waits for" <<<"$output" || { echo "no rank said what it waited for"; failed=1; }
fi
pgrep -f "^$2" && { echo "processes are left"; failed=1; }
[ "$before" = "$(shared_memory)" ] || { echo "shared memory is left:"; diff <(echo "$before") <(shared_memory); failed=1; }
exit $failed
