/// @file
/// Collectives of the user's own, in their three forms.
#ifndef RONDO_COLLECTIVES_OPERATIONS_OWN_COLLECTIVE_HPP
#define RONDO_COLLECTIVES_OPERATIONS_OWN_COLLECTIVE_HPP

#include <mpi.h>

#include "collectives/calls/late_call.hpp"
#include "collectives/comm_state/comm_state.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/learning/learning_calls.hpp"
#include "collectives/own/own_builder.hpp"
#include "collectives/own/own_schedule.hpp"
#include "collectives/rehearsal/own_choice.hpp"
#include "collectives/selection/selection.hpp"
#include "collectives/settings/settings.hpp"
#include "runtime/operation/operation.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo {
class CartComm;
class Comm;
}  // namespace rondo

namespace rondo::internal {

/// What Rondo keeps for a communicator that a collective of one's own runs on.
struct OwnComm {
  /// Collective the first time: see DenseContext::ready(). `function`: of the caller, for errors and reports.
  [[nodiscard]] static OwnComm of(MPI_Comm comm, const char* function = "OwnCollective");
  [[nodiscard]] static OwnComm of(const Comm& comm);
  [[nodiscard]] static OwnComm of(const CartComm& grid);

  std::shared_ptr<CallState> calls;
  std::shared_ptr<DenseContext> dense;  ///< whose calls they are; null on a grid
};

/// The algorithms that the user gave: of the same number on all ranks.
struct GivenWays {
  std::size_t number;
  std::span<const OwnWay> here;
  std::exception_ptr trouble{};  ///< why this rank does not have them all
};

/// A lowering of the user's own on a communicator: its schedules on this rank, and operations that run them.
class OwnCalls {
 public:
  /// Collective. Throws on all ranks alike: what a lowering throws on its own rank. Of several ways the fastest runs.
  [[nodiscard]] static std::shared_ptr<OwnCalls> make(const OwnComm& on, std::string_view name, const GivenWays& ways,
                                                      const Asked& asked);
  [[nodiscard]] static std::shared_ptr<OwnCalls> make(const OwnComm& on, std::string_view name,
                                                      const OwnLowering& lower, const Asked& asked) {
    const OwnWay only{kOwnAlgorithm, lower};
    return make(on, name, {.number = 1, .here = std::span(&only, 1)}, asked);
  }
  /// For make().
  OwnCalls(OwnComm on, std::string_view name) : on_(std::move(on)), name_(name) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Blocking: started and waited for; learns which of several algorithms is the fastest, where that is asked for.
  /// Collective. Throws as start().
  void run(const OwnBuffer& send, const OwnBuffer& recv);
  /// Nonblocking: a started operation, which learns as blocking ones do, apart from those. Collective; waits for
  /// nobody. Throws Error, MPI_ERR_BUFFER, on this rank only.
  [[nodiscard]] std::unique_ptr<Operation> start(const OwnBuffer& send, const OwnBuffer& recv);
  /// Persistent: an operation ready to be started. Collective; waits for the other ranks. `trouble`: why this rank
  /// cannot go on. Throws on all ranks alike.
  [[nodiscard]] std::unique_ptr<Operation> init(const OwnBuffer& send, const OwnBuffer& recv,
                                                std::exception_ptr trouble);

 private:
  /// A schedule, and what it was built for.
  struct Form {
    Settings settings;
    OwnChoice choice = {};
    OwnSchedule built;
    std::shared_ptr<const Chosen> chosen = nullptr;
    /// Of its idle operations, by the calls that they are for. Where nothing is learned all have the first one.
    std::array<std::shared_ptr<OperationPool>, learning::kFormsOfCalls> pools = {std::make_shared<OperationPool>(),
                                                                                 std::make_shared<OperationPool>()};
  };
  /// For one kind of operations.
  struct Forms {
    Form chosen;               ///< which is predicted to be the fastest
    std::vector<Form> others;  ///< the other algorithms that may be, where these operations learn
    std::shared_ptr<const Chosen> to_learn_from = nullptr;  ///< all of these

    /// That of an algorithm.
    [[nodiscard]] const Form& of(std::string_view algorithm) const noexcept;
  };
  class Lowered;
  /// Forms, until the ranks know how many tags they need.
  struct LoweredForms;

  void set_up(const Asked& asked);
  [[nodiscard]] static std::vector<double> predictions(const OwnComm& on, OwnCalls* made, std::span<const OwnWay> ways,
                                                       std::exception_ptr trouble);
  void lower(std::span<const OwnWay> ways, std::span<const double> times, std::span<LoweredForms> lowered);
  void prepare_to_learn(Forms& forms, std::span<const OwnWay> ways) const;
  void complete(std::span<LoweredForms> lowered, std::span<const OwnWay> ways, std::uint32_t tags, bool check);
  void complete_others(Forms& forms, bool check) const;
  [[nodiscard]] static std::shared_ptr<const Chosen> to_learn_from(const Forms& forms, std::int64_t bytes);
  [[nodiscard]] std::vector<Forms*> all_forms() {
    return persistent_ ? std::vector{&once_, &*persistent_} : std::vector{&once_};
  }
  [[nodiscard]] const Forms& persistent() const noexcept { return persistent_ ? *persistent_ : once_; }
  void check_together_on(const Form& form, bool mismatched) const;
  [[nodiscard]] IdleOperation idle(const Form& form, learning::FormOfCall of, const OwnBuffer& send,
                                   const OwnBuffer& recv);
  [[nodiscard]] std::unique_ptr<Operation> start_by(const Form& form, learning::FormOfCall of, const OwnBuffer& send,
                                                    const OwnBuffer& recv);
  [[nodiscard]] std::unique_ptr<Operation> start_in_turn(learning::FormOfCall form_of_call, const OwnBuffer& send,
                                                         const OwnBuffer& recv,
                                                         std::shared_ptr<learning::LearningCalls>& waits_for);
  void settle_on(const Form& form, learning::FormOfCall of) noexcept;

  /// What the calls of one form have learned.
  struct Learned {
    std::shared_ptr<learning::LearningCalls> learning;  ///< from the first of them on
    const Form* settled = nullptr;                      ///< that of all further ones
  };
  [[nodiscard]] Learned& learned(learning::FormOfCall of) noexcept { return learned_[static_cast<std::size_t>(of)]; }

  OwnComm on_;
  std::string name_;
  Forms once_;                       ///< for blocking and nonblocking operations
  std::optional<Forms> persistent_;  ///< where messages through slots are to be built otherwise
  std::array<Learned, learning::kFormsOfCalls> learned_;
};

}  // namespace rondo::internal

#endif
