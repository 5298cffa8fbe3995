/// @file
/// User-defined collectives, in C++: schedules in the language in which Rondo's algorithms are written.
#ifndef RONDO_SCHEDULE_HPP
#define RONDO_SCHEDULE_HPP

#include <rondo/basics/cpp20.hpp>

#include <mpi.h>
#include <rondo/basics/compute.hpp>
#include <rondo/basics/element_buffer.hpp>
#include <rondo/basics/machine.hpp>
#include <rondo/comm.hpp>
#include <rondo/error.hpp>
#include <rondo/options.hpp>
#include <rondo/request.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo::internal {
class OwnBuilder;
struct BlockId;
class OwnCalls;
struct LoweringAccess;
}  // namespace rondo::internal

namespace rondo {

class CartComm;

/// A block of a ScheduleBuilder: some bytes of the send buffer, of the receive buffer or of scratch memory. A value; no
/// other builder accepts it.
class Block {
 public:
  /// Makes no block: no function accepts it.
  Block() noexcept = default;
  friend bool operator==(const Block&, const Block&) = default;

 private:
  friend class ScheduleBuilder;
  friend struct internal::LoweringAccess;
  explicit Block(std::uint32_t index) noexcept : index_(index) {}
  std::uint32_t index_ = ~std::uint32_t{0};
};

/// A range of blocks one after the other in memory, such as a std::vector.
template <typename Range>
concept BlockRange = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    std::same_as<std::ranges::range_value_t<Range>, Block>;

/// A list of blocks in order, as functions of ScheduleBuilder take it: one block, a list in braces, or any contiguous
/// range. Refers to the blocks and does not copy them.
class Blocks {
 public:
  /// Refers to one block.
  Blocks(const Block& one) noexcept : blocks_(&one, 1) {}
  /// Refers to the blocks of a list in braces.
  Blocks(std::initializer_list<Block> several) noexcept : blocks_(several.begin(), several.size()) {}
  /// Makes a list of all blocks of a contiguous range. Refers to the blocks, which must outlive the list.
  template <BlockRange Range>
  Blocks(const Range& several) noexcept : blocks_(std::ranges::data(several), std::ranges::size(several)) {}

  /// All blocks of the list.
  [[nodiscard]] std::span<const Block> all() const noexcept { return blocks_; }

 private:
  std::span<const Block> blocks_;
};

/// Where a function runs.
enum class Where : std::uint8_t {
  driver,  ///< on the thread that drives messages: for short functions, and those that let a message leave at once
  worker   ///< on oneTBB's workers, while messages go on: for functions that take long
};

/// How a function is called, and where it runs.
struct ComputeOptions {
  std::string_view name = "function";  ///< name in errors, traces, drawings and reports; copied
  Where where = Where::driver;         ///< on which threads
};

/// Builds the schedule of one rank: a lowering says, in program order, which blocks are sent, received, copied, reduced
/// and computed. From the blocks that each task reads and writes the builder infers what the task waits for; tasks that
/// wait for nothing start at once. The builder also decides how a message travels: as one piece of memory, packed, or
/// as a datatype.
///
/// Blocks are the atoms of dependencies: a task waits for the last task that wrote its blocks, and for the tasks that
/// read the blocks that it writes. Two requests for the same bytes return the same block. Otherwise blocks of the
/// receive buffer, and those of scratch memory, must not share bytes; several blocks that belong together, such as in
/// one message, are given as a list. Blocks of the send buffer are only read and may overlap.
///
/// The k-th message that a rank sends to another meets the k-th receive from that rank there, and both have the same
/// number of bytes. Messages, copies and reductions of no bytes are left out at both ends and count for nothing.
///
/// Functions are local and throw Error, which ends the lowering: MPI_ERR_ARG for impossible schedules (a block that is
/// read before anything wrote it, or written twice without a read between, or that is no block of this builder),
/// MPI_ERR_RANK, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP. Only functions with an MPI datatype or operation need MPI to
/// run.
class ScheduleBuilder {
 public:
  ScheduleBuilder(const ScheduleBuilder&) = delete;
  ScheduleBuilder& operator=(const ScheduleBuilder&) = delete;
  ~ScheduleBuilder() = default;

