#include "runtime/functions/copy_workers.hpp"

#include <gtest/gtest.h>

#include "datatypes/copying/copy_program.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace rondo::internal::copy_workers_test {
namespace {

constexpr std::int64_t kLong = 3 * CopyWorkers::kWorthSharing + 12345;

std::vector<std::byte> pattern(std::int64_t bytes) {
  std::vector<std::byte> all(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>((i * 2654435761U) >> 13U);
  return all;
}

TEST(CopyWorkers, CopyEveryByteOnce) {
  const CopyWorkers workers;
  const std::vector<std::byte> source = pattern(kLong);
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, kLong / 7, kLong}) {
    std::vector<std::byte> target(source.size());
    workers.copy(target.data(), source.data(), bytes);
    std::vector<std::byte> wanted(source.size());
    std::copy_n(source.begin(), bytes, wanted.begin());
    EXPECT_TRUE(target == wanted) << bytes;
  }
}

TEST(CopyWorkers, RunProgramsAsOneThreadDoes) {
  const CopyWorkers workers;
  CopyProgram program;
  // Rows with gaps, then one long piece.
  for (std::int64_t row = 0; row < 3000; ++row) program.append(row * 1000, row * 700, 650);
  program.append(3'000'000, 2'200'000, 800'000);
  const std::vector<std::byte> source = pattern(4'000'000);
  std::vector<std::byte> target(source.size());
  std::vector<std::byte> wanted(source.size());
  workers.run(program.runs(), source.data(), target.data(), program.bytes());
  run_copies(program.runs(), source.data(), wanted.data());
  EXPECT_TRUE(target == wanted);
}

/// An execution hands over what is long enough.
TEST(CopyWorkers, ServeExecutions) {
  const CopyWorkers workers;
  ScheduleBuilder builder;
  const std::vector<BlockId> from{builder.block(Space::send, 0, kLong), builder.block(Space::send, kLong, 100)};
  const std::vector<BlockId> to{builder.block(Space::recv, 64, kLong), builder.block(Space::recv, kLong + 64, 100)};
  builder.copy(from, to);
  const auto schedule = std::make_shared<const Schedule>(std::move(builder).build());
  LoopbackNetwork network(1, 1);
  Execution execution(schedule, network.transport(0), MPI_COMM_NULL, 0);
  execution.set_copy_workers(&workers);
  const std::vector<std::byte> source = pattern(kLong + 100);
  std::vector<std::byte> target(source.size() + 64);
  execution.bind(source.data(), target.data());
  execution.start();
  EXPECT_FALSE(execution.active());
  EXPECT_TRUE(std::equal(source.begin(), source.end(), target.begin() + 64));
}

}  // namespace
}  // namespace rondo::internal::copy_workers_test
