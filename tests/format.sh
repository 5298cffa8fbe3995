#!/usr/bin/env bash
# Says which files that git knows are not formatted as .clang-format says. Usage: format.sh CLANG_FORMAT
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files '*.cpp' '*.hpp' '*.h' '*.c' | xargs "$1" --dry-run --Werror
