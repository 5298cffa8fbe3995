#include "collectives/communicators/neighborhood_context.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/attribute_key.hpp"
#include "collectives/comm_state/pending_collective.hpp"
#include "runtime/base/error_report.hpp"

#include <string>
#include <utility>

namespace rondo::internal {
namespace {

/// The object that the attribute holds.
using SharedContext = std::shared_ptr<NeighborhoodContext>;

}  // namespace

int NeighborhoodContext::copy_attribute(MPI_Comm, int, void*, void* from, void* to, int* flag) {
  if (NotCopied::now()) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  NeighborhoodContext& original = **static_cast<SharedContext*>(from);
  // The copy gets its own private communicator, which all ranks must begin to make, even if memory is short.
  std::shared_ptr<PrivateComm> own;
  std::unique_ptr<SharedContext> copy;
  int code = MPI_SUCCESS;
  try {
    original.on()->state->own()->require_usable();
    // All ranks have begun these duplicates: an earlier MPI_Comm_idup is complete.
    if (!original.on()->state->own()->made()) original.wait_for_comm();
    wait_for_duplicates_of(original.on()->state->comm());
  } catch (const Error& error) {
    remember_error(error.error_class(), error.what());
    return error.error_class();
  }
  try {
    own = std::make_shared<PrivateComm>();
    const CommState& state = *original.on()->state;
    auto on = std::make_shared<const GridContext>(own, original.grid(), state.ranks_per_core(), state.on_one_node(),
                                                  state.shares_cache());
    auto context = std::make_shared<NeighborhoodContext>(std::move(on), original.neighborhood(), original.settings());
    context->graph_order_ = original.graph_order_;
    context->duplicated_from_ = original.on()->state->own();
    copy = std::make_unique<SharedContext>(std::move(context));
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
  }
  try {
    PrivateComm for_nobody;
    (own == nullptr ? for_nobody : *own).begin_duplicate(original.on()->state->comm());
  } catch (const Error& error) {
    remember_error(error.error_class(), error.what());
    return error.error_class();
  }
  if (code != MPI_SUCCESS) return code;
  *static_cast<void**>(to) = copy.release();
  *flag = 1;
  return MPI_SUCCESS;
}

void NeighborhoodContext::wait_for_comm() { wait_for_duplicate(*on_->state->own(), Patience::ends); }

const GraphOrder& NeighborhoodContext::graph_order() const {
  if (!graph_order_)
    throw Error(MPI_ERR_TOPOLOGY, "comm: its neighborhood was not made from a graph by Rondo_Neighborhood_from_graph");
  return *graph_order_;
}

BlockPattern NeighborhoodContext::pattern() {
  if (!to_self_) {
    to_self_.emplace();
    for (int i = 0; i < neighborhood_.size(); ++i) {
      const auto index = static_cast<std::size_t>(i);
      if (grid().relative_rank(neighborhood_[i]) == grid().rank()) to_self_->push_back({index, index});
    }
  }
  return {neighborhood_.size(), neighborhood_.size(), existing_.targets, existing_.sources, *to_self_};
}

const NearOffsets* NeighborhoodContext::near() {
  const CommState& state = *on_->state;
  if (!state.spans_nodes()) return nullptr;
  if (!near_) near_.emplace(grid(), state.nodes());
  return &*near_;
}

const CostModel& NeighborhoodContext::costs(const Settings& settings) {
  if (const NearOffsets* offsets = near(); offsets != nullptr && !stays_) {
    bool stays = true;
    for (int i = 0; i < neighborhood_.size() && stays; ++i)
      stays = offsets->nearness(neighborhood_[i]) == Nearness::near;
    stays_ = stays;
  }
  return calls_.costs(settings, stays_.value_or(false));
}

const AttributeKey<SharedContext>& NeighborhoodContext::key() {
  static const AttributeKey<SharedContext> key(copy_attribute);
  return key;
}

const std::shared_ptr<NeighborhoodContext>* NeighborhoodContext::find(MPI_Comm comm) { return key().find(comm); }

const std::shared_ptr<NeighborhoodContext>& NeighborhoodContext::shared(MPI_Comm comm) {
  constexpr const char* kMaker = ", must be made by Rondo_Cart_neighborhood_create or Rondo_Iso_neighborhood_create";
  if (comm == MPI_COMM_NULL) throw Error(MPI_ERR_COMM, std::string("comm: is MPI_COMM_NULL") + kMaker);
  const auto* found = find(comm);
  if (found == nullptr) throw Error(MPI_ERR_TOPOLOGY, std::string("comm: has no neighborhood") + kMaker);
  return *found;
}

void NeighborhoodContext::attach(MPI_Comm comm, std::shared_ptr<NeighborhoodContext> context) {
  key().attach(comm, std::make_unique<SharedContext>(std::move(context)));
}

}  // namespace rondo::internal
