/// @file
/// HaloTraffic: which parts of halos processes send each other.
#ifndef RONDO_COLLECTIVES_HALO_HALO_TRAFFIC_HPP
#define RONDO_COLLECTIVES_HALO_HALO_TRAFFIC_HPP

#include "collectives/carriers/node_traffic.hpp"
#include "collectives/halo/expansion.hpp"
#include "collectives/halo/problem.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace rondo::internal::halo {

/// What a process with these arrays receives in a round.
[[nodiscard]] std::int64_t bytes_of(const Bundle& arrays, const Round& round);

/// The rounds of a direct expansion that lead to other processes: block i is the one of round i. The problem must know
/// the sizes of all processes' arrays. Keeps references.
class HaloTraffic final : public NodeTraffic {
 public:
  HaloTraffic(const Problem& problem, const Expansion& expansion)
      : NodeTraffic(*problem.nodes), problem_(problem), expansion_(expansion) {}

  void visit_sent(int rank, const Visit& visit) const override { visit_rounds(rank, -1, visit); }
  void visit_received(int rank, const Visit& visit) const override { visit_rounds(rank, 1, visit); }

 private:
  using Numbers = std::vector<std::int64_t>;

  void visit_rounds(int rank, int sign, const Visit& visit) const;
  /// Of each round. Along the axes on which the two processes of a round are neighbors only depths count, and along
  /// others their arrays are equally large: so it is the same whichever of them is asked.
  [[nodiscard]] const Numbers& bytes_at(const Grid& grid) const;

  const Problem& problem_;
  const Expansion& expansion_;
  mutable std::map<Numbers, Numbers> bytes_;  ///< by how many elements the arrays have inside, along each axis
};

}  // namespace rondo::internal::halo

#endif
