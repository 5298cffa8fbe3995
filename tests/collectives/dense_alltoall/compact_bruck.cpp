// Zero-copy Bruck with the least intermediate memory: that nothing is copied, that the buffer is as small as
// docs/bruck-buffer.md says, and that it is right.
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/transit_slots.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/dense_case.hpp"
#include "tests/support/cases/dense_row.hpp"
#include "tests/support/cases/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace rondo::internal::dense::compact_bruck_test {
namespace {

auto compact_bruck(int radix, int ports = 0) {
  return [radix, ports](const Problem& problem, ScheduleBuilder& builder) {
    build_compact_bruck(problem, radix, ports, builder);
  };
}

/// The paper's open problem (section 5): ceil(log2 p) rounds, no copies but to self, and an intermediate buffer of less
/// than floor(p/2) blocks, to the byte.
TEST(CompactBruck, IsZeroCopyInLittleMemory) {
  for (int p = 1; p <= 130; ++p) {
    for (const std::int64_t bytes : {1, 24, 1000}) {
      const Schedule schedule = DenseRow(p, bytes).build(compact_bruck(2));
      int rounds = 0;
      int copies = 0;
      std::int64_t copied = 0;
      for (const Task& task : schedule.tasks()) {
        if (task.kind == TaskKind::send) ++rounds;
        if (task.kind != TaskKind::copy) continue;
        ++copies;
        copied += task.bytes;
      }
      int log = 0;
      while ((1 << log) < p) ++log;
      EXPECT_EQ(rounds, log) << p;
      EXPECT_EQ(copies, 1) << "to self; p " << p;
      EXPECT_EQ(copied, bytes) << p;
      EXPECT_EQ(schedule.scratch_bytes(), TransitSlots(p, 2, true).intermediate() * bytes) << p;
      EXPECT_LE(schedule.scratch_bytes(), std::max(0, p / 2 - 2) * bytes) << p;
    }
  }
}

/// Whatever form of messages the user asks for.
TEST(CompactBruck, IsZeroCopyInAnyForm) {
  const DenseRow row(13, 8);
  for (const MessageForm form : {MessageForm::automatic, MessageForm::staged, MessageForm::datatype}) {
    const Chosen chosen = choose(row.problem(), "compact-bruck", Ordering::dependencies, form);
    EXPECT_EQ(chosen.algorithm, "compact-bruck");
    EXPECT_EQ(std::ranges::count(chosen.schedule->tasks(), TaskKind::copy, &Task::kind), 1);
  }
}

TEST(CompactBruck, EveryRadixIsRight) {
  for (int p = 1; p <= 40; ++p) {
    for (int radix = 2; radix <= std::max(2, p); radix += 1 + p / 8) {
      const DenseCase given{.size = p,
                            .bytes = [](int, int) { return std::int64_t{3}; },
                            .in_place = p % 3 == 0,
                            .options = {.ports = (p + radix) % 4, .radix = radix}};
      const CollectiveCase each = dense_case(given, dense_way("compact-bruck"));
      EXPECT_EQ(checked(each), "");
      EXPECT_EQ(simulate({&each, 1}, static_cast<std::uint64_t>(p * radix), 1), "");
    }
  }
}

TEST(CompactBruck, PredictionsAreWhatIsBuilt) {
  for (int p = 1; p <= 40; ++p) {
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{8}, std::int64_t{1} << 30}) {
      const DenseRow row(p, bytes);
      for (const int radix : {2, 3, 7}) {
        for (const int ports : {0, 2}) {
          expect_as_predicted(predict_bruck(row.problem(), radix, ports, Landing::in_slots),
                              row.build(compact_bruck(radix, ports)),
                              "p " + std::to_string(p) + ", radix " + std::to_string(radix) + ", ports " +
                                  std::to_string(ports) + ", bytes " + std::to_string(bytes));
        }
      }
    }
  }
}

}  // namespace
}  // namespace rondo::internal::dense::compact_bruck_test
