#!/usr/bin/env bash
# Builds if needed and runs a benchmark: prints tables, writes results/NAME-MPI.csv and draws it to results/plots/.
# Usage: bench/run.sh NAME [--check] [--quick] [--mpi openmpi|mpich] [options of the program]
#   --check   exit 0 only where the figures that are required hold, and say last which did not
#   --quick   fewer and shorter timings
#   --regime back-to-back|alone   operations one right after the other, or each after a pass over memory; both without it
#   --tuned   (alltoall, alltoallv, randomized) with the costs that `bench/run.sh tune` measures, which it does if it must
#   --apart   as if no two ranks shared a cache; not for simulated ranks, emulated hosts and single processes
#   --library (changing) the library's own functions in place of the plug-in
#   --busy    (randomized) keep rounds in which something else ran too
# Without a name: lists the benchmarks.
set -euo pipefail
cd "$(dirname "$0")/.."

list() {
  cat <<'TEXT'
task_overhead  time per task of a schedule, traced and not, beside oneTBB's flow graph and a loop written by hand
halo           9-point and 27-point halos, persistent and blocking, at 2, 4, 8, 16 ranks beside MPI and hand-written exchanges
halo_depth     halos of depth 1 to 10, 5-point and 9-point, beside MPI_Neighbor_alltoallw, at 2, 4, 8, 16 ranks
datatypes      packing, unpacking and copying datatypes beside MPI's own and memcpy, 64 B to 64 MiB
learning       operations that learn beside the model's choice and all algorithms, of every kind of collective, at 2, 4, 8, 16 ranks
learning_calls  blocking (--nonblocking: nonblocking) calls that learn beside the model's choice and all algorithms, at 2, 4, 8, 16 ranks
messages       one scattered message at 2 ranks: staged, as a derived datatype, and as auto chooses
reduce         reductions over boxes of offsets at 4 and 16 ranks beside MPI_Neighbor_allgather and a loop of MPI_Reduce_local
tune           measures what dense alltoalls cost on this machine, over MPI and through memory, for RONDO_TUNING, at 2 to 32 ranks
barrier        barriers beside MPI's at 2, 4, 8, 16 ranks: blocking, persistent, all algorithms
broadcast      broadcasts of 8 B to 1 MiB beside MPI's at 2, 4, 8, 16 ranks: blocking, persistent, all algorithms
dense_allgather  allgathers of blocks of 8 B to 64 KiB beside MPI's at 2, 4, 8, 16 ranks: blocking, persistent, all algorithms
alltoall       dense alltoalls, 4 B to 256 KiB, 2 to 32 ranks, all algorithms beside MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init
alltoallv      the same by alltoallv, persistent and not, beside MPI's: equal blocks, sizes within factors of 2 and of 1000
allreduce      allreduce of 8 B to 1 MiB beside MPI's at 2, 4, 8, 16 ranks: blocking, persistent, all algorithms
randomized     the randomized alltoall beside MPI_Alltoall, 4 B to 256 KiB at 2, 4, 8, 16, 32 ranks: a heat map of speed-ups
repeated       a blocking or nonblocking call with the arguments of an earlier one beside start and wait, at 1 rank
setup          making neighborhoods beside MPI_Cart_create and MPI_Dist_graph_create(_adjacent) at 4 and 16 ranks
shared_memory  halos and alltoalls on one node beside MPI's and a loop written by hand over shared memory, the limit, at 2, 4, 8, 16 ranks
cartesian      the paper's neighborhoods, d=2..5, n=3..5, m=1, 10, 100 ints, at 16 and 27 ranks
allgather      the same neighborhoods, one block of 1 to 1000 ints for all, at 16 ranks beside MPI_Neighbor_allgather
expansions     neighborhoods for other path expansions than the dimension-wise one, at 16 and 27 ranks
type_creation  making and freeing the datatypes of the zero-copy Bruck paper's six alltoalls, p = 2 to 80, 4 B to 80,000 B
overlap        how much of a collective hides behind computation, as IMB-NBC asks: at 2 ranks, and on 2 and 4 emulated hosts
nodes          node-aware alltoalls beside Rondo's other algorithms and MPI's, on 2 and 4 emulated hosts of 4 ranks each
in_flight      what a short message takes in MPI by the number of them in flight, at 2 ranks
step_graph     a stencil whose steps are one graph of messages and functions beside the variants of stencil_overlap, at 2 ranks
modes          what a collective whose caller waits at once pays for modes async and workers beside inline, at 2 ranks
changing       calls whose counts, roots, buffers, datatypes or communicators change, with the plug-in or (--library) without, beside MPI's own, at 2, 4, 8 ranks
plugin         MPI's calls with the plug-in loaded beside MPI's own, at 2, 4, 8 ranks; at 1, what a call costs that is passed through
start          MPI_Init, MPI_Finalize and the first hundred calls, with page faults and system calls: plug-in and library beside MPI
simulated      alltoalls on simulated clusters, up to 1152 ranks and 200 nodes, in one process: no MPI run of so many ranks is needed
smpi           the library on clusters that SimGrid's SMPI simulates, beside our own simulation of them, at 64 and 1152 ranks
schedule_building  time to choose and build an alltoall's schedule, per block hop, up to t = 100,000
scale          what a process keeps, and how long it takes to choose and build schedules, among 10^3 to 10^5 ranks
plots          no benchmark: draws the pictures of README.md and docs/benchmarks.md from what is in results/
TEXT
}

