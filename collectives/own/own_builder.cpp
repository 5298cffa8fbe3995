#include "collectives/own/own_builder.hpp"

#include <rondo/error.hpp>

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/blocks/type_probe.hpp"
#include "datatypes/layout/overlap.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "runtime/base/count_of.hpp"

#include <algorithm>
#include <deque>
#include <limits>

namespace rondo::internal {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 56U;

void check_place(std::int64_t offset, std::int64_t bytes, const char* length) {
  if (bytes < 0) {
    throw Error(MPI_ERR_COUNT, std::string(length) + ": is " + std::to_string(bytes) + ", must be at least 0");
  }
  if (bytes >= kMostBytes)
    throw Error(MPI_ERR_COUNT, std::string(length) + ": is " + std::to_string(bytes) + ", must be less than 2^56");
  if (offset <= -kMostBytes || offset >= kMostBytes) {
    throw Error(MPI_ERR_ARG,
                "offset: is " + std::to_string(offset) + ", must be less than 2^56 bytes from the buffer's beginning");
  }
}

void check_exchanges(int exchanges) {
  if (exchanges >= 1) return;
  throw Error(MPI_ERR_ARG, "exchanges: is " + std::to_string(exchanges) + ", must be at least 1");
}

}  // namespace

/// Calls `body`. Reports errors of the internal builder as mistakes of the lowering, in terms of the lowering's blocks.
template <typename Body>
auto OwnBuilder::explained(const char* call, std::span<const BlockId> one, std::span<const BlockId> other, Body body) {
  try {
    return body();
  } catch (const Error& error) {
    if (error.error_class() != MPI_ERR_INTERN) throw;
    constexpr std::size_t kMostTold = 4;
    std::string text;
    std::size_t told = 0;
    for (const std::span<const BlockId> blocks : {one, other}) {
      for (const BlockId block : blocks) {
        if (told == kMostTold) break;
        text += (told++ == 0 ? " (block " : "; block ") + std::to_string(block.index) + " is " + describe(block);
      }
    }
    throw Error(MPI_ERR_ARG, std::string(call) + ": " + error.what() + text + (told == 0 ? "" : ")"));
  }
}

std::string OwnBuilder::describe(BlockId id) const {
  const Known& block = known_[id.index];
  const std::string bytes = std::to_string(block.bytes) + " bytes of ";
  if (!block.placed) return bytes + "scratch memory";
  const std::string where = block.space == Space::scratch ? "scratch memory"
                            : block.space == Space::send  ? "the send buffer"
                                                          : "the receive buffer";
  return bytes + where + " at " + std::to_string(block.offset);
}

const OwnBuilder::Known& OwnBuilder::at(BlockId block, const char* argument) const {
  if (block.index < known_.size()) return known_[block.index];
  throw Error(MPI_ERR_ARG, std::string(argument) + ": is no block of this builder, which has " +
                               std::to_string(known_.size()) + " of them");
}

BlockId OwnBuilder::add(BlockId block, const Known& known) {
  known_.push_back(known);
  return block;
}

/// Returns the block of these bytes: an earlier one, or the one that `make` makes.
template <typename Make>
BlockId OwnBuilder::find_or_add(const Key& key, Make make) {
  if (const auto found = found_.find(key); found != found_.end()) return found->second;
  const auto& [space, offset, bytes, layout] = key;
  if (space == Space::send && in_place_)
    throw Error(MPI_ERR_ARG, "send_block: there is no send buffer after set_in_place(): all is in the receive buffer");
  const BlockId made = add(make(), {space, offset, bytes, layout, true});
  found_.emplace(key, made);
  return made;
}

BlockId OwnBuilder::block(Space space, std::int64_t offset, std::int64_t bytes) {
  check_place(offset, bytes, "bytes");
  return find_or_add({space, offset, bytes, nullptr}, [&] {
    return explained("scratch_block", {}, {}, [&] { return builder_.block(space, offset, bytes); });
  });
}

/// Returns the layout of `count` elements, the same object in all calls.
const Layout& OwnBuilder::elements(std::int64_t count, MPI_Datatype type) {
  require_mpi("a block of an MPI datatype");
  if (type == MPI_DATATYPE_NULL) throw Error(MPI_ERR_TYPE, "type: is MPI_DATATYPE_NULL, must be a committed datatype");
  std::shared_ptr<const Layout> element;
  try {
    element = layout_of(type, type_probe());
  } catch (const Error& error) {
    throw Error(error.error_class(), std::string("type: ") + error.what());
  }
  check_place(0, count, "count");
  const std::int64_t longest = std::max<std::int64_t>(element->size(), std::abs(element->extent()));
  if (longest > 0 && count >= kMostBytes / longest) {
    throw Error(MPI_ERR_COUNT, "count: is " + std::to_string(count) + " elements of " +
                                   std::to_string(element->size()) + " bytes, must be fewer than 2^56 bytes");
  }
  if (const auto found = elements_.find({element.get(), count}); found != elements_.end()) return *found->second;
  const Layout& kept = builder_.keep(element->repeated(count));
  types_.push_back(element);
  elements_[{element.get(), count}] = &kept;
  return kept;
}

