#!/usr/bin/env bash
# A launcher of compilers, for the preset alone: checks a file without making code of it, which takes half the time, and
# leaves an object without code.
set -euo pipefail
"$@" -fsyntax-only
while [ $# -gt 1 ]; do
  if [ "$1" = -o ]; then exec as -o "$2" /dev/null; fi
  shift
done
