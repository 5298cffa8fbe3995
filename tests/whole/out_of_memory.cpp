// Every allocation of Rondo's own fails in turn, once and for good, while a communicator or a request is made on one of
// the ranks.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/faults/failing_allocations.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

namespace {

TEST_P(OutOfMemory, NeighborhoodCreate) {
  for (const int reorder : {0, 1}) {
    MPI_Comm cart = MPI_COMM_NULL;
    const std::size_t places = fail_each([] {}, [&] { return create(&cart, reorder); },
                                         [&] {
                                           if (cart != MPI_COMM_NULL) MPI_Comm_free(&cart);
                                         });
    if (rank_ == 0) std::printf("%zu allocations\n", places);
    EXPECT_GT(places, 5U);
  }
}

TEST_P(OutOfMemory, IsoNeighborhoodCreate) {
  for (const bool attaching : {true, false}) {
    MPI_Comm cart = MPI_COMM_NULL;
    MPI_Comm iso = MPI_COMM_NULL;
    const auto before = [&] {
      MPI_Cart_create(MPI_COMM_WORLD, 2, sizes_.data(), periods_.data(), 0, &cart);
      if (attaching) return;
      ASSERT_EQ(Rondo_Iso_neighborhood_create(cart, 1, offsets_.data(), &iso), MPI_SUCCESS);
    };
    const auto after = [&] {
      int flag = 0;
      if (iso == MPI_COMM_NULL) {
        EXPECT_EQ(Rondo_Cart_neighbor_count(cart, &flag) == MPI_SUCCESS, !attaching) << "left behind by a failure";
      }
      if (!attaching && iso != MPI_COMM_NULL) MPI_Comm_free(&iso);
      MPI_Comm_free(&cart);
    };
    const std::size_t places = fail_each(
        before, [&] { return Rondo_Iso_neighborhood_create(cart, 4, offsets_.data(), &iso); }, after);
    EXPECT_GT(places, 5U);
  }
}

/// On a mesh, whose corners have neighbors that the middle has not: all the ways there are.
TEST_P(OutOfMemory, NeighborhoodFromGraph) {
  const std::array no_periods{0, 0};
  MPI_Comm mesh = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, sizes_.data(), no_periods.data(), 4, offsets_.data(),
                                           MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &mesh),
            MPI_SUCCESS);
  std::array<int, 4> sources{}, targets{};
  int t = 0, in = 0, out = 0;
  Rondo_Iso_neighborhood_count(mesh, &t, &in, &out);
  Rondo_Iso_neighborhood_graph_get(mesh, 4, sources.data(), targets.data());
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(mesh, in, sources.data(), MPI_UNWEIGHTED, out, targets.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
  MPI_Comm cart = MPI_COMM_NULL;
  int isomorphic = 0;
  const auto find = [&] {
    return Rondo_Neighborhood_from_graph(graph, 2, sizes_.data(), no_periods.data(), MPI_INFO_NULL, &isomorphic,
                                         nullptr, &cart);
  };
  const std::size_t places = fail_each([] {}, find,
                                       [&] {
                                         if (cart != MPI_COMM_NULL) MPI_Comm_free(&cart);
                                       });
  EXPECT_EQ(isomorphic, 1);
  if (rank_ == 0) std::printf("%zu allocations\n", places);
  EXPECT_GT(places, 10U);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&mesh);
}

TEST_P(OutOfMemory, FurtherNeighborhood) {
  rondo::Options options;
  options.algorithm = rondo::Algorithm::coalesced_where_it_pays;  // too long a name to be kept without memory
  const rondo::CartComm torus(MPI_COMM_WORLD, sizes_, rondo::moore(2, 1), options);
  const rondo::Neighborhood star = rondo::von_neumann(2, 1);
  std::optional<rondo::CartComm> further;
  const auto make = [&] {
    try {
      further.emplace(torus.with_neighborhood(star));
    } catch (const std::bad_alloc&) {
      return MPI_ERR_NO_MEM;
    } catch (const rondo::Error& error) {
      return error.error_class() == MPI_ERR_ARG ? MPI_ERR_NO_MEM : error.error_class();
    }
    return MPI_SUCCESS;
  };
  const std::size_t places = fail_each([] {}, make, [&] { further.reset(); });
  EXPECT_GT(places, 2U);
}

