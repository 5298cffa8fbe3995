#!/usr/bin/env bash
# A test: run-stencil.sh shows every line that the program itself says about its arguments.
# Usage: check_help.sh COMMAND...    that starts the program
set -euo pipefail
expected=$("$@" --help | sed '1,/^$/d')
shown=$("$(dirname "$0")/../run-stencil.sh" --help)
if [ -z "$expected" ] || [[ "$shown" != *"$expected" ]]; then
  printf 'the program says\n%s\nand the script\n%s\n' "$expected" "$shown"
  exit 1
fi
