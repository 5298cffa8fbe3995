// Message-combining alltoall with the fewest rounds: EuroMPI 2015, section 5.3, for general neighborhoods. The
// processes form a ring by rank, whatever grid they are on. How far apart two ranks are depends on which dimensions the
// way from one to the other wraps around, so a block's distance is not the same for all processes; both ends of a
// message find out from the source's coordinates which blocks it carries.
#include "collectives/cart_alltoall/ring.hpp"

#include "collectives/blocks/round_messages.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

namespace rondo::internal::alltoall {
namespace {

/// Maximum number of ways that are examined. To examine more would take longer than building other schedules.
constexpr std::size_t kMostWaysToLookAt = 20000;

/// A way is a distinct vector of the neighborhood with the dimensions in which it wraps around. The sources of its
/// blocks are the processes in a box of the grid.
struct Way {
  std::uint32_t vector;
  std::int64_t distance;  ///< on the ring; negative: backwards
};

class Ring {
 public:
  explicit Ring(const Problem& problem)
      : grid_(problem.grid),
        folded_(problem.facts.folded()),
        d_(static_cast<std::size_t>(grid_.dimensions())),
        members_(folded_.size()) {
    const std::vector<std::int64_t> bytes = travelling_bytes(problem);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] > 0) members_[folded_.vector_of()[i]].push_back(i);
    }
    std::int64_t stride = 1;
    strides_.resize(d_);
    for (std::size_t k = d_; k-- > 0;) {
      strides_[k] = stride;
      stride *= grid_.sizes()[k];
    }
    for (std::uint32_t v = 0; v < folded_.size(); ++v) {
      if (!members_[v].empty()) add_ways(v, 0, 0);
    }
    choose_directions();
  }

  [[nodiscard]] std::span<const Way> ways() const { return ways_; }
  [[nodiscard]] std::span<const std::size_t> members(const Way& way) const { return members_[way.vector]; }
  /// Returns the number of rounds in a direction: forwards, or backwards if it is negative.
  [[nodiscard]] int rounds(int direction) const { return rounds_[direction < 0 ? 1 : 0]; }

  /// Returns whether any block moves in this round.
  [[nodiscard]] bool is_used(int round) const {
    return std::ranges::any_of(ways_, [&](const Way& way) { return takes(way, round, 1) || takes(way, round, -1); });
  }
  /// Returns whether a way takes the step of 2^round in this direction.
  [[nodiscard]] static bool takes(const Way& way, int round, int direction) {
    return (way.distance < 0) == (direction < 0) && (std::abs(way.distance) >> round & 1) != 0;
  }
  [[nodiscard]] static bool arrives(const Way& way, int round) { return std::abs(way.distance) >> (round + 1) == 0; }
  /// Returns whether the process `rank` has the blocks of this way when `round` begins.
  [[nodiscard]] bool here(std::size_t number, int rank, int round) const {
    const std::int64_t come = std::abs(ways_[number].distance) & ((std::int64_t{1} << round) - 1);
    const std::int64_t source = on_ring(rank + (ways_[number].distance < 0 ? come : -come));
    for (std::size_t k = 0; k < d_; ++k) {
      const std::int64_t coordinate = source / strides_[k] % grid_.sizes()[k];
      const Range& range = boxes_[number * d_ + k];
      if (coordinate < range.begin || coordinate >= range.end) return false;
    }
    return true;
  }
  /// Returns the share of all processes that are sources of this way, from 0 to 1.
  [[nodiscard]] double share(std::size_t number) const {
    double share = 1;
    for (std::size_t k = 0; k < d_; ++k) {
      const Range& range = boxes_[number * d_ + k];
      share *= static_cast<double>(range.end - range.begin) / grid_.sizes()[k];
    }
    return share;
  }
  [[nodiscard]] int neighbor(int round, int direction) const {
    return static_cast<int>(on_ring(grid_.rank() + direction * (std::int64_t{1} << round)));
  }

 private:
  struct Range {
    int begin;
    int end;
  };

  [[nodiscard]] std::int64_t on_ring(std::int64_t rank) const {
    const std::int64_t p = grid_.size();
    return (rank % p + p) % p;
  }

  /// Adds the ways of vector `v` whose boxes begin with the ranges chosen for the dimensions before `k`.
  void add_ways(std::uint32_t v, std::size_t k, std::int64_t distance) {
    if (k == d_) {
      if (distance == 0) return;  // stays on the process
      ways_.push_back({v, distance});
      boxes_.insert(boxes_.end(), chosen_.begin(), chosen_.end());
      return;
    }
    const int size = grid_.sizes()[k];
    const int step = folded_[v][k];
    const auto along = [&](Range range, int moved) {
      chosen_.resize(k);
      chosen_.push_back(range);
      add_ways(v, k + 1, distance + moved * strides_[k]);
    };
    along(step < 0 ? Range{-step, size} : Range{0, size - step}, step);
    if (grid_.periodic(static_cast<int>(k)) && step > 0) along({size - step, size}, step - size);
  }

  void choose_directions() {
    const std::int64_t p = grid_.size();
    std::int64_t farthest = 0;
    std::array<std::int64_t, 2> nearest{};
    for (const Way& way : ways_) {
      const std::int64_t forward = on_ring(way.distance);
      farthest = std::max(farthest, forward);
      std::int64_t& direction = nearest[forward > p / 2 ? 1 : 0];
      direction = std::max(direction, forward > p / 2 ? p - forward : forward);
    }
    const auto bits = [](std::int64_t distance) {
      return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(distance)));
    };
    const bool both = bits(nearest[0]) + bits(nearest[1]) < bits(farthest);
    rounds_ = both ? std::array{bits(nearest[0]), bits(nearest[1])} : std::array{bits(farthest), 0};
    for (Way& way : ways_) {
      way.distance = on_ring(way.distance);
      if (both && way.distance > p / 2) way.distance -= p;
    }
  }

  const Grid& grid_;
  const FoldedNeighborhood& folded_;
  std::size_t d_;
  std::vector<std::vector<std::size_t>> members_;  ///< blocks of each vector
  std::vector<std::int64_t> strides_;
  std::vector<Way> ways_;
  std::vector<Range> boxes_;  ///< d ranges of the sources' coordinates for each way
  std::vector<Range> chosen_;
  std::array<int, 2> rounds_{};
};

}  // namespace

