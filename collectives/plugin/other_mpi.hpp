/// @file
/// What the plug-in does under an MPI that it was not built for.
#ifndef RONDO_COLLECTIVES_PLUGIN_OTHER_MPI_HPP
#define RONDO_COLLECTIVES_PLUGIN_OTHER_MPI_HPP

namespace rondo::internal::plugin {

/// Ends the process, with a line on standard error that says why, where an MPI of the other family (Open MPI's, or
/// MPICH's) is loaded: its handles are pointers here and numbers there, so that calls cannot even be passed on. When
/// the program first calls MPI: until then MPI may not be loaded, as by Python.
void end_under_other_mpi() noexcept;

}  // namespace rondo::internal::plugin

#endif
