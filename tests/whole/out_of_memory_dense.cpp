// Every allocation of Rondo's own fails in turn, once and for good, while a dense alltoall is made on one of the ranks.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "collectives/tuning/tuning_file.hpp"
#include "datatypes/reading/this_mpi.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/faults/failing_allocations.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

/// Dense alltoalls on communicators that Rondo has not seen before.
class OutOfMemoryDense : public OutOfMemory {
 protected:
  void make_comm() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  [[nodiscard]] std::size_t p() const { return static_cast<std::size_t>(ranks_); }
  /// Blocks of `count` elements, each beginning `stride` elements after the one before.
  void lay_out(int count, int stride) {
    counts_.assign(p(), count);
    places_.resize(p());
    for (std::size_t j = 0; j < p(); ++j) places_[j] = static_cast<int>(j) * stride;
    send_.assign(p() * static_cast<std::size_t>(stride), rank_);
    recv_.assign(send_.size(), -1);
  }

  using OwnCall = std::function<rondo::Request(rondo::OwnCollective& own, const int* sent, int* received)>;
  void fail_each_own_call_that_learns(int at_once, const OwnCall& start);

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> counts_, places_, send_, recv_;
};

TEST_P(OutOfMemoryDense, Prepare) {
  lay_out(1, 1);
  const std::size_t places =
      fail_each([&] { make_comm(); }, [&] { return Rondo_Comm_prepare(comm_, MPI_INFO_NULL); },
                [&] {
                  EXPECT_EQ(Rondo_Alltoall(send_.data(), 1, MPI_INT, recv_.data(), 1, MPI_INT, comm_), MPI_SUCCESS);
                  for (std::size_t j = 0; j < p(); ++j) EXPECT_EQ(recv_[j], static_cast<int>(j));
                  MPI_Comm_free(&comm_);
                });
  EXPECT_GT(places, 2U);
}

/// What the `_init` calls of all algorithms have in common, and what some of them make more of.
TEST_P(OutOfMemoryDense, Init) {
  for (const char* algorithm : {"auto", "segmented", "zero-copy-bruck"}) {
    for (const bool in_place : {false, true}) {
      MPI_Datatype column = MPI_DATATYPE_NULL;
      MPI_Info info = MPI_INFO_NULL;
      Rondo_Request request = RONDO_REQUEST_NULL;
      lay_out(20, 40);
      const auto before = [&] {
        make_comm();
        MPI_Info_create(&info);
        MPI_Info_set(info, "rondo_algorithm", algorithm);
        MPI_Info_set(info, "rondo_segment", "32");
        MPI_Type_create_resized(MPI_INT, 0, 8, &column);
        MPI_Type_commit(&column);
        std::ranges::fill(recv_, rank_);
      };
      const auto init = [&] {
        for (std::size_t j = 0; j < p(); ++j) places_[j] = static_cast<int>(j) * 20;
        return Rondo_Alltoallv_init(in_place ? MPI_IN_PLACE : send_.data(), counts_.data(), places_.data(), column,
                                    recv_.data(), counts_.data(), places_.data(), column, comm_, info, &request);
      };
      const auto after = [&] {
        // After a failure the communicator is as good as before.
        if (request == RONDO_REQUEST_NULL) {
          EXPECT_EQ(init(), MPI_SUCCESS);
        }
        EXPECT_EQ(Rondo_Start(&request), MPI_SUCCESS);
        EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (std::size_t k = 0; k < recv_.size(); k += 2) EXPECT_EQ(recv_[k], static_cast<int>(k / 40));
        EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
        MPI_Type_free(&column);
        MPI_Info_free(&info);
        MPI_Comm_free(&comm_);
      };
      const std::size_t places = fail_each(before, init, after);
      if (rank_ == 0) std::printf("%s: %zu allocations\n", algorithm, places);
      EXPECT_GT(places, 20U);
    }
  }
}