  /// Returns the block of `bytes` bytes in a row, from `offset` bytes after the beginning of the send buffer.
  [[nodiscard]] Block send_block(std::int64_t offset, std::int64_t bytes);
  /// Returns the block of `count` elements of a committed datatype, which may be freed afterwards, the first at
  /// `offset` bytes of the send buffer.
  [[nodiscard]] Block send_block(std::int64_t offset, std::int64_t count, MPI_Datatype type);
  /// Returns a block of the receive buffer, as send_block() does of the send buffer. Without set_in_place() the block
  /// holds nothing until something is received, copied or reduced into it. The block may be written, read and written
  /// again.
  [[nodiscard]] Block recv_block(std::int64_t offset, std::int64_t bytes);
  [[nodiscard]] Block recv_block(std::int64_t offset, std::int64_t count, MPI_Datatype type);
  /// Reserves `bytes` bytes of scratch memory and returns their offset, for scratch_block(): adjacent blocks there
  /// travel as one piece. The memory holds nothing at the beginning of each start.
  [[nodiscard]] std::int64_t reserve_scratch(std::int64_t bytes);
  [[nodiscard]] Block scratch_block(std::int64_t offset, std::int64_t bytes);
  /// Returns a block of scratch memory for data that pass through this rank, at a place that the builder chooses: a
  /// received block stays where its message arrived, so that passing it on needs no copy.
  [[nodiscard]] Block transit(std::int64_t bytes);

  /// Sets the reduction that later reduce() calls perform, `count` elements at a time. Call before operand() and
  /// reduce(). May be set again, to up to 256 different reductions. `op` may be user-defined, and then must live as
  /// long as requests that use it. `op` need not be commutative: operands are combined exactly as the lowering says. A
  /// predefined `op` takes the datatypes that this MPI takes for it.
  void set_reduction(std::int64_t count, MPI_Datatype type, MPI_Op op);
  /// Returns a block of scratch memory for one operand of the current reduction; otherwise as transit().
  [[nodiscard]] Block operand();
  /// Reduces `into` = `from` OP `into`, for operands, or blocks of the send (`from` only) or receive buffer made with
  /// the reduction's count and datatype. Both must have been written. Reductions into one block run in program order,
  /// so the result is the same on every run. Lists are reduced pair by pair, in their order.
  void reduce(const Blocks& from, const Blocks& into);

