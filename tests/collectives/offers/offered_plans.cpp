// Algorithms of the user's own in the library's collectives: data are right in all forms.
#include <gtest/gtest.h>
#include <rondo/own/offer.hpp>
#include <rondo/rondo.hpp>

#include "tests/collectives/offers/own_algorithms.hpp"
#include "tests/support/cases/affine.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace rondo::internal::offers_test {
namespace {

/// A call in its three forms, the persistent one proved and started twice.
struct Forms {
  std::function<int()> blocking;
  std::function<int(Rondo_Request*)> nonblocking;
  std::function<int(MPI_Info, Rondo_Request*)> persistent;
};

Forms allreduces(const void* sent, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return {[=] { return Rondo_Allreduce(sent, all, count, type, op, comm); },
          [=](Rondo_Request* request) { return Rondo_Iallreduce(sent, all, count, type, op, comm, request); },
          [=](MPI_Info info, Rondo_Request* request) {
            return Rondo_Allreduce_init(sent, all, count, type, op, comm, info, request);
          }};
}

void expect_in_all_forms(const Forms& forms, const std::string& algorithm, const std::function<void()>& expect_right) {
  for (int call = 0; call < 3; ++call) {
    ASSERT_EQ(forms.blocking(), MPI_SUCCESS);
    expect_right();
  }
  Rondo_Request once = RONDO_REQUEST_NULL;
  ASSERT_EQ(forms.nonblocking(&once), MPI_SUCCESS);
  EXPECT_EQ(algorithm_of(once), algorithm);
  ASSERT_EQ(Rondo_Wait(&once, MPI_STATUS_IGNORE), MPI_SUCCESS);
  expect_right();
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_check", "1");
  Rondo_Request again = RONDO_REQUEST_NULL;
  ASSERT_EQ(forms.persistent(info, &again), MPI_SUCCESS);
  MPI_Info_free(&info);
  EXPECT_EQ(algorithm_of(again), algorithm);
  for (int start = 0; start < 2; ++start) {
    ASSERT_EQ(Rondo_Start(&again), MPI_SUCCESS);
    ASSERT_EQ(Rondo_Wait(&again, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect_right();
  }
  ASSERT_EQ(Rondo_Request_free(&again), MPI_SUCCESS);
}

/// Without another address.
template <typename T>
void refill(std::vector<T>& all, const std::vector<T>& mine, bool in_place, std::type_identity_t<T> nothing) {
  std::ranges::fill(all, nothing);
  if (in_place) std::ranges::copy(mine, all.begin());
}

std::int64_t number(int rank, int i) { return 1000 * rank + i + 1; }

class OfferedPlans : public OfferTest {};

TEST_F(OfferedPlans, Barriers) {
  offer(comm(), DenseCollective::barrier, kDisseminate);
  expect_in_all_forms(
      {[&] { return Rondo_Barrier(comm()); }, [&](Rondo_Request* request) { return Rondo_Ibarrier(comm(), request); },
       [&](MPI_Info info, Rondo_Request* request) { return Rondo_Barrier_init(comm(), info, request); }},
      "my-barrier", [] {});
}

/// Of a contiguous block, and of every second number.
TEST_F(OfferedPlans, Broadcasts) {
  offer(comm(), DenseCollective::broadcast, kPassOn);
  constexpr int kCount = 40;
  for (const int stride : {1, 2}) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(kCount, 1, stride, MPI_INT64_T, &type);
    MPI_Type_commit(&type);
    for (int root = 0; root < size(); ++root) {
      Numbers numbers(kCount * 2, -1);
      const auto fill = [&] {
        for (int i = 0; i < kCount * 2; ++i)
          numbers[static_cast<std::size_t>(i)] = rank() == root ? number(root, i) : -1;
      };
      fill();
      expect_in_all_forms(
          {[&] { return Rondo_Bcast(numbers.data(), 1, type, root, comm()); },
           [&](Rondo_Request* request) { return Rondo_Ibcast(numbers.data(), 1, type, root, comm(), request); },
           [&](MPI_Info info, Rondo_Request* request) {
             return Rondo_Bcast_init(numbers.data(), 1, type, root, comm(), info, request);
           }},
          "my-chain", [&] {
            for (int i = 0; i < kCount; ++i)
              EXPECT_EQ(numbers[static_cast<std::size_t>(i * stride)], number(root, i * stride));
            if (rank() != root && stride == 2) {
              EXPECT_EQ(numbers[1], -1);
            }
            fill();
          });
    }
    MPI_Type_free(&type);
  }
}

/// Rank r sends r + 1 numbers; in place, too.
TEST_F(OfferedPlans, Allgathers) {
  offer(comm(), DenseCollective::allgather, kGoRound);
  std::vector<int> counts;
  std::vector<int> places;
  for (int r = 0; r < size(); ++r) {
    places.push_back(r == 0 ? 0 : places.back() + counts.back());
    counts.push_back(r + 1);
  }
  const int own = counts[static_cast<std::size_t>(rank())];
  Numbers mine(static_cast<std::size_t>(own));
  for (int i = 0; i < own; ++i) mine[static_cast<std::size_t>(i)] = number(rank(), i);
  Numbers all(static_cast<std::size_t>(places.back() + counts.back()), -1);
  for (const bool in_place : {false, true}) {
    const auto fill = [&] {
      all.assign(all.size(), -1);
      if (in_place) std::ranges::copy(mine, all.begin() + places[static_cast<std::size_t>(rank())]);
    };
    fill();
    const void* const sent = in_place ? MPI_IN_PLACE : mine.data();
    expect_in_all_forms({[&] {
                           return Rondo_Allgatherv(sent, own, MPI_INT64_T, all.data(), counts.data(), places.data(),
                                                   MPI_INT64_T, comm());
                         },
                         [&](Rondo_Request* request) {
                           return Rondo_Iallgatherv(sent, own, MPI_INT64_T, all.data(), counts.data(), places.data(),
                                                    MPI_INT64_T, comm(), request);
                         },
                         [&](MPI_Info info, Rondo_Request* request) {
                           return Rondo_Allgatherv_init(sent, own, MPI_INT64_T, all.data(), counts.data(),
                                                        places.data(), MPI_INT64_T, comm(), info, request);
                         }},
                        "my-ring", [&] {
                          for (int r = 0; r < size(); ++r) {
                            for (int i = 0; i <= r; ++i)
                              EXPECT_EQ(all[static_cast<std::size_t>(places[static_cast<std::size_t>(r)] + i)],
                                        number(r, i));
                          }
                          fill();
                        });
  }
}

TEST_F(OfferedPlans, Alltoalls) {
  offer(comm(), DenseCollective::alltoall, kAllToAll);
  constexpr int kCount = 17;
  Numbers mine(static_cast<std::size_t>(size() * kCount));
  for (int i = 0; i < size() * kCount; ++i) mine[static_cast<std::size_t>(i)] = number(rank(), i);
  Numbers all(mine.size(), -1);
  for (const bool in_place : {false, true}) {
    const auto fill = [&] { refill(all, mine, in_place, -1); };
    fill();
    const void* const sent = in_place ? MPI_IN_PLACE : mine.data();
    expect_in_all_forms(
        {[&] { return Rondo_Alltoall(sent, kCount, MPI_INT64_T, all.data(), kCount, MPI_INT64_T, comm()); },
         [&](Rondo_Request* request) {
           return Rondo_Ialltoall(sent, kCount, MPI_INT64_T, all.data(), kCount, MPI_INT64_T, comm(), request);
         },
         [&](MPI_Info info, Rondo_Request* request) {
           return Rondo_Alltoall_init(sent, kCount, MPI_INT64_T, all.data(), kCount, MPI_INT64_T, comm(), info,
                                      request);
         }},
        "my-alltoall", [&] {
          for (int r = 0; r < size(); ++r) {
            for (int i = 0; i < kCount; ++i)
              EXPECT_EQ(all[static_cast<std::size_t>(r * kCount + i)], number(r, rank() * kCount + i));
          }
          fill();
        });
  }
}

/// Rank r sends r + 1 numbers to each.
TEST_F(OfferedPlans, AlltoallsOfSeveralSizesAreNotTaken) {
  offer(comm(), DenseCollective::alltoall, kAllToAll);
  const int own = rank() + 1;
  const std::vector<int> sent_counts(static_cast<std::size_t>(size()), own);
  std::vector<int> sent_places;
  std::vector<int> counts;
  std::vector<int> places;
  for (int r = 0; r < size(); ++r) {
    sent_places.push_back(r * own);
    counts.push_back(r + 1);
    places.push_back(r * size());
  }
  const Numbers mine(static_cast<std::size_t>(size() * own), number(rank(), 0));
  Numbers all(static_cast<std::size_t>(size() * size()), -1);
  Rondo_Request request = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Alltoallv_init(mine.data(), sent_counts.data(), sent_places.data(), MPI_INT64_T, all.data(),
                                 counts.data(), places.data(), MPI_INT64_T, comm(), MPI_INFO_NULL, &request),
            MPI_SUCCESS);
  EXPECT_NE(algorithm_of(request), "my-alltoall");
  ASSERT_EQ(Rondo_Start(&request), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (int r = 0; r < size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r * size() + r)], number(r, 0));
  EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
}

