# Sourced by the scripts, and read by RondoTest.cmake for the tests: lets root start ranks, more of them than there are
# cores, unbound and yielding when idle.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
# The launchers of Open MPI 5 and 6 have other names for the same.
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none # 5
export PRTE_MCA_mapby=:oversubscribe PRTE_MCA_bindto=none                                              # 6

# rondo_mpirun openmpi|mpich RANKS PROGRAM ARGUMENTS...
rondo_mpirun() {
  local mpi=$1 ranks=$2
  shift 2
  "mpirun.$mpi" -np "$ranks" "$@"
}
