/// @file
/// ScheduleBuilder: the language in which algorithms are written.
#ifndef RONDO_RUNTIME_SCHEDULE_SCHEDULE_BUILDER_HPP
#define RONDO_RUNTIME_SCHEDULE_SCHEDULE_BUILDER_HPP

#include <rondo/options.hpp>

#include "runtime/schedule/computation.hpp"
#include "runtime/schedule/exchange_batches.hpp"
#include "runtime/schedule/exchange_window.hpp"
#include "runtime/schedule/message_form_costs.hpp"
#include "runtime/schedule/schedule.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {

/// A block that a builder knows: some bytes of one space.
struct BlockId {
  std::uint32_t index;
};

/// A ScheduleBuilder builds a schedule in program order. The lowering says which blocks are sent, received, copied and
/// reduced, and the builder infers every dependency from what each task reads and writes. It throws Error
/// (MPI_ERR_INTERN) that names phase, round and block for a block out of range, a block that is read before anything
/// wrote it, a block written twice with nothing between that reads it, blocks that do not fit each other and a message
/// without bytes.
///
/// A reduction, from each contribution to the result:
///
///     builder.set_reduction(reduction);                                     // before anything that needs it
///     const BlockId own = builder.block(Space::send, 0, reduction->layout());
///     const BlockId result = builder.block(Space::recv, 0, reduction->layout());
///     const BlockId arriving = builder.operand();                           // scratch memory
///     builder.copy({&own, 1}, {&result, 1});
///     builder.exchange(target, source, 0, {&own, 1}, {&arriving, 1});
///     builder.reduce(arriving, result);                                     // result = arriving OP result
class ScheduleBuilder {
 public:
  explicit ScheduleBuilder(Ordering ordering = Ordering::dependencies, MessageForm form = MessageForm::automatic,
                           const FormCosts& form_costs = measured_form_costs())
      : ordering_(ordering), form_(form), form_costs_(form_costs) {}

  /// Reserves memory for `blocks` more blocks, if an algorithm knows the number.
  void reserve_blocks(std::size_t blocks);
  /// Reserves memory for `tasks` more tasks, if an algorithm knows roughly how many it will make.
  void reserve_tasks(std::size_t tasks);
  /// Adds a block of the send or receive buffer, or of reserved scratch memory: `bytes` consecutive bytes at `offset`.
  BlockId block(Space space, std::int64_t offset, std::int64_t bytes);
  /// Adds a block of the send or receive buffer with a layout, displaced by `offset` bytes. The layout is kept by
  /// reference until build().
  BlockId block(Space space, std::int64_t offset, const Layout& layout);
  /// Keeps a layout until build(), for callers that cannot keep it themselves.
  const Layout& keep(Layout layout) { return kept_.emplace_back(std::move(layout)); }
  /// Makes the operation in place: one buffer, the receive space, holds both the data that are sent and the data that
  /// are received. Call once, before any task is added.
  void set_in_place();
  /// Adds a block for bytes of the buffer that are only read, wherever they lie. In place only. Some of the bytes hold
  /// data from the start; the others belong to `received` blocks, in whole or in part, and a read waits for the writers
  /// of those blocks. The layout is kept by reference until build().
  BlockId view(std::int64_t offset, const Layout& layout, std::span<const BlockId> received);
  /// Says that a block of the receive buffer holds data from the start that will be read. In place only.
  void set_filled(BlockId block);
  /// Adds a block of scratch memory whose place the builder chooses. A received block stays where its message arrived,
  /// so that passing it on costs one copy, not two.
  BlockId transit(std::int64_t bytes);
  /// Takes `bytes` bytes of scratch memory for blocks whose places the lowering chooses: block(Space::scratch, ...)
  /// from the returned offset, which begins a cache line, up to the end. Such blocks may be written, read and written
  /// again. Blocks that lie side by side are one piece. Blocks that share bytes are independent for the builder: a
  /// block must not be used to access data of another one.
  std::int64_t reserve_scratch(std::int64_t bytes);
  /// Empties a block of reserved scratch memory, a bucket: from its place on it now has `bytes` bytes, and holds
  /// nothing until it is written again. Throws as block() does.
  void refill(BlockId bucket, std::int64_t bytes);
  /// Sets the reduction for the following calls of operand() and reduce(). All blocks that are reduced have its layout;
  /// an operand() belongs to the reduction that was set when it was made. A schedule has up to 256 different
  /// reductions.
  void set_reduction(std::shared_ptr<const Reduction> reduction);
  /// Adds a block of scratch memory with the reduction's layout. If the layout is contiguous, a received block stays
  /// where its message arrived, as a block in transit does.
  BlockId operand();
  [[nodiscard]] std::int64_t bytes(BlockId block) const { return at(block, "look at").bytes; }
  /// Returns whether a message of these blocks is copied through scratch memory at this end.
  [[nodiscard]] bool is_staged(std::span<const BlockId> blocks) const;

