/// @file
/// Execution: everything that changes while a schedule runs.
#ifndef RONDO_RUNTIME_EXECUTION_EXECUTION_HPP
#define RONDO_RUNTIME_EXECUTION_EXECUTION_HPP

#include "datatypes/making/wire_type.hpp"
#include "runtime/base/scratch_memory.hpp"
#include "runtime/execution/connection.hpp"
#include "runtime/execution/continuation.hpp"
#include "runtime/execution/copy_workers.hpp"
#include "runtime/execution/transport.hpp"
#include "runtime/functions/function_crew.hpp"
#include "runtime/functions/function_time.hpp"
#include "runtime/functions/ready_functions.hpp"
#include "runtime/functions/worker_graph.hpp"
#include "runtime/lanes/lane_table.hpp"
#include "runtime/routes/route.hpp"
#include "runtime/routes/slot_reading.hpp"
#include "runtime/schedule/message_ways.hpp"
#include "runtime/schedule/schedule.hpp"
#include "runtime/trace/execution_trace.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

class BlockWatch;
class FunctionList;

/// Failure::code of a compute task whose function has thrown.
inline constexpr int kFunctionThrew = -3;

/// What is copied at this end of a message through a lane that is not in one piece.
struct LaneCopy {
  CopyProgram program;
  std::byte* absolute = nullptr;  ///< null: from the message's address

  [[nodiscard]] std::byte* base(const Message& message) const noexcept {
    return absolute == nullptr ? message.address : absolute;
  }
};

/// The first thing that went wrong in an execution.
struct Failure {
  TaskId task;  ///< kNoTask when it was none's
  int code;     ///< as in Completion, or kFunctionThrew
};

/// A schedule bound to buffers, a communicator and a range of tags. Holds the counters of the tasks, scratch memory and
/// wire types, all taken at construction or, for messages across spaces, by bind(): start() allocates nothing. Driven
/// by the holder of the progress token.
///
/// After a failure the execution goes on to its end: messages are still exchanged, though none that it sends is taken
/// for right by its receiver, and nothing is copied, reduced or computed. So no partner is left waiting, each that
/// needed something from here fails too, and the execution may be started again.
class alignas(64) Execution {
 public:
  /// Messages go over `comm` with tags from `first_tag` up.
  Execution(std::shared_ptr<const Schedule> schedule, Transport& transport, MPI_Comm comm, int first_tag);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution();

  /// Sets the buffers; not while active. Throws Error or std::bad_alloc, and must be called again then.
  void bind(const void* send, void* recv);
  /// Makes ready, once, what every start will post; the buffers must not be bound anew afterwards.
  void prepare();
  /// Takes a connection whose partners know nothing of it yet, and all memory that its channels will need; the buffers
  /// must not be bound anew from now on. Not while active. This and the next by the token's holder. Throws
  /// std::bad_alloc.
  void prepare_connection(std::unique_ptr<Connection> connection);
  [[nodiscard]] Connection* connection() noexcept { return connection_.get(); }
  /// From the next start on messages take the channels of the connection, which is settled, and what they bring to
  /// scratch memory is read where it lies, if it can be (SlotReading).
  void take_channels() noexcept;
  /// Whether some message has a channel.
  [[nodiscard]] bool connected() const noexcept { return connected_; }
  /// From the next start on short messages to ranks that have lanes take these. Once; not for an execution that will be
  /// prepared. `lanes`, whose communicator it is, must outlive it. Not while active, by the token's holder. Throws
  /// std::bad_alloc, and it is of no use then.
  void use_lanes(const LaneTable& lanes);
  /// The same where the sizes of messages will change: room is kept for all of them.
  void use_lanes_at_any_size(const LaneTable& lanes);
  /// Takes note that its schedule, which is its own, has tasks of other sizes now; the buffers must be bound anew. For
  /// one that is never prepared, whose messages are all in one piece; not while active.
  void take_new_sizes() noexcept;
  [[nodiscard]] const LaneTable* lanes() const noexcept { return lanes_; }
  /// Whether it receives messages from ranks that might, by mistake, send what is so short that it takes a lane.
  [[nodiscard]] bool watches_lanes() const noexcept { return watches_lanes_; }
  /// Of a message that is in a lane, and scattered.
  [[nodiscard]] const LaneCopy& lane_copy(const Message& message) const noexcept {
    return lane_copies_[static_cast<std::size_t>(&message - messages_.get())];
  }
  /// Whether some message may go another way than over MPI.
  [[nodiscard]] bool stays_near() const noexcept { return near_; }
  void set_first_tag(int first_tag) noexcept;
  [[nodiscard]] int first_tag() const noexcept { return first_tag_; }
  /// The communicator, for one that did not exist yet. Before prepare() and start().
  void set_comm(MPI_Comm comm) noexcept { comm_ = comm; }

