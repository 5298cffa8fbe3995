/// @file
/// Execution: everything that changes while a schedule runs.
#ifndef RONDO_RUNTIME_EXECUTION_EXECUTION_HPP
#define RONDO_RUNTIME_EXECUTION_EXECUTION_HPP

#include "datatypes/making/wire_type.hpp"
#include "runtime/base/scratch_memory.hpp"
#include "runtime/execution/connection.hpp"
#include "runtime/execution/continuation.hpp"
#include "runtime/execution/transport.hpp"
#include "runtime/functions/copy_workers.hpp"
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

/// The value of Failure::code for a compute task whose function has thrown.
inline constexpr int kFunctionThrew = -3;

/// The program by which this end copies a scattered message that may go through a lane.
struct LaneCopy {
  CopyProgram program;
  std::byte* absolute = nullptr;  ///< the address that the program counts from; null: the message's address

  [[nodiscard]] std::byte* base(const Message& message) const noexcept {
    return absolute == nullptr ? message.address : absolute;
  }
};

/// The first thing that went wrong in an execution.
struct Failure {
  TaskId task;  ///< kNoTask if no task failed
  int code;     ///< as in Completion, or kFunctionThrew
};

/// A schedule bound to buffers, a communicator and a range of tags. Holds the counters of the tasks, scratch memory and
/// wire types. All memory is allocated at construction or, for messages across spaces, by bind(): start() allocates
/// nothing. Driven by the holder of the progress token.
///
/// After a failure the execution continues to its end. Messages are still exchanged, though their receivers know that
/// those sent from here are not valid, and nothing is copied, reduced or computed. So no partner is left waiting, each
/// partner that needed data from this rank fails too, and the execution may be started again.
class alignas(64) Execution {
 public:
  /// Makes an execution whose messages go over `comm`, with tags from `first_tag` up.
  Execution(std::shared_ptr<const Schedule> schedule, Transport& transport, MPI_Comm comm, int first_tag);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution();

  /// Sets the buffers. The execution must not be active. If it throws (Error or std::bad_alloc), it must be called
  /// again.
  void bind(const void* send, void* recv);
  /// Prepares, once, the MPI requests that every start will post. The buffers must not be bound again afterwards.
  void prepare();
  /// Takes a connection that the partners do not know yet, and allocates all memory that its channels will need. The
  /// buffers must not be bound again from now on. The execution must not be active. Call this and take_channels() with
  /// the progress token held. Throws std::bad_alloc.
  void prepare_connection(std::unique_ptr<Connection> connection);
  [[nodiscard]] Connection* connection() noexcept { return connection_.get(); }
  /// Makes messages take the channels of the connection, which must be settled, from the next start on. Data that they
  /// bring to scratch memory are read in the slots, if possible (SlotReading).
  void take_channels() noexcept;
  /// Returns whether some message has a channel.
  [[nodiscard]] bool connected() const noexcept { return connected_; }
  /// Makes short messages between this rank and ranks that have lanes take the lanes, from the next start on. Call this
  /// once, and not for an execution that will be prepared. `lanes` belongs to the communicator and must outlive the
  /// execution, which must not be active. Call with the progress token held. Throws std::bad_alloc; the execution is of
  /// no use then.
  void use_lanes(const LaneTable& lanes);
  /// Does the same as use_lanes() for an execution whose messages will change their sizes: reserves memory for all
  /// messages that have a lane.
  void use_lanes_at_any_size(const LaneTable& lanes);
  /// Reads the new sizes of the tasks from the schedule, which belongs to this execution alone. Messages without bytes
  /// will not be posted; no task may wait for one. The buffers must be bound again. Call this only if the execution is
  /// not active and never prepared, and all its messages are in one piece.
  void take_new_sizes() noexcept;
  [[nodiscard]] const LaneTable* lanes() const noexcept { return lanes_; }
  /// Returns whether the execution receives messages from ranks that might, by mistake, send shorter ones, which take a
  /// lane.
  [[nodiscard]] bool watches_lanes() const noexcept { return watches_lanes_; }
  /// Returns how this end copies `message`, which must be scattered and have in_lane set.
  [[nodiscard]] const LaneCopy& lane_copy(const Message& message) const noexcept {
    return lane_copies_[static_cast<std::size_t>(&message - messages_.get())];
  }
  /// Returns whether some message may take another way than MPI.
  [[nodiscard]] bool stays_near() const noexcept { return near_; }
  void set_first_tag(int first_tag) noexcept;
  [[nodiscard]] int first_tag() const noexcept { return first_tag_; }
  /// Sets the communicator, if it did not exist at construction. Call this before prepare() and start().
  void set_comm(MPI_Comm comm) noexcept { comm_ = comm; }