BlockId OwnBuilder::block(Space space, std::int64_t offset, std::int64_t count, MPI_Datatype type) {
  const Layout& layout = elements(count, type);
  if (layout.is_contiguous()) return block(space, offset + layout.true_begin(), layout.size());
  check_place(offset, layout.size(), "count");
  return find_or_add({space, offset, layout.size(), &layout}, [&] { return builder_.block(space, offset, layout); });
}

BlockId OwnBuilder::block(Space space, std::int64_t offset, const Layout& layout) {
  if (layout.is_contiguous()) return block(space, offset + layout.true_begin(), layout.size());
  return find_or_add({space, offset, layout.size(), &layout}, [&] { return builder_.block(space, offset, layout); });
}

BlockId OwnBuilder::view(std::int64_t offset, const Layout& layout, std::span<const BlockId> received) {
  // Not placed, because a view may share bytes with blocks that are received.
  return add(builder_.view(offset, layout, received), {Space::recv, offset, layout.size(), &layout, false});
}

std::int64_t OwnBuilder::reserve_scratch(std::int64_t bytes) {
  check_place(0, bytes, "bytes");
  return builder_.reserve_scratch(bytes);
}

BlockId OwnBuilder::transit(std::int64_t bytes) {
  check_place(0, bytes, "bytes");
  return add(builder_.transit(bytes), {Space::scratch, 0, bytes, nullptr, false});
}

void OwnBuilder::set_reduction(std::int64_t count, MPI_Datatype type, MPI_Op op) {
  require_mpi("set_reduction");
  reduction::check_arguments_in_order(op, count, type, type_probe());
  const Layout& operand = elements(count, type);
  const auto is_it = [&](const KnownReduction& known) {
    return known.count == count && known.type == type && known.op == op && known.operand == &operand;
  };
  auto found = std::ranges::find_if(reductions_, is_it);
  if (found == reductions_.end()) {
    auto made = std::make_shared<const Reduction>(op, type, count, *layout_of(type, type_probe()));
    found = reductions_.insert(found, {count, type, op, &operand, std::move(made)});
  }
  explained("set_reduction", {}, {}, [&] { builder_.set_reduction(found->made); });
  operand_bytes_ = operand.size();
}

BlockId OwnBuilder::operand() {
  return explained("operand", {}, {}, [&] {
    return add(builder_.operand(), {Space::scratch, 0, operand_bytes_, nullptr, false});
  });
}

void OwnBuilder::set_in_place() {
  const auto sends = [](const Known& block) { return block.space == Space::send; };
  if (std::ranges::any_of(known_, sends))
    throw Error(MPI_ERR_ARG, "set_in_place: there are blocks of the send buffer already: call it first");
  explained("set_in_place", {}, {}, [&] { builder_.set_in_place(); });
  in_place_ = true;
}

void OwnBuilder::set_filled(BlockId block) {
  static_cast<void>(at(block, "set_filled"));
  explained("set_filled", {&block, 1}, {}, [&] { builder_.set_filled(block); });
}

std::int64_t OwnBuilder::bytes(BlockId block) const { return at(block, "bytes").bytes; }

void OwnBuilder::set_window(int exchanges) {
  check_exchanges(exchanges);
  explained("set_window", {}, {}, [&] { builder_.set_window(static_cast<std::uint32_t>(exchanges)); });
}

void OwnBuilder::set_batches(int exchanges) {
  check_exchanges(exchanges);
  explained("set_batches", {}, {}, [&] { builder_.set_batches(static_cast<std::uint32_t>(exchanges)); });
}

void OwnBuilder::end_batch() {
  explained("end_batch", {}, {}, [&] { builder_.end_batch(); });
}

void OwnBuilder::check_rank(int rank, const char* argument) const {
  if (rank >= 0 && rank < size_) return;
  throw Error(MPI_ERR_RANK, std::string(argument) + ": is " + std::to_string(rank) + ", must be in [0, " +
                                std::to_string(size_) + "), or MPI_PROC_NULL");
}

