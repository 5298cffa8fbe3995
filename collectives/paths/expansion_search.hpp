/// @file
/// PathSearch: the search for the path expansion that costs least.
#ifndef RONDO_COLLECTIVES_PATHS_EXPANSION_SEARCH_HPP
#define RONDO_COLLECTIVES_PATHS_EXPANSION_SEARCH_HPP

#include "collectives/paths/path_expansion.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/numbering.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

/// Looks for expansions of a neighborhood by which an alltoall costs little, and predicts what it costs along one (ICPP
/// 2019, section 3.4: "a hard optimization problem"). It works on the distinct vectors, with what travels along each,
/// and expands nothing.
///
/// A part's cost hardly depends on the other parts: copies of what arrives depend on all of them, and are left out.
/// What a second phase costs is the same for all partitions but the one stage for all dimensions, which is compared at
/// the end. So the best partition of the dimensions is found exactly, copies apart, by dynamic programming over sets of
/// dimensions, for up to six dimensions and where that takes at most kMostVisits looks at a vector; beyond that, parts
/// are merged as long as a merger saves anything. All functions are local, and give the same on all ranks.
class PathSearch {
 public:
  static constexpr std::size_t kMostVisits = std::size_t{1} << 22U;

  /// For an alltoall of blocks of `bytes` bytes (t; blocks without bytes count for nothing). Keeps references. O(t*d).
  PathSearch(const Grid& grid, const Neighborhood& neighborhood, std::span<const std::int64_t> bytes,
             const CostModel& costs);

  [[nodiscard]] const FoldedNeighborhood& neighborhood() const noexcept { return neighborhood_; }

  /// One part for each dimension, at once: the paper's expansion.
  [[nodiscard]] std::vector<PathPart> dimension_wise() const;
  /// One part for each dimension, in powers of two.
  [[nodiscard]] std::vector<PathPart> logarithmic() const;
  /// The best partition of the dimensions when each part is crossed at once.
  [[nodiscard]] std::vector<PathPart> best_groups() { return best(false); }
  /// The best one when a part may also be crossed in digits, where its offsets are multiples of one vector: with the
  /// radix of 2, 3, 4, 8 and 16 that costs least.
  [[nodiscard]] std::vector<PathPart> best_mixture() { return best(true); }

  /// What an alltoall does and costs along these parts. O(u * stages) for u distinct vectors.
  [[nodiscard]] Prediction predict(std::span<const PathPart> parts) const;
  /// The same as expand_in_parts(), from what is known already. O((t + u) * stages).
  [[nodiscard]] PathExpansion expand(std::span<const PathPart> parts) const;
  /// What an alltoall does and costs along expand_through_neighbors().
  [[nodiscard]] Prediction predict_through_neighbors() const;

 private:
  using DimensionSet = std::uint64_t;

  /// What travels by one step, or along one vector.
  struct Load {
    std::int64_t blocks = 0;
    std::int64_t bytes = 0;

    void add(const Load& other) {
      blocks += other.blocks;
      bytes += other.bytes;
    }
  };
  /// The vectors projected onto a set of dimensions.
  struct Projection {
    DimensionSet dimensions;
    std::vector<std::uint32_t> number_of;  ///< of each vector; 0 is the projection that is zero
    std::vector<std::uint32_t> first_of;   ///< a vector of each number
  };
  /// The cheapest way to cross a set of dimensions; costs as of a part.
  struct Crossing {
    double at_once;
    std::int64_t rounds;  ///< at once
    double in_digits;
    int radix;
    LinearEmbedding embedding;  ///< of the projections, by number
    [[nodiscard]] double cost(bool with_digits) const;
  };
  class Forecast;

  [[nodiscard]] Projection project(std::size_t k) const;
  [[nodiscard]] static Projection joined(const Projection& one, const Projection& other);
  /// Calls visit(projection) with that onto some dimensions, ascending.
  template <typename Visit>
  void with_projection(std::span<const int> dimensions, Visit visit) const;
  void add_stage(Prediction& cost, std::span<const Load> loads) const;
  [[nodiscard]] double cost_in_digits(const LinearEmbedding& embedding, std::span<const Load> loads, int radix) const;
  [[nodiscard]] Crossing crossing(const Projection& projection) const;
  const Crossing& crossing_of(const Projection& projection);
  [[nodiscard]] std::vector<LinearEmbedding> embeddings_of(const Projection& projection) const;
  [[nodiscard]] PathPart part_in_digits(const Projection& projection, const LinearEmbedding& embedding,
                                        int radix) const;

  [[nodiscard]] double cost_of_one_stage() const;
  [[nodiscard]] std::vector<PathPart> best(bool with_digits);
  void look_at_sets(const Projection* base, std::size_t k, double most);
  [[nodiscard]] std::vector<DimensionSet> best_partition(bool with_digits);
  [[nodiscard]] std::vector<DimensionSet> merge_greedily(bool with_digits);

  const Grid& grid_;
  const CostModel& costs_;
  FoldedNeighborhood neighborhood_;
  std::size_t d_;
  std::vector<Load> loads_;  ///< of each vector
  std::vector<Projection> along_;
  std::map<DimensionSet, Crossing> crossings_;  ///< those that were looked at
  bool looked_at_sets_ = false;
};

/// For people: "dimensions 0, 1+2, 3 in powers of 2".
[[nodiscard]] std::string describe(std::span<const PathPart> parts);

}  // namespace rondo::internal

#endif
