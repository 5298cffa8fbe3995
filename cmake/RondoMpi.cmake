# Finds the MPI that RONDO_MPI names, by its compiler wrappers: Debian installs several side by side.
if(RONDO_MPI)
  set(MPI_C_COMPILER mpicc.${RONDO_MPI} CACHE STRING "")
  set(MPI_CXX_COMPILER mpicxx.${RONDO_MPI} CACHE STRING "")
  set(MPIEXEC_EXECUTABLE mpirun.${RONDO_MPI} CACHE STRING "")
endif()
set(MPI_CXX_SKIP_MPICXX ON CACHE BOOL "")
find_package(MPI REQUIRED COMPONENTS C CXX)
