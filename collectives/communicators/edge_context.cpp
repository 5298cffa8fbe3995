#include "collectives/communicators/edge_context.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/creation.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/communicators/lane_making.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/operation/operation.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace rondo::internal {
namespace {

std::vector<char> flags_of(const std::vector<edges::Edge>& list) {
  if (std::ranges::none_of(list, [](const edges::Edge& edge) { return edge.rank == kNoRank; })) return {};
  std::vector<char> flags;
  for (const edges::Edge& edge : list) flags.push_back(edge.rank == kNoRank ? 0 : 1);
  return flags;
}

/// Returns the two ends of each edge from the process to itself.
std::vector<BlockPair> edges_to_self(const edges::Lists& lists) {
  std::vector<BlockPair> pairs;
  for (std::size_t i = 0; i < lists.targets.size(); ++i) {
    for (std::size_t j = 0; lists.targets[i].rank == lists.rank && j < lists.sources.size(); ++j) {
      if (lists.sources[j].rank == lists.rank && lists.sources[j].tag == lists.targets[i].tag) pairs.push_back({i, j});
    }
  }
  return pairs;
}

}  // namespace

EdgeContext::EdgeContext(MPI_Comm comm, std::exception_ptr trouble) {
  const Making making("the first neighborhood collective");
  std::shared_ptr<PrivateComm> own;
  Settings settings;
  bool parallel = false;
  int size = 0;
  SpareComms::Offer spare;
  std::vector<std::int64_t> nodes;
  const std::exception_ptr here = trouble_in([&] {
    watch_for_finalize();
    own = std::make_shared<PrivateComm>();
    check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    lists_ = edges::edges_of(comm);
    parallel = lists_.has_parallel_edges();
    existing_targets_ = flags_of(lists_.targets);
    existing_sources_ = flags_of(lists_.sources);
    to_self_ = edges_to_self(lists_);
    settings.take_assertions(MPI_INFO_NULL);
    settings.take_environment();
    spare = SpareComms::of_process().offer(comm);
    nodes.resize(static_cast<std::size_t>(size));
  });
  if (!trouble) trouble = here;
  DenseContext::wait_for_duplicate_of(comm);
  Creation creation(settings.fingerprint(), settings.shm, trouble, comm, std::move(spare));
  const auto tags = creation.words.greatest(lists_.tags());
  const auto most = creation.words.greatest(std::max(lists_.targets.size(), lists_.sources.size()));
  const auto some_parallel = creation.words.greatest(parallel ? 1 : 0);
  LaneMaking lanes(creation.words, settings.shm, std::move(nodes));
  creation.reach();
  if (!creation.asked_alike())
    throw Error(MPI_ERR_INFO_VALUE, "environment: all ranks of comm must ask for the same settings, but they did not");
  creation.make(*own, comm);
  creation.align_traces(*own);
  const bool wants_lanes = lanes.is_wanted(creation.words);
  if (wants_lanes) lanes.find(own->get(), creation.on_one_node());
  most_tags_ = static_cast<std::uint32_t>(creation.words.of(tags));
  most_edges_ = creation.words.of(most);
  parallel_edges_ = creation.words.of(some_parallel) != 0;
  trouble = trouble_in([&] {
    calls_.emplace(std::make_shared<CommState>(own, lists_.rank, size, creation.ranks_per_core(),
                                               creation.on_one_node(), creation.shares_cache()),
                   std::move(settings));
    if (wants_lanes) lanes.prepare(own->get());
  });
  agree_that_all_is_well(trouble, own->get());
  if (wants_lanes) lanes.connect(*calls_->on(), creation.words);
}

BlockPattern EdgeContext::pattern() const noexcept {
  return {.targets = static_cast<int>(lists_.targets.size()),
          .sources = static_cast<int>(lists_.sources.size()),
          .existing_targets = existing_targets_,
          .existing_sources = existing_sources_,
          .to_self = to_self_,
          .same_on_both_sides = false};
}

}  // namespace rondo::internal
