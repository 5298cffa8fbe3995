/// @file
/// The machines of the papers, as far as they say what these are. What their networks cost is about right only.
#ifndef RONDO_BENCH_PAPERS_SITES_HPP
#define RONDO_BENCH_PAPERS_SITES_HPP

#include "runtime/machine/machine.hpp"

#include <vector>

namespace rondo::internal::papers {

/// As even as can be, the larger ones first, as MPI_Dims_create does.
[[nodiscard]] std::vector<int> even_sizes(int ranks, int dimensions);

/// ICPP 2019: Skylake and Omni-Path, `nodes` of 36 with 32 ranks.
[[nodiscard]] machine::Machine hydra(int nodes, int ranks_per_node);
/// ICPP 2019: Cray XK7. A torus of three dimensions with a router for each node; Titan's serve two.
[[nodiscard]] machine::Machine titan(int nodes, int ranks_per_node);
/// EuroMPI 2015 and ICS 2014: Opterons on one switch of InfiniBand QDR, up to 36 nodes.
[[nodiscard]] machine::Machine jupiter(int nodes, int ranks_per_node);
/// ICS 2014: one node.
[[nodiscard]] machine::Machine mars(int ranks);
/// One rank a node, all at one switch, and nothing takes time but messages, each of them as long as the linear cost
/// model says: no copies, no handshakes.
[[nodiscard]] machine::Machine linear(int ranks);

}  // namespace rondo::internal::papers

#endif
