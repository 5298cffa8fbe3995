/// @file
/// NeighborhoodFacts: facts that follow from a neighborhood on a grid, each computed once.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_NEIGHBORHOOD_FACTS_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_NEIGHBORHOOD_FACTS_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/topology/folded_neighborhood.hpp"
#include "collectives/topology/grid.hpp"

#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

namespace rondo::internal {

/// A neighborhood on a grid, and facts that follow from the two and are the same for all processes of the grid. There
/// is at most one fact of a type, so that the code that keeps facts need not know them. Each is made when it is first
/// requested. For one thread at a time.
class NeighborhoodFacts {
 public:
  /// Keeps references. Computes nothing yet.
  NeighborhoodFacts(const Grid& grid, const Neighborhood& neighborhood) : grid_(grid), neighborhood_(neighborhood) {}
  NeighborhoodFacts(const NeighborhoodFacts&) = delete;
  NeighborhoodFacts& operator=(const NeighborhoodFacts&) = delete;
  ~NeighborhoodFacts() = default;

  /// Returns the grid as some process sees it. Facts must not depend on which process that is.
  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] const Neighborhood& neighborhood() const noexcept { return neighborhood_; }
  /// Return the neighborhood folded onto the grid, with all neighbors or with each vector once.
  [[nodiscard]] const FoldedNeighborhood& folded() const { return get<Folded>().all; }
  [[nodiscard]] const FoldedNeighborhood& distinct() const { return get<Folded>().distinct; }

  /// Returns the fact of this type, which is made from this object.
  template <typename Fact>
  [[nodiscard]] const Fact& get() const {
    for (const auto& [type, fact] : known_) {
      if (type == typeid(Fact)) return *static_cast<const Fact*>(fact.get());
    }
    auto made = std::make_shared<const Fact>(*this);  // which may request other facts
    const Fact& fact = *made;
    known_.emplace_back(typeid(Fact), std::move(made));
    return fact;
  }

 private:
  struct Folded {
    explicit Folded(const NeighborhoodFacts& facts)
        : all(facts.grid(), facts.neighborhood()), distinct(all.distinct()) {}
    FoldedNeighborhood all;
    FoldedNeighborhood distinct;
  };

  const Grid& grid_;
  const Neighborhood& neighborhood_;
  mutable std::vector<std::pair<std::type_index, std::shared_ptr<const void>>> known_;  ///< few, so searched linearly
};

}  // namespace rondo::internal

#endif
