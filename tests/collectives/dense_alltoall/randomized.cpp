// What the randomized alltoall does in which order. That plans are right: algorithms.cpp; here, segments and
// queues of all kinds.
#include "collectives/dense_alltoall/randomized.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/shuffled_ranks.hpp"
#include "tests/support/cases/dense_case.hpp"
#include "tests/support/cases/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::dense::randomized_test {
namespace {

/// Rank 1 of p blocks of `bytes` bytes in a row, for looking at schedules without running them.
struct Row {
  Row(int p, std::int64_t each) : size(p), bytes(each), layout(Layout::contiguous(each)) {
    for (int j = 0; j < p; ++j) shapes.push_back({j * each, &layout});
  }
  [[nodiscard]] Problem problem(Options options = {}) const {
    return {1 % size, size, shapes, shapes, true, costs, bytes, bytes, false, options};
  }

  int size;
  std::int64_t bytes;
  CostModel costs{1.0};
  Layout layout;
  std::vector<BlockShape> shapes;
};

/// The only plan of a row of the registry, built.
struct Built {
  Built(const Problem& problem, std::string_view algorithm) {
    const auto row = std::ranges::find(registry().algorithms, algorithm, &Algorithm::name);
    const Plan plan = row->plans(problem).front();
    name = plan.name;
    prediction = plan.prediction;
    ScheduleBuilder builder;
    plan.build(problem, builder);
    schedule = std::make_shared<const Schedule>(std::move(builder).build());
  }
  /// The peers of its messages of one kind, in program order.
  [[nodiscard]] std::vector<int> peers(TaskKind kind) const {
    std::vector<int> found;
    for (const Task& task : schedule->tasks()) {
      if (task.kind == kind) found.push_back(task.peer);
    }
    return found;
  }

  std::string name;
  Prediction prediction;
  std::shared_ptr<const Schedule> schedule;
};

std::vector<int> without(std::vector<int> ranks, int rank) {
  std::erase(ranks, rank);
  return ranks;
}

/// Figure 1: rank 1 of four.
TEST(AntiCirculant, IsThatOfTheFigure) {
  const std::vector<int> ranks{1, 3, 2, 0};
  const int rows[4][4] = {{1, 3, 2, 0}, {3, 2, 0, 1}, {2, 0, 1, 3}, {0, 1, 3, 2}};
  for (int rank = 0; rank < 4; ++rank) {
    const AntiCirculant matrix(rank, ranks);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(matrix.send_to(i), rows[rank][i]);
      EXPECT_EQ(rows[matrix.receive_from(i)][i], rank);
    }
  }
  const AntiCirculant of_rank_1(1, ranks);
  EXPECT_EQ(of_rank_1.receive_from(0), 0);
  EXPECT_EQ(of_rank_1.receive_from(1), 3);
  EXPECT_EQ(of_rank_1.receive_from(2), 2);
  EXPECT_EQ(of_rank_1.receive_from(3), 1);
}

/// Each row and each column, and what one sends the other receives.
TEST(AntiCirculant, EachIterationIsAPermutation) {
  for (const int p : {1, 2, 3, 7, 16, 33}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      std::vector<AntiCirculant> rows;
      for (int rank = 0; rank < p; ++rank) rows.emplace_back(rank, get_shuffled_ranks(p, seed));
      for (int rank = 0; rank < p; ++rank) {
        std::set<int> in_row;
        for (int i = 0; i < p; ++i) in_row.insert(rows[static_cast<std::size_t>(rank)].send_to(i));
        EXPECT_EQ(std::ssize(in_row), p);
      }
      for (int i = 0; i < p; ++i) {
        std::set<int> targets;
        for (int rank = 0; rank < p; ++rank) {
          const int target = rows[static_cast<std::size_t>(rank)].send_to(i);
          targets.insert(target);
          EXPECT_EQ(rows[static_cast<std::size_t>(target)].receive_from(i), rank);
        }
        EXPECT_EQ(std::ssize(targets), p);
      }
    }
  }
}

