/// @file
/// Collectives of one's own, in C++: schedules in the language in which Rondo's algorithms are written.
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

/// A block that a ScheduleBuilder knows: some bytes of the send buffer, of the receive buffer or of scratch memory. A
/// value; of no use to any other builder.
class Block {
 public:
  /// None: no function takes it.
  Block() noexcept = default;
  friend bool operator==(const Block&, const Block&) = default;

 private:
  friend class ScheduleBuilder;
  friend struct internal::LoweringAccess;
  explicit Block(std::uint32_t index) noexcept : index_(index) {}
  std::uint32_t index_ = ~std::uint32_t{0};
};

/// Blocks one after the other in memory, such as those of a std::vector.
template <typename Range>
concept BlockRange = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    std::same_as<std::ranges::range_value_t<Range>, Block>;

/// Blocks that go together, in this order, as functions of ScheduleBuilder take them: one block, a list in braces, or
/// any contiguous range. Refers to them.
class Blocks {
 public:
  /// One.
  Blocks(const Block& one) noexcept : blocks_(&one, 1) {}
  /// Those in braces.
  Blocks(std::initializer_list<Block> several) noexcept : blocks_(several.begin(), several.size()) {}
  /// Those of a range.
  template <BlockRange Range>
  Blocks(const Range& several) noexcept : blocks_(std::ranges::data(several), std::ranges::size(several)) {}

  /// All of them.
  [[nodiscard]] std::span<const Block> all() const noexcept { return blocks_; }

 private:
  std::span<const Block> blocks_;
};

/// Where a function runs.
enum class Where : std::uint8_t {
  driver,  ///< on the thread that drives messages: what is short, or should make a message leave at once
  worker   ///< on oneTBB's workers, while messages go on: what takes long
};

/// How a function is called, and where it runs.
struct ComputeOptions {
  std::string_view name = "function";  ///< in errors, traces, drawings and reports; copied
  Where where = Where::driver;         ///< on which threads
};

/// Builds the schedule of one rank: a lowering says, in program order, which blocks are sent, received, copied, reduced
/// and computed. From what each task reads and writes the builder infers what it waits for; all that waits for nothing
/// is under way at once. It also decides how a message travels: as one piece of memory, packed, or as a datatype.
///
/// Blocks are the atoms of this: a task waits for the last one that wrote its blocks, and for those that read what it
/// writes. The same bytes asked for twice are the same block. Otherwise blocks of the receive buffer, and those of
/// scratch memory, must not share bytes; where several belong together, such as in one message, they are given as a
/// list. Blocks of the send buffer are only read and may overlap.
///
/// The k-th message that a rank sends to another meets the k-th receive from it there, and both have the same number
/// of bytes. Messages, copies and reductions of no bytes are left out at both ends and count for nothing.
///
/// Functions are local and throw Error, which ends the lowering: MPI_ERR_ARG for what cannot be (a block that is read
/// before anything wrote it, or written twice with nothing between that reads it, or that is no block of this
/// builder), MPI_ERR_RANK, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP. Only functions with an MPI datatype or operation
/// need MPI to run.
class ScheduleBuilder {
 public:
  ScheduleBuilder(const ScheduleBuilder&) = delete;
  ScheduleBuilder& operator=(const ScheduleBuilder&) = delete;
  ~ScheduleBuilder() = default;

  /// `bytes` bytes in a row, from `offset` bytes after the beginning of the send buffer.
  [[nodiscard]] Block send_block(std::int64_t offset, std::int64_t bytes);
  /// `count` elements of a committed datatype, which may be freed afterwards, the first at `offset` bytes.
  [[nodiscard]] Block send_block(std::int64_t offset, std::int64_t count, MPI_Datatype type);
  /// The same of the receive buffer. Without set_in_place() it holds nothing until something is received, copied or
  /// reduced into it. It may be written, read and written again.
  [[nodiscard]] Block recv_block(std::int64_t offset, std::int64_t bytes);
  [[nodiscard]] Block recv_block(std::int64_t offset, std::int64_t count, MPI_Datatype type);
  /// Takes `bytes` bytes of scratch memory and returns their offset, for scratch_block(): what lies side by side there
  /// travels as one piece. Holds nothing at the begin of each start.
  [[nodiscard]] std::int64_t reserve_scratch(std::int64_t bytes);
  [[nodiscard]] Block scratch_block(std::int64_t offset, std::int64_t bytes);
  /// Scratch memory for a block that passes through this rank, wherever the builder likes: one that is received stays
  /// where its message arrived, so that passing it on needs no copy.
  [[nodiscard]] Block transit(std::int64_t bytes);