  /// Makes messages travel in this form from now on, whatever form was requested when the builder was made. For
  /// algorithms that depend on the form of their messages, such as zero-copy Bruck.
  void set_message_form(MessageForm form) noexcept { form_ = form; }
  /// Returns the costs of the other form for those messages so far whose form the builder chose itself.
  [[nodiscard]] const OtherForms& other_forms() const noexcept { return other_forms_; }

  /// Lets at most `exchanges` exchanges, at least 1, be in flight at a time: exchange number e begins when the messages
  /// of both halves of number e - `exchanges` have ended; their copies are not waited for. Call once, before any
  /// message. All messages must then belong to exchanges, and all ranks go through their exchanges in the same order.
  void set_window(std::uint32_t exchanges);
  /// Sets batches instead of a window: `exchanges` exchanges, at least 1, are a batch, and all messages of a batch end
  /// before any of the next one begins. Call once, under the conditions of set_window().
  void set_batches(std::uint32_t exchanges);
  /// Makes the next exchange begin another batch, even if this one is not full. Only with batches. All ranks call this
  /// function between the same exchanges.
  void end_batch();

  void begin_phase();
  /// Begins an exchange, which holds all that is sent, received, copied and reduced up to the next begin_exchange(),
  /// exchange() or begin_phase(). An exchange is one round, and one number in the window or the batch, even if it stays
  /// empty on this rank.
  void begin_exchange();
  /// Ends the exchange: every task that follows is a round of its own. Not needed before another exchange begins.
  void end_exchange();
  /// Adds an exchange, which is one round: sends `outgoing` to `target` as one message and receives `incoming` from
  /// `source` as one message. `tag` tells the messages of one operation apart and must agree at both ends. Blocks
  /// travel in list order.
  void exchange(int target, int source, std::uint32_t tag, std::span<const BlockId> outgoing,
                std::span<const BlockId> incoming);
  /// Add one half of an exchange each, or one round each if no exchange was begun. With a recipe the message travels as
  /// the datatype that the recipe makes, whatever its form would be otherwise; the bytes are the same. If the blocks of
  /// a vector or an indexed type do not lie like the elements of the recipe's shape, the datatype is made as without a
  /// recipe.
  void send(int target, std::uint32_t tag, std::span<const BlockId> outgoing, const TypeRecipe& recipe = {});
  void receive(int source, std::uint32_t tag, std::span<const BlockId> incoming, const TypeRecipe& recipe = {});
  /// Copies each block of `from`, all of one space, to its counterpart in `to`, all of one space, which may be the
  /// same, as one task. Blocks in `to` must not share bytes with any in `from`.
  void copy(std::span<const BlockId> from, std::span<const BlockId> to);
  /// Copies as a message from this rank to itself would: the data of the blocks of `from`, one after the other, fill
  /// the blocks of `to`, which may have other sizes, but have equally many bytes in total.
  void copy_in_order(std::span<const BlockId> from, std::span<const BlockId> to);
  /// Sets `into` = `from` OP `into`, for blocks with the reduction's layout: operands, or blocks of the receive buffer
  /// and, for `from`, of the send buffer. Both must have been written. Reductions into one block happen in program
  /// order, so that results are the same in every run.
  void reduce(BlockId from, BlockId into);
  /// Reduces several pairs, in list order; a block may occur in several pairs. Consecutive pairs form one task as long
  /// as they lie in the same spaces.
  void reduce(std::span<const BlockId> from, std::span<const BlockId> into);
  /// Runs a function of the user's on these blocks, as one task. The blocks of `reads` must hold data; the blocks of
  /// `writes` hold afterwards what the function leaves in them. A block in both lists is updated in place. Blocks
  /// without bytes only keep their places in the lists. `for_worker`: a worker runs the function, if there are workers.
  void compute(std::span<const BlockId> reads, std::span<const BlockId> writes, ComputeFunction function,
               std::string name, bool for_worker = false);

  /// Raises the number of tags to reserve above the highest tag used plus one. Equal on all ranks.
  void reserve_tags(std::uint32_t tags);

  /// Returns the schedule. The builder is empty afterwards.
  [[nodiscard]] Schedule build() &&;

