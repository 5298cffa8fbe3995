/// @file
/// FunctionCrew: those of oneTBB's workers that run the functions of one operation.
#ifndef RONDO_RUNTIME_FUNCTIONS_FUNCTION_CREW_HPP
#define RONDO_RUNTIME_FUNCTIONS_FUNCTION_CREW_HPP

#include "runtime/functions/worker_functions.hpp"

#include <atomic>
#include <cstddef>
#include <memory>

namespace rondo::internal {

/// Workers serve it one function after the other, and come and go: the first is called when there is something to do,
/// more as long as something waits, and each leaves when nothing came for a while. So a worker that is awake costs a
/// push no more than a store, and an idle operation holds no worker of the application's.
///
/// Functions run in the order in which they became ready. A worker that makes followers of its function ready pushes
/// them, but the first one if nothing waits: that one it runs itself.
class FunctionCrew : public std::enable_shared_from_this<FunctionCrew> {
 public:
  /// For up to `functions` functions at a time, in the arena of the calling thread; workers put what they have run into
  /// `done`, which must live until they have run it. Throws std::bad_alloc.
  FunctionCrew(std::size_t functions, DoneFunctions& done);
  FunctionCrew(const FunctionCrew&) = delete;
  FunctionCrew& operator=(const FunctionCrew&) = delete;
  ~FunctionCrew();

  /// By the token's holder.
  void push(WorkerFunction& function) noexcept;
  /// Has the calling thread, which is no worker, run one that waits. False where none does.
  bool run_one() noexcept;
  /// How many nobody has begun to run: a hint.
  [[nodiscard]] std::uint64_t waiting() const noexcept { return waiting_.size(); }
  /// What waits from now on is done without being run, or run again. By the token's holder.
  void pass_over(bool all) noexcept {
    // relaxed: a function that has not heard of a failure runs as one that began before it.
    passes_over_.store(all, std::memory_order_relaxed);
  }

 private:
  struct Arena;
  void call_another() noexcept;
  void serve() noexcept;
  [[nodiscard]] bool linger() noexcept;
  /// Whether another thread should come: something waits, and nobody looks for it.
  [[nodiscard]] bool wants_another() const noexcept {
    return !waiting_.empty() && lingering_.load(std::memory_order_seq_cst) == 0;  // seq_cst: see push()
  }
  [[nodiscard]] WorkerFunction* run(WorkerFunction& function, bool by_driver) noexcept;

  WaitingFunctions waiting_;
  DoneFunctions& done_;
  std::unique_ptr<Arena> arena_;
  int most_;                        ///< workers
  std::atomic<int> serving_ = 0;    ///< workers that were called and have not left
  std::atomic<int> lingering_ = 0;  ///< of these, those that have nothing to do
  std::atomic<bool> passes_over_ = false;
};

}  // namespace rondo::internal

#endif