  /// Makes the execution active before start(), which another thread may call.
  void announce() noexcept { active_.store(true, std::memory_order_relaxed); }  // relaxed: only its own thread waits
  /// Posts the root receives, then the root sends, and runs the tasks that are ready. The execution must be announced,
  /// and not be running.
  void start();
  /// The result of run_functions(): how many functions ran, and whether more are ready.
  struct Ran {
    std::size_t functions;
    bool more;
  };
  /// Returns whether there are functions to run. start() and complete() run none.
  [[nodiscard]] bool has_ready_functions() const noexcept { return !ready_functions_.empty(); }
  /// Runs functions that are ready, of which there must be at least one, and functions that become ready through them,
  /// until none is left or `time` is over. If `time` is null, runs one function. As after complete(), the execution may
  /// be gone when it is not active any more.
  Ran run_functions(FunctionTime* time);
  /// Sets the list that the execution enters whenever it has functions to run; the owner of the list runs them. Without
  /// a list, whoever drives the execution checks for functions. The execution must not be active; `list` must outlive
  /// the execution.
  void set_function_list(FunctionList* list) noexcept { function_list_ = list; }
  /// Sets the crew that runs the functions for workers. The crew must have space for all of the schedule's functions
  /// for workers, and use the `done` of the function list, which must be set. The execution must not be active. Throws
  /// std::bad_alloc.
  void set_function_crew(std::shared_ptr<FunctionCrew> crew);
  /// Completes the task of a function that a worker has run.
  void complete_function(WorkerFunction& function);
  /// Returns the crew if no worker runs any function: all that were given to workers, if any, still wait. Otherwise, or
  /// if there is no crew, returns null.
  [[nodiscard]] std::shared_ptr<FunctionCrew> crew_without_workers() const noexcept {
    return crew_ != nullptr && crew_->waiting() == on_workers_ ? crew_ : nullptr;
  }
  /// Returns how many functions were given to workers and have not been completed.
  [[nodiscard]] std::uint32_t on_workers() const noexcept { return on_workers_; }
  /// Returns the compute task whose function is running, or kNoTask. Safe in a signal handler that interrupts it.
  [[nodiscard]] TaskId running_function() const noexcept { return running_function_; }
  /// Records that all messages of the execution are complete, and ends the execution. Does not wait or ask MPI. Call
  /// this only if nothing is left but messages (only_waits()) and all of them have arrived, or to abandon the
  /// execution.
  void complete_rest() noexcept;
  /// Completes a message task and runs the tasks that became ready. If `code` is not MPI_SUCCESS, also records the
  /// failure; with kNoTask, that is all.
  void complete(TaskId task, int code);
  /// Returns whether the execution runs: true between start() and the completion of the last task. Any thread may ask.
  [[nodiscard]] bool active() const noexcept {
    // acquire: whoever sees the end also sees the data that the last task wrote.
    return active_.load(std::memory_order_acquire);
  }