/// Persistent requests of the collectives, whose datatype is a column of three.
class OutOfMemoryInit : public OutOfMemory {
 protected:
  /// `init(column, cart, &request)` is an _init call.
  template <typename Init>
  void fail_each_of(Init init_call) {
    MPI_Comm cart = MPI_COMM_NULL;
    MPI_Datatype column = MPI_DATATYPE_NULL;
    Rondo_Request request = RONDO_REQUEST_NULL;
    const auto before = [&] {
      ASSERT_EQ(create(&cart), MPI_SUCCESS);
      MPI_Type_vector(3, 1, 5, MPI_INT, &column);
      MPI_Type_commit(&column);
    };
    const auto init = [&] { return init_call(column, cart, &request); };
    const auto after = [&] {
      // After a failure the communicator is as good as before.
      if (request == RONDO_REQUEST_NULL) {
        EXPECT_EQ(init(), MPI_SUCCESS);
      }
      EXPECT_EQ(Rondo_Start(&request), MPI_SUCCESS);
      EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
      MPI_Type_free(&column);
      MPI_Comm_free(&cart);
    };
    const std::size_t places = fail_each(before, init, after);
    if (rank_ == 0) std::printf("%zu allocations\n", places);
    EXPECT_GT(places, 20U);
  }

  std::vector<int> send_ = std::vector<int>(64, 1);
  std::vector<int> recv_ = std::vector<int>(64);
  std::array<int, 4> counts_{1, 1, 1, 1};
  std::array<MPI_Aint, 4> places_{0, 4, 8, 12};
};

TEST_P(OutOfMemoryInit, Alltoallw) {
  for (const int periodic : {1, 0}) {
    periods_ = {1, periodic};
    fail_each_of([&](MPI_Datatype column, MPI_Comm cart, Rondo_Request* request) {
      const std::array types{column, column, column, column};
      return Rondo_Cart_alltoallw_init(send_.data(), counts_.data(), places_.data(), types.data(), recv_.data(),
                                       counts_.data(), places_.data(), types.data(), cart, MPI_INFO_NULL, request);
    });
  }
}

/// Every rank sends another number of elements, which takes one collective more. Long blocks are packed once for all.
TEST_P(OutOfMemoryInit, Allgatherv) {
  for (const int unit : {1, 100}) {
    std::vector<int> send(static_cast<std::size_t>((rank_ + 1) * unit));
    std::vector<int> recv(static_cast<std::size_t>(64 * unit));
    fail_each_of([&](MPI_Datatype, MPI_Comm cart, Rondo_Request* request) {
      std::array<int, 4> sources{};
      std::array<int, 4> targets{};
      Rondo_Cart_neighbor_get(cart, 4, sources.data(), MPI_UNWEIGHTED, 4, targets.data(), MPI_UNWEIGHTED);
      std::array<int, 4> counts{};
      std::array<int, 4> places{};
      for (std::size_t i = 0; i < 4; ++i) {
        counts[i] = (sources[i] + 1) * unit;
        places[i] = static_cast<int>(i) * 16 * unit;
      }
      return Rondo_Cart_allgatherv_init(send.data(), (rank_ + 1) * unit, MPI_INT, recv.data(), counts.data(),
                                        places.data(), MPI_INT, cart, MPI_INFO_NULL, request);
    });
  }
}

TEST_P(OutOfMemoryInit, ScatterReduce) {
  fail_each_of([&](MPI_Datatype column, MPI_Comm cart, Rondo_Request* request) {
    const std::array types{column, column, column, column};
    return Rondo_Cart_scatter_reduce_init(send_.data(), counts_.data(), places_.data(), types.data(), recv_.data(), 3,
                                          MPI_INT, MPI_SUM, cart, MPI_INFO_NULL, request);
  });
}

