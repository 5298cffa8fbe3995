#!/usr/bin/env bash
# Runs other people's programs from Debian under Open MPI, on 2 and on 4 ranks: without the plug-in, with RONDO_PMPI=auto
# and with RONDO_PMPI=all. Prints a table: whether each ended as it should, and the seconds that it took. Installs the
# packages that are missing, if it is root, and says which programs it left out and why. For maintainers: not a part of
# .ci/run. Fails if a program fails with the plug-in and not without it.
# Usage: tests/others.sh [PLUGIN [PROGRAM...]]     PLUGIN: librondo_pmpi.so; default: that of build/openmpi
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
source cmake/mpi-environment.sh
plugin=$(realpath "${1:-build/openmpi/collectives/plugin/librondo_pmpi.so}")
shift
[ -f "$plugin" ] || { echo "others.sh: no plug-in $plugin: cmake --build --preset openmpi --target rondo_pmpi" >&2; exit 2; }
limit=300 # seconds for a run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# Each program NAME has packages_NAME, and optionally prepare_NAME RANKS, which writes what it needs into the current
# folder. command_NAME is what each rank runs; expected_NAME is a regular expression that its output must match.
all=(mumps hpcc petsc_ksp petsc_multigrid petsc_snes_neighbor petsc_sf_neighbor lammps espresso nwchem mpi4py dolfinx)

packages_mumps="mumps-test"
command_mumps="/usr/lib/mumps/dsimpletest"
expected_mumps="Solution is +(0\.99999|1\.00000)"
prepare_mumps() { cp /usr/lib/mumps/input_simpletest_real input; }

packages_hpcc="hpcc"
command_hpcc="sh -c 'hpcc && if [ \$OMPI_COMM_WORLD_RANK = 0 ]; then cat hpccoutf.txt; fi'"
expected_hpcc="Success=1"
prepare_hpcc() {
  sed -e "s/^1000  *Ns/300 Ns/" -e "s/^2  *Ps/1 Ps/" -e "s/^2  *Qs/$1 Qs/" /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
}

# compile_petsc SOURCE: an example of PETSc's
compile_petsc() {
  local lib
  lib=$(echo /usr/lib/petscdir/petsc3.*/x86_64-linux-gnu-real/lib/pkgconfig)
  # shellcheck disable=SC2046  # flags are words
  PKG_CONFIG_PATH=$lib mpicc.openmpi -O1 -o program /usr/share/petsc/3.*/share/petsc/examples/src/"$1" \
    $(PKG_CONFIG_PATH=$lib pkg-config --cflags --libs PETSc) -lm
}
packages_petsc="petsc-dev libpetsc3.18-dev-examples pkg-config"
packages_petsc_ksp=$packages_petsc
command_petsc_ksp="./program -m 200 -n 200 -ksp_type gmres"
expected_petsc_ksp="Norm of error 0?\.0"
prepare_petsc_ksp() { compile_petsc ksp/ksp/tutorials/ex2.c; }
packages_petsc_multigrid=$packages_petsc
command_petsc_multigrid="./program -da_grid_x 33 -da_grid_y 33 -da_grid_z 33 -pc_type mg -pc_mg_levels 3"
expected_petsc_multigrid="Residual norm ([0-9.]+e-|0\.000)"
prepare_petsc_multigrid() { compile_petsc ksp/ksp/tutorials/ex45.c; }
packages_petsc_snes_neighbor=$packages_petsc
command_petsc_snes_neighbor="./program -da_refine 3 -sf_type neighbor -pc_type mg"
expected_petsc_snes_neighbor="Number of SNES iterations = [1-9]"
prepare_petsc_snes_neighbor() { compile_petsc snes/tutorials/ex19.c; }
packages_petsc_sf_neighbor=$packages_petsc
command_petsc_sf_neighbor="./program -test_bcast -test_reduce -sf_type neighbor"
expected_petsc_sf_neighbor="Reduce"
prepare_petsc_sf_neighbor() { compile_petsc vec/is/sf/tutorials/ex1.c || compile_petsc vec/is/sf/tests/ex1.c; }

packages_lammps="lammps lammps-examples"
command_lammps="lmp -in in.melt"
expected_lammps="Total wall time"
prepare_lammps() { cp /usr/share/lammps/examples/melt/in.melt .; }

