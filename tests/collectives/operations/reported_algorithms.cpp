// One vocabulary: the names of algorithms that requests report are those that settings take.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/cart_allgather/algorithms.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/cart_reduction/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/halo/algorithms.hpp"
#include "tests/support/bad_input.hpp"

#include <functional>
#include <string>
#include <vector>

namespace rondo::internal::reported_algorithms_test {
namespace {

constexpr int kInside = 4;

/// A ring of all processes, of which each has three neighbors, and a request of each collective on it.
class Calls {
 public:
  using Make = Request (Calls::*)(const Options&);

  Request alltoall(const Options& options) { return ring_.alltoall_init(send_, recv_, 1, options); }
  Request allgather(const Options& options) { return ring_.allgather_init(one_, recv_, options); }
  Request reduce(const Options& options) { return ring_.reduce_init(one_, result_, MPI_SUM, options); }
  Request halo(const Options& options) {
    return halo_init(grid_, HaloArray::of(cells_, {kInside + 2, kInside + 2}, 1), Stencil::box, options);
  }
  Request dense(const Options& options) { return comm_.alltoall_init(to_all_, from_all_, 1, options); }

 private:
  std::size_t p_ = static_cast<std::size_t>(world_size());
  CartComm ring_{MPI_COMM_WORLD, {world_size()}, Neighborhood{{1}, {2}, {3}}};
  CartComm grid_{MPI_COMM_WORLD, {world_size(), 1}, moore(2, 1)};
  Comm comm_{MPI_COMM_WORLD};
  std::vector<int> send_ = std::vector<int>(3);
  std::vector<int> recv_ = std::vector<int>(3);
  std::vector<int> one_ = std::vector<int>(1);
  std::vector<int> result_ = std::vector<int>(1);
  std::vector<int> cells_ = std::vector<int>((kInside + 2) * (kInside + 2));
  std::vector<int> to_all_ = std::vector<int>(p_);
  std::vector<int> from_all_ = std::vector<int>(p_);
};

/// Asks for each algorithm of a collective, and then for what came of it.
template <typename Problem>
void expect_one_vocabulary(const Registry<Problem>& registry, Calls::Make make) {
  Calls calls;
  for (const Algorithm<Problem>& row : registry.algorithms) {
    const std::string name(row.name);
    const Request asked = (calls.*make)({.algorithm = algorithm_from(name)});
    // These are offered only where a search finds better than the others are, or where there are several nodes.
    if (name != "expansions" && name != "node-aware") {
      EXPECT_EQ(asked.algorithm(), name) << registry.collective;
    }
    EXPECT_EQ((calls.*make)({.algorithm = algorithm_from(asked.algorithm())}).algorithm(), asked.algorithm())
        << registry.collective;
  }
  const std::string chosen = (calls.*make)({}).algorithm();
  EXPECT_EQ((calls.*make)({.algorithm = algorithm_from(chosen)}).algorithm(), chosen) << registry.collective;
}

TEST(ReportedAlgorithms, AreWhatWasAskedFor) {
  expect_one_vocabulary(alltoall::registry(), &Calls::alltoall);
  expect_one_vocabulary(allgather::registry(), &Calls::allgather);
  expect_one_vocabulary(reduction::registry(), &Calls::reduce);
  expect_one_vocabulary(halo::registry(), &Calls::halo);
  expect_one_vocabulary(dense::registry(), &Calls::dense);
}

/// Whatever plan `auto` takes, on many neighborhoods: who asks for it by the name that was reported gets it again.
TEST(ReportedAlgorithms, AreTakenAsSettings) {
  for (const Neighborhood& hood : {moore(2, 1), moore(2, 2), von_neumann(2, 2), box(2, 5, 1), Neighborhood{{0, 0}}}) {
    std::vector<int> sizes(2);
    MPI_Dims_create(world_size(), 2, sizes.data());
    CartComm grid(MPI_COMM_WORLD, sizes, hood);
    for (const int m : {1, 1000}) {
      std::vector<int> send(static_cast<std::size_t>(m * hood.size()));
      std::vector<int> recv(send.size());
      const std::span<int> one = std::span(send).first(static_cast<std::size_t>(m));
      std::vector<int> result(one.size());
      const std::vector<std::function<Request(const Options&)>> all{
          [&](const Options& options) { return grid.alltoall_init(send, recv, m, options); },
          [&](const Options& options) { return grid.allgather_init(one, recv, options); },
          [&](const Options& options) { return grid.reduce_init(one, result, MPI_SUM, options); },
          [&](const Options& options) { return grid.scatter_reduce_init(send, result, MPI_SUM, options); }};
      for (const auto& make : all) {
        const std::string chosen = make({}).algorithm();
        EXPECT_EQ(make({.algorithm = algorithm_from(chosen)}).algorithm(), chosen);
      }
    }
  }
}

}  // namespace
}  // namespace rondo::internal::reported_algorithms_test
