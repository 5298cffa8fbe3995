// Halo exchanges under mpirun: every element of every array is compared with the whole array, given by a formula.
#include "collectives/operations/halo_exchange.hpp"

#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/agreement/halo_agreement.hpp"
#include "collectives/halo/algorithms.hpp"
#include "collectives/proof/check_halo_at_init.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::internal::halo_exchange_test {
namespace {

std::vector<int> balanced(int d) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(static_cast<std::size_t>(d), 0);
  MPI_Dims_create(p, d, sizes.data());
  return sizes;
}

/// A distributed array: blocks of `inside(k, coordinate)` elements along dimension k.
struct Distribution {
  std::vector<int> grid;
  std::vector<int> periods;
  std::vector<HaloDepth> depths;
  Stencil stencil = Stencil::box;
  StorageOrder order = StorageOrder::row_major;
  std::function<int(int k, int coordinate)> inside = [](int, int) { return 5; };
};

/// The part of one process, element by element.
class Part {
 public:
  Part(const Distribution& of, const std::vector<int>& coordinates) : of_(of), d_(of.grid.size()) {
    for (std::size_t k = 0; k < of.depths.size(); ++k) {
      const int coordinate = k < d_ ? coordinates[k] : 0;
      const int inside = of.inside(static_cast<int>(k), coordinate);
      int before = 0;
      int all = 0;
      for (int c = 0; c < (k < d_ ? of.grid[k] : 1); ++c) {
        if (c < coordinate) before += of.inside(static_cast<int>(k), c);
        all += of.inside(static_cast<int>(k), c);
      }
      inside_.push_back(inside);
      begin_.push_back(before);
      whole_.push_back(all);
      sizes_.push_back(of.depths[k].low + inside + of.depths[k].high);
      elements_ *= sizes_.back();
    }
  }

  [[nodiscard]] const std::vector<int>& sizes() const { return sizes_; }
  [[nodiscard]] int elements() const { return elements_; }

  /// What element number i in memory must be after an exchange: a number that tells its place in the whole array and
  /// the repetition, or `untouched`. Before it, what is inside is the same, and all else `untouched`.
  [[nodiscard]] double value(int i, bool exchanged, int repetition, double untouched) const {
    double hash = repetition;
    double excesses = 0;
    bool outside = false;
    for (std::size_t n = 0; n < sizes_.size(); ++n) {
      const std::size_t k = of_.order == StorageOrder::row_major ? sizes_.size() - 1 - n : n;
      const int index = i % sizes_[k];
      i /= sizes_[k];
      const auto [low, high] = of_.depths[k];
      int global = begin_[k] + index - low;
      if (index < low) excesses += static_cast<double>(low - index) / low;
      if (index >= low + inside_[k]) excesses += static_cast<double>(index - low - inside_[k] + 1) / high;
      outside = outside || index < low || index >= low + inside_[k];
      if (global < 0 || global >= whole_[k]) {
        if (of_.periods[k] == 0) return untouched;
        global = (global + whole_[k]) % whole_[k];
      }
      hash = hash * 1009 + global;
    }
    if (outside && (!exchanged || (of_.stencil == Stencil::star && excesses > 1 + 1e-9))) return untouched;
    return hash;
  }

 private:
  const Distribution& of_;
  std::size_t d_;
  std::vector<int> inside_;
  std::vector<int> begin_;
  std::vector<int> whole_;
  std::vector<int> sizes_;
  int elements_ = 1;
};

struct Variant {
  const char* algorithm;
  const char* schedule = "dependencies";
  const char* messages = "auto";
};
constexpr Variant kVariants[] = {{"auto"},
                                 {"direct"},
                                 {"coalesced"},
                                 {"combining"},
                                 {"joined"},
                                 {"combining", "phases"},
                                 {"joined", "phases"},
                                 {"direct", "dependencies", "datatype"},
                                 {"combining", "dependencies", "datatype"},
                                 {"joined", "dependencies", "staged"}};

Options options(const Variant& variant) {
  Options result;
  result.algorithm = algorithm_from(variant.algorithm);
  result.schedule = ordering_from(variant.schedule);
  result.messages = message_form_from(variant.messages);
  return result;
}

