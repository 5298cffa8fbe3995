/// @file
/// CostModel: predicts the costs of schedules.
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

/// The ways in which the messages of an operation can travel between ranks that share a node.
enum class Medium : std::uint8_t { mpi, slots, lanes };
inline constexpr std::array kMedia{Medium::mpi, Medium::slots, Medium::lanes};

/// Whether a message may leave its node (far), or stays on it (near).
enum class Nearness : std::uint8_t { far, near };

/// A value for each medium.
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

/// Measured costs of messages and tasks, in nanoseconds of one rank's core. The paper's linear model (ICPP 2019,
/// section 3.1) is the special case of `message` = alpha, `byte` = `long_byte` = beta, no eager limit and all else
/// zero.
struct CostParameters {
  double message;  ///< for sending and receiving a message
  double byte;     ///< for each of its first `burst` bytes, which caches and prefetchers do not help with
  std::int64_t burst;
  double long_byte;          ///< for each byte after the first `burst`
  std::int64_t eager_limit;  ///< bytes of the longest message that needs no handshake
  double rendezvous;         ///< for a message with a handshake
  double rendezvous_byte;    ///< for each byte of such a message
  double copied_block;       ///< for copying a block into or out of a combined message
  double copied_byte;
  double phase;             ///< for a message that waits for another rank's message
  double second_phase = 0;  ///< once more if there is more than one phase
  double reduction = 20;    ///< for combining two vectors (MPI_Reduce_local)
  double reduced_byte = 0.1;
  double warm = 1;  ///< share of `byte` if the sender has just touched the data: SentData::warm
};

/// Costs of messages between nodes, in nanoseconds of the slowest rank. `latency` holds for one sending rank on each
/// node, all other members for all ranks sending at once.
struct NetworkTimes {
  static constexpr int kEagerLimit = 16384;  ///< bytes; networks use a handshake from about this size on

  double message;         ///< for sending and receiving a message
  double byte;            ///< for each of its bytes
  double latency;         ///< until the first byte arrives, less the message's time when all ranks send
  double rendezvous = 0;  ///< a message of more than kEagerLimit bytes, without its bytes; 0: not timed
};

/// Whether the sender has other data in its messages each time (cold) or, as in an allgather, one block in many of them
/// (warm): its own, or blocks that it has just received.
enum class SentData : std::uint8_t { cold, warm };

/// The work of a process in one operation, and its expected time. On a mesh this is a process far from the edge, so
/// that all ranks predict alike; parts that exist nowhere are left out.
struct Prediction {
  std::int64_t phases = 0;
  std::int64_t rounds = 0;         ///< messages sent
  std::int64_t blocks = 0;         ///< volume: blocks in messages, each counted once for each hop (the paper's V)
  std::int64_t bytes = 0;          ///< bytes of those blocks
  std::int64_t copied_blocks = 0;  ///< copied into or out of messages of several blocks
  std::int64_t copied_bytes = 0;
  std::int64_t reductions = 0;  ///< of two vectors to one
  std::int64_t reduced_bytes = 0;
  double nanoseconds = 0;

  /// Adds the work of the part that comes next.
  Prediction& operator+=(const Prediction& next);
};

/// A model that predicts the costs of schedules, messages and copies. It predicts from facts that all ranks know alike
/// (numbers and sizes of messages and blocks, never local datatypes), so that predictions are the same everywhere.
class CostModel {
 public:
  explicit CostModel(const CostParameters& parameters) : parameters_(parameters) {}
  /// Makes a model with these costs. `origin`: a text for people that says where the costs were measured.
  CostModel(const CostParameters& parameters, const FormCosts& forms, std::string origin)
      : parameters_(parameters), form_costs_(forms), origin_(std::make_shared<const std::string>(std::move(origin))) {}
  /// Makes a model with parameters measured for the MPI that Rondo was built with. `ranks_per_core` must be agreed on
  /// by the ranks: if they share cores, caches are cold whenever a rank runs again, and in a phase all of them run.
  explicit CostModel(double ranks_per_core);
  /// Returns the model of messages that go through slots between the ranks of one node, if they are short enough.
  /// `one_cache`: whether the ranks agree that they share a cache on each node; otherwise fewer messages are short
  /// enough.
  [[nodiscard]] static CostModel through_slots(double ranks_per_core, bool one_cache = true);
  /// Returns the model of messages that go through lanes between the ranks of one node, if they are short enough.
  [[nodiscard]] static CostModel through_lanes(double ranks_per_core, bool one_cache = true);
  /// Returns this model with costs of messages between nodes as they were timed; no message takes less than over MPI
  /// within a node. Returns the model unchanged if is_measured(): costs from a tuning file are kept.
  [[nodiscard]] CostModel over_network(const NetworkTimes& times) const noexcept;
  /// Allocates the text that over_network() uses as origin. Throws std::bad_alloc.
  static void prepare_for_network();
  /// Marks the costs as measured on this machine, rather than built in.
  void set_measured() noexcept { measured_ = true; }
  [[nodiscard]] bool is_measured() const noexcept { return measured_; }
  /// Returns whether far messages cost what a call of over_network() was given.
  [[nodiscard]] bool knows_network() const noexcept { return least_.has_value(); }
  /// Returns the model of ranks on several nodes: this model, but messages that stay near, with their copies, cost what
  /// they do in `other`. A wait is for the slowest message. Models without this do not distinguish near from far
  /// messages.
  [[nodiscard]] CostModel with_near(const CostModel& other) const noexcept;

