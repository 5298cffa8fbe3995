#!/usr/bin/env bash
# Installs a build tree into a temporary prefix and builds consumers against it, outside the tree: in C99 and C++20 through
# find_package and pkg-config. Looks at what a shared library shows.
# Usage: run.sh BUILD_TREE MPIRUN, with CC, CXX, CFLAGS and CXXFLAGS set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$1 mpirun=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cached() { sed -n "s/^$1:[^=]*=//p" "$tree/CMakeCache.txt"; }

# consumer PREFIX COMPONENTS OPTIONS...: configures it, in one tree for all, as a second time takes less
consumer() {
  cmake -S "$here/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$1" -DRONDO_COMPONENTS="$2" -Urondo_DIR "${@:3}"
}
run() { "$mpirun" -np 2 "$@"; }

cmake --install "$tree" --prefix "$work/prefix" >/dev/null
folder=$(dirname "$(find "$work/prefix" -name 'librondo.*' | head -1)")
if [ -e "$folder/librondo.so" ]; then
  "$here/exports.sh" "$folder/librondo.so" "$tree/librondo_inside.a" "$work/prefix/include"
fi
consumer "$work/prefix" "tbb;plugin" >/dev/null
cmake --build "$work/build" >/dev/null
for program in in_c in_cpp in_tbb; do
  run "$work/build/$program"
done
[ -f "$(cat "$work/build/plugin")" ]

# As installed under another prefix than configured: nothing in rondo.pc may be edited. No --static, and with it.
export PKG_CONFIG_PATH=$folder/pkgconfig LD_LIBRARY_PATH=$folder # for a shared library
# shellcheck disable=SC2046,SC2086  # flags are words
for static in "" --static; do
  "$CC" -std=c99 $CFLAGS "$here/consumer/in_c.c" -o "$work/in_c" $(pkg-config --cflags --libs $static rondo)
  "$CXX" -std=c++20 $CXXFLAGS "$here/consumer/in_cpp.cpp" -o "$work/in_cpp" $(pkg-config --cflags --libs $static rondo)
  run "$work/in_c"
  run "$work/in_cpp"
done
unset LD_LIBRARY_PATH

# Users compile with what MPI says and nothing of what Rondo is made with.
for static in "" --static; do
  foreign=$(pkg-config --cflags $static rondo | tr ' ' '\n' | grep -E '^-D.*(SPDLOG|FMT|TBB)' || true)
  [ -z "$foreign" ] || { echo "pkg-config --cflags $static rondo has $foreign"; exit 1; }
done
! grep -rnE '#include.*(spdlog|fmt|nlohmann)' "$work/prefix/include" || exit 1

# An older C++ is one error that says what to do, before any other.
# shellcheck disable=SC2046,SC2086  # flags are words
errors=$("$CXX" -std=c++17 $CXXFLAGS -fsyntax-only -fmax-errors=1 "$here/consumer/in_cpp.cpp" $(pkg-config --cflags rondo) 2>&1 || true)
grep -q "needs C++20: compile with -std=c++20" <<<"$errors" || { echo "C++17 is told: $errors"; exit 1; }

# Components that are not there, and what is said of them.
missing() {
  local said
  if said=$(consumer "$work/prefix" "$1" "${@:3}" 2>&1); then
    echo "find_package(rondo COMPONENTS $1) found them"
    exit 1
  fi
  tr -s ' \n' ' ' <<<"$said" | grep -q "$2" || { echo "of $1 is said: $said"; exit 1; }
}
missing "tbb;threads" "component threads: there is none of that name, only tbb and plugin"
missing tbb "TBB" -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON
rm "$folder"/cmake/rondo/rondo-plugin-targets*.cmake
missing plugin "component plugin: it is not installed beside" -DCMAKE_DISABLE_FIND_PACKAGE_TBB=OFF

# Another name for the folder of libraries, as other systems have it: only the places differ, so nothing is compiled.
cmake -S "$here/../.." -B "$work/lib64" -DCMAKE_INSTALL_LIBDIR=lib64 -DRONDO_MPI="$(cached RONDO_MPI)" \
  -DBUILD_SHARED_LIBS="$(cached BUILD_SHARED_LIBS)" -DRONDO_BUILD_TESTS=OFF -DRONDO_BUILD_EXAMPLES=OFF >/dev/null
cp -a "$tree"/librondo.* "$work/lib64"
cp -a "$tree"/collectives/plugin/{librondo_pmpi.so*,rondo-check-mpi} "$work/lib64/collectives/plugin"
cmake --install "$work/lib64" --prefix "$work/other" >/dev/null
[ -d "$work/other/lib64/cmake" ] && [ "$(ls "$work/other")" = "$(printf 'bin\ninclude\nlib64')" ]
said=$(run "$work/other/bin/rondo-run" "$work/other/bin/rondo-check-mpi" 2>&1) || { echo "rondo-run: $said"; exit 1; }
grep -q "LD_PRELOAD=$work/other/lib64/librondo_pmpi.so" <<<"$said" || { echo "no plug-in: $said"; exit 1; }
consumer "$work/other" "tbb;plugin" -Drondo_DIR="$work/other/lib64/cmake/rondo" >/dev/null # which Debian does not search
cmake --build "$work/build" --target in_c >/dev/null
run "$work/build/in_c"
