/// @file
/// SummedTimes: the allreduce in which all ranks add up how long their candidates took.
#ifndef RONDO_COLLECTIVES_LEARNING_SUMMED_TIMES_HPP
#define RONDO_COLLECTIVES_LEARNING_SUMMED_TIMES_HPP

#include "collectives/learning/turns.hpp"
#include "runtime/operation/operation.hpp"

#include <memory>
#include <utility>

namespace rondo::internal::learning {

/// A persistent allreduce with the memory on which it works. It is Rondo's own, so that the ranks of several operations
/// may begin their sums in any order.
class SummedTimes {
 public:
  /// Prepares the process to complete these sums in MPI_Finalize. Throws std::bad_alloc and Error.
  SummedTimes();
  SummedTimes(const SummedTimes&) = delete;
  SummedTimes& operator=(const SummedTimes&) = delete;
  /// Keeps an operation that is under way until its messages have arrived. MPI_Finalize waits for all such operations:
  /// all ranks have made the same starts by then, so all have begun the sums.
  ~SummedTimes();

  /// Returns the buffer, which holds this rank's times and then, in place, the sums.
  [[nodiscard]] Times& words() noexcept { return *words_; }
  /// Sets the operation that adds up words() over all ranks.
  void set_operation(std::unique_ptr<Operation> operation) noexcept { operation_ = std::move(operation); }
  /// Delays the first sums until `prologue` says that it is over: see Operation::start_after().
  void begin_after(Operation::Prologue prologue) { prologue_ = std::move(prologue); }
  /// Begins the sums. Nonblocking. Allocates nothing, unless begin_after() was called.
  void begin(const Times& here);
  /// Begins sums, but not the first ones, with the progress token held.
  void begin_in_prologue(const Times& here);
  /// Returns whether the allreduce of the times is over: the sums have arrived, or it has failed and end() will throw.
  [[nodiscard]] bool is_over() const noexcept { return operation_->complete(); }
  /// Returns whether the sums are over, after a pass of progress if needed.
  [[nodiscard]] bool test() { return operation_->test(); }
  /// Waits until the sums are over.
  void wait() { operation_->wait(); }
  /// Returns the allreduce of the times if it has started and is not yet complete, otherwise null.
  [[nodiscard]] Operation* under_way() const noexcept;
  /// Ends sums that are over and returns them. Throws Error if they cannot be had.
  [[nodiscard]] const Times& end();

 private:
  std::unique_ptr<Times> words_ = std::make_unique<Times>();
  std::unique_ptr<Operation> operation_;
  Operation::Prologue prologue_;  ///< of the first sums; usually empty
};

}  // namespace rondo::internal::learning

#endif