/// The grid of a distribution, shared with the cases before as long as it is the same: MPICH takes long to make one
/// where ranks share cores.
const CartComm& grid_of(const Distribution& distribution) {
  struct Made {
    std::vector<int> sizes;
    std::vector<int> periods;
    CartComm comm;
  };
  static std::optional<Made> last;
  if (!last || last->sizes != distribution.grid || last->periods != distribution.periods) {
    last.reset();
    last.emplace(Made{
        distribution.grid, distribution.periods,
        CartComm(MPI_COMM_WORLD, distribution.grid, std::span(distribution.periods).first(distribution.grid.size()),
                 Neighborhood(static_cast<int>(distribution.grid.size())))});
  }
  return last->comm;
}

void expect_exchanged(const Distribution& distribution, const Variant& variant) {
  const CartComm& grid = grid_of(distribution);
  const Part part(distribution, grid.coordinates());
  std::vector<double> array(static_cast<std::size_t>(part.elements()));
  Request halo = halo_init(grid, HaloArray::of<double>(array, part.sizes(), distribution.depths, distribution.order),
                           distribution.stencil, options(variant));
  for (int repetition = 1; repetition <= 3; ++repetition) {
    for (int i = 0; i < part.elements(); ++i) array[static_cast<std::size_t>(i)] = part.value(i, false, repetition, -1);
    halo.start();
    halo.wait();
    for (int i = 0; i < part.elements(); ++i) {
      ASSERT_EQ(array[static_cast<std::size_t>(i)], part.value(i, true, repetition, -1))
          << halo.algorithm() << ", " << variant.schedule << ", element " << i << ", repetition " << repetition;
    }
  }
}

/// Calls visit(periods) for each mix of `grid_dimensions` dimensions; further ones are not periodic.
template <typename Visit>
void for_each_periods(std::size_t grid_dimensions, std::size_t dimensions, Visit visit) {
  for (unsigned mask = 0; mask < 1U << grid_dimensions; ++mask) {
    std::vector<int> periods(dimensions);
    for (std::size_t k = 0; k < grid_dimensions; ++k) periods[k] = mask >> k & 1U ? 1 : 0;
    visit(periods);
  }
}

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

/// Each form, made again and again: first made, then from the pool, then recognized.
void expect_exchanged_by_calls(const Distribution& distribution, const Options& how) {
  const auto d = static_cast<int>(distribution.grid.size());
  Options local = how;
  local.assert_isomorphic = true;
  const CartComm grid = grid_of(distribution).with_neighborhood(Neighborhood(d), local);
  const Part part(distribution, grid.coordinates());
  std::vector<double> values(static_cast<std::size_t>(part.elements()));
  const HaloArray array = HaloArray::of<double>(values, part.sizes(), distribution.depths, distribution.order);
  for (int repetition = 1; repetition <= 8; ++repetition) {
    for (int i = 0; i < part.elements(); ++i)
      values[static_cast<std::size_t>(i)] = part.value(i, false, repetition, -1);
    if (repetition % 2 == 0) {
      halo_exchange(grid, array, distribution.stencil);
    } else {
      Request halo = ihalo_exchange(grid, array, distribution.stencil);
      halo.wait();
    }
    for (int i = 0; i < part.elements(); ++i) {
      ASSERT_EQ(values[static_cast<std::size_t>(i)], part.value(i, true, repetition, -1))
          << "element " << i << ", repetition " << repetition;
    }
  }
}

TEST(HaloExchange, BlockingAndNonblocking) {
  const auto uneven = [](int k, int coordinate) { return 4 + (k + 2 * coordinate) % 3; };
  for (const StorageOrder order : {StorageOrder::row_major, StorageOrder::column_major}) {
    for_each_periods(2, 2, [&](const std::vector<int>& periods) {
      for (const Stencil stencil : {Stencil::box, Stencil::star}) {
        for (const Variant& variant : kVariants) {
          if (HasFatalFailure()) return;
          expect_exchanged_by_calls({.grid = balanced(2),
                                     .periods = periods,
                                     .depths = {{4, 1}, {0, 3}},
                                     .stencil = stencil,
                                     .order = order,
                                     .inside = uneven},
                                    options(variant));
        }
      }
    });
  }
}

/// Ranks with very different arrays choose the same algorithm, though nobody tells them of the others.
TEST(HaloExchange, CallsWithArraysOfVeryDifferentSizes) {
  expect_exchanged_by_calls({.grid = balanced(2),
                             .periods = {1, 1},
                             .depths = {{4, 4}, {4, 4}},
                             .inside = [](int, int coordinate) { return coordinate == 0 ? 4 : 300; }},
                            {});
  expect_exchanged_by_calls({.grid = balanced(3),
                             .periods = {1, 0, 1},
                             .depths = {{1, 1}, {1, 1}, {1, 1}},
                             .inside = [](int, int coordinate) { return coordinate == 0 ? 1 : 30; }},
                            {});
}

