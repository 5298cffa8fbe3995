/// @file
/// Detection of an MPI that the plug-in was not built for, and the end of a program that uses one.
#ifndef RONDO_COLLECTIVES_PLUGIN_ORIGINAL_OTHER_MPI_HPP
#define RONDO_COLLECTIVES_PLUGIN_ORIGINAL_OTHER_MPI_HPP

namespace rondo::internal::plugin {

/// Ends the process, with a line on standard error that says why, where an MPI of the other family (Open MPI's, or
/// MPICH's), or one with the handles of MPI 5's ABI, is loaded: handles are pointers in one and numbers in the other,
/// so that calls cannot even be passed on. When the program first calls MPI: until then MPI may not be loaded, as by
/// Python. A program that is linked with that MPI does not come so far: it was begun again without the plug-in, by a
/// constructor in other_mpi.cpp.
void end_under_other_mpi() noexcept;

}  // namespace rondo::internal::plugin

#endif
