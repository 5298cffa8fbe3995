/// @file
/// Continuation: a function that runs when an execution is complete, in place of a thread that waits.
#ifndef RONDO_RUNTIME_EXECUTION_CONTINUATION_HPP
#define RONDO_RUNTIME_EXECUTION_CONTINUATION_HPP

#include <utility>

namespace rondo::internal {

class ContinuationList;

/// A function that runs once, on the thread that finds the execution complete, after that thread has given the progress
/// token back. Whoever armed the continuation owns it. It must live until it runs, and may be gone when run() returns.
class Continuation {
 public:
  Continuation() = default;
  Continuation(const Continuation&) = delete;
  Continuation& operator=(const Continuation&) = delete;
  virtual ~Continuation() = default;
  virtual void run() noexcept = 0;

 private:
  friend class ContinuationList;
  Continuation* next_ = nullptr;
};

/// A list of continuations in the order in which their executions ended. The list allocates no memory.
class ContinuationList {
 public:
  ContinuationList() = default;
  explicit ContinuationList(Continuation& only) noexcept { push(only); }

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  void push(Continuation& continuation) noexcept {
    continuation.next_ = nullptr;
    (last_ == nullptr ? first_ : last_->next_) = &continuation;
    last_ = &continuation;
  }
  /// Moves all of `others` to the end of this list.
  void append(ContinuationList others) noexcept {
    if (others.empty()) return;
    (last_ == nullptr ? first_ : last_->next_) = others.first_;
    last_ = others.last_;
  }
  /// Returns all continuations and leaves this list empty.
  [[nodiscard]] ContinuationList take() noexcept {
    return ContinuationList(std::exchange(first_, nullptr), std::exchange(last_, nullptr));
  }
  void run_all() noexcept {
    while (first_ != nullptr) {
      Continuation& continuation = *first_;
      first_ = continuation.next_;  // before it runs: it may be gone then
      continuation.run();
    }
    last_ = nullptr;
  }

 private:
  ContinuationList(Continuation* first, Continuation* last) : first_(first), last_(last) {}

  Continuation* first_ = nullptr;
  Continuation* last_ = nullptr;
};

}  // namespace rondo::internal

#endif