  /// What reduce() does from here on, `count` elements at a time; before operand() and reduce(). May be set again, to
  /// up to 256 different ones. `op` may be user-defined, and then must live as long as requests that use it. It need
  /// not be commutative: operands are combined exactly as the lowering says. A predefined one takes the datatypes
  /// that this MPI takes for it.
  void set_reduction(std::int64_t count, MPI_Datatype type, MPI_Op op);
  /// Scratch memory for one operand of the reduction at hand, as transit() otherwise.
  [[nodiscard]] Block operand();
  /// `into` = `from` OP `into`, for operands, or blocks of the send (`from` only) or receive buffer made with the
  /// reduction's count and datatype. Both must have been written. Reductions into one block run in program order, so
  /// the result is the same on every run. Of lists: pair by pair, in their order.
  void reduce(const Blocks& from, const Blocks& into);

  /// Copies each block of `from` to its fellow in `to`: as one task where those of `from` all lie in one memory (send
  /// buffer, receive buffer or scratch), and those of `to`.
  void copy(const Blocks& from, const Blocks& to);
  /// Runs a function of one's own as one task, when the blocks of `reads` have arrived and nobody needs the old
  /// contents of those of `writes` any more. The function is given all of them (ComputeBlocks) and touches no others:
  /// tasks that it is in no order with run before it, after it, and, messages, meanwhile. It must leave a value in all
  /// of `writes`. A block in both lists must have been written, and is updated in place. Blocks of the send buffer are
  /// only read. Blocks of no bytes keep their places in the lists, and nothing waits for them. `name` is what errors,
  /// traces, drawings and reports call it; copied.
  ///
  /// It runs on the thread that drives messages at that time: one that waits for or tests any operation of this
  /// process, or that of progress mode `async`; never within a start. Functions of one operation run one at a time,
  /// each once in a start; those that messages wait for go first, and messages are looked after in between, at the
  /// latest when functions have run for a few microseconds. Operations of one collective share the function and what it
  /// holds.
  ///
  /// The function may start persistent requests. Calls of Rondo's that wait, test, make or free something throw Error,
  /// MPI_ERR_OTHER, there. What it throws ends the operation, which fails on this rank with MPI_ERR_OTHER,
  /// the task's name and what(), and on all ranks that needed something from here: no rank hangs, and no further
  /// function of this operation runs here.
  void compute(const Blocks& reads, const Blocks& writes, ComputeFunction function,
               std::string_view name = "function") {
    compute(reads, writes, std::move(function), ComputeOptions{.name = name});
  }
  /// The same, or, with Where::worker, on oneTBB's workers in the arena of the thread that calls init() (a nonblocking
  /// call: the first one of several in a row). Functions of one operation run at the same time there, those of two
  /// operations of one collective too, so what they hold must bear that. They may wait for other operations where MPI's
  /// thread level permits it. Where no worker comes for a hundredth of a second, as all are busy or there is none, the
  /// thread that waits runs them. MPI must have been started with MPI_THREAD_FUNNELED or more: otherwise they run as
  /// with Where::driver, and the log says so.
  void compute(const Blocks& reads, const Blocks& writes, ComputeFunction function, const ComputeOptions& options);
  /// Sends the blocks as one message. `target` may be MPI_PROC_NULL: nobody.
  void send(int target, const Blocks& outgoing);
  /// Receives one message into the blocks, one after the other.
  void receive(int source, const Blocks& incoming);
  /// Sends and receives, as one exchange: one round. With this rank itself for both, it is a copy.
  void exchange(int target, int source, const Blocks& outgoing, const Blocks& incoming);
  /// The same with one partner.
  void exchange(int partner, const Blocks& outgoing, const Blocks& incoming) {
    exchange(partner, partner, outgoing, incoming);
  }

