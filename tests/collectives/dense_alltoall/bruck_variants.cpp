// The zero-copy Bruck paper's theorems about its three alltoalls, of the schedules that are built, and that predictions
// say the same. That the schedules are right: algorithms.cpp; here, for more p.
#include "collectives/dense_alltoall/algorithms.hpp"
#include "runtime/schedule/task_access.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/dense_case.hpp"
#include "tests/support/cases/simulation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::internal::dense::bruck_variants_test {
namespace {

constexpr std::int64_t kBytes = 12;

/// p elements of `bytes` bytes in a row, on one rank, for looking at schedules without running them.
struct Row {
  Row(int rank_of_it, int p, std::int64_t each, bool place = false)
      : rank(rank_of_it), size(p), bytes(each), in_place(place), layout(Layout::contiguous(each)) {
    for (int j = 0; j < p; ++j) shapes.push_back({j * each, &layout});
  }
  [[nodiscard]] Problem problem() const {
    return {rank, size, shapes, shapes, true, costs, bytes, bytes, in_place, {}};
  }
  [[nodiscard]] Schedule built(std::string_view name, MessageForm form = MessageForm::automatic) const {
    const DenseWay way = dense_way(name);
    ScheduleBuilder builder(Ordering::dependencies, form);
    way.build(problem(), builder);
    return std::move(builder).build();
  }
  [[nodiscard]] Prediction predicted(std::string_view name) const {
    return std::ranges::find(registry().algorithms, name, &Algorithm::name)->plans(problem()).front().prediction;
  }

