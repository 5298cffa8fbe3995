// Collectives of the user's own under mpirun, in all their forms.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "examples/own_allreduce/recursive_doubling.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/cases/affine.hpp"
#include "tests/support/cases/ring_reduce_scatter.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::internal::own_collective_test {
namespace {

using Build = rondo::ScheduleBuilder;

/// Passes a block of `ints` on around a ring, in one step.
Lowering shift_of(int ints) {
  return [ints](Build& build, int rank, int size) {
    build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, ints, MPI_INT),
                   build.recv_block(0, ints, MPI_INT));
  };
}

/// Two ranks meet, and two more at each step, until all have heard of all (a dissemination barrier).
void barrier(Build& build, int rank, int size) {
  build.set_in_place();
  Block word = build.recv_block(0, 1);
  build.set_filled(word);
  for (int far = 1; far < size; far *= 2) {
    const Block heard = build.transit(1);
    build.exchange((rank + far) % size, (rank + size - far) % size, word, heard);
    word = heard;
  }
}

/// One form after the other of a shift that works.
void expect_shifts(OwnCollective& shift, int rank, int size, int ints) {
  const int before = (rank + size - 1) % size;
  std::vector<int> send(static_cast<std::size_t>(ints));
  std::vector<int> recv(send.size());
  std::vector<int> expected(send.size());
  const auto fill = [&](int start) {
    std::iota(send.begin(), send.end(), 1000 * rank + start);
    std::iota(expected.begin(), expected.end(), 1000 * before + start);
    recv.assign(send.size(), -1);
  };
  for (int repetition = 0; repetition < 3; ++repetition) {
    fill(repetition);
    shift.run(send, recv);
    ASSERT_EQ(recv, expected);
    fill(repetition + 10);
    Request request = shift.start(send, recv);
    request.wait();
    ASSERT_EQ(recv, expected);
  }
  Request request = shift.init(send.data(), recv.data());
  for (int start = 0; start < 3; ++start) {
    fill(start + 20);
    request.start();
    request.wait();
    ASSERT_EQ(recv, expected);
  }
  EXPECT_EQ(request.algorithm(), "own");
}

TEST(OwnCollective, RunsInAllForms) {
  for (const int ints : {0, 1, 3000, 100000}) {
    OwnCollective shift(MPI_COMM_WORLD, "shift", shift_of(ints));
    EXPECT_EQ(shift.name(), "shift");
    expect_shifts(shift, world_rank(), world_size(), ints);
  }
}

TEST(OwnCollective, RunsOnAnyCommunicator) {
  std::optional<OwnCollective> of_comm;
  {
    const Comm comm(MPI_COMM_WORLD);
    of_comm.emplace(comm, "shift", shift_of(5));
  }
  expect_shifts(*of_comm, world_rank(), world_size(), 5);
  std::optional<OwnCollective> of_grid;
  int rank = 0;
  {
    Options options;
    options.reorder = true;
    const CartComm grid(MPI_COMM_WORLD, {world_size(), 1}, Neighborhood(2), options);
    of_grid.emplace(grid, "shift", shift_of(5));
    rank = grid.rank();
  }
  expect_shifts(*of_grid, rank, world_size(), 5);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, -world_rank(), &half);
  MPI_Comm_rank(half, &rank);
  int size = 0;
  MPI_Comm_size(half, &size);
  OwnCollective of_half(half, "shift", shift_of(5));
  expect_shifts(of_half, rank, size, 5);
  MPI_Comm_free(&half);
  expect_shifts(of_half, rank, size, 5);
}

TEST(OwnCollective, TakesOptions) {
  for (const ProgressMode progress : {ProgressMode::inlined, ProgressMode::workers, ProgressMode::async}) {
    for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
      for (const SharedMemory shm : {SharedMemory::on, SharedMemory::off}) {
        Options options;
        options.progress = progress;
        options.messages = form;
        options.shm = shm;
        options.schedule = Ordering::phases;
        options.check = true;
        OwnCollective shift(MPI_COMM_WORLD, "shift", shift_of(300), options);
        expect_shifts(shift, world_rank(), world_size(), 300);
      }
    }
  }
}

TEST(OwnCollective, ManyInFlight) {
  OwnCollective shift(MPI_COMM_WORLD, "shift", shift_of(1));
  OwnCollective meet(MPI_COMM_WORLD, "barrier", barrier);
  const int before = (world_rank() + world_size() - 1) % world_size();
  std::vector<int> send(50);
  std::iota(send.begin(), send.end(), world_rank() * 100);
  std::vector<int> recv(50, -1);
  std::vector<char> words(50);
  std::vector<Request> requests;
  for (std::size_t i = 0; i < send.size(); ++i) {
    requests.push_back(shift.start(std::span(send).subspan(i, 1), std::span(recv).subspan(i, 1)));
    requests.push_back(meet.start(in_place, std::span(words).subspan(i, 1)));
  }
  wait_all(requests);
  for (std::size_t i = 0; i < send.size(); ++i) EXPECT_EQ(recv[i], before * 100 + static_cast<int>(i));
}

