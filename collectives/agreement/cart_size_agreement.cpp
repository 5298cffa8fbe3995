#include "collectives/agreement/cart_size_agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "runtime/base/mix.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

namespace rondo::internal {
namespace {

constexpr std::uint64_t kNoOpinion = 0;
/// A number greater than any size in bytes, so that neither size + 1 nor kTop - size is ever kNoOpinion.
constexpr std::uint64_t kTop = std::uint64_t{1} << 63U;

bool passes_unknown_blocks(const Call& call, const Grid& grid) {
  return call.collective == Collective::alltoall && !call.send.regular && !grid.is_torus();
}

}  // namespace

bool knows_by_definition(const Call& call, const Grid& grid, const Settings& settings) {
  if (call.reduces()) return true;
  if (call.collective == Collective::allgather) return call.recv.regular || settings.assert_uniform;
  return call.send.regular || (settings.assert_uniform && !passes_unknown_blocks(call, grid));
}

KnownSizes sizes_by_definition(const CheckedCall& checked, const CallShapes& shapes, const Grid& grid,
                               const Settings& settings) {
  const Call& call = checked.call;
  if (!knows_by_definition(call, grid, settings)) return {};
  if (call.reduces()) return {true, {checked.received_bytes()}};
  if (call.collective == Collective::allgather) return {true, {checked.sent_bytes()}};
  KnownSizes sizes{true, {}};
  if (call.send.regular) {
    sizes.bytes.assign(static_cast<std::size_t>(checked.pattern.targets), checked.sent_bytes());
  } else {
    for (const BlockShape& block : shapes.send.blocks) sizes.bytes.push_back(block.layout->size());
  }
  return sizes;
}

void CartSizeAgreement::prepare(const CheckedCall& checked, const CallShapes& shapes, const Grid& grid,
                                const Neighborhood& neighborhood) {
  const Call& call = checked.call;
  const auto t = static_cast<std::size_t>(checked.pattern.targets);
  sent_ = t;
  if (call.reduces()) {
    sent_ = mix(sent_, static_cast<std::uint64_t>(checked.received_bytes()));
    return;
  }
  if (call.collective == Collective::allgather) {
    sent_ = static_cast<std::uint64_t>(checked.sent_bytes());
    by_rank_.resize(static_cast<std::size_t>(grid.size()));
    own_.assign(1, checked.sent_bytes());
    return;
  }
  if (call.send.regular) {
    sent_ = mix(sent_, static_cast<std::uint64_t>(checked.sent_bytes()));
    return;
  }
  const ExistingBlocks existing = checked.existing_targets();
  for (std::size_t i = 0; i < t; ++i)
    own_.push_back(existing.empty() || existing[i] != 0 ? shapes.send.blocks[i].layout->size() : -1);
  std::vector<int> sources;
  std::vector<int> targets;
  std::vector<std::int64_t> received;
  for (std::size_t i = 0; i < t; ++i) {
    sources.push_back(grid.relative_rank(neighborhood[static_cast<int>(i)], -1));
    targets.push_back(grid.relative_rank(neighborhood[static_cast<int>(i)], 1));
    received.push_back(shapes.recv.blocks[i].layout->size());
  }
  received_as_sent_ = !grid.is_torus() || received == own_;
  sizes_ = std::make_unique<SizesAtBothEnds>(std::move(sources), std::move(targets), std::move(received), own_);
  if (!grid.is_torus()) {
    words_.resize(2 * t);
    return;
  }
  for (std::size_t i = 0; i < t; ++i) sent_ = mix(sent_, static_cast<std::uint64_t>(own_[i]));
}

KnownSizes CartSizeAgreement::agree(const Call& call, const Grid& grid, const Settings& settings,
                                    const std::exception_ptr& trouble, MPI_Comm comm, int tag) {
  Agreement agreement(trouble, comm);
  const auto sent = agreement.same(sent_);
  const auto wanted = agreement.same(settings.fingerprint());
  const auto misfit = agreement.greatest(rank_word(!received_as_sent_, comm));
  agreement.reach("cartcomm");
  if (!agreement.holds(wanted)) {
    throw Error(
        MPI_ERR_INFO_VALUE,
        "info: all ranks must ask for the same algorithm, schedule, messages, ports and learning, but they did not");
  }
  const bool reduction = call.reduces();
  if (passes_unknown_blocks(call, grid)) {
    SizesAtBothEnds::compare(std::move(sizes_), comm, tag);
    return agree_block_by_block(comm);
  }
  const bool uniform = agreement.holds(sent);
  if (!uniform && reduction)
    throw Error(MPI_ERR_COUNT, "count: all ranks must reduce vectors of the same size, but they do not (here " +
                                   std::to_string(call.recv.counts[0]) + " elements)");
  if (!uniform && call.send.regular && call.recv.regular) {
    throw Error(MPI_ERR_COUNT, "sendcount: all ranks must send blocks of the same size, but they do not (here " +
                                   std::to_string(call.send.counts[0]) + " elements)");
  }
  const bool is_irregular = call.collective == Collective::alltoall && !call.send.regular;
  if (is_irregular && (!uniform || agreement.of(misfit) != 0)) SizesAtBothEnds::compare(std::move(sizes_), comm, tag);
  if (call.collective == Collective::allgather) {
    if (uniform) return {true, std::move(own_)};
    gather_from_all(own_[0], by_rank_, comm);
    return {true, std::move(by_rank_)};
  }
  return {uniform, uniform && !reduction ? std::move(own_) : std::vector<std::int64_t>{}};
}

KnownSizes CartSizeAgreement::agree_block_by_block(MPI_Comm comm) {
  const std::size_t t = own_.size();
  for (std::size_t i = 0; i < t; ++i) {
    const auto size = static_cast<std::uint64_t>(own_[i]);
    words_[2 * i] = own_[i] < 0 ? kNoOpinion : size + 1;
    words_[2 * i + 1] = own_[i] < 0 ? kNoOpinion : kTop - size;
  }
  max_over_ranks(words_, comm);
  for (std::size_t i = 0; i < t; ++i) {
    const bool nobody = words_[2 * i] == kNoOpinion;
    if (!nobody && words_[2 * i] - 1 != kTop - words_[2 * i + 1]) return {};
    own_[i] = nobody ? 0 : static_cast<std::int64_t>(words_[2 * i] - 1);
  }
  return {true, std::move(own_)};
}

void check_received(const CheckedCall& checked, const CallShapes& shapes, const KnownSizes& sizes, const Grid& grid,
                    const Neighborhood& neighborhood) {
  if (!sizes.known || checked.call.reduces()) return;
  const ExistingBlocks existing = checked.existing_sources();
  for (int i = 0; i < neighborhood.size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (!existing.empty() && existing[index] == 0) continue;
    const int source = grid.relative_rank(neighborhood[i], -1);
    std::size_t from = index;
    if (checked.call.collective == Collective::allgather)
      from = sizes.bytes.size() > 1 ? static_cast<std::size_t>(source) : 0;
    const std::int64_t received = shapes.recv.blocks[index].layout->size();
    if (received == sizes.bytes[from]) continue;
    throw Error(MPI_ERR_TRUNCATE, wrong_size(index, static_cast<std::uint64_t>(grid.rank()), received,
                                             static_cast<std::uint64_t>(source), sizes.bytes[from]));
  }
}

}  // namespace rondo::internal
