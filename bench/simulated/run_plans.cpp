#include "run_plans.hpp"

#include "runtime/execution/execution.hpp"
#include "runtime/machine/simulated_start.hpp"

#include <cstddef>
#include <functional>

namespace rondo::internal::simulated {
namespace {

std::byte content(const BlockName& block, std::size_t offset) {
  const std::uint64_t mixed =
      (static_cast<std::uint64_t>(block.first) << 40U) + (static_cast<std::uint64_t>(block.second) << 20U) + offset;
  return static_cast<std::byte>((mixed * 0x9E3779B97F4A7C15U) >> 56U);
}

/// Calls visit(byte, what it is in the end) for a buffer of blocks.
template <typename NameOf, typename Visit>
void for_each_byte(std::vector<std::byte>& buffer, const BlockRow& blocks, NameOf name_of, Visit visit) {
  for (std::size_t i = 0; i < blocks.shapes().size(); ++i) {
    const BlockName name = name_of(static_cast<int>(i));
    const auto begin = static_cast<std::size_t>(blocks.shapes()[i].offset);
    const auto bytes = static_cast<std::size_t>(blocks.shapes()[i].layout->size());
    for (std::size_t at = 0; at < bytes; ++at) visit(buffer[begin + at], content(name, at));
  }
}

class Ranks {
 public:
  Ranks(machine::LogGPNetwork& network, const Schedules& schedules) {
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      executions_.push_back(
          std::make_unique<Execution>(schedules[rank], network.transport(static_cast<int>(rank)), MPI_COMM_NULL, 0));
      all_.push_back(executions_.back().get());
    }
  }
  [[nodiscard]] std::span<Execution* const> all() const { return all_; }

 private:
  std::vector<std::unique_ptr<Execution>> executions_;
  std::vector<Execution*> all_;
};

double last(std::span<const machine::SimulatedTime> ends) { return machine::to_nanoseconds(std::ranges::max(ends)); }

}  // namespace

Outcome run_schedules(const machine::Machine& machine, const Schedules& schedules, std::size_t sent,
                      std::size_t received) {
  machine::LogGPNetwork network(machine, machine::Data::none);
  const Ranks ranks(network, schedules);
  std::vector<std::byte> send(sent);  // of all ranks
  std::vector<std::byte> recv(received);
  for (Execution* execution : ranks.all()) execution->bind(send.data(), recv.data());
  const auto ends = machine::run(network, ranks.all());
  return {last(ends), network.traffic(), true};
}

Outcome run_schedules(const machine::Machine& machine, const Schedules& schedules, const BlockRow& sent,
                      const BlockRow& received, const std::function<BlockName(int, int)>& arriving) {
  machine::LogGPNetwork network(machine, machine::Data::carried);
  const Ranks ranks(network, schedules);
  std::vector<std::vector<std::byte>> send(schedules.size(), std::vector<std::byte>(sent.bytes()));
  std::vector<std::vector<std::byte>> recv(schedules.size(), std::vector<std::byte>(received.bytes()));
  for (std::size_t at = 0; at < schedules.size(); ++at) {
    const int rank = static_cast<int>(at);
    for_each_byte(
        send[at], sent,
        [&](int i) {
          return BlockName{rank, i};
        },
        [](std::byte& byte, std::byte value) { byte = value; });
    ranks.all()[at]->bind(send[at].data(), recv[at].data());
  }
  const auto ends = machine::run(network, ranks.all());
  bool right = true;
  for (std::size_t at = 0; at < schedules.size(); ++at) {
    for_each_byte(
        recv[at], received, [&](int i) { return arriving(static_cast<int>(at), i); },
        [&](std::byte byte, std::byte value) { right = right && byte == value; });
  }
  return {last(ends), network.traffic(), right, true};
}

}  // namespace rondo::internal::simulated
