/// @file
/// What a schedule is expected to cost.
#ifndef RONDO_COLLECTIVES_SELECTION_COST_MODEL_HPP
#define RONDO_COLLECTIVES_SELECTION_COST_MODEL_HPP

#include "runtime/schedule/message_form_costs.hpp"
#include "runtime/schedule/schedule.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace rondo::internal {

/// How the messages of an operation travel between ranks that share a node.
enum class Medium : std::uint8_t { mpi, slots, lanes };
inline constexpr std::array kMedia{Medium::mpi, Medium::slots, Medium::lanes};

/// Whether a message may leave its node, or stays on it.
enum class Nearness : std::uint8_t { far, near };

/// Something for each medium.
template <typename Value>
struct ByMedium {
  Value mpi;
  Value slots;
  Value lanes;

  [[nodiscard]] const Value& operator[](Medium medium) const noexcept {
    return medium == Medium::mpi ? mpi : medium == Medium::slots ? slots : lanes;
  }
  [[nodiscard]] Value& operator[](Medium medium) noexcept {
    return medium == Medium::mpi ? mpi : medium == Medium::slots ? slots : lanes;
  }
};

/// Measured costs, in nanoseconds of one rank's core. The paper's linear model (ICPP 2019, section 3.1) is the special
/// case of `message` = alpha, `byte` = `long_byte` = beta, no eager limit and all else zero.
struct CostParameters {
  double message;  ///< sending and receiving a message
  double byte;     ///< each of its first `burst` bytes, which caches and prefetchers do not help with
  std::int64_t burst;
  double long_byte;          ///< each byte after those
  std::int64_t eager_limit;  ///< bytes of the longest message that needs no handshake
  double rendezvous;         ///< a message with a handshake
  double rendezvous_byte;    ///< each byte of one
  double copied_block;       ///< copying a block into or out of a combined message
  double copied_byte;
  double phase;             ///< a message that waits for another rank's
  double second_phase = 0;  ///< and once more where there is more than one phase
  double reduction = 20;    ///< combining two vectors (MPI_Reduce_local)
  double reduced_byte = 0.1;
  double warm = 1;  ///< share of `byte` where the sender has just touched what it sends: SentData::warm
};

/// What messages between nodes take where all ranks send at once, in nanoseconds of a rank.
struct NetworkTimes {
  static constexpr int kEagerLimit = 16384;  ///< bytes; networks ask first from about there on

  double message;         ///< sending and receiving one
  double byte;            ///< each of its bytes
  double latency;         ///< until the first is there, without what it takes as one of many
  double rendezvous = 0;  ///< a message of more than kEagerLimit bytes, without them; 0: nobody has timed it
};

/// Whether the sender has other data in its messages each time, or, as in an allgather, one block in many of them: its
/// own, or those that it has just received.
enum class SentData : std::uint8_t { cold, warm };

/// What a process does in one operation, and how long that is expected to take. On a mesh: a process far from the edge,
/// so that all ranks predict alike; what exists nowhere is left out.
struct Prediction {
  std::int64_t phases = 0;
  std::int64_t rounds = 0;         ///< messages sent
  std::int64_t blocks = 0;         ///< volume: blocks in them, each counted once for each hop (the paper's V)
  std::int64_t bytes = 0;          ///< and their bytes
  std::int64_t copied_blocks = 0;  ///< copied into or out of messages of several blocks
  std::int64_t copied_bytes = 0;
  std::int64_t reductions = 0;  ///< of two vectors to one
  std::int64_t reduced_bytes = 0;
  double nanoseconds = 0;

  /// Of what comes after it.
  Prediction& operator+=(const Prediction& next);
};