packages_espresso="quantum-espresso quantum-espresso-data"
command_espresso="pw.x -in silicon"
expected_espresso="!    total energy  *=  *-15\.7"
prepare_espresso() {
  cat >silicon <<'INPUT'
&control calculation='scf' prefix='silicon' pseudo_dir='/usr/share/espresso/pseudo' outdir='./out' /
&system ibrav=2 celldm(1)=10.2 nat=2 ntyp=1 ecutwfc=18.0 /
&electrons /
ATOMIC_SPECIES
 Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 3 3 3 0 0 0
INPUT
}

packages_nwchem="nwchem-openmpi"
command_nwchem="nwchem.openmpi water.nw"
expected_nwchem="Total SCF energy = +-76\.0105"
prepare_nwchem() {
  cat >water.nw <<'INPUT'
start water
geometry
 O 0.0 0.0 0.117
 H 0.0 0.757 -0.469
 H 0.0 -0.757 -0.469
end
basis
 * library 6-31g*
end
task scf energy
INPUT
}

packages_mpi4py="python3-mpi4py python3-numpy"
command_mpi4py="/usr/bin/python3 collectives.py"
expected_mpi4py="all right"
prepare_mpi4py() {
  cat >collectives.py <<'PROGRAM'
from mpi4py import MPI
import numpy as np

world = MPI.COMM_WORLD


def check(comm):
    rank, size = comm.Get_rank(), comm.Get_size()
    for count in (1, 100, 5000):
        mine = np.full(count, rank + 1, dtype="d")
        total = np.empty_like(mine)
        comm.Allreduce(mine, total)
        assert (total == size * (size + 1) / 2).all()
        comm.Allreduce(MPI.IN_PLACE, mine, MPI.MAX)
        assert (mine == size).all()
        gathered = np.empty((size, count), dtype="i")
        comm.Allgather(np.full(count, rank, dtype="i"), gathered)
        assert all((gathered[i] == i).all() for i in range(size))
        sent = np.repeat(np.arange(size, dtype="i") + 100 * rank, count).reshape(size, count)
        comm.Alltoall(sent, gathered)
        assert all((gathered[i] == 100 * i + rank).all() for i in range(size))
        counts = [count + i for i in range(size)]
        parts = np.empty(sum(counts), dtype="d")
        comm.Allgatherv(np.full(counts[rank], rank, dtype="d"), [parts, counts, None, MPI.DOUBLE])
        assert (parts == np.repeat(np.arange(size), counts)).all()
        part = np.empty(count, dtype="d")
        comm.Reduce_scatter_block(np.full(size * count, rank, dtype="d"), part)
        assert (part == size * (size - 1) / 2).all()
        data = np.full(count, 7 if rank == size - 1 else 0, dtype="d")
        request = comm.Ibcast(data, root=size - 1)
        request.Wait()
        assert (data == 7).all()
    assert comm.allreduce({rank}, op=lambda a, b, _=None: a | b) == set(range(size))
    assert comm.alltoall([(rank, i) for i in range(size)]) == [(i, rank) for i in range(size)]
    assert comm.bcast("text" if rank == 0 else None) == "text"
    comm.Barrier()


for _ in range(5):
    check(world)
    copy = world.Dup()
    check(copy)
    copy.Free()
    half = world.Split(world.Get_rank() % 2, 0)
    check(half)
    half.Free()
size, rank = world.Get_size(), world.Get_rank()
ring = world.Create_dist_graph_adjacent([(rank - 1) % size, (rank + 1) % size], [(rank - 1) % size, (rank + 1) % size])
torus = world.Create_cart(MPI.Compute_dims(size, 2), periods=[True, True])
for comm, edges in ((ring, 2), (torus, 4)):
    for _ in range(5):
        received = np.empty(edges * 50, dtype="d")
        comm.Neighbor_alltoall(np.arange(edges * 50, dtype="d") + 1000 * rank, received)
        assert received.sum() > 0
        comm.Ineighbor_allgather(np.full(50, rank, dtype="d"), received).Wait()
    comm.Free()
world.Barrier()
if rank == 0:
    print("all right", flush=True)
PROGRAM
}

