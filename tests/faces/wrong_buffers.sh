#!/usr/bin/env bash
# What the compiler says where a buffer is not one: per call, an error that names what buffers are, and with GCC no more
# than ten lines.
# Usage: wrong_buffers.sh COMPILER OPTION...     the options find the headers of Rondo and of MPI
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/program.cpp" <<'CPP'
#include <rondo/rondo.hpp>

#include <list>
#include <vector>

void call(rondo::Comm& comm, rondo::CartComm& cart, std::list<int> list, std::vector<int> ints,
          std::vector<double> doubles, const std::vector<int> constant) {
  comm.alltoall(list, ints);
  comm.alltoall(ints, doubles);
  comm.alltoall<int>(list, doubles);
  comm.allgather(ints, constant, 1);
  static_cast<void>(comm.ialltoall(std::vector<int>(3), ints));
  cart.alltoall(ints, doubles);
  static_cast<void>(cart.alltoall_init(std::vector<int>(3), ints));
}
CPP
calls=7
said=$("$@" -std=c++20 -fsyntax-only "$folder/program.cpp" 2>&1) && { echo "it compiles"; exit 1; }
echo "$said"
errors=$(grep -c "error: " <<<"$said")
[ "$errors" -eq "$calls" ] || { echo "$errors errors for $calls calls"; exit 1; }
named=$(grep -cE "^ *[0-9|]* *(\| +)?BuffersAreContiguousRanges" <<<"$said")
[ "$named" -eq "$calls" ] || { echo "$named of $calls errors say what buffers are"; exit 1; }
if "$1" --version | grep -q "Free Software"; then
  lines=$(wc -l <<<"$said")
  [ "$lines" -le $((10 * calls)) ] || { echo "$lines lines for $calls calls"; exit 1; }
fi