std::uint32_t OwnBuilder::next_tag(std::unordered_map<int, std::uint32_t>& used, int peer) {
  const std::uint32_t tag = used[peer]++;
  tags_ = std::max(tags_, tag + 1);
  return tag;
}

/// Returns the blocks that have bytes: `blocks` itself, or a list that is put into `kept`.
std::span<const BlockId> OwnBuilder::with_bytes(std::span<const BlockId> blocks, const char* argument,
                                                std::vector<BlockId>& kept) const {
  const auto is_empty = [&](BlockId block) { return at(block, argument).bytes == 0; };
  // Every block is visited, because any of them may belong to another builder.
  if (std::ranges::count_if(blocks, is_empty) == 0) return blocks;
  std::ranges::remove_copy_if(blocks, std::back_inserter(kept), is_empty);
  return kept;
}

void OwnBuilder::send(int target, std::span<const BlockId> outgoing) {
  std::vector<BlockId> kept;
  const std::span<const BlockId> blocks = with_bytes(outgoing, "send", kept);
  if (target == MPI_PROC_NULL) return;
  check_rank(target, "target");
  if (blocks.empty()) return;
  const std::uint32_t tag = next_tag(sent_, target);
  explained("send", blocks, {}, [&] { builder_.send(target, tag, blocks); });
}

void OwnBuilder::receive(int source, std::span<const BlockId> incoming) {
  std::vector<BlockId> kept;
  const std::span<const BlockId> blocks = with_bytes(incoming, "receive", kept);
  if (source == MPI_PROC_NULL) return;
  check_rank(source, "source");
  if (blocks.empty()) return;
  const std::uint32_t tag = next_tag(received_, source);
  explained("receive", blocks, {}, [&] { builder_.receive(source, tag, blocks); });
}

/// Returns whether a copy can replace a message from this rank to itself.
bool OwnBuilder::can_be_copied(std::span<const BlockId> outgoing, std::span<const BlockId> incoming) const {
  if (outgoing.empty() || incoming.empty()) return false;
  std::int64_t sent = 0;
  std::int64_t received = 0;
  const auto are_together = [&](std::span<const BlockId> blocks, std::int64_t& bytes) {
    return std::ranges::all_of(blocks, [&](BlockId block) {
      bytes += known_[block.index].bytes;
      return known_[block.index].space == known_[blocks.front().index].space;
    });
  };
  const auto is_both = [&](BlockId block) {
    return std::ranges::find(incoming, block.index, &BlockId::index) != incoming.end();
  };
  return are_together(outgoing, sent) && are_together(incoming, received) && sent == received &&
         std::ranges::none_of(outgoing, is_both);
}

void OwnBuilder::exchange(int target, int source, std::span<const BlockId> outgoing,
                          std::span<const BlockId> incoming) {
  builder_.begin_exchange();
  // There is no message if both ends are on this rank and meet each other rather than an earlier message.
  std::vector<BlockId> kept_outgoing;
  std::vector<BlockId> kept_incoming;
  const std::span<const BlockId> sent = with_bytes(outgoing, "send", kept_outgoing);
  const std::span<const BlockId> received = with_bytes(incoming, "receive", kept_incoming);
  const bool stays = target == rank_ && source == rank_ && sent_[rank_] == received_[rank_];
  if (stays && std::ranges::equal(sent, received, {}, &BlockId::index, &BlockId::index)) {
    // The data is in its place already.
  } else if (stays && can_be_copied(sent, received)) {
    explained("exchange", sent, received, [&] { builder_.copy_in_order(sent, received); });
  } else {
    send(target, sent);
    receive(source, received);
  }
  builder_.end_exchange();
}

void OwnBuilder::copy(std::span<const BlockId> from, std::span<const BlockId> to) {
  if (from.size() != to.size()) {
    throw Error(MPI_ERR_ARG, "copy: is of " + count_of(from.size(), "block") + " to " + std::to_string(to.size()) +
                                 ", must be of as many");
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (at(from[i], "copy").bytes == at(to[i], "copy").bytes) continue;
    throw Error(MPI_ERR_ARG,
                "copy: is of " + describe(from[i]) + " to " + describe(to[i]) + ", must be of as many bytes");
  }
  // Empty blocks, and blocks that are copied to themselves, are left out. Blocks in other spaces begin another task.
  std::vector<BlockId> read;
  std::vector<BlockId> written;
  const auto end_task = [&] {
    if (!read.empty()) explained("copy", read, written, [&] { builder_.copy(read, written); });
    read.clear();
    written.clear();
  };
  const auto space_of = [&](BlockId block) { return known_[block.index].space; };
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (known_[from[i].index].bytes == 0 || from[i].index == to[i].index) continue;
    if (!read.empty() && (space_of(from[i]) != space_of(read[0]) || space_of(to[i]) != space_of(written[0])))
      end_task();
    read.push_back(from[i]);
    written.push_back(to[i]);
  }
  end_task();
}

