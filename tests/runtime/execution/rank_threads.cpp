// Ranks as threads of one process, each with operations and transports of its own, under the thread sanitizer too. Puts
// itself in the place of mmap, so that all of them have a segment at one address: only there does the sanitizer see
// that it is the same memory.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/execution/connection.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/execution/node_transport.hpp"
#include "runtime/lanes/lane_table.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "runtime/shared_memory/allocated_memory.hpp"
#include "tests/runtime/shared_memory/threads.hpp"
#include "tests/support/networks/fake_network.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct Mapping {
  dev_t device;
  ino_t file;
  void* memory;
  std::size_t bytes;
  int users;
};

/// Before that the sanitizer may not be ready for any code of ours.
constinit bool maps_once = false;

std::mutex& mappings_mutex() {
  static auto& all = *new std::mutex;
  return all;
}
std::vector<Mapping>& mappings() {
  static auto& all = *new std::vector<Mapping>;
  return all;
}

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void* map(void* at, std::size_t bytes, int protection, int flags,
                                                                int file, off_t offset) {
  return reinterpret_cast<void*>(::syscall(SYS_mmap, at, bytes, protection, flags, file, offset));
}

void* map_once(std::size_t bytes, int protection, int flags, int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return MAP_FAILED;
  const std::scoped_lock lock(mappings_mutex());
  for (Mapping& it : mappings()) {
    if (it.device != found.st_dev || it.file != found.st_ino || it.bytes != bytes) continue;
    ++it.users;
    return it.memory;
  }
  void* const memory = map(nullptr, bytes, protection, flags, file, 0);
  if (memory != MAP_FAILED) mappings().push_back({found.st_dev, found.st_ino, memory, bytes, 1});
  return memory;
}

/// Whether somebody else still has it.
bool leave(const void* memory) {
  const std::scoped_lock lock(mappings_mutex());
  const auto found = std::ranges::find(mappings(), memory, &Mapping::memory);
  if (found == mappings().end()) return false;
  if (--found->users > 0) return true;
  mappings().erase(found);
  return false;
}

}  // namespace

extern "C" {
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void* mmap(void* at, size_t bytes, int protection, int flags,
                                                                 int file, off_t offset) noexcept {
  const bool once = maps_once && (flags & MAP_SHARED) != 0 && at == nullptr && file >= 0 && offset == 0;
  return once ? map_once(bytes, protection, flags, file) : map(at, bytes, protection, flags, file, offset);
}
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int munmap(void* memory, size_t bytes) noexcept {
  if (maps_once && leave(memory)) return 0;
  return static_cast<int>(::syscall(SYS_munmap, memory, bytes));
}
}

namespace rondo::internal::rank_threads_test {
namespace {

/// A rank's part of a loopback network, which is one thread's at a time.
class SharedNetwork final : public Transport {
 public:
  SharedNetwork(LoopbackTransport& own, std::mutex& mutex) : own_(own), mutex_(mutex) {}

  void reserve(std::size_t) override {}
  void release(std::size_t) noexcept override {}
  Posted post(Execution& execution, std::span<const Message> messages, const Route* routes) override {
    const std::scoped_lock lock(mutex_);
    return own_.post(execution, messages, routes);
  }
  int post_in_failure(Execution& execution, const Message& message, const Route* route) override {
    const std::scoped_lock lock(mutex_);
    return own_.post_in_failure(execution, message, route);
  }
  std::span<const Completion> poll() override {
    const std::scoped_lock lock(mutex_);
    return own_.poll();
  }
  void abandon(Execution& execution, ScratchMemory& scratch) override {
    const std::scoped_lock lock(mutex_);
    own_.abandon(execution, scratch);
  }
  std::size_t in_flight() const noexcept override { return own_.in_flight(); }
  InFlight in_flight_at(std::size_t place) const noexcept override { return own_.in_flight_at(place); }
  void look(const Execution&) noexcept {}
  [[nodiscard]] std::uint64_t ticks() const noexcept { return own_.ticks(); }
  [[nodiscard]] bool has_news() const noexcept { return false; }
  [[nodiscard]] auto find(const Execution& execution, const Message& receive) const {
    const std::scoped_lock lock(mutex_);
    return own_.find(execution, receive);
  }
  [[nodiscard]] bool end_receive(std::size_t place, int code) {
    const std::scoped_lock lock(mutex_);
    return own_.end_receive(place, code);
  }

