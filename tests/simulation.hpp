/// @file
/// Runs collectives on virtual ranks under an adversary, and compares every byte with the definition.
#ifndef RONDO_TESTS_SIMULATION_HPP
#define RONDO_TESTS_SIMULATION_HPP

#include "runtime/execution.hpp"
#include "runtime/loopback_transport.hpp"
#include "tests/collective_case.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rondo {

/// A byte of an operation's send buffer: a function of all that could be confused.
inline std::byte content(std::size_t operation, std::int32_t rank, std::int64_t offset, int repetition) {
  std::uint64_t hash = static_cast<std::uint64_t>(offset) * 0x9E3779B97F4A7C15U;
  hash ^= (static_cast<std::uint64_t>(rank) << 40U) + (operation << 20U) + static_cast<std::uint64_t>(repetition);
  hash *= 0xBF58476D1CE4E5B9U;
  return static_cast<std::byte>(hash >> 56U);
}

/// One operation on one virtual rank.
class VirtualOperation {
 public:
  VirtualOperation(const CollectiveCase& collective, std::size_t number, int rank, Transport& transport, int ticket)
      : number_(number),
        rank_(rank),
        send_(static_cast<std::size_t>(collective.send_bytes[static_cast<std::size_t>(rank)])),
        recv_(static_cast<std::size_t>(collective.recv_bytes[static_cast<std::size_t>(rank)])),
        execution_(collective.schedules[static_cast<std::size_t>(rank)], transport, MPI_COMM_NULL, ticket) {
    for (const Placement& line : collective.definition) {
      if (line.target == rank) definition_.push_back(line);
    }
    execution_.bind(send_.data(), recv_.data());
  }

  void start() {
    for (std::size_t i = 0; i < send_.size(); ++i)
      send_[i] = content(number_, rank_, static_cast<std::int64_t>(i), repetition_);
    std::ranges::fill(recv_, kUntouched);
    execution_.start();
  }
  /// After completion: what is wrong, empty when nothing is. Ready for the next start.
  [[nodiscard]] std::string finish() {
    if (execution_.failure()) return who() + ": " + execution_.describe_failure();
    std::vector<std::byte> expected(recv_.size(), kUntouched);
    for (const Placement& line : definition_) {
      for (std::int64_t i = 0; i < line.bytes; ++i) {
        expected[static_cast<std::size_t>(line.target_offset + i)] =
            content(number_, line.source, line.source_offset + i, repetition_);
      }
    }
    const auto wrong = std::ranges::mismatch(recv_, expected).in1;
    if (wrong != recv_.end()) return who() + ": receive byte " + std::to_string(wrong - recv_.begin()) + " is wrong";
    for (std::size_t i = 0; i < send_.size(); ++i) {
      if (send_[i] != content(number_, rank_, static_cast<std::int64_t>(i), repetition_))
        return who() + ": send byte " + std::to_string(i) + " was changed";
    }
    ++repetition_;
    return {};
  }

  [[nodiscard]] Execution& execution() { return execution_; }
  [[nodiscard]] int repetition() const { return repetition_; }
  [[nodiscard]] std::string who() const {
    return "operation " + std::to_string(number_) + ", rank " + std::to_string(rank_) + ", repetition " +
           std::to_string(repetition_);
  }

 private:
  static constexpr std::byte kUntouched{0xEE};
  std::size_t number_;
  int rank_;
  int repetition_ = 0;
  std::vector<Placement> definition_;
  std::vector<std::byte> send_;
  std::vector<std::byte> recv_;
  Execution execution_;
};

/// Several persistent operations at once, each started `repetitions` times on every rank. The adversary picks which
/// rank does something next; that rank starts any operation that is not active, whatever other ranks do, or makes one
/// pass of progress, as if its operations belonged to threads of their own. One rank may be slow. Returns what went
/// wrong, empty when nothing did; the same seed gives the same run.
[[nodiscard]] inline std::string simulate(std::span<const CollectiveCase> collectives, std::uint64_t seed,
                                          int repetitions) {
  const int p = collectives.front().ranks();
  LoopbackNetwork network(p, seed);
  std::vector<std::vector<std::unique_ptr<VirtualOperation>>> of_rank(static_cast<std::size_t>(p));
  int ticket = 0;
  std::size_t to_start = 0;
  for (std::size_t number = 0; number < collectives.size(); ++number) {
    const CollectiveCase& collective = collectives[number];
    for (int rank = 0; rank < p; ++rank) {
      of_rank[static_cast<std::size_t>(rank)].push_back(
          std::make_unique<VirtualOperation>(collective, number, rank, network.transport(rank), ticket));
    }
    ticket += static_cast<int>(collective.schedules.front()->tags());
    to_start += static_cast<std::size_t>(p) * static_cast<std::size_t>(repetitions);
  }
  const auto tell = [&](const std::string& what) {
    std::string text = "RONDO_SEED=" + std::to_string(seed) + ": " + what;
    for (const CollectiveCase& collective : collectives) text += "\n  " + collective.name;
    return text;
  };

  const std::size_t slow = network.draw(static_cast<std::size_t>(2 * p));  // of half of the seeds, none
  std::string wrong;
  std::size_t active = 0;
  const auto look_at_end = [&](VirtualOperation& operation) {
    if (operation.execution().active()) return;
    --active;
    wrong = operation.finish();
  };
  while (wrong.empty() && (active > 0 || to_start > 0)) {
    if (to_start == 0 && !network.can_move())
      return tell("nothing can move any more, " + std::to_string(active) + " operations are active");
    const std::size_t rank = network.draw(static_cast<std::size_t>(p));
    if (rank == slow && network.draw(16) != 0) continue;
    auto& operations = of_rank[rank];
    if (to_start > 0 && network.draw(2) == 0) {
      VirtualOperation& operation = *operations[network.draw(operations.size())];
      if (operation.execution().active() || operation.repetition() == repetitions) continue;
      --to_start;
      ++active;
      operation.start();
      look_at_end(operation);
      continue;
    }
    for (const Completion& completion : network.transport(static_cast<int>(rank)).poll()) {
      completion.execution->complete(completion.task, completion.code);
      for (const auto& operation : operations) {
        if (&operation->execution() == completion.execution) look_at_end(*operation);
      }
    }
  }
  if (!wrong.empty()) return tell(wrong);
  return network.unmatched() == 0 ? std::string{}
                                  : tell(std::to_string(network.unmatched()) + " messages without partner");
}

/// The seeds of a test: [0, count), or only RONDO_SEED when that is set, to replay one.
[[nodiscard]] inline std::vector<std::uint64_t> seeds(std::uint64_t count) {
  if (const char* only = std::getenv("RONDO_SEED")) return {std::strtoull(only, nullptr, 10)};
  std::vector<std::uint64_t> all(count);
  for (std::uint64_t seed = 0; seed < count; ++seed) all[seed] = seed;
  return all;
}

}  // namespace rondo

#endif
