/// @file
/// Creation and queries of Cartesian communicators with a neighborhood (ICPP 2019, section 2, listings 1 and 2).
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_CART_NEIGHBORHOOD_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_CART_NEIGHBORHOOD_HPP

#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/communicators/reorder.hpp"
#include "collectives/settings/settings.hpp"
#include "collectives/topology/grid.hpp"

#include <functional>
#include <memory>

namespace rondo::internal {

/// Arguments of Rondo_Cart_neighborhood_create, as the user gave them.
struct NeighborhoodArguments {
  const char* function;  ///< name of the caller, for messages
  MPI_Comm comm;
  int d;
  const int* dimensions;
  const int* periods;
  int t;
  const int* targetrelative;
  const int* weight;
  int reorder;
  int node = kAskMpi;   ///< a number of the caller's node, for `reorder`
  bool attach = false;  ///< `comm`, already Cartesian with this grid, gets the neighborhood itself
};

/// Throws Error (MPI_ERR_OTHER or MPI_ERR_COMM) unless MPI runs and `comm` is an intracommunicator. `argument`: its
/// name. Local.
void check_intracommunicator(MPI_Comm comm, const char* argument, const char* function);

/// Throws Error (MPI_ERR_DIMS or MPI_ERR_ARG) unless d, dimensions and periods make a grid of `processes` processes.
/// Local.
void check_grid(const NeighborhoodArguments& arguments, int processes);

/// A function that completes the arguments and takes the settings, assertions first. All ranks are informed of a bad
/// value, or of anything else that it throws. Pass it by std::ref, which allocates nothing.
using CompleteArguments = std::function<void(NeighborhoodArguments&, Settings&)>;

/// Returns a rank of the grid as users see it: MPI_PROC_NULL beyond the edge of a mesh.
[[nodiscard]] inline int for_users(int rank) { return rank == kNoRank ? MPI_PROC_NULL : rank; }

/// Returns the offset of a rank from the caller. Throws Error (MPI_ERR_RANK) if the grid does not have the rank.
[[nodiscard]] std::vector<int> checked_offset_of(const Grid& grid, int rank);

/// Creates a neighborhood and returns the communicator that has it. Collective; see Rondo_Cart_neighborhood_create.
[[nodiscard]] MPI_Comm create_neighborhood(NeighborhoodArguments arguments, const CompleteArguments& steps);

/// A function that completes the settings of a further neighborhood, given those of `base`. All ranks are informed of a
/// bad value. Pass it by std::ref.
using CompleteSettings = std::function<void(Settings&)>;

/// Returns another neighborhood on the communicator of `base`. Collective, in the same order on all ranks as all other
/// calls on that communicator: see agree_on_neighborhood(). Local if `base` or the caller asserts isomorphism.
[[nodiscard]] std::shared_ptr<NeighborhoodContext> further_neighborhood(const NeighborhoodContext& base,
                                                                        const Neighborhood& neighborhood,
                                                                        bool assert_isomorphic,
                                                                        const CompleteSettings& steps);

}  // namespace rondo::internal

#endif