  /// One buffer, the receive buffer, holds what is sent and takes what is received; before any block of the send
  /// buffer. Operations are then given rondo::in_place and that buffer.
  void set_in_place();
  /// In place: the block, of the receive buffer, holds something from the start that is going to be read.
  void set_filled(Block block);

  /// A new phase begins: for people (drawings, traces, failures), and with Options::schedule `phases` a barrier between
  /// the tasks of this rank.
  void begin_phase();
  /// Lets at most `exchanges` exchanges, at least 1, be in flight at a time: number e begins when both messages of
  /// number e - `exchanges` have ended. Before anything is sent; all messages must belong to exchanges then, and all
  /// ranks go through theirs in the same order, also where one of them is empty.
  void set_window(int exchanges);
  /// Instead of a window: so many exchanges are a batch, whose messages all end before the next batch begins.
  void set_batches(int exchanges);
  /// The next exchange begins another batch. All ranks call it between the same exchanges.
  void end_batch();
  /// What follows, up to the next exchange or phase, or end_exchange(), is one exchange, also when it stays empty.
  void begin_exchange();
  void end_exchange();

  /// Of a block.
  [[nodiscard]] std::int64_t bytes(Block block) const;

 private:
  friend struct internal::LoweringAccess;
  explicit ScheduleBuilder(internal::OwnBuilder& own) noexcept : own_(own) {}
  [[nodiscard]] static std::vector<internal::BlockId> ids(const Blocks& blocks);
  internal::OwnBuilder& own_;
};

/// Writes the schedule of `rank`, one of `size`. It may depend on these two and on what the function object holds, and
/// nothing else, so that one process can lower all ranks, as check() does. It is called once or twice and must build
/// the same messages each time.
using Lowering = std::function<void(rondo::ScheduleBuilder& build, int rank, int size)>;

/// One of several ways to do a collective of one's own.
struct OwnAlgorithm {
  /// What Request::algorithm() reports; of at least one character, and no other's of the same collective.
  std::string name;
  Lowering lower;  ///< as for one algorithm
  /// The nanoseconds that it is expected to take on `size` ranks of `machine`, the communicator's, as nearly as that
  /// can be said. Empty: all ranks are run on it (predict()), which for thousands of ranks may take long.
  std::function<double(const Machine& machine, int size)> predict{};
};

/// The schedule of one rank as a graph for Graphviz (`dot -Tsvg`), drawn without running it: see Request::to_dot().
/// Local. Throws Error, MPI_ERR_ARG for a rank that is not in [0, size), and what the lowering throws.
[[nodiscard]] std::string to_dot(const Lowering& lower, int rank, int size);

