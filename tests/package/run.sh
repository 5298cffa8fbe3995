#!/usr/bin/env bash
# Installs a build tree into a temporary prefix and builds consumers against it, outside the tree: in C99 and C++20 through
# find_package and pkg-config. Looks at what a shared library shows.
# Usage: run.sh BUILD_TREE MPIRUN, with CC, CXX, CFLAGS and CXXFLAGS set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$1" --prefix "$work/prefix" >/dev/null
shared=$(find "$work/prefix" -name librondo.so)
if [ -n "$shared" ]; then
  "$here/exports.sh" "$shared" "$1/librondo_inside.a" "$work/prefix/include"
fi
cmake -S "$here/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/build" >/dev/null
for program in in_c in_cpp in_tbb; do
  "$2" -np 2 "$work/build/$program"
done

# As installed under another prefix than configured: nothing in rondo.pc may be edited. No --static, and with it.
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name rondo.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") # for a shared library
export PKG_CONFIG_PATH LD_LIBRARY_PATH
# shellcheck disable=SC2046,SC2086  # flags are words
for static in "" --static; do
  "$CC" -std=c99 $CFLAGS "$here/consumer/in_c.c" -o "$work/in_c" $(pkg-config --cflags --libs $static rondo)
  "$CXX" -std=c++20 $CXXFLAGS "$here/consumer/in_cpp.cpp" -o "$work/in_cpp" $(pkg-config --cflags --libs $static rondo)
  "$2" -np 2 "$work/in_c"
  "$2" -np 2 "$work/in_cpp"
done

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