  /// Copies each block of `from` to the block with the same index in `to`: as one task if the blocks of `from` all lie
  /// in one memory (send buffer, receive buffer or scratch), and also those of `to`.
  void copy(const Blocks& from, const Blocks& to);
  /// Runs a user's function as one task, when the blocks of `reads` have arrived and no task needs the old contents of
  /// the blocks of `writes` any more. The function gets all these blocks (ComputeBlocks) and touches no others: tasks
  /// without an order to it may run before and after it, and messages also meanwhile. The function must leave a value
  /// in all of `writes`. A block in both lists must have been written, and is updated in place. Blocks of the send
  /// buffer are only read. Blocks of no bytes keep their places in the lists, and nothing waits for them. `name` is the
  /// task's name in errors, traces, drawings and reports; copied.
  ///
  /// The function runs on the thread that drives messages at that time: one that waits for or tests any operation of
  /// this process, or that of progress mode `async`; never within a start. Functions of one operation run one at a
  /// time, each once in a start. Functions that messages wait for run first, and messages advance in between, at the
  /// latest when functions have run for a few microseconds. Operations of one collective share the function object.
  ///
  /// The function may start persistent requests. Calls of Rondo that wait, test, make or free something throw Error,
  /// MPI_ERR_OTHER, inside the function. An exception of the function ends the operation, which fails on this rank with
  /// MPI_ERR_OTHER, the task's name and what(), and on all ranks that needed data from this rank: no rank hangs, and no
  /// further function of this operation runs on this rank.
  void compute(const Blocks& reads, const Blocks& writes, ComputeFunction function,
               std::string_view name = "function") {
    compute(reads, writes, std::move(function), ComputeOptions{.name = name});
  }
  /// Runs a user's function as one task, as above, or, with Where::worker, on oneTBB's workers in the arena of the
  /// thread that calls init() (for nonblocking calls: of the thread that makes the first one of several in a row). On
  /// workers, functions of one operation run at the same time, and so do those of two operations of one collective, so
  /// their function objects must be thread-safe. The functions may wait for other operations if MPI's thread level
  /// permits it. If no worker comes for a hundredth of a second, because all are busy or there is none, the waiting
  /// thread runs the functions. MPI must have been started with MPI_THREAD_FUNNELED or more: otherwise functions run as
  /// with Where::driver, and the log says so.
  void compute(const Blocks& reads, const Blocks& writes, ComputeFunction function, const ComputeOptions& options);
  /// Sends the blocks as one message. With MPI_PROC_NULL as `target` nothing is sent.
  void send(int target, const Blocks& outgoing);
  /// Receives one message into the blocks, one after the other.
  void receive(int source, const Blocks& incoming);
  /// Sends and receives, as one exchange: one round. If both partners are this rank itself, the exchange is a copy.
  void exchange(int target, int source, const Blocks& outgoing, const Blocks& incoming);
  /// Sends to and receives from one partner, as one exchange.
  void exchange(int partner, const Blocks& outgoing, const Blocks& incoming) {
    exchange(partner, partner, outgoing, incoming);
  }

  /// Makes the schedule in place: the receive buffer holds the data to send and takes the received data. Call before
  /// any block of the send buffer is requested. Operations then take rondo::in_place and that buffer.
  void set_in_place();
  /// Declares, in place, that a block of the receive buffer holds data from the start, which will be read.
  void set_filled(Block block);

  /// Begins a new phase, which drawings, traces and failures show, and which is with Options::schedule `phases` a
  /// barrier between the tasks of this rank.
  void begin_phase();
  /// Lets at most `exchanges` exchanges, at least 1, be in flight at a time: exchange e begins when both messages of
  /// exchange e - `exchanges` have ended. Call before anything is sent. All messages must then belong to exchanges, and
  /// all ranks go through their exchanges in the same order, even if some are empty.
  void set_window(int exchanges);
  /// Groups exchanges into batches of `exchanges`, instead of a window: all messages of a batch end before the next
  /// batch begins.
  void set_batches(int exchanges);
  /// Ends the current batch: the next exchange begins another one. All ranks call this between the same exchanges.
  void end_batch();
  /// Begin and end an exchange: all messages after begin_exchange(), up to the next exchange or phase, or
  /// end_exchange(), are one exchange, even without messages.
  void begin_exchange();
  void end_exchange();

  /// The number of bytes of a block.
  [[nodiscard]] std::int64_t bytes(Block block) const;

