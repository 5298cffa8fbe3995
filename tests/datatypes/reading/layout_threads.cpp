// What is known of datatypes, asked for by several threads at once, while other threads make and free datatypes.
#include <gtest/gtest.h>
#include <rondo/datatypes.hpp>

#include "datatypes/layout/layout.hpp"
#include "datatypes/reading/layout_cache.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <array>
#include <barrier>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace rondo::internal::layout_threads_test {
namespace {

constexpr int kThreads = 4;

/// `pieces` ints, one every three.
MPI_Datatype make_comb(int pieces) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(pieces, 1, 3, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

class LayoutThreads : public testing::Test {
 protected:
  void SetUp() override {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    ASSERT_EQ(level, MPI_THREAD_MULTIPLE);
    MPI_Comm_dup(MPI_COMM_SELF, &probe);
    MPI_Comm_set_errhandler(probe, MPI_ERRORS_RETURN);
    rounds = std::clamp(static_cast<int>(rounds * test_scale()), 50, rounds);
  }
  void TearDown() override { MPI_Comm_free(&probe); }

  template <typename Body>
  static void on_threads(int count, Body body) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < count; ++thread) threads.emplace_back(body, thread);
    for (std::thread& thread : threads) thread.join();
  }
  /// One of the ways to ask, each of which may be the first.
  void look_at(MPI_Datatype type, int pieces, int way) const {
    if (way % 3 == 0) {
      EXPECT_EQ(known_type(type).layout.pieces(), pieces);
      return;
    }
    const auto layout = layout_of(type, probe);
    EXPECT_EQ(layout->pieces(), pieces);
    EXPECT_EQ(layout->size(), 4 * pieces);
  }
  /// Makes, looks up and frees datatypes, so that handles and what is remembered of them are used again.
  void come_and_go(int thread) const {
    for (int round = 0; round < rounds; ++round) {
      const int pieces = 2 + (round * 5 + thread) % 11;
      MPI_Datatype type = make_comb(pieces);
      look_at(type, pieces, round);
      look_at(type, pieces, round + 1);
      MPI_Datatype copy = MPI_DATATYPE_NULL;
      if (round % 3 == 0) MPI_Type_dup(type, &copy);
      MPI_Type_free(&type);
      if (copy == MPI_DATATYPE_NULL) continue;
      look_at(copy, pieces, round);
      MPI_Type_free(&copy);
    }
  }

  MPI_Comm probe = MPI_COMM_NULL;
  int rounds = 2000;
};

TEST_F(LayoutThreads, DatatypesOfTheirOwn) {
  on_threads(kThreads, [&](int thread) { come_and_go(thread); });
}

/// Datatypes that nobody has looked at before: all find the same layout.
TEST_F(LayoutThreads, TheSameFreshDatatype) {
  std::array<MPI_Datatype, 2> fresh{};
  std::array<std::array<const KnownType*, kThreads>, 2> found{};
  int round = 0;
  const auto renew = [&]() noexcept {
    for (std::size_t i = 0; i < 2; ++i) {
      if (fresh[i] != MPI_DATATYPE_NULL) {
        for (const KnownType* known : found[i]) EXPECT_EQ(known, found[i].front());
        MPI_Type_free(&fresh[i]);
      }
      if (round < rounds) fresh[i] = make_comb(2 + static_cast<int>(i) + round % 9);
    }
    ++round;
  };
  fresh.fill(MPI_DATATYPE_NULL);
  renew();
  std::barrier done(kThreads, renew);
  on_threads(kThreads + 2, [&](int thread) {
    if (thread >= kThreads) {
      come_and_go(thread);
      return;
    }
    for (int mine = 0; mine < rounds; ++mine) {
      for (int i = 0; i < 2; ++i) {
        // Half of the threads begin with the other one.
        const auto which = static_cast<std::size_t>((i + thread) % 2);
        look_at(fresh[which], 2 + static_cast<int>(which) + mine % 9, mine + thread);
        found[which][static_cast<std::size_t>(thread)] = &known_type(fresh[which]);
      }
      done.arrive_and_wait();
    }
  });
}

/// Copies of one datatype to the places of several: each thread's is its own, whosever was remembered last.
TEST_F(LayoutThreads, CopiesOfOneDatatype) {
  std::array<MPI_Datatype, 3> combs{};
  for (MPI_Datatype& comb : combs) comb = make_comb(6);
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 2, 5, MPI_INT, &pairs);
  std::vector<int> source(100);
  std::iota(source.begin(), source.end(), 1);
  on_threads(kThreads + 1, [&](int thread) {
    if (thread == kThreads) {
      come_and_go(thread);
      return;
    }
    for (int round = 0; round < rounds; ++round) {
      const MPI_Datatype target_type = combs[static_cast<std::size_t>((round + thread) % 3)];
      std::vector<int> target(40, -1);
      const int count = 1 + (round / 3 + thread) % 2;
      transpack(source.data(), count, pairs, target.data(), count, target_type);
      std::vector<int> expected(40, -1);
      for (int i = 0; i < 6 * count; ++i) {
        // Elements are 12 and 16 ints long: the extent ends with the last piece.
        const int from = i / 6 * 12 + i % 6 / 2 * 5 + i % 2;
        const int to = i / 6 * 16 + i % 6 * 3;
        expected[static_cast<std::size_t>(to)] = source[static_cast<std::size_t>(from)];
      }
      EXPECT_EQ(target, expected);
    }
  });
  for (MPI_Datatype& comb : combs) MPI_Type_free(&comb);
  MPI_Type_free(&pairs);
}

}  // namespace
}  // namespace rondo::internal::layout_threads_test
