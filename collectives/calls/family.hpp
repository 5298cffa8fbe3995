/// @file
/// CollectiveFamily: what Cartesian, dense and edge collectives know each for itself.
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

/// The ranks that the receive blocks come from and the send blocks go to; kNoRank: there is no such block.
struct OtherEnds {
  std::vector<int> sources;
  std::vector<int> targets;
};

/// What a family adds to the way from a call to an operation (collective.hpp). One object a call, as it keeps what the
/// ranks know of each other's blocks.
class CollectiveFamily {
 public:
  CollectiveFamily() = default;
  CollectiveFamily(const CollectiveFamily&) = delete;
  CollectiveFamily& operator=(const CollectiveFamily&) = delete;
  virtual ~CollectiveFamily() = default;

  [[nodiscard]] virtual CallState& calls() = 0;
  [[nodiscard]] virtual BlockPattern pattern() = 0;

  // An `_init` call lets the ranks tell each other of their blocks, unless the user vouches for them.
  /// Whether it does. The same on all ranks.
  [[nodiscard]] virtual bool asks(const Settings& settings) const = 0;
  /// Takes note of what this rank has to tell, and all the memory for it. Local. Throws Error for settings that are not
  /// for one call.
  virtual void note(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) = 0;
  /// Waits for calls before this one whose collectives of MPI must come first.
  virtual void wait_for_earlier_calls() {}
  /// Collective. Throws on all ranks alike: `trouble` where there is one, MPI_ERR_ARG on the others, and what follows
  /// from what was told.
  virtual void ask(const Call& call, const Settings& settings, const std::exception_ptr& trouble) = 0;
  /// Where ranks told no more than that: takes what follows from the call itself, or from the user's word. Local.
  virtual void take_as_known(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) = 0;

  /// Who is at the other ends of the blocks, so that their sizes can be compared; nobody where ask() compares them.
  [[nodiscard]] virtual OtherEnds other_ends() const { return {}; }

  /// At least as many as any schedule of these blocks needs; the same on all ranks.
  [[nodiscard]] virtual std::uint32_t most_tags() const = 0;
  /// What else a schedule depends on, and on what was asked.
  virtual void append_key(const Settings& settings, std::vector<std::int64_t>& key) const = 0;
  [[nodiscard]] virtual Chosen choose(const CheckedCall& checked, const CallShapes& shapes,
                                      const Settings& settings) = 0;
  /// For another call on the same communicator, where the blocks of a regular call have one size on all ranks; null
  /// where they may not.
  [[nodiscard]] virtual std::unique_ptr<CollectiveFamily> make_another() const { return nullptr; }
  /// Whether a persistent call may have any of the candidates that were compared for it: all of them know enough.
  [[nodiscard]] virtual bool may_learn(const Call& /*call*/) const { return true; }
  [[nodiscard]] virtual ProgressMode progress(const Settings& settings) const { return settings.progress; }
  /// For RONDO_CHECK. Refers to the family and to the call.
  [[nodiscard]] virtual ArrivalsOfAll arrivals(const Call& call) const = 0;
};

}  // namespace rondo::internal

#endif