 private:
  friend struct internal::LoweringAccess;
  explicit ScheduleBuilder(internal::OwnBuilder& own) noexcept : own_(own) {}
  [[nodiscard]] static std::vector<internal::BlockId> ids(const Blocks& blocks);
  internal::OwnBuilder& own_;
};

/// A function that writes the schedule of `rank`, one of `size` ranks. It may depend on these two numbers and on the
/// state of the function object, and nothing else, so that one process can lower all ranks, as check() does. The
/// function is called once or twice and must build the same messages each time.
using Lowering = std::function<void(rondo::ScheduleBuilder& build, int rank, int size)>;

/// One of several algorithms for a user-defined collective.
struct OwnAlgorithm {
  /// The name that Request::algorithm() reports: at least one character, and different from the other names of this
  /// collective.
  std::string name;
  Lowering lower;  ///< the lowering, as for a collective with one algorithm
  /// Predicts the algorithm's time in nanoseconds on `size` ranks of `machine`, the communicator's machine. Empty: all
  /// ranks are simulated on the machine (predict()), which may take long for thousands of ranks.
  std::function<double(const Machine& machine, int size)> predict{};
};

/// Returns the schedule of one rank as a graph for Graphviz (`dot -Tsvg`), without running it: see Request::to_dot().
/// Local. Throws Error, MPI_ERR_ARG for a rank that is not in [0, size), and the exceptions of the lowering.
[[nodiscard]] std::string to_dot(const Lowering& lower, int rank, int size);

/// A collective operation that the user defines by a lowering, on any intracommunicator or grid. It runs like Rondo's
/// operations, with all progress modes, shared memory, traces, drawings and reports. Move-only.
///
///     rondo::OwnCollective shift(MPI_COMM_WORLD, "shift", [](rondo::ScheduleBuilder& build, int rank, int size) {
///       build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, 8), build.recv_block(0, 8));
///     });
///     shift.run(send, recv);
///
/// Buffers are contiguous ranges of trivially copyable elements of any type, whose length is checked, or addresses,
/// whose length is not; run(), start() and init() are collective, in the same order on all ranks as all calls on the
/// communicator. All functions throw Error: MPI_ERR_BUFFER for a buffer that is null, or shorter than the blocks of the
/// lowering on this rank, and if send and receive buffer share bytes of blocks. Thread level as for Comm.
class OwnCollective {
 public:
  /// Lowers the caller's rank. `name` is the collective's name in errors, traces and reports, the same on all ranks.
  /// `options` are those of the collective's operations: schedule, messages, shm, progress, learn and check count.
  ///
  /// Collective over `comm`, and throws on all ranks if it throws on one. An exception of the lowering is rethrown on
  /// its rank; the others get MPI_ERR_ARG with a text that names that rank. No rank waits, and nothing is left behind.
  /// Throws Error (MPI_ERR_ARG) also if the messages of the ranks do not match, with the checker's report of one that
  /// does not. With Options::check, or RONDO_CHECK, all schedules are checked: that messages match, that nothing can
  /// hang or race, and that nothing is read before it is written (MPI_ERR_ARG, the same text on all ranks).
  /// MPI_ERR_COMM as for Comm.
  OwnCollective(MPI_Comm comm, std::string_view name, const Lowering& lower, const Options& options = {});
  /// Makes the collective on the communicator of a Comm, with the ranks of that Comm, which may be destroyed earlier.
  OwnCollective(const Comm& comm, std::string_view name, const Lowering& lower, const Options& options = {});
  /// Makes the collective on the communicator of a grid, whose ranks may differ from those of the communicator that the
  /// grid was made of (reorder).
  OwnCollective(const CartComm& grid, std::string_view name, const Lowering& lower, const Options& options = {});
  /// Makes a collective with several algorithms, at least one, and runs the one that is predicted to be the fastest:
  /// one for blocking and nonblocking operations, and maybe another one for persistent operations, whose messages on a
  /// node are faster. All ranks give the same algorithms. Rank 0 predicts for all ranks. Request::explain() has all
  /// predictions. With Options::learn, the same on all ranks, operations find out which algorithm is the fastest,
  /// separately for each form of operation (docs/tuning.md). All algorithms that may be the fastest are then lowered;
  /// their lowerings should ask for blocks in the same order if requests are asked for single blocks. A collective
  /// learns nothing if it reduces by anything but predefined operations on integers. Throws Error as the constructors
  /// with one lowering do, MPI_ERR_ARG also for names that are empty or the same, and for predictions that are no
  /// number; an exception of `predict` on rank 0 is rethrown there.
  OwnCollective(MPI_Comm comm, std::string_view name, std::span<const OwnAlgorithm> algorithms,
                const Options& options = {});
  /// Makes a collective with several algorithms on the communicator of a Comm.
  OwnCollective(const Comm& comm, std::string_view name, std::span<const OwnAlgorithm> algorithms,
                const Options& options = {});
  /// Makes a collective with several algorithms on the communicator of a grid.
  OwnCollective(const CartComm& grid, std::string_view name, std::span<const OwnAlgorithm> algorithms,
                const Options& options = {});
  OwnCollective(OwnCollective&& other) noexcept = default;
  OwnCollective& operator=(OwnCollective&& other) noexcept = default;
  /// Requests of the collective live on. Local.
  ~OwnCollective() = default;