  /// Returns the cost of one message of `blocks` blocks, `bytes` bytes together, at both ends.
  [[nodiscard]] double message(std::int64_t bytes, std::int64_t blocks, SentData data = SentData::cold,
                               Nearness nearness = Nearness::far) const;

  /// Return the least time for which a message between nodes keeps a rank's core busy, and its time on the port of the
  /// node, divided by the number of the node's ranks, because all of them were sending when it was timed. Both may be
  /// busy at once, so that their sum may be more than message(). If nothing was timed, all time is the core's.
  [[nodiscard]] double on_core(std::int64_t bytes) const;
  [[nodiscard]] double on_port(std::int64_t bytes) const;

  /// Adds one more phase of messages that wait for others to a prediction. `nearness`: of the slowest of these
  /// messages.
  void add_phase(Prediction& prediction, Nearness nearness = Nearness::far) const;
  /// Adds the phases of a prediction whose messages do not wait for each other's data: at most `ports` of them are
  /// under way at once, or all if `ports` is 0.
  void add_windows(Prediction& prediction, int ports) const;
  /// Adds a message that is sent, with the one that is received, to a prediction.
  void add_message(Prediction& prediction, std::int64_t blocks, std::int64_t bytes, SentData data = SentData::cold,
                   Nearness nearness = Nearness::far) const;
  /// Adds blocks that are copied at one end of a message to a prediction.
  void add_copies(Prediction& prediction, std::int64_t blocks, std::int64_t bytes,
                  Nearness nearness = Nearness::far) const;
  /// Adds vectors, all of `bytes` bytes together, each combined with another, to a prediction.
  void add_reductions(Prediction& prediction, std::int64_t vectors, std::int64_t bytes) const;

  /// Returns the cost of one part of an operation. Such costs can be summed. second_phase() is left out of them, and is
  /// added once to the sum if the parts have two or more phases together.
  [[nodiscard]] double of_part(const Prediction& part) const;
  [[nodiscard]] double second_phase() const { return parameters_.second_phase; }

  /// Returns the work of a schedule's process and its expected time, counted from the schedule's tasks.
  [[nodiscard]] Prediction schedule(const Schedule& schedule) const;

  [[nodiscard]] const CostParameters& parameters(Nearness nearness) const noexcept {
    return nearness == Nearness::near && near_ ? *near_ : parameters_;
  }
  /// Returns the costs of scattered messages in either form.
  [[nodiscard]] const FormCosts& form_costs() const { return form_costs_; }
  /// Returns a text for people that says where the costs are from; may be empty.
  [[nodiscard]] std::string origin() const;

 private:
  static CostModel through_memory(double ranks_per_core, double message, std::int64_t longest, bool one_cache);

  CostParameters parameters_;
  std::optional<CostParameters> least_;  ///< lower bound of the cost of a far message that was timed
  std::optional<CostParameters> near_;   ///< costs of near messages, if they differ
  bool measured_ = false;
  FormCosts form_costs_ = measured_form_costs();
  // Shared, so that copies cannot fail; null if there is no text.
  std::shared_ptr<const std::string> origin_;
  std::shared_ptr<const std::string> near_origin_;
};

}  // namespace rondo::internal

#endif