/// Of functions, in the order of the ranks: in place, too.
TEST_F(OfferedPlans, ReductionsInOrder) {
  offer(comm(), DenseCollective::allreduce, kByParts);
  offer(comm(), DenseCollective::allreduce, kCombineAll);
  offer(comm(), DenseCollective::reduce_scatter, kCombineAll);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT64_T, &type);
  MPI_Type_commit(&type);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create([](void* in, void* inout, int* count, MPI_Datatype* of) { compose(in, inout, count, of); }, 0, &op);
  const auto function = [](int r, int i) { return Affine{r + i + 2, 3 * r - i}; };
  const auto combined = [&](int i) {
    Affine all = function(size() - 1, i);
    for (int r = size() - 2; r >= 0; --r) all = after(function(r, i), all);
    return all;
  };
  constexpr int kCount = 3;
  std::vector<Affine> mine;
  for (int i = 0; i < kCount * size(); ++i) mine.push_back(function(rank(), i));
  std::vector<Affine> all(mine.size());
  for (const bool in_place : {false, true}) {
    const auto fill = [&] { refill(all, mine, in_place, Affine{}); };
    fill();
    const void* const sent = in_place ? MPI_IN_PLACE : mine.data();
    expect_in_all_forms(allreduces(sent, all.data(), kCount, type, op, comm()), "my-reduction", [&] {
      for (int i = 0; i < kCount; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], combined(i));
      fill();
    });
    expect_in_all_forms({[&] { return Rondo_Reduce_scatter_block(sent, all.data(), kCount, type, op, comm()); },
                         [&](Rondo_Request* request) {
                           return Rondo_Ireduce_scatter_block(sent, all.data(), kCount, type, op, comm(), request);
                         },
                         [&](MPI_Info info, Rondo_Request* request) {
                           return Rondo_Reduce_scatter_block_init(sent, all.data(), kCount, type, op, comm(), info,
                                                                  request);
                         }},
                        "my-reduction", [&] {
                          for (int i = 0; i < kCount; ++i)
                            EXPECT_EQ(all[static_cast<std::size_t>(i)], combined(rank() * kCount + i));
                          fill();
                        });
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

