# Finds the MPI that RONDO_MPI names, by its compiler wrappers: Debian installs several side by side.
if(RONDO_MPI)
  set(MPI_C_COMPILER mpicc.${RONDO_MPI} CACHE STRING "")
  set(MPI_CXX_COMPILER mpicxx.${RONDO_MPI} CACHE STRING "")
  find_program(MPIEXEC_EXECUTABLE mpirun.${RONDO_MPI} REQUIRED)
endif()
# MPI's own C++ bindings are gone since MPI-3, and their headers do not compile cleanly.
set(MPI_CXX_SKIP_MPICXX ON CACHE BOOL "")
find_package(MPI REQUIRED COMPONENTS C CXX)
