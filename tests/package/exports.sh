#!/usr/bin/env bash
# Looks at what a shared library shows: all of the interface and nothing of the inside.
# Usage: exports.sh SHARED_LIBRARY ARCHIVE INCLUDE_FOLDER, the archive with the same objects, whose symbols are all there
set -euo pipefail
shared=$1 archive=$2 include=$3
failed=0
complain() { [ -z "$2" ] || { echo "$1:"; printf '%s\n' "$2"; failed=1; }; }

# Names without arguments and ABI tags: rondo::Comm::rank
names() { sed -E 's/\[abi:[a-z0-9]+\]//g; s/\(.*//' | sort -u; }
shown=$(nm -D --defined-only --format=posix "$shared" | sed -E 's/@.*//; s/ .*//' | grep -vx 'RONDO_[0-9.]*' | c++filt)
of_c=$(sed -n '/^Rondo_/p' <<<"$shown" | sort -u)
of_cpp=$(sed -nE 's/^((vtable|typeinfo( name)?) for )?(rondo::)/\4/p' <<<"$shown" | names)

complain "shown, and neither Rondo_... nor rondo::..." \
  "$(grep -vE '^(Rondo_|((vtable|typeinfo( name)?) for )?rondo::)' <<<"$shown" || true)"
complain "shown, of the inside" "$(grep internal <<<"$of_cpp" || true)"
complain "C functions: > shown, and in no public header; < the other way round" \
  "$(diff <(cat "$include"/rondo/*.h "$include"/rondo/*/*.h | grep -oE '\bRondo_[A-Za-z_]+\(' | tr -d '(' | sort -u) <(echo "$of_c") | grep '^[<>]' || true)"
# Of a destructor the name is the class's; rondo, twice in rondo::tbb::..., is no word of a header's own.
public=$(cat "$include"/rondo/*.hpp "$include"/rondo/*/*.hpp | grep -oE '\w+' | sort -u)
complain "C++ names that are in no public header" \
  "$(tr -s ':~ ' '\n' <<<"$of_cpp" | grep -E '^[A-Za-z_]\w*$' | sort -u | comm -23 - <(echo "$public"))"
complain "C++ functions that are not shown" \
  "$(nm -C --defined-only "$archive" 2>/dev/null | sed -nE 's/^[0-9a-f]+ T (rondo::.*)/\1/p' | grep -v '^rondo::internal::' | names |
    comm -23 - <(echo "$of_cpp"))"
[ "$(wc -l <<<"$of_c")" -ge 100 ] && [ "$(wc -l <<<"$of_cpp")" -ge 50 ] || { echo "there is too little to look at"; failed=1; }
exit $failed