[ $# -gt 0 ] || { list; exit 0; }
name=$1
shift
if [ "$name" = plots ]; then
  cmake/install-packages.sh bench
  exec python3 bench/plot/pages.py "$(nproc) cores ($(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1))"
fi
[ "$name" != smpi ] || exec bench/smpi/run.sh "$@"
[ "$name" != step_graph ] || exec bench/step_graph/run.sh "$@"
mpi=openmpi
check=no
tuned=no
apart=no
options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --check) check=yes ;;
    --tuned) tuned=yes ;;
    --apart) apart=yes ;;
    --mpi) mpi=$2; shift ;;
    *) options+=("$1") ;;
  esac
  shift
done
case "$name" in
  task_overhead | scale | simulated | in_flight) ranks="" ;;
  allreduce | barrier | broadcast | dense_allgather | halo | halo_depth | learning | learning_calls | shared_memory) ranks="2 4 8 16" ;;
  alltoall | alltoallv | randomized | tune) ranks="2 4 8 16 32" ;;
  cartesian | expansions) ranks="16 27" ;;
  allgather) ranks="16" ;;
  reduce | setup) ranks="4 16" ;;
  datatypes | repeated | schedule_building | type_creation) ranks="1" ;;
  messages | modes | nodes | overlap) ranks="2" ;;
  changing) ranks="2 4 8" ;;
  plugin) ranks="1 2 4 8" ;;
  start) ranks="1 2 4 8 16" ;;
  *) echo "bench/run.sh: no benchmark is called $name; there are:" >&2; list >&2; exit 2 ;;
esac

cmake/install-packages.sh build bench
source cmake/mpi-environment.sh
build=build/bench-$mpi
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DRONDO_MPI="$mpi" -DRONDO_BUILD_BENCH=ON \
  -DRONDO_BUILD_TESTS=OFF -DRONDO_BUILD_EXAMPLES=OFF >/dev/null
cmake --build "$build" -- --quiet
mkdir -p results

if [ "$name" = task_overhead ]; then
  quick=()
  for option in ${options[@]+"${options[@]}"}; do [ "$option" = --quick ] && quick=(--benchmark_min_time=0.05); done
  "$build/bench/task_overhead" ${quick[@]+"${quick[@]}"} --benchmark_out=results/task_overhead.json --benchmark_out_format=json >/dev/null
  # Nothing is written to the file: MPI is not running.
  RONDO_TRACE=results/no.json "$build/bench/task_overhead" --benchmark_filter=mark ${quick[@]+"${quick[@]}"} \
    --benchmark_out=results/traced_marks.json --benchmark_out_format=json >/dev/null
  python3 bench/task_overhead/summarize.py results/task_overhead.json results/traced_marks.json results/task_overhead.csv || [ "$check" = no ]
  exit
fi

# One process that is all ranks; its figures are no timings of this machine.
if [ "$name" = simulated ]; then
  status=0
  rondo_mpirun "$mpi" 1 "$build/bench/simulated" results/simulated.csv ${options[@]+"${options[@]}"} || status=$?
  [ "$status" != 3 ] || echo "simulated: some data arrived wrong" >&2
  exit "$status"
