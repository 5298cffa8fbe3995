/// @file
/// CollectiveFamily: the parts of a call in which Cartesian, dense and edge collectives differ.
#ifndef RONDO_COLLECTIVES_CALLS_FAMILY_HPP
#define RONDO_COLLECTIVES_CALLS_FAMILY_HPP

#include "collectives/arguments/checked_call.hpp"
#include "collectives/comm_state/comm_state.hpp"
#include "collectives/proof/check_at_init.hpp"
#include "collectives/selection/selection.hpp"
#include "collectives/settings/settings.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace rondo::internal {

/// The ranks that the receive blocks come from and the send blocks go to; kNoRank means that there is no such block.
struct OtherEnds {
  std::vector<int> sources;
  std::vector<int> targets;
};

/// The part of a family in the way from a call to an operation (call_to_operation.hpp). Each call has an object of its
/// own, which keeps what the ranks know of each other's blocks.
class CollectiveFamily {
 public:
  CollectiveFamily() = default;
  CollectiveFamily(const CollectiveFamily&) = delete;
  CollectiveFamily& operator=(const CollectiveFamily&) = delete;
  virtual ~CollectiveFamily() = default;

  [[nodiscard]] virtual CallState& calls() = 0;
  [[nodiscard]] virtual BlockPattern pattern() = 0;

  // In an `_init` call the ranks exchange what they know of their blocks, unless the user vouches for them.
  /// Returns whether ranks do that in an `_init` call. The same on all ranks.
  [[nodiscard]] virtual bool asks(const Settings& settings) const = 0;
  /// Records what this rank will send in ask(), and takes all memory for it. Local. Throws Error for settings that do
  /// not apply to one call.
  virtual void note(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) = 0;
  /// Waits for earlier calls whose collectives of MPI must come first.
  virtual void wait_for_earlier_calls() {}
  /// Exchanges what the ranks know of their blocks. Collective. Throws on all ranks alike: `trouble` on the ranks that
  /// have it, MPI_ERR_ARG on the others, and what follows from what was exchanged.
  virtual void ask(const Call& call, const Settings& settings, const std::exception_ptr& trouble) = 0;
  /// Takes what follows from the call itself, or from the user's word, unless the ranks have exchanged more. Local.
  virtual void take_as_known(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) = 0;

  /// Returns the ranks at the other ends of the blocks, to compare block sizes; none if ask() compares them.
  [[nodiscard]] virtual OtherEnds other_ends() const { return {}; }

  /// Returns an upper bound of the number of tags of a schedule of these blocks, the same on all ranks.
  [[nodiscard]] virtual std::uint32_t most_tags() const = 0;
  /// Appends to a cache key what else a schedule depends on, such as what was exchanged.
  virtual void append_key(const Settings& settings, std::vector<std::int64_t>& key) const = 0;
  [[nodiscard]] virtual Chosen choose(const CheckedCall& checked, const CallShapes& shapes,
                                      const Settings& settings) = 0;
  /// Returns an object for another call on the same communicator, if the blocks of a regular call have one size on all
  /// ranks and one plan may serve several sizes; otherwise null.
  [[nodiscard]] virtual std::unique_ptr<CollectiveFamily> make_another() const { return nullptr; }
  /// Returns whether choose() gives calls of one kind the same messages whatever the sizes of their blocks are, but for
  /// those of blocks without bytes.
  [[nodiscard]] virtual bool has_a_message_for_each_block(const Call& /*call*/) const { return false; }
  /// Returns whether a call may run any of its candidates: the ranks know enough for all, and results may differ.
  [[nodiscard]] virtual bool may_learn(const Call& /*call*/) const { return true; }
  [[nodiscard]] virtual ProgressMode progress(const Settings& settings) const { return settings.progress; }
  /// Returns where blocks are to arrive, for RONDO_CHECK. Refers to the family and to the call.
  [[nodiscard]] virtual ArrivalsOfAll arrivals(const Call& call) const = 0;
};

}  // namespace rondo::internal

#endif
