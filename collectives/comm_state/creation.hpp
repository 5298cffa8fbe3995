/// @file
/// Creation: what ranks tell each other when Rondo makes what it keeps for a communicator.
#ifndef RONDO_COLLECTIVES_COMM_STATE_CREATION_HPP
#define RONDO_COLLECTIVES_COMM_STATE_CREATION_HPP

#include <mpi.h>

#include <rondo/options.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/spare_comms.hpp"
#include "runtime/base/private_comm.hpp"

#include <cstdint>
#include <exception>

namespace rondo::internal {

/// Words of an agreement by which ranks find out whether all of them can share memory.
class OneNode {
 public:
  /// `use`: what this rank asks for of shared memory. While MPI runs.
  OneNode(Agreement& words, SharedMemory use);

  /// After that agreement: whether all ranks want shared memory, may have some, and are on one node, as far as they can
  /// tell (see NodeCard).
  [[nodiscard]] bool is_agreed(const Agreement& words) const { return words.of(nodeless_) == 0 && words.holds(node_); }

 private:
  OneNode(Agreement& words, std::uint64_t node)
      : node_(words.same(node)), nodeless_(words.greatest(node == 0 ? 1 : 0)) {}

  Agreement::Same node_;
  Agreement::Greatest nodeless_;  ///< whether some rank wants no shared memory, has none, or cannot say where it is
};

/// One agreement, whatever family of collectives the communicator is for.
class Creation {
 public:
  /// `asked`: a number that stands for what all ranks must ask for alike. `use`: what this rank asks for of shared
  /// memory. `trouble`: why this rank cannot go on. `spare`: what make() may take, where all ranks have it.
  Creation(std::uint64_t asked, SharedMemory use, const std::exception_ptr& trouble, MPI_Comm comm,
           SpareComms::Offer spare = {});

  Agreement words;  ///< more of them may be added before reach()

  /// Collective; see Agreement::reach_and_confirm(): communicators are made next.
  void reach() { words.reach_and_confirm("comm"); }
  // Afterwards.
  /// Whether all ranks asked for the same.
  [[nodiscard]] bool asked_alike() const { return words.holds(asked_); }
  /// Where it is highest; whether it is so high everywhere; here.
  [[nodiscard]] double ranks_per_core() const;
  /// See OneNode.
  [[nodiscard]] bool on_one_node() const { return one_node_.is_agreed(words); }
  [[nodiscard]] bool same_load_everywhere() const { return words.of(thousandths_) == words.of(least_thousandths_); }
  [[nodiscard]] static double load_here();
  /// Makes the private communicator of `comm`. Collective over `comm`. Throws NoPrivateComm with MPI's class, on all
  /// ranks alike.
  void make(PrivateComm& own, MPI_Comm comm);
  /// Lets the traces of all ranks be put together, where all trace. Collective over the private communicator, blocking.
  void align_traces(const PrivateComm& own) const;

 private:
  void duplicate_or_refuse(PrivateComm& own, MPI_Comm comm) const;

  Agreement::Same asked_;
  Agreement::Greatest thousandths_;  ///< of ranks per core
  Agreement::Least least_thousandths_;
  OneNode one_node_;
  Agreement::Greatest untraced_;
  SpareComms::Offer spare_;
  Agreement::Same offered_;
  Agreement::Greatest name_;     ///< of the private communicator
  Agreement::Greatest refused_;  ///< whether some rank should have none: see SpareComms
  Agreement::Greatest enough_;   ///< whether some rank should make no more of them
};

}  // namespace rondo::internal

#endif