  int rank;
  int size;
  std::int64_t bytes;
  bool in_place;
  CostModel costs{1.0};
  Layout layout;
  std::vector<BlockShape> shapes;
};

/// What the theorems count, in elements, on one process.
struct Counts {
  std::int64_t rounds = 0;
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t packed = 0;  ///< by a send of a datatype
  std::int64_t copied = 0;  ///< by copy tasks
  std::int64_t copy_tasks = 0;
};

Counts count(const Schedule& schedule, std::int64_t bytes) {
  Counts counts;
  for (const Task& task : schedule.tasks()) {
    if (task.kind == TaskKind::send) {
      ++counts.rounds;
      counts.sent += task.bytes / bytes;
      if (task.first_part != kContiguous) counts.packed += task.bytes / bytes;
    }
    if (task.kind == TaskKind::receive) counts.received += task.bytes / bytes;
    if (task.kind == TaskKind::copy) {
      ++counts.copy_tasks;
      counts.copied += task.bytes / bytes;
    }
  }
  return counts;
}

/// Elements sent by a process: the one-bits of 1 to p - 1.
std::int64_t volume(int p) {
  std::int64_t bits = 0;
  for (unsigned j = 1; j < static_cast<unsigned>(p); ++j) bits += std::popcount(j);
  return bits;
}

/// ceil(log2 p).
std::int64_t log2_of(int p) {
  std::int64_t log = 0;
  while ((1 << log) < p) ++log;
  return log;
}

/// Rounds, and data sent and received, which are the same in both theorems. Equality of the bound for powers of two.
void expect_rounds_and_volume(const Counts& counts, int p) {
  EXPECT_EQ(counts.rounds, log2_of(p));
  EXPECT_EQ(counts.sent, volume(p));
  EXPECT_EQ(counts.received, volume(p));
  EXPECT_LE(counts.sent, log2_of(p) * (p / 2));
  if (std::has_single_bit(static_cast<unsigned>(p))) {
    EXPECT_EQ(counts.sent, log2_of(p) * (p / 2));
  }
}

/// Calls visit(p, rank) for all p up to 40 and some beyond, a few ranks each.
template <typename Visit>
void for_each_rank(Visit visit) {
  std::vector<int> sizes{64, 80, 100, 127, 128, 129, 500};
  for (int p = 1; p <= 40; ++p) sizes.push_back(p);
  for (const int p : sizes) {
    for (const int rank : {0, 1, p / 2, p - 1}) {
      SCOPED_TRACE("p " + std::to_string(p) + ", rank " + std::to_string(rank % p));
      visit(p, rank % p);
    }
  }
}

TEST(BruckVariants, TheoremOne) {
  for (const char* name : {"basic-bruck", "basic-bruck-ix"}) {
    for_each_rank([&](int p, int rank) {
      const Counts counts = count(Row(rank, p, kBytes).built(name), kBytes);
      expect_rounds_and_volume(counts, p);
      EXPECT_EQ(counts.packed, volume(p)) << "each element that is sent is packed by the send";
      const std::int64_t shifts = p == 1 ? 1 : 3 * p;
      EXPECT_EQ(counts.copied, shifts + volume(p)) << "steps 1 and 3, and each element that is received is unpacked";
      EXPECT_LE(counts.packed + counts.copied, p + 2 * log2_of(p) * (p / 2) + 2 * p);
    });
  }
}

TEST(BruckVariants, TheoremTwo) {
  for (const char* name : {"modified-bruck", "modified-bruck-ix"}) {
    for_each_rank([&](int p, int rank) {
      const Counts counts = count(Row(rank, p, kBytes).built(name), kBytes);
      expect_rounds_and_volume(counts, p);
      EXPECT_EQ(counts.packed, volume(p));
      EXPECT_EQ(counts.copied, p + volume(p)) << "step 1, and each element that is received is unpacked";
      EXPECT_LE(counts.packed + counts.copied, p + 2 * log2_of(p) * (p / 2));
    });
  }
}

/// Section 3.3: as theorem 2, but nothing is copied, whatever form of messages the user prefers. In place, what is sent
/// is saved first.
TEST(BruckVariants, ZeroCopy) {
  for (const char* name : {"zero-copy-bruck", "zero-copy-bruck-blocks"}) {
    for_each_rank([&](int p, int rank) {
      for (const MessageForm form : {MessageForm::automatic, MessageForm::staged, MessageForm::datatype}) {
        const Counts counts = count(Row(rank, p, kBytes).built(name, form), kBytes);
        expect_rounds_and_volume(counts, p);
        EXPECT_EQ(counts.copy_tasks, 1) << "the element to self";
        EXPECT_EQ(counts.copied, 1);
        EXPECT_EQ(counts.packed, volume(p)) << "all messages are datatypes";
      }
      const Counts in_place = count(Row(rank, p, kBytes, true).built(name), kBytes);
      EXPECT_EQ(in_place.copied, p - 1);
    });
  }
}

/// Section 3.3: "collapse consecutive elements into blocks of 2^k and 2^k - 1 elements".
TEST(BruckVariants, ZeroCopyElementsCollapse) {
  const Row row(0, 16, kBytes);
  const Schedule schedule = row.built("zero-copy-bruck-blocks");
  for (const Task& task : schedule.tasks()) {
    if (!is_message(task)) continue;
    const std::int64_t run = std::int64_t{1} << task.phase;
    std::vector<std::int64_t> pieces;
    for_each_piece(schedule, task, [&](Space, std::int64_t, std::int64_t bytes) { pieces.push_back(bytes / kBytes); });
    std::vector<std::int64_t> expected;
    for (std::int64_t runs = 8 / run; runs > 0; --runs) {
      if (task.kind == TaskKind::receive) {
        expected.push_back(run);
        continue;
      }
      expected.push_back(1);
      if (run > 1) expected.push_back(run - 1);
    }
    EXPECT_EQ(pieces, expected) << "phase " << task.phase;
  }
}

/// All datatypes by the constructor of the name, where the paper makes them: one a round, or two.
TEST(BruckVariants, MessagesAreMadeByTheConstructorOfTheName) {
  struct Named {
    const char* name;
    TypeConstructor constructor;
    std::size_t each_round;
  };
  constexpr Named kNamed[] = {{"basic-bruck", TypeConstructor::bounded_vector, 1},
                              {"basic-bruck-ix", TypeConstructor::indexed, 1},
                              {"modified-bruck", TypeConstructor::circular_vector, 1},
                              {"modified-bruck-ix", TypeConstructor::indexed_block, 1},
                              {"zero-copy-bruck", TypeConstructor::struct_of_elements, 2},
                              {"zero-copy-bruck-blocks", TypeConstructor::struct_of_runs, 2}};
  for (const Named& named : kNamed) {
    for (const int p : {2, 3, 13, 16}) {
      for (const bool in_place : {false, true}) {
        const Schedule schedule = Row(p - 1, p, kBytes, in_place).built(named.name, MessageForm::staged);
        EXPECT_EQ(schedule.wire_layouts().size(), named.each_round * static_cast<std::size_t>(log2_of(p)));
        for (const WireLayout& wire : schedule.wire_layouts())
          EXPECT_EQ(wire.recipe().constructor, named.constructor) << named.name;
      }
    }
  }
}

/// Pieces of memory at this end of a message.
std::int64_t pieces(const Schedule& schedule, const Task& message) {
  std::int64_t found = 0;
  for_each_piece(schedule, message, [&](Space, std::int64_t, std::int64_t) { ++found; });
  return found;
}

TEST(BruckVariants, PredictionsAreWhatIsBuilt) {
  for (const char* name : {"basic-bruck", "basic-bruck-ix", "modified-bruck", "modified-bruck-ix", "zero-copy-bruck",
                           "zero-copy-bruck-blocks"}) {
    for (int p = 1; p <= 40; ++p) {
      for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{8}, std::int64_t{5000}}) {
        for (const bool in_place : {false, true}) {
          SCOPED_TRACE(std::string(name) + ", p " + std::to_string(p) + ", bytes " + std::to_string(bytes));
          const Row row(0, p, bytes, in_place);
          const Prediction predicted = row.predicted(name);
          const Schedule built = row.built(name);
          const Counts counts = count(built, std::max<std::int64_t>(bytes, 1));
          EXPECT_EQ(predicted.rounds, counts.rounds);
          EXPECT_EQ(predicted.blocks, counts.sent);
          EXPECT_EQ(predicted.bytes, counts.sent * bytes);
          if (counts.rounds == 0) continue;  // a copy only: not worth a prediction
          EXPECT_EQ(predicted.phases, built.phases());
          const bool zero_copy = std::string_view(name).starts_with("zero");
          const std::int64_t saved = in_place ? p - 1 : 0;  // before the algorithm begins
          EXPECT_EQ(predicted.copied_blocks, zero_copy ? 0 : counts.copied - saved + counts.packed);
          EXPECT_EQ(predicted.copied_bytes, predicted.copied_blocks * bytes);
          if (std::string_view(name) != "zero-copy-bruck-blocks") {
            EXPECT_TRUE(std::isinf(predicted.nanoseconds)) << "to be had by name only";
            continue;
          }
          if (in_place) continue;  // what was saved lies in a row, and may make pieces longer
          Prediction expected;
          for (std::uint32_t phase = 0; phase < built.phases(); ++phase) row.costs.add_phase(expected);
          for (const Task& task : built.tasks()) {
            if (!is_message(task)) continue;
            if (task.kind == TaskKind::send) row.costs.add_message(expected, task.part_count, task.bytes);
            expected.nanoseconds += datatype_nanoseconds(row.costs.form_costs(), task.bytes, pieces(built, task));
          }
          EXPECT_NEAR(predicted.nanoseconds, expected.nanoseconds, 1e-6 * expected.nanoseconds);
        }
      }
    }
  }
}

