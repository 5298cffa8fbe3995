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

/// The graph of functions for workers. A follower is a function that waits for nothing but functions of workers, so the
/// worker that runs the last of these gets the follower, and runs or pushes it. The token's holder counts the
/// follower's predecessors too, as for all tasks, when it takes the awaited functions from DoneFunctions: a follower
/// that becomes ready by this count is already with the workers. The holder learns of the awaited functions before it
/// learns of the follower, because they are pushed to DoneFunctions before the follower may run.
class WorkerGraph {
 public:
  /// Builds the graph. `home` is copied. Throws std::bad_alloc.
  WorkerGraph(const Schedule& schedule, const FunctionHome& home);

  /// Marks the function of a task as given to workers, because the task is ready. Returns the function, or null if it
  /// is a follower, which the workers have already. Call this and take_back() with the progress token held.
  [[nodiscard]] WorkerFunction* give(const Task& task) noexcept {
    Place& place = places_[task.first_part];
    place.given = true;
    return place.follows ? nullptr : &functions_[task.first_part];
  }
  /// Marks the function of a task as having run.
  void take_back(const Task& task) noexcept { places_[task.first_part].given = false; }
  /// Calls visit(task) for each function that was given and not taken back.
  template <typename Visit>
  void for_each_given(Visit visit) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].given) visit(functions_[i].task);
    }
  }

 private:
  /// The token's holder's data about a function, apart from the data that workers write.
  struct Place {
    bool follows = false;
    bool given = false;
  };

  FunctionHome home_;
  std::vector<Place> places_;                    ///< by computation, as functions_
  std::unique_ptr<WorkerFunction[]> functions_;  ///< without a task if the driving thread runs the function
  std::vector<WorkerFunction*> followers_;       ///< the lists of followers of all functions
};

}  // namespace rondo::internal

#endif