  /// Makes the execution append `continuations` to `list` when the execution is complete. Returns false, and does
  /// nothing, if it is complete already. All calls must name the same list. Call with the progress token held.
  [[nodiscard]] bool when_complete(ContinuationList continuations, ContinuationList& list) noexcept;
  /// Returns whether all messages of the execution are posted, no other execution has messages in flight (`in_flight`
  /// is their number), and it has no functions that wait for some of them. The messages then complete without further
  /// work of this process. Call this and only_waits() with the progress token held.
  [[nodiscard]] bool has_posted_all(std::size_t in_flight) const noexcept {
    return unposted_ == 0 && posted_ == in_flight && !computes_;
  }
  /// Returns whether nothing is left but messages in flight.
  [[nodiscard]] bool only_waits() const noexcept { return remaining_ == posted_; }

  /// Makes `watch` count the complete tasks from now on. After a failure of the execution no further block is counted
  /// as done, because data exchanged after the failure may be wrong. Call with the progress token held. Throws
  /// std::bad_alloc, and has done nothing then.
  void watch_blocks(BlockWatch& watch);
  /// Ends the counting that watch_blocks() began. The execution must not be active.
  void unwatch_blocks() noexcept { watch_ = nullptr; }

  /// Records that MPI refused a message that had waited elsewhere: the execution fails. If no stand-in for that message
  /// could be posted (`lost`), the execution is not usable() any more. Called by the transport.
  void refuse(const Message& message, int code, bool lost) {
    fail(message.task, code);
    usable_ = usable_ && !lost;
  }

  /// Ends the execution at once. Its messages are given up, and it is not usable() any more. `story` says why. Throws
  /// std::bad_alloc, and has done nothing then.
  void abandon(int code, std::string story);

