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

/// Builds a schedule in program order: the lowering says which blocks are sent, received, copied and reduced, and the
/// builder infers every dependency from what each task reads and writes. It throws Error (MPI_ERR_INTERN) that names
/// phase, round and block for a block out of range, a block that is read before anything wrote it, a block written
/// twice with nothing between that reads it, blocks that do not fit each other and a message without bytes.
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

  /// Makes room for that many more blocks, where an algorithm knows.
  void reserve_blocks(std::size_t blocks);
  /// Makes room for that many more tasks, where an algorithm knows about how many it is going to make.
  void reserve_tasks(std::size_t tasks);
  /// A block of the send or receive buffer, or of scratch memory that was reserved: `bytes` bytes in a row at `offset`.
  BlockId block(Space space, std::int64_t offset, std::int64_t bytes);
  /// A block of the send or receive buffer with a layout, displaced by `offset` bytes. The layout is kept by reference
  /// until build().
  BlockId block(Space space, std::int64_t offset, const Layout& layout);
  /// A layout that is nobody else's to keep until build().
  const Layout& keep(Layout layout) { return kept_.emplace_back(std::move(layout)); }
  /// From now on the operation is in place: one buffer, the receive space, holds what is sent and takes what is
  /// received. Once, before anything is sent.
  void set_in_place();
  /// In place only. Bytes of the buffer that are only read, as one block wherever they lie: some are there from the
  /// start, the others are those of `received` blocks, in whole or in part; a read waits for whatever wrote those. The
  /// layout is kept by reference until build().
  BlockId view(std::int64_t offset, const Layout& layout, std::span<const BlockId> received);
  /// In place only. The block of the receive buffer holds something from the start that is going to be read.
  void set_filled(BlockId block);
  /// A block of scratch memory whose place is the builder's choice: one that is received stays where its message
  /// arrived, so that passing it on costs one copy, not two.
  BlockId transit(std::int64_t bytes);
  /// Takes `bytes` bytes of scratch memory for blocks whose places are the lowering's choice: block(Space::scratch,
  /// ...) from the offset that is returned, which begins a cache line, up to the end. Such blocks may be written, read
  /// and written again; those that lie side by side are one piece. Those that share bytes are strangers to each other:
  /// what one is for must not be done in the other.
  std::int64_t reserve_scratch(std::int64_t bytes);
  /// A block of reserved scratch memory is a bucket: from its place on it now has `bytes` bytes, and nothing in it
  /// until it is written again. Throws as block() does.
  void refill(BlockId bucket, std::int64_t bytes);
  /// What reduce() does from here on, before operand() and reduce(). All blocks that are reduced have its layout; an
  /// operand() is one of the reduction that was set when it was made. A schedule has up to 256 different ones.
  void set_reduction(std::shared_ptr<const Reduction> reduction);
  /// A block of scratch memory with the reduction's layout. Where that is contiguous, one that is received stays where
  /// its message arrived, as a block in transit does.
  BlockId operand();
  [[nodiscard]] std::int64_t bytes(BlockId block) const { return at(block, "look at").bytes; }
  /// Whether a message of these blocks is copied through scratch memory at this end.
  [[nodiscard]] bool is_staged(std::span<const BlockId> blocks) const;

  /// From now on messages travel in this form, whatever form was asked for when the builder was made: for algorithms
  /// that are what they are by the form of their messages, such as zero-copy Bruck.
  void set_message_form(MessageForm form) noexcept { form_ = form; }
  /// Of the messages so far whose form the builder chose itself.
  [[nodiscard]] const OtherForms& other_forms() const noexcept { return other_forms_; }

  /// Lets at most `exchanges` exchanges, at least 1, be in flight at a time: exchange number e begins when both halves
  /// of number e - `exchanges` have ended, as far as messages go; what is copied for them is not waited for. Once,
  /// before anything is sent. All messages must belong to exchanges then, and all ranks go through theirs in the same
  /// order.
  void set_window(std::uint32_t exchanges);
  /// Instead of a window: `exchanges` exchanges, at least 1, are a batch, and all messages of a batch end before any of
  /// the next one begins. Once, and on the same terms.
  void set_batches(std::uint32_t exchanges);
  /// Where there are batches: the next exchange begins another one, though this one is not full. All ranks call it
  /// between the same exchanges.
  void end_batch();

  void begin_phase();
  /// What is sent, received, copied and reduced from here to the next begin_exchange(), exchange() or begin_phase() is
  /// one exchange: one round, and one number in the window or the batch, also when it stays empty on this rank.
  void begin_exchange();
  /// The exchange ends here: what follows is a round of its own. Not needed before another one begins.
  void end_exchange();
  /// One exchange, and one round: sends `outgoing` to `target` as one message and receives `incoming` from `source` as
  /// one message. `tag` tells the messages of one operation apart and must agree at both ends. Blocks travel in list
  /// order.
  void exchange(int target, int source, std::uint32_t tag, std::span<const BlockId> outgoing,
                std::span<const BlockId> incoming);
  /// The two halves of an exchange, or, where none was begun, a round each. With a recipe the message travels as the
  /// datatype that is made by it, whatever its form would be else; the bytes are the same. Where the blocks of a vector
  /// or an indexed type do not lie as the elements of the recipe's shape, the datatype is made as without a recipe.
  void send(int target, std::uint32_t tag, std::span<const BlockId> outgoing, const TypeRecipe& recipe = {});
  void receive(int source, std::uint32_t tag, std::span<const BlockId> incoming, const TypeRecipe& recipe = {});
  /// Copies each block of `from`, all of one space, to its fellow in `to`, all of one space, which may be the same, as
  /// one task. Blocks in `to` must not share bytes with any in `from`.
  void copy(std::span<const BlockId> from, std::span<const BlockId> to);
  /// The same as a message from this rank to itself would: what the blocks of `from` hold, one after the other, fills
  /// those of `to`, which may be cut differently, but have as many bytes.
  void copy_in_order(std::span<const BlockId> from, std::span<const BlockId> to);
  /// `into` = `from` OP `into`, for blocks with the reduction's layout: operands, or blocks of the receive buffer and,
  /// for `from`, of the send buffer. Both must have been written. What is reduced into one block is reduced in program
  /// order, so that results are the same on every run.
  void reduce(BlockId from, BlockId into);
  /// The same for pairs, in list order; a block may occur in several of them. Pairs that follow each other are one task
  /// as long as they lie in the same spaces.
  void reduce(std::span<const BlockId> from, std::span<const BlockId> into);
  /// Runs a function of the user's, as one task, which is given these blocks: those of `reads` hold something, and what
  /// it leaves in those of `writes` they hold from then on. A block in both lists is updated in place. Blocks of no
  /// bytes count for nothing but their place in the lists. `for_worker`: where there are some.
  void compute(std::span<const BlockId> reads, std::span<const BlockId> writes, ComputeFunction function,
               std::string name, bool for_worker = false);

  /// Sets the number of tags to reserve, when it is not simply the highest tag used plus one. The same on all ranks.
  void reserve_tags(std::uint32_t tags);

  /// The schedule. The builder is empty afterwards.
  [[nodiscard]] Schedule build() &&;

 private:
  static constexpr std::uint32_t kNoReader = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint16_t kNoOperand = std::numeric_limits<std::uint16_t>::max();
  struct Block {
    std::int64_t offset;  ///< of the first byte, or, with a layout, of what the layout counts from
    std::int64_t bytes;
    const Layout* layout = nullptr;         ///< nullptr: contiguous
    TaskId writer = kNoTask;                ///< the last one; none where the block is the user's
    std::uint32_t last_reader = kNoReader;  ///< head of a list in readers_
    Space space;
    bool placed;
    bool written = false;
    std::uint16_t operand = kNoOperand;  ///< in scratch memory, of the reduction with this number
  };
  static_assert(sizeof(Block) == 40, "there are as many as block hops");
  struct View {  ///< a block that is one
    std::uint32_t block;
    std::vector<BlockId> received;
  };
  struct Reader {
    TaskId task;
    std::uint32_t next;
  };
  struct Survey {  ///< what decides how blocks travel
    std::int64_t bytes = 0;
    std::int64_t pieces = 0;
    bool placed = true;  ///< all of them
    bool in_a_row = true;
    std::array<bool, kSpaces> spaces{};  ///< in which there are any
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
  std::vector<TaskId> edge_stamp_;                           ///< last task that got an edge from this one
  CopyProgram program_;                                      ///< of the copy that is being made
  std::vector<BlockId> copied_;                              ///< its blocks
  std::vector<std::pair<BlockId, std::int64_t>> to_unpack_;  ///< of the message that is being received, and from where
  std::uint16_t reduction_ = kNoOperand;                     ///< number of the one that was set last
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