TEST(HaloExchange, WhatRanksAssumeOfEachOther) {
  const std::array sizes{2, 3, 1};
  const Grid grid(sizes, 0);
  const auto byte = std::make_shared<const Layout>(Layout::contiguous(1));
  const auto assumed = [&](std::int64_t first, std::int64_t second) {
    auto own = std::make_shared<const halo::Shape>(
        std::vector<halo::Axis>{{first, 1, 2}, {second, 3, 3}, {7, 0, 0}, {5, 0, 0}}, Stencil::star,
        StorageOrder::column_major, byte);
    auto other =
        std::make_shared<const halo::Shape>(std::vector<halo::Axis>{{second, 900, 0}, {first, 0, 0}, {2, 0, 0}},
                                            Stencil::star, StorageOrder::row_major, byte);
    return assumed_arrays(grid, halo::Bundle(3, {{std::move(own), 0}, {std::move(other), 77}}));
  };
  for (const auto& bundle : {assumed(2, 3), assumed(900, 4000)}) {
    ASSERT_EQ(bundle->arrays().size(), 2U);
    const halo::Shape& shape = *bundle->arrays()[0].shape;
    EXPECT_EQ(shape[0].inside, 512);
    EXPECT_EQ(shape[1].inside, 512);
    EXPECT_EQ(shape[2].inside, 7);  // along which there is one place, and so one size
    EXPECT_EQ(shape[3].inside, 5);
    EXPECT_EQ(shape[0].high, 2);
    EXPECT_EQ(shape.stencil(), Stencil::star);
    EXPECT_EQ(shape.order(), StorageOrder::column_major);
    EXPECT_EQ((*bundle->arrays()[1].shape)[0].inside, 900);
  }
}

/// Of one schedule, on several arrays.
TEST(HaloExchange, SeveralCallsInFlight) {
  const Distribution distribution{.grid = balanced(2), .periods = {1, 1}, .depths = {{1, 1}, {2, 2}}};
  const CartComm& grid = grid_of(distribution);
  const Part part(distribution, grid.coordinates());
  std::vector<std::vector<double>> arrays(4, std::vector<double>(static_cast<std::size_t>(part.elements())));
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::vector<Request> halos;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      for (int i = 0; i < part.elements(); ++i)
        arrays[a][static_cast<std::size_t>(i)] = part.value(i, false, 10 * repetition + static_cast<int>(a), -1);
      halos.push_back(ihalo_exchange(grid, HaloArray::of<double>(arrays[a], part.sizes(), distribution.depths)));
    }
    wait_all(halos);
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      for (int i = 0; i < part.elements(); ++i) {
        ASSERT_EQ(arrays[a][static_cast<std::size_t>(i)],
                  part.value(i, true, 10 * repetition + static_cast<int>(a), -1));
      }
    }
  }
}

/// The others return from the call before rank 0 makes it: it would wait for them for ever otherwise.
TEST(HaloExchange, ANonblockingCallWaitsForNobody) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  std::vector<double> values(36);
  const HaloArray array = HaloArray::of<double>(values, {6, 6}, 1);
  Request halo;
  if (grid.rank() == 0) {
    for (int rank = 1; rank < grid.size(); ++rank)
      MPI_Recv(nullptr, 0, MPI_INT, rank, 0, grid.native(), MPI_STATUS_IGNORE);
    halo = ihalo_exchange(grid, array);
  } else {
    halo = ihalo_exchange(grid, array);
    MPI_Send(nullptr, 0, MPI_INT, 0, 0, grid.native());
  }
  halo.wait();
}