  /// Makes it active before start(), which another thread will call.
  void announce() noexcept { active_.store(true, std::memory_order_relaxed); }  // relaxed: only its own thread waits
  /// Posts the root receives, then the root sends, and runs what is ready. The execution must not be active, but
  /// announced.
  void start();
  /// How many functions ran, and whether more are ready.
  struct Ran {
    std::size_t functions;
    bool more;
  };
  /// Whether there are functions to run: a start and a completion run none.
  [[nodiscard]] bool has_ready_functions() const noexcept { return !ready_functions_.empty(); }
  /// Runs functions that are ready, of which there must be one, and what they make ready, until none is left or `time`
  /// is over; null: one of them. As after complete(), it may be gone when it is not active any more.
  Ran run_functions(FunctionTime* time);
  /// The list that it enters whenever it comes to have functions to run, and whose owner runs them then. Without one,
  /// whoever drives it looks. Not while active; `list` must outlive it.
  void set_function_list(FunctionList* list) noexcept { function_list_ = list; }
  /// Gives functions that are for workers to this crew, which has room for all of its schedule's. With a list, to whose
  /// `done` it belongs; not while active. Throws std::bad_alloc.
  void set_function_crew(std::shared_ptr<FunctionCrew> crew);
  /// Takes note that a worker has run a function.
  void complete_function(WorkerFunction& function);
  /// The crew that has functions of which no worker runs any; null where some run, or there are none.
  [[nodiscard]] std::shared_ptr<FunctionCrew> crew_without_workers() const noexcept {
    return crew_ != nullptr && crew_->waiting() == on_workers_ ? crew_ : nullptr;
  }
  /// How many functions workers have.
  [[nodiscard]] std::uint32_t on_workers() const noexcept { return on_workers_; }
  /// The compute task whose function is running, or kNoTask. Safe in a signal handler that interrupts it.
  [[nodiscard]] TaskId running_function() const noexcept { return running_function_; }
  /// Takes note that all messages in flight are complete, when it only_waits().
  void complete_rest() noexcept;
  /// Takes note that a message task is complete and runs what became ready.
  void complete(TaskId task, int code);
  /// True between start() and the completion of the last task. Any thread may ask.
  [[nodiscard]] bool active() const noexcept {
    // acquire: whoever sees the end also sees the data that the last task wrote.
    return active_.load(std::memory_order_acquire);
  }

  /// Has `continuations` appended to `list` when the execution is complete; false, and it has not, when it is already.
  /// One list for all; by the token's holder.
  [[nodiscard]] bool when_complete(ContinuationList continuations, ContinuationList& list) noexcept;
  /// Whether all its messages are posted, it alone has messages in flight, `in_flight` of them, and it has no
  /// functions that wait for some of them: they complete whatever is done here meanwhile. This and the next are asked
  /// by the token's holder.
  [[nodiscard]] bool has_posted_all(std::size_t in_flight) const noexcept {
    return unposted_ == 0 && posted_ == in_flight && !computes_;
  }
  /// Whether nothing is left but messages in flight.
  [[nodiscard]] bool only_waits() const noexcept { return remaining_ == posted_; }

  /// From now on `watch` counts what is complete. It has no more blocks than it had once this has failed: what was
  /// exchanged after that may be wrong. By the token's holder. Throws std::bad_alloc, and has done nothing then.
  void watch_blocks(BlockWatch& watch);
  /// Nobody counts any more. Not while active.
  void unwatch_blocks() noexcept { watch_ = nullptr; }

  /// By its transport, when MPI refuses a message that has waited elsewhere: it fails, and if no other message stands
  /// for that one, it is not usable() any more.
  void refuse(const Message& message, int code, bool lost) {
    fail(message.task, code);
    usable_ = usable_ && !lost;
  }