void OwnBuilder::reduce(std::span<const BlockId> from, std::span<const BlockId> into) {
  if (from.size() != into.size()) {
    throw Error(MPI_ERR_ARG, "reduce: is of " + count_of(from.size(), "block") + " into " +
                                 std::to_string(into.size()) + ", must be of as many");
  }
  std::vector<BlockId> kept_from;
  std::vector<BlockId> kept_into;
  const std::span<const BlockId> read = with_bytes(from, "reduce", kept_from);
  const std::span<const BlockId> updated = with_bytes(into, "reduce", kept_into);
  if (read.empty() && updated.empty()) return;
  explained("reduce", read, updated, [&] { builder_.reduce(read, updated); });
}

void OwnBuilder::compute(std::span<const BlockId> reads, std::span<const BlockId> writes, ComputeFunction function,
                         const ComputeOptions& options) {
  if (!function) throw Error(MPI_ERR_ARG, "compute: function: is empty, must be a function");
  if (reads.empty() && writes.empty())
    throw Error(MPI_ERR_ARG, "compute: reads and writes: are both empty, must name a block");
  for (const std::span<const BlockId> blocks : {reads, writes}) {
    for (const BlockId block : blocks) static_cast<void>(at(block, "compute"));
  }
  if (leaves_functions_out_) function = [](const ComputeBlocks&) {};
  explained("compute", reads, writes, [&] {
    builder_.compute(reads, writes, std::move(function), std::string(options.name), options.where == Where::worker);
  });
}

/// Throws Error if two blocks share bytes. The builder would not see them as related, which is a race if one is
/// written.
void OwnBuilder::check_disjoint(Space space) const {
  std::deque<Layout> contiguous;
  std::vector<PlacedLayout> placed;
  std::vector<BlockId> blocks;
  for (std::uint32_t i = 0; i < known_.size(); ++i) {
    const Known& block = known_[i];
    if (block.space != space || !block.placed || block.bytes == 0) continue;
    if (block.layout == nullptr) contiguous.push_back(Layout::contiguous(block.bytes));
    placed.push_back({block.offset, block.layout == nullptr ? &contiguous.back() : block.layout});
    blocks.push_back({i});
  }
  const auto overlap = find_overlap(placed);
  if (!overlap) return;
  const std::string one = describe(blocks[overlap->one]);
  const std::string shared =
      std::to_string(overlap->end - overlap->begin) + " bytes at " + std::to_string(overlap->begin);
  if (overlap->one == overlap->other)
    throw Error(MPI_ERR_ARG, "block: " + one + " has " + shared + " twice, must have each once");
  throw Error(MPI_ERR_ARG, "blocks: " + one + " and " + describe(blocks[overlap->other]) + " share " + shared +
                               "; blocks that are written must share none: name each piece as a block of its own, and "
                               "lists of them where several go together");
}

void OwnBuilder::finish(std::uint32_t tags) {
  check_disjoint(Space::recv);
  check_disjoint(Space::scratch);
  builder_.reserve_tags(tags);
}

OwnSchedule OwnBuilder::build(std::uint32_t tags) && {
  finish(tags);
  auto blocks = std::make_shared<OwnBlocks>();
  OwnSchedule made;
  const auto include = [](ByteRange& range, std::int64_t begin, std::int64_t end) {
    range = range.begin == range.end ? ByteRange{begin, end}
                                     : ByteRange{std::min(range.begin, begin), std::max(range.end, end)};
  };
  for (const Known& block : known_) {
    if (block.space == Space::scratch || block.bytes == 0) continue;
    const Layout& layout =
        blocks->layouts.emplace_back(block.layout == nullptr ? Layout::contiguous(block.bytes) : *block.layout);
    const bool sent = block.space == Space::send;
    (sent ? blocks->sent : blocks->received).push_back({block.offset, &layout});
    include(sent ? made.send : made.recv, block.offset + layout.true_begin(), block.offset + layout.true_end());
  }
  made.schedule = std::make_shared<const Schedule>(std::move(builder_).build());
  made.blocks = std::move(blocks);
  made.is_exact = std::ranges::all_of(
      reductions_, [](const KnownReduction& known) { return reduction::is_exact(known.op, known.type); });
  return made;
}

}  // namespace rondo::internal
