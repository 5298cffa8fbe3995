#include "collectives/offers/contiguous_lowering.hpp"

#include <rondo/error.hpp>

#include "collectives/blocks/type_probe.hpp"
#include "collectives/offers/offered_blocks.hpp"
#include "datatypes/reading/layout_cache.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace rondo::internal {
namespace {

/// Checks the sizes of a problem that a user may have made by hand.
void check_sizes_of(const DenseProblem& problem) {
  std::size_t blocks = static_cast<std::size_t>(problem.size);
  if (problem.collective == DenseCollective::barrier) blocks = 0;
  if (problem.collective == DenseCollective::broadcast || problem.collective == DenseCollective::allreduce) blocks = 1;
  const auto check = [&](const char* what, std::size_t has, std::size_t wanted) {
    if (has == wanted) return;
    throw Error(MPI_ERR_ARG, std::string("problem.") + what + ": has " + std::to_string(has) + " entries, must have " +
                                 std::to_string(wanted));
  };
  check("bytes", problem.bytes.size(), blocks);
  const bool reduces =
      problem.collective == DenseCollective::allreduce || problem.collective == DenseCollective::reduce_scatter;
  check("counts", problem.counts.size(), reduces ? blocks : 0);
  if (reduces != (problem.op != MPI_OP_NULL))
    throw Error(MPI_ERR_OP, reduces ? "problem.op: is MPI_OP_NULL" : "problem.op: must be MPI_OP_NULL here");
}

}  // namespace

void lower_contiguous(const OfferedAlgorithm& algorithm, const DenseProblem& problem, OwnBuilder& builder) {
  if (builder.size() != problem.size) {
    throw Error(MPI_ERR_ARG, "problem.size: is " + std::to_string(problem.size) + ", must be the number of ranks, " +
                                 std::to_string(builder.size()));
  }
  check_sizes_of(problem);
  std::deque<Layout> layouts;
  const auto in_a_row = [&](std::size_t begin, std::size_t end) {
    std::vector<BlockShape> shapes;
    std::int64_t offset = 0;
    for (std::size_t block = begin; block < end; ++block) {
      if (problem.op == MPI_OP_NULL) {
        layouts.push_back(Layout::contiguous(problem.bytes[block]));
        shapes.push_back({offset, &layouts.back()});
        offset += problem.bytes[block];
        continue;
      }
      const std::shared_ptr<const Layout> element = layout_of(problem.datatype, type_probe());
      layouts.push_back(element->repeated(problem.counts[block]));
      shapes.push_back({offset, &layouts.back()});
      offset += problem.counts[block] * element->extent();
    }
    return shapes;
  };
  const std::size_t all = problem.bytes.size();
  const auto rank = static_cast<std::size_t>(builder.rank());
  const bool is_root = problem.collective == DenseCollective::broadcast && builder.rank() == problem.root;
  std::vector<BlockShape> sent;
  std::vector<BlockShape> received;
  switch (problem.collective) {
    case DenseCollective::barrier:
      sent.push_back({0, &layouts.emplace_back(Layout::contiguous(1))});
      break;
    case DenseCollective::broadcast:
      (is_root ? sent : received) = in_a_row(0, 1);
      break;
    case DenseCollective::allgather:
      sent = in_a_row(rank, rank + 1);
      received = in_a_row(0, all);
      break;
    case DenseCollective::alltoall:
    case DenseCollective::allreduce:
      sent = in_a_row(0, all);
      received = in_a_row(0, all);
      break;
    case DenseCollective::reduce_scatter:
      sent = in_a_row(0, all);
      received = in_a_row(rank, rank + 1);
      break;
  }
  OfferedBlocks(problem, {sent, received}, builder).lower(algorithm);
}

}  // namespace rondo::internal
