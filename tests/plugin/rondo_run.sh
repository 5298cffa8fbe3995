#!/usr/bin/env bash
# rondo-run in front of a program and of its launcher, with programs of the plug-in's MPI, of no MPI and of another one.
# Usage: rondo_run.sh RONDO_RUN MPIEXEC PROGRAM OTHER_PROGRAM, of which PROGRAM prints LD_PRELOAD and "no errors"
set -uo pipefail
run=$1 mpiexec=$2 program=$3 other=$4
failed=0
# expect PATTERN LINES COMMAND...: the output has so many lines with the pattern
expect() {
  local pattern=$1 lines=$2 output
  shift 2
  output=$("$@" 2>&1)
  [ "$(grep -cE "$pattern" <<<"$output")" -eq "$lines" ] && return
  echo "not $lines lines with \"$pattern\" from: $*"
  echo "$output"
  failed=1
}
export RONDO_PMPI=all
preloaded="ranks, LD_PRELOAD=.*librondo_pmpi|no errors"
expect "$preloaded|^rondo-run: $program runs with" 3 "$mpiexec" -np 2 "$run" "$program"
expect "$preloaded|^rondo-run: programs of $mpiexec run with" 3 "$run" "$mpiexec" -np 2 "$program"
# The launcher of Open MPI 5.0.7 crashes if it is given two programs.
if "$mpiexec" -np 1 true : -np 1 true >/dev/null 2>&1; then
  expect "$preloaded" 2 "$run" "$mpiexec" -np 1 "$program" : -np 1 bash -c "$program"
fi
expect "rondo-run: true is not linked with an MPI" 1 "$mpiexec" -np 2 "$run" true
expect "^one two  three$" 1 "$run" printf '%s %s\n' one "two  three"
expect "rondo-run: nothing-of-this-name is not linked|not found" 2 "$run" nothing-of-this-name
[ ! -e "$other" ] || expect "rondo-run: $other is linked with libmpi.*, the plug-in with libmpi" 1 "$run" "$other"
expect "Usage:" 1 "$run" --help
"$run" false 2>/dev/null && { echo "the exit status is lost"; failed=1; }
exit $failed
