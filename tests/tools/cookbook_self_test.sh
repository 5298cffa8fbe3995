#!/usr/bin/env bash
# Breaks copies of the cookbook in one way each, and looks whether tests/cookbook.sh --check says so.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
wrong=0

fresh_copy() {
  rm -rf docs examples
  mkdir docs examples
  cp "$root/docs/cookbook.md" docs
  cp -r "$root/examples/cookbook" examples
}

# The check of the copy, as it is now, fails and says this.
must_say() {
  local said
  if said=$("$root/tests/cookbook.sh" --check "$scratch" 2>&1) || ! grep -qF -- "$1" <<<"$said"; then
    printf 'after "%s" the check must fail and say "%s"; it says:\n%s\n' "$2" "$1" "$said"
    wrong=1
  fi
}

fresh_copy
echo '/* changed */' >>examples/cookbook/isend_irecv/after.c
must_say "docs/cookbook.md is out of date" "a program changed"
"$root/tests/cookbook.sh" --update "$scratch"
"$root/tests/cookbook.sh" --check "$scratch" || { echo "--update did not mend the page"; wrong=1; }

fresh_copy
printf '%0121d\n' 0 >>docs/cookbook.md
must_say "121 characters, at most 120" "a long line"

fresh_copy
mkdir examples/cookbook/forgotten
echo 'int main() {}' >examples/cookbook/forgotten/before.c
must_say "examples/cookbook/forgotten/before.c is not in docs/cookbook.md" "a program that the page does not show"

fresh_copy
seq -f '/* line %g */' 60 >>examples/cookbook/isend_irecv/after.c
must_say "examples/cookbook/isend_irecv/after.c has more than 60 lines" "a long program"

fresh_copy
sed -i '/^<!-- end of diff -->$/d' docs/cookbook.md
must_say 'no line "<!-- end of diff -->"' "a difference without an end"

fresh_copy
rm examples/cookbook/isend_irecv/after.c
must_say "examples/cookbook/isend_irecv/after.c: No such file" "a program that went"

exit "$wrong"
