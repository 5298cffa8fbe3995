// Persistent halo exchanges under mpirun, of every algorithm.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/distributed_array.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace rondo::internal::halo_exchange_test {
namespace {

using namespace halo_test;

TEST(HaloExchange, EveryAlgorithmOnEveryGrid) {
  for (int d = 1; d <= 3; ++d) {
    for_each_periods(static_cast<std::size_t>(d), static_cast<std::size_t>(d), [&](const std::vector<int>& periods) {
      for (const Stencil stencil : {Stencil::box, Stencil::star}) {
        for (const Variant& variant : kVariants) {
          for (const int depth : {1, 3}) {
            if (HasFatalFailure()) return;
            expect_exchanged({.grid = balanced(d),
                              .periods = periods,
                              .depths = std::vector<HaloDepth>(static_cast<std::size_t>(d), {depth, depth}),
                              .stencil = stencil},
                             variant);
          }
        }
      }
    });
  }
}

TEST(HaloExchange, UnevenBlocksAndDepths) {
  const auto uneven = [](int k, int coordinate) { return 4 + (k + 2 * coordinate) % 3; };
  for (const StorageOrder order : {StorageOrder::row_major, StorageOrder::column_major}) {
    for_each_periods(2, 2, [&](const std::vector<int>& periods) {
      for (const Variant& variant : kVariants) {
        if (HasFatalFailure()) return;
        expect_exchanged({.grid = balanced(2),
                          .periods = periods,
                          .depths = {{4, 1}, {0, 3}},
                          .stencil = Stencil::star,
                          .order = order,
                          .inside = uneven},
                         variant);
      }
    });
  }
}

TEST(HaloExchange, DimensionsThatAreNotDistributed) {
  for (const StorageOrder order : {StorageOrder::row_major, StorageOrder::column_major}) {
    for_each_periods(2, 3, [&](const std::vector<int>& periods) {
      for (const char* algorithm : {"auto", "combining"}) {
        if (HasFatalFailure()) return;
        expect_exchanged({.grid = balanced(2), .periods = periods, .depths = {{2, 2}, {1, 2}, {0, 0}}, .order = order},
                         {algorithm});
      }
    });
  }
}

/// Long faces, which are sent as they lie or with a handshake.
TEST(HaloExchange, LongRows) {
  for (const Variant& variant : kVariants) {
    if (HasFatalFailure()) return;
    expect_exchanged({.grid = balanced(2),
                      .periods = {1, 0},
                      .depths = {{2, 2}, {2, 2}},
                      .inside = [](int k, int) { return k == 0 ? 40 : 3000; }},
                     variant);
  }
}

/// Several fields that lie far from each other, as one element: the array of each is exchanged.
TEST(HaloExchange, ElementsOfSeveralFields) {
  const Distribution distribution{
      .grid = balanced(2), .periods = {1, 1}, .depths = {{2, 1}, {1, 2}}, .stencil = Stencil::box};
  CartComm grid(MPI_COMM_WORLD, distribution.grid, Neighborhood(2));
  const Part part(distribution, grid.coordinates());
  constexpr int kFields = 3;
  MPI_Datatype fields = MPI_DATATYPE_NULL;
  MPI_Datatype element = MPI_DATATYPE_NULL;
  MPI_Type_vector(kFields, 1, part.elements(), MPI_DOUBLE, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(double), &element);
  MPI_Type_commit(&element);
  MPI_Type_free(&fields);
  for (const char* algorithm : {"direct", "combining", "joined"}) {
    std::vector<double> arrays(static_cast<std::size_t>(kFields * part.elements()));
    Options how;
    how.algorithm = algorithm_from(algorithm);
    setenv("RONDO_CHECK", "1", 1);
    Request halo = halo_init(grid, {arrays.data(), -1, element, part.sizes(), distribution.depths}, Stencil::box, how);
    unsetenv("RONDO_CHECK");
    for (int field = 0; field < kFields; ++field) {
      for (int i = 0; i < part.elements(); ++i)
        arrays[static_cast<std::size_t>(field * part.elements() + i)] = part.value(i, false, field, -1);
    }
    halo.start();
    halo.wait();
    for (int field = 0; field < kFields; ++field) {
      for (int i = 0; i < part.elements(); ++i) {
        ASSERT_EQ(arrays[static_cast<std::size_t>(field * part.elements() + i)], part.value(i, true, field, -1))
            << algorithm << ", field " << field << ", element " << i;
      }
    }
  }
  MPI_Type_free(&element);
}

TEST(HaloExchange, NothingToExchange) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  std::vector<double> array(12);
  Request none = halo_init(grid, HaloArray::of<double>(array, {3, 4}, 0));
  none.start();
  none.wait();
  Request empty = halo_init(grid, HaloArray::of<double>({}, {0, 4}, {{0, 0}, {1, 1}}));
  empty.start();
  empty.wait();
}