  /// Runs the collective. Blocking: waits as long as the lowering has this rank wait, and no longer.
  template <SendElements<Deduced> Send, WritableElements<Deduced> Recv>
  void run(Send&& send, Recv&& recv) {
    run(bytes_of(send), bytes_of(recv));
  }
  /// Nonblocking: waits for no other rank. Blocks of the request (Request::arrived() and the like) are numbered in the
  /// order in which the lowering first asked for them. Blocks of no bytes have no number.
  template <LastingElements<Deduced> Send, WritableElements<Deduced> Recv>
  [[nodiscard]] Request start(Send&& send, Recv&& recv) {
    return start(bytes_of(send), bytes_of(recv));
  }
  /// Persistent: waits for the other ranks, and throws on all of them if it throws on one. Request::start() allocates
  /// nothing.
  template <LastingElements<Deduced> Send, WritableElements<Deduced> Recv>
  [[nodiscard]] Request init(Send&& send, Recv&& recv) {
    return init(bytes_of(send), bytes_of(recv));
  }
  /// In place, for a lowering that calls set_in_place().
  template <WritableElements<Deduced> Buffer>
  void run(InPlace, Buffer&& buffer) {
    run(nothing_sent(), bytes_of(buffer));
  }
  template <WritableElements<Deduced> Buffer>
  [[nodiscard]] Request start(InPlace, Buffer&& buffer) {
    return start(nothing_sent(), bytes_of(buffer));
  }
  template <WritableElements<Deduced> Buffer>
  [[nodiscard]] Request init(InPlace, Buffer&& buffer) {
    return init(nothing_sent(), bytes_of(buffer));
  }
  /// Runs the collective with addresses, null if this rank's schedule has no blocks, as in a barrier; `send` may be
  /// MPI_IN_PLACE.
  void run(const void* send = nullptr, void* recv = nullptr) { run(Bytes{send, -1}, Bytes{recv, -1}); }
  [[nodiscard]] Request start(const void* send = nullptr, void* recv = nullptr) {
    return start(Bytes{send, -1}, Bytes{recv, -1});
  }
  [[nodiscard]] Request init(const void* send = nullptr, void* recv = nullptr) {
    return init(Bytes{send, -1}, Bytes{recv, -1});
  }

  /// The name that the collective was given.
  [[nodiscard]] const std::string& name() const;

 private:
  struct Bytes {
    const void* address;
    std::int64_t count;  ///< -1: unknown
  };
  template <typename Range>
  [[nodiscard]] static Bytes bytes_of(Range& range) {
    using T = std::ranges::range_value_t<Range>;
    static_assert(std::is_trivially_copyable_v<T>, "elements travel as bytes, and so must be trivially copyable");
    return {std::ranges::data(range), static_cast<std::int64_t>(std::ranges::size(range) * sizeof(T))};
  }
  [[nodiscard]] static Bytes nothing_sent() { return {MPI_IN_PLACE, -1}; }
  void run(const Bytes& send, const Bytes& recv);
  [[nodiscard]] Request start(const Bytes& send, const Bytes& recv);
  [[nodiscard]] Request init(const Bytes& send, const Bytes& recv);
  [[nodiscard]] internal::OwnCalls& calls() const;

  std::shared_ptr<internal::OwnCalls> calls_;
};

}  // namespace rondo

#endif
