/// @file
/// Operation: an execution with everything that its user sees of it.
#ifndef RONDO_RUNTIME_OPERATION_OPERATION_HPP
#define RONDO_RUNTIME_OPERATION_OPERATION_HPP

#include "runtime/base/private_comm.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/execution/block_watch.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/operation/rotation.hpp"
#include "runtime/operation/wake_policy.hpp"
#include "runtime/schedule/scaled_schedule.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {

class OperationPool;

enum class FirstPass : std::uint8_t { now, later };

/// An Operation is one collective operation of one rank, for which a request handle stands. Construct and destroy with
/// the progress token free.
class Operation {
 public:
  Operation(Engine& engine, std::shared_ptr<const Schedule> schedule, std::shared_ptr<const PrivateComm> comm,
            int first_tag, const std::string& name, std::string algorithm, bool persistent);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation();

  [[nodiscard]] Execution& execution() noexcept { return *execution_; }
  [[nodiscard]] bool persistent() const noexcept { return persistent_; }
  /// Returns the name of the collective.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Returns the name of the collective with the algorithm.
  [[nodiscard]] const std::string& title() const noexcept { return title_; }
  /// Returns a text with name, algorithm and communicator, for log, reports and errors.
  [[nodiscard]] const std::string& description() const noexcept { return description_; }
  /// Returns the algorithm; while choosing(), the one that the operation was made with.
  [[nodiscard]] const std::string& algorithm() const noexcept { return algorithm_; }
  /// Returns whether the prologue of start_after() may still replace() the schedule. If so, algorithm and explanation
  /// must not be read. Thread-safe.
  [[nodiscard]] bool choosing() const noexcept { return first_start_ != nullptr && first_start_->is_under_way(); }
  /// Returns whether there is nothing to wait for: the operation is not started, or complete. Thread-safe.
  [[nodiscard]] bool complete() const noexcept {
    if (first_start_ != nullptr && (first_start_->is_under_way() || first_start_->failure))
      return !first_start_->is_under_way();
    return !running().execution_->active();
  }
  /// Returns whether finish() will throw. Call this only for a complete operation.
  [[nodiscard]] bool failed() const noexcept {
    return (first_start_ != nullptr && first_start_->failure) || running().execution_->failure();
  }
  /// Returns the operation that the start has begun: another one if begin_with() was called. Not while choosing().
  [[nodiscard]] const Operation& running() const noexcept {
    return first_start_ == nullptr || first_start_->other == nullptr ? *this : *first_start_->other;
  }
  [[nodiscard]] Operation& running() noexcept { return const_cast<Operation&>(std::as_const(*this).running()); }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_->get(); }
  /// Returns whether the operation was started and not yet finished.
  [[nodiscard]] bool started() const noexcept { return started_; }

  /// Requests a progress mode. Call before a start; progress() is the mode that is provided. Throws std::bad_alloc.
  void set_progress(ProgressMode wanted);
  [[nodiscard]] ProgressMode progress() const noexcept { return progress_; }

  /// Prepares the requests that every start will post. Call this only for a persistent operation whose buffers are
  /// bound.
  void prepare();
  /// Allocates all memory that the operation needs for its use of shared memory. Call after prepare(), for an operation
  /// that may use shared memory. `rank`: this process's rank in the operation's communicator. `nodes`: see Connection.
  /// Throws std::bad_alloc, and Error if a value in the environment is wrong.
  void prepare_connection(int rank, SharedMemory use, std::span<const std::int64_t> nodes);
  /// Makes messages take the channels of the connection from the next start on. The connection must be settled.
  void take_channels() noexcept;
  /// Records in the trace, if there is one, which way the messages take. Throws std::bad_alloc.
  void show_channels() const;
  /// Draws the schedule if the environment asks for drawings. For a persistent operation, call when the way of its
  /// messages is known. Throws std::bad_alloc.
  void draw() const;
  /// Lets short messages take lanes, if there are any, and shows the result in traces and drawings. Call this only for
  /// a nonblocking operation, once, before its first start. Throws std::bad_alloc; the operation is unusable then.
  void use_lanes(std::shared_ptr<const LaneTable> lanes);
  /// Lets messages take lanes and blocks change their size. Call this only for a nonblocking operation with the
  /// schedule of `scaled`, once, before its first start and instead of the other use_lanes(). Throws std::bad_alloc;
  /// the operation is unusable then.
  void use_lanes(std::shared_ptr<const LaneTable> lanes, std::unique_ptr<ScaledSchedule> scaled);
  /// Sets the size of the blocks of an idle operation that has a ScaledSchedule. Throws as ScaledSchedule::scale_to().
  void scale_to(std::int64_t block_bytes);
  /// Returns whether the operation's scratch memory is long enough for these blocks, so that place() may be called.
  [[nodiscard]] bool has_room_for(std::span<const PlacedBlock> received) const noexcept {
    return scaled_->has_room_for(received);
  }
  /// Sets the sizes and places of the blocks of an idle operation that has a ScaledSchedule. Returns what
  /// ScaledSchedule::place() returns.
  bool place(std::span<const PlacedBlock> sent, std::span<const PlacedBlock> received);
  /// Returns whether place() would return false.
  [[nodiscard]] bool has_places(std::span<const PlacedBlock> sent, std::span<const PlacedBlock> received) const {
    return scaled_->has_places(sent, received);
  }
  /// Starts the operation. Throws Error (MPI_ERR_REQUEST) if it is started already, or lost messages in an earlier
  /// failure.
  void start();
  /// A function that does the work before a first start. Returns whether the work is over. finish() throws what it
  /// throws.
  using Prologue = std::function<bool()>;
  /// Starts the operation as far as its user can see. The execution begins as soon as `prologue` is over and its
  /// communicator is made; every pass of progress calls `prologue`. The first pass is made at once, unless `pass` is
  /// `later`, for callers that hold what callbacks may need. Throws std::bad_alloc.
  void start_after(Prologue prologue, FirstPass pass = FirstPass::now);
  /// Makes `other`, which must not be started, begin in place of this operation. Call in the prologue of start_after().
  /// Questions about this operation are answered for `other` until this operation is finished.
  void begin_with(Operation& other) noexcept;
  /// Starts this operation in the prologue of another one. Throws as start().
  void start_in_prologue();
  /// Replaces the schedule by the one that was chosen. Call in the prologue of start_after(). Throws std::bad_alloc,
  /// and Error with MPI's class.
  void replace(std::shared_ptr<const Schedule> schedule, std::string algorithm);
  /// Makes one pass of progress if needed. Returns whether the operation is complete.
  [[nodiscard]] bool test();
  void wait();
  /// Returns whether a block has arrived, or may be overwritten; makes one pass of progress if not. Returns true while
  /// the operation is inactive. The first call of this function or wait_any_block() allocates memory, which a
  /// persistent operation keeps. Several threads may call it at once, between start and finish(). Throws Error
  /// (MPI_ERR_ARG) if there is no such block, the failure of an operation that has ended without the block, and
  /// std::bad_alloc.
  [[nodiscard]] bool is_done_with(BlockSide side, int block);
  /// Makes progress until another received block has arrived, and returns that block: each block once, in the order of
  /// arrival. Returns nothing when all were returned, or while inactive. Throws as is_done_with().
  [[nodiscard]] std::optional<int> wait_any_block();

  /// Runs `continuation` once, when the operation is complete. Returns false, and does not run it, if the operation is
  /// complete already. Thread-safe.
  [[nodiscard]] bool when_complete(Continuation& continuation);
  /// Makes this operation the one of a rotation that the user holds. See start_persistent().
  void set_rotation(std::unique_ptr<Rotation> rotation) noexcept { rotation_ = std::move(rotation); }
  /// Lets the rotation rest for the number of starts that Rotation::start() returned.
  void rest(std::uint32_t starts) noexcept;
  /// Counts a start that was made while the rotation rests, or without a rotation.
  void count_start() noexcept {
    if (--starts_to_rest_ == 0) [[unlikely]]
      rotation_ = std::move(resting_);
  }
  [[nodiscard]] std::unique_ptr<Rotation> take_rotation() noexcept { return std::move(rotation_); }
  /// Returns the rotation, or null while it rests.
  [[nodiscard]] Rotation* rotation() const noexcept { return rotation_.get(); }
  /// Returns whether start() would throw.
  [[nodiscard]] bool refuses_start() const noexcept { return refused_; }

  /// Makes a complete operation inactive again. Throws Error if the execution failed, with operation, task, round and
  /// peer.
  void finish();

  /// Returns, for people, a text about the candidates from which the algorithm was chosen. No function if there is
  /// nothing to say.
  std::function<std::string()> explain;
  /// The blocks about which the user may ask; none if nobody sets them. Set before the operation is started.
  UserBlocks blocks;
  /// The pool to which a nonblocking operation returns. Set while a request holds the operation.
  std::shared_ptr<OperationPool> pool;

 private:
  /// The state of a start_after() until the operation has begun, or failed to begin.
  class Start final : public Preparation {
   public:
    Start(Operation& operation, Prologue prologue) : operation_(operation), prologue_(std::move(prologue)) {}
    [[nodiscard]] bool advance() noexcept override;
    void give_up(const std::string& why) override;
    [[nodiscard]] const char* name() const noexcept override { return operation_.description_.c_str(); }
    [[nodiscard]] bool is_under_way() const noexcept {
      return under_way.load(std::memory_order_acquire);  // acquire: see advance()
    }
    std::atomic<bool> under_way = true;
    std::exception_ptr failure;
    Operation* other = nullptr;      ///< begins in place of this operation; read when the start is over
    ContinuationList continuations;  ///< used by the holder of the progress token

   private:
    Operation& operation_;
    Prologue prologue_;
  };

  [[nodiscard]] bool push_continuation(Continuation& continuation);
  [[noreturn]] void refuse_start() const;
  [[noreturn]] void throw_failure() const;
  [[nodiscard]] bool has_begun() const;
  [[nodiscard]] BlockWatch& watch();
  void observe();
  void set_functions();

  [[nodiscard]] bool in_background() const noexcept { return progress_ == ProgressMode::async; }

  // One cache line: see Execution.
  alignas(64) Engine& engine_;
  bool persistent_;
  bool started_ = false;
  bool refused_ = false;  ///< the operation is started, or not usable any more
  ProgressMode progress_ = ProgressMode::inlined;
  std::uint32_t starts_to_rest_ = 0;          ///< starts until the rotation is asked again; counts on if there is none
  std::atomic<BlockWatch*> watch_ = nullptr;  ///< block_watch_ while it counts, otherwise null
  std::unique_ptr<Start> first_start_;        ///< set if more has to be done than starting the execution
  std::unique_ptr<Rotation> rotation_;        ///< null for most operations, and while the rotation rests
  std::shared_ptr<const PrivateComm> comm_;
  WakePolicy wake_policy_;  ///< for an operation that advances in the background
  std::shared_ptr<const LaneTable> lanes_;
  std::unique_ptr<ScaledSchedule> scaled_;  ///< null for most operations
  std::optional<Execution> execution_;      ///< always has a value; made and destroyed with the token held
  std::string name_;
  std::string algorithm_;
  std::string title_;                        ///< name and algorithm
  std::string description_;                  ///< title_ and communicator
  std::unique_ptr<Rotation> resting_;        ///< the rotation while it rests
  std::unique_ptr<BlockWatch> block_watch_;  ///< made at the first question about a block, with the token held
};

/// An OperationPool holds idle operations of one cached schedule, ready for the next call with the same arguments.
class OperationPool {
 public:
  [[nodiscard]] std::unique_ptr<Operation> take();
  void give(std::unique_ptr<Operation> operation);

 private:
  ProgressToken lock_;
  std::vector<std::unique_ptr<Operation>> idle_;
};

/// Finishes a complete operation and returns it to its pool. Throws the operation's failure.
void retire(std::unique_ptr<Operation> operation);

/// Makes MPI_Finalize shut the runtime down and log what is still in flight, and tells the engine how to wait on this
/// node. Idempotent; called for the first operation. Throws Error for wrong environment variables.
void watch_for_finalize();

}  // namespace rondo::internal

#endif
