#include "collectives/size_agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/agreement.hpp"

#include <array>
#include <limits>
#include <string>

namespace rondo {
namespace {

constexpr std::uint64_t kNoOpinion = 0;
/// Greater than any size, so that a size and its distance to this one are never kNoOpinion.
constexpr std::uint64_t kTop = std::uint64_t{1} << 63U;

bool passes_unknown_blocks(const CartCall& call, const Grid& grid) {
  return call.collective == CartCollective::alltoall && !call.send.regular && !grid.is_torus();
}

std::int64_t size_of(const BlockShape& block) { return block.layout->size(); }

/// Bytes of one block of a regular side.
std::int64_t regular_size(const CallSide& side, const SideLayouts& layouts) {
  return layouts.empty() ? 0 : layouts[0]->size() * side.counts[0];
}

std::string wrong_size(int i, std::int64_t received, std::int64_t sent) {
  return "recv block " + std::to_string(i) + ": has " + std::to_string(received) + " bytes, the neighbor sends " +
         std::to_string(sent);
}

}  // namespace

bool knows_by_definition(const CartCall& call, const Grid& grid, const Settings& settings) {
  if (call.reduces()) return true;
  if (call.collective == CartCollective::allgather) return call.recv.regular || settings.assert_uniform;
  return call.send.regular || (settings.assert_uniform && !passes_unknown_blocks(call, grid));
}

KnownSizes sizes_by_definition(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) {
  const CartCall& call = checked.call;
  if (!knows_by_definition(call, checked.context.grid(), settings)) return {};
  if (call.reduces()) return {true, {regular_size(call.recv, checked.recv_layouts)}};
  if (call.collective == CartCollective::allgather) return {true, {regular_size(call.send, checked.send_layouts)}};
  KnownSizes sizes{true, {}};
  if (call.send.regular) {
    sizes.bytes.assign(static_cast<std::size_t>(checked.t), regular_size(call.send, checked.send_layouts));
  } else {
    for (const BlockShape& block : shapes.send.blocks) sizes.bytes.push_back(size_of(block));
  }
  return sizes;
}

void SizeAgreement::prepare(const CheckedCall& checked, const CallShapes& shapes) {
  const CartCall& call = checked.call;
  const auto t = static_cast<std::size_t>(checked.t);
  sent_ = t;
  if (call.reduces()) {
    sent_ = mix(sent_, static_cast<std::uint64_t>(regular_size(call.recv, checked.recv_layouts)));
    return;
  }
  if (call.collective == CartCollective::allgather) {
    sent_ = static_cast<std::uint64_t>(regular_size(call.send, checked.send_layouts));
    by_rank_.resize(static_cast<std::size_t>(checked.context.grid().size()));
    own_.assign(1, regular_size(call.send, checked.send_layouts));
    return;
  }
  if (call.send.regular) {
    sent_ = mix(sent_, static_cast<std::uint64_t>(regular_size(call.send, checked.send_layouts)));
    return;
  }
  const ExistingBlocks existing = checked.existing_targets();
  for (std::size_t i = 0; i < t; ++i)
    own_.push_back(existing.empty() || existing[i] != 0 ? size_of(shapes.send.blocks[i]) : -1);
  if (!checked.context.grid().is_torus()) {
    words_.resize(2 * t);
    return;
  }
  for (std::size_t i = 0; i < t; ++i) {
    const std::int64_t received = size_of(shapes.recv.blocks[i]);
    sent_ = mix(sent_, static_cast<std::uint64_t>(own_[i]));
    if (own_[i] == received || !received_as_sent_) continue;
    received_as_sent_ = false;
    received_ = wrong_size(static_cast<int>(i), received, own_[i]);
  }
}

KnownSizes SizeAgreement::agree(const CartCall& call, const CommContext& context, const Settings& settings,
                                const std::exception_ptr& trouble, MPI_Comm comm) {
  const std::uint64_t wanted = settings.fingerprint();
  std::array words{rank_word(trouble != nullptr, comm), sent_, ~sent_, wanted, ~wanted,
                   rank_word(!received_as_sent_, comm)};
  take_greatest(words, comm);
  throw_trouble(trouble, words[0], "cartcomm");
  if (words[3] != ~words[4]) {
    throw Error(MPI_ERR_INFO_VALUE,
                "info: all ranks must ask for the same algorithm, schedule, messages and ports, and they did not");
  }
  const bool reduction = call.reduces();
  if (passes_unknown_blocks(call, context.grid())) return agree_block_by_block(context, comm);
  const bool uniform = words[1] == ~words[2];
  if (!uniform && reduction)
    throw Error(MPI_ERR_COUNT, "count: all ranks must reduce vectors of the same size, and they do not (here " +
                                   std::to_string(call.recv.counts[0]) + " elements)");
  if (!uniform && call.send.regular && call.recv.regular) {
    throw Error(MPI_ERR_COUNT, "sendcount: all ranks must send blocks of the same size, and they do not (here " +
                                   std::to_string(call.send.counts[0]) + " elements)");
  }
  if (uniform && words[5] != 0) {
    throw Error(MPI_ERR_TRUNCATE, received_as_sent_
                                      ? "rank " + std::to_string(words[5] - 1) +
                                            " of cartcomm receives a block of another size than its neighbor sends"
                                      : received_);
  }
  if (call.collective == CartCollective::allgather) {
    if (uniform) return {true, std::move(own_)};
    gather_from_all(own_[0], by_rank_, comm);
    return {true, std::move(by_rank_)};
  }
  return {uniform, uniform && !reduction ? std::move(own_) : std::vector<std::int64_t>{}};
}

KnownSizes SizeAgreement::agree_block_by_block(const CommContext& context, MPI_Comm comm) {
  const auto t = static_cast<std::size_t>(context.neighborhood().size());
  for (std::size_t i = 0; i < t; ++i) {
    const auto size = static_cast<std::uint64_t>(own_[i]);
    words_[2 * i] = own_[i] < 0 ? kNoOpinion : size + 1;
    words_[2 * i + 1] = own_[i] < 0 ? kNoOpinion : kTop - size;
  }
  take_greatest(words_, comm);
  for (std::size_t i = 0; i < t; ++i) {
    const bool nobody = words_[2 * i] == kNoOpinion;
    if (!nobody && words_[2 * i] - 1 != kTop - words_[2 * i + 1]) return {};
    own_[i] = nobody ? 0 : static_cast<std::int64_t>(words_[2 * i] - 1);
  }
  return {true, std::move(own_)};
}

void check_received(const CheckedCall& checked, const CallShapes& shapes, const KnownSizes& sizes) {
  if (!sizes.known || checked.call.reduces()) return;
  const ExistingBlocks existing = checked.existing_sources();
  const CommContext& context = checked.context;
  for (int i = 0; i < checked.t; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (!existing.empty() && existing[index] == 0) continue;
    std::size_t from = index;
    if (checked.call.collective == CartCollective::allgather) {
      const bool by_rank = sizes.bytes.size() > 1;
      from = by_rank ? static_cast<std::size_t>(context.grid().relative_rank(context.neighborhood()[i], -1)) : 0;
    }
    const std::int64_t received = size_of(shapes.recv.blocks[index]);
    if (received != sizes.bytes[from]) throw Error(MPI_ERR_TRUNCATE, wrong_size(i, received, sizes.bytes[from]));
  }
}

}  // namespace rondo
