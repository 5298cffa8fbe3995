// Times that follow by hand from the definition of the network.
#include "runtime/machine/loggp_network.hpp"

#include "runtime/execution/execution.hpp"
#include "runtime/machine/simulated_start.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace rondo::internal::machine::loggp_network_test {
namespace {

// Each is a number of its own, so that no sum is right by chance. Picoseconds.
constexpr SimulatedTime kSend = 100'000;
constexpr SimulatedTime kReceive = 71'000;
constexpr SimulatedTime kLatency = 503'000;
constexpr SimulatedTime kHop = 29'000;
constexpr SimulatedTime kGap = 11'000;
constexpr SimulatedTime kByte = 130;
constexpr SimulatedTime kSlowByte = 210;
constexpr SimulatedTime kPiece = 2'003;
constexpr SimulatedTime kCopiedByte = 17;
constexpr SimulatedTime kReduction = 19'001;
constexpr SimulatedTime kReducedByte = 101;
constexpr SimulatedTime kNearSend = 21'000;
constexpr SimulatedTime kNearReceive = 23'000;
constexpr SimulatedTime kNearByte = 31;
constexpr SimulatedTime kNearLatency = 151'000;
constexpr std::int64_t kEagerLimit = 4000;

Parameters parameters() {
  return {.name = "a test's",
          .network = {.send = {kSend, 0},
                      .receive = {kReceive, 0},
                      .latency = kLatency,
                      .hop_latency = kHop,
                      .gap = kGap,
                      .gap_byte = kByte,
                      .link_byte = kByte,
                      .eager_limit = kEagerLimit},
          .near = {.send = {kNearSend, kNearByte}, .receive = {kNearReceive, kNearByte}, .latency = kNearLatency},
          .tasks = {kPiece, kCopiedByte, kReduction, kReducedByte}};
}

Machine at_one_switch(int ranks, int nodes) {
  return {one_switch(nodes), parameters(), nodes_of_ranks(ranks, nodes, Mapping::blocks)};
}

/// What a rank does.
using Program = std::function<void(int rank, ScheduleBuilder& builder)>;

constexpr std::int64_t kBuffer = std::int64_t{1} << 16;

/// When each rank ends.
std::vector<SimulatedTime> ends(const Machine& machine, const Program& program, Data data = Data::carried) {
  LogGPNetwork network(machine, data);
  std::vector<std::byte> send(kBuffer);
  std::vector<std::vector<std::byte>> recv;
  std::vector<std::unique_ptr<Execution>> executions;
  std::vector<Execution*> all;
  for (int rank = 0; rank < machine.ranks(); ++rank) {
    ScheduleBuilder builder(Ordering::dependencies, MessageForm::staged);
    program(rank, builder);
    executions.push_back(std::make_unique<Execution>(std::make_shared<const Schedule>(std::move(builder).build()),
                                                     network.transport(rank), MPI_COMM_NULL, 0));
    executions.back()->bind(send.data(), recv.emplace_back(kBuffer).data());
    all.push_back(executions.back().get());
  }
  const std::vector<SimulatedTime> found = run(network, all);
  for (int rank = 0; rank < machine.ranks(); ++rank) EXPECT_EQ(network.transport(rank).in_flight(), 0U);
  return found;
}

SimulatedTime last_end(const Machine& machine, const Program& program, Data data = Data::carried) {
  return std::ranges::max(ends(machine, program, data));
}

void send_to(ScheduleBuilder& builder, int peer, std::int64_t bytes) {
  const std::vector block{builder.block(Space::send, 0, bytes)};
  builder.send(peer, 0, block);
}

void receive_from(ScheduleBuilder& builder, int peer, std::int64_t bytes, std::int64_t offset = 0) {
  const std::vector block{builder.block(Space::recv, offset, bytes)};
  builder.receive(peer, 0, block);
}

/// From one rank to another, all others idle.
Program one_message(int from, int to, std::int64_t bytes) {
  return [=](int rank, ScheduleBuilder& builder) {
    if (rank == from) send_to(builder, to, bytes);
    if (rank == to) receive_from(builder, from, bytes);
  };
}

TEST(LogGPNetwork, OneMessage) {
  const auto found = ends(at_one_switch(2, 2), one_message(0, 1, 1000));
  EXPECT_EQ(found[0], kSend);
  EXPECT_EQ(found[1], kSend + kLatency + 1000 * kByte + kReceive);
}

TEST(LogGPNetwork, CopiesIntoAndOutOfBuffersTakeTheEndsTime) {
  Machine machine = at_one_switch(2, 2);
  machine.parameters.network.send.byte = 3;
  machine.parameters.network.receive.byte = 5;
  EXPECT_EQ(ends(machine, one_message(0, 1, 1000))[1],
            kSend + 1000 * 3 + kLatency + 1000 * kByte + kReceive + 1000 * 5);
}

TEST(LogGPNetwork, ALongMessageAsksAndStartsWhenItsReceiveIsPosted) {
  constexpr std::int64_t kBytes = kEagerLimit + 1;
  const auto found = ends(at_one_switch(2, 2), one_message(0, 1, kBytes));
  EXPECT_EQ(found[0], kSend + 2 * kLatency + kBytes * kByte) << "until the data have left";
  EXPECT_EQ(found[1], kSend + 3 * kLatency + kBytes * kByte + kReceive);
  Machine slow = at_one_switch(2, 2);
  slow.parameters.tasks.copied_byte = 1000;
  const auto late = ends(slow, [](int rank, ScheduleBuilder& builder) {
    if (rank == 0) return send_to(builder, 1, kBytes);
    const std::vector from{builder.block(Space::send, 0, kBytes)};
    const std::vector block{builder.block(Space::recv, 0, kBytes)};
    const std::vector further{builder.block(Space::recv, kBytes, kBytes)};
    builder.copy(from, block);
    builder.copy(block, further);
    builder.receive(0, 0, block);  // over what was copied, so after that
  });
  constexpr SimulatedTime kCopy = 2 * (kPiece + kBytes * 1000);
  static_assert(kCopy > kSend + kLatency);
  EXPECT_EQ(late[1], kCopy + 2 * kLatency + kBytes * kByte + kReceive);
}

TEST(LogGPNetwork, SendersToOneReceiverQueueAtItsPort) {
  for (const int senders : {1, 2, 7, 15}) {
    const Program program = [=](int rank, ScheduleBuilder& builder) {
      if (rank > 0) return send_to(builder, 0, 1000);
      for (int i = 1; i <= senders; ++i) receive_from(builder, i, 1000, 1000 * i);
    };
    static_assert(kReceive < kGap + 1000 * kByte);
    EXPECT_EQ(ends(at_one_switch(senders + 1, senders + 1), program)[0],
              kSend + kLatency + 1000 * kByte + (senders - 1) * (kGap + 1000 * kByte) + kReceive);
    // One after the other it takes the time of each.
    const Program in_turn = [=](int rank, ScheduleBuilder& builder) {
      builder.set_window(1);
      for (int i = 1; i <= senders; ++i) {
        builder.begin_exchange();
        if (rank == i) send_to(builder, 0, 1000);
        if (rank == 0) receive_from(builder, i, 1000, 1000 * i);
      }
    };
    EXPECT_EQ(ends(at_one_switch(senders + 1, senders + 1), in_turn)[0],
              kSend + kLatency + 1000 * kByte + (senders - 1) * (kGap + 1000 * kByte) + kReceive)
        << "which senders do not wait for";
  }
}

TEST(LogGPNetwork, ShortMessagesWaitForTheReceiversCore) {
  const Program program = [](int rank, ScheduleBuilder& builder) {
    if (rank > 0) return send_to(builder, 0, 8);
    for (int i = 1; i <= 5; ++i) receive_from(builder, i, 8, 8 * i);
  };
  static_assert(kReceive > kGap + 8 * kByte);
  EXPECT_EQ(ends(at_one_switch(6, 6), program)[0], kSend + kLatency + 8 * kByte + 5 * kReceive);
}

/// Rank r of a node of `senders` ranks sends to node r + 1.
Program from_one_node(int senders) {
  return [=](int rank, ScheduleBuilder& builder) {
    if (rank < senders) send_to(builder, senders * (rank + 1), 2000);
    if (rank >= senders && rank % senders == 0) receive_from(builder, rank / senders - 1, 2000);
  };
}

TEST(LogGPNetwork, RanksOfANodeShareItsPort) {
  Machine machine = at_one_switch(4 * 5, 5);
  EXPECT_EQ(last_end(machine, from_one_node(4)),
            kSend + 3 * (kGap + 2000 * kByte) + kLatency + 2000 * kByte + kReceive);
  machine.parameters.rails = 2;
  EXPECT_EQ(last_end(machine, from_one_node(4)), kSend + kGap + 2000 * kByte + kLatency + 2000 * kByte + kReceive);
  machine.parameters.rails = 4;
  EXPECT_EQ(last_end(machine, from_one_node(4)), kSend + kLatency + 2000 * kByte + kReceive);
}

TEST(LogGPNetwork, RanksOfANodeAreDealtOutToItsRails) {
  const std::vector node_of{0, 0, 1, 0, 0, 1, 0, 1};  // five ranks, and three
  EXPECT_EQ(rails_of_ranks(node_of, 1, RailBinding::in_turn), std::vector(8, 0));
  EXPECT_EQ(rails_of_ranks(node_of, 2, RailBinding::in_turn), (std::vector{0, 1, 0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(rails_of_ranks(node_of, 1, RailBinding::in_blocks), std::vector(8, 0));
  EXPECT_EQ(rails_of_ranks(node_of, 2, RailBinding::in_blocks), (std::vector{0, 0, 0, 0, 1, 0, 1, 1}));
}

/// Ranks 0 and 1 of node 0 send to ranks `first` and `second` of node 1, which has ranks 4 to 7.
Program two_messages(int first, int second) {
  return [=](int rank, ScheduleBuilder& builder) {
    if (rank == 0) send_to(builder, first, 2000);
    if (rank == 1) send_to(builder, second, 2000);
    if (rank == first) receive_from(builder, 0, 2000);
    if (rank == second) receive_from(builder, 1, 2000);
  };
}

TEST(LogGPNetwork, AMessageTakesTheRailsOfItsSenderAndOfItsReceiver) {
  Machine machine = at_one_switch(8, 2);
  machine.parameters.rails = 2;
  constexpr SimulatedTime kAlone = kSend + kLatency + 2000 * kByte + kReceive;
  constexpr SimulatedTime kSecond = kAlone + kGap + 2000 * kByte;
  using Ends = std::vector<SimulatedTime>;
  EXPECT_EQ(ends(machine, two_messages(4, 5)), (Ends{kSend, kSend, 0, 0, kAlone, kAlone, 0, 0}));
  EXPECT_EQ(ends(machine, two_messages(5, 4)), (Ends{kSend, kSend, 0, 0, kAlone, kAlone, 0, 0})) << "rails crossed";
  EXPECT_EQ(ends(machine, two_messages(4, 6)), (Ends{kSend, kSend, 0, 0, kAlone, 0, kSecond, 0})) << "on one rail";
  machine.parameters.binding = RailBinding::in_blocks;
  EXPECT_EQ(ends(machine, two_messages(4, 6)), (Ends{kSend, kSend, 0, 0, kAlone, 0, kSecond, 0})) << "from one rail";
  machine.parameters.rails = 4;
  EXPECT_EQ(ends(machine, two_messages(4, 6)), (Ends{kSend, kSend, 0, 0, kAlone, 0, kAlone, 0}));
}

TEST(LogGPNetwork, AMessageOnTheNodeTakesNoPort) {
  const auto found = ends(at_one_switch(2, 1), one_message(0, 1, 50000));
  EXPECT_EQ(found[0], kNearSend + 50000 * kNearByte) << "long ones do not ask";
  EXPECT_EQ(found[1], kNearSend + kNearLatency + kNearReceive + 2 * 50000 * kNearByte);
  // Beside a message from the same node to another one, neither waits.
  const auto both = ends(at_one_switch(4, 2), [](int rank, ScheduleBuilder& builder) {
    if (rank == 0) send_to(builder, 2, 2000);
    if (rank == 1) send_to(builder, 0, 2000);
    if (rank == 0) receive_from(builder, 1, 2000);
    if (rank == 2) receive_from(builder, 0, 2000);
  });
  EXPECT_EQ(both[2], kSend + kLatency + 2000 * kByte + kReceive);
  EXPECT_EQ(both[0], kNearSend + kNearLatency + kNearReceive + 2 * 2000 * kNearByte);
}

TEST(LogGPNetwork, MessagesQueueForALink) {
  // Four nodes of one leaf, over one spine, to four of the other one.
  const Machine machine{fat_tree(8, 4, 4), parameters(), nodes_of_ranks(8, 8, Mapping::blocks)};
  const Program program = [](int rank, ScheduleBuilder& builder) {
    if (rank < 4)
      send_to(builder, rank + 4, 3000);
    else
      receive_from(builder, rank - 4, 3000);
  };
  const auto found = ends(machine, program);
  constexpr SimulatedTime kAlone = kSend + kLatency + 2 * kHop + 3000 * kByte + kReceive;
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found[4 + i], kAlone + static_cast<SimulatedTime>(i) * 3000 * kByte);
  // On another rail is another link: ranks 0 and 2 of a leaf's nodes send by their first one, 1 and 3 by their second.
  Machine railed{fat_tree(4, 2, 2), parameters(), nodes_of_ranks(8, 4, Mapping::blocks)};
  EXPECT_EQ(last_end(railed, program), kAlone + 3 * 3000 * kByte);
  railed.parameters.rails = 2;
  EXPECT_EQ(last_end(railed, program), kAlone + 3000 * kByte);
  // With a spine for each node nobody waits.
  const Machine full{fat_tree(8, 4, 1), parameters(), machine.node_of};
  EXPECT_EQ(last_end(full, program), kAlone);
}

TEST(LogGPNetwork, ASlowLinkHoldsUpTheLastByte) {
  Machine machine{fat_tree(2, 1, 1), parameters(), {0, 1}};
  machine.parameters.network.link_byte = kSlowByte;
  EXPECT_EQ(ends(machine, one_message(0, 1, 1000))[1], kSend + kLatency + 2 * kHop + 1000 * kSlowByte + kReceive);
}

/// Each block goes around: to the right, `steps` times.
Program around(int ranks, int steps, std::int64_t bytes) {
  return [=](int rank, ScheduleBuilder& builder) {
    std::vector held{builder.block(Space::send, 0, bytes)};
    for (int i = 0; i < steps; ++i) {
      const std::vector arriving{builder.block(Space::recv, bytes * i, bytes)};
      builder.receive((rank + ranks - 1) % ranks, 0, arriving);
      builder.send((rank + 1) % ranks, 0, held);
      held = arriving;
    }
  };
}

TEST(LogGPNetwork, ARing) {
  for (const int ranks : {16, 64}) {
    const auto found = ends(at_one_switch(ranks, ranks), around(ranks, ranks - 1, 512));
    for (const SimulatedTime end : found)
      EXPECT_EQ(end, (ranks - 1) * (kSend + kLatency + 512 * kByte + kReceive)) << ranks;
  }
}

TEST(LogGPNetwork, AllToAll) {
  for (const SimulatedTime ranks : {16, 64}) {
    const auto found = ends(at_one_switch(static_cast<int>(ranks), static_cast<int>(ranks)),
                            [ranks](int rank, ScheduleBuilder& builder) {
                              const int p = static_cast<int>(ranks);
                              for (int i = 1; i < p; ++i) receive_from(builder, (rank + p - i) % p, 200, 200 * i);
                              for (int i = 1; i < p; ++i) send_to(builder, (rank + i) % p, 200);
                            });
    // In each round every rank sends a message and is sent one; it takes them when it has sent all.
    static_assert(kSend > kGap + 200 * kByte);
    SimulatedTime expected = (ranks - 1) * kSend;
    for (SimulatedTime i = 1; i < ranks; ++i)
      expected = std::max(expected, i * kSend + kLatency + 200 * kByte) + kReceive;
    for (const SimulatedTime end : found) EXPECT_EQ(end, expected);
  }
}

TEST(LogGPNetwork, PackingTakesTime) {
  // Two blocks that do not lie together, in one message: packed in two pieces, unpacked in two.
  const auto found = ends(at_one_switch(2, 2), [](int rank, ScheduleBuilder& builder) {
    const Space space = rank == 0 ? Space::send : Space::recv;
    const std::vector blocks{builder.block(space, 0, 100), builder.block(space, 1000, 200)};
    if (rank == 0)
      builder.send(1, 0, blocks);
    else
      builder.receive(0, 0, blocks);
  });
  constexpr SimulatedTime kPack = 2 * kPiece + 300 * kCopiedByte;
  EXPECT_EQ(found[0], kPack + kSend);
  EXPECT_EQ(found[1], kPack + kSend + kLatency + 300 * kByte + kReceive + kPack);
}

TEST(LogGPNetwork, ReducingTakesTime) {
  const auto found = ends(at_one_switch(1, 1), [](int, ScheduleBuilder& builder) {
    builder.set_reduction(std::make_shared<const Reduction>(MPI_SUM, MPI_INT, 25, Layout::contiguous(4)));
    const std::vector sum{builder.block(Space::recv, 0, 100)};
    const std::vector first{builder.block(Space::send, 0, 100)};
    builder.copy(first, sum);
    builder.reduce(builder.block(Space::send, 100, 100), sum.front());
    builder.reduce(builder.block(Space::send, 200, 100), sum.front());
  });
  EXPECT_EQ(found[0], kPiece + 100 * kCopiedByte + 2 * (kReduction + 100 * kReducedByte));
}

TEST(LogGPNetwork, WithoutDataTakesTheSameTime) {
  const Machine machine{torus(std::vector{2, 4}), parameters(), nodes_of_ranks(16, 8, Mapping::round_robin)};
  const Program program = [](int rank, ScheduleBuilder& builder) {
    for (int i = 1; i < 16; ++i) {
      const std::vector out{builder.block(Space::send, 0, 100), builder.block(Space::send, 700, 20 * i)};
      const std::vector in{builder.block(Space::recv, 1000 * i, 20 * i + 100)};
      builder.receive((rank + 16 - i) % 16, 0, in);
      builder.send((rank + i) % 16, 0, out);
    }
  };
  const auto found = ends(machine, program);
  EXPECT_EQ(found, ends(machine, program)) << "two runs";
  EXPECT_EQ(found, ends(machine, program, Data::none));
}

TEST(LogGPNetwork, MessagesOfOneTagMatchInOrder) {
  const Machine machine = at_one_switch(2, 2);
  LogGPNetwork network(machine, Data::carried);
  std::vector<int> sent(10);
  for (int i = 0; i < 10; ++i) sent[static_cast<std::size_t>(i)] = i;
  std::vector<int> received(10);
  std::vector<std::unique_ptr<Execution>> executions;
  std::vector<Execution*> all;
  for (int rank = 0; rank < 2; ++rank) {
    ScheduleBuilder builder;
    for (int i = 0; i < 10; ++i) {
      const std::vector block{builder.block(rank == 0 ? Space::send : Space::recv, 4 * i, 4)};
      if (rank == 0)
        builder.send(1, 0, block);
      else
        builder.receive(0, 0, block);
    }
    executions.push_back(std::make_unique<Execution>(std::make_shared<const Schedule>(std::move(builder).build()),
                                                     network.transport(rank), MPI_COMM_NULL, 0));
    executions.back()->bind(sent.data(), received.data());
    all.push_back(executions.back().get());
  }
  static_cast<void>(run(network, all));
  EXPECT_EQ(received, sent);
  EXPECT_EQ(network.traffic(), (Traffic{10, 40, 0, 0}));
}

TEST(LogGPNetwork, TellsOfMessagesWithoutPartners) {
  EXPECT_THROW(ends(at_one_switch(2, 2),
                    [](int rank, ScheduleBuilder& builder) {
                      if (rank == 0) send_to(builder, 1, 8);
                    }),
               std::runtime_error);
}

}  // namespace
}  // namespace rondo::internal::machine::loggp_network_test
