// DenseProblem: the problems for which users offer algorithms.
#include <rondo/error.hpp>
#include <rondo/own/offer.hpp>

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/blocks/type_probe.hpp"
#include "collectives/offers/offered_blocks.hpp"
#include "datatypes/reading/layout_cache.hpp"
#include "datatypes/reading/mpi_running.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace rondo {
namespace {

DenseProblem problem_of(DenseCollective collective, int size) {
  if (size < 1) throw Error(MPI_ERR_ARG, "size: is " + std::to_string(size) + ", must be at least 1");
  DenseProblem problem;
  problem.collective = collective;
  problem.size = size;
  return problem;
}

void check_length(std::int64_t length, const char* argument) {
  if (length < 0)
    throw Error(MPI_ERR_ARG, std::string(argument) + ": is " + std::to_string(length) + ", must be at least 0");
}

DenseProblem with_blocks(DenseProblem problem, std::size_t blocks, std::int64_t bytes) {
  check_length(bytes, "bytes");
  problem.bytes.assign(blocks, bytes);
  return problem;
}

DenseProblem with_vectors(DenseProblem problem, std::size_t blocks, std::int64_t count, MPI_Datatype datatype,
                          MPI_Op op) {
  check_length(count, "count");
  internal::require_mpi("a reduction");
  internal::reduction::check_arguments_in_order(op, count, datatype, internal::type_probe());
  const std::int64_t bytes = count * internal::layout_of(datatype, internal::type_probe())->size();
  problem.counts.assign(blocks, count);
  problem.datatype = datatype;
  problem.op = op;
  problem.commutative = internal::reduction::is_commutative(op);
  return with_blocks(std::move(problem), blocks, bytes);
}

}  // namespace

std::int64_t DenseProblem::elements(int block, int part, int parts) const {
  if (block < 0 || static_cast<std::size_t>(block) >= counts.size()) {
    throw Error(MPI_ERR_ARG, "block: is " + std::to_string(block) + ", must be in [0, " +
                                 std::to_string(counts.size()) + "), the vectors of the problem");
  }
  return internal::elements_of_part(counts[static_cast<std::size_t>(block)], part, parts);
}

DenseProblem DenseProblem::of_barrier(int size) { return problem_of(DenseCollective::barrier, size); }

DenseProblem DenseProblem::of_broadcast(int size, int root, std::int64_t bytes) {
  DenseProblem problem = problem_of(DenseCollective::broadcast, size);
  if (root < 0 || root >= size) {
    throw Error(MPI_ERR_ARG, "root: is " + std::to_string(root) + ", must be in [0, " + std::to_string(size) + ")");
  }
  problem.root = root;
  return with_blocks(std::move(problem), 1, bytes);
}

DenseProblem DenseProblem::of_allgather(int size, std::int64_t bytes) {
  return with_blocks(problem_of(DenseCollective::allgather, size), static_cast<std::size_t>(size), bytes);
}

DenseProblem DenseProblem::of_alltoall(int size, std::int64_t bytes) {
  return with_blocks(problem_of(DenseCollective::alltoall, size), static_cast<std::size_t>(size), bytes);
}

DenseProblem DenseProblem::of_allreduce(int size, std::int64_t count, MPI_Datatype datatype, MPI_Op op) {
  return with_vectors(problem_of(DenseCollective::allreduce, size), 1, count, datatype, op);
}

DenseProblem DenseProblem::of_reduce_scatter(int size, std::int64_t count, MPI_Datatype datatype, MPI_Op op) {
  return with_vectors(problem_of(DenseCollective::reduce_scatter, size), static_cast<std::size_t>(size), count,
                      datatype, op);
}

}  // namespace rondo