/// Two ints of twelve, of which the second lies at another place each time; datatypes are freed, so that handles come
/// back.
TEST(HaloExchange, ADatatypeThatGotAFreedOnesHandleIsAnother) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  CartComm ring(MPI_COMM_WORLD, {p}, Neighborhood(1));
  const int left = (ring.rank() + p - 1) % p;
  const int right = (ring.rank() + 1) % p;
  constexpr int kWide = 12;
  constexpr int kCells = 5;
  const auto value = [](int rank, int cell, int k) { return rank * 10000 + cell * 100 + k; };
  std::vector<int> values(static_cast<std::size_t>(kWide) * kCells);
  for (int round = 0; round < 20; ++round) {
    const int second = 1 + round % 3;
    MPI_Datatype plain = MPI_DATATYPE_NULL;
    MPI_Datatype element = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, second, MPI_INT, &plain);
    MPI_Type_create_resized(plain, 0, kWide * sizeof(int), &element);
    MPI_Type_free(&plain);
    MPI_Type_commit(&element);
    for (int repetition = 0; repetition < 4; ++repetition) {
      for (int i = 0; i < kWide * kCells; ++i) {
        const int cell = i / kWide;
        values[static_cast<std::size_t>(i)] =
            cell == 0 || cell == kCells - 1 ? -1 : value(ring.rank(), cell, i % kWide);
      }
      Request halo = ihalo_exchange(ring, {values.data(), kCells, element, {kCells}, {{1, 1}}});
      if (repetition == 3) MPI_Type_free(&element);
      halo.wait();
      for (int k = 0; k < kWide; ++k) {
        const bool moved = k == 0 || k == second;
        ASSERT_EQ(values[static_cast<std::size_t>(k)], moved ? value(left, kCells - 2, k) : -1)
            << round << ", int " << k;
        ASSERT_EQ(values[static_cast<std::size_t>((kCells - 1) * kWide + k)], moved ? value(right, 1, k) : -1)
            << round << ", int " << k;
      }
    }
  }
}

/// More calls than are remembered, in C, with lists whose contents change in place.
TEST(HaloExchange, CallsWhoseArgumentsChange) {
  const std::vector<int> grid_sizes = balanced(2);
  const Distribution first{.grid = grid_sizes, .periods = {1, 1}, .depths = {}};
  const CartComm& grid = grid_of(first);
  std::vector<double> values(400);
  std::array<int, 2> sizes{};
  std::array<int, 2> low{};
  std::array<int, 2> high{};
  for (int repetition = 0; repetition < 4; ++repetition) {
    for (int shape = 0; shape < 12; ++shape) {
      const int stencil = shape % 2 == 0 ? RONDO_STENCIL_BOX : RONDO_STENCIL_STAR;
      const int order = shape % 3 == 0 ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
      const Distribution distribution{.grid = grid_sizes,
                                      .periods = {1, 1},
                                      .depths = {{1 + shape % 2, 1}, {2, 1 + shape / 6}},
                                      .stencil = shape % 2 == 0 ? Stencil::box : Stencil::star,
                                      .order = shape % 3 == 0 ? StorageOrder::column_major : StorageOrder::row_major,
                                      .inside = [shape](int k, int) { return 4 + (shape + k) % 5; }};
      const Part part(distribution, grid.coordinates());
      for (std::size_t k = 0; k < 2; ++k) {
        sizes[k] = part.sizes()[k];
        low[k] = distribution.depths[k].low;
        high[k] = distribution.depths[k].high;
      }
      const auto number = static_cast<std::size_t>(part.elements());
      for (std::size_t i = 0; i < number; ++i) values[i] = part.value(static_cast<int>(i), false, repetition, -1);
      if (repetition % 2 == 0) {
        ASSERT_EQ(Rondo_Halo_exchange(values.data(), 2, sizes.data(), nullptr, low.data(), high.data(), order,
                                      MPI_DOUBLE, stencil, grid.native()),
                  MPI_SUCCESS);
      } else {
        Rondo_Request request = RONDO_REQUEST_NULL;
        ASSERT_EQ(Rondo_Ihalo_exchange(values.data(), 2, sizes.data(), nullptr, low.data(), high.data(), order,
                                       MPI_DOUBLE, stencil, grid.native(), &request),
                  MPI_SUCCESS);
        ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      }
      for (std::size_t i = 0; i < number; ++i)
        ASSERT_EQ(values[i], part.value(static_cast<int>(i), true, repetition, -1)) << shape << ", element " << i;
    }
  }
}

/// Memory that an array with strides lies in, with what its elements do not cover.
class Strided {
 public:
  Strided(const Distribution& distribution, const Part& part, std::vector<MPI_Aint> strides)
      : distribution_(distribution), part_(part), strides_(std::move(strides)) {
    MPI_Aint last = 0;
    for (std::size_t k = 0; k < strides_.size(); ++k) last += (part.sizes()[k] - 1) * strides_[k];
    memory.resize(static_cast<std::size_t>(last) + 1 + kBehind);
  }
  void fill(int repetition) {
    std::ranges::fill(memory, kGap);
    for (int i = 0; i < part_.elements(); ++i) memory[place(i)] = part_.value(i, false, repetition, kUntouched);
  }
  void expect(int repetition, const std::string& what) {
    for (int i = 0; i < part_.elements(); ++i) {
      ASSERT_EQ(memory[place(i)], part_.value(i, true, repetition, kUntouched)) << what << ", element " << i;
      memory[place(i)] = kGap;
    }
    for (std::size_t i = 0; i < memory.size(); ++i) ASSERT_EQ(memory[i], kGap) << what << ", gap at " << i;
  }
  [[nodiscard]] HaloArray array() {
    return HaloArray::of<double>(memory, part_.sizes(), distribution_.depths, distribution_.order).strided(strides_);
  }

