#!/usr/bin/env bash
# Builds and tests Rondo in other releases of Debian, with their compilers, Open MPI and MPICH: runs tests/run.sh quick
# (or what STAGES names) in a chroot for each, which it makes under build/systems and keeps. Prints a table of what
# failed. Needs root, and debootstrap, which it installs; some 3 GiB and half an hour for each. For a night.
# Usage: tests/systems.sh [RELEASE...]          default: trixie forky
#        STAGES="openmpi" tests/systems.sh trixie
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
[ "$(id -u)" -eq 0 ] || { echo "systems.sh: only root may make a chroot" >&2; exit 2; }
cmake/install-packages.sh systems || exit 2
source cmake/systems.sh

# What hangs in these versions of Open MPI without Rondo, too: MPI_Comm_spawn in a chroot in 5.0.7, messages of several
# threads in 6.0.0rc2.
declare -A broken=([trixie]='^plugin_worlds_' [forky]='threads_[2-9]$')
table=() failed=0
[ $# -gt 0 ] || set -- trixie forky
for release in "$@"; do
  outcome=passed
  if ! prepare_system "$release"; then
    outcome="could not be made: $root.log"
  else
    # shellcheck disable=SC2086  # words
    BROKEN_IN_OPENMPI=${broken[$release]-} inside "$root" bash -c 'cd /rondo && tests/run.sh "$@"' - \
      ${STAGES:-quick openmpi mpich} 2>&1 | tee "$root.log"
    [ "${PIPESTATUS[0]}" -eq 0 ] || outcome="failed: $root.log"
  fi
  [ "$outcome" = passed ] || failed=1
  table+=("$(printf '%-10s %s' "$release" "$outcome")")
done
printf '%s\n' "${table[@]}"
exit "$failed"
