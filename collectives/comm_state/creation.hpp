/// @file
/// Creation: what ranks tell each other when Rondo makes what it keeps for a communicator.
#ifndef RONDO_COLLECTIVES_COMM_STATE_CREATION_HPP
#define RONDO_COLLECTIVES_COMM_STATE_CREATION_HPP

#include <mpi.h>

#include "collectives/comm_state/agreement.hpp"
#include "runtime/base/private_comm.hpp"

#include <cstdint>
#include <exception>

namespace rondo::internal {

/// One agreement, whatever family of collectives the communicator is for.
class Creation {
 public:
  /// `asked`: a number that stands for what all ranks must ask for alike. `trouble`: why this rank cannot go on.
  Creation(std::uint64_t asked, const std::exception_ptr& trouble, MPI_Comm comm);

  Agreement words;  ///< more of them may be added before reach()

  /// Collective; see Agreement::reach_and_confirm(): communicators are made next.
  void reach() { words.reach_and_confirm("comm"); }
  // Afterwards.
  /// Whether all ranks asked for the same.
  [[nodiscard]] bool asked_alike() const { return words.holds(asked_); }
  /// Where it is highest.
  [[nodiscard]] double ranks_per_core() const;
  /// Lets the traces of all ranks be put together, where all trace. Collective over the private communicator, blocking.
  void align_traces(const PrivateComm& own) const;

 private:
  Agreement::Same asked_;
  Agreement::Greatest thousandths_;  ///< of ranks per core
  Agreement::Greatest untraced_;
};

}  // namespace rondo::internal

#endif