/// One that learns, of blocks that differ in size: several operations, and sizes that pass through for one of them.
TEST_P(OutOfMemoryDense, LearningInit) {
  const auto count = [](int one, int other) { return 20 + (one + other) % 3; };
  lay_out(0, 40);
  for (std::size_t j = 0; j < p(); ++j) counts_[j] = count(rank_, static_cast<int>(j));
  MPI_Info info = MPI_INFO_NULL;
  Rondo_Request request = RONDO_REQUEST_NULL;
  int job = static_cast<int>(getpid());  // another test runs this program, too, perhaps at the same time
  MPI_Bcast(&job, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const std::string tuning = "out_of_memory_dense_" + std::to_string(job) + ".json";
  if (rank_ == 0) {
    rondo::internal::TuningEntry entry{ranks_, 1.0, rondo::internal::built_in_dense_costs(1.0)};
    for (double time = 1000; const char* plan : {"direct", "pairwise", "bruck, radix 2", "windowed"})
      entry.times.add(plan, 80, time += 100);
    std::ofstream(tuning) << rondo::internal::print_tuning(
        {rondo::internal::mpi_name(), rondo::internal::machine_name(), {entry}});
  }
  const auto before = [&] {
    make_comm();
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_tuning", tuning.c_str());
    MPI_Info_set(info, "rondo_shm", "off");
    EXPECT_EQ(Rondo_Comm_prepare(comm_, info), MPI_SUCCESS);
    MPI_Info_set(info, "rondo_learn", "4");
  };
  const auto init = [&] {
    return Rondo_Alltoallv_init(send_.data(), counts_.data(), places_.data(), MPI_INT, recv_.data(), counts_.data(),
                                places_.data(), MPI_INT, comm_, info, &request);
  };
  const auto after = [&] {
    if (request == RONDO_REQUEST_NULL) {
      EXPECT_EQ(init(), MPI_SUCCESS);
    }
    std::vector<int> expected(recv_.size(), -1);
    for (std::size_t j = 0; j < p(); ++j) {
      const auto begin = expected.begin() + places_[j];
      std::fill(begin, begin + counts_[j], static_cast<int>(j));
    }
    for (int start = 0; start < 30; ++start) {
      std::ranges::fill(recv_, -1);
      EXPECT_EQ(Rondo_Start(&request), MPI_SUCCESS);
      EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(recv_, expected);
    }
    EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm_);
  };
  const std::size_t places = fail_each(before, init, after);
  if (rank_ == 0) std::printf("learning: %zu allocations\n", places);
  EXPECT_GT(places, ranks_ == 1 ? 20U : 60U);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) std::filesystem::remove(tuning);
}

TEST_P(OutOfMemoryDense, AllreduceInit) {
  std::array<double, 5> send{1, 2, 3, 4, 5};
  std::array<double, 5> recv{};
  MPI_Info info = MPI_INFO_NULL;
  Rondo_Request request = RONDO_REQUEST_NULL;
  const auto before = [&] {
    make_comm();
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_algorithm", "halving-doubling");
  };
  const auto init = [&] {
    return Rondo_Allreduce_init(send.data(), recv.data(), 5, MPI_DOUBLE, MPI_SUM, comm_, info, &request);
  };
  const auto after = [&] {
    if (request == RONDO_REQUEST_NULL) {
      EXPECT_EQ(init(), MPI_SUCCESS);
    }
    EXPECT_EQ(Rondo_Start(&request), MPI_SUCCESS);
    EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (std::size_t k = 0; k < recv.size(); ++k) EXPECT_EQ(recv[k], static_cast<double>(p()) * send[k]);
    EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm_);
  };
  EXPECT_GT(fail_each(before, init, after), 20U);
}

TEST_P(OutOfMemoryDense, CommInCpp) {
  std::optional<rondo::Comm> comm;
  rondo::Options options;
  options.algorithm = rondo::Algorithm::zero_copy_bruck_blocks;  // too long a name to be kept without memory
  const auto make = [&] {
    try {
      comm.emplace(MPI_COMM_WORLD, options);
    } catch (const std::bad_alloc&) {
      return MPI_ERR_NO_MEM;
    } catch (const rondo::Error& error) {
      return error.error_class() == MPI_ERR_ARG ? MPI_ERR_NO_MEM : error.error_class();
    }
    return MPI_SUCCESS;
  };
  const std::size_t places = fail_each([] {}, make, [&] { comm.reset(); });
  EXPECT_GT(places, 2U);
}

void gather(rondo::ScheduleBuilder& build, int rank, int size) {
  const rondo::Block own = build.send_block(0, 1, MPI_INT);
  build.copy(own, build.recv_block(rank * 4, 4));
  for (int shift = 1; shift < size; ++shift) {
    const int source = (rank + size - shift) % size;
    build.exchange((rank + shift) % size, source, own, build.recv_block(source * 4, 4));
  }
}

