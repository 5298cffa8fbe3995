/// @file
/// SummedTimes: the allreduce in which all ranks add up how long their candidates took.
#ifndef RONDO_COLLECTIVES_LEARNING_SUMMED_TIMES_HPP
#define RONDO_COLLECTIVES_LEARNING_SUMMED_TIMES_HPP

#include "collectives/learning/turns.hpp"
#include "runtime/operation/operation.hpp"

#include <memory>
#include <utility>

namespace rondo::internal::learning {

/// A persistent allreduce of Rondo's own, so that the ranks of several operations may begin theirs in any order, with
/// the memory that it works on.
class SummedTimes {
 public:
  /// Throws std::bad_alloc, and Error.
  SummedTimes();
  SummedTimes(const SummedTimes&) = delete;
  SummedTimes& operator=(const SummedTimes&) = delete;
  /// One that is under way is kept until its messages have come. MPI_Finalize waits for all that are: all ranks have
  /// made the same starts by then, so all have begun it.
  ~SummedTimes();

  /// In place: what this rank has, and then the sums.
  [[nodiscard]] Times& words() noexcept { return *words_; }
  /// That adds up these, by all ranks.
  void set_operation(std::unique_ptr<Operation> operation) noexcept { operation_ = std::move(operation); }
  /// Has the first sums begin when `prologue` says that it is over: see Operation::start_after().
  void begin_after(Operation::Prologue prologue) { prologue_ = std::move(prologue); }
  /// Nonblocking; allocates nothing, unless it begins after something.
  void begin(const Times& here);
  /// The same by the progress token's holder; not the first ones.
  void begin_in_prologue(const Times& here);
  /// Whether the sums are there, or cannot be had.
  [[nodiscard]] bool is_over() const noexcept { return operation_->complete(); }
  /// The same after a pass of progress.
  [[nodiscard]] bool test() { return operation_->test(); }
  /// Waits until it is over.
  void wait() { operation_->wait(); }
  /// The operation, while it is; otherwise null.
  [[nodiscard]] Operation* under_way() const noexcept;
  /// When it is over. Throws Error where they cannot be had.
  [[nodiscard]] const Times& end();

 private:
  std::unique_ptr<Times> words_ = std::make_unique<Times>();
  std::unique_ptr<Operation> operation_;
  Operation::Prologue prologue_;  ///< of the first sums; empty for most
};

}  // namespace rondo::internal::learning

#endif
