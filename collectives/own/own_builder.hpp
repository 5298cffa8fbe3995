/// @file
/// OwnBuilder: the implementation of the builder that user-defined lowerings receive.
#ifndef RONDO_COLLECTIVES_OWN_OWN_BUILDER_HPP
#define RONDO_COLLECTIVES_OWN_OWN_BUILDER_HPP

#include <mpi.h>
#include <rondo/schedule.hpp>

#include "collectives/own/own_schedule.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::internal {

/// A ScheduleBuilder for lowerings that nobody has tested yet. It checks everything; its Errors, with MPI's class, name
/// the argument, its value and the values that are allowed. Asking twice for the same bytes returns one block, and
/// blocks that may be written share no bytes, so that the dependencies which the builder infers leave no race. Tags are
/// counted: the k-th message from one rank to another meets the k-th receive there. Blocks and messages without bytes
/// are left out.
class OwnBuilder {
 public:
  /// Makes a builder that makes its own schedule: call build() at the end. `rank` in [0, size): the rank whose schedule
  /// is built.
  OwnBuilder(int rank, int size, Ordering ordering, MessageForm form, const FormCosts& costs)
      : rank_(rank), size_(size), own_(std::in_place, ordering, form, costs), builder_(*own_) {}
  /// Makes a builder that writes into `builder`, which must be unused and which its owner builds: call finish() instead
  /// of build().
  OwnBuilder(int rank, int size, ScheduleBuilder& builder) : rank_(rank), size_(size), builder_(builder) {}
  // Not copyable, because what is known of blocks refers to layouts that the builder keeps.
  OwnBuilder(const OwnBuilder&) = delete;
  OwnBuilder& operator=(const OwnBuilder&) = delete;
  ~OwnBuilder() = default;

  /// Leaves out the functions of all further compute tasks, with nothing in their place: for predictions.
  void leave_functions_out() noexcept { leaves_functions_out_ = true; }

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  [[nodiscard]] BlockId block(Space space, std::int64_t offset, std::int64_t bytes);
  /// Returns the block of `count` elements of a committed datatype, the first at `offset`.
  [[nodiscard]] BlockId block(Space space, std::int64_t offset, std::int64_t count, MPI_Datatype type);
  /// Returns the block of a layout, which must live until build(). The same layout at another offset, or with other
  /// bytes, is another block.
  [[nodiscard]] BlockId block(Space space, std::int64_t offset, const Layout& layout);
  /// Returns a block for bytes that are only read, in place; see ScheduleBuilder::view(). A view must not be written.
  [[nodiscard]] BlockId view(std::int64_t offset, const Layout& layout, std::span<const BlockId> received);
  [[nodiscard]] const Layout& keep(Layout layout) { return builder_.keep(std::move(layout)); }
  [[nodiscard]] std::int64_t reserve_scratch(std::int64_t bytes);
  [[nodiscard]] BlockId transit(std::int64_t bytes);
  void set_reduction(std::int64_t count, MPI_Datatype type, MPI_Op op);
  [[nodiscard]] BlockId operand();
  void set_in_place();
  void set_filled(BlockId block);
  [[nodiscard]] std::int64_t bytes(BlockId block) const;

  void set_window(int exchanges);
  void set_batches(int exchanges);
  void end_batch();
  void begin_phase() { builder_.begin_phase(); }
  void begin_exchange() { builder_.begin_exchange(); }
  void end_exchange() { builder_.end_exchange(); }

  // Messages to and from MPI_PROC_NULL are left out.
  void send(int target, std::span<const BlockId> outgoing);
  void receive(int source, std::span<const BlockId> incoming);
  void exchange(int target, int source, std::span<const BlockId> outgoing, std::span<const BlockId> incoming);
  void copy(std::span<const BlockId> from, std::span<const BlockId> to);
  void reduce(std::span<const BlockId> from, std::span<const BlockId> into);
  void compute(std::span<const BlockId> reads, std::span<const BlockId> writes, ComputeFunction function,
               const ComputeOptions& options);

  /// Returns the number of tags that this rank needs. Call this after the lowering.
  [[nodiscard]] std::uint32_t tags() const noexcept { return tags_; }
  /// Returns the schedule, with `tags` tags: as many as the rank that needs most. Call this only if the builder makes
  /// its own schedule. Throws Error if blocks share bytes.
  [[nodiscard]] OwnSchedule build(std::uint32_t tags) &&;
  /// Does the checks of build(), and reserves the tags. Call this only if the builder writes into another one, which is
  /// complete then.
  void finish(std::uint32_t tags);

 private:
  struct Known {
    Space space;
    std::int64_t offset;
    std::int64_t bytes;
    const Layout* layout;  ///< null: contiguous
    bool placed;
  };
  using Key = std::tuple<Space, std::int64_t, std::int64_t, const Layout*>;

  [[nodiscard]] const Known& at(BlockId block, const char* argument) const;
  [[nodiscard]] BlockId add(BlockId block, const Known& known);
  template <typename Make>
  [[nodiscard]] BlockId find_or_add(const Key& key, Make make);
  [[nodiscard]] const Layout& elements(std::int64_t count, MPI_Datatype type);
  [[nodiscard]] std::string describe(BlockId block) const;
  void check_rank(int rank, const char* argument) const;
  [[nodiscard]] std::uint32_t next_tag(std::unordered_map<int, std::uint32_t>& used, int peer);
  [[nodiscard]] std::span<const BlockId> with_bytes(std::span<const BlockId> blocks, const char* argument,
                                                    std::vector<BlockId>& kept) const;
  [[nodiscard]] bool can_be_copied(std::span<const BlockId> outgoing, std::span<const BlockId> incoming) const;
  void check_disjoint(Space space) const;
  template <typename Body>
  auto explained(const char* call, std::span<const BlockId> one, std::span<const BlockId> other, Body body);

  int rank_;
  int size_;
  std::optional<ScheduleBuilder> own_;
  ScheduleBuilder& builder_;
  std::vector<Known> known_;  ///< by block
  std::map<Key, BlockId> found_;
  std::vector<std::shared_ptr<const Layout>> types_;  ///< held, so that their addresses are not used again
  std::map<std::pair<const Layout*, std::int64_t>, const Layout*> elements_;
  struct KnownReduction {
    std::int64_t count;
    MPI_Datatype type;
    MPI_Op op;
    const Layout* operand;  ///< because the handle of a type may later be another type's
    std::shared_ptr<const Reduction> made;
  };
  std::vector<KnownReduction> reductions_;
  std::unordered_map<int, std::uint32_t> sent_;  ///< messages, by peer
  std::unordered_map<int, std::uint32_t> received_;
  std::uint32_t tags_ = 0;
  std::int64_t operand_bytes_ = 0;
  bool in_place_ = false;
  bool leaves_functions_out_ = false;
};

/// A function that makes a builder's schedule for its rank.
using OwnLowering = std::function<void(OwnBuilder&)>;

}  // namespace rondo::internal

#endif
