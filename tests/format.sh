#!/usr/bin/env bash
# Says which files that git knows are not formatted as .clang-format says. Usage: format.sh CLANG_FORMAT
set -euo pipefail
cd "$(dirname "$0")/.."
git rev-parse --git-dir >/dev/null 2>&1 || { echo "not a git checkout: skipped"; exit 77; }
git ls-files '*.cpp' '*.hpp' '*.h' '*.c' | xargs "$1" --dry-run --Werror