  [[nodiscard]] const std::optional<Failure>& failure() const noexcept { return failure_; }
  /// Returns the MPI error class of the failure, or MPI_SUCCESS if there is none.
  [[nodiscard]] int failure_class() const;
  /// Returns a text for the failure: task, round, phase, peer and MPI's own words.
  [[nodiscard]] std::string describe_failure() const;
  /// Returns whether the execution may be started again: false once a message was given up, as partners may be out of
  /// step.
  [[nodiscard]] bool usable() const noexcept { return usable_; }
  /// Returns how many tasks are not complete.
  [[nodiscard]] std::uint32_t remaining() const noexcept { return remaining_; }
  /// Sets the workers that share the long copies; null: no workers do. The workers must outlive the execution.
  void set_copy_workers(const CopyWorkers* workers) noexcept { copy_workers_ = workers; }
  /// Sets whether the poller drives the execution, and not only the threads of the application. The execution must not
  /// be active.
  void set_in_background(bool in_background) noexcept { in_background_ = in_background; }
  [[nodiscard]] bool in_background() const noexcept { return in_background_; }
  /// Sets the name of the execution in reports. The text must outlive the execution.
  void set_name(const char* name) noexcept { name_ = name; }
  [[nodiscard]] const char* name() const noexcept { return name_; }
  /// Sets the trace that records the execution, which must not be active.
  void set_trace(const ExecutionTrace& trace) noexcept { trace_ = trace; }
  [[nodiscard]] const ExecutionTrace& trace() const noexcept { return trace_; }
  [[nodiscard]] const Schedule& schedule() const noexcept { return *schedule_; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

  /// Returns whether a message task goes through shared memory in every start.
  [[nodiscard]] bool is_shared(const Task& task) const noexcept {
    return connected_ && routes_[task.message].is_shared();
  }
  /// Returns the message tasks that go through shared memory in every start, ascending. Throws std::bad_alloc.
  [[nodiscard]] std::vector<TaskId> shared_messages() const;
  /// Returns which way each message takes. Throws std::bad_alloc.
  [[nodiscard]] MessageWays ways() const;
  /// Returns how many messages that this rank sends have published data, which are packed once for several messages.
  [[nodiscard]] std::size_t published_messages() const noexcept;
  [[nodiscard]] const Message& message(std::uint32_t number) const noexcept { return messages_[number]; }
  /// Returns the layout of a message's data, from its address, or null if the data are in one piece.
  [[nodiscard]] const Layout* layout_of(const Message& message) const noexcept;

  /// Keeps the arrays of the connection for good, because the transport gave up a message that a partner may still copy
  /// into them.
  void keep_arrays() noexcept;
  /// Forgets the prepared request of a task, because the transport gave it up.
  void forget_prepared(TaskId task) noexcept {
    if (!routes_.empty()) routes_[schedule_->tasks()[task].message].request = MPI_REQUEST_NULL;
  }

 private:
  struct Counter {
    std::uint32_t pending;    ///< predecessors that the task still waits for
    std::uint32_t in_degree;  ///< the value of `pending` at the beginning of a start
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

  /// The facts about the schedule that a start reads, in few cache lines.
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

  // Members that a start and a wait read lie together, in the order in which they are read: if ranks share a core, each
  // line comes from memory again after every switch.
  Transport& transport_;
  std::atomic<bool> active_ = false;
  bool usable_ = true;
  bool near_ = false;
  bool connected_ = false;
  bool watches_lanes_ = false;
  bool skips_empty_ = false;  ///< some messages have no bytes, and are not posted
  bool computes_ = false;     ///< the schedule has functions
  bool in_background_ = false;
  std::optional<Failure> failure_;
  std::uint32_t remaining_ = 0;  ///< tasks not complete; plain, as only the token's holder counts
  std::uint32_t posted_ = 0;     ///< messages in flight
  std::uint32_t unposted_ = 0;   ///< messages not posted yet
  MPI_Comm comm_;
  ExecutionTrace trace_;
  // (the second cache line)
  std::unique_ptr<Message[]> messages_;  ///< by number, with addresses and tags as bound
  std::vector<Route> routes_;            ///< route of each message; empty if nothing was prepared
  BlockWatch* watch_ = nullptr;          ///< counts the complete tasks, or null
  ContinuationList continuations_;
  std::shared_ptr<const Schedule> schedule_;
  Plan plan_;
  std::int64_t shortest_aside_ = CopyWorkers::kWorthSharing;  ///< bytes from which a copy goes through copy_aside()
  // Members that only tasks, bindings and reports need.
  std::unique_ptr<Counter[]> counters_;  ///< one for each task
  std::unique_ptr<TaskId[]> ready_;      ///< the ready queue: tasks other than functions that wait to be run
  std::array<std::byte*, kSpaces> bases_{};
  ScratchMemory scratch_;
  std::unique_ptr<Connection> connection_;  ///< the owner of the channels that the routes point to
  SlotReading slot_reading_;
  const LaneTable* lanes_ = nullptr;
  std::size_t lane_messages_ = 0;
  std::vector<Message*> lane_candidates_;  ///< if sizes change: the messages that take a lane when they are short
  std::vector<LaneCopy> lane_copies_;      ///< by number; empty when there are none
  std::vector<WireType> wire_types_;
  std::vector<Layout> bound_layouts_;  ///< layouts of messages across spaces, by wire layout; empty if there are none
  bool bound_ = false;                 ///< bound_layouts_ and their types are for the buffers in bases_
  bool addressed_ = false;             ///< the messages have addresses for the buffers in bases_
  int first_tag_ = 0;                  ///< the tag from which the messages' tags count
  ContinuationList* fired_ = nullptr;  ///< the list to which continuations are appended at the end
  std::string story_;                  ///< reason of the abandonment
  const CopyWorkers* copy_workers_ = nullptr;
  const char* name_ = "an operation";
  ReadyFunctions ready_functions_;
  FunctionList* function_list_ = nullptr;
  bool in_functions_ = false;  ///< run_functions() is running, so the list is not needed
  TaskId running_function_ = kNoTask;
  std::string thrown_;  ///< text of the exception that made the execution fail
  std::shared_ptr<FunctionCrew> crew_;
  std::unique_ptr<WorkerGraph> worker_graph_;  ///< null without a crew
  std::uint32_t on_workers_ = 0;

 public:
  /// The links in a FunctionList.
  Execution* next_with_functions = nullptr;
  Execution* next_with_workers = nullptr;
  /// The link in a StartQueue.
  Execution* queued_before = nullptr;
};

}  // namespace rondo::internal

#endif
