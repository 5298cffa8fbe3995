// Joined halo exchange: an irregular alltoall for the faces together with allgathers for edges and corners (ICPP 2019,
// section 3.4, last paragraph: "a combination of one irregular alltoall schedule for rows and columns plus four
// allgather schedules for the corners"). A block that is in the border along several dimensions goes to all the
// neighbors that need it along the tree of section 3.2. The tree's first edges are among the faces, and each neighbor
// passes the block on as soon as it arrives. Long faces wait for nothing; only edges and corners come later.
#include "collectives/halo/algorithms.hpp"

namespace rondo::internal::halo {

Expansion joined(const Grid& grid, const Shape& shape, std::span<const std::vector<int>> stages) {
  Expansion expansion = expand(grid, shape, stages, Timing::by_hops, Messages::coalesced);
  expansion.name = stage_name("joined", stages);
  return expansion;
}

}  // namespace rondo::internal::halo