packages_dolfinx="python3-dolfinx python3-dolfinx-real python3-petsc4py gcc libffi-dev"
command_dolfinx="/usr/bin/python3 poisson.py"
expected_dolfinx="error 0\.0"
prepare_dolfinx() {
  cat >poisson.py <<'PROGRAM'
import numpy as np
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py.PETSc import ScalarType

domain = mesh.create_unit_square(MPI.COMM_WORLD, 40, 40)
V = fem.FunctionSpace(domain, ("Lagrange", 1))
exact = fem.Function(V)
exact.interpolate(lambda x: 1 + x[0] ** 2 + 2 * x[1] ** 2)
facets = mesh.locate_entities_boundary(domain, domain.topology.dim - 1, lambda x: np.full(x.shape[1], True))
bc = fem.dirichletbc(exact, fem.locate_dofs_topological(V, domain.topology.dim - 1, facets))
u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
a = ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx
L = ufl.inner(fem.Constant(domain, ScalarType(-6)), v) * ufl.dx
solution = fem.petsc.LinearProblem(a, L, bcs=[bc]).solve()
local = fem.assemble_scalar(fem.form((solution - exact) ** 2 * ufl.dx))
error = domain.comm.allreduce(local, op=MPI.SUM) ** 0.5
if domain.comm.rank == 0:
    print(f"error {error:.6f}", flush=True)
PROGRAM
}

# Says why a program is left out, or nothing.
why_left_out() {
  local package packages=packages_$1 missing=()
  for package in ${!packages}; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -q '^installed$' && continue
    [[ $(apt-cache policy "$package" 2>/dev/null) =~ Candidate:\ [0-9] ]] || { echo "Debian has no package $package here"; return; }
    missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" -eq 0 ] || { echo "not installed: ${missing[*]}"; return; }
  DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${missing[@]}" >"$work/apt" 2>&1 ||
    echo "does not install: ${missing[*]}: $(tail -1 "$work/apt")"
}

# run NAME RANKS OPTIONS...: prints "ok SECONDS" or "fails SECONDS"
run() {
  local name=$1 ranks=$2 command=command_$1 expected=expected_$1 status begun
  shift 2
  begun=$(date +%s.%N)
  eval "timeout $limit mpirun.openmpi -np $ranks ${*@Q} ${!command}" <"$([ -f input ] && echo input || echo /dev/null)" >output 2>errors
  status=$?
  local word=ok
  { [ "$status" -eq 0 ] && grep -qE -- "${!expected}" output; } || word=fails
  printf '%s %.1f' "$word" "$(echo "$(date +%s.%N) - $begun" | bc -l)"
  if [ "$word" = fails ]; then
    { echo "== $name on $ranks ranks, $*: status $status"; tail -5 output; tail -15 errors; } >>"$work/failures"
  fi
}

programs=("$@")
[ ${#programs[@]} -gt 0 ] || programs=("${all[@]}")
left_out=() only_with_plugin=0
printf '%-22s %5s  %-14s %-14s %-14s\n' program ranks alone auto all
for name in "${programs[@]}"; do
  why=$(why_left_out "$name")
  [ -z "$why" ] || { left_out+=("$name: $why"); continue; }
  for ranks in 2 4; do
    rm -rf "$work/run" && mkdir "$work/run" && cd "$work/run" || exit 2
    if declare -F "prepare_$name" >/dev/null && ! "prepare_$name" "$ranks" >"$work/prepare" 2>&1; then
      left_out+=("$name: does not compile: $(grep -m1 -i error "$work/prepare")")
      break
    fi
    alone=$(run "$name" "$ranks")
    auto=$(run "$name" "$ranks" -x "LD_PRELOAD=$plugin" -x RONDO_PMPI=auto)
    everything=$(run "$name" "$ranks" -x "LD_PRELOAD=$plugin" -x RONDO_PMPI=all)
    printf '%-22s %5d  %-14s %-14s %-14s\n' "$name" "$ranks" "$alone" "$auto" "$everything"
    case "$alone:$auto:$everything" in ok*:*fails*) only_with_plugin=1 ;; esac
  done
done
for line in "${left_out[@]}"; do echo "left out: $line"; done
[ ! -f "$work/failures" ] || cat "$work/failures"
exit $only_with_plugin
