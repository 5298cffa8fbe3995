#!/usr/bin/env bash
# Installs the Debian packages that are missing for a purpose, once and quietly. Usage: install-packages.sh PURPOSE...
# with purposes build, tests, fuzz, valgrind, coverage, systems, bench, smpi, examples. Without root it says what to
# install, and stops.
set -euo pipefail

packages=()
for purpose in "$@"; do
  case "$purpose" in
    build | examples) packages+=(g++ cmake ninja-build libopenmpi-dev openmpi-bin libspdlog-dev libtbb-dev nlohmann-json3-dev) ;;
    tests)
      packages+=(doxygen dpkg-dev mpich libmpich-dev libgtest-dev pkg-config gfortran libfftw3-dev libfftw3-mpi-dev python3
        python3-mpi4py python3-numpy relacy-dev) ;;
    fuzz) packages+=(clang libclang-rt-dev lld) ;;
    valgrind) packages+=(valgrind) ;;
    coverage) packages+=(gcovr) ;;
    systems) packages+=(debootstrap) ;;
    bench) packages+=(mpich libmpich-dev libbenchmark-dev python3 gnuplot-nox) ;;
    smpi) packages+=(libsimgrid-dev) ;;
    *) echo "install-packages.sh: unknown purpose $purpose" >&2; exit 2 ;;
  esac
done
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -q '^installed$' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "These Debian packages are missing; install them and start again:" >&2
  echo "  sudo apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "installing ${missing[*]}"
log=$(mktemp)
if ! { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y install "${missing[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
rm -f "$log"