/// Several at once, on one array and on two, started in different orders on different ranks.
TEST(HaloExchange, SeveralAtOnce) {
  const Distribution distribution{.grid = balanced(2), .periods = {1, 1}, .depths = {{1, 1}, {2, 2}}};
  CartComm grid(MPI_COMM_WORLD, distribution.grid, moore(2, 1));
  const Part part(distribution, grid.coordinates());
  std::vector<std::vector<double>> arrays(4, std::vector<double>(static_cast<std::size_t>(part.elements())));
  std::vector<Request> halos;
  for (std::vector<double>& array : arrays)
    halos.push_back(halo_init(grid, HaloArray::of<double>(array, part.sizes(), distribution.depths)));
  for (int repetition = 0; repetition < 5; ++repetition) {
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      for (int i = 0; i < part.elements(); ++i)
        arrays[a][static_cast<std::size_t>(i)] = part.value(i, false, 10 * repetition + static_cast<int>(a), -1);
    }
    for (std::size_t a = 0; a < arrays.size(); ++a)
      halos[(a + static_cast<std::size_t>(grid.rank())) % arrays.size()].start();
    wait_all(halos);
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      for (int i = 0; i < part.elements(); ++i) {
        ASSERT_EQ(arrays[a][static_cast<std::size_t>(i)],
                  part.value(i, true, 10 * repetition + static_cast<int>(a), -1));
      }
    }
  }
}

TEST(HaloExchange, FromC) {
  const Distribution distribution{.grid = balanced(2),
                                  .periods = {1, 0},
                                  .depths = {{2, 1}, {2, 2}},
                                  .stencil = Stencil::star,
                                  .order = StorageOrder::column_major};
  MPI_Comm plain = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, distribution.grid.data(), distribution.periods.data(), 0, &plain);
  MPI_Comm cart = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Iso_neighborhood_create(plain, 0, nullptr, &cart), MPI_SUCCESS);  // a neighborhood without neighbors
  int rank = 0;
  MPI_Comm_rank(cart, &rank);
  std::vector<int> coordinates(2);
  MPI_Cart_coords(cart, rank, 2, coordinates.data());
  const Part part(distribution, coordinates);
  std::vector<double> array(static_cast<std::size_t>(part.elements()));
  const std::array low{2, 2};
  const std::array high{1, 2};
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_algorithm", "joined");
  Rondo_Request request = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Halo_init(array.data(), 2, part.sizes().data(), nullptr, low.data(), high.data(), MPI_ORDER_FORTRAN,
                            MPI_DOUBLE, RONDO_STENCIL_STAR, cart, info, &request),
            MPI_SUCCESS);
  MPI_Info_free(&info);
  for (int i = 0; i < part.elements(); ++i) array[static_cast<std::size_t>(i)] = part.value(i, false, 1, -1);
  ASSERT_EQ(Rondo_Start(&request), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (int i = 0; i < part.elements(); ++i)
    EXPECT_EQ(array[static_cast<std::size_t>(i)], part.value(i, true, 1, -1)) << i;
  std::array<char, RONDO_MAX_ALGORITHM_NAME> name{};
  int length = 0;
  Rondo_Request_get_algorithm(request, name.data(), &length);
  EXPECT_EQ(std::string(name.data()), "joined");
  EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
  MPI_Comm_free(&plain);
}

/// Ranks ask for what no halo exchange has: it is said, and the best runs.
TEST(HaloExchange, WhatCannotBeHad) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  std::vector<double> array(25);
  Options how;
  how.algorithm = rondo::Algorithm::ring;
  const Request halo = halo_init(grid, HaloArray::of<double>(array, {5, 5}, 1), Stencil::box, how);
  EXPECT_NE(halo.algorithm(), "ring");
  EXPECT_FALSE(halo.algorithm().empty());
}

}  // namespace
}  // namespace rondo::internal::halo_exchange_test
