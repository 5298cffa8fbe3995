#include "collectives/alltoall_definition.hpp"

#include <rondo/error.hpp>

#include <string>

namespace rondo {

std::vector<Placement> alltoall_definition(const Torus& torus, const Neighborhood& neighborhood,
                                           std::span<const BlocksOfRank> blocks) {
  std::vector<Placement> definition;
  for (int rank = 0; rank < torus.size(); ++rank) {
    const Torus seen_from(torus.sizes(), rank);
    for (int i = 0; i < neighborhood.size(); ++i) {
      const int source = seen_from.relative_rank(neighborhood[i], -1);
      const BlockShape& from = blocks[static_cast<std::size_t>(source)].send[static_cast<std::size_t>(i)];
      const BlockShape& to = blocks[static_cast<std::size_t>(rank)].recv[static_cast<std::size_t>(i)];
      if (from.layout->size() != to.layout->size()) {
        throw Error(MPI_ERR_TRUNCATE, "block " + std::to_string(i) + ": rank " + std::to_string(source) + " sends " +
                                          std::to_string(from.layout->size()) + " bytes and rank " +
                                          std::to_string(rank) + " receives " + std::to_string(to.layout->size()));
      }
      CopyProgram program;
      program.append(*from.layout, from.offset, *to.layout, to.offset);
      for (const CopyRun& run : program.runs()) {
        for (std::int64_t piece = 0; piece < run.count; ++piece) {
          definition.push_back({rank, run.target + piece * run.target_stride, source,
                                run.source + piece * run.source_stride, run.bytes});
        }
      }
    }
  }
  return definition;
}

}  // namespace rondo