/// Blocks of one size, and of several, which takes a second round of agreement.
TEST_P(OutOfMemory, HaloInit) {
  for (const bool uneven : {false, true}) {
    MPI_Comm cart = MPI_COMM_NULL;
    MPI_Datatype element = MPI_DATATYPE_NULL;
    const std::array depths{2, 1};
    std::array<int, 2> sizes{8, 9};
    std::vector<int> values(1000, rank_);
    Rondo_Request request = RONDO_REQUEST_NULL;
    const auto before = [&] {
      ASSERT_EQ(create(&cart), MPI_SUCCESS);
      std::array<int, 2> coordinates{};
      MPI_Cart_coords(cart, rank_, 2, coordinates.data());
      if (uneven) sizes[0] = 8 + coordinates[0];
      MPI_Type_vector(2, 1, 2, MPI_INT, &element);
      MPI_Type_commit(&element);
    };
    const auto init = [&] {
      return Rondo_Halo_init(values.data(), 2, sizes.data(), nullptr, depths.data(), depths.data(), MPI_ORDER_C,
                             element, RONDO_STENCIL_STAR, cart, MPI_INFO_NULL, &request);
    };
    const auto after = [&] {
      if (request == RONDO_REQUEST_NULL) {
        EXPECT_EQ(init(), MPI_SUCCESS);
      }
      EXPECT_EQ(Rondo_Start(&request), MPI_SUCCESS);
      EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
      MPI_Type_free(&element);
      MPI_Comm_free(&cart);
    };
    const std::size_t places = fail_each(before, init, after);
    if (rank_ == 0) std::printf("%zu allocations\n", places);
    EXPECT_GT(places, 20U);
  }
}

/// A nonblocking call tells its caller only; repeated there, it matches what the other ranks started. It learns
/// nothing: what ranks tell each other of the first calls may come after the last one.
TEST_P(OutOfMemory, ANonblockingCallCanBeRepeated) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_learn", "off");
  for (std::size_t number = 0;; ++number) {
    const std::ptrdiff_t alive_before = alive;
    MPI_Comm cart = MPI_COMM_NULL;
    ASSERT_EQ(Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, sizes_.data(), periods_.data(), 4, offsets_.data(),
                                             MPI_UNWEIGHTED, info, 0, &cart),
              MPI_SUCCESS);
    MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
    std::array<int, 4> sources{};
    std::array<int, 4> targets{};
    Rondo_Cart_neighbor_get(cart, 4, sources.data(), MPI_UNWEIGHTED, 4, targets.data(), MPI_UNWEIGHTED);
    const std::array send{rank_, rank_ + 10, rank_ + 20, rank_ + 30};
    for (int repetition = 0; repetition < 2; ++repetition) {
      std::array<int, 4> recv{};
      Rondo_Request request = RONDO_REQUEST_NULL;
      const auto start = [&] {
        return Rondo_Icart_alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, cart, &request);
      };
      struck = repetition > 0 && struck;
      for_good = GetParam();
      good_ones = repetition == 0 && rank_ == ranks_ - 1 ? number : kNever;
      const int code = start();
      good_ones = kNever;
      if (code != MPI_SUCCESS) {
        EXPECT_EQ(code, MPI_ERR_NO_MEM);
        ASSERT_EQ(start(), MPI_SUCCESS);
      }
      EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(recv[i], sources[i] + static_cast<int>(i) * 10);
    }
    MPI_Comm_free(&cart);
    EXPECT_EQ(alive, alive_before) << "leaked after allocation " << number << " failed";
    int struck_anywhere = struck ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &struck_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (struck_anywhere == 0 || HasFailure()) {
      EXPECT_GT(number, 20U);
      break;
    }
  }
  MPI_Info_free(&info);
}

