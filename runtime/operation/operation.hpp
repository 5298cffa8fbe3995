/// @file
/// Operation: an execution with what its user sees of it.
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

/// One collective operation of one rank: what a request handle stands for. Made and destroyed with the token free.
class Operation {
 public:
  Operation(Engine& engine, std::shared_ptr<const Schedule> schedule, std::shared_ptr<const PrivateComm> comm,
            int first_tag, const std::string& name, std::string algorithm, bool persistent);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation();

  [[nodiscard]] Execution& execution() noexcept { return *execution_; }
  [[nodiscard]] bool persistent() const noexcept { return persistent_; }
  /// Of the collective.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Name and algorithm.
  [[nodiscard]] const std::string& title() const noexcept { return title_; }
  /// With the communicator, for log, reports and errors.
  [[nodiscard]] const std::string& description() const noexcept { return description_; }
  /// While it is choosing(), what it was made with.
  [[nodiscard]] const std::string& algorithm() const noexcept { return algorithm_; }
  /// Whether the prologue of start_after() may still replace() its schedule: its algorithm and explanation are not to
  /// be looked at then. Any thread may ask.
  [[nodiscard]] bool choosing() const noexcept { return first_start_ != nullptr && first_start_->is_under_way(); }
  /// Whether there is nothing to wait for: not started, or complete. Any thread may ask.
  [[nodiscard]] bool complete() const noexcept {
    if (first_start_ != nullptr && (first_start_->is_under_way() || first_start_->failure))
      return !first_start_->is_under_way();
    return !running().execution_->active();
  }
  /// Of one that is complete: whether finish() will throw.
  [[nodiscard]] bool failed() const noexcept {
    return (first_start_ != nullptr && first_start_->failure) || running().execution_->failure();
  }
  /// What its start has begun: another one where begin_with() said so. Not while it is choosing().
  [[nodiscard]] const Operation& running() const noexcept {
    return first_start_ == nullptr || first_start_->other == nullptr ? *this : *first_start_->other;
  }
  [[nodiscard]] Operation& running() noexcept { return const_cast<Operation&>(std::as_const(*this).running()); }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_->get(); }
  /// Started and not yet waited for.
  [[nodiscard]] bool started() const noexcept { return started_; }

  /// Asks for a progress mode, before a start; what it gets is progress(). Throws std::bad_alloc.
  void set_progress(ProgressMode wanted);
  [[nodiscard]] ProgressMode progress() const noexcept { return progress_; }

  /// For a persistent operation whose buffers are bound: makes ready what every start will post.
  void prepare();
  /// After that, for one that may use shared memory: takes all memory that it needs for it. `rank`: the own one in its
  /// communicator, `nodes`: see Connection. Throws std::bad_alloc, and Error for what the environment says.
  void prepare_connection(int rank, SharedMemory use, std::span<const std::int64_t> nodes);
  /// From the next start on messages take the channels of the connection, which is settled.
  void take_channels() noexcept;
  /// Tells the trace, where there is one, which way its messages take. Throws std::bad_alloc.
  void show_channels() const;
  /// Draws its schedule, where the environment asks for that. For a persistent one, when it is known which way its
  /// messages take. Throws std::bad_alloc.
  void draw() const;
  /// For a nonblocking one, once, before its first start: has short messages take lanes, if there are any, and shows
  /// that to whom the environment asked for. Throws std::bad_alloc, and it is of no use then.
  void use_lanes(std::shared_ptr<const LaneTable> lanes);
  /// For a nonblocking one with this schedule, once, before its first start and in place of use_lanes(): its blocks may
  /// change their size. Throws std::bad_alloc, and it is of no use then.
  void use_lanes(std::shared_ptr<const LaneTable> lanes, std::unique_ptr<ScaledSchedule> scaled);
  /// Has such a one begin with blocks of another size, while it is idle. Throws as ScaledSchedule::scale_to().
  void scale_to(std::int64_t block_bytes);
  /// Throws Error, MPI_ERR_REQUEST, when it is started already, and when it lost messages in an earlier failure.
  void start();
  /// What goes on before a first start: whether it is over. Throws Error, which finish() will throw.
  using Prologue = std::function<bool()>;
  /// Started as far as its user can see, it begins as soon as `prologue` is over and its communicator is made; every
  /// pass of progress looks. The first pass is made at once, unless the caller holds what callbacks may want. Throws
  /// std::bad_alloc.
  void start_after(Prologue prologue, FirstPass pass = FirstPass::now);
  /// In the prologue of start_after(): has `other`, which may be started, begin in its place. Whoever asks this one is
  /// told of that one, until this is finished.
  void begin_with(Operation& other) noexcept;
  /// In the prologue of another one: starts it. Throws as start().
  void start_in_prologue();
  /// In the prologue of start_after(): gives it the schedule that it has found. Throws std::bad_alloc, and Error with
  /// MPI's class.
  void replace(std::shared_ptr<const Schedule> schedule, std::string algorithm);
  /// One pass of progress if needed; whether it is complete.
  [[nodiscard]] bool test();
  void wait();
  /// Whether a block has arrived, or may be overwritten; makes one pass of progress if not. True while inactive. The
  /// first call of this or the next takes memory, for good where the operation is persistent. Several threads may ask
  /// at once, between start and finish(). Throws Error: MPI_ERR_ARG for a block that there is not, and the failure of
  /// an operation that has ended without the block; std::bad_alloc.
  [[nodiscard]] bool is_done_with(BlockSide side, int block);
  /// Drives until another received block has arrived: each once, in the order in which they do. Nothing when all were
  /// returned, or while inactive. Throws as the one before.
  [[nodiscard]] std::optional<int> wait_any_block();

  /// Runs `continuation`, once, when it is complete. False, and it does not, when it is complete already. Any thread.
  [[nodiscard]] bool when_complete(Continuation& continuation);
  /// Makes it the one that its user has of a rotation. See start_persistent().
  void set_rotation(std::unique_ptr<Rotation> rotation) noexcept { rotation_ = std::move(rotation); }
  /// Has the rotation rest for as many starts as Rotation::start() says.
  void rest(std::uint32_t starts) noexcept;
  /// A start was made while the rotation rests, or there is none.
  void count_start() noexcept {
    if (--starts_to_rest_ == 0) [[unlikely]]
      rotation_ = std::move(resting_);
  }
  [[nodiscard]] std::unique_ptr<Rotation> take_rotation() noexcept { return std::move(rotation_); }
  /// Null while it rests.
  [[nodiscard]] Rotation* rotation() const noexcept { return rotation_.get(); }
  /// Whether start() would throw.
  [[nodiscard]] bool refuses_start() const noexcept { return refused_; }

  /// After completion, back to inactive. Throws Error when the execution failed: operation, task, round and peer.
  void finish();

  /// Says, for people, what the algorithm was chosen from; empty where nobody says.
  std::function<std::string()> explain;
  /// What its user may ask about; none where nobody says. Set before it is started.
  UserBlocks blocks;
  /// The pool that a nonblocking operation returns to; set while a request holds it.
  std::shared_ptr<OperationPool> pool;

 private:
  /// The prologue of start_after().
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
    Operation* other = nullptr;      ///< that begins in place of this one; when it is not under way any more
    ContinuationList continuations;  ///< by the token's holder

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
  bool refused_ = false;  ///< started, or not usable any more
  ProgressMode progress_ = ProgressMode::inlined;
  std::uint32_t starts_to_rest_ = 0;          ///< that the rotation is not asked at; counts on where there is none
  std::atomic<BlockWatch*> watch_ = nullptr;  ///< block_watch_, while it counts
  std::unique_ptr<Start> first_start_;        ///< where there is more to it than starting
  std::unique_ptr<Rotation> rotation_;        ///< null for most, and while it rests
  std::shared_ptr<const PrivateComm> comm_;
  WakePolicy wake_policy_;  ///< of an operation that advances in the background
  std::shared_ptr<const LaneTable> lanes_;
  std::unique_ptr<ScaledSchedule> scaled_;  ///< null for most
  std::optional<Execution> execution_;      ///< always there; made and destroyed under the token
  std::string name_;
  std::string algorithm_;
  std::string title_;                        ///< name and algorithm
  std::string description_;                  ///< title_ and communicator
  std::unique_ptr<Rotation> resting_;        ///< the rotation, while it does
  std::unique_ptr<BlockWatch> block_watch_;  ///< made when somebody first asks for a block, under the token
};

/// Idle operations of one cached schedule, ready for the next call with the same arguments.
class OperationPool {
 public:
  [[nodiscard]] std::unique_ptr<Operation> take();
  void give(std::unique_ptr<Operation> operation);

 private:
  ProgressToken lock_;
  std::vector<std::unique_ptr<Operation>> idle_;
};

/// Ends a complete operation, and gives it back to the pool that it came from. Throws its failure.
void retire(std::unique_ptr<Operation> operation);

/// Takes the runtime down when MPI_Finalize is called, and says there what is still in flight. Idempotent; done by the
/// first operation.
void watch_for_finalize();

}  // namespace rondo::internal

#endif
