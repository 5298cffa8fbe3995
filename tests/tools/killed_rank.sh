#!/usr/bin/env bash
# Rank 1 is killed in mid-exchange: the job must end with an error, its neighbors must report that they wait for it, and
# no process and no shared memory may be left.
# MPICH's launcher ends the other ranks with SIGKILL, which no program can answer: no report there.
# Usage: killed_rank.sh MPIEXEC PROGRAM WAY    of messages: mpi, slots, lanes or claims
set -uo pipefail
shared_memory() { find /dev/shm -mindepth 1 | sort; }
# Segments that were not there before and that no process uses: those of other jobs are in use.
left_behind() {
  comm -13 <(echo "$before") <(shared_memory) | while read -r segment; do
    grep -qsF "$segment" /proc/[0-9]*/maps || [ ! -e "$segment" ] || echo "$segment"
  done
}
before=$(shared_memory)
began=$SECONDS
output=$("$1" -np 4 "$2" "$3" 2>&1)
status=$?
echo "$output"
echo "ended with status $status after $((SECONDS - began)) s"
failed=0
[ "$status" -ne 0 ] || { echo "the job ended well"; failed=1; }
grep -q "\" is not in\$" <<<"$output" && { echo "the messages did not go that way"; failed=1; }
if [[ $1 != *mpich* ]]; then
  grep -q "\[rondo\] rank [0-3]: SIGTERM: in flight:" <<<"$output" || { echo "no rank said what Rondo was doing"; failed=1; }
  grep -q "it is waiting for" <<<"$output" || { echo "no rank said what it waited for"; failed=1; }
  of_rank_1=$(grep -E "\[rondo\] rank [02]:   (receive from|send to) rank 1 \(task " <<<"$output")
  [ -n "$of_rank_1" ] || { echo "no neighbor said that it waited for rank 1"; failed=1; }
  shared=" bytes through shared memory\$"
  if [ "$3" = mpi ]; then
    wrong=$(grep "$shared" <<<"$of_rank_1")
  else
    wrong=$(grep -v "$shared" <<<"$of_rank_1")
  fi
  [ -z "$wrong" ] || { echo "the wrong way: $wrong"; failed=1; }
fi
pgrep -f "^$2 $3\$" && { echo "processes are left"; failed=1; }
left=$(left_behind)
[ -z "$left" ] || { echo "shared memory is left: $left"; failed=1; }
exit $failed
