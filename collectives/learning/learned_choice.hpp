/// @file
/// LearnedChoice: a persistent operation that finds out which of its candidates is the fastest.
#ifndef RONDO_COLLECTIVES_LEARNING_LEARNED_CHOICE_HPP
#define RONDO_COLLECTIVES_LEARNING_LEARNED_CHOICE_HPP

#include "collectives/learning/contenders.hpp"
#include "collectives/learning/start_time.hpp"
#include "collectives/learning/summed_times.hpp"
#include "collectives/learning/turns.hpp"
#include "runtime/operation/operation.hpp"
#include "runtime/operation/rotation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rondo::internal::learning {

/// The operation of a candidate.
struct Contestant {
  std::unique_ptr<Operation> operation;  ///< ready to be started; null while its user has it, and when it has lost
  std::function<std::string()> alone{};  ///< the operation's own explanation, for people
};

/// The rotation in which candidates are tried by Turns. Its operations have the same buffers.
class LearnedChoice final : public Rotation {
 public:
  /// Makes a rotation of `contenders`, the best by prediction first. Their operations, bound to the same buffers,
  /// follow by set_operation(), before hand_out(). `starts`, `period`: see Turns. `sums`: must be ready to begin by
  /// then. `rank` of `ranks`: those of the communicator. `problem`: the name under which the result is kept
  /// (keep_learned_plan); empty: it is not kept.
  LearnedChoice(std::vector<Contender> contenders, int starts, int period, std::unique_ptr<SummedTimes> sums, int rank,
                int ranks, std::string problem);

  void set_operation(std::size_t candidate, std::unique_ptr<Operation> operation) noexcept;
  [[nodiscard]] SummedTimes& sums() noexcept { return *sums_; }
  /// Returns the operation for the user's hands, which holds the rotation.
  [[nodiscard]] static std::unique_ptr<Operation> hand_out(std::unique_ptr<LearnedChoice> choice);

  [[nodiscard]] std::uint32_t start(std::unique_ptr<Operation>& held) override;
  void is_waited_for() noexcept override;
  void is_finished() noexcept override;

  /// Returns a report of the findings so far, with a line for each candidate, for people.
  [[nodiscard]] std::string told() const;

 private:
  [[nodiscard]] bool compares_modes() const noexcept;
  [[nodiscard]] bool has_sums(const Operation& held);
  void put_into(std::unique_ptr<Operation>& held, std::size_t next) noexcept;
  void start_when_decided(Operation& held);
  void decide();
  void drop_losers() noexcept;
  [[nodiscard]] std::uint32_t rest() noexcept;
  void tell_winner(Operation& winner) noexcept;
  [[nodiscard]] std::string told_of_later_looks() const;

  std::vector<Contender> contenders_;
  std::vector<Contestant> candidates_;  ///< in the order of contenders_
  Turns turns_;
  std::unique_ptr<SummedTimes> sums_;
  int rank_;
  int ranks_;
  std::string problem_;
  std::optional<std::size_t> told_;  ///< the last winner that was reported; none: losers may still be there
  std::int64_t rests_for_ = 0;       ///< starts for which the rotation rests
  int late_starts_ = 0;              ///< starts that waited for other ranks' times
  std::size_t held_ = 0;             ///< the candidate in the user's hands
  bool is_timed_ = false;            ///< whether the last start is timed, because it counts
  StartTime time_;                   ///< of the last start; alike for all candidates, or they could not be compared
};

}  // namespace rondo::internal::learning

#endif