/// While it learns, too: which plan it is for, and what ranks tell each other, is as if it had not failed.
class OutOfMemoryLearning : public OutOfMemory {
 protected:
  /// `run(cart)` is a call, before which comes `fill(call)`, and after it `check(cart, call)`. `every`: which
  /// allocation fails, or with a RONDO_TEST_SCALE below 1 fewer.
  template <typename Fill, typename Run, typename Check>
  void fail_each_of(std::size_t every, Fill fill, Run run, Check check) {
    constexpr int kCalls = 160;  // past two looks of four plans, before the third: no sums are under way at the end
    const std::size_t step = rondo::internal::test_scale() < 1 ? 13 * every : every;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_learn", "4");
    // First without failures: what lives as long as the process is there then.
    for (std::size_t number = kNever;; number = number == kNever ? 0 : number + step) {
      const std::ptrdiff_t alive_before = alive;
      MPI_Comm cart = MPI_COMM_NULL;
      ASSERT_EQ(Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, sizes_.data(), periods_.data(), 4, offsets_.data(),
                                               MPI_UNWEIGHTED, info, 0, &cart),
                MPI_SUCCESS);
      MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
      struck = false;
      for_good = false;
      good_ones = rank_ == ranks_ - 1 ? number : kNever;
      for (int call = 0; call < kCalls && !HasFatalFailure(); ++call) {
        fill(call);
        const int code = run(cart);
        if (code != MPI_SUCCESS) {
          EXPECT_EQ(code, MPI_ERR_NO_MEM);
          ASSERT_EQ(run(cart), MPI_SUCCESS);
        }
        check(cart, call);
      }
      good_ones = kNever;
      MPI_Comm_free(&cart);
      if (number == kNever) continue;
      EXPECT_EQ(alive, alive_before) << "leaked after allocation " << number << " failed";
      int struck_anywhere = struck ? 1 : 0;
      MPI_Allreduce(MPI_IN_PLACE, &struck_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      if (struck_anywhere == 0 || HasFailure()) {
        if (rank_ == 0) std::printf("%zu allocations\n", number);
        EXPECT_GT(number, 100U);
        break;
      }
    }
    MPI_Info_free(&info);
  }

  /// `alltoall(send, recv, count, cart)` is a call.
  template <typename Alltoall>
  void fail_each_alltoall(Alltoall alltoall) {
    constexpr int kCount = 100;
    std::vector<int> send(4 * kCount);
    std::vector<int> recv(4 * kCount);
    const auto fill = [&](int call) {
      for (int i = 0; i < 4 * kCount; ++i) send[static_cast<std::size_t>(i)] = rank_ * 100000 + call * 1000 + i;
    };
    const auto check = [&](MPI_Comm cart, int call) {
      std::array<int, 4> sources{};
      std::array<int, 4> targets{};
      Rondo_Cart_neighbor_get(cart, 4, sources.data(), MPI_UNWEIGHTED, 4, targets.data(), MPI_UNWEIGHTED);
      for (int i = 0; i < 4 * kCount; ++i) {
        const auto place = static_cast<std::size_t>(i);
        ASSERT_EQ(recv[place], sources[place / kCount] * 100000 + call * 1000 + i) << "call " << call;
      }
    };
    fail_each_of(
        1, fill, [&](MPI_Comm cart) { return alltoall(send.data(), recv.data(), kCount, cart); }, check);
  }

  /// `exchange(cells, sizes, depths, cart)` is a call.
  template <typename Exchange>
  void fail_each_halo(Exchange exchange) {
    constexpr std::array kSizes{8, 8};
    constexpr std::array kDepths{1, 1};
    constexpr std::size_t kRow = 8;
    std::vector<int> cells(kRow * kRow);
    const auto fill = [&](int call) { std::ranges::fill(cells, rank_ * 1000 + call); };
    const auto run = [&](MPI_Comm cart) { return exchange(cells.data(), kSizes.data(), kDepths.data(), cart); };
    const auto check = [&](MPI_Comm cart, int call) {
      int before = 0;
      int after = 0;
      MPI_Cart_shift(cart, 0, 1, &before, &after);
      EXPECT_EQ(cells[kRow / 2], before * 1000 + call);
      EXPECT_EQ(cells[kRow * (kRow - 1) + kRow / 2], after * 1000 + call);
      MPI_Cart_shift(cart, 1, 1, &before, &after);
      EXPECT_EQ(cells[kRow], before * 1000 + call);
      EXPECT_EQ(cells[2 * kRow - 1], after * 1000 + call);
    };
    fail_each_of(3, fill, run, check);
  }
};

