// Progress modes and waiting without a blocked thread, as users see them. MPI_THREAD_MULTIPLE.
#include <gtest/gtest.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <rondo/coroutine.hpp>
#include <rondo/progress.hpp>
#include <rondo/rondo.hpp>
#include <rondo/tbb.hpp>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::progress_test {
namespace {

class Progress : public ::testing::TestWithParam<ProgressMode> {
 protected:
  void SetUp() override {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    options_.algorithm = rondo::Algorithm::combining;  // of several rounds
    options_.progress = GetParam();
    dimensions_.assign(2, 0);
    MPI_Dims_create(ranks_, 2, dimensions_.data());
    torus_ = std::make_unique<CartComm>(MPI_COMM_WORLD, dimensions_, moore(2, 1), options_);
    sources_ = torus_->sources();
  }
  /// An exchange of its own buffers.
  struct Exchange {
    std::vector<int> send = std::vector<int>(8);
    std::vector<int> recv = std::vector<int>(8);
    Request request{};
  };
  [[nodiscard]] std::vector<Exchange> exchanges(std::size_t count) {
    std::vector<Exchange> all(count);
    for (Exchange& exchange : all) exchange.request = torus_->alltoall_init(exchange.send, exchange.recv);
    return all;
  }
  void start(Exchange& exchange, int repetition) const {
    for (int& value : exchange.send) value = torus_->rank() * 1000 + repetition;
    for (int& value : exchange.recv) value = -1;
    exchange.request.start();
  }
  void expect_arrived(const Exchange& exchange, int repetition) const {
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(exchange.recv[i], sources_[i] * 1000 + repetition);
  }

  int ranks_ = 0;
  Options options_;
  std::vector<int> dimensions_;
  std::unique_ptr<CartComm> torus_;
  std::vector<int> sources_;
};

INSTANTIATE_TEST_SUITE_P(Modes, Progress, ::testing::Values(ProgressMode::inlined, ProgressMode::async),
                         [](const auto& mode) { return std::string(name(mode.param)); });

TEST_P(Progress, TheModeAskedForIsGranted) {
  const Exchange exchange = std::move(exchanges(1).front());
  EXPECT_EQ(exchange.request.progress(), GetParam());
  EXPECT_EQ(granted_progress(GetParam()), GetParam());
  int mode = RONDO_PROGRESS_AUTO;
  EXPECT_EQ(Rondo_Request_get_progress(exchange.request.native(), &mode), MPI_SUCCESS);
  EXPECT_EQ(mode, static_cast<int>(GetParam()));
}

TEST_P(Progress, CallbacksRunOnceForEachStart) {
  Exchange exchange = std::move(exchanges(1).front());
  EXPECT_FALSE(exchange.request.on_complete([] { FAIL() << "was not started"; }));
  std::atomic<int> calls = 0;
  int wanted = 0;
  for (int repetition = 0; repetition < 30; ++repetition) {
    start(exchange, repetition);
    for (int several = 0; several < 3; ++several) wanted += exchange.request.on_complete([&] { ++calls; }) ? 1 : 0;
    exchange.request.wait();
    expect_arrived(exchange, repetition);
  }
  while (calls != wanted) std::this_thread::yield();  // they need not be over when the wait is
  EXPECT_EQ(calls, wanted);
}

TEST_P(Progress, ACallbackMayStartTheNextOperation) {
  std::vector<Exchange> two = exchanges(2);
  for (int repetition = 0; repetition < 20; ++repetition) {
    start(two[0], repetition);
    std::atomic<bool> started = false;
    const auto next = [&] {
      start(two[1], repetition);
      started = true;
    };
    if (!two[0].request.on_complete(next)) next();
    two[0].request.wait();
    while (!started) std::this_thread::yield();
    two[1].request.wait();
    expect_arrived(two[0], repetition);
    expect_arrived(two[1], repetition);
  }
}

TEST_P(Progress, WhatACallbackThrowsHurtsNobody) {
  Exchange exchange = std::move(exchanges(1).front());
  for (int repetition = 0; repetition < 4; ++repetition) {
    start(exchange, repetition);
    std::atomic<bool> ran = false;
    const bool later = exchange.request.on_complete([&] {
      ran = true;
      throw std::runtime_error("on purpose");
    });
    EXPECT_NO_THROW(exchange.request.wait());
    while (later && !ran) std::this_thread::yield();
    expect_arrived(exchange, repetition);
  }
}

/// Tiles that wait for each other: where waiting held the worker, the second would never start.
TEST_P(Progress, TilesThatWaitForEachOtherShareOneWorker) {
  constexpr std::size_t kTiles = 6;
  std::vector<Exchange> tiles = exchanges(kTiles);
  ::tbb::task_arena arena(1);
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::atomic<int> over = 0;
    arena.execute([&] {
      ::tbb::task_group group;
      // On odd ranks in the other order, so that the first tile's partners are the last to start.
      for (std::size_t i = 0; i < kTiles; ++i) {
        Exchange& mine = tiles[torus_->rank() % 2 == 0 ? i : kTiles - 1 - i];
        group.run([&] {
          start(mine, repetition);
          tbb::wait(mine.request);
          expect_arrived(mine, repetition);
          ++over;
        });
      }
      group.wait();
    });
    EXPECT_EQ(over, static_cast<int>(kTiles));
  }
}