TEST(BruckVariants, AreRightForManyRanks) {
  for (const int p : {18, 24, 31, 32, 33}) {
    for (const char* name : {"basic-bruck", "modified-bruck", "zero-copy-bruck"}) {
      const DenseCase given{.size = p, .bytes = [](int, int) { return std::int64_t{3}; }, .in_place = p % 2 == 0};
      const CollectiveCase each = dense_case(given, dense_way(name));
      EXPECT_EQ(checked(each), "");
      EXPECT_EQ(simulate({&each, 1}, static_cast<std::uint64_t>(p), 1), "");
    }
  }
}

TEST(BruckVariants, ApplyToRegularProblemsOnly) {
  const Row row(0, 8, kBytes);
  Problem problem = row.problem();
  problem.smallest = 0;
  for (const char* name : {"basic-bruck-ix", "modified-bruck", "zero-copy-bruck"}) {
    const Chosen chosen = choose(problem, name, Ordering::dependencies);
    EXPECT_EQ(chosen.note.rfind(std::string("algorithm ") + name + " was requested", 0), 0U) << chosen.note;
    EXPECT_NE(chosen.note.find("it does not apply to this alltoall"), std::string::npos) << chosen.note;
  }
}

}  // namespace
}  // namespace rondo::internal::dense::bruck_variants_test