 private:
  LoopbackTransport& own_;
  std::mutex& mutex_;
};

using Node = NodeTransport<SharedNetwork>;

/// What ranks have in common.
class Ranks {
 public:
  explicit Ranks(int count) : network_(count, 1), barrier_(count), executions_(static_cast<std::size_t>(count)) {
    maps_once = true;
  }

  [[nodiscard]] int count() const { return network_.ranks(); }
  [[nodiscard]] SharedNetwork network_of(int rank) { return {network_.transport(rank), network_mutex_}; }
  [[nodiscard]] std::size_t unmatched() const { return network_.unmatched(); }
  void meet() { barrier_.arrive_and_wait(); }
  /// By all ranks, each for its own execution, whose buffers are bound: tells the others what ranks tell by messages.
  void connect(int rank, Execution& own) {
    own.prepare_connection(std::make_unique<Connection>(own, rank, SharedMemory::on));
    executions_[static_cast<std::size_t>(rank)] = &own;
    meet();
    for (Connection::Partner& it : own.connection()->partners()) it.theirs = counterpart(it.rank, rank).own;
    own.connection()->answer();
    meet();
    for (Connection::Partner& it : own.connection()->partners())
      it.their_answer = counterpart(it.rank, rank).own_answer;
    own.connection()->settle();
    own.take_channels();
    meet();
  }

 private:
  [[nodiscard]] const Connection::Partner& counterpart(int of, int rank) {
    const auto partners = executions_[static_cast<std::size_t>(of)]->connection()->partners();
    return *std::ranges::find(partners, rank, &Connection::Partner::rank);
  }

  LoopbackNetwork network_;
  std::mutex network_mutex_;
  std::barrier<> barrier_;
  std::vector<Execution*> executions_;
};

/// A pass of a rank, as the engine makes it.
void pass(Node& node) {
  const std::span<const Completion> completions = node.poll();
  for (const Completion& it : completions) it.execution->complete(it.task, it.code);
  if (completions.empty()) std::this_thread::yield();
}
void start(Execution& execution) {
  execution.announce();
  execution.start();
}

/// What a rank sends in a start: all bytes are the same.
/// Zeros where partners can map them, as rondo::Array has them.
class SharedArray {
 public:
  explicit SharedArray(std::int64_t size) : size_(static_cast<std::size_t>(size)) { std::memset(memory_, 0, size_); }
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;
  ~SharedArray() { EXPECT_TRUE(AllocatedMemory::process().give_back(memory_)); }

  [[nodiscard]] std::byte* data() { return static_cast<std::byte*>(memory_); }
  [[nodiscard]] std::span<std::byte> span() { return {data(), size_}; }

 private:
  std::size_t size_;
  void* memory_ = AllocatedMemory::process().take(size_, SharedMemory::on);
};

[[nodiscard]] std::byte content(int rank, int start) { return static_cast<std::byte>(rank * 71 + start * 3 + 1); }
void fill(std::span<std::byte> memory, std::byte with) {
  std::memset(memory.data(), std::to_integer<int>(with), memory.size());
}
[[nodiscard]] bool is_full_of(std::span<const std::byte> memory, std::byte of) {
  return memory.front() == of && std::memcmp(memory.data(), memory.data() + 1, memory.size() - 1) == 0;
}

/// The others, seen from a rank.
[[nodiscard]] std::vector<int> others_of(int rank, int ranks) {
  std::vector<int> others;
  for (int i = 1; i < ranks; ++i) others.push_back((rank + i) % ranks);
  return others;
}

/// The places of blocks, one after the other.
class Blocks {
 public:
  Blocks(ScheduleBuilder& builder, Space space) : builder_(builder), space_(space) {}
  BlockId next(std::int64_t bytes) { return builder_.block(space_, std::exchange(end_, end_ + bytes), bytes); }

