# Finds the MPI that RONDO_MPI names, by its compiler wrappers: Debian installs several side by side.
# A build tree is for one MPI: the cache keeps what was found, and a second choice would mix the two.
if(DEFINED RONDO_MPI_CONFIGURED AND NOT RONDO_MPI STREQUAL RONDO_MPI_CONFIGURED)
  message(FATAL_ERROR "This build tree was configured with RONDO_MPI=\"${RONDO_MPI_CONFIGURED}\"; "
                      "use another one for \"${RONDO_MPI}\", or remove it first")
endif()
if(RONDO_MPI)
  set(MPI_C_COMPILER mpicc.${RONDO_MPI} CACHE STRING "")
  set(MPI_CXX_COMPILER mpicxx.${RONDO_MPI} CACHE STRING "")
  find_program(MPIEXEC_EXECUTABLE mpirun.${RONDO_MPI} REQUIRED)
endif()
# MPI's own C++ bindings are gone since MPI-3, and their headers do not compile cleanly.
set(MPI_CXX_SKIP_MPICXX ON CACHE BOOL "")
find_package(MPI REQUIRED COMPONENTS C CXX)
set(RONDO_MPI_CONFIGURED "${RONDO_MPI}" CACHE INTERNAL "The MPI that this build tree is for")
