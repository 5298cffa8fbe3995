/// @file
/// LeftToMpi: the exception for a call that the plug-in leaves to MPI.
#ifndef RONDO_COLLECTIVES_BLOCKS_LEFT_TO_MPI_HPP
#define RONDO_COLLECTIVES_BLOCKS_LEFT_TO_MPI_HPP

#include <rondo/error.hpp>

namespace rondo::internal {

/// The exception for an error that all ranks of a communicator find in the same call, before any of them has sent
/// anything. The library reports it as it reports every Error. The plug-in makes MPI's own call instead, which succeeds
/// or reports an error of MPI's.
class LeftToMpi : public Error {
 public:
  using Error::Error;
};

}  // namespace rondo::internal

#endif
