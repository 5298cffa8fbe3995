// Node-aware collectives under mpirun, in all their forms, against the definition: with RONDO_TEST_NODES=2 through
// carriers, and on one node as something else, which is said.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"
#include "tests/support/distributed_array.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::node_aware_test {
namespace {

/// Element k of block i of a rank: different everywhere.
int content(int rank, int i, int k) { return rank * 1000003 + i * 1009 + k; }

Options node_aware() {
  Options options;
  options.algorithm = rondo::Algorithm::node_aware;
  return options;
}

/// Whether carriers can be had: several nodes, one of them of several ranks.
bool has_carriers() {
  const char* nodes = std::getenv("RONDO_TEST_NODES");
  return nodes != nullptr && std::atoi(nodes) < world_size() && !test::is_set("RONDO_SHM", "off") &&
         !test::is_set("RONDO_SHM", "odd");
}

/// A start in each form, each followed by a look at what came. `sizes_known`: also without asking for them.
void in_all_forms(const std::function<void()>& blocking, const std::function<Request()>& nonblocking,
                  const std::function<Request()>& persistent, const std::function<void(const std::string&)>& expect,
                  bool sizes_known = false) {
  blocking();
  expect("blocking");
  Request started = nonblocking();
  if (sizes_known) {
    EXPECT_EQ(started.algorithm() == "node-aware", has_carriers()) << started.algorithm();
  }
  started.wait();
  expect("nonblocking");
  Request request = persistent();
  EXPECT_EQ(request.algorithm() == "node-aware", has_carriers()) << request.algorithm();
  for (int start = 0; start < 3; ++start) {
    request.start();
    request.wait();
    expect("persistent");
  }
}

TEST(NodeAware, CartesianAlltoalls) {
  const int p = world_size();
  std::vector<int> sizes(2, 0);
  MPI_Dims_create(p, 2, sizes.data());
  for (const int periodic : {1, 0}) {
    const CartComm all(MPI_COMM_WORLD, sizes, std::vector{periodic, periodic}, Neighborhood(2));
    for (const Neighborhood& hood : {moore(2, 1), box(2, 3, 0), von_neumann(2, 2)}) {
      CartComm comm = all.with_neighborhood(hood, node_aware());
      const std::vector<int> sources = comm.sources();
      for (const int m : {1, 100, 5000}) {
        const std::size_t elements = static_cast<std::size_t>(hood.size()) * static_cast<std::size_t>(m);
        std::vector<int> send(elements);
        std::vector<int> recv(elements, -1);
        for (int i = 0; i < hood.size(); ++i) {
          for (int k = 0; k < m; ++k) send[static_cast<std::size_t>(i * m + k)] = content(comm.rank(), i, k);
        }
        in_all_forms([&] { comm.alltoall(send, recv, m); }, [&] { return comm.ialltoall(send, recv, m); },
                     [&] { return comm.alltoall_init(send, recv, m); },
                     [&](const std::string& form) {
                       for (int i = 0; i < hood.size(); ++i) {
                         const int source = sources[static_cast<std::size_t>(i)];
                         for (int k = 0; k < m; ++k) {
                           ASSERT_EQ(recv[static_cast<std::size_t>(i * m + k)],
                                     source == MPI_PROC_NULL ? -1 : content(source, i, k))
                               << form << ", block " << i << ", m " << m;
                         }
                       }
                       std::ranges::fill(recv, -1);
                     });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(NodeAware, CartesianAllgathers) {
  const int p = world_size();
  std::vector<int> sizes(2, 0);
  MPI_Dims_create(p, 2, sizes.data());
  for (const int periodic : {1, 0}) {
    const CartComm all(MPI_COMM_WORLD, sizes, std::vector{periodic, periodic}, Neighborhood(2));
    for (const Neighborhood& hood : {moore(2, 1), box(2, 3, 0), von_neumann(2, 2)}) {
      CartComm comm = all.with_neighborhood(hood, node_aware());
      const std::vector<int> sources = comm.sources();
      for (const int m : {1, 100, 5000}) {
        std::vector<int> send(static_cast<std::size_t>(m));
        for (int k = 0; k < m; ++k) send[static_cast<std::size_t>(k)] = content(comm.rank(), 0, k);
        std::vector<int> recv(static_cast<std::size_t>(hood.size()) * send.size(), -1);
        in_all_forms([&] { comm.allgather(send, recv); }, [&] { return comm.iallgather(send, recv); },
                     [&] { return comm.allgather_init(send, recv); },
                     [&](const std::string& form) {
                       for (int i = 0; i < hood.size(); ++i) {
                         const int source = sources[static_cast<std::size_t>(i)];
                         for (int k = 0; k < m; ++k) {
                           ASSERT_EQ(recv[static_cast<std::size_t>(i * m + k)],
                                     source == MPI_PROC_NULL ? -1 : content(source, 0, k))
                               << form << ", block " << i << ", m " << m;
                         }
                       }
                       std::ranges::fill(recv, -1);
                     });
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Sums of integers, in whatever order.
TEST(NodeAware, Reductions) {
  const int p = world_size();
  std::vector<int> sizes(2, 0);
  MPI_Dims_create(p, 2, sizes.data());
  for (const int periodic : {1, 0}) {
    const CartComm all(MPI_COMM_WORLD, sizes, std::vector{periodic, periodic}, Neighborhood(2));
    for (const Neighborhood& hood : {moore(2, 1), box(2, 3, 0), von_neumann(2, 2)}) {
      CartComm comm = all.with_neighborhood(hood, node_aware());
      const std::vector<int> sources = comm.sources();
      for (const int m : {1, 100, 5000}) {
        const std::size_t elements = static_cast<std::size_t>(hood.size()) * static_cast<std::size_t>(m);
        std::vector<int> send(elements);
        for (int i = 0; i < hood.size(); ++i) {
          for (int k = 0; k < m; ++k) send[static_cast<std::size_t>(i * m + k)] = content(comm.rank(), i, k);
        }
        const std::span<const int> own(send.data(), static_cast<std::size_t>(m));
        std::vector<int> recv(static_cast<std::size_t>(m), -1);
        const auto expect = [&](bool scattered, const std::string& form) {
          for (int k = 0; k < m; ++k) {
            int sum = 0;
            for (int i = 0; i < hood.size(); ++i) {
              const int source = sources[static_cast<std::size_t>(i)];
              if (source != MPI_PROC_NULL) sum += content(source, scattered ? i : 0, k);
            }
            ASSERT_EQ(recv[static_cast<std::size_t>(k)], sum) << form << ", element " << k << ", m " << m;
          }
          std::ranges::fill(recv, -1);
        };
        in_all_forms([&] { comm.reduce(own, recv, MPI_SUM); }, [&] { return comm.ireduce(own, recv, MPI_SUM); },
                     [&] { return comm.reduce_init(own, recv, MPI_SUM); },
                     [&](const std::string& form) { expect(false, "reduce, " + form); }, true);
        in_all_forms([&] { comm.scatter_reduce(send, recv, MPI_SUM); },
                     [&] { return comm.iscatter_reduce(send, recv, MPI_SUM); },
                     [&] { return comm.scatter_reduce_init(send, recv, MPI_SUM); },
                     [&](const std::string& form) { expect(true, "scatter-reduce, " + form); }, true);
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Persistent ones: others do not tell each other their sizes.
TEST(NodeAware, Halos) {
  const halo_test::Variant variant{"node-aware"};
  for (const int periodic : {1, 0}) {
    for (const Stencil stencil : {Stencil::box, Stencil::star}) {
      const halo_test::Distribution distribution{
          .grid = balanced(2),
          .periods = {periodic, periodic, 0},
          .depths = {{2, 1}, {1, 2}, {0, 0}},
          .stencil = stencil,
          .inside = [](int k, int coordinate) { return 3 + (k + 2 * coordinate) % 3; }};
      halo_test::expect_exchanged(distribution, variant, has_carriers() ? "node-aware" : "");
      if (HasFatalFailure()) return;
    }
  }
  const CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  std::vector<double> array(400);
  const HaloArray whole = HaloArray::of<double>(array, {20, 20}, 1);
  EXPECT_EQ(halo_init(grid, whole, Stencil::box, node_aware()).algorithm() == "node-aware", has_carriers());
  CartComm asking = grid.with_neighborhood(Neighborhood(2), node_aware());
  Request started = ihalo_exchange(asking, whole);
  EXPECT_NE(started.algorithm(), "node-aware");
  started.wait();
}

TEST(NodeAware, DenseAlltoalls) {
  const int p = world_size();
  Comm comm(MPI_COMM_WORLD, node_aware());
  for (const int m : {1, 100, 5000}) {
    std::vector<int> send(static_cast<std::size_t>(p * m));
    std::vector<int> recv(send.size(), -1);
    for (int i = 0; i < p; ++i) {
      for (int k = 0; k < m; ++k) send[static_cast<std::size_t>(i * m + k)] = content(comm.rank(), i, k);
    }
    in_all_forms([&] { comm.alltoall(send, recv, m); }, [&] { return comm.ialltoall(send, recv, m); },
                 [&] { return comm.alltoall_init(send, recv, m); },
                 [&](const std::string& form) {
                   for (int i = 0; i < p; ++i) {
                     for (int k = 0; k < m; ++k) {
                       ASSERT_EQ(recv[static_cast<std::size_t>(i * m + k)], content(i, comm.rank(), k))
                           << form << ", block " << i << ", m " << m;
                     }
                   }
                   std::ranges::fill(recv, -1);
                 });
    if (HasFatalFailure()) return;
  }
}

TEST(NodeAware, Allreduces) {
  Comm comm(MPI_COMM_WORLD, node_aware());
  const int p = comm.size();
  for (const int m : {1, 100, 5000}) {
    std::vector<int> send;
    for (int k = 0; k < m; ++k) send.push_back(content(comm.rank(), 0, k));
    std::vector<int> recv(send.size(), -1);
    in_all_forms([&] { comm.allreduce(send, recv, MPI_SUM); }, [&] { return comm.iallreduce(send, recv, MPI_SUM); },
                 [&] { return comm.allreduce_init(send, recv, MPI_SUM); },
                 [&](const std::string& form) {
                   for (int k = 0; k < m; ++k) {
                     int sum = 0;
                     for (int rank = 0; rank < p; ++rank) sum += content(rank, 0, k);
                     ASSERT_EQ(recv[static_cast<std::size_t>(k)], sum) << form << ", m " << m;
                   }
                   std::ranges::fill(recv, -1);
                 },
                 true);
    if (HasFatalFailure()) return;
  }
}

/// That they run; that they are right: dense_moves.cpp and dense_reduction.cpp, which are run on nodes as well.
TEST(NodeAware, OtherDenseCollectives) {
  Comm comm(MPI_COMM_WORLD, node_aware());
  std::vector<int> block(5);
  const auto expect = [](Request started, Request persistent) {
    EXPECT_EQ(started.algorithm() == "node-aware", has_carriers()) << started.algorithm();
    EXPECT_EQ(persistent.algorithm() == "node-aware", has_carriers()) << persistent.algorithm();
    started.wait();
  };
  std::vector<int> blocks(5 * static_cast<std::size_t>(comm.size()));
  expect(comm.ibarrier(), comm.barrier_init());
  expect(comm.iallgather(block, blocks), comm.allgather_init(block, blocks));
  expect(comm.ireduce_scatter_block(blocks, block, MPI_SUM), comm.reduce_scatter_block_init(blocks, block, MPI_SUM));
  for (int root = 0; root < comm.size(); ++root) expect(comm.ibcast(block, root), comm.bcast_init(block, root));
}

/// Ranks are on the nodes of RONDO_NODE in turn: on a line they are brought together.
TEST(NodeAware, ReorderKnowsTheNodes) {
  const int p = world_size();
  const char* nodes_of_all = std::getenv("RONDO_TEST_NODES");
  if (nodes_of_all == nullptr) GTEST_SKIP() << "all ranks are on one node";
  Options options;
  options.reorder = true;
  const CartComm line(MPI_COMM_WORLD, std::vector{p}, std::vector{0}, Neighborhood{{1}, {-1}}, options);
  const int node = std::getenv("RONDO_NODE")[4];  // "node0"
  std::vector<int> nodes(static_cast<std::size_t>(p));
  MPI_Allgather(&node, 1, MPI_INT, nodes.data(), 1, MPI_INT, line.native());
  int borders = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) borders += nodes[i] != nodes[i - 1] ? 1 : 0;
  EXPECT_EQ(borders, std::min(p, std::atoi(nodes_of_all)) - 1);
}

}  // namespace
}  // namespace rondo::internal::node_aware_test
