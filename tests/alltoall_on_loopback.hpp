/// @file
/// Runs an alltoall on all ranks of a torus in one process, under a seeded order of completions, against the
/// definition.
#ifndef RONDO_TESTS_ALLTOALL_ON_LOOPBACK_HPP
#define RONDO_TESTS_ALLTOALL_ON_LOOPBACK_HPP

#include "collectives/alltoall_algorithms.hpp"
#include "runtime/execution.hpp"
#include "runtime/loopback_transport.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace rondo {

struct LoopbackCase {
  std::vector<int> sizes;
  Neighborhood neighborhood;
  /// Bytes of block i that `rank` sends; uniform algorithms need it not to depend on the rank.
  std::function<std::int64_t(int rank, int i)> bytes;
  Ordering ordering = Ordering::dependencies;
  MessageForm form = MessageForm::automatic;
  std::uint64_t seed = 0;
  int repetitions = 2;  ///< persistent starts of the same execution
};

/// Byte j of block i of a rank in a repetition: a function of all four, so that no misplaced byte goes unseen.
inline std::byte content(int rank, int i, std::int64_t j, int repetition) {
  return static_cast<std::byte>(rank * 37 + i * 101 + static_cast<int>(j % 1009) * 7 + repetition * 13 + 1);
}

/// Everything of one virtual rank. Blocks lie in a strange order with gaps, every third one in two pieces.
class VirtualRank {
 public:
  VirtualRank(const LoopbackCase& given, const Torus& torus, const CostModel& costs, const AlltoallAlgorithm& algorithm,
              Transport& transport)
      : case_(given), torus_(torus) {
    const int t = given.neighborhood.size();
    std::int64_t send_place = 3;
    std::int64_t recv_place = 5;
    for (int i = t - 1; i >= 0; --i) {
      const int source = torus.relative_rank(given.neighborhood[i], -1);
      add(send_layouts_, send_, given.bytes(torus.rank(), i), i, send_place);
      add(recv_layouts_, recv_, given.bytes(source, i), i + 1, recv_place);
    }
    std::reverse(send_.begin(), send_.end());
    std::reverse(recv_.begin(), recv_.end());
    send_memory_.resize(static_cast<std::size_t>(send_place));
    recv_memory_.resize(static_cast<std::size_t>(recv_place));
    for (BlockShape& shape : send_) shape.layout = &send_layouts_[layout_index(send_, shape, t)];
    for (BlockShape& shape : recv_) shape.layout = &recv_layouts_[layout_index(recv_, shape, t)];
    const AlltoallProblem problem{torus_, given.neighborhood, send_, recv_, true, costs};
    ScheduleBuilder builder(given.ordering, given.form);
    algorithm.build(problem, builder);
    execution_ = std::make_unique<Execution>(std::make_shared<const Schedule>(std::move(builder).build()), transport,
                                             MPI_COMM_NULL, 0);
    execution_->bind(send_memory_.data(), recv_memory_.data());
  }

  void start(int repetition) {
    std::ranges::fill(recv_memory_, std::byte{0});
    for (std::size_t i = 0; i < send_.size(); ++i) {
      visit(send_[i], [&](std::int64_t place, std::int64_t j) {
        send_memory_[static_cast<std::size_t>(place)] = content(torus_.rank(), static_cast<int>(i), j, repetition);
      });
    }
    execution_->start();
  }

  void expect_received(int repetition, const std::string& what) const {
    std::vector<std::byte> expected(recv_memory_.size());
    for (std::size_t i = 0; i < recv_.size(); ++i) {
      const int source = torus_.relative_rank(case_.neighborhood[static_cast<int>(i)], -1);
      visit(recv_[i], [&](std::int64_t place, std::int64_t j) {
        expected[static_cast<std::size_t>(place)] = content(source, static_cast<int>(i), j, repetition);
      });
    }
    ASSERT_FALSE(execution_->failure()) << what << ": " << execution_->describe_failure();
    ASSERT_EQ(recv_memory_, expected) << what << ", rank " << torus_.rank();
  }

