#!/usr/bin/env bash
# Makes Debian packages of a build tree, installs them in an empty root, and builds and runs a program there, with and
# without the plug-in. Usage: debian.sh BUILD_TREE MPIRUN, with CC and CFLAGS set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$1 mpirun=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cpack --config "$tree/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cd "$work"
packages=(*.deb)
printf '%s\n' "${packages[@]}"
[ -e rondo-*-plugin_*.deb ] && [ -e librondo-*-dev_*.deb ]

# Every dependency is a package of this machine, where all of them work, or one of these.
there=$(
  for package in "${packages[@]}"; do dpkg-deb -f "$package" Package; done
  dpkg-query -W -f '${Package}, ${Provides}\n' | sed 's/([^)]*)//g' | tr ', ' '\n\n'
)
for package in "${packages[@]}"; do
  depends=$(dpkg-deb -f "$package" Depends)
  echo "$package needs $depends"
  [ -n "$depends" ]
  for name in $(sed 's/([^)]*)//g; s/|[^,]*//g' <<<"$depends" | tr ',' ' '); do
    grep -qx "$name" <<<"$there" || { echo "there is no package $name"; exit 1; }
  done
done
grep -q "libstdc++6" <<<"$(dpkg-deb -f rondo-*-plugin_*.deb Depends)"
grep -qE "mpi" <<<"$(dpkg-deb -f rondo-*-plugin_*.deb Depends)"

# No file is in two of them, and all are in an empty root.
for package in "${packages[@]}"; do
  dpkg-deb --fsys-tarfile "$package" | tar -t | grep -v '/$'
  dpkg-deb -x "$package" "$work/root"
done | sort >files
[ -z "$(uniq -d files)" ] || { echo "in two packages:"; uniq -d files; exit 1; }
[ "$(grep -c /copyright files)" -eq ${#packages[@]} ]

PKG_CONFIG_PATH=$(dirname "$(find "$work/root" -name rondo.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH
# shellcheck disable=SC2046,SC2086  # flags are words
"$CC" -std=c99 $CFLAGS "$here/consumer/in_c.c" -o "$work/in_c" $(pkg-config --cflags --libs rondo)
"$mpirun" -np 2 "$work/in_c"
plugin=$(find "$work/root" -name librondo_pmpi.so)
"$here/../plugin/run_with_plugin.sh" "$mpirun" 2 "$plugin" none sh -c "$work/in_c && echo no errors"
