/// @file
/// FunctionCrew: the oneTBB workers that run the functions of one operation.
#ifndef RONDO_RUNTIME_FUNCTIONS_FUNCTION_CREW_HPP
#define RONDO_RUNTIME_FUNCTIONS_FUNCTION_CREW_HPP

#include "runtime/functions/worker_functions.hpp"

#include <atomic>
#include <cstddef>
#include <memory>

namespace rondo::internal {

/// The workers of one operation's functions. They run one function after the other, and come and go: the first is
/// called when there is a function to run, more are called as long as functions wait, and each leaves when nothing came
/// for a while. So a push costs no more than a store while a worker is awake, and an idle operation holds no worker of
/// the application.
///
/// Functions run in the order in which they became ready. A worker that makes followers of its function ready pushes
/// them, except that it runs the first of them itself if no function waits.
class FunctionCrew : public std::enable_shared_from_this<FunctionCrew> {
 public:
  /// Makes a crew for up to `functions` functions at a time, in the arena of the calling thread. Workers put functions
  /// that they have run into `done`, which must live until the workers have done so. Throws std::bad_alloc.
  FunctionCrew(std::size_t functions, DoneFunctions& done);
  FunctionCrew(const FunctionCrew&) = delete;
  FunctionCrew& operator=(const FunctionCrew&) = delete;
  ~FunctionCrew();

  /// Adds a function for the workers. Call with the progress token held.
  void push(WorkerFunction& function) noexcept;
  /// Runs one waiting function on the calling thread, which is no worker. Returns false if none waits.
  bool run_one() noexcept;
  /// Returns how many functions wait: a hint.
  [[nodiscard]] std::uint64_t waiting() const noexcept { return waiting_.size(); }
  /// Sets whether functions are from now on completed without running them. Call with the progress token held.
  void pass_over(bool all) noexcept {
    // relaxed: a worker that has not seen a failure runs its function like one that began before the failure
    passes_over_.store(all, std::memory_order_relaxed);
  }

 private:
  struct Arena;
  void call_another() noexcept;
  void serve() noexcept;
  [[nodiscard]] bool linger() noexcept;
  /// Returns whether another thread should come: functions wait, and no worker lingers.
  [[nodiscard]] bool wants_another() const noexcept {
    return !waiting_.empty() && lingering_.load(std::memory_order_seq_cst) == 0;  // seq_cst: see push()
  }
  [[nodiscard]] WorkerFunction* run(WorkerFunction& function, bool by_driver) noexcept;

  WaitingFunctions waiting_;
  DoneFunctions& done_;
  std::unique_ptr<Arena> arena_;
  int most_;                        ///< most workers at a time
  std::atomic<int> serving_ = 0;    ///< workers that were called and have not left
  std::atomic<int> lingering_ = 0;  ///< workers that linger, with nothing to do
  std::atomic<bool> passes_over_ = false;
};

}  // namespace rondo::internal

#endif
