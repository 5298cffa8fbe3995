/// @file
/// HaloTraffic: the parts of halos that processes send each other, and their sizes.
#ifndef RONDO_COLLECTIVES_HALO_HALO_TRAFFIC_HPP
#define RONDO_COLLECTIVES_HALO_HALO_TRAFFIC_HPP

#include "collectives/carriers/node_traffic.hpp"
#include "collectives/halo/expansion.hpp"
#include "collectives/halo/problem.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace rondo::internal::halo {

/// Returns the bytes that a process with these arrays receives in a round.
[[nodiscard]] std::int64_t bytes_of(const Bundle& arrays, const Round& round);

/// The traffic of the rounds of a direct expansion that lead to other processes: block i is what round i moves. The
/// problem must know the sizes of all processes' arrays. Keeps references.
class HaloTraffic final : public NodeTraffic {
 public:
  HaloTraffic(const Problem& problem, const Expansion& expansion)
      : NodeTraffic(*problem.nodes), problem_(problem), expansion_(expansion) {}

  void visit_sent(int rank, const Visit& visit) const override { visit_rounds(rank, -1, visit); }
  void visit_received(int rank, const Visit& visit) const override { visit_rounds(rank, 1, visit); }

 private:
  using Numbers = std::vector<std::int64_t>;

  void visit_rounds(int rank, int sign, const Visit& visit) const;
  /// Returns the bytes of each round. Along the axes on which the two processes of a round are neighbors only depths
  /// count, and along the others their arrays are equally large, so both processes give the same numbers.
  [[nodiscard]] const Numbers& bytes_at(const Grid& grid) const;

  const Problem& problem_;
  const Expansion& expansion_;
  mutable std::map<Numbers, Numbers> bytes_;  ///< by the arrays' numbers of elements inside, along each axis
};

}  // namespace rondo::internal::halo

#endif
