// Collectives of the user's own that compute, under mpirun.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "tests/support/bad_input.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::own_functions_test {
namespace {

using Build = rondo::ScheduleBuilder;

int before() { return (world_rank() + world_size() - 1) % world_size(); }

/// Each rank's numbers go round the ring; each rank adds its own rank to what it passes on.
Lowering ring(int count, Where where) {
  return [count, where](Build& build, int rank, int size) {
    Block own = build.send_block(0, count, MPI_INT);
    const auto add_rank = [rank](const ComputeBlocks& blocks) {
      const auto from = blocks.read<int>(0);
      const auto to = blocks.write<int>(0);
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + rank;
    };
    for (int hop = 0; hop < size; ++hop) {
      const bool last = hop == size - 1;
      const Block made = build.transit(4 * count);
      const Block got = last ? build.recv_block(0, count, MPI_INT) : build.transit(4 * count);
      build.compute(own, made, add_rank, {.name = "add the rank", .where = where});
      build.exchange((rank + 1) % size, (rank + size - 1) % size, made, got);
      own = got;
    }
  };
}

TEST(OwnFunctions, RunInAllFormsAndModes) {
  const int sum = world_size() * (world_size() - 1) / 2;
  for (const ProgressMode progress : {ProgressMode::inlined, ProgressMode::workers, ProgressMode::async}) {
    for (const int count : {1, 5000}) {
      for (const Where where : {Where::driver, Where::worker}) {
        Options options;
        options.progress = progress;
        options.check = count == 1;
        OwnCollective collective(MPI_COMM_WORLD, "ring", ring(count, where), options);
        std::vector<int> send(static_cast<std::size_t>(count), 10 * world_rank());
        std::vector<int> recv(send.size());
        const auto expect_right = [&](int more) {
          EXPECT_EQ(recv, std::vector<int>(recv.size(), 10 * world_rank() + more + sum));
          recv.assign(recv.size(), -1);
        };
        collective.run(send, recv);
        expect_right(0);
        Request once = collective.start(send, recv);
        while (!once.test()) {
        }
        expect_right(0);
        Request request = collective.init(send, recv);
        for (int start = 0; start < 3; ++start) {
          send.assign(send.size(), 10 * world_rank() + start);
          request.start();
          request.wait();
          expect_right(start);
        }
      }
    }
  }
}

/// Where a datatype has gaps, its function gets the address that MPI would get.
TEST(OwnFunctions, OfColumns) {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(4, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  OwnCollective shift(MPI_COMM_WORLD, "columns", [&](Build& build, int rank, int size) {
    const Block got = build.recv_block(4, 1, column);
    build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(8, 1, column), got);
    build.compute(got, build.recv_block(0, 1, column), [](const ComputeBlocks& blocks) {
      const int* from = static_cast<const int*>(blocks.read_address(0));
      int* to = static_cast<int*>(blocks.write_address(0));
      for (std::size_t i = 0; i < 12; i += 3) to[i] = 2 * from[i];
    });
  });
  MPI_Type_free(&column);
  std::vector<int> send(12, 100 * world_rank());
  std::vector<int> recv(12, -1);
  shift.run(send, recv);
  const int got = 100 * before();
  EXPECT_EQ(recv, (std::vector<int>{2 * got, got, -1, 2 * got, got, -1, 2 * got, got, -1, 2 * got, got, -1}));
}

TEST(OwnFunctions, AnExceptionFailsAllThatNeedWhatItWouldHaveMade) {
  for (const Where where : {Where::driver, Where::worker}) {
    bool throws = true;
    const Lowering chain = [&](Build& build, int rank, int size) {
      const Block made = build.recv_block(0, 1, MPI_INT);
      if (rank > 0) build.receive(rank - 1, made);
      const ComputeFunction add = [&throws, rank](const ComputeBlocks& blocks) {
        if (throws && rank == 0) throw std::runtime_error("no convergence");
        blocks.write<int>(0)[0] = rank;
      };
      if (rank == 0)
        build.compute({}, made, add, {.name = "begin", .where = where});
      else
        build.compute(made, made, add, {.name = "go on", .where = where});
      if (rank + 1 < size) build.send(rank + 1, made);
    };
    OwnCollective collective(MPI_COMM_WORLD, "chain", chain);
    int number = -1;
    Request request = collective.init(nullptr, &number);
    for (int start = 0; start < 4; ++start) {
      throws = start % 2 == 0;
      request.start();
      try {
        request.wait();
        EXPECT_FALSE(throws);
        EXPECT_EQ(number, world_rank());
      } catch (const Error& error) {
        EXPECT_TRUE(throws) << error.what();
        EXPECT_EQ(error.error_class(), MPI_ERR_OTHER);
        const std::string text = error.what();
        const char* words = world_rank() == 0
                                ? "compute \"begin\" (task 0, phase 0, round 0): its function threw: no convergence"
                                : " failed earlier in this operation";
        EXPECT_NE(text.find(words), std::string::npos) << text;
        EXPECT_NE(text.find("chain"), std::string::npos) << text;
      }
    }
  }
}

/// A function that lasts on a worker holds up nothing: what it waits for, another operation, comes meanwhile.
TEST(OwnFunctions, WorkersLetMessagesPass) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_FUNNELED) GTEST_SKIP() << "there are no workers";
  OwnCollective shift(MPI_COMM_WORLD, "shift", [](Build& build, int rank, int size) {
    build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, 4), build.recv_block(0, 4));
  });
  std::atomic<bool> begun = false;
  std::atomic<bool> there = false;
  OwnCollective lasting(MPI_COMM_WORLD, "lasting", [&](Build& build, int, int) {
    const auto last = [&](const ComputeBlocks& blocks) {
      begun.store(true);
      while (!there.load()) std::this_thread::yield();
      blocks.write<int>(0)[0] = 1;
    };
    build.compute({}, build.recv_block(0, 4), last, {.name = "last", .where = Where::worker});
  });
  const int send = world_rank();
  int recv = -1;
  int word = 0;
  Request lasts = lasting.init(nullptr, &word);
  Request shifts = shift.init(&send, &recv);
  for (int start = 0; start < 5; ++start) {
    begun.store(false);
    there.store(false);
    word = 0;
    lasts.start();
    while (!begun.load()) std::this_thread::yield();
    shifts.start();
    shifts.wait();
    EXPECT_EQ(recv, before());
    EXPECT_FALSE(lasts.test());
    there.store(true);
    lasts.wait();
    EXPECT_EQ(word, 1);
  }
}

