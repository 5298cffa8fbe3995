/// @file
/// Creation: the agreement of ranks when Rondo makes its state for a communicator.
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
  /// Adds the words. `use`: this rank's use of shared memory. Call while MPI runs.
  OneNode(Agreement& words, SharedMemory use);

  /// Returns, after the agreement, whether all ranks want shared memory, may have some, and are on one node, as far as
  /// they can tell (see NodeCard).
  [[nodiscard]] bool is_agreed(const Agreement& words) const { return words.of(nodeless_) == 0 && words.holds(node_); }
  /// Returns, after the agreement, whether all ranks have the same cache_number(): then any two ranks on a node share a
  /// cache, or nothing is known of their caches.
  [[nodiscard]] bool shares_cache(const Agreement& words) const { return words.holds(cache_); }

 private:
  Agreement::Same cache_;
  Agreement::Same node_;
  Agreement::Greatest nodeless_;  ///< whether some rank wants no shared memory, has none, or does not know its node
};

/// The agreement that precedes the making of a private communicator, the same for every family of collectives.
class Creation {
 public:
  /// Adds the words. `asked`: a number for everything that all ranks must ask for alike. `use`: this rank's use of
  /// shared memory. `trouble`: why this rank cannot go on. `spare`: the communicator that make() may take if all ranks
  /// offer it.
  Creation(std::uint64_t asked, SharedMemory use, const std::exception_ptr& trouble, MPI_Comm comm,
           SpareComms::Offer spare = {});

  Agreement words;  ///< further words may be added before reach()

  /// Exchanges the words as Agreement::reach_and_confirm() does, because communicators are made next. Collective.
  void reach() { words.reach_and_confirm("comm"); }
  // The results of reach().
  /// Returns whether all ranks asked for the same.
  [[nodiscard]] bool asked_alike() const { return words.holds(asked_); }
  /// Returns the highest ranks per core of all ranks. See also same_load_everywhere() and load_here(), this rank's own.
  [[nodiscard]] double ranks_per_core() const;
  /// Returns the result of OneNode::is_agreed().
  [[nodiscard]] bool on_one_node() const { return one_node_.is_agreed(words); }
  /// Returns the result of OneNode::shares_cache().
  [[nodiscard]] bool shares_cache() const { return one_node_.shares_cache(words); }
  [[nodiscard]] bool same_load_everywhere() const { return words.of(thousandths_) == words.of(least_thousandths_); }
  [[nodiscard]] static double load_here();
  /// Makes the private communicator of `comm`. Collective over `comm`. Throws NoPrivateComm with MPI's class, on all
  /// ranks alike.
  void make(PrivateComm& own, MPI_Comm comm);
  /// Aligns the traces of all ranks, so that they can be put together, if all ranks trace. Collective over the private
  /// communicator, blocking.
  void align_traces(const PrivateComm& own) const;

 private:
  void duplicate_or_refuse(PrivateComm& own, MPI_Comm comm) const;

  Agreement::Same asked_;
  Agreement::Greatest thousandths_;  ///< thousandths of ranks per core
  Agreement::Least least_thousandths_;
  OneNode one_node_;
  Agreement::Greatest untraced_;
  SpareComms::Offer spare_;
  Agreement::Same offered_;
  Agreement::Greatest name_;     ///< name of the private communicator
  Agreement::Greatest refused_;  ///< whether some rank should have no private communicator: see SpareComms
  Agreement::Greatest enough_;   ///< whether some rank should make no more private communicators
};

}  // namespace rondo::internal

#endif
