// One rank does not come to a call that makes a communicator or a request together with the others: RONDO_TIMEOUT ends
// that for all of them, also for the one that comes when the others have given up.
#include <gtest/gtest.h>
#include <mpi.h>
#include <signal.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "tests/support/captured_errors.hpp"

#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace rondo::internal::absent_rank_test {
namespace {

std::string error_text(int code) {
  std::array<char, RONDO_MAX_ERROR_STRING> text{};
  int length = 0;
  Rondo_Error_string(code, text.data(), &length);
  return text.data();
}

class AbsentRank : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("RONDO_TIMEOUT", "0.5", 1); }
  AbsentRank() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    last_ = ranks_ - 1;
    // Never freed: what was given up on it stays with MPI.
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  /// The last rank waits until the others have done something, and tells them nothing.
  void others_then_last(const std::function<void()>& others, const std::function<void()>& last) {
    if (rank_ < last_) {
      others();
      MPI_Send(nullptr, 0, MPI_BYTE, last_, 0, MPI_COMM_WORLD);
    } else {
      for (int other = 0; other < last_; ++other)
        MPI_Recv(nullptr, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      last();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  /// `waits`: how the report begins that says what is waited for.
  static void expect_report(const std::string& error, const CapturedErrors& errors, const std::string& waits) {
    const std::string report = waits + " waits for the other ranks of ";
    expect_words(error, {"no message moved for 500 ms (RONDO_TIMEOUT)", report.c_str()});
    expect_words(errors.text(),
                 {"[rondo] rank ", "no message moved for 500 ms (RONDO_TIMEOUT)", report.c_str(), " s\n"});
  }
  void expect_given_up(const std::function<int()>& call, const std::string& waits) {
    const auto called = [&] {
      const CapturedErrors errors;
      const int code = call();
      EXPECT_EQ(code, MPI_ERR_OTHER);
      expect_report(error_text(code), errors, waits);
    };
    others_then_last(called, called);
    expect_refused(call);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  /// At once: a call that waits says something else.
  static void expect_refused(const std::function<int()>& call) {
    const int code = call();
    EXPECT_EQ(code, MPI_ERR_OTHER);
    expect_words(error_text(code), {"comm: an earlier call on it has waited for the other ranks in vain"});
  }
  [[nodiscard]] int create(MPI_Comm* cart) const {
    const std::array neighbors{1, -1};
    const int periodic = 1;
    return Rondo_Cart_neighborhood_create(comm_, 1, &ranks_, &periodic, 2, neighbors.data(), MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 0, cart);
  }
  [[nodiscard]] MPI_Comm created() const {
    MPI_Comm cart = MPI_COMM_NULL;
    EXPECT_EQ(create(&cart), MPI_SUCCESS);
    MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
    return cart;
  }

  int rank_ = 0;
  int ranks_ = 0;
  int last_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  // MPI may touch them for as long as it likes.
  std::vector<int>& from_ = *new std::vector<int>(100);
  std::vector<int>& to_ = *new std::vector<int>(100);
};

TEST_F(AbsentRank, NobodyIsAbsent) {
  const MPI_Comm cart = created();
  Rondo_Request request = RONDO_REQUEST_NULL;
  // Sizes that differ from rank to rank are gathered.
  std::array<int, 2> counts{};
  std::array<int, 2> places{0, 10};
  std::array<int, 2> sources{};
  std::array<int, 2> targets{};
  Rondo_Cart_neighbor_get(cart, 2, sources.data(), nullptr, 2, targets.data(), nullptr);
  for (std::size_t i = 0; i < 2; ++i) counts[i] = sources[i] + 1;
  from_.assign(from_.size(), rank_ + 100);
  ASSERT_EQ(Rondo_Cart_allgatherv_init(from_.data(), rank_ + 1, MPI_INT, to_.data(), counts.data(), places.data(),
                                       MPI_INT, cart, MPI_INFO_NULL, &request),
            MPI_SUCCESS);
  EXPECT_EQ(Rondo_Start(&request), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(to_[static_cast<std::size_t>(places[i] + counts[i] - 1)], sources[i] + 100);
  EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Comm_prepare(comm_, MPI_INFO_NULL), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Alltoall(from_.data(), 1, MPI_INT, to_.data(), 1, MPI_INT, comm_), MPI_SUCCESS);
  for (int other = 0; other < ranks_; ++other) EXPECT_EQ(to_[static_cast<std::size_t>(other)], other + 100);
}

TEST_F(AbsentRank, MakingACommunicator) {
  MPI_Comm cart = MPI_COMM_NULL;
  expect_given_up([&] { return create(&cart); }, "Rondo_Cart_neighborhood_create");
  EXPECT_EQ(cart, MPI_COMM_NULL);
  expect_refused([&] { return Rondo_Comm_prepare(comm_, MPI_INFO_NULL); });
  Rondo_Request request = RONDO_REQUEST_NULL;
  expect_refused([&] { return Rondo_Ialltoall(from_.data(), 1, MPI_INT, to_.data(), 1, MPI_INT, comm_, &request); });
}

TEST_F(AbsentRank, FindingANeighborhood) {
  const std::array neighbors{(rank_ + 1) % ranks_, (rank_ + ranks_ - 1) % ranks_};
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(comm_, 2, neighbors.data(), MPI_UNWEIGHTED, 2, neighbors.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
  const int periodic = 1;
  int isomorphic = 0;
  MPI_Comm cart = MPI_COMM_NULL;
  expect_given_up(
      [&] {
        return Rondo_Neighborhood_from_graph(graph, 1, &ranks_, &periodic, MPI_INFO_NULL, &isomorphic, nullptr, &cart);
      },
      "Rondo_Neighborhood_from_graph");
}

TEST_F(AbsentRank, PreparingACommunicator) {
  expect_given_up([&] { return Rondo_Comm_prepare(comm_, MPI_INFO_NULL); }, "Rondo_Comm_prepare");
}

TEST_F(AbsentRank, TheFirstDenseCall) {
  expect_given_up([&] { return Rondo_Alltoall(from_.data(), 1, MPI_INT, to_.data(), 1, MPI_INT, comm_); },
                  "Rondo_Alltoall");
}

TEST_F(AbsentRank, AnAlltoallInit) {
  const MPI_Comm cart = created();
  Rondo_Request before = RONDO_REQUEST_NULL;
  Rondo_Request request = RONDO_REQUEST_NULL;
  const auto init = [&](Rondo_Request* made) {
    return Rondo_Cart_alltoall_init(from_.data(), 1, MPI_INT, to_.data(), 1, MPI_INT, cart, MPI_INFO_NULL, made);
  };
  EXPECT_EQ(init(&before), MPI_SUCCESS);
  expect_given_up([&] { return init(&request); }, "Rondo_Cart_alltoall_init");
  EXPECT_EQ(request, RONDO_REQUEST_NULL);
  expect_refused([&] { return Rondo_Cart_alltoall(from_.data(), 1, MPI_INT, to_.data(), 1, MPI_INT, cart); });
  MPI_Comm copy = MPI_COMM_NULL;
  EXPECT_NE(MPI_Comm_dup(cart, &copy), MPI_SUCCESS) << "it would have a neighborhood on which ranks are out of step";
  // What was made before goes on.
  EXPECT_EQ(Rondo_Start(&before), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Wait(&before, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Request_free(&before), MPI_SUCCESS);
}

/// A call that was repeated is remembered, and starts without a look at much else.
TEST_F(AbsentRank, RepeatedCallsAfterIt) {
  const MPI_Comm cart = created();
  const auto call = [&] { return Rondo_Cart_alltoall(from_.data(), 1, MPI_INT, to_.data(), 1, MPI_INT, cart); };
  for (int i = 0; i < 4; ++i) EXPECT_EQ(call(), MPI_SUCCESS);
  Rondo_Request request = RONDO_REQUEST_NULL;
  expect_given_up(
      [&] {
        return Rondo_Cart_alltoall_init(from_.data(), 1, MPI_INT, to_.data(), 1, MPI_INT, cart, MPI_INFO_NULL,
                                        &request);
      },
      "Rondo_Cart_alltoall_init");
  expect_refused(call);
}

TEST_F(AbsentRank, ADenseAlltoallInit) {
  EXPECT_EQ(Rondo_Comm_prepare(comm_, MPI_INFO_NULL), MPI_SUCCESS);
  Rondo_Request request = RONDO_REQUEST_NULL;
  expect_given_up(
      [&] {
        return Rondo_Alltoall_init(from_.data(), 1, MPI_INT, to_.data(), 1, MPI_INT, comm_, MPI_INFO_NULL, &request);
      },
      "Rondo_Alltoall_init");
  expect_refused([&] { return Rondo_Comm_prepare(comm_, MPI_INFO_NULL); });
}

TEST_F(AbsentRank, AnAllreduceInit) {
  EXPECT_EQ(Rondo_Comm_prepare(comm_, MPI_INFO_NULL), MPI_SUCCESS);
  Rondo_Request request = RONDO_REQUEST_NULL;
  expect_given_up(
      [&] {
        return Rondo_Allreduce_init(from_.data(), to_.data(), 1, MPI_INT, MPI_SUM, comm_, MPI_INFO_NULL, &request);
      },
      "Rondo_Allreduce_init");
  EXPECT_EQ(request, RONDO_REQUEST_NULL);
  expect_refused([&] { return Rondo_Iallreduce(from_.data(), to_.data(), 1, MPI_INT, MPI_SUM, comm_, &request); });
  expect_refused([&] { return Rondo_Barrier(comm_); });
}

/// The root is one of those that wait: it sends nothing either before all have come.
TEST_F(AbsentRank, ABroadcastInit) {
  EXPECT_EQ(Rondo_Comm_prepare(comm_, MPI_INFO_NULL), MPI_SUCCESS);
  Rondo_Request request = RONDO_REQUEST_NULL;
  expect_given_up([&] { return Rondo_Bcast_init(to_.data(), 1, MPI_INT, 0, comm_, MPI_INFO_NULL, &request); },
                  "Rondo_Bcast_init");
  EXPECT_EQ(request, RONDO_REQUEST_NULL);
  expect_refused([&] { return Rondo_Bcast(to_.data(), 1, MPI_INT, 0, comm_); });
}

TEST_F(AbsentRank, MakingAnOwnCollective) {
  EXPECT_EQ(Rondo_Comm_prepare(comm_, MPI_INFO_NULL), MPI_SUCCESS);
  const auto make = [&] {
    return OwnCollective(comm_, "shift", [](rondo::ScheduleBuilder& build, int rank, int size) {
      build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, 4), build.recv_block(0, 4));
    });
  };
  OwnCollective before = make();
  const auto given_up = [&] {
    const CapturedErrors errors;
    try {
      static_cast<void>(make());
      ADD_FAILURE() << "nobody was missed";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_OTHER);
      expect_report(error.what(), errors, "OwnCollective");
    }
  };
  others_then_last(given_up, given_up);
  try {
    before.run(from_, to_);
    ADD_FAILURE() << "ranks may be out of step";
  } catch (const Error& error) {
    expect_words(error.what(), {"comm: an earlier call on it has waited for the other ranks in vain"});
  }
  expect_refused([&] { return Rondo_Comm_prepare(comm_, MPI_INFO_NULL); });
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(AbsentRank, AHaloInit) {
  const MPI_Comm cart = created();
  Rondo_Request request = RONDO_REQUEST_NULL;
  const int size = 10;
  const int depth = 1;
  expect_given_up(
      [&] {
        return Rondo_Halo_init(to_.data(), 1, &size, nullptr, &depth, &depth, MPI_ORDER_C, MPI_INT, RONDO_STENCIL_BOX,
                               cart, MPI_INFO_NULL, &request);
      },
      "Rondo_Halo_init");
}

/// Their messages lie in its slots: it finds them when it comes.
TEST_F(AbsentRank, APartnerThatNeverStarts) {
  const MPI_Comm cart = created();
  Rondo_Request request = RONDO_REQUEST_NULL;
  from_.assign(from_.size(), rank_ + 100);
  EXPECT_EQ(Rondo_Cart_alltoall_init(from_.data(), 1, MPI_INT, to_.data(), 1, MPI_INT, cart, MPI_INFO_NULL, &request),
            MPI_SUCCESS);
  const auto others = [&] {
    const CapturedErrors errors;
    EXPECT_EQ(Rondo_Start(&request), MPI_SUCCESS);
    const int code = Rondo_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(code, MPI_ERR_OTHER);
    const std::string awaited = "receive from rank " + std::to_string(last_);
    for (const std::string& text : {error_text(code), errors.text()}) {
      expect_words(text, {"no message moved for 500 ms (RONDO_TIMEOUT)", "Rondo_Cart_alltoall_init (", "tasks are left",
                          "it is waiting for", awaited.c_str()});
    }
    EXPECT_NE(Rondo_Start(&request), MPI_SUCCESS) << "partners may be out of step";
  };
  const auto last = [&] {
    EXPECT_EQ(Rondo_Start(&request), MPI_SUCCESS);
    EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(to_[0], (last_ + ranks_ - 1) % ranks_ + 100);
    EXPECT_EQ(to_[1], (last_ + 1) % ranks_ + 100);
  };
  others_then_last(others, last);
  EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
}

/// Last: what is given up here is a communicator in the making, and Open MPI makes one after the other.
TEST_F(AbsentRank, TheFirstNonblockingCall) {
  Rondo_Request request = RONDO_REQUEST_NULL;
  const auto start = [&] {
    EXPECT_EQ(Rondo_Ialltoall(from_.data(), 1, MPI_INT, to_.data(), 1, MPI_INT, comm_, &request), MPI_SUCCESS);
  };
  const auto others = [&] {
    const CapturedErrors errors;
    start();
    raise(SIGUSR1);
    expect_words(errors.text(), {"SIGUSR1: in flight:", "Rondo_Ialltoall (", "has not begun, it waits for calls"});
    const int code = Rondo_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(code, MPI_ERR_OTHER);
    expect_words(error_text(code), {"Rondo_Ialltoall (", "no message moved for 500 ms (RONDO_TIMEOUT)",
                                    "it has not begun, as it waits for calls of the other ranks"});
    EXPECT_EQ(request, RONDO_REQUEST_NULL);
  };
  const auto last = [&] {
    const CapturedErrors errors;
    start();
    EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
  };
  others_then_last(others, last);
  if (rank_ == last_) return;
  expect_refused([&] { return Rondo_Ialltoall(from_.data(), 1, MPI_INT, to_.data(), 1, MPI_INT, comm_, &request); });
  expect_refused([&] { return Rondo_Comm_prepare(comm_, MPI_INFO_NULL); });
}

}  // namespace
}  // namespace rondo::internal::absent_rank_test