/// A collective operation of one's own, on any intracommunicator or grid: what a lowering says, as an operation of
/// Rondo's, with all of its progress modes, shared memory, traces, drawings and reports. Move-only.
///
///     rondo::OwnCollective shift(MPI_COMM_WORLD, "shift", [](rondo::ScheduleBuilder& build, int rank, int size) {
///       build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, 8), build.recv_block(0, 8));
///     });
///     shift.run(send, recv);
///
/// Buffers are contiguous ranges of trivially copyable elements of any type, which know their length, or addresses,
/// which do not; run(), start() and init() are collective, in the same order on all ranks as all calls on the
/// communicator. All functions throw Error: MPI_ERR_BUFFER for a buffer that is null, or shorter than the blocks of the
/// lowering on this rank, and where send and receive buffer share bytes of blocks. Thread level as for Comm.
class OwnCollective {
 public:
  /// Lowers the own rank. `name` is what errors, traces and reports call it, the same on all ranks, and `options` those
  /// of its operations: schedule, messages, shm, progress, learn and check count.
  ///
  /// Collective over `comm`, and throws on all ranks when it throws on one. What the lowering throws is rethrown on its
  /// rank; the others get MPI_ERR_ARG that names it. No rank waits, and nothing is left behind. MPI_ERR_ARG also where
  /// the messages of the ranks do not match, with the checker's story of one that does not. With Options::check, or
  /// RONDO_CHECK, all schedules are checked: that messages match, that nothing can hang or race, and that nothing is
  /// read before it is written (MPI_ERR_ARG, the same text on all ranks). MPI_ERR_COMM as for Comm.
  OwnCollective(MPI_Comm comm, std::string_view name, const Lowering& lower, const Options& options = {});
  /// On the communicator of a Comm, which may go first. Ranks are its.
  OwnCollective(const Comm& comm, std::string_view name, const Lowering& lower, const Options& options = {});
  /// On that of a grid, whose ranks may differ from those of the communicator that it was made of (reorder).
  OwnCollective(const CartComm& grid, std::string_view name, const Lowering& lower, const Options& options = {});
  /// The same with several algorithms, at least one, of which that runs which is predicted to be the fastest here: one
  /// for blocking and nonblocking operations, and maybe another one for persistent ones, whose messages on a node are
  /// faster. All ranks give the same. Rank 0 predicts, and tells the others. Request::explain() has all
  /// predictions. With Options::learn, the same on all ranks, operations find out which one is the fastest, those of
  /// each form for themselves (docs/tuning.md): those that may be are lowered, and should ask for blocks in the same
  /// order where a request is asked for single ones. Those learn nothing that reduce by anything but predefined
  /// operations on integers.
  /// MPI_ERR_ARG also for names that are empty or the same, and for predictions that are no number; what `predict`
  /// throws on rank 0 is rethrown there.
  OwnCollective(MPI_Comm comm, std::string_view name, std::span<const OwnAlgorithm> algorithms,
                const Options& options = {});
  /// On the communicator of a Comm, as above.
  OwnCollective(const Comm& comm, std::string_view name, std::span<const OwnAlgorithm> algorithms,
                const Options& options = {});
  /// On that of a grid, as above.
  OwnCollective(const CartComm& grid, std::string_view name, std::span<const OwnAlgorithm> algorithms,
                const Options& options = {});
  OwnCollective(OwnCollective&& other) noexcept = default;
  OwnCollective& operator=(OwnCollective&& other) noexcept = default;
  /// Local. Requests live on.
  ~OwnCollective() = default;

  /// Blocking. Waits for what the lowering has this rank wait for, and no more.
  template <SendElements<Deduced> Send, WritableElements<Deduced> Recv>
  void run(Send&& send, Recv&& recv) {
    run(bytes_of(send), bytes_of(recv));
  }
  /// Nonblocking: waits for nobody. Blocks of the request (Request::arrived() and the like) are those of the lowering,
  /// in the order in which it first asked for them. Those of no bytes have no number.
  template <LastingElements<Deduced> Send, WritableElements<Deduced> Recv>
  [[nodiscard]] Request start(Send&& send, Recv&& recv) {
    return start(bytes_of(send), bytes_of(recv));
  }
  /// Persistent: waits for the other ranks, and throws on all of them when it throws on one. Request::start() allocates
  /// nothing.
  template <LastingElements<Deduced> Send, WritableElements<Deduced> Recv>
  [[nodiscard]] Request init(Send&& send, Recv&& recv) {
    return init(bytes_of(send), bytes_of(recv));
  }
  /// The same in place, as the lowering says by set_in_place().
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
  /// The same with addresses, null where this rank's schedule has no blocks, as in a barrier; `send` may be
  /// MPI_IN_PLACE.
  void run(const void* send = nullptr, void* recv = nullptr) { run(Bytes{send, -1}, Bytes{recv, -1}); }
  [[nodiscard]] Request start(const void* send = nullptr, void* recv = nullptr) {
    return start(Bytes{send, -1}, Bytes{recv, -1});
  }
  [[nodiscard]] Request init(const void* send = nullptr, void* recv = nullptr) {
    return init(Bytes{send, -1}, Bytes{recv, -1});
  }

  /// As given.
  [[nodiscard]] const std::string& name() const;

 private:
  struct Bytes {
    const void* address;
    std::int64_t count;  ///< -1: not known
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