 private:
  static constexpr std::uint32_t kNoReader = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint16_t kNoOperand = std::numeric_limits<std::uint16_t>::max();
  struct Block {
    std::int64_t offset;  ///< offset of the first byte, or, with a layout, of the layout's origin
    std::int64_t bytes;
    const Layout* layout = nullptr;         ///< nullptr: contiguous
    TaskId writer = kNoTask;                ///< the last writer; none if the block is the user's
    std::uint32_t last_reader = kNoReader;  ///< head of a list in readers_
    Space space;
    bool placed;
    bool written = false;
    std::uint16_t operand = kNoOperand;  ///< number of its reduction if it is an operand in scratch memory
  };
  static_assert(sizeof(Block) == 40, "there are as many as block hops");
  struct View {  ///< a block that is a view
    std::uint32_t block;
    std::vector<BlockId> received;
  };
  struct Reader {
    TaskId task;
    std::uint32_t next;
  };
  struct Survey {  ///< properties that decide how blocks travel
    std::int64_t bytes = 0;
    std::int64_t pieces = 0;
    bool placed = true;  ///< all blocks have a place
    bool in_a_row = true;
    std::array<bool, kSpaces> spaces{};  ///< spaces in which there are any blocks
    [[nodiscard]] bool one_space() const { return std::ranges::count(spaces, true) <= 1; }
    [[nodiscard]] bool one_piece() const { return placed && in_a_row; }
  };

  [[nodiscard]] const Block& at(BlockId id, const char* use) const {
    if (id.index >= blocks_.size()) fail_to_find(id, use);
    return blocks_[id.index];
  }
  [[nodiscard]] Block& at(BlockId id, const char* use) {
    if (id.index >= blocks_.size()) fail_to_find(id, use);
    return blocks_[id.index];
  }
  [[noreturn]] void fail_to_find(BlockId id, const char* use) const;
  [[noreturn]] void fail(const std::string& what) const;
  void check_reserved(std::int64_t offset, std::int64_t bytes) const;
  BlockId add(const Block& block);
  TaskId add_task(const Task& task);
  void add_edge(TaskId from, TaskId to);
  void read(TaskId task, BlockId block);
  [[nodiscard]] const View* view_of(BlockId block) const;
  void write(TaskId task, BlockId block);
  void update(TaskId task, BlockId block, const char* how);
  [[nodiscard]] const Reduction& reduction() const { return *parts_.reductions[reduction_]; }
  void end_round();
  TaskId add_join();
  void begin_batch();
  void limit_exchanges(std::uint32_t exchanges, const char* what) const;
  TaskId add_message(const Task& task);
  Task message(TaskKind kind, int peer, std::uint32_t tag, std::size_t blocks);
  std::int64_t take_scratch(std::int64_t bytes, std::int64_t first = 0);
  void place(Block& block);
  [[nodiscard]] bool may_lie_at(const Block& block, std::int64_t offset) const;
  [[nodiscard]] Survey survey(std::span<const BlockId> blocks, const char* use) const;
  [[nodiscard]] bool goes_as_datatype(const Survey& blocks) const;
  [[nodiscard]] bool choose_datatype(const Survey& blocks);
  void place_together(std::span<const BlockId> blocks);
  std::uint32_t add_wire_layout(std::span<const BlockId> blocks, const TypeRecipe& recipe);
  std::uint32_t add_wire_layout(std::int64_t staging, std::int64_t bytes);
  TaskId add_copy(Space source, Space target);
  void end_copy(std::span<const BlockId> from, std::span<const BlockId> to);
  void check_copied(const Block& block, BlockId id, Space space, bool written);
  void append_copy(const Block& from, const Block& to);
  [[nodiscard]] bool may_stand_for(std::uint16_t number) const;
  [[nodiscard]] std::int64_t address_of_operand(BlockId block);
  void add_reduce(std::span<const BlockId> from, std::span<const BlockId> into);
  void declare(Computation& computation, BlockId block);

  Ordering ordering_;
  MessageForm form_;
  FormCosts form_costs_;
  OtherForms other_forms_;
  ScheduleParts parts_;
  std::vector<Block> blocks_;
  std::deque<Layout> kept_;
  std::vector<View> views_;  ///< in the order of their blocks
  std::vector<Reader> readers_;
  std::vector<TaskId> edge_stamp_;                           ///< by task: the last task to which it got an edge
  CopyProgram program_;                                      ///< program of the copy that is being made
  std::vector<BlockId> copied_;                              ///< blocks of that copy
  std::vector<std::pair<BlockId, std::int64_t>> to_unpack_;  ///< blocks of the received message, and their offsets
  std::uint16_t reduction_ = kNoOperand;                     ///< number of the reduction that was set last
  std::uint32_t phase_ = 0;
  std::uint32_t round_ = 0;
  bool in_exchange_ = false;
  ExchangeWindow window_;
  ExchangeBatches batches_;
  TaskId phase_begin_ = 0;
  TaskId join_ = kNoTask;
};

}  // namespace rondo::internal

#endif