fi

if [ "$name" = scale ]; then
  rondo_mpirun "$mpi" 1 "$build/bench/scale" results/scale.csv ${options[@]+"${options[@]}"}
  exit
fi

# No timings of Rondo's, and the least of many: other programs hardly matter.
if [ "$name" = in_flight ]; then
  rondo_mpirun "$mpi" 2 "$build/bench/in_flight" "results/in_flight-$mpi.csv" ${options[@]+"${options[@]}"}
  exit
fi

# A first call is made once: each figure has a process of its own.
if [ "$name" = start ]; then
  rounds=7
  for option in ${options[@]+"${options[@]}"}; do [ "$option" != --quick ] || rounds=3; done
  raw=results/start-$mpi-raw.csv
  rm -f "$raw"
  for n in $ranks; do
    # Unbound, two ranks were seen to take turns on one core for some of their calls.
    binding=none
    [ "$n" -gt "$(nproc)" ] || binding=core:if-supported
    export OMPI_MCA_hwloc_base_binding_policy=$binding PRTE_MCA_hwloc_default_binding_policy=$binding PRTE_MCA_bindto=$binding
    for kind in bcast allreduce alltoall ialltoall "persistent alltoall"; do
      for bytes in 8 512 4096 32768; do
        for ((round = 0; round < rounds; round++)); do
          for way in mpi plugin library; do
            preload=()
            [ "$way" != plugin ] || preload=(env LD_PRELOAD="$PWD/$build/collectives/plugin/librondo_pmpi.so")
            rondo_mpirun "$mpi" "$n" ${preload[@]+"${preload[@]}"} "$build/bench/start" "$raw" "$way" "$kind" "$bytes"
          done
        done
      done
    done
  done
  python3 bench/start/summarize.py "$raw" "results/start-$mpi.csv" || [ "$check" = no ]
  python3 bench/plot/draw.py "results/start-$mpi.csv" results/plots
  exit
fi

# Costs of this machine, for auto: measured once.
tuning=results/tuning-$mpi.json
tune() {
  local n
  for n in 2 4 8 16 32; do rondo_mpirun "$mpi" "$n" "$build/bench/tune" "$tuning" "$@"; done
  echo "to be used with: export RONDO_TUNING=$PWD/$tuning"
}
case "$name" in
  tune) tune ${options[@]+"${options[@]}"}; exit ;;
esac
if [ "$tuned" = yes ]; then
  [ -e "$tuning" ] || tune
  export RONDO_TUNING=$PWD/$tuning
fi

# Hosts with 200 and 500 us of latency on this machine, and 1 Gbit/s: shared/netemu beside the checkout, or $NETEMU.
if [ "$name" = overlap ]; then
  netemu=${NETEMU:-../shared/netemu}
  csv=results/overlap-$mpi.csv
  echo "point,variant,t_pure us,t_compute us,t_overlapped us,overlap,slowdown,stolen" >"$csv"
  status=0
  echo "shared memory, 2 ranks"
  rondo_mpirun "$mpi" 2 "$build/bench/overlap" "$csv" ${options[@]+"${options[@]}"} || status=$?
  if [ "$mpi" != openmpi ] || [ ! -x "$netemu/up" ]; then
    echo "overlap: no emulated hosts ($netemu, for Open MPI only)"
    exit "$status"
  fi
  for hosts in 2 4; do
    for delay in 200 500; do
      echo "$hosts hosts, $delay us one way"
      rm -f "${NETEMU_STATE:-/tmp/netemu}/log" # in which "up" would read that the last one is up
      "$netemu/up" "$hosts" "$delay" 1000 >/dev/null
      for asleep in "" --asleep; do
        "$netemu/run" "$hosts" -- "$PWD/$build/bench/overlap" "$PWD/$csv" --network "$hosts hosts, $delay us" $asleep \
          ${options[@]+"${options[@]}"} || status=$?
      done
      "$netemu/down" >/dev/null || true
    done
  done
  exit "$status"
fi