/// Collectives of one's own, and requests of them, one of which learns.
TEST_P(OutOfMemoryDense, OwnCollective) {
  lay_out(1, 1);
  const rondo::Lowering one = gather;
  const std::vector<rondo::OwnAlgorithm> several{{"one", gather, [](const rondo::Machine&, int) { return 100.0; }},
                                                 {"other", gather, [](const rondo::Machine&, int) { return 150.0; }}};
  std::optional<rondo::OwnCollective> own;
  rondo::Request request;
  const auto code_of = [](const auto& body) {
    try {
      body();
    } catch (const std::bad_alloc&) {
      return MPI_ERR_NO_MEM;
    } catch (const rondo::Error& error) {  // of another rank
      const int code = error.error_class();
      return code == MPI_ERR_ARG || code == MPI_ERR_OTHER ? MPI_ERR_NO_MEM : code;
    }
    return MPI_SUCCESS;
  };
  for (const bool learns : {false, true}) {
    const auto make = [&] {
      if (learns)
        own.emplace(comm_, "gather", several, rondo::Options{.learn = "4"});
      else
        own.emplace(comm_, "gather", one);
    };
    const auto use = [&] {
      if (!own) make();
      if (request.null()) request = own->init(send_, recv_);
      for (int start = 0; start < (learns ? 30 : 1); ++start) {
        std::ranges::fill(recv_, -1);
        request.start();
        request.wait();
        for (std::size_t j = 0; j < p(); ++j) EXPECT_EQ(recv_[j], static_cast<int>(j));
      }
      request = {};
      own.reset();
      MPI_Comm_free(&comm_);
    };
    const auto prepare = [&] {
      make_comm();
      MPI_Info info = MPI_INFO_NULL;
      MPI_Info_create(&info);
      MPI_Info_set(info, "rondo_algorithm", "zero-copy-bruck-blocks");  // too long to be kept without memory
      EXPECT_EQ(Rondo_Comm_prepare(comm_, info), MPI_SUCCESS);
      MPI_Info_free(&info);
    };
    const std::size_t to_make = fail_each(
        prepare, [&] { return code_of(make); }, use);
    EXPECT_GT(to_make, 10U);
    const auto prepare_and_make = [&] {
      prepare();
      make();
    };
    const std::size_t to_init = fail_each(
        prepare_and_make, [&] { return code_of([&] { request = own->init(send_, recv_); }); }, use);
    EXPECT_GT(to_init, 10U);
    if (rank_ == 0) std::printf("own: %zu and %zu allocations\n", to_make, to_init);
  }
}

/// While it learns: which algorithm it is for, and what ranks tell each other, is as if it had not failed. `start`: a
/// call, without a request where it is complete. `at_once`: are under way together.
void OutOfMemoryDense::fail_each_own_call_that_learns(int at_once, const OwnCall& start) {
  constexpr int kCalls = 100;  // past two looks of two algorithms, before the third: no sums are under way at the end
  lay_out(1, 1);
  // Each sends a number of its own to places of its own: data tell whose turn it was at either end.
  const auto gather_at = [](int number) {
    return [number](rondo::ScheduleBuilder& build, int rank, int size) {
      const rondo::Block own = build.send_block(number * 4, 4);
      build.copy(own, build.recv_block((number * size + rank) * 4, 4));
      for (int shift = 1; shift < size; ++shift) {
        const int source = (rank + size - shift) % size;
        build.exchange((rank + shift) % size, source, own, build.recv_block((number * size + source) * 4, 4));
      }
    };
  };
  const std::vector<rondo::OwnAlgorithm> several{
      {"one", gather_at(0), [](const rondo::Machine&, int) { return 100.0; }},
      {"other", gather_at(1), [](const rondo::Machine&, int) { return 150.0; }}};
  struct Call {
    std::array<int, 2> sent;
    std::vector<int> received;
    rondo::Request request;
  };
  std::vector<Call> calls(static_cast<std::size_t>(at_once));
  for (Call& call : calls) call.received.resize(2 * p());
  // Of many calls at once each allocates much the same.
  const std::size_t step = (rondo::internal::test_scale() < 1 ? 7 : 1) * (at_once > 1 ? 5 : 1);
  // First without failures: what lives as long as the process is there then.
  for (std::size_t number = kNever;; number = number == kNever ? 0 : number + step) {
    const std::ptrdiff_t alive_before = alive;
    make_comm();
    EXPECT_EQ(Rondo_Comm_prepare(comm_, MPI_INFO_NULL), MPI_SUCCESS);
    std::optional<rondo::OwnCollective> own(std::in_place, comm_, "gather", several, rondo::Options{.learn = "4"});
    struck = false;
    for_good = false;
    good_ones = rank_ == ranks_ - 1 ? number : kNever;
    for (int first = 0; first < kCalls; first += at_once) {
      const int last = std::min(first + at_once, kCalls);
      for (int number_of_call = first; number_of_call < last; ++number_of_call) {
        Call& call = calls[static_cast<std::size_t>(number_of_call - first)];
        call.sent = {rank_ * 1000 + number_of_call, -2 - rank_ * 1000 - number_of_call};
        std::ranges::fill(call.received, -1);
        try {
          call.request = start(*own, call.sent.data(), call.received.data());
        } catch (const std::bad_alloc&) {
          call.request = start(*own, call.sent.data(), call.received.data());
        }
      }
      for (int number_of_call = first; number_of_call < last; ++number_of_call) {
        Call& call = calls[static_cast<std::size_t>(number_of_call - first)];
        if (!call.request.null()) call.request.wait();
        const bool is_one = call.received[0] != -1;
        for (std::size_t j = 0; j < p(); ++j) {
          const int value = static_cast<int>(j) * 1000 + number_of_call;
          ASSERT_EQ(call.received[j], is_one ? value : -1) << "call " << number_of_call;
          ASSERT_EQ(call.received[p() + j], is_one ? -1 : -2 - value) << "call " << number_of_call;
        }
      }
    }
    good_ones = kNever;
    own.reset();
    MPI_Comm_free(&comm_);
    if (number == kNever) continue;
    EXPECT_EQ(alive, alive_before) << "leaked after allocation " << number << " failed";
    int struck_anywhere = struck ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &struck_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (struck_anywhere == 0 || HasFailure()) {
      if (rank_ == 0) std::printf("%zu allocations\n", number);
      EXPECT_GT(number, 30U);
      break;
    }
  }
}