  std::vector<double> memory;

 private:
  static constexpr double kUntouched = -1;
  static constexpr double kGap = -7;
  static constexpr std::size_t kBehind = 3;

  [[nodiscard]] std::size_t place(int i) const {
    MPI_Aint at = 0;
    for (std::size_t n = 0; n < strides_.size(); ++n) {
      const std::size_t k = distribution_.order == StorageOrder::row_major ? strides_.size() - 1 - n : n;
      at += i % part_.sizes()[k] * strides_[k];
      i /= part_.sizes()[k];
    }
    return static_cast<std::size_t>(at);
  }

  const Distribution& distribution_;
  const Part& part_;
  std::vector<MPI_Aint> strides_;
};

TEST(HaloExchange, PaddedRows) {
  for (const std::size_t d : {2U, 3U}) {
    for (const StorageOrder order : {StorageOrder::row_major, StorageOrder::column_major}) {
      for (const Variant& variant : kVariants) {
        const Distribution distribution{.grid = balanced(static_cast<int>(d)),
                                        .periods = std::vector<int>(d, 1),
                                        .depths = std::vector<HaloDepth>(d, {1, 2}),
                                        .order = order,
                                        .inside = [](int k, int) { return 4 + k; }};
        const CartComm& grid = grid_of(distribution);
        const Part part(distribution, grid.coordinates());
        // Rows and planes that are one element longer than the sizes, and as many as the rank's number.
        std::vector<MPI_Aint> strides(d);
        MPI_Aint stride = 1;
        for (std::size_t n = 0; n < d; ++n) {
          const std::size_t k = order == StorageOrder::row_major ? d - 1 - n : n;
          strides[k] = stride;
          stride *= part.sizes()[k] + 1 + grid.rank();
        }
        Strided strided(distribution, part, strides);
        Request halo = halo_init(grid, strided.array(), distribution.stencil, options(variant));
        for (int repetition = 1; repetition <= 2; ++repetition) {
          strided.fill(repetition);
          halo.start();
          halo.wait();
          strided.expect(repetition, halo.algorithm());
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

/// Arrays by chance, with strides that are each rank's own, in all forms.
TEST(HaloExchange, RandomStrides) {
  const int rank = grid_of({.grid = balanced(1), .periods = {1}, .depths = {}}).rank();
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 common(seed);
    std::mt19937 own(1000 * seed + static_cast<unsigned>(rank));
    const auto draw = [](std::mt19937& from, unsigned below) { return static_cast<int>(from() % below); };
    // Few grids, one after the other, as MPICH takes long to make one.
    const std::size_t dimensions = 1 + seed / 20;
    const std::size_t distributed = seed % 20 < 5 ? 1 : dimensions;
    Distribution distribution{.grid = balanced(static_cast<int>(distributed)),
                              .periods = std::vector<int>(dimensions),
                              .depths = std::vector<HaloDepth>(dimensions)};
    for (std::size_t k = 0; k < distributed; ++k) {
      distribution.periods[k] = k == 0 ? 1 : 0;
      distribution.depths[k] = {draw(common, 3), draw(common, 4)};
    }
    distribution.stencil = draw(common, 2) == 0 ? Stencil::box : Stencil::star;
    distribution.order = draw(common, 2) == 0 ? StorageOrder::row_major : StorageOrder::column_major;
    distribution.inside = [a = draw(common, 3), b = draw(common, 3)](int k, int coordinate) {
      return 3 + (a * k + b * coordinate) % 3;
    };
    const Variant& variant = kVariants[common() % std::size(kVariants)];
    const int form = draw(common, 3);
    const CartComm& grid = grid_of(distribution);
    const Part part(distribution, grid.coordinates());
    std::vector<std::size_t> axes(dimensions);
    std::iota(axes.begin(), axes.end(), 0);
    std::ranges::shuffle(axes, own);
    std::vector<MPI_Aint> strides(dimensions);
    MPI_Aint reach = 1;
    for (const std::size_t k : axes) {
      strides[k] = reach + draw(own, 4);
      reach += (part.sizes()[k] - 1) * strides[k];
    }
    Strided strided(distribution, part, strides);
    Request halo;
    if (form == 0) {
      if (seed % 4 == 0) setenv("RONDO_CHECK", "1", 1);
      halo = halo_init(grid, strided.array(), distribution.stencil, options(variant));
      unsetenv("RONDO_CHECK");
    }
    for (int repetition = 1; repetition <= 4; ++repetition) {
      strided.fill(repetition);
      if (form == 0) halo.start();
      if (form == 1) halo = ihalo_exchange(grid, strided.array(), distribution.stencil);
      if (form == 2) halo_exchange(grid, strided.array(), distribution.stencil);
      halo.wait();
      strided.expect(repetition, "seed " + std::to_string(seed));
      if (HasFatalFailure()) return;
    }
  }
}

/// Values of a number type that another cannot tell from a double up to 2^24.
template <typename T>
class Field {
 public:
  Field(Distribution distribution, const CartComm& grid)
      : distribution_(std::move(distribution)), part_(distribution_, grid.coordinates()) {
    distribution_.stencil = Stencil::box;
    values_.resize(static_cast<std::size_t>(part_.elements()));
  }
  void fill(int repetition) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = wanted(i, false, repetition);
  }
  void expect(int repetition, const std::string& what) const {
    for (std::size_t i = 0; i < values_.size(); ++i)
      ASSERT_EQ(values_[i], wanted(i, true, repetition)) << what << ", element " << i;
  }
  [[nodiscard]] HaloArray array() {
    return HaloArray::of<T>(values_, part_.sizes(), distribution_.depths, distribution_.order);
  }

 private:
  [[nodiscard]] T wanted(std::size_t i, bool exchanged, int repetition) const {
    const double value = part_.value(static_cast<int>(i), exchanged, repetition, -1);
    return static_cast<T>(static_cast<std::int64_t>(value) % 251);
  }

  Distribution distribution_;
  Part part_;
  std::vector<T> values_;
};

/// Arrays that have nothing in common but the grid, in all forms and algorithms.
TEST(HaloExchange, SeveralArrays) {
  const auto uneven = [](int k, int coordinate) { return 4 + (k + 2 * coordinate) % 3; };
  for_each_periods(2, 2, [&](const std::vector<int>& periods) {
    const std::vector<int> sizes = balanced(2);
    const auto open_behind = [&] {
      std::vector<int> longer = periods;
      longer.push_back(0);
      return longer;
    };
    for (const Variant& variant : kVariants) {
      Options how = options(variant);
      how.assert_isomorphic = true;
      const Distribution first{.grid = sizes, .periods = periods, .depths = {{2, 1}, {0, 3}}, .inside = uneven};
      const CartComm grid = grid_of(first).with_neighborhood(Neighborhood(2), how);
      Field<double> doubles(first, grid);
      Field<std::int16_t> shorts({.grid = sizes,
                                  .periods = open_behind(),
                                  .depths = {{0, 0}, {1, 4}, {0, 0}},
                                  .order = StorageOrder::column_major},
                                 grid);
      Field<float> floats({.grid = sizes, .periods = periods, .depths = {{1, 1}, {1, 1}}}, grid);
      const std::array arrays{doubles.array(), shorts.array(), floats.array()};
      Request persistent = halo_init(grid, {arrays[0], arrays[1], arrays[2]});
      for (int repetition = 1; repetition <= 9; ++repetition) {
        doubles.fill(repetition);
        shorts.fill(repetition + 1);
        floats.fill(repetition + 2);
        Request halo;
        if (repetition % 3 == 0) persistent.start();
        if (repetition == 1) halo_exchange(grid, {arrays[0], arrays[1], arrays[2]});
        if (repetition == 2) halo = ihalo_exchange(grid, {arrays[0], arrays[1], arrays[2]});
        if (repetition > 3 && repetition % 3 == 1) halo_exchange(grid, arrays);
        if (repetition > 3 && repetition % 3 == 2) halo = ihalo_exchange(grid, arrays);
        halo.wait();
        persistent.wait();
        doubles.expect(repetition, persistent.algorithm());
        shorts.expect(repetition + 1, persistent.algorithm());
        floats.expect(repetition + 2, persistent.algorithm());
        if (HasFatalFailure()) return;
      }
    }
  });
}

TEST(HaloExchange, SeveralArraysTakeTheMessagesOfOne) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  std::vector<double> one(100);
  std::vector<int> two(144);
  const std::array arrays{HaloArray::of<double>(one, {10, 10}, 2), HaloArray::of<int>(two, {12, 12}, 1)};
  for (const Variant& variant : kVariants) {
    if (std::string_view(variant.algorithm) == "auto") continue;
    const auto sends = [](const Request& request) {
      const std::string graph = request.to_dot();
      std::size_t number = 0;
      for (std::size_t at = graph.find("send"); at != std::string::npos; at = graph.find("send", at + 1)) ++number;
      return number;
    };
    const Request alone = halo_init(grid, arrays[0], Stencil::box, options(variant));
    const Request together = halo_init(grid, arrays, Stencil::box, options(variant));
    EXPECT_EQ(together.algorithm(), alone.algorithm());
    EXPECT_EQ(sends(together), sends(alone)) << variant.algorithm;
    EXPECT_TRUE(grid.size() == 1 || sends(alone) > 0);
  }
}

/// Fields that lie between each other: every second element of one buffer, and the others.
TEST(HaloExchange, ArraysBetweenEachOther) {
  const Distribution distribution{.grid = balanced(2), .periods = {1, 1}, .depths = {{1, 2}, {1, 1}}};
  const CartComm& grid = grid_of(distribution);
  const Part part(distribution, grid.coordinates());
  const auto number = static_cast<std::size_t>(part.elements());
  std::vector<double> both(2 * number);
  const auto field = [&](std::size_t which) {
    return HaloArray::of<double>(std::span(both).subspan(which), part.sizes(), distribution.depths)
        .strided({2 * part.sizes()[1], 2});
  };
  const std::array arrays{field(1), field(0)};
  for (int repetition = 0; repetition < 3; ++repetition) {
    for (std::size_t i = 0; i < 2 * number; ++i)
      both[i] = part.value(static_cast<int>(i / 2), false, static_cast<int>(i % 2) + repetition, -1);
    halo_exchange(grid, arrays);
    for (std::size_t i = 0; i < 2 * number; ++i)
      ASSERT_EQ(both[i], part.value(static_cast<int>(i / 2), true, static_cast<int>(i % 2) + repetition, -1)) << i;
  }
}

TEST(HaloExchange, SeveralArraysFromC) {
  const Distribution distribution{.grid = balanced(2), .periods = {1, 1}, .depths = {{1, 2}, {1, 1}}};
  const CartComm& grid = grid_of(distribution);
  const Part part(distribution, grid.coordinates());
  const auto number = static_cast<std::size_t>(part.elements());
  const std::array low{1, 1};
  const std::array high{2, 1};
  std::vector<double> first(number);
  std::vector<double> second(number);
  const auto array_of = [&](std::vector<double>& values) {
    return Rondo_Halo_array{values.data(), 2,           part.sizes().data(), nullptr,
                            low.data(),    high.data(), MPI_ORDER_C,         MPI_DOUBLE};
  };
  const std::array arrays{array_of(first), array_of(second)};
  Rondo_Request persistent = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Halos_init(2, arrays.data(), RONDO_STENCIL_BOX, grid.native(), MPI_INFO_NULL, &persistent),
            MPI_SUCCESS);
  for (int repetition = 0; repetition < 9; ++repetition) {
    for (std::size_t i = 0; i < number; ++i) {
      first[i] = part.value(static_cast<int>(i), false, repetition, -1);
      second[i] = part.value(static_cast<int>(i), false, repetition + 1, -1);
    }
    Rondo_Request request = RONDO_REQUEST_NULL;
    if (repetition % 3 == 0) {
      ASSERT_EQ(Rondo_Halos_exchange(2, arrays.data(), RONDO_STENCIL_BOX, grid.native()), MPI_SUCCESS);
    } else if (repetition % 3 == 1) {
      ASSERT_EQ(Rondo_Ihalos_exchange(2, arrays.data(), RONDO_STENCIL_BOX, grid.native(), &request), MPI_SUCCESS);
    } else {
      ASSERT_EQ(Rondo_Start(&persistent), MPI_SUCCESS);
    }
    ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    ASSERT_EQ(Rondo_Wait(&persistent, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (std::size_t i = 0; i < number; ++i) {
      ASSERT_EQ(first[i], part.value(static_cast<int>(i), true, repetition, -1)) << i;
      ASSERT_EQ(second[i], part.value(static_cast<int>(i), true, repetition + 1, -1)) << i;
    }
  }
  EXPECT_EQ(Rondo_Request_free(&persistent), MPI_SUCCESS);
}

class HaloCheck : public ::testing::Test {
 protected:
  void SetUp() override { setenv("RONDO_CHECK", "1", 1); }
  void TearDown() override { unsetenv("RONDO_CHECK"); }
};

TEST_F(HaloCheck, WhatIsRightPasses) {
  for (const Variant& variant : kVariants) {
    if (HasFatalFailure()) return;
    expect_exchanged({.grid = balanced(2), .periods = {1, 0}, .depths = {{2, 3}, {3, 1}}, .stencil = Stencil::star},
                     variant);
    expect_exchanged({.grid = balanced(3), .periods = {1, 0, 1}, .depths = {{1, 1}, {0, 2}, {1, 1}}}, variant);
  }
}

TEST_F(HaloCheck, Elements) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  std::vector<double> array(64);
  const auto error_for = [&](MPI_Datatype element) -> std::string {
    try {
      static_cast<void>(halo_init(grid, {array.data(), -1, element, {4, 4}, {{1, 1}, {1, 1}}}));
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_TYPE);
      return error.what();
    }
    return {};
  };
  MPI_Datatype wide = MPI_DATATYPE_NULL;
  MPI_Datatype overlapping = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_DOUBLE, &wide);
  MPI_Type_create_resized(wide, 0, sizeof(double), &overlapping);
  MPI_Type_commit(&overlapping);
  EXPECT_NE(error_for(overlapping).find("RONDO_CHECK: element: two elements of rank 0 share 8 bytes"),
            std::string::npos);
  MPI_Type_free(&wide);
  MPI_Type_free(&overlapping);
  EXPECT_EQ(error_for(MPI_DOUBLE), "");
  if (grid.size() == 1) return;
  const std::string text = error_for(grid.rank() == grid.size() - 1 ? MPI_INT64_T : MPI_DOUBLE);
  EXPECT_NE(text.find("element: rank 0 has"), std::string::npos) << text;
  EXPECT_NE(text.find("MPI_DOUBLE"), std::string::npos) << text;
}

