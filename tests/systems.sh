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

# inside ROOT COMMAND...: with devices, processes and network of this machine; what is mounted goes with the command.
inside() {
  # shellcheck disable=SC2016  # the inner shell expands these
  unshare --mount bash -c 'root=$1; shift
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount -t sysfs sys "$root/sys" &&
      cp /etc/resolv.conf "$root/etc/resolv.conf" && exec chroot "$root" "$@"' - "$@"
}

# make_root RELEASE ROOT: under another name until it is whole. All releases are made in the same way.
make_root() {
  [ -d "$2" ] && return
  rm -rf "$2.part"
  mkdir -p "$2.part"
  debootstrap --variant=minbase --include=ca-certificates "$1" "$2.part" http://deb.debian.org/debian \
    /usr/share/debootstrap/scripts/sid >"$2.log" 2>&1 && mv "$2.part" "$2"
}

# copy_source ROOT: files keep their times, so that what was built before is used again.
copy_source() {
  mkdir -p "$1/rondo" && git ls-files -z | tar --null --files-from=- -c | tar -x -C "$1/rondo"
}

mkdir -p build/systems
table=() failed=0
[ $# -gt 0 ] || set -- trixie forky
for release in "$@"; do
  root=$PWD/build/systems/$release
  outcome=passed
  if ! make_root "$release" "$root" || ! copy_source "$root"; then
    outcome="could not be made: $root.log"
  else
    # shellcheck disable=SC2086  # words
    inside "$root" bash -c 'cd /rondo && tests/run.sh "$@"' - ${STAGES:-quick openmpi mpich} 2>&1 | tee "$root.log"
    [ "${PIPESTATUS[0]}" -eq 0 ] || outcome="failed: $root.log"
  fi
  [ "$outcome" = passed ] || failed=1
  table+=("$(printf '%-10s %s' "$release" "$outcome")")
done
printf '%s\n' "${table[@]}"
exit "$failed"