TEST_P(OutOfMemoryDense, ABlockingOwnCollectiveThatLearnsCanBeRepeated) {
  if (GetParam()) GTEST_SKIP() << "could not be repeated";
  fail_each_own_call_that_learns(1, [](rondo::OwnCollective& own, const int* sent, int* received) {
    own.run(sent, received);
    return rondo::Request();
  });
}

TEST_P(OutOfMemoryDense, ANonblockingOwnCollectiveThatLearnsCanBeRepeated) {
  if (GetParam()) GTEST_SKIP() << "could not be repeated";
  // So many at once that some are late.
  fail_each_own_call_that_learns(
      30, [](rondo::OwnCollective& own, const int* sent, int* received) { return own.start(sent, received); });
}

/// The very first call on a communicator, and the next one.
TEST_P(OutOfMemoryDense, ANonblockingCallCanBeRepeated) {
  lay_out(1, 1);
  for (std::size_t number = 0;; ++number) {
    const std::ptrdiff_t alive_before = alive;
    make_comm();
    for (int repetition = 0; repetition < 3; ++repetition) {
      std::ranges::fill(recv_, -1);
      Rondo_Request request = RONDO_REQUEST_NULL;
      const auto start = [&] {
        return Rondo_Ialltoall(send_.data(), 1, MPI_INT, recv_.data(), 1, MPI_INT, comm_, &request);
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
      for (std::size_t j = 0; j < p(); ++j) EXPECT_EQ(recv_[j], static_cast<int>(j));
    }
    MPI_Comm_free(&comm_);
    EXPECT_EQ(alive, alive_before) << "leaked after allocation " << number << " failed";
    int struck_anywhere = struck ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &struck_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (struck_anywhere == 0 || HasFailure()) {
      EXPECT_GT(number, 20U);
      return;
    }
  }
}

/// The addresses in messages across spaces, as zero-copy Bruck's, are all of one call: what a call that failed has made
/// of them is nothing to the next.
TEST(OutOfMemoryBinding, TheBuffersOfACallThatFailedAreForgotten) {
  using namespace rondo::internal;
  LoopbackNetwork network(1, 1);
  ScheduleBuilder builder(rondo::Ordering::dependencies, rondo::MessageForm::datatype);
  const BlockId transit = builder.transit(4);
  const std::vector first{builder.block(Space::send, 0, 4), builder.block(Space::send, 8, 4)};
  const std::vector arriving{transit, builder.block(Space::recv, 8, 4)};
  builder.exchange(0, 0, 0, first, arriving);
  const std::vector second{transit, builder.block(Space::send, 4, 4)};
  const std::vector last{builder.block(Space::recv, 4, 4), builder.block(Space::recv, 0, 4)};
  builder.exchange(0, 0, 1, second, last);
  Execution execution(std::make_shared<const Schedule>(std::move(builder).build()), network.transport(0), MPI_COMM_NULL,
                      0);
  const std::array sent{1, 2, 3};
  const std::array not_sent{4, 5, 6};
  std::size_t number = 0;
  for (bool failed = true; failed; ++number) {
    std::array received{0, 0, 0};
    std::array untouched{0, 0, 0};
    execution.bind(sent.data(), received.data());
    failed = false;
    for_good = false;
    good_ones = number;
    try {
      execution.bind(not_sent.data(), untouched.data());
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    good_ones = kNever;
    execution.bind(sent.data(), received.data());
    execution.start();
    while (execution.active()) {
      for (const Completion& completion : network.transport(0).poll())
        completion.execution->complete(completion.task, completion.code);
    }
    EXPECT_EQ(received, (std::array{2, 1, 3})) << "after allocation " << number << " failed";
    EXPECT_EQ(untouched, (std::array{0, 0, 0})) << "after allocation " << number << " failed";
  }
  EXPECT_GT(number, 2U);
}

INSTANTIATE_TEST_SUITE_P(Failing, OutOfMemoryDense, ::testing::Values(false, true),
                         [](const auto& values) { return values.param ? "ForGood" : "Once"; });

}  // namespace