TEST_F(HaloCheck, SeveralArrays) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  std::vector<double> first(36);
  std::vector<std::int64_t> second(49);
  std::vector<double> third(49);
  const auto arrays = [&](bool odd) {
    return std::array{HaloArray::of<double>(first, {6, 6}, 2),
                      odd ? HaloArray::of<double>(third, {7, 7}, 1) : HaloArray::of<std::int64_t>(second, {7, 7}, 1)};
  };
  for (const char* algorithm : {"direct", "combining", "joined"}) {
    Options how;
    how.algorithm = algorithm_from(algorithm);
    Request halo = halo_init(grid, arrays(false), Stencil::star, how);
    halo.start();
    halo.wait();
  }
  if (grid.size() == 1) return;
  try {
    static_cast<void>(halo_init(grid, arrays(grid.rank() == 0)));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_TYPE);
    EXPECT_NE(std::string(error.what()).find("arrays[1].element: rank 0 has"), std::string::npos) << error.what();
  }
}

/// A lowering of ours that is wrong on one rank.
TEST_F(HaloCheck, AWrongSchedule) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  NeighborhoodContext& context = NeighborhoodContext::of(grid.native());
  const MPI_Comm comm = context.calls().on()->comm();
  const std::array sizes{5, 5};
  const std::array depths{1, 1};
  std::array<char, 25> array{};
  const HaloCallArray given{
      array.data(), 2, sizes.data(), nullptr, depths.data(), depths.data(), StorageOrder::row_major, MPI_CHAR};
  const HaloCall call{"test", {&given, 1}, Stencil::box, false};
  const auto arrays = check_halo_call(call, context.grid(), comm);
  const halo::Problem problem{context.grid(), *arrays, *arrays, context.calls().on()->costs(Medium::mpi)};
  const auto right = halo::choose(problem, "combining", Ordering::dependencies).schedule;
  EXPECT_NO_THROW(check_halo_at_init(*right, call, *arrays, context.grid(), comm));
  ScheduleParts parts = right->parts();
  if (grid.rank() == 0) parts.edges.clear();
  const Schedule wrong(std::move(parts));
  try {
    check_halo_at_init(wrong, call, *arrays, context.grid(), comm);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_INTERN);
    EXPECT_NE(std::string(error.what()).find("rank 0"), std::string::npos) << error.what();
  }
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
