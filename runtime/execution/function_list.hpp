/// @file
/// FunctionList: the executions of an engine that have functions to run, or that workers run.
#ifndef RONDO_RUNTIME_EXECUTION_FUNCTION_LIST_HPP
#define RONDO_RUNTIME_EXECUTION_FUNCTION_LIST_HPP

#include "runtime/execution/execution.hpp"
#include "runtime/functions/worker_functions.hpp"

#include <cstddef>
#include <utility>

namespace rondo::internal {

/// A list of executions in the order in which they entered it; each is in the list at most once. The list allocates no
/// memory, because the links are in the executions. Used by the token's holder.
class FunctionList {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  void push(Execution& execution) noexcept {
    execution.next_with_functions = nullptr;
    (last_ == nullptr ? first_ : last_->next_with_functions) = &execution;
    last_ = &execution;
  }
  [[nodiscard]] Execution& pop() noexcept {
    Execution& execution = *first_;
    first_ = execution.next_with_functions;
    if (first_ == nullptr) last_ = nullptr;
    return execution;
  }
  /// Calls visit(execution) for each listed execution. Safe in a signal handler that interrupts a function.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Execution* it = first_; it != nullptr; it = it->next_with_functions) visit(*it);
  }

  /// Functions that workers have run.
  DoneFunctions done;
  std::size_t on_workers = 0;               ///< functions that were given to workers and not yet taken from `done`
  Execution* first_with_workers = nullptr;  ///< executions that have functions on workers, linked by next_with_workers

  /// Adds an execution when it gives its first function to workers. leave_with_workers() removes it when its last one
  /// is back.
  void enter_with_workers(Execution& execution) noexcept {
    execution.next_with_workers = std::exchange(first_with_workers, &execution);
  }
  void leave_with_workers(const Execution& execution) noexcept {
    Execution** link = &first_with_workers;
    while (*link != &execution) link = &(*link)->next_with_workers;
    *link = execution.next_with_workers;
  }

 private:
  Execution* first_ = nullptr;
  Execution* last_ = nullptr;
};

}  // namespace rondo::internal

#endif
