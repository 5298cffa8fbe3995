#include "collectives/checked_call.hpp"

#include <rondo/error.hpp>

#include "collectives/reduction_operator.hpp"

#include <string>

namespace rondo {
namespace {

/// A side with one block for all neighbors has it whichever of them exist.
ExistingBlocks for_each_block(const std::vector<char>& existing, int blocks) {
  return static_cast<std::size_t>(blocks) == existing.size() ? ExistingBlocks(existing) : ExistingBlocks();
}

/// Vectors of a scatter-reduce are as long as the result.
void check_vectors(const CheckedCall& checked, const CallShapes& shapes) {
  const ExistingBlocks existing = checked.existing_targets();
  const std::int64_t result = checked.recv_layouts[0]->size() * checked.call.recv.counts[0];
  for (std::size_t i = 0; i < shapes.send.blocks.size(); ++i) {
    const std::int64_t sent = shapes.send.blocks[i].layout->size();
    if (sent == result || (!existing.empty() && existing[i] == 0)) continue;
    const std::string at = "[" + std::to_string(i) + "]";
    throw Error(MPI_ERR_TRUNCATE, "sendcounts" + at + " and sendtypes" + at + ": a vector of " + std::to_string(sent) +
                                      " bytes, must have the result's " + std::to_string(result));
  }
}

}  // namespace

CheckedCall::CheckedCall(const CartCall& given, CommContext& of)
    : call(given), context(of), t(context.neighborhood().size()) {
  if (call.reduces()) check_reduction_arguments(call.op, call.recv.counts[0], call.recv.types[0]);
  const MPI_Comm probe = context.tags().comm()->get();
  send_layouts = check_side(call.send, sent_blocks(), existing_targets(), probe);
  recv_layouts = check_side(call.recv, received_blocks(), existing_sources(), probe);
}

ExistingBlocks CheckedCall::existing_targets() const {
  return for_each_block(context.existing().targets, sent_blocks());
}

ExistingBlocks CheckedCall::existing_sources() const {
  return for_each_block(context.existing().sources, received_blocks());
}

void check_sizes(const CheckedCall& checked, const CallShapes& shapes) {
  const CartCall& call = checked.call;
  if (checked.t == 0) return;
  if (call.collective == CartCollective::scatter_reduce) {
    check_vectors(checked, shapes);
    return;
  }
  if (call.send.regular && call.recv.regular) {
    const std::int64_t sent = checked.send_layouts[0]->size() * call.send.counts[0];
    const std::int64_t received = checked.recv_layouts[0]->size() * call.recv.counts[0];
    if (sent == received) return;
    throw Error(MPI_ERR_TRUNCATE, "sendcount and recvcount: a send block has " + std::to_string(sent) +
                                      " bytes and a receive block " + std::to_string(received) + ", must be equal");
  }
  const Grid& grid = checked.context.grid();
  for (int i = 0; i < checked.t; ++i) {
    if (grid.relative_rank(checked.context.neighborhood()[i]) != grid.rank()) continue;
    const auto index = static_cast<std::size_t>(i);
    const std::int64_t sent = shapes.send.blocks[call.send.regular ? 0 : index].layout->size();
    const std::int64_t received = shapes.recv.blocks[index].layout->size();
    if (sent == received) continue;
    const std::string at = "[" + std::to_string(i) + "]";
    throw Error(MPI_ERR_TRUNCATE, (call.send.regular ? "sendcount" : "sendcounts" + at) + " and recvcounts" + at +
                                      ": neighbor " + std::to_string(i) + " is the process itself, which sends " +
                                      std::to_string(sent) + " bytes and receives " + std::to_string(received) +
                                      ", must be equal");
  }
}

}  // namespace rondo
