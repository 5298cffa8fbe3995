/// @file
/// Runs collectives on virtual ranks under an adversary, and compares every byte with the definition.
#ifndef RONDO_TESTS_SIMULATION_HPP
#define RONDO_TESTS_SIMULATION_HPP

#include <rondo/memory.hpp>

#include "runtime/execution/execution.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "tests/support/block_oracle.hpp"
#include "tests/support/cases/collective_case.hpp"
#include "tests/support/networks/laned_network.hpp"
#include "tests/support/networks/slotted_network.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {

/// A byte of an operation's send buffer: a function of all that could be confused.
std::byte content(std::size_t operation, std::int32_t rank, std::int64_t offset, int repetition);

/// One operation on one virtual rank.
class VirtualOperation {
 public:
  VirtualOperation(const CollectiveCase& collective, std::size_t number, int rank, Transport& transport, MPI_Comm comm,
                   int first_tag);

  /// From now on each start has tags of its own, so many after those of the one before, as nonblocking calls have.
  void take_new_tags(int further) { further_tags_ = further; }
  void start();
  /// After completion: what is wrong, empty when nothing is. Ready for the next start. A failure is nothing wrong when
  /// it was to be expected; then it is counted.
  [[nodiscard]] std::string finish(bool may_fail);

  /// From now on blocks are looked at; does nothing where the case does not say where they are.
  void watch_blocks();
  [[nodiscard]] bool watched() const { return oracle_.has_value(); }
  /// What is wrong with blocks that have arrived; those that were sent are overwritten.
  [[nodiscard]] std::string look_at_blocks();

  [[nodiscard]] Execution& execution() { return execution_; }
  [[nodiscard]] int repetition() const { return repetition_; }
  [[nodiscard]] const std::vector<int>& failed_repetitions() const { return failed_; }
  [[nodiscard]] std::string who(int repetition) const;

 private:
  /// The receive buffer before anything arrives.
  [[nodiscard]] std::vector<std::byte> untouched(int repetition) const;
  /// And in the end.
  [[nodiscard]] std::vector<std::byte> defined(int repetition) const;

  /// Byte i of a line whose sources are associated as told.
  [[nodiscard]] std::byte combined(const Combination& line, std::span<const int> association, std::int64_t i,
                                   int repetition) const;

  /// Byte i of a line.
  [[nodiscard]] std::byte combined(const Combination& line, std::int64_t i, int repetition) const;

  std::size_t number_;
  int rank_;
  bool in_place_;
  int repetition_ = 0;
  std::vector<int> failed_;
  std::vector<Placement> definition_;
  std::vector<Combination> combinations_;
  std::vector<std::vector<int>> associations_;  ///< of each of them, if the case says
  // Of allocated memory, so that messages may be claimed.
  std::vector<std::byte, Allocator<std::byte>> send_;
  std::vector<std::byte, Allocator<std::byte>> recv_;
  std::vector<std::byte> expected_send_;  ///< with what has been overwritten
  std::vector<std::byte> expected_;       ///< the receive buffer in the end
  std::optional<UserBlocks> blocks_;
  std::optional<BlockOracle> oracle_;
  const ByteOp* op_;
  int further_tags_ = 0;
  Execution execution_;
};

/// Several operations at once, each started `repetitions` times on every rank. The adversary picks which
/// rank does something next; that rank starts any operation that is not active, whatever other ranks do, takes some
/// completions from the network, or works one off, in any order, as if several threads shared its progress. One rank
/// may be slow. The same seed gives the same run.
class Simulation {
 public:
  /// How messages travel: all over the network, or those through slots or lanes that the adversary lets. Of `mixed`
  /// operations some have slots, some lanes, and some neither.
  enum class Ways : std::uint8_t { network, slots, lanes, mixed };
  Simulation(std::span<const CollectiveCase> collectives, std::uint64_t seed, int repetitions,
             std::optional<LoopbackNetwork::Fault> fault = std::nullopt, Ways ways = Ways::network);

  /// Gives up, as a timeout does, all operations of the rank that is about to do something after so many steps.
  void give_up_after(std::size_t steps) { give_up_after_ = steps; }