/// Predicts from what all ranks know alike (numbers and sizes of messages and blocks, never local datatypes), so that
/// predictions are the same everywhere.
class CostModel {
 public:
  explicit CostModel(const CostParameters& parameters) : parameters_(parameters) {}
  /// `origin` says, for people, where they were measured.
  CostModel(const CostParameters& parameters, const FormCosts& forms, std::string origin)
      : parameters_(parameters), form_costs_(forms), origin_(std::make_shared<const std::string>(std::move(origin))) {}
  /// With parameters measured for the MPI that Rondo was built with. `ranks_per_core` must be agreed on by the ranks:
  /// where they share cores, caches are cold after every turn and a phase is a turn of all of them.
  explicit CostModel(double ranks_per_core);
  /// Of messages that go through slots between the ranks of one node, as far as they are short enough.
  [[nodiscard]] static CostModel through_slots(double ranks_per_core);
  /// The same through lanes.
  [[nodiscard]] static CostModel through_lanes(double ranks_per_core);
  /// Of messages between nodes, as they were timed; none takes less than over MPI within a node. Costs of far messages
  /// that a tuning file has are kept instead.
  [[nodiscard]] CostModel over_network(const NetworkTimes& times) const noexcept;
  /// Takes the memory for what over_network() says of where its costs are from. Throws std::bad_alloc.
  static void prepare_for_network();
  /// From now on they count as measured on this machine: otherwise they are built in.
  void set_measured() noexcept { measured_ = true; }
  [[nodiscard]] bool is_measured() const noexcept { return measured_; }
  /// Whether far messages cost what over_network() was told.
  [[nodiscard]] bool knows_network() const noexcept { return least_.has_value(); }
  /// Of ranks on several nodes: as this model says, but messages that stay near cost what they do in the other one,
  /// with their copies. A wait is for the slowest message. Other models tell no near messages from far ones.
  [[nodiscard]] CostModel with_near(const CostModel& other) const noexcept;

  /// One message of `blocks` blocks, `bytes` bytes together, at both ends.
  [[nodiscard]] double message(std::int64_t bytes, std::int64_t blocks, SentData data = SentData::cold,
                               Nearness nearness = Nearness::far) const;

  /// What a message between nodes keeps busy, where these were timed: the core of a rank, at least; and the port of a
  /// node, over the number of its ranks, as all of them were sending. Both may be busy at once, so that together they
  /// may be more than message(). Where nothing was timed all is the core's.
  [[nodiscard]] double on_core(std::int64_t bytes) const;
  [[nodiscard]] double on_port(std::int64_t bytes) const;

  /// Adds to a prediction: one more phase of messages that wait for others, the slowest of them near or far; a message
  /// sent, with the one received; blocks copied at one end of a message; vectors, all of `bytes` bytes together, each
  /// combined with another.
  void add_phase(Prediction& prediction, Nearness nearness = Nearness::far) const;
  /// The phases of one that has messages, none of which waits for another but for room: `ports` are under way at once,
  /// or all where that is 0.
  void add_windows(Prediction& prediction, int ports) const;
  void add_message(Prediction& prediction, std::int64_t blocks, std::int64_t bytes, SentData data = SentData::cold,
                   Nearness nearness = Nearness::far) const;
  void add_copies(Prediction& prediction, std::int64_t blocks, std::int64_t bytes,
                  Nearness nearness = Nearness::far) const;
  void add_reductions(Prediction& prediction, std::int64_t vectors, std::int64_t bytes) const;

  /// What one part of an operation costs. Such costs can be summed; second_phase(), left out here, comes once to the
  /// sum where the parts have two phases and more together.
  [[nodiscard]] double of_part(const Prediction& part) const;
  [[nodiscard]] double second_phase() const { return parameters_.second_phase; }

  /// What a schedule costs the process it is for, counted from its tasks.
  [[nodiscard]] Prediction schedule(const Schedule& schedule) const;

  [[nodiscard]] const CostParameters& parameters(Nearness nearness) const noexcept {
    return nearness == Nearness::near && near_ ? *near_ : parameters_;
  }
  /// What scattered messages cost in either form.
  [[nodiscard]] const FormCosts& form_costs() const { return form_costs_; }
  /// Where the costs are from, for people; may be empty.
  [[nodiscard]] std::string origin() const;

 private:
  static CostModel through_memory(double ranks_per_core, double message, std::int64_t longest);

  CostParameters parameters_;
  std::optional<CostParameters> least_;  ///< what a far message costs that was timed as less
  std::optional<CostParameters> near_;   ///< where those of near messages are other ones
  bool measured_ = false;
  FormCosts form_costs_ = measured_form_costs();
  // Shared, so that copies cannot fail; null where there is nothing to say.
  std::shared_ptr<const std::string> origin_;
  std::shared_ptr<const std::string> near_origin_;
};

}  // namespace rondo::internal

#endif
