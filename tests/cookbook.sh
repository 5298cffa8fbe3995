#!/usr/bin/env bash
# Writes how the programs of examples/cookbook differ into docs/cookbook.md, each difference below a line
# "<!-- diff FOLDER/OLD FOLDER/NEW -->", or checks that the page has them and that page and programs are short enough.
# Usage: tests/cookbook.sh --check|--update [CHECKOUT]
set -euo pipefail
cd "${2:-$(dirname "$0")/..}"
page=docs/cookbook.md
programs=examples/cookbook
end='<!-- end of diff -->'
wrong=0

complain() {
  echo "$1" >&2
  wrong=1
}

# The page with all differences made anew.
written_page() {
  local line old new inside=
  while IFS= read -r line; do
    if [ "$line" = "$end" ]; then inside=; fi
    if [ -z "$inside" ]; then printf '%s\n' "$line"; fi
    if [[ $line =~ ^'<!-- diff '([^ ]+)' '([^ ]+)' -->'$ ]]; then
      inside=$line
      old=${BASH_REMATCH[1]} new=${BASH_REMATCH[2]}
      echo '```diff'
      diff -U3 --suppress-blank-empty --label "$old" --label "$new" "$programs/$old" "$programs/$new" || [ $? -eq 1 ]
      echo '```'
    fi
  done <"$page"
  if [ -n "$inside" ]; then
    echo "$page: no line \"$end\" after \"$inside\"" >&2
    return 1
  fi
}

check() {
  local file
  diff -u "$page" "$1" || complain "$page is out of date: tests/cookbook.sh --update"
  awk -v page="$page" 'length > 120 { print page ":" NR ": " length " characters, at most 120"; found = 1 }
                       END { exit found }' "$page" || wrong=1
  for file in "$programs"/*/*; do
    grep -q "^<!-- diff .*\<${file#"$programs/"}\>" "$page" || complain "$file is not in $page"
    [ "$(wc -l <"$file")" -le 60 ] || complain "$file has more than 60 lines"
  done
}

scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
case "${1:-}" in
  --check)
    written_page >"$scratch"
    check "$scratch"
    exit "$wrong"
    ;;
  --update)
    written_page >"$scratch"
    cat "$scratch" >"$page"
    ;;
  *)
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
