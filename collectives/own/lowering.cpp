// Gives the lowering the builder that users see, which forwards everything to `builder`.
#include "collectives/own/lowering.hpp"

#include <rondo/error.hpp>

#include "runtime/schedule/dot.hpp"

#include <string>
#include <utility>
#include <vector>

namespace rondo {
namespace internal {

void lower_own(const Lowering& lower, OwnBuilder& builder) {
  if (!lower) throw Error(MPI_ERR_ARG, "lower: is empty, must be a function");
  LoweringAccess::run([&](rondo::ScheduleBuilder& build) { lower(build, builder.rank(), builder.size()); }, builder);
}

}  // namespace internal

using internal::BlockId;
using internal::Space;

Block ScheduleBuilder::send_block(std::int64_t offset, std::int64_t bytes) {
  return Block(own_.block(Space::send, offset, bytes).index);
}

Block ScheduleBuilder::send_block(std::int64_t offset, std::int64_t count, MPI_Datatype type) {
  return Block(own_.block(Space::send, offset, count, type).index);
}

Block ScheduleBuilder::recv_block(std::int64_t offset, std::int64_t bytes) {
  return Block(own_.block(Space::recv, offset, bytes).index);
}

Block ScheduleBuilder::recv_block(std::int64_t offset, std::int64_t count, MPI_Datatype type) {
  return Block(own_.block(Space::recv, offset, count, type).index);
}

std::int64_t ScheduleBuilder::reserve_scratch(std::int64_t bytes) { return own_.reserve_scratch(bytes); }

Block ScheduleBuilder::scratch_block(std::int64_t offset, std::int64_t bytes) {
  return Block(own_.block(Space::scratch, offset, bytes).index);
}

Block ScheduleBuilder::transit(std::int64_t bytes) { return Block(own_.transit(bytes).index); }

void ScheduleBuilder::set_reduction(std::int64_t count, MPI_Datatype type, MPI_Op op) {
  own_.set_reduction(count, type, op);
}

Block ScheduleBuilder::operand() { return Block(own_.operand().index); }

std::vector<BlockId> ScheduleBuilder::ids(const Blocks& blocks) {
  std::vector<BlockId> made;
  made.reserve(blocks.all().size());
  for (const Block block : blocks.all()) made.push_back({block.index_});
  return made;
}

void ScheduleBuilder::reduce(const Blocks& from, const Blocks& into) { own_.reduce(ids(from), ids(into)); }

void ScheduleBuilder::copy(const Blocks& from, const Blocks& to) { own_.copy(ids(from), ids(to)); }

void ScheduleBuilder::compute(const Blocks& reads, const Blocks& writes, ComputeFunction function,
                              const ComputeOptions& options) {
  own_.compute(ids(reads), ids(writes), std::move(function), options);
}

void ScheduleBuilder::send(int target, const Blocks& outgoing) { own_.send(target, ids(outgoing)); }

void ScheduleBuilder::receive(int source, const Blocks& incoming) { own_.receive(source, ids(incoming)); }

void ScheduleBuilder::exchange(int target, int source, const Blocks& outgoing, const Blocks& incoming) {
  own_.exchange(target, source, ids(outgoing), ids(incoming));
}

void ScheduleBuilder::set_in_place() { own_.set_in_place(); }

void ScheduleBuilder::set_filled(Block block) { own_.set_filled({block.index_}); }

void ScheduleBuilder::begin_phase() { own_.begin_phase(); }

void ScheduleBuilder::set_window(int exchanges) { own_.set_window(exchanges); }

void ScheduleBuilder::set_batches(int exchanges) { own_.set_batches(exchanges); }

void ScheduleBuilder::end_batch() { own_.end_batch(); }

void ScheduleBuilder::begin_exchange() { own_.begin_exchange(); }

void ScheduleBuilder::end_exchange() { own_.end_exchange(); }

std::int64_t ScheduleBuilder::bytes(Block block) const { return own_.bytes({block.index_}); }

std::string to_dot(const Lowering& lower, int rank, int size) {
  if (rank < 0 || rank >= size) {
    throw Error(MPI_ERR_ARG, "to_dot: rank: is " + std::to_string(rank) + ", must be in [0, size), and size is " +
                                 std::to_string(size));
  }
  internal::OwnBuilder builder(rank, size, Ordering::dependencies, MessageForm::automatic,
                               internal::measured_form_costs());
  internal::lower_own(lower, builder);
  const std::uint32_t tags = builder.tags();
  return internal::to_dot(*std::move(builder).build(tags).schedule,
                          "rank " + std::to_string(rank) + " of " + std::to_string(size));
}

}  // namespace rondo
