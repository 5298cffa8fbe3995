/// @file
/// OwnCalls: user-defined collectives, in their three forms (blocking, nonblocking and persistent).
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

/// The state that Rondo keeps for a communicator on which a user-defined collective runs.
struct OwnComm {
  /// Returns the state of a communicator. Collective the first time: see DenseContext::ready(). `function`: the
  /// caller's name, for errors and reports.
  [[nodiscard]] static OwnComm of(MPI_Comm comm, const char* function = "OwnCollective");
  [[nodiscard]] static OwnComm of(const Comm& comm);
  [[nodiscard]] static OwnComm of(const CartComm& grid);

  std::shared_ptr<CallState> calls;
  std::shared_ptr<DenseContext> dense;  ///< owner of `calls`; null on a grid
};

/// The algorithms that the user gave, equally many on all ranks.
struct GivenWays {
  std::size_t number;
  std::span<const OwnWay> here;
  std::exception_ptr trouble{};  ///< the error, if any, that keeps this rank from having all of them
};

/// A user-defined lowering on a communicator: its schedules on this rank, and operations that run them.
class OwnCalls {
 public:
  /// Runs the lowerings on all ranks, and returns the calls of the collective. If there are several ways, calls use the
  /// fastest one, as predicted or learned. Collective. Throws on all ranks alike if a lowering throws on one of them.
  [[nodiscard]] static std::shared_ptr<OwnCalls> make(const OwnComm& on, std::string_view name, const GivenWays& ways,
                                                      const Asked& asked);
  [[nodiscard]] static std::shared_ptr<OwnCalls> make(const OwnComm& on, std::string_view name,
                                                      const OwnLowering& lower, const Asked& asked) {
    const OwnWay only{kOwnAlgorithm, lower};
    return make(on, name, {.number = 1, .here = std::span(&only, 1)}, asked);
  }
  /// Call this only from make(), which completes the object.
  OwnCalls(OwnComm on, std::string_view name) : on_(std::move(on)), name_(name) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Runs a blocking call, which learns which of several algorithms is the fastest, if that is asked for. Collective.
  /// Throws the errors of start().
  void run(const OwnBuffer& send, const OwnBuffer& recv);
  /// Returns the started operation of a nonblocking call. Nonblocking calls learn like blocking ones, but separately.
  /// Collective; waits for nobody. Throws Error (MPI_ERR_BUFFER) on this rank only.
  [[nodiscard]] std::unique_ptr<Operation> start(const OwnBuffer& send, const OwnBuffer& recv);
  /// Returns a persistent operation, ready to be started. Collective; waits for the other ranks. `trouble`: the error,
  /// if any, that keeps this rank from going on. Throws on all ranks alike.
  [[nodiscard]] std::unique_ptr<Operation> init(const OwnBuffer& send, const OwnBuffer& recv,
                                                std::exception_ptr trouble);

 private:
  /// A schedule, and the settings and choice for which it was built.
  struct Form {
    Settings settings;
    OwnChoice choice = {};
    OwnSchedule built;
    std::shared_ptr<const Chosen> chosen = nullptr;
    /// Pools of the idle operations, by form of call. Without other candidates, all calls use the first pool.
    std::array<std::shared_ptr<OperationPool>, learning::kFormsOfCalls> pools = {std::make_shared<OperationPool>(),
                                                                                 std::make_shared<OperationPool>()};
  };
  /// The forms of one kind of operations (once_ or persistent_): a form for each candidate.
  struct Forms {
    Form chosen;                                            ///< the form that is predicted to be the fastest
    std::vector<Form> others;                               ///< the other candidates, if these operations learn
    std::shared_ptr<const Chosen> to_learn_from = nullptr;  ///< all of these forms

    /// Returns the form of the algorithm of that name.
    [[nodiscard]] const Form& of(std::string_view algorithm) const noexcept;
  };
  class Lowered;
  /// The lowered schedules of all forms, from lower() until the ranks know how many tags they need.
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

  /// The learning state of the calls of one form.
  struct Learned {
    std::shared_ptr<learning::LearningCalls> learning;  ///< set by the first call
    const Form* settled = nullptr;                      ///< the form of all further calls, once learning is over
  };
  [[nodiscard]] Learned& learned(learning::FormOfCall of) noexcept { return learned_[static_cast<std::size_t>(of)]; }

  OwnComm on_;
  std::string name_;
  Forms once_;                       ///< for blocking and nonblocking operations
  std::optional<Forms> persistent_;  ///< only if messages through slots need other schedules
  std::array<Learned, learning::kFormsOfCalls> learned_;
};

}  // namespace rondo::internal

#endif