  /// Whenever the adversary likes, it begins to look at the blocks of an operation, after every step of its rank.
  void watch_blocks() { watches_blocks_ = true; }

  /// What went wrong, empty when nothing did.
  [[nodiscard]] std::string run();

  [[nodiscard]] int ranks() const { return network_.ranks(); }
  /// How many messages of a start take slots.
  [[nodiscard]] std::size_t lines() const { return slots_ ? slots_->lines() : 0; }
  [[nodiscard]] std::size_t published() const { return slots_ ? slots_->published() : 0; }
  [[nodiscard]] std::size_t claims() const { return slots_ ? slots_->claims() : 0; }
  [[nodiscard]] std::size_t late_claims() const { return slots_ ? slots_->late_claims() : 0; }
  [[nodiscard]] std::size_t slow_copies() const { return slots_ ? slots_->slow_copies() : 0; }
  /// How many records have come through lanes.
  [[nodiscard]] std::size_t records() const { return lanes_ ? lanes_->records() : 0; }
  [[nodiscard]] bool fault_struck() const { return network_.fault_struck(); }
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  /// Operation and repetition of each failure, over all ranks.
  [[nodiscard]] std::set<std::pair<std::size_t, int>> failures() const;
  /// How many operations of a rank have failed.
  [[nodiscard]] std::size_t failures_of(int rank) const;

 private:
  struct VirtualRank {
    std::vector<std::unique_ptr<VirtualOperation>> operations;
    std::vector<Completion> taken;  ///< from the network, not yet worked off
  };

  [[nodiscard]] std::string tell(const std::string& what) const;

  std::string look_at_end(VirtualOperation& operation);

  std::string step(std::size_t number);
  /// The same, and whatever else a step may bring.
  std::string whole_step(std::size_t number);
  [[nodiscard]] Transport& transport(int rank) {
    if (slots_) return slots_->transport(rank);
    return network_.transport(rank);
  }
  [[nodiscard]] bool can_move() {
    return network_.can_move() || (slots_ && slots_->can_move()) || (lanes_ && (lanes_->can_move() || has_detours()));
  }
  [[nodiscard]] bool has_detours();

  std::string step_with_watch(std::size_t number);

  /// A start that the library would refuse.
  std::string skip(VirtualOperation& operation);

  [[nodiscard]] bool can_start() const;
  [[nodiscard]] bool lost_messages() const;

  [[nodiscard]] bool failures_expected() const { return network_.fault_struck() || gave_up_; }

  /// What the timeout does on a rank.
  std::string give_up(std::size_t number);

  /// And on every rank.
  std::string end_by_giving_up();

  std::span<const CollectiveCase> collectives_;
  std::uint64_t seed_;
  int repetitions_;
  LoopbackNetwork network_;
  std::optional<SlottedNetwork> slots_;  ///< with the transports, also for lanes
  std::optional<LanedNetwork> lanes_;
  std::vector<VirtualRank> ranks_;
  SlottedNetwork::Did did_ = SlottedNetwork::Did::nothing;  ///< the rank in this step
  std::size_t to_start_ = 0;
  std::size_t active_ = 0;
  std::size_t taken_ = 0;
  static constexpr std::size_t kNever = ~std::size_t{0};
  std::size_t give_up_after_ = kNever;
  bool gave_up_ = false;
  bool watches_blocks_ = false;
};

/// What went wrong in a run without faults.
[[nodiscard]] std::string simulate(std::span<const CollectiveCase> collectives, std::uint64_t seed, int repetitions,
                                   Simulation::Ways ways = Simulation::Ways::network);

/// Of a test that goes through all cases: each how many-th to take, 1 (all) at a scale of 1 and more.
[[nodiscard]] std::uint64_t test_stride();

/// The seeds of a test: [0, count), times the scale but at least ten; only RONDO_SEED when that is
/// set, to replay it.
[[nodiscard]] std::vector<std::uint64_t> seeds(std::uint64_t count);

}  // namespace rondo::internal

#endif
