#include "collectives/operations/known_dense.hpp"

#include <rondo/error.hpp>

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/operations/dense_problem.hpp"

#include <vector>

namespace rondo::internal {
namespace {

/// Allreduce and reduce-scatter.
Chosen choose_reduction(const DenseContext& context, const CheckedCall& checked, const CallShapes& shapes,
                        const Settings& settings) {
  const Call& call = checked.call;
  const DenseKnowledge known = knowledge_of(context, settings);
  const CallSide sent = call.sent();
  std::vector<std::int64_t> counts;
  for (int j = 0; j < checked.sent_blocks(); ++j) counts.push_back(sent.count(j));
  const dense_reduction::Problem problem{
      .rank = context.rank(),
      .size = context.size(),
      .kind = call.collective == Collective::reduce ? dense_reduction::Kind::allreduce
                                                    : dense_reduction::Kind::reduce_scatter,
      .send = shapes.send.blocks,
      .counts = counts,
      .recv = shapes.recv.blocks[0],
      .op = {call.op, call.recv.types[0], checked.recv_layouts[0].get(), reduction::is_commutative(call.op)},
      .costs = known.costs,
      .in_place = call.in_place(),
      .ports = settings.ports,
      .fewest_near = known.fewest_near,
      .nodes = known.nodes};
  return dense_reduction::choose(problem, settings.algorithm, settings.ordering, settings.messages);
}

}  // namespace

void KnownDenseFamily::note(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) {
  if (settings.tuning != context_.settings().tuning)
    throw Error(MPI_ERR_INFO_VALUE, "rondo_tuning: applies to a communicator, not to one call: see Rondo_Comm_prepare");
  here_ = known_sizes_of(checked, shapes);
}

std::uint32_t KnownDenseFamily::most_tags() const { return dense_reduction::most_tags(context_.size()); }

Chosen KnownDenseFamily::choose(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) {
  return choose_reduction(context_, checked, shapes, settings);
}

ArrivalsOfAll KnownDenseFamily::arrivals(const Call& call) const {
  return {[](ByteWriter&) {}, [p = context_.size(), &call](std::span<ByteReader>) { return dense_arrivals(p, call); }};
}

}  // namespace rondo::internal