TEST_P(Progress, AnAsyncNodeStartsARequest) {
  using Node = ::tbb::flow::async_node<int, int>;
  Exchange exchange = std::move(exchanges(1).front());
  ::tbb::flow::graph graph;
  int seen = -1;
  Node communicate(graph, ::tbb::flow::serial, [&](int repetition, Node::gateway_type& gateway) {
    start(exchange, repetition);
    tbb::put_when_complete(gateway, exchange.request, repetition);
  });
  ::tbb::flow::function_node<int> use(graph, ::tbb::flow::serial, [&](int repetition) {
    exchange.request.wait();
    expect_arrived(exchange, repetition);
    seen = repetition;
  });
  ::tbb::flow::make_edge(communicate, use);
  for (int repetition = 0; repetition < 10; ++repetition) {
    communicate.try_put(repetition);
    graph.wait_for_all();
    EXPECT_EQ(seen, repetition);
  }
}

/// A coroutine that runs by itself; done() when it has ended.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

TEST_P(Progress, ACoroutineAwaitsARequest) {
  Exchange exchange = std::move(exchanges(1).front());
  std::atomic<int> over = 0;
  const auto steps = [&]() -> Detached {
    for (int repetition = 0; repetition < 10; ++repetition) {
      start(exchange, repetition);
      co_await exchange.request;
      expect_arrived(exchange, repetition);
      ++over;
    }
  };
  steps();
  while (over < 10) {
    if (GetParam() == ProgressMode::async)
      std::this_thread::yield();
    else
      static_cast<void>(progress());
  }
}

TEST_P(Progress, ACoroutineGoesOnInItsArena) {
  Exchange exchange = std::move(exchanges(1).front());
  ::tbb::task_arena arena(2);
  std::atomic<int> over = 0;
  const auto steps = [&]() -> Detached {
    for (int repetition = 0; repetition < 10; ++repetition) {
      start(exchange, repetition);
      co_await tbb::resume_here(exchange.request);
      expect_arrived(exchange, repetition);
      ++over;
    }
  };
  arena.execute([&] { steps(); });
  while (over < 10) std::this_thread::yield();
}

TEST_P(Progress, AllRanksAdvanceWhileTheyCompute) {
  if (GetParam() != ProgressMode::async) GTEST_SKIP() << "nothing advances by itself";
  Exchange exchange = std::move(exchanges(1).front());
  for (int repetition = 0; repetition < 5; ++repetition) {
    start(exchange, repetition);
    // Nobody calls Rondo or MPI until all have all their blocks.
    for (const volatile int& value : exchange.recv) {
      while (value == -1) std::this_thread::yield();
    }
    exchange.request.wait();
    expect_arrived(exchange, repetition);
  }
}

/// Such an operation does not wake the poller when it starts.
TEST_P(Progress, WhatIsUsuallyWaitedForAtOnceAdvancesForACallback) {
  if (GetParam() != ProgressMode::async) GTEST_SKIP() << "nothing advances by itself";
  Exchange exchange = std::move(exchanges(1).front());
  for (int repetition = 0; repetition < 300; ++repetition) {
    MPI_Barrier(MPI_COMM_WORLD);  // so that nobody waits long
    start(exchange, repetition);
    exchange.request.wait();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the poller parks
  std::atomic<bool> called = false;
  if (torus_->rank() == 0) {
    start(exchange, 300);
    if (!exchange.request.on_complete([&] { called = true; })) called = true;
  }
  MPI_Barrier(MPI_COMM_WORLD);  // the others start later
  if (torus_->rank() != 0) {
    start(exchange, 300);
    called = true;
  }
  while (!called) std::this_thread::yield();
  exchange.request.wait();
  expect_arrived(exchange, 300);
}

TEST(ProgressSettings, AnotherModeIsRefused) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_progress", "sometimes");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  EXPECT_EQ(Rondo_Comm_prepare(comm, info), MPI_ERR_INFO_VALUE);
  char text[RONDO_MAX_ERROR_STRING];
  int length = 0;
  Rondo_Error_string(MPI_ERR_INFO_VALUE, text, &length);
  EXPECT_NE(std::string(text).find("rondo_progress: is \"sometimes\", must be auto, inline, workers or async"),
            std::string::npos)
      << text;
  MPI_Comm_free(&comm);
  MPI_Info_free(&info);
}

TEST(ProgressSettings, CFunctionsRefuseBadArguments) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int flag = 0;
  EXPECT_EQ(Rondo_On_complete(RONDO_REQUEST_NULL, nullptr, nullptr, &flag), MPI_ERR_ARG);
  EXPECT_EQ(Rondo_On_complete(
                RONDO_REQUEST_NULL, [](void*) {}, nullptr, nullptr),
            MPI_ERR_ARG);
  EXPECT_EQ(Rondo_On_complete(
                RONDO_REQUEST_NULL, [](void*) {}, nullptr, &flag),
            MPI_SUCCESS);
  EXPECT_EQ(flag, 0);
  EXPECT_EQ(Rondo_Request_get_progress(RONDO_REQUEST_NULL, &flag), MPI_ERR_REQUEST);
  EXPECT_EQ(Rondo_Progress(nullptr), MPI_ERR_ARG);
  EXPECT_EQ(Rondo_Progress(&flag), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Init_thread(nullptr, nullptr, MPI_THREAD_SINGLE, nullptr), MPI_ERR_ARG);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace
}  // namespace rondo::internal::progress_test
