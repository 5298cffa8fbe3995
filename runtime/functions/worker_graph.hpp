/// @file
/// WorkerGraph: the functions of an execution that workers run, and which of them follow which.
#ifndef RONDO_RUNTIME_FUNCTIONS_WORKER_GRAPH_HPP
#define RONDO_RUNTIME_FUNCTIONS_WORKER_GRAPH_HPP

#include "runtime/functions/worker_functions.hpp"
#include "runtime/schedule/schedule.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::internal {

/// A follower waits for nothing but functions of workers, so whoever runs the last of these has it, and runs it or
/// pushes it. The token's holder counts it, too, as it counts all tasks, from the news of those functions: to it a
/// follower that becomes ready is already with the workers. It hears of these functions before it hears of the
/// follower, as they are told before the follower may run.
class WorkerGraph {
 public:
  /// `home` is copied. Throws std::bad_alloc.
  WorkerGraph(const Schedule& schedule, const FunctionHome& home);

  /// This and the next by the token's holder: the function of a task is ready. Null: it is a follower, workers have it.
  [[nodiscard]] WorkerFunction* give(const Task& task) noexcept {
    Place& place = places_[task.first_part];
    place.given = true;
    return place.follows ? nullptr : &functions_[task.first_part];
  }
  /// It has run.
  void take_back(const Task& task) noexcept { places_[task.first_part].given = false; }
  /// Calls visit(task) for each that was given, and not taken back.
  template <typename Visit>
  void for_each_given(Visit visit) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].given) visit(functions_[i].task);
    }
  }

 private:
  /// What the token's holder knows of a function, apart from what workers write.
  struct Place {
    bool follows = false;
    bool given = false;
  };

  FunctionHome home_;
  std::vector<Place> places_;                    ///< by computation, as the functions
  std::unique_ptr<WorkerFunction[]> functions_;  ///< without tasks where the driving thread runs them
  std::vector<WorkerFunction*> followers_;       ///< of all functions
};

}  // namespace rondo::internal

#endif