/// Of every second number, in parts of which some are shorter, and empty.
TEST_F(OfferedPlans, ReductionsInParts) {
  offer(comm(), DenseCollective::allreduce, kByParts);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT64_T, 0, 16, &type);
  MPI_Type_commit(&type);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count; ++i)
          static_cast<std::int64_t*>(inout)[2 * i] += static_cast<std::int64_t*>(in)[2 * i];
      },
      1, &op);
  for (const int count : {1, 5, 12}) {
    Numbers mine(static_cast<std::size_t>(2 * count));
    for (int i = 0; i < 2 * count; ++i) mine[static_cast<std::size_t>(i)] = number(rank(), i);
    Numbers all(mine.size(), -1);
    for (const bool in_place : {false, true}) {
      const auto fill = [&] { refill(all, mine, in_place, -1); };
      fill();
      const void* const sent = in_place ? MPI_IN_PLACE : mine.data();
      expect_in_all_forms(allreduces(sent, all.data(), count, type, op, comm()), "my-parts", [&] {
        for (int i = 0; i < count; ++i) {
          std::int64_t sum = 0;
          for (int r = 0; r < size(); ++r) sum += number(r, 2 * i);
          EXPECT_EQ(all[static_cast<std::size_t>(2 * i)], sum);
          EXPECT_EQ(all[static_cast<std::size_t>(2 * i + 1)], in_place ? number(rank(), 2 * i + 1) : -1);
        }
        fill();
      });
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

/// A vector without elements is nothing for it.
TEST_F(OfferedPlans, NothingToDo) {
  offer(comm(), DenseCollective::allreduce, kByParts);
  EXPECT_EQ(Rondo_Allreduce(nullptr, nullptr, 0, MPI_INT64_T, MPI_SUM, comm()), MPI_SUCCESS);
}

}  // namespace
}  // namespace rondo::internal::offers_test