TEST(OwnCollective, AllreducesInPlaceAndOutOfIt) {
  const auto p = static_cast<double>(world_size());
  for (const int count : {1, 7, 5000}) {
    OwnCollective sum(MPI_COMM_WORLD, "allreduce", recursive_doubling(count, MPI_DOUBLE, MPI_SUM));
    std::vector<double> mine(static_cast<std::size_t>(count));
    std::iota(mine.begin(), mine.end(), world_rank() + 1);
    std::vector<double> all(mine.size());
    std::vector<double> expected(mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) expected[i] = p * (p + 1) / 2 + p * static_cast<double>(i);
    sum.run(mine, all);
    EXPECT_EQ(all, expected);
    Request request = sum.init(mine, all);
    for (int start = 0; start < 3; ++start) {
      all.assign(all.size(), -1);
      request.start();
      request.wait();
      EXPECT_EQ(all, expected);
    }
  }
}

TEST(OwnCollective, ReductionsOfSeveralLengths) {
  const int size = world_size();
  for (const int count : {size + 1, 5000}) {
    OwnCollective scatter(MPI_COMM_WORLD, "reduce-scatter", ring_reduce_scatter(count));
    const int length = count / size + (world_rank() < count % size ? 1 : 0);
    int begin = 0;
    for (int before = 0; before < world_rank(); ++before) begin += count / size + (before < count % size ? 1 : 0);
    std::vector<double> send(static_cast<std::size_t>(count));
    std::vector<double> recv(static_cast<std::size_t>(length));
    Request request = scatter.init(send, recv);
    for (int start = 0; start < 3; ++start) {
      std::iota(send.begin(), send.end(), 1000 * world_rank() + start);
      request.start();
      request.wait();
      for (int i = 0; i < length; ++i) {
        const int sum = 500 * size * (size - 1) + size * (begin + i + start);
        ASSERT_EQ(recv[static_cast<std::size_t>(i)], sum) << "element " << i << " of " << count;
      }
    }
  }
}

TEST(OwnCollective, AnOperationNeedNotBeCommutative) {
  MPI_Datatype affine = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT64_T, &affine);
  MPI_Type_commit(&affine);
  MPI_Op then = MPI_OP_NULL;
  MPI_Op_create(compose, 0, &then);
  {
    // A chain: each rank composes what comes from below with its own, and the last one tells all.
    OwnCollective chain(MPI_COMM_WORLD, "chain", [&](Build& build, int rank, int size) {
      build.set_reduction(1, affine, then);
      const Block own = build.send_block(0, 1, affine);
      const Block result = build.recv_block(0, 1, affine);
      if (size == 1) return build.copy(own, result);
      const Block so_far = build.operand();
      build.copy(own, so_far);
      if (rank > 0) {
        const Block lower = build.operand();
        build.receive(rank - 1, lower);
        build.reduce(lower, so_far);  // lower OP own
      }
      if (rank + 1 < size) {
        build.send(rank + 1, so_far);
        build.receive(size - 1, result);
      } else {
        build.copy(so_far, result);
        for (int other = 0; other < rank; ++other) build.send(other, so_far);
      }
    });
    const auto of_rank = [](int rank) { return Affine{rank + 2, 3 * rank + 1}; };
    Affine expected = of_rank(0);
    for (int rank = 1; rank < world_size(); ++rank) expected = after(expected, of_rank(rank));
    const std::array mine{of_rank(world_rank())};
    std::array<Affine, 1> all{};
    chain.run(mine, all);
    EXPECT_EQ(all.front(), expected);
  }
  MPI_Op_free(&then);
  MPI_Type_free(&affine);
}

