#!/usr/bin/env bash
# Installs a build tree into a temporary prefix and builds consumers against it, outside the tree: in C99 and C++20 through
# find_package, in C++20 through pkg-config. Usage: run.sh BUILD_TREE MPIRUN
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$1" --prefix "$work/prefix" >/dev/null
cmake -S "$here/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/build" >/dev/null
for program in in_c in_cpp; do
  "$2" -np 2 "$work/build/$program"
done

pc=$(find "$work/prefix" -name rondo.pc)
sed -i "s|^prefix=.*|prefix=$work/prefix|" "$pc"
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$pc")
# shellcheck disable=SC2046  # flags are words
g++ -std=c++20 "$here/consumer/in_cpp.cpp" -o "$work/by_pkg_config" $(pkg-config --cflags --libs --static rondo)
"$2" -np 2 "$work/by_pkg_config"
