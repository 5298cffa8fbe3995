#include "collectives/communicators/lane_making.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/partner_exchange.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/selection/once_log.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/given_up.hpp"
#include "runtime/base/log.hpp"
#include "runtime/lanes/process_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

namespace rondo::internal {
namespace {

/// Returns the ranks in MPI_COMM_WORLD of ranks of `comm`; MPI_UNDEFINED for processes that are not in it.
std::vector<int> world_ranks(const std::vector<int>& ranks, MPI_Comm comm) {
  std::vector<int> found(ranks.size());
  MPI_Group here = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(comm, &here), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  const int code = MPI_Group_translate_ranks(here, static_cast<int>(ranks.size()), ranks.data(), world, found.data());
  MPI_Group_free(&here);
  MPI_Group_free(&world);
  check_mpi(code, "MPI_Group_translate_ranks");
  return found;
}

/// A rank's wish for shared memory; the greatest of all ranks counts.
enum Wish : std::uint64_t {
  kNothing,
  kAll,  ///< to share it with all ranks of its node, unless they want nothing
  kSome  ///< to share it by pairs only, or one way only if the rank has no memory that others could write into
};

Wish wish_of(SharedMemory use) noexcept {
  if (use == SharedMemory::off) return kNothing;
  return use == SharedMemory::on && may_have_memory() ? kAll : kSome;
}

/// Gives up `comm` and keeps `making` for good, because MPI may still write into it.
template <typename Making>
void keep_given_up(std::unique_ptr<Making> making, MPI_Comm comm) {
  give_up_on(comm);
  static auto& all = *new std::vector<std::unique_ptr<Making>>;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  all.push_back(std::move(making));
}

void tell(const LaneExchange& exchange, std::string_view comm) {
  static auto& told = *new OnceLog;
  for (const std::string& obstacle : exchange.obstacles()) {
    if (told.first(obstacle))
      log(LogLevel::warning, comm, ": no shared memory with a rank on this node for nonblocking calls (", obstacle,
          "); their messages take MPI");
  }
}

}  // namespace

LaneMaking::LaneMaking(Agreement& words, SharedMemory use, std::vector<std::int64_t> numbers)
    : use_(use), wanted_(words.greatest(wish_of(use))), nodes_{std::move(numbers)} {}

bool LaneMaking::is_wanted(const Agreement& words) const { return words.of(wanted_) != kNothing; }

void LaneMaking::find(MPI_Comm own, bool on_one_node) {
  if (nodes_.numbers.size() < 2) return;
  const auto here = static_cast<std::int64_t>(node_number(own_node_card(use_)));
  if (on_one_node)
    std::ranges::fill(nodes_.numbers, here);
  else
    gather_from_all(here, nodes_.numbers, own);
}

void LaneMaking::prepare(MPI_Comm own) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(own, &rank), "MPI_Comm_rank");
  const std::vector<std::int64_t>& numbers = nodes_.numbers;
  const std::int64_t here = numbers[static_cast<std::size_t>(rank)];
  std::vector<int> ranks;
  for (int other = 0; other < static_cast<int>(numbers.size()); ++other) {
    if (other != rank && here != 0 && numbers[static_cast<std::size_t>(other)] == here) ranks.push_back(other);
  }
  std::vector<LaneExchange::Candidate> candidates;
  const std::vector<int> of_world = world_ranks(ranks, own);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (of_world[i] != MPI_UNDEFINED) candidates.push_back({ranks[i], of_world[i]});
  }
  exchange_ = std::make_unique<LaneExchange>(rank, static_cast<int>(numbers.size()), candidates, use_);
  nodes_.fewest_near = fewest_near(numbers);
  nodes_.members = NodeMembers(numbers);
  if (nodes_.members.nodes() < 2) return;
  probe_ = std::make_unique<NetworkProbe>(nodes_.members, rank);
  CostModel::prepare_for_network();
}

void LaneMaking::time_network(CommState& state) {
  const int tag = state.tags().next_nonblocking(1);
  state.tags().take_nonblocking(tag, 1);
  try {
    nodes_.network = probe_->measure(state.comm(), tag);
  } catch (const Error&) {
    keep_given_up(std::move(probe_), state.comm());
    throw;
  }
}

void LaneMaking::connect(CommState& state, const Agreement& words) {
  const MPI_Comm comm = state.comm();
  const int tag = state.tags().next_nonblocking(1);
  state.tags().take_nonblocking(tag, 1);
  using Partner = LaneExchange::Partner;
  try {
    exchange_with_partners(*exchange_, sizeof(LaneOffer), comm, tag, [](Partner& of) {
      return Ends{&of.own, &of.theirs};
    });
    exchange_->answer();
    exchange_with_partners(*exchange_, sizeof(Partner::own_answer), comm, tag, [](Partner& of) {
      return Ends{&of.own_answer, &of.their_answer};
    });
  } catch (const Error&) {
    keep_given_up(std::move(exchange_), comm);
    throw;
  }
  state.set_lanes(exchange_->settle());
  nodes_.tell = words.of(wanted_) == kAll;
  if (probe_ && nodes_.tell && !state.on_one_node() && !state.has_measured_costs()) time_network(state);
  state.set_nodes(std::move(nodes_));
  // Without memory for the warning, nothing is logged.
  static_cast<void>(trouble_in([&] { tell(*exchange_, state.own()->original()); }));
}

}  // namespace rondo::internal