TEST(OwnCollective, TellsOfItsBlocks) {
  const int size = world_size();
  // All ranks to all, block by block.
  OwnCollective gather(MPI_COMM_WORLD, "gather", [](Build& build, int rank, int ranks) {
    const Block own = build.send_block(0, 8);
    build.copy(own, build.recv_block(rank * 8, 8));
    for (int shift = 1; shift < ranks; ++shift) {
      const int source = (rank + ranks - shift) % ranks;
      build.exchange((rank + shift) % ranks, source, own, build.recv_block(source * 8, 8));
    }
  });
  const std::array<std::int64_t, 1> mine{world_rank()};
  std::vector<std::int64_t> all(static_cast<std::size_t>(size), -1);
  Request request = gather.start(mine, all);
  int arrived = 0;
  while (const std::optional<int> block = request.wait_any_block()) {
    const int source = (world_rank() + size - *block) % size;  // the order in which the lowering asked for them
    EXPECT_EQ(all[static_cast<std::size_t>(source)], source);
    ++arrived;
  }
  EXPECT_EQ(arrived, size);
  EXPECT_TRUE(request.sent(0));
  EXPECT_EQ(class_of([&] { return request.arrived(size); }), MPI_ERR_ARG);
  request.wait();
}

TEST(OwnCollective, BlocksOfNoBytesHaveNoNumber) {
  OwnCollective shift(MPI_COMM_WORLD, "shift", [](Build& build, int rank, int size) {
    const std::array outgoing{build.send_block(0, 0), build.send_block(0, 4)};
    const std::array incoming{build.recv_block(0, 0), build.recv_block(0, 4)};
    build.exchange((rank + 1) % size, (rank + size - 1) % size, outgoing, incoming);
  });
  const std::array mine{world_rank()};
  std::array got{-1};
  Request request = shift.start(mine, got);
  EXPECT_EQ(request.wait_any_block(), 0);
  EXPECT_EQ(got[0], (world_rank() + world_size() - 1) % world_size());
  EXPECT_EQ(request.wait_any_block(), std::nullopt);
  EXPECT_EQ(class_of([&] { return request.arrived(1); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { return request.sent(1); }), MPI_ERR_ARG);
  request.wait();
}

TEST(OwnCollective, RequestsOutliveIt) {
  std::array<int, 2> send{world_rank(), 7};
  std::array<int, 2> recv{};
  std::vector<Request> requests;
  {
    const std::string name = "a name of more characters than fit into a string without memory";
    OwnCollective shift(MPI_COMM_WORLD, name, shift_of(2));
    requests.push_back(shift.init(send, recv));
    requests.push_back(shift.start(send, recv));
  }
  requests[1].wait();
  for (int start = 0; start < 2; ++start) {
    recv = {-1, -1};
    requests[0].start();
    requests[0].wait();
    EXPECT_EQ(recv, (std::array{(world_rank() + world_size() - 1) % world_size(), 7}));
  }
  EXPECT_NE(requests[0].explain().find("own"), std::string::npos);
}

/// On one rank it is an exchange with itself, which is a copy.
TEST(OwnCollective, IsDrawnAndExplained) {
  OwnCollective shift(MPI_COMM_WORLD, "my shift", shift_of(4));
  std::array<int, 4> send{};
  std::array<int, 4> recv{};
  const Request request = shift.init(send, recv);
  const bool alone = world_size() == 1;
  EXPECT_NE(request.to_dot().find(alone ? "copy" : "send to"), std::string::npos) << request.to_dot();
  EXPECT_EQ(request.to_dot().find("send to") == std::string::npos, alone);
  const std::string text = request.explain();
  EXPECT_NE(text.find("own: as its lowering says\n"), std::string::npos) << text;
  const char* const messages = alone ? "messages sent 0 with bytes 0, received 0 with bytes 0\n"
                                     : "messages sent 1 with bytes 16, received 1 with bytes 16\n";
  EXPECT_NE(text.find(std::string("this rank: phases 1, ") + messages), std::string::npos) << text;
  EXPECT_EQ(text.find("messages go") == std::string::npos, alone) << text;
}

// What goes wrong.

std::string text_of(const std::function<void()>& body, int error_class) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), error_class) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
}

void expect_still_usable() {
  OwnCollective shift(MPI_COMM_WORLD, "shift", shift_of(3));
  expect_shifts(shift, world_rank(), world_size(), 3);
}

TEST(OwnCollective, ALoweringThatThrowsOnOneRank) {
  const int last = world_size() - 1;
  const Lowering lower = [&](Build& build, int rank, int size) {
    shift_of(3)(build, rank, size);
    if (rank == last) throw std::runtime_error("out of ideas");
  };
  if (world_rank() == last) {
    EXPECT_THROW(OwnCollective(MPI_COMM_WORLD, "shift", lower), std::runtime_error);
  } else {
    const std::string text = text_of([&] { OwnCollective(MPI_COMM_WORLD, "shift", lower); }, MPI_ERR_ARG);
    expect_words(text, {"shift: rank", std::to_string(last).c_str(), "bad argument"});
  }
  expect_still_usable();
}