 private:
  ScheduleBuilder& builder_;
  Space space_;
  std::int64_t end_ = 0;
};

constexpr std::int64_t kOwn = 100;
constexpr std::int64_t kCommon = 600;
constexpr std::int64_t kLong = 20'000;
constexpr std::int64_t kPlain = 40;
constexpr std::int64_t kPassed = 300;
constexpr std::int64_t kFromEach = kOwn + kCommon + kLong + 2 * kPlain;

/// Messages of all ways, of each of three ranks: to both others one of its own, which takes slots, data that both get,
/// which are published, a long one, which is claimed, and two with one tag, which take the network; and along the ring
/// one that its receiver passes on. What comes from one rank lies in a row; last what was passed on.
std::shared_ptr<const Schedule> exchange_of(int rank) {
  ScheduleBuilder builder;
  Blocks sent(builder, Space::send);
  Blocks received(builder, Space::recv);
  const std::vector<int> others = others_of(rank, 3);
  const auto receive = [&](int from, std::uint32_t tag, std::int64_t bytes) {
    const BlockId block = received.next(bytes);
    builder.receive(from, tag, {&block, 1});
  };
  const auto send = [&](int to, std::uint32_t tag, BlockId block) { builder.send(to, tag, {&block, 1}); };
  for (const int other : others) {
    receive(other, 0, kOwn);
    receive(other, 1, kCommon);
    receive(other, 2, kLong);
    receive(other, 3, kPlain);
    receive(other, 3, kPlain);
  }
  const BlockId common = sent.next(kCommon);
  for (const int other : others) {
    send(other, 0, sent.next(kOwn));
    send(other, 1, common);
    send(other, 2, sent.next(kLong));
    send(other, 3, sent.next(kPlain));
    send(other, 3, sent.next(kPlain));
  }
  const BlockId first = sent.next(kPassed);
  const BlockId passing = builder.transit(kPassed);
  const BlockId last = received.next(kPassed);
  builder.exchange(others.front(), others.back(), 4, {&first, 1}, {&passing, 1});
  builder.exchange(others.front(), others.back(), 5, {&passing, 1}, {&last, 1});
  return std::make_shared<const Schedule>(std::move(builder).build());
}

/// All that the sanitizer is to look at is at one address.
TEST(RankThreads, SeeOneMemory) {
  Ranks ranks(2);
  SharedNetwork network_of_0 = ranks.network_of(0);
  SharedNetwork network_of_1 = ranks.network_of(1);
  Node node_of_0(network_of_0);
  Node node_of_1(network_of_1);
  const auto schedule = [](int rank) {
    ScheduleBuilder builder;
    for (const std::int64_t bytes : {kOwn, kLong}) {
      const BlockId out = builder.block(Space::send, bytes, bytes);
      const BlockId in = builder.block(Space::recv, bytes, bytes);
      builder.exchange(1 - rank, 1 - rank, static_cast<std::uint32_t>(bytes), {&out, 1}, {&in, 1});
    }
    return std::make_shared<const Schedule>(std::move(builder).build());
  };
  SharedArray sent(2 * kLong);
  SharedArray received(2 * kLong);
  Execution of_0(schedule(0), node_of_0, MPI_COMM_NULL, 0);
  Execution of_1(schedule(1), node_of_1, MPI_COMM_NULL, 0);
  for (Execution* const execution : {&of_0, &of_1}) execution->bind(sent.data(), received.data());
  connect_executions(of_0, of_1);
  std::array<std::vector<Route>, 2> routes{std::vector<Route>(4), std::vector<Route>(4)};
  of_0.connection()->route(routes[0]);
  of_1.connection()->route(routes[1]);
  std::size_t slots = 0;
  std::size_t claims = 0;
  for (std::uint32_t number = 0; number < 4; ++number) {
    for (std::uint32_t other = 0; other < 4; ++other) {
      if (of_0.message(number).tag != of_1.message(other).tag) continue;
      const Route& send = routes[0][number];
      const Route& receive = routes[1][other];
      if (send.send != nullptr && receive.receive != nullptr) {
        ++slots;
        EXPECT_EQ(send.send->data[0], receive.receive->data[0]);
      }
      if (send.claim != nullptr && receive.claim != nullptr &&
          of_0.message(number).sends != of_1.message(other).sends) {
        ++claims;
        EXPECT_EQ(send.claim->source, receive.claim->source);
        EXPECT_EQ(send.claim->target, receive.claim->target);
      }
    }
  }
  EXPECT_EQ(slots, 1U);
  EXPECT_EQ(claims, 2U);
}

/// Several operations one after the other: ranks that are done free theirs while others are not, and the next ones get
/// the same memory.
TEST(RankThreads, MessagesOfAllWays) {
  constexpr int kRanks = 3;
  constexpr int kOperations = 4;
  constexpr int kStarts = 50;
  Ranks ranks(kRanks);
  std::atomic<std::size_t> wrong = 0;
  std::atomic<std::size_t> claimed = 0;
  std::atomic<std::size_t> published = 0;
  on_threads(kRanks, [&](std::size_t self) {
    const int rank = static_cast<int>(self);
    SharedNetwork network = ranks.network_of(rank);
    Node node(network);
    node.set_shared_cores(true);
    for (int operation = 0; operation < kOperations; ++operation) {
      SharedArray sent(kCommon + 2 * kFromEach);
      SharedArray received(2 * kFromEach + kPassed);
      Execution execution(exchange_of(rank), node, MPI_COMM_NULL, 0);
      execution.bind(sent.data(), received.data());
      ranks.connect(rank, execution);
      claimed += execution.connection()->claimed();
      published += execution.published_messages();
      for (int number = operation * kStarts; number < (operation + 1) * kStarts; ++number) {
        fill(sent.span(), content(rank, number));
        fill(received.span(), std::byte{0});
        start(execution);
        while (execution.active()) pass(node);
        wrong += execution.failure() ? 1U : 0U;
        std::span<const std::byte> rest = received.span();
        const std::vector<int> others = others_of(rank, kRanks);
        for (const int other : others) {
          wrong += is_full_of(rest.first(kFromEach), content(other, number)) ? 0U : 1U;
          rest = rest.subspan(kFromEach);
        }
        wrong += is_full_of(rest, content(others.front(), number)) ? 0U : 1U;
      }
      Connection::reclaim();
    }
  });
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(claimed, 4U * kRanks * kOperations);
  EXPECT_EQ(published, 2U * kRanks * kOperations);
  EXPECT_EQ(ranks.unmatched(), 0U);
}

/// At any time, also while the partner copies; its memory is used again at once.
TEST(RankThreads, OneGivesUp) {
  constexpr std::int64_t kBytes = 60'000;
  constexpr int kOperations = 150;
  Ranks ranks(2);
  std::atomic<std::size_t> wrong = 0;
  std::atomic<std::size_t> given_up = 0;
  const auto schedule = [](int rank) {
    ScheduleBuilder builder;
    for (std::uint32_t tag = 0; tag < 2; ++tag) {
      const BlockId out = builder.block(Space::send, tag * kBytes, kBytes);
      const BlockId in = builder.block(Space::recv, tag * kBytes, kBytes);
      builder.exchange(1 - rank, 1 - rank, tag, {&out, 1}, {&in, 1});
    }
    return std::make_shared<const Schedule>(std::move(builder).build());
  };
  on_threads(2, [&](std::size_t self) {
    const int rank = static_cast<int>(self);
    SharedNetwork network = ranks.network_of(rank);
    Node node(network);
    for (int operation = 0; operation < kOperations; ++operation) {
      SharedArray sent(2 * kBytes);
      SharedArray received(2 * kBytes);
      Execution execution(schedule(rank), node, MPI_COMM_NULL, 0);
      execution.bind(sent.data(), received.data());
      ranks.connect(rank, execution);
      fill(sent.span(), content(rank, operation));
      fill(received.span(), std::byte{0});
      start(execution);
      if (rank == operation % 2) {
        for (int left = operation % 5; left > 0; --left) pass(node);
        if (execution.active()) {
          execution.abandon(MPI_ERR_OTHER, "given up");
          ++given_up;
        }
      }
      while (execution.active()) pass(node);
      // A partner fails, too, unless all was copied before.
      if (!execution.failure()) wrong += is_full_of(received.span(), content(1 - rank, operation)) ? 0U : 1U;
      if (execution.connection() == nullptr) continue;  // the partner has been copying for seconds
      fill(sent.span(), std::byte{0});
      fill(received.span(), std::byte{0});
    }
  });
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(given_up, 0U);
}

/// A lane for each direction between each two ranks.
struct Lanes {
  static constexpr std::size_t kLines = 16;  ///< often full
  struct Way {
    std::vector<LaneLine<>> memory = std::vector<LaneLine<>>(kLines);
    SharedWord consumed = 0;
    SharedWord detours = 0;
  };

