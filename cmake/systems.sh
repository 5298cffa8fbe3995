# Sourced by scripts of root: other releases of Debian, each in a chroot under build/systems, which stays there.

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
  mkdir -p "$1/rondo" && find "$1/rondo" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} + &&
    git ls-files -z | tar --null --files-from=- -c | tar -x -C "$1/rondo"
}

# prepare_system RELEASE: sets `root` to a chroot of that release with Rondo's source in /rondo. The lists of a release
# that is not out yet are valid for days only, and a mirror's may be older.
prepare_system() {
  root=$PWD/build/systems/$1
  mkdir -p build/systems
  make_root "$1" "$root" && copy_source "$root" &&
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99old-mirrors"
}