/// Algorithm 1: a start posts all receives in the shuffled order, then all sends in it.
TEST(DenseRandomized, ScatterPostsReceivesFirstInShuffledOrder) {
  for (const std::uint64_t seed : {9U, 77U}) {
    const Row row(9, 8);
    const Built built(row.problem({.seed = seed}), "scatter");
    const std::vector<int> order = without(get_shuffled_ranks(9, seed), 1);
    std::vector<std::pair<TaskKind, int>> posted;
    for (const TaskId root : built.schedule->roots()) {
      const Task& task = built.schedule->tasks()[root];
      if (is_message(task)) posted.emplace_back(task.kind, task.peer);
    }
    std::vector<std::pair<TaskKind, int>> expected;
    for (const int rank : order) expected.emplace_back(TaskKind::receive, rank);
    for (const int rank : order) expected.emplace_back(TaskKind::send, rank);
    EXPECT_EQ(posted, expected);
  }
}

/// Algorithm 2: iteration after iteration, and with another seed another order.
TEST(DenseRandomized, FollowsTheMatrix) {
  std::set<std::vector<int>> orders;
  for (const Queue queue : {Queue::window, Queue::batches}) {
    for (const std::uint64_t seed : {9U, 77U}) {
      const Row row(9, 8);
      const Built built(row.problem({.ports = 2, .queue = queue, .seed = seed}), "randomized");
      const AntiCirculant matrix(1, get_shuffled_ranks(9, seed));
      std::vector<int> targets;
      std::vector<int> sources;
      for (int i = 0; i < 9; ++i) {
        targets.push_back(matrix.send_to(i));
        sources.push_back(matrix.receive_from(i));
      }
      EXPECT_EQ(built.peers(TaskKind::send), without(targets, 1));
      EXPECT_EQ(built.peers(TaskKind::receive), without(sources, 1));
      orders.insert(built.peers(TaskKind::send));
    }
  }
  EXPECT_EQ(orders.size(), 2U);
}

/// The queue: so many exchanges begin at once, eight where nobody says, and in batches all of them end first.
TEST(DenseRandomized, SoManyExchangesAreInFlight) {
  for (const Queue queue : {Queue::window, Queue::batches}) {
    for (const int ports : {0, 1, 3, 50}) {
      const Row row(20, 8);
      const Built built(row.problem({.ports = ports, .queue = queue, .seed = 20}), "randomized");
      const AntiCirculant matrix(1, get_shuffled_ranks(20, 20));
      const int most = ports == 0 ? 8 : ports;
      std::int64_t begin_at_once = 0;
      for (int i = 0; i < std::min(most, 20); ++i) begin_at_once += matrix.send_to(i) == 1 ? 0 : 2;
      // The slot, or batch, of the exchange with itself is free at once, for a window's next one.
      if (queue == Queue::window && begin_at_once < 2 * most && most < 20) begin_at_once += 2;
      EXPECT_EQ(built.schedule->root_messages(), begin_at_once) << ports;
      const auto joins = std::ranges::count(built.schedule->tasks(), TaskKind::join, &Task::kind);
      const int batches = (20 + most - 1) / most;
      if (queue == Queue::window || most > 1) {
        EXPECT_EQ(joins, queue == Queue::window ? 0 : batches - 1) << ports;
      }
    }
  }
}

/// Algorithm 3: whole segments in the order of the matrix, one segment after the other, each with its tag; then what is
/// left, in the order of algorithm 1.
TEST(DenseRandomized, SegmentsAndWhatIsLeft) {
  const Row row(5, 23);
  const Built built(row.problem({.ports = 3, .queue = Queue::batches, .segment = 10, .seed = 5}), "segmented");
  const AntiCirculant matrix(1, get_shuffled_ranks(5, 5));
  struct Message {
    TaskKind kind;
    int peer;
    std::uint32_t tag;
    std::int64_t offset;
    std::int64_t bytes;
    bool operator==(const Message&) const = default;
  };
  std::vector<Message> expected;
  for (int segment = 0; segment < 2; ++segment) {
    for (int i = 0; i < 5; ++i) {
      const int target = matrix.send_to(i);
      const int source = matrix.receive_from(i);
      if (target == 1) continue;
      const auto tag = static_cast<std::uint32_t>(segment);
      expected.push_back({TaskKind::send, target, tag, 23 * target + 10 * segment, 10});
      expected.push_back({TaskKind::receive, source, tag, 23 * source + 10 * segment, 10});
    }
  }
  for (const TaskKind kind : {TaskKind::receive, TaskKind::send}) {
    for (const int rank : without(get_shuffled_ranks(5, 5), 1)) expected.push_back({kind, rank, 2, 23 * rank + 20, 3});
  }
  std::vector<Message> found;
  for (const Task& task : built.schedule->tasks()) {
    if (!is_message(task)) continue;
    const bool send = task.kind == TaskKind::send;
    found.push_back({task.kind, task.peer, task.tag, send ? task.source_offset : task.target_offset, task.bytes});
  }
  EXPECT_TRUE(found == expected);
  EXPECT_EQ(built.schedule->tags(), 3U);
  // Batches of 3 and 2 exchanges of each segment.
  EXPECT_EQ(std::ranges::count(built.schedule->tasks(), TaskKind::join, &Task::kind), 4);
}

