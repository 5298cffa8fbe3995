#include "collectives/arguments/checked_call.hpp"

#include <rondo/error.hpp>

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/blocks/handle_word.hpp"

#include <string>

namespace rondo::internal {
namespace {

std::string at(std::size_t i) { return "[" + std::to_string(i) + "]"; }

std::int64_t size_of(const BlockShape& block) { return block.layout->size(); }

/// Throws Error if a vector that a scatter-reduce sends has another size than the result.
void check_vectors(const CheckedCall& checked, const CallShapes& shapes) {
  const ExistingBlocks existing = checked.existing_targets();
  const std::int64_t result = checked.received_bytes();
  for (std::size_t i = 0; i < shapes.send.blocks.size(); ++i) {
    const std::int64_t sent = size_of(shapes.send.blocks[i]);
    if (sent == result || (!existing.empty() && existing[i] == 0)) continue;
    throw Error(MPI_ERR_TRUNCATE, "sendcounts" + at(i) + " and sendtypes" + at(i) + ": describe a vector of " +
                                      std::to_string(sent) + " bytes, must describe one of the result's " +
                                      std::to_string(result));
  }
}

}  // namespace

CheckedCall::CheckedCall(const Call& given, const BlockPattern& of, MPI_Comm probe) : call(given), pattern(of) {
  if (call.reduces()) {
    const auto check = pattern.keeps_order ? reduction::check_arguments_in_order : reduction::check_arguments;
    check(call.op, call.recv.counts[0], call.recv.types[0], probe);
  }
  if (call.collective == Collective::broadcast && (call.root < 0 || call.root >= pattern.targets)) {
    throw Error(MPI_ERR_ROOT, "root: is " + std::to_string(call.root) + ", must be a rank, from 0 to " +
                                  std::to_string(pattern.targets - 1));
  }
  const bool in_place = call.in_place() && pattern.may_be_in_place;
  if (!in_place) send_layouts = check_side(call.send, sent_blocks(), existing_targets(), probe);
  recv_layouts = check_side(call.recv, received_blocks(), existing_sources(), probe);
  if (in_place)
    send_layouts = call.reduces() ? check_side(call.sent(), sent_blocks(), existing_targets(), probe) : recv_layouts;
}

std::vector<std::int64_t> CheckedCall::key() const {
  std::vector<std::int64_t> key{static_cast<std::int64_t>(call.collective), call.in_place() ? 1 : 0};
  if (call.reduces()) {
    key.push_back(handle_word(call.op));
    key.push_back(reduction::is_commutative(call.op) ? 1 : 0);  // the handle may be reused for another operation
    key.push_back(handle_word(call.recv.types[0]));             // two basic types may share a layout
  }
  if (call.collective == Collective::broadcast) key.push_back(call.root);
  append_key(call.recv, received_blocks(), existing_sources(), recv_layouts, key);
  if (call.describes_sent()) append_key(call.send, sent_blocks(), existing_targets(), send_layouts, key);
  return key;
}

void check_sizes(const CheckedCall& checked, const CallShapes& shapes) {
  const Call& call = checked.call;
  if (call.collective == Collective::broadcast || call.collective == Collective::barrier) return;  // one side at most
  if (call.in_place() || call.send.in_a_row) return;
  if (call.collective == Collective::scatter_reduce) {
    check_vectors(checked, shapes);
    return;
  }
  if (call.send.regular && call.recv.regular && checked.pattern.same_on_both_sides) {
    if (checked.pattern.targets == 0 || checked.sent_bytes() == checked.received_bytes()) return;
    throw Error(MPI_ERR_TRUNCATE, "sendcount and recvcount: a send block has " + std::to_string(checked.sent_bytes()) +
                                      " bytes and a receive block has " + std::to_string(checked.received_bytes()) +
                                      ", must be equal");
  }
  for (const BlockPair& pair : checked.pattern.to_self) {
    const std::int64_t sent = size_of(shapes.send.blocks[call.sends_one_block() ? 0 : pair.sent]);
    const std::int64_t received = size_of(shapes.recv.blocks[pair.received]);
    if (sent == received) continue;
    throw Error(MPI_ERR_TRUNCATE, (call.send.regular ? "sendcount" : "sendcounts" + at(pair.sent)) + " and " +
                                      (call.recv.regular ? "recvcount" : "recvcounts" + at(pair.received)) +
                                      ": the process sends itself " + std::to_string(sent) + " bytes and receives " +
                                      std::to_string(received) + ", must be equal");
  }
}

void check_buffers(const Call& call, const CallShapes& shapes) {
  if (call.describes_sent()) check_buffer(call.sent(), range_of(shapes.send));
  check_buffer(call.recv, range_of(shapes.recv));
  if (!call.in_place()) check_aliases(call.send, shapes.send, call.recv, shapes.recv);
}

}  // namespace rondo::internal