TEST(OwnCollective, ALoweringThatIsRefusedOnOneRank) {
  const Lowering lower = [](Build& build, int rank, int size) {
    if (rank == 0) build.send(size, build.send_block(0, 1));
  };
  const int expected = world_rank() == 0 ? MPI_ERR_RANK : MPI_ERR_ARG;
  expect_words(text_of([&] { OwnCollective(MPI_COMM_WORLD, "refused", lower); }, expected), {"refused: "});
  text_of([&] { OwnCollective(MPI_COMM_WORLD, "empty", Lowering()); }, MPI_ERR_ARG);
  expect_still_usable();
}

TEST(OwnCollective, MessagesThatDoNotMatch) {
  const Lowering too_few = [](Build& build, int rank, int) {
    if (rank == 0) build.send(0, build.send_block(0, 8));
  };
  const std::string text = text_of([&] { OwnCollective(MPI_COMM_WORLD, "too few", too_few); }, MPI_ERR_ARG);
  expect_words(text, {"too few: ", "message without a partner", "rank 0, send to rank 0"});
  EXPECT_EQ(text.find("RONDO_CHECK"), std::string::npos) << text;
  const Lowering two_sizes = [](Build& build, int rank, int) {
    if (rank == 0) build.exchange(0, build.send_block(0, 8), build.recv_block(0, 4));
  };
  expect_words(text_of([&] { OwnCollective(MPI_COMM_WORLD, "two sizes", two_sizes); }, MPI_ERR_ARG),
               {"message of two sizes"});
  expect_still_usable();
}

TEST(OwnCollective, WhatTheCheckerFinds) {
  // Each rank receives before it sends.
  const Lowering circle = [](Build& build, int rank, int size) {
    build.receive((rank + size - 1) % size, build.recv_block(0, 8));
    build.send((rank + 1) % size, build.recv_block(0, 8));
  };
  Options options;
  options.check = true;
  const std::string text = text_of([&] { OwnCollective(MPI_COMM_WORLD, "circle", circle, options); }, MPI_ERR_ARG);
  expect_words(text, {"circle: RONDO_CHECK: deadlock", "receive from rank"});
  expect_still_usable();
}

TEST(OwnCollective, NamesThatDiffer) {
  if (world_size() == 1) return;
  const std::string name = world_rank() == 0 ? "one" : "other";
  expect_words(text_of([&] { OwnCollective(MPI_COMM_WORLD, name, shift_of(1)); }, MPI_ERR_ARG),
               {(name + ": ").c_str(), "must make the same collective"});
  expect_still_usable();
}

TEST(OwnCollective, BadOptionsAndCommunicators) {
  text_of([&] { OwnCollective(MPI_COMM_NULL, "shift", shift_of(1)); }, MPI_ERR_COMM);
  OwnCollective moved(MPI_COMM_WORLD, "shift", shift_of(1));
  OwnCollective shift(std::move(moved));
  expect_words(text_of([&] { moved.run(); }, MPI_ERR_ARG), {"was moved from"});
  expect_shifts(shift, world_rank(), world_size(), 1);
}

TEST(OwnCollective, BadBuffers) {
  OwnCollective shift(MPI_COMM_WORLD, "shift", shift_of(4));
  std::array<int, 4> send{};
  std::array<int, 4> recv{};
  std::array<int, 3> shorter{};
  const auto expect_refused = [&](const std::function<void()>& body, const char* words) {
    expect_words(text_of(body, MPI_ERR_BUFFER), {"shift: ", words});
  };
  expect_refused([&] { shift.run(shorter, recv); }, "send: has 12 bytes, must have at least 16");
  expect_refused([&] { static_cast<void>(shift.start(send, shorter)); }, "recv: has 12 bytes, must have at least 16");
  expect_refused([&] { shift.run(nullptr, recv.data()); }, "send: is null, must point to 16 bytes");
  expect_refused([&] { shift.run(send, send); }, "16 bytes at recv + 0 are both sent and received");
  expect_refused([&] { shift.run(in_place, recv); }, "does not set_in_place()");
  // All ranks hear of it.
  const bool here = world_rank() == world_size() - 1;
  text_of([&] { static_cast<void>(shift.init(here ? std::span<int>(shorter) : std::span<int>(send), recv)); },
          here ? MPI_ERR_BUFFER : MPI_ERR_ARG);
  shift.run(send, recv);
  OwnCollective meet(MPI_COMM_WORLD, "barrier", barrier);
  if (world_size() > 1) expect_words(text_of([&] { meet.run(send, recv); }, MPI_ERR_BUFFER), {"must be in_place"});
  std::array<char, 1> word{};
  meet.run(in_place, word);
}

}  // namespace
}  // namespace rondo::internal::own_collective_test