/// Tags are counted from the largest block of all ranks, which need not be this one's.
TEST(DenseRandomized, TagsAgree) {
  const Row row(5, 23);
  Problem problem = row.problem({.segment = 10});
  problem.largest = 95;
  problem.smallest = 0;
  EXPECT_EQ(Built(problem, "segmented").schedule->tags(), 10U);
  EXPECT_EQ(segments_of(problem).count, 9);
  const Row whole(5, 20);  // nothing is left of this rank's own blocks, and others may have something
  Problem of_whole = whole.problem({.segment = 10});
  of_whole.largest = 95;
  of_whole.smallest = 0;
  EXPECT_EQ(Built(of_whole, "segmented").schedule->tags(), 10U);
}

TEST(DenseRandomized, LongBlocksHaveLongerSegments) {
  const auto segments = [](std::int64_t bytes, std::int64_t segment) {
    const Row row(2, bytes);
    return segments_of(row.problem({.segment = segment}));
  };
  EXPECT_EQ(segments(1 << 20, 16384).bytes, 16384);
  EXPECT_EQ(segments(1 << 20, 16384).count, 64);
  EXPECT_EQ(segments(1 << 20, 1024).count, 1024);
  EXPECT_EQ(segments(1 << 20, 1).bytes, 1024);
  EXPECT_EQ(segments((1 << 20) + 1, 1).bytes, 1025);
  EXPECT_EQ(segments((1 << 20) + 1, 1).count, 1023);
  EXPECT_EQ(segments(5, 100).count, 0);
  EXPECT_EQ(segments(0, 100).count, 0);
  EXPECT_THROW((void)segments(8, 0), Error);
}

/// The dynamic selection of section 2, with the sizes of its footnotes.
TEST(DenseRandomized, PaperSelectsBySizeAndRanks) {
  const auto chosen = [](int p, std::int64_t bytes) {
    const Row row(p, bytes);
    return Built(row.problem({.seed = 3}), "paper").name;
  };
  for (const int p : {2, 16, 17}) {
    EXPECT_EQ(chosen(p, 0), "paper: direct");
    EXPECT_EQ(chosen(p, 511), "paper: direct");
    for (const std::int64_t bytes : {512, 16384})
      EXPECT_EQ(chosen(p, bytes), p <= 16 ? "paper: scatter" : "paper: randomized");
    EXPECT_EQ(chosen(p, 16385), "paper: segmented");
  }
}

/// The paper's queue is in batches, whatever others have.
TEST(DenseRandomized, PaperWaitsInBatches) {
  const Row row(20, 600);
  const Built built(row.problem({.queue = Queue::window, .seed = 3}), "paper");
  EXPECT_EQ(built.name, "paper: randomized");
  EXPECT_EQ(std::ranges::count(built.schedule->tasks(), TaskKind::join, &Task::kind), 2);
}

TEST(DenseRandomized, PredictionsAreWhatIsBuilt) {
  for (const int p : {1, 2, 3, 8, 17, 20}) {
    for (const std::int64_t bytes : {0, 100, 600, 20000, 50000}) {
      for (const Queue queue : {Queue::window, Queue::batches}) {
        for (const int ports : {0, 1, 3}) {
          const Row row(p, bytes);
          const Problem problem = row.problem({.ports = ports, .queue = queue, .segment = 7000, .seed = 1});
          for (const char* name : {"scatter", "randomized", "segmented", "paper"}) {
            SCOPED_TRACE(std::string(name) + ", p " + std::to_string(p) + ", bytes " + std::to_string(bytes));
            const Built it(problem, name);
            const Prediction built = row.costs.schedule(*it.schedule);
            EXPECT_EQ(it.prediction.rounds, built.rounds);
            EXPECT_EQ(it.prediction.blocks, built.blocks);
            EXPECT_EQ(it.prediction.bytes, built.bytes);
            EXPECT_EQ(it.prediction.copied_bytes, 0);
            // A schedule has one phase for the model, and a prediction one for each time that messages wait.
            Prediction once = it.prediction;
            Prediction phases;
            for (std::int64_t i = 0; i < once.phases; ++i) row.costs.add_phase(phases);
            Prediction one;
            if (built.rounds > 0) row.costs.add_phase(one);
            EXPECT_NEAR(once.nanoseconds - phases.nanoseconds,
                        built.rounds == 0 ? 0 : built.nanoseconds - one.nanoseconds, 1e-6 * built.nanoseconds);
          }
        }
      }
    }
  }
}