  [[nodiscard]] Execution& execution() { return *execution_; }

 private:
  static void add(std::vector<Layout>& layouts, std::vector<BlockShape>& shapes, std::int64_t bytes, int i,
                  std::int64_t& place) {
    Layout layout;
    if (i % 3 == 0 && bytes > 1) {
      layout.append({0, bytes / 2, 1, 0});
      layout.append({bytes / 2 + 2, bytes - bytes / 2, 1, 0});
    } else {
      layout.append({0, bytes, 1, 0});
    }
    shapes.push_back({place, nullptr});
    place += bytes + 2 + i % 2;
    layouts.push_back(std::move(layout));
  }
  static std::size_t layout_index(const std::vector<BlockShape>& shapes, const BlockShape& shape, int t) {
    return static_cast<std::size_t>(t) - 1 - static_cast<std::size_t>(&shape - shapes.data());  // made in reverse
  }
  template <typename Visit>
  static void visit(const BlockShape& shape, Visit visit) {
    std::int64_t j = 0;
    for (const Run& run : shape.layout->runs()) {
      for (std::int64_t piece = 0; piece < run.count; ++piece) {
        for (std::int64_t byte = 0; byte < run.length; ++byte) {
          visit(shape.offset + run.offset + piece * run.stride + byte, j++);
        }
      }
    }
  }

  const LoopbackCase& case_;
  Torus torus_;
  std::vector<Layout> send_layouts_;
  std::vector<Layout> recv_layouts_;
  std::vector<BlockShape> send_;
  std::vector<BlockShape> recv_;
  std::vector<std::byte> send_memory_;
  std::vector<std::byte> recv_memory_;
  std::unique_ptr<Execution> execution_;
};

/// Ranks start at random moments; what completes next is drawn from the seed. Fails the test on wrong data, on messages
/// without a partner, and when nothing can move any more.
inline void run_on_loopback(const LoopbackCase& given, const AlltoallAlgorithm& algorithm, const std::string& what) {
  int p = 1;
  for (const int size : given.sizes) p *= size;
  LoopbackNetwork network(p, given.seed);
  const CostModel costs(1.0);
  std::vector<std::unique_ptr<VirtualRank>> ranks;
  for (int rank = 0; rank < p; ++rank) {
    ranks.push_back(
        std::make_unique<VirtualRank>(given, Torus(given.sizes, rank), costs, algorithm, network.transport(rank)));
  }
  for (int repetition = 0; repetition < given.repetitions; ++repetition) {
    std::vector<int> to_start;
    for (int rank = 0; rank < p; ++rank) to_start.push_back(rank);
    std::size_t idle = 0;
    for (std::size_t active = 0; active > 0 || !to_start.empty();) {
      if (!to_start.empty() && network.draw(2) == 0) {
        const auto chosen = to_start.begin() + static_cast<std::ptrdiff_t>(network.draw(to_start.size()));
        ranks[static_cast<std::size_t>(*chosen)]->start(repetition);
        active += ranks[static_cast<std::size_t>(*chosen)]->execution().active() ? 1 : 0;
        to_start.erase(chosen);
      }
      const auto rank = network.draw(static_cast<std::size_t>(p));
      const auto completions = network.transport(static_cast<int>(rank)).poll();
      idle = completions.empty() ? idle + 1 : 0;
      ASSERT_LT(idle, 10000U + 1000U * static_cast<std::size_t>(p)) << what << ": nothing moves any more";
      for (const Completion& completion : completions) {
        completion.execution->complete(completion.task, completion.code);
        if (!completion.execution->active()) --active;
      }
    }
    for (const auto& rank : ranks) rank->expect_received(repetition, what);
    ASSERT_EQ(network.unmatched(), 0U) << what;
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace rondo

#endif