/// What a function may and may not call.
TEST(OwnFunctions, MayStartWhatIsPersistentAndWaitForNothing) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const Lowering shift = [](Build& build, int rank, int size) {
    build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, 4), build.recv_block(0, 4));
  };
  OwnCollective other(MPI_COMM_WORLD, "shift", shift);
  const int send = world_rank();
  int recv = -1;
  Request persistent = other.init(&send, &recv);
  const Request to_free = other.init(&send, &recv);
  const std::vector<std::pair<bool, std::function<void()>>> calls{
      {true, [&] { persistent.start(); }},
      {false,
       [&] {
         persistent.start();
         static_cast<void>(persistent.test());
       }},
      {false,
       [&] {
         persistent.start();
         persistent.wait();
       }},
      {false,
       [&] {
         persistent.start();
         static_cast<void>(wait_any({&persistent, 1}));
       }},
      {false, [&] { static_cast<void>(progress()); }},
      {false, [&] { other.run(&send, &recv); }},
      {false, [&] { static_cast<void>(other.start(&send, &recv)); }},
      {false, [&] { static_cast<void>(other.init(&send, &recv)); }},
      {false, [&] { const OwnCollective made(MPI_COMM_WORLD, "shift", shift); }},
      {false, [&] { const CartComm made(MPI_COMM_WORLD, {world_size()}, moore(1, 1)); }},
      {false, [&] { const Comm made(MPI_COMM_WORLD); }},
      {false,
       [&] {
         Rondo_Request request = to_free.native();
         expect_error(Rondo_Request_free(&request), MPI_ERR_OTHER, {"called in the function"}, __LINE__);
         throw Error(MPI_ERR_OTHER, "called in the function of a compute task");
       }},
  };
  for (std::size_t number = 0; number < calls.size(); ++number) {
    const auto& [allowed, call] = calls[number];
    OwnCollective computing(MPI_COMM_WORLD, "computing", [function = call](Build& build, int, int) {
      build.compute(
          {}, build.recv_block(0, 4), [function](const ComputeBlocks&) { function(); }, "caller");
    });
    int word = 0;
    try {
      computing.run(nullptr, &word);
      EXPECT_TRUE(allowed) << number;
    } catch (const Error& error) {
      EXPECT_FALSE(allowed) << number << ": " << error.what();
      const std::string text = error.what();
      EXPECT_NE(text.find("called in the function of a compute task"), std::string::npos) << number << ": " << text;
    }
    persistent.wait();
  }
  EXPECT_EQ(recv, before());
}

}  // namespace
}  // namespace rondo::internal::own_functions_test