void build_ring(const Problem& problem, ScheduleBuilder& builder) {
  const Blocks blocks(problem, builder);
  const Ring ring(problem);
  const std::span<const std::int64_t> sizes = problem.sizes;
  const auto ways = ring.ways();
  const std::uint64_t t = sizes.size();
  std::unordered_map<std::uint64_t, BlockId> in_transit;

  std::uint32_t tag = 0;
  RoundSide outgoing;
  RoundSide incoming;
  for (int round = 0; round < std::max(ring.rounds(1), ring.rounds(-1)); ++round) {
    if (!ring.is_used(round)) continue;
    builder.begin_phase();
    for (const int direction : {1, -1}) {
      if (round >= ring.rounds(direction)) continue;
      const int target = ring.neighbor(round, direction);
      const int source = ring.neighbor(round, -direction);
      outgoing.clear();
      incoming.clear();
      MessageCount most;
      for (std::size_t number = 0; number < ways.size(); ++number) {
        const Way& way = ways[number];
        if (!Ring::takes(way, round, direction)) continue;
        const bool sends = ring.here(number, problem.grid.rank(), round);
        const bool receives = ring.here(number, source, round);
        for (const std::size_t i : ring.members(way)) {
          most.add(sizes[i]);
          const auto kept = in_transit.find(number * t + i);
          if (sends) outgoing.add(kept == in_transit.end() ? blocks.send[i] : kept->second, sizes[i]);
          if (kept != in_transit.end() && sends) in_transit.erase(kept);
          if (!receives) continue;
          const bool arrives = Ring::arrives(way, round);
          const BlockId place = arrives ? blocks.recv[i] : builder.transit(sizes[i]);
          if (!arrives) in_transit.insert_or_assign(number * t + i, place);
          incoming.add(place, sizes[i]);
        }
      }
      exchange_round(target, source, tag, outgoing, incoming, builder);
      tag += most.messages();
    }
  }
  std::vector<int> to_self;
  const FoldedNeighborhood& folded = problem.facts.folded();
  for (std::size_t i = 0; i < t; ++i) {
    const auto vector = folded[folded.vector_of()[i]];
    if (std::ranges::all_of(vector, [](int residue) { return residue == 0; })) to_self.push_back(static_cast<int>(i));
  }
  copy_to_self(blocks, to_self, builder);
  builder.reserve_tags(tag);
}

Prediction predict_ring(const Problem& problem) {
  Prediction prediction;
  const FoldedNeighborhood& folded = problem.facts.folded();
  std::size_t ways_at_most = 0;
  for (std::size_t v = 0; v < folded.size(); ++v) {
    std::size_t ways_of_vector = 1;
    for (int k = 0; k < problem.grid.dimensions(); ++k) {
      if (problem.grid.periodic(k) && folded[v][static_cast<std::size_t>(k)] != 0) ways_of_vector *= 2;
    }
    ways_at_most += ways_of_vector;
  }
  if (ways_at_most > kMostWaysToLookAt) {
    prediction.nanoseconds = std::numeric_limits<double>::infinity();
    return prediction;
  }
  const Ring ring(problem);
  const CostModel& costs = problem.costs;
  const auto ways = ring.ways();
  for (int round = 0; round < std::max(ring.rounds(1), ring.rounds(-1)); ++round) {
    if (!ring.is_used(round)) continue;
    costs.add_phase(prediction);
    for (const int direction : {1, -1}) {
      if (round >= ring.rounds(direction)) continue;
      double blocks = 0;
      double bytes = 0;
      double last_blocks = 0;
      double last_bytes = 0;
      for (std::size_t number = 0; number < ways.size(); ++number) {
        if (!Ring::takes(ways[number], round, direction)) continue;
        const double share = ring.share(number);
        for (const std::size_t i : ring.members(ways[number])) {
          const auto size = static_cast<double>(problem.sizes[i]);
          blocks += share;
          bytes += share * size;
          if (!Ring::arrives(ways[number], round)) continue;
          last_blocks += share;
          last_bytes += share * size;
        }
      }
      if (blocks == 0) continue;
      costs.add_message(prediction, std::max(1LL, std::llround(blocks)), std::max(1LL, std::llround(bytes)));
      if (blocks > 1)
        costs.add_copies(prediction, std::llround(blocks + last_blocks), std::llround(bytes + last_bytes));
    }
  }
  return prediction;
}

}  // namespace rondo::internal::alltoall