# The same hosts with 4 ranks on each, which share memory there, in MPI as well.
if [ "$name" = nodes ]; then
  netemu=$(realpath "${NETEMU:-../shared/netemu}")
  if [ "$mpi" != openmpi ] || [ ! -x "$netemu/up" ]; then
    echo "nodes: no emulated hosts ($netemu, for Open MPI only)"
    exit 2
  fi
  csv=results/nodes-$mpi.csv
  echo "point,variant,median us,lower quartile us,upper quartile us,rounds,discarded,data" >"$csv"
  errors=$(mktemp)
  trap '"$netemu/down" >/dev/null; rm -f "$errors"' EXIT
  missed=0
  for hosts in 2 4; do
    places=$(for ((i = 0; i < hosts; i++)); do printf '%s' "${places:+,}emu$i:4"; places=more; done)
    for delay in 20 200; do
      rm -f "${NETEMU_STATE:-/tmp/netemu}/log" # in which "up" would read that the last one is up
      "$netemu/up" "$hosts" "$delay" 1000 >/dev/null
      status=0
      # shellcheck disable=SC2016 # each host's name, there
      ip netns exec emu0 unshare -u bash -c 'hostname emu0; exec "$@"' _ chrt -r 5 mpirun.openmpi --allow-run-as-root \
        --bind-to none --map-by node -np $((4 * hosts)) --host "$places" --mca plm_rsh_agent "$netemu/agent" \
        --mca mpi_yield_when_idle 1 --mca pml ob1 --mca btl tcp,vader,self --mca btl_tcp_if_include 10.77.0.0/24 \
        --mca oob_tcp_if_include 10.77.0.0/24 sh -c 'RONDO_NODE=$(hostname) exec "$@"' _ "$PWD/$build/bench/nodes" \
        "$PWD/$csv" --network "$hosts hosts, $delay us" ${options[@]+"${options[@]}"} 2>"$errors" || status=$?
      "$netemu/down" >/dev/null || true
      if [ "$status" = 3 ]; then
        missed=1
      elif [ "$status" != 0 ]; then
        tail -20 "$errors" >&2
        exit 2
      fi
    done
  done
  [ "$check" = no ] || exit "$missed"
  exit
fi

program=("$build/bench/$name")
if [ "$name" = plugin ] || { [ "$name" = changing ] && [[ " ${options[*]-} " != *" --library "* ]]; }; then # loaded into the ranks only
  program=(env LD_PRELOAD="$PWD/$build/collectives/plugin/librondo_pmpi.so" "${program[@]}")
fi
if [ "$apart" = yes ]; then
  program=(sh -c 'RONDO_SHARED_CACHE=${OMPI_COMM_WORLD_RANK:-$PMI_RANK} exec "$@"' _ "${program[@]}")
fi
csv=results/$name-$mpi.csv
rm -f "results/$name-$mpi-speedup.csv"
echo "point,variant,median us,lower quartile us,upper quartile us,rounds,discarded,data" >"$csv"
missed=$(mktemp)
errors=$(mktemp)
trap 'rm -f "$missed" "$errors"' EXIT
broken=0
for n in $ranks; do
  if [ "$name" = plugin ]; then # one rank leaves its calls to MPI, several let Rondo take them
    if [ "$n" = 1 ]; then export RONDO_PMPI=-alltoallv; else export RONDO_PMPI=all; fi
  fi
  # Status 3 says that figures were missed; the lines that name them are repeated at the end.
  status=0
  rondo_mpirun "$mpi" "$n" "${program[@]}" "$csv" ${options[@]+"${options[@]}"} 2>"$errors" |
    { tee >(grep '^missed:' >>"$missed") | grep -v '^missed:' || true; } || status=$?
  [ "$status" = 0 ] || [ "$status" = 3 ] || {
    echo "$name at $n ranks broke off with status $status:" >&2
    tail -20 "$errors" >&2
    broken=1
  }
done
[ "$broken" = 0 ] || exit 2
for file in "$csv" "results/$name-$mpi-speedup.csv"; do
  [ ! -e "$file" ] || python3 bench/plot/draw.py "$file" results/plots
done
if [ -s "$missed" ]; then
  echo "figures that do not hold:"
  cat "$missed"
  [ "$check" = no ] || exit 1
else
  echo "all figures hold"
fi