/// How often messages wait for others.
TEST(DenseRandomized, PredictsAPhaseForEachWait) {
  const auto phases = [](const char* name, Queue queue, int ports) {
    const Row row(9, 25);
    return Built(row.problem({.ports = ports, .queue = queue, .segment = 10}), name).prediction.phases;
  };
  EXPECT_EQ(phases("scatter", Queue::window, 1), 1);
  EXPECT_EQ(phases("randomized", Queue::window, 3), 3);
  EXPECT_EQ(phases("randomized", Queue::batches, 3), 3);
  EXPECT_EQ(phases("segmented", Queue::window, 3), 7);   // 16 exchanges, and what is left
  EXPECT_EQ(phases("segmented", Queue::batches, 3), 7);  // 3 for each segment
  EXPECT_EQ(phases("segmented", Queue::window, 5), 5);
  EXPECT_EQ(phases("segmented", Queue::batches, 50), 3);
}

/// All queues, segments, forms, seeds, regular and not, in place and not.
TEST(DenseRandomized, EverythingIsRight) {
  std::uint64_t seed = 0;
  for (const int p : {1, 2, 3, 5, 8, 13}) {
    for (const Queue queue : {Queue::window, Queue::batches}) {
      for (const int ports : {1, 3, 0}) {
        for (const std::int64_t segment : {2, 5, 100}) {
          for (const bool in_place : {false, true}) {
            for (const bool regular : {false, true}) {
              ++seed;
              const DenseCase given{
                  .size = p,
                  .bytes = [&](int source,
                               int target) { return regular ? std::int64_t{11} : (source + target) % 5 * 5; },
                  .in_place = in_place,
                  .options = {.ports = ports, .queue = queue, .segment = segment, .seed = seed},
                  .ordering = seed % 2 == 0 ? Ordering::dependencies : Ordering::phases,
                  .form = seed / 2 % 2 == 0 ? MessageForm::staged : MessageForm::datatype};
              for (const char* name : {"scatter", "randomized", "segmented"}) {
                const CollectiveCase each = dense_case(given, dense_way(name));
                ASSERT_EQ(checked(each), "");
                ASSERT_EQ(simulate({&each, 1}, seed, 2), "");
              }
            }
          }
        }
      }
    }
  }
}

/// All ways of the dynamic selection.
TEST(DenseRandomized, PaperIsRight) {
  for (const int p : {3, 17}) {
    for (const std::int64_t bytes : {511, 512, 16385, 33000}) {
      for (const bool in_place : {false, true}) {
        const DenseCase given{.size = p,
                              .bytes = [&](int, int) { return bytes; },
                              .in_place = in_place,
                              .options = {.seed = static_cast<std::uint64_t>(p)}};
        const CollectiveCase each = dense_case(given, dense_way("paper"));
        ASSERT_EQ(checked(each), "");
        ASSERT_EQ(simulate({&each, 1}, static_cast<std::uint64_t>(p), 1), "");
      }
    }
  }
}

/// Lanes have no room for all parts of long blocks, which are no cheaper for being short: measured, 8 ranks of two
/// cores took 1.7 times as long in 16 parts of 16 KiB.
TEST(Segmented, DoesNotPayInMemory) {
  for (const int p : {2, 8, 16}) {
    for (const std::int64_t bytes : {std::int64_t{80000}, std::int64_t{262144}}) {
      Row row(p, bytes);
      row.costs = CostModel::through_lanes(p / 2.0);
      Problem problem = row.problem();
      problem.fewest_near = p - 1;
      EXPECT_EQ(choose(problem, "auto", Ordering::dependencies).algorithm, "direct")
          << p << " ranks, " << bytes << " B";
    }
  }
}

}  // namespace
}  // namespace rondo::internal::dense::randomized_test
