#include "runtime/lanes/lane_exchange.hpp"

#include "runtime/base/mix.hpp"
#include "runtime/base/node.hpp"
#include "runtime/lanes/process_memory.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

namespace rondo::internal {
namespace {

constexpr std::size_t kFewestLines = 72;
constexpr std::size_t kMostLines = 8192;
static_assert(lane_longest(kFewestLines) >= 1024 && lane_longest(kMostLines) >= kLongestInLane);

/// Bytes at the beginning of a lane that are touched in advance. If messages of up to 12 KiB are read soon, only these
/// bytes are used.
constexpr std::size_t kUsedSoon = std::size_t{64} << 10U;

/// Returns the bytes of the longest message of a lane of `lines` lines between two processes. Both compute the same
/// number.
std::int32_t longest_in(std::uint64_t lines, const LaneExchange::Partner& partner) noexcept {
  const std::int64_t worthwhile =
      share_cache(partner.own.node, partner.theirs.node) ? kLongestInLane : kLongestBetweenCaches;
  return static_cast<std::int32_t>(std::min(static_cast<std::int64_t>(lane_longest(lines)), worthwhile));
}

int world_size() noexcept {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Returns a number that neither this process nor another process of MPI_COMM_WORLD has drawn before.
std::uint64_t draw_context(const NodeCard& node) noexcept {
  static std::atomic<std::uint64_t> drawn = 0;
  const std::uint64_t number = drawn.fetch_add(1, std::memory_order_relaxed);  // relaxed: the number only has to be new
  return number << 32U | static_cast<std::uint32_t>(node.rank);
}

}  // namespace

int processes_with_lanes(int processes) noexcept {
  return std::min(processes, told_ranks_on_node().value_or(processes));
}

std::size_t lines_of_lane(std::size_t budget, int processes) noexcept {
  const std::size_t bytes = budget / 4 / static_cast<std::size_t>(std::max(1, processes - 1));
  return std::clamp(bytes / kCacheLine, kFewestLines, kMostLines);
}

std::uint64_t node_number(const NodeCard& card) noexcept {
  if (card.use == SharedMemory::off || card.fault != CardFault::none) return 0;
  const std::uint64_t hash = mix(mix(mix(card.boot_id, card.pid_namespace), card.node_name), card.user);
  return hash == 0 ? 1 : hash;
}

LaneExchange::LaneExchange(int rank, int ranks, std::span<const Candidate> candidates, SharedMemory use)
    : rank_(rank),
      partners_(candidates.size()),
      lanes_(candidates.size()),
      requests_(2 * candidates.size(), MPI_REQUEST_NULL) {
  if (candidates.empty()) return;
  table_ = std::make_shared<LaneTable>(static_cast<std::size_t>(ranks));
  const NodeCard node = own_node_card(use);
  const std::uint64_t context = draw_context(node);
  ProcessMemory& process = process_memory();
  const std::size_t lines = lines_of_lane(process.own.budget(), processes_with_lanes(world_size()));
  const std::size_t bytes = (lines + Lane::kLinesBefore) * kCacheLine;
  const std::scoped_lock lock(process.mutex);
  const auto is_new = [&](const Candidate& candidate) { return !process.lanes[candidate.world_rank].receiver; };
  process.own.reserve(static_cast<std::size_t>(std::ranges::count_if(candidates, is_new)) * bytes);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Partner& partner = partners_[i];
    partner.rank = candidates[i].rank;
    partner.own.node = node;
    partner.own.context = context;
    Lane& lane = process.lanes[candidates[i].world_rank];
    lanes_[i] = &lane;
    if (!lane.receiver) {
      const auto region = process.own.take(bytes, kUsedSoon);
      if (!region) {
        note(region.refusal().text());
        continue;
      }
      lane.region = *region;
      const std::span all(reinterpret_cast<LaneLine<>*>(region->data), lines + Lane::kLinesBefore);
      lane.receiver.emplace(all.subspan(Lane::kLinesBefore), &all[0].state);
      lane.detours_here = &all[1].state;
    }
    partner.own.segment = process.own.card(lane.region.segment);
    partner.own.region = lane.region.offset;
    partner.own.lines = lane.region.bytes / kCacheLine - Lane::kLinesBefore;
  }
}

void LaneExchange::answer() noexcept {
  if (table_ == nullptr) return;
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  for (std::size_t i = 0; i < partners_.size(); ++i) {
    Partner& partner = partners_[i];
    LaneTable::Way& way = table_->at(partner.rank);
    way.lane = lanes_[i];
    way.context = partner.rank < rank_ ? partner.theirs.context : partner.own.context;
    try {
      open(i);
    } catch (const std::bad_alloc&) {
      // Without memory for the partner's end there is no lane.
    }
  }
}

/// Opens the lane in the partner's memory and sets the answer to 1. If that is not possible, the answer stays 0.
void LaneExchange::open(std::size_t place) {
  Partner& partner = partners_[place];
  const LaneOffer& theirs = partner.theirs;
  if (const Sharing found = sharing(partner.own.node, theirs.node); found != Sharing::possible) {
    // With RONDO_SHM=odd a pair of ranks with an even sum has no lane on purpose.
    if (found != Sharing::other_node && found != Sharing::odd_pair) note(reason(found));
    return;
  }
  if (theirs.lines < kFewestLines) return;
  Lane& lane = *lanes_[place];
  if (!lane.sender) {
    ProcessMemory& process = process_memory();
    auto segment = process.partners.map(theirs.node, theirs.segment);
    if (!segment) {
      note(segment.refusal().text());
      return;
    }
    const std::size_t size = segment->size();
    if (theirs.region > size || theirs.region % kCacheLine != 0 || theirs.lines > kMostLines ||
        (size - theirs.region) / kCacheLine < theirs.lines + Lane::kLinesBefore)
      return;
    const std::span all(reinterpret_cast<LaneLine<>*>(segment->data() + theirs.region),
                        static_cast<std::size_t>(theirs.lines) + Lane::kLinesBefore);
    lane.sender.emplace(all.subspan(Lane::kLinesBefore), &all[0].state);
    lane.detours_there = &all[1].state;
  }
  partner.own_answer = 1;
}

std::shared_ptr<const LaneTable> LaneExchange::settle() noexcept {
  if (table_ == nullptr) return nullptr;
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  bool any = false;
  for (const Partner& partner : partners_) {
    LaneTable::Way& way = table_->at(partner.rank);
    if (partner.own_answer != 0) {
      way.longest_sent = longest_in(partner.theirs.lines, partner);
      way.lines_sent = lane_lines_of_operation(partner.theirs.lines);
    }
    if (partner.their_answer != 0) {
      way.longest_received = longest_in(partner.own.lines, partner);
      way.lines_received = lane_lines_of_operation(partner.own.lines);
    }
    any = any || way.longest_sent > 0 || way.longest_received > 0;
  }
  return any ? table_ : nullptr;
}

void LaneExchange::note(const std::string& obstacle) {
  if (std::ranges::find(obstacles_, obstacle) == obstacles_.end()) obstacles_.push_back(obstacle);
}

}  // namespace rondo::internal
