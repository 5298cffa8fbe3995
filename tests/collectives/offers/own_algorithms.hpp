/// @file
/// Algorithms that tests offer to the library's collectives.
#ifndef RONDO_TESTS_COLLECTIVES_OFFERS_OWN_ALGORITHMS_HPP
#define RONDO_TESTS_COLLECTIVES_OFFERS_OWN_ALGORITHMS_HPP

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/own/offer.hpp>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace rondo::internal::offers_test {

using Build = rondo::ScheduleBuilder;
using Problem = DenseProblem;
using Mine = DenseBlocks;
using Numbers = std::vector<std::int64_t>;

inline double at_once(const Machine&, const Problem&) { return 1; }
inline double never(const Machine&, const Problem&) { return std::numeric_limits<double>::infinity(); }

/// Rank r's token goes r + 1, r + 2, r + 4, ..., each with all that was heard before.
inline void disseminate(Build& build, const Problem& problem, const Mine& mine) {
  build.set_batches(1);
  for (int far = 1; far < problem.size; far *= 2) {
    build.exchange((mine.rank() + far) % problem.size, (mine.rank() + problem.size - far) % problem.size, mine.sent(),
                   build.transit(1));
  }
}

/// Parts of the block go from the root to the next rank, and on.
inline void pass_on(Build& build, const Problem& problem, const Mine& mine) {
  constexpr int kParts = 3;
  const int number = (mine.rank() + problem.size - problem.root) % problem.size;
  for (int part = 0; part < kParts; ++part) {
    const Block block = number == 0 ? mine.sent(0, part, kParts) : mine.received(0, part, kParts);
    if (number > 0) build.receive((mine.rank() + problem.size - 1) % problem.size, block);
    if (number < problem.size - 1) build.send((mine.rank() + 1) % problem.size, block);
  }
}

/// Blocks go round.
inline void go_round(Build& build, const Problem& problem, const Mine& mine) {
  const int p = problem.size;
  build.copy(mine.sent(), mine.received(mine.rank()));
  for (int step = 1; step < p; ++step) {
    build.exchange((mine.rank() + 1) % p, (mine.rank() + p - 1) % p, mine.received((mine.rank() + p + 1 - step) % p),
                   mine.received((mine.rank() + p - step) % p));
  }
}

/// Each block is a message, in two halves, of which the second goes through scratch memory.
inline void all_to_all(Build& build, const Problem& problem, const Mine& mine) {
  const int p = problem.size;
  std::vector<Block> halves;
  std::vector<Block> copies;
  for (int to = 0; to < p; ++to) {
    halves.push_back(mine.sent(to, 1, 2));
    copies.push_back(to == mine.rank() ? mine.received(to, 1, 2) : build.transit(build.bytes(halves.back())));
  }
  build.copy(halves, copies);
  for (int step = 0; step < p; ++step) {
    const int to = (mine.rank() + step) % p;
    const int from = (mine.rank() + p - step) % p;
    build.exchange(to, from, mine.sent(to, 0, 2), mine.received(from, 0, 2));
    if (step > 0) build.exchange(to, from, copies[static_cast<std::size_t>(to)], mine.received(from, 1, 2));
  }
}

/// Everybody gets all vectors, and combines them from the last to the first.
inline void combine_all(Build& build, const Problem& problem, const Mine& mine) {
  build.set_window(2);
  const bool scatters = problem.collective == DenseCollective::reduce_scatter;
  const Block result = mine.received();
  std::vector<Block> operands;
  for (int rank = 0; rank < problem.size; ++rank)
    operands.push_back(rank == mine.rank() ? mine.sent(scatters ? rank : 0) : build.operand());
  for (int step = 1; step < problem.size; ++step) {
    const int to = (mine.rank() + step) % problem.size;
    const int from = (mine.rank() + problem.size - step) % problem.size;
    build.exchange(to, from, mine.sent(scatters ? to : 0), operands[static_cast<std::size_t>(from)]);
  }
  build.copy(operands.back(), result);
  for (int rank = problem.size - 2; rank >= 0; --rank) build.reduce(operands[static_cast<std::size_t>(rank)], result);
}

/// Part j of all vectors goes to rank j, which combines them and hands the sum back.
inline void by_parts(Build& build, const Problem& problem, const Mine& mine) {
  const int p = problem.size;
  const int rank = mine.rank();
  for (int part = 0; part < p; ++part) {
    if (part != rank) build.send(part, mine.sent(0, part, p));
  }
  const Block sum = mine.received(0, rank, p);
  build.set_reduction(problem.elements(0, rank, p), problem.datatype, problem.op);
  build.copy(mine.sent(0, rank, p), sum);
  for (int step = 1; step < p; ++step) {
    const Block operand = build.operand();
    build.receive((rank + step) % p, operand);
    build.reduce(operand, sum);
  }
  for (int step = 1; step < p; ++step) {
    const int to = (rank + step) % p;
    const int from = (rank + p - step) % p;
    build.exchange(to, from, sum, mine.received(0, from, p));
  }
}

inline const OfferedAlgorithm kDisseminate{.name = "my-barrier", .lower = disseminate, .predict = at_once};
inline const OfferedAlgorithm kPassOn{.name = "my-chain", .lower = pass_on, .predict = at_once};
inline const OfferedAlgorithm kGoRound{.name = "my-ring", .lower = go_round, .predict = at_once};
inline const OfferedAlgorithm kAllToAll{.name = "my-alltoall", .lower = all_to_all, .predict = at_once};
inline const OfferedAlgorithm kCombineAll{.name = "my-reduction", .lower = combine_all, .predict = at_once};
inline const OfferedAlgorithm kByParts{.name = "my-parts",
                                       .lower = by_parts,
                                       .applies = [](const Problem& problem) { return problem.commutative; },
                                       .predict = at_once};

/// A communicator of the test's own.
class OfferTest : public testing::Test {
 protected:
  OfferTest() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~OfferTest() override { MPI_Comm_free(&comm_); }
  OfferTest(const OfferTest&) = delete;
  OfferTest& operator=(const OfferTest&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] static int rank() { return world_rank(); }
  [[nodiscard]] static int size() { return world_size(); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

inline std::string algorithm_of(Rondo_Request request) {
  std::array<char, RONDO_MAX_ERROR_STRING> name{};
  int length = 0;
  EXPECT_EQ(Rondo_Request_get_algorithm(request, name.data(), &length), MPI_SUCCESS);
  return name.data();
}

}  // namespace rondo::internal::offers_test

#endif
