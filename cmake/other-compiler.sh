#!/usr/bin/env bash
# A launcher of compilers: has another one do what CMake's was to do, with the same options.
# Usage: other-compiler.sh COMPILER CMAKES_COMPILER OPTIONS...
set -euo pipefail
compiler=$1
shift 2
for option in "$@"; do
  # A precompiled header of the last build would be read where it is made anew.
  case "$option" in *.gch) rm -f "$option" ;; esac
done
exec "$compiler" "$@"
