# Sourced by the scripts: what they say of their progress.

# minutes SECONDS: "3:07".
minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# say WORDS...: a stage begins; with the time since the script's start.
say() { printf '== %s  %s\n' "$(minutes $SECONDS)" "$*"; }

# configure ARGUMENTS of cmake...: its output is shown where it fails.
configure() {
  local log
  log=$(mktemp)
  cmake "$@" >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; return 1; }
  rm -f "$log"
}

# Of ninja's lines one for every tenth of the work; what compilers say as it is.
show_tenths() {
  awk '/^ *\[[0-9]+ of [0-9]+\] / {
         split($0, number, /[^0-9]+/)
         tenth = int(10 * number[2] / number[3])
         if (tenth != last) printf "   %d of %d\n", number[2], number[3]
         last = tenth; fflush(); next
       }
       !/^ninja: (no work to do|Entering directory)/ {print; fflush()}'
}

# compile ARGUMENTS of cmake --build...: on a terminal ninja counts on one line.
compile() {
  export NINJA_STATUS='   [%f of %t] '
  if [ -t 1 ]; then cmake --build "$@"; else cmake --build "$@" | show_tenths; fi
}