TEST_P(OutOfMemoryLearning, ABlockingCallCanBeRepeated) {
  fail_each_alltoall([](const int* send, int* recv, int count, MPI_Comm cart) {
    return Rondo_Cart_alltoall(send, count, MPI_INT, recv, count, MPI_INT, cart);
  });
}

TEST_P(OutOfMemoryLearning, ANonblockingCallCanBeRepeated) {
  fail_each_alltoall([](const int* send, int* recv, int count, MPI_Comm cart) {
    Rondo_Request request = RONDO_REQUEST_NULL;
    const int code = Rondo_Icart_alltoall(send, count, MPI_INT, recv, count, MPI_INT, cart, &request);
    return code == MPI_SUCCESS ? Rondo_Wait(&request, MPI_STATUS_IGNORE) : code;
  });
}

TEST_P(OutOfMemoryLearning, ABlockingHaloExchangeCanBeRepeated) {
  fail_each_halo([](int* cells, const int* sizes, const int* depths, MPI_Comm cart) {
    return Rondo_Halo_exchange(cells, 2, sizes, nullptr, depths, depths, MPI_ORDER_C, MPI_INT, RONDO_STENCIL_BOX, cart);
  });
}

TEST_P(OutOfMemoryLearning, ANonblockingHaloExchangeCanBeRepeated) {
  fail_each_halo([](int* cells, const int* sizes, const int* depths, MPI_Comm cart) {
    Rondo_Request request = RONDO_REQUEST_NULL;
    const int code = Rondo_Ihalo_exchange(cells, 2, sizes, nullptr, depths, depths, MPI_ORDER_C, MPI_INT,
                                          RONDO_STENCIL_BOX, cart, &request);
    return code == MPI_SUCCESS ? Rondo_Wait(&request, MPI_STATUS_IGNORE) : code;
  });
}

/// Datatypes are made without other ranks. What MPI keeps of one that is given up is not ours to count, but its layout
/// is.
TEST_P(OutOfMemory, DatatypeConstructors) {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_SHORT, &column);
  const std::array counts{2, 0, 1};
  for (int constructor = 0; constructor < 4; ++constructor) {
    for (std::size_t number = 0;; ++number) {
      const std::ptrdiff_t alive_before = alive;
      MPI_Datatype type = MPI_DATATYPE_NULL;
      struck = false;
      for_good = GetParam();
      good_ones = number;
      const int code = constructor == 0   ? Rondo_Type_create_vector_bounded(9, 2, 4, column, &type)
                       : constructor == 1 ? Rondo_Type_create_vector_circular(12, 7, 12, 3, 5, column, &type)
                       : constructor == 2 ? Rondo_Type_create_bucket(3, 3, counts.data(), column, &type)
                                          : Rondo_Type_create_triangular(4, 1, 1, 4, 0, column, &type);
      good_ones = kNever;
      EXPECT_EQ(code == MPI_SUCCESS, type != MPI_DATATYPE_NULL);
      EXPECT_TRUE(code == MPI_SUCCESS || code == MPI_ERR_NO_MEM);
      if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
      EXPECT_EQ(alive, alive_before) << "leaked after allocation " << number << " failed";
      if (!struck || HasFailure()) {
        EXPECT_GT(number, 3U);
        break;
      }
    }
  }
  MPI_Type_free(&column);
}

INSTANTIATE_TEST_SUITE_P(Failing, OutOfMemory, ::testing::Values(false, true),
                         [](const auto& values) { return values.param ? "ForGood" : "Once"; });
INSTANTIATE_TEST_SUITE_P(Failing, OutOfMemoryLearning, ::testing::Values(false), [](const auto&) { return "Once"; });
INSTANTIATE_TEST_SUITE_P(Failing, OutOfMemoryInit, ::testing::Values(false, true),
                         [](const auto& values) { return values.param ? "ForGood" : "Once"; });

}  // namespace