  explicit Lanes(std::size_t count) : ways(count * count), lanes(count * count), ranks(count) {
    for (std::size_t from = 0; from < count; ++from) {
      for (std::size_t to = 0; to < count; ++to) {
        if (from == to) continue;
        Way& way = ways[from * count + to];
        lanes[from * count + to].sender.emplace(way.memory, &way.consumed);
        lanes[from * count + to].detours_there = &way.detours;
        lanes[to * count + from].receiver.emplace(way.memory, &way.consumed);
        lanes[to * count + from].detours_here = &way.detours;
      }
    }
  }
  [[nodiscard]] Lane& between(int own, int other) {
    return lanes[static_cast<std::size_t>(own) * ranks + static_cast<std::size_t>(other)];
  }

  std::vector<Way> ways;
  std::vector<Lane> lanes;
  std::size_t ranks;
};

/// Operations on two communicators with the same tags, which ranks begin in different orders.
TEST(RankThreads, MessagesThroughLanes) {
  constexpr int kRanks = 3;
  constexpr int kStarts = 200;
  constexpr std::array<std::int64_t, 5> kSizes{40, 200, 120, 240, 1000};  // the last one takes the network
  constexpr auto kLongest = static_cast<std::int32_t>(lane_longest(Lanes::kLines));
  std::int64_t from_each = 0;
  for (const std::int64_t size : kSizes) from_each += size;
  const auto schedule = [&](int rank) {
    ScheduleBuilder builder;
    Blocks sent(builder, Space::send);
    Blocks received(builder, Space::recv);
    for (const int other : others_of(rank, kRanks)) {
      for (std::uint32_t tag = 0; tag < kSizes.size(); ++tag) {
        const BlockId block = received.next(kSizes[tag]);
        builder.receive(other, tag, {&block, 1});
      }
      for (std::uint32_t tag = 0; tag < kSizes.size(); ++tag) {
        const BlockId block = sent.next(kSizes[tag]);
        builder.send(other, tag, {&block, 1});
      }
    }
    return std::make_shared<const Schedule>(std::move(builder).build());
  };
  Ranks ranks(kRanks);
  Lanes lanes(kRanks);
  std::atomic<std::size_t> wrong = 0;
  std::atomic<std::size_t> detours = 0;
  on_threads(kRanks, [&](std::size_t self) {
    const int rank = static_cast<int>(self);
    SharedNetwork network = ranks.network_of(rank);
    Node node(network);
    node.set_shared_cores(true);
    struct Operation {
      Operation(std::shared_ptr<const Schedule> made, Node& over, MPI_Comm comm, std::size_t bytes)
          : table(kRanks), sent(bytes), received(bytes), execution(std::move(made), over, comm, 0) {}
      LaneTable table;
      std::vector<std::byte> sent;
      std::vector<std::byte> received;
      Execution execution;
    };
    const std::vector<int> others = others_of(rank, kRanks);
    const auto bytes = static_cast<std::size_t>(from_each);
    std::vector<std::unique_ptr<Operation>> operations;
    for (std::uint64_t context = 0; context < 2; ++context) {
      const MPI_Comm comm = context == 0 ? MPI_COMM_NULL : MPI_COMM_WORLD;  // only compared
      Operation& made =
          *operations.emplace_back(std::make_unique<Operation>(schedule(rank), node, comm, others.size() * bytes));
      constexpr std::uint32_t kAny = 1'000'000;  // lines of an operation, so that lanes are full now and then
      for (const int other : others)
        made.table.at(other) = {&lanes.between(rank, other), context, kLongest, kLongest, kAny, kAny};
      made.execution.bind(made.sent.data(), made.received.data());
      made.execution.use_lanes(made.table);
    }
    ranks.meet();
    for (int number = 0; number < kStarts; ++number) {
      for (std::size_t i = 0; i < 2; ++i) {
        const std::size_t context = (i + static_cast<std::size_t>(rank)) % 2;
        Operation& it = *operations[context];
        fill(it.sent, content(rank, number + static_cast<int>(context)));
        fill(it.received, std::byte{0});
        it.execution.set_first_tag(number * static_cast<int>(kSizes.size()));
        start(it.execution);
      }
      for (std::size_t context = 0; context < 2; ++context) {
        Operation& it = *operations[context];
        while (it.execution.active()) pass(node);
        wrong += it.execution.failure() ? 1U : 0U;
        std::span<const std::byte> rest = it.received;
        for (const int other : others) {
          const std::byte expected = content(other, number + static_cast<int>(context));
          wrong += is_full_of(rest.first(bytes), expected) ? 0U : 1U;
          rest = rest.subspan(bytes);
        }
      }
    }
    ranks.meet();  // what lies in a lane may be for any table of this process
    for (const int other : others) detours += lanes.between(rank, other).detours_sent;
  });
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(detours, 10U);
  EXPECT_EQ(ranks.unmatched(), 0U);
}

}  // namespace
}  // namespace rondo::internal::rank_threads_test