  /// Ends it here and now; its messages are given up, and it is not usable() any more. `story` says why. Throws
  /// std::bad_alloc, and has done nothing then.
  void abandon(int code, std::string story);

  [[nodiscard]] const std::optional<Failure>& failure() const noexcept { return failure_; }
  /// Its MPI error class.
  [[nodiscard]] int failure_class() const;
  /// A text for the failure: task, round, phase, peer and MPI's own words.
  [[nodiscard]] std::string describe_failure() const;
  /// False once a message was given up: partners may be out of step, so it must not be started again.
  [[nodiscard]] bool usable() const noexcept { return usable_; }
  /// How many tasks are not complete.
  [[nodiscard]] std::uint32_t remaining() const noexcept { return remaining_; }
  /// Shares its long copies with them; null: with nobody. They must outlive it.
  void set_copy_workers(const CopyWorkers* workers) noexcept { copy_workers_ = workers; }
  /// Whether the poller looks after it, and not only the threads of the application. Not while active.
  void set_in_background(bool in_background) noexcept { in_background_ = in_background; }
  [[nodiscard]] bool in_background() const noexcept { return in_background_; }
  /// What it is called in reports; the text must outlive it.
  void set_name(const char* name) noexcept { name_ = name; }
  [[nodiscard]] const char* name() const noexcept { return name_; }
  /// Where it tells what it does; not while active.
  void set_trace(const ExecutionTrace& trace) noexcept { trace_ = trace; }
  [[nodiscard]] const ExecutionTrace& trace() const noexcept { return trace_; }
  [[nodiscard]] const Schedule& schedule() const noexcept { return *schedule_; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

  /// Whether a message task goes through shared memory in every start.
  [[nodiscard]] bool is_shared(const Task& task) const noexcept {
    return connected_ && routes_[task.message].is_shared();
  }
  /// The tasks that do, ascending. Throws std::bad_alloc.
  [[nodiscard]] std::vector<TaskId> shared_messages() const;
  /// Which way each message takes. Throws std::bad_alloc.
  [[nodiscard]] MessageWays ways() const;
  /// How many messages that this rank sends have their data in common with others, and do not pack them each.
  [[nodiscard]] std::size_t published_messages() const noexcept;
  [[nodiscard]] const Message& message(std::uint32_t number) const noexcept { return messages_[number]; }
  /// Where the data of a message lie, from its address; nullptr: in one piece.
  [[nodiscard]] const Layout* layout_of(const Message& message) const noexcept;

  /// The transport gave up a message that a partner may still copy into the arrays of this one: they are kept for good.
  void keep_arrays() noexcept;
  /// The transport gave up the prepared form of a task.
  void forget_prepared(TaskId task) noexcept {
    if (!routes_.empty()) routes_[schedule_->tasks()[task].message].request = MPI_REQUEST_NULL;
  }

 private:
  struct Counter {
    std::uint32_t pending;    ///< predecessors that the task still waits for
    std::uint32_t in_degree;  ///< what it goes back to
  };
  [[nodiscard]] bool lies_across_spaces(const Task& task) const noexcept;
  void bind_across_spaces(const std::array<std::byte*, kSpaces>& bases);
  void compile_lane_copies(bool across_spaces);
  [[nodiscard]] const Route* route_of(std::size_t number) const noexcept {
    return routes_.empty() ? nullptr : routes_.data() + number;
  }
  void post_roots();
  [[nodiscard]] bool post(std::size_t number);
  [[nodiscard]] bool post_in_failure(std::size_t number);
  void copy_aside(const Task& task) const;
  [[nodiscard]] const std::byte* base_of_sources(const Task& task) const noexcept;
  [[nodiscard]] int reduce(const Task& task) const noexcept;
  void advance(std::span<const TaskId> first_tasks, TaskId completed);
  template <bool kObserved>
  void run_ready(std::span<const TaskId> first_tasks, TaskId completed, std::uint32_t queued);
  void queue_function(TaskId id, const Task& task) noexcept;
  [[nodiscard]] bool is_for_worker(const Task& task) const noexcept {
    return crew_ != nullptr && schedule_->computation(task).for_worker;
  }
  void give_to_worker(const Task& task) noexcept;
  [[nodiscard]] bool run_function(TaskId id, const ComputeCall& call);
  template <bool kObserved>
  [[nodiscard]] std::size_t run_functions_until(FunctionTime* time);
  void run_queued(std::uint32_t queued);
  void fail(TaskId task, int code);
  void fail_with(TaskId task, const std::exception_ptr& thrown) noexcept;
  void end() noexcept;
  [[nodiscard]] std::span<Message> messages() noexcept { return {messages_.get(), schedule_->messages().size()}; }

  /// What a start wants to know of the schedule, in few cache lines.
  struct Plan {
    explicit Plan(const Schedule& schedule)
        : roots_before_messages(schedule.roots_before_messages()),
          roots_after_messages(schedule.roots_after_messages()),
          tasks(static_cast<std::uint32_t>(schedule.tasks().size())),
          messages(static_cast<std::uint32_t>(schedule.messages().size())),
          root_messages(schedule.root_messages()) {}
    std::span<const TaskId> roots_before_messages;
    std::span<const TaskId> roots_after_messages;
    std::uint32_t tasks;
    std::uint32_t messages;
    std::uint32_t root_messages;
  };

  // What a start and a wait read lies together, in the order in which they read it: where ranks share a core, each line
  // comes from memory after every turn.
  Transport& transport_;
  std::atomic<bool> active_ = false;
  bool usable_ = true;
  bool near_ = false;
  bool connected_ = false;
  bool watches_lanes_ = false;
  bool computes_ = false;  ///< it has functions
  bool in_background_ = false;
  std::optional<Failure> failure_;
  std::uint32_t remaining_ = 0;  ///< tasks not complete; plain, as only the token's holder counts
  std::uint32_t posted_ = 0;     ///< messages in flight
  std::uint32_t unposted_ = 0;   ///< messages not posted yet
  MPI_Comm comm_;
  ExecutionTrace trace_;
  // (the second line)
  std::unique_ptr<Message[]> messages_;  ///< by number, with addresses and tags as bound
  std::vector<Route> routes_;            ///< of each message; empty when nothing was prepared
  BlockWatch* watch_ = nullptr;          ///< who wants to know what is complete, if anybody does
  ContinuationList continuations_;
  std::shared_ptr<const Schedule> schedule_;
  Plan plan_;
  std::int64_t shortest_aside_ = CopyWorkers::kWorthSharing;  ///< of copies that are not plain ones
  // What only tasks, bindings and reports need.
  std::unique_ptr<Counter[]> counters_;  ///< one for each task
  std::unique_ptr<TaskId[]> ready_;      ///< the ready queue: tasks, but for functions, that wait to be run
  std::array<std::byte*, kSpaces> bases_{};
  ScratchMemory scratch_;
  std::unique_ptr<Connection> connection_;  ///< what the routes lead to
  SlotReading slot_reading_;
  const LaneTable* lanes_ = nullptr;
  std::size_t lane_messages_ = 0;
  std::vector<Message*> lane_candidates_;  ///< where sizes change: those that have a lane, if they are short
  std::vector<LaneCopy> lane_copies_;      ///< by number; empty when there are none
  std::vector<WireType> wire_types_;
  std::vector<Layout> bound_layouts_;  ///< of messages across spaces, by wire layout; empty when there are none
  bool bound_ = false;                 ///< those are for the buffers in bases_
  bool addressed_ = false;             ///< the messages are
  int first_tag_ = 0;                  ///< that the messages have
  ContinuationList* fired_ = nullptr;  ///< where continuations go at the end
  std::string story_;                  ///< of its abandonment
  const CopyWorkers* copy_workers_ = nullptr;
  const char* name_ = "an operation";
  ReadyFunctions ready_functions_;
  FunctionList* function_list_ = nullptr;
  bool in_functions_ = false;  ///< it runs them, and needs no list
  TaskId running_function_ = kNoTask;
  std::string thrown_;  ///< text of the exception that it failed with
  std::shared_ptr<FunctionCrew> crew_;
  std::unique_ptr<WorkerGraph> worker_graph_;  ///< null without a crew
  std::uint32_t on_workers_ = 0;

 public:
  /// The links of a FunctionList.
  Execution* next_with_functions = nullptr;
  Execution* next_with_workers = nullptr;
  /// The link of a StartQueue.
  Execution* queued_before = nullptr;
};

}  // namespace rondo::internal

#endif
