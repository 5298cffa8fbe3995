/// @file
/// PathSearch: the search for the path expansion that costs least.
#ifndef RONDO_COLLECTIVES_PATHS_EXPANSION_SEARCH_HPP
#define RONDO_COLLECTIVES_PATHS_EXPANSION_SEARCH_HPP

#include "collectives/paths/projections.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/selection/near_offsets.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace rondo::internal {

/// Finds expansions of a neighborhood by which an alltoall costs little, and predicts what it costs along one (ICPP
/// 2019, section 3.4: "a hard optimization problem"). Works on the distinct vectors and the load along each, and
/// expands nothing.
///
/// A part's cost hardly depends on the other parts: copies of arriving blocks depend on all of them, and are left out.
/// What a second phase costs is the same for all partitions except the one stage for all dimensions, which is compared
/// at the end. So the best partition of the dimensions is found exactly, copies apart, by dynamic programming over sets
/// of dimensions, for up to six dimensions and at most kMostVisits visits of a vector. Beyond that, parts are merged as
/// long as a merger saves anything. All functions are local, and give the same on all ranks.
class PathSearch {
 public:
  static constexpr std::size_t kMostVisits = std::size_t{1} << 22U;

  /// Searches for an alltoall of t blocks of `bytes` bytes each; empty blocks are ignored. `near`: which messages stay
  /// on a node; null if none are known to. Keeps references to the facts, the costs and `near`. O(t) once there are
  /// Projections.
  PathSearch(const NeighborhoodFacts& facts, std::span<const std::int64_t> bytes, const CostModel& costs,
             const NearOffsets* near = nullptr);

  /// Returns the best partition of the dimensions if each part is crossed at once.
  [[nodiscard]] std::vector<PathPart> best_groups() { return best(false); }
  /// Returns the best partition if a part whose offsets are multiples of one vector may also be crossed in digits, with
  /// the radix of 2, 3, 4, 8 and 16 that costs least.
  [[nodiscard]] std::vector<PathPart> best_mixture() { return best(true); }

  /// Predicts what an alltoall does and costs along these parts. O(u * stages) for u distinct vectors.
  [[nodiscard]] Prediction predict(std::span<const PathPart> parts) const;
  /// Predicts what an alltoall does and costs along expand_through_neighbors().
  [[nodiscard]] Prediction predict_through_neighbors() const;

 private:
  /// The data that travels by one step, or along one vector.
  struct Load {
    std::int64_t blocks = 0;
    std::int64_t bytes = 0;
    Nearness nearness = Nearness::far;

    void add(const Load& other) {
      blocks += other.blocks;
      bytes += other.bytes;
    }
  };
  /// The costs of crossing a set of dimensions, each as CostModel::of_part() gives them.
  struct Crossing {
    double at_once;
    std::int64_t rounds;  ///< number of rounds if crossed at once
    double in_digits;
    int radix;
    LinearEmbedding embedding;  ///< the embedding of the projections, by number
    [[nodiscard]] double cost(bool with_digits) const;
  };
  class Forecast;

  /// Returns the nearness of a step along these dimensions with vector `v`.
  [[nodiscard]] Nearness nearness_of_step(DimensionSet dimensions, std::uint32_t v) const;
  /// Returns the nearness of the steps along a projection, by number.
  [[nodiscard]] std::vector<Nearness> nearness_along(const Projection& projection) const;
  /// Returns the nearness of the steps of a digit times `unit`, by number.
  [[nodiscard]] std::vector<Nearness> nearness_in_digits(const LinearEmbedding& embedding, std::int64_t unit,
                                                         int radix) const;
  void add_stage(Prediction& cost, std::span<const Load> loads) const;
  [[nodiscard]] double cost_in_digits(const LinearEmbedding& embedding, std::span<const Load> loads, int radix) const;
  [[nodiscard]] Crossing crossing(const Projection& projection) const;
  const Crossing& crossing_of(const Projection& projection);
  [[nodiscard]] double cost_of_one_stage() const;
  [[nodiscard]] std::vector<PathPart> best(bool with_digits);
  void look_at_sets(const Projection* base, std::size_t k, double most);
  [[nodiscard]] std::vector<DimensionSet> best_partition(bool with_digits);
  [[nodiscard]] std::vector<DimensionSet> merge_greedily(bool with_digits);

  const Grid& grid_;
  const CostModel& costs_;
  const NearOffsets* near_;
  const FoldedNeighborhood& neighborhood_;
  const Projections& projections_;
  std::span<const Projection> along_;
  std::size_t d_;
  std::vector<Load> loads_;                     ///< by vector
  std::map<DimensionSet, Crossing> crossings_;  ///< the sets whose costs are known
  bool looked_at_sets_ = false;
};

}  // namespace rondo::internal

#endif
