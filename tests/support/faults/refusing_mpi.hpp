/// @file
/// Calls of MPI that are counted, and refused when a test wants them to be. refusing_mpi.cpp puts them in the place of
/// MPI's own, in the whole program.
#ifndef RONDO_TESTS_SUPPORT_FAULTS_REFUSING_MPI_HPP
#define RONDO_TESTS_SUPPORT_FAULTS_REFUSING_MPI_HPP

namespace rondo::internal::test {

inline int sent_over_mpi = 0;         ///< calls of MPI_Isend and MPI_Start
inline int posts_to_refuse = 0;       ///< so many of the next calls of MPI_Isend, MPI_Irecv and MPI_Start fail
inline bool reductions_fail = false;  ///< whether MPI_Reduce_local fails

}  // namespace rondo::internal::test

#endif
