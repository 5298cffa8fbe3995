#include "both_simulations.hpp"

#include "core_time.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/machine/loggp_network.hpp"
#include "runtime/machine/simulated_start.hpp"
#include "runtime/operation/operation.hpp"
#include "runtime/operation/request_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace rondo::internal::smpi {
namespace {

struct Buffers {
  Buffers(const Collective& collective, int bytes, int rank)
      : send(static_cast<std::size_t>(collective.blocks) * static_cast<std::size_t>(bytes)), recv(send.size()) {
    fill(send, collective, rank);
  }
  std::vector<std::byte> send;
  std::vector<std::byte> recv;
};

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Returns at one and the same simulated time on all ranks, when the network is at rest.
void begin_together() {
  constexpr double kRest = 0.01;
  double latest = MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  compute(machine::from_nanoseconds((latest + kRest - MPI_Wtime()) * 1e9));
}

Outcome run_under_smpi(const Collective& collective, rondo::Request& request, const Buffers& buffers) {
  begin_together();
  const double begin = MPI_Wtime();
  request.start();
  request.wait();
  CoreTime::of_rank().pass();
  const double end = MPI_Wtime();
  // The last two as negative numbers: their least.
  std::array<double, 4> most{end, begin, -begin, is_right(buffers.recv, collective, own_rank()) ? 0.0 : 1.0};
  MPI_Allreduce(MPI_IN_PLACE, most.data(), static_cast<int>(most.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double first = -most[2];
  if (most[1] - first > 1e-9) throw std::logic_error("not all ranks began at once");
  return {(most[0] - first) * 1e9, most[3] == 0.0};
}

using Schedules = std::vector<const Schedule*>;

/// On rank 0 those of all ranks, where they lie: all ranks of SMPI are threads of one process.
Schedules schedules_of_all(const Schedule& own, int ranks) {
  static_assert(sizeof(std::uintptr_t) == sizeof(std::uint64_t));
  const auto address = reinterpret_cast<std::uintptr_t>(&own);
  std::vector<std::uintptr_t> addresses(static_cast<std::size_t>(ranks));
  MPI_Gather(&address, 1, MPI_UINT64_T, addresses.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  Schedules all;
  for (const std::uintptr_t it : addresses) all.push_back(reinterpret_cast<const Schedule*>(it));
  return all;
}

Outcome run_in_loggp(const machine::Machine& machine, const Schedules& schedules, const Collective& collective,
                     int bytes) {
  machine::LogGPNetwork network(machine, machine::Data::carried);
  std::vector<Buffers> buffers;
  std::vector<std::unique_ptr<Execution>> executions;
  std::vector<Execution*> all;
  for (int rank = 0; rank < machine.ranks(); ++rank) {
    buffers.emplace_back(collective, bytes, rank);
    // Their owner keeps them.
    const std::shared_ptr<const Schedule> schedule(std::shared_ptr<void>(), schedules[static_cast<std::size_t>(rank)]);
    executions.push_back(std::make_unique<Execution>(schedule, network.transport(rank), MPI_COMM_NULL, 0));
    executions.back()->bind(buffers.back().send.data(), buffers.back().recv.data());
    all.push_back(executions.back().get());
  }
  const auto ends = machine::run(network, all);
  bool right = true;
  for (int rank = 0; rank < machine.ranks(); ++rank)
    right = right && is_right(buffers[static_cast<std::size_t>(rank)].recv, collective, rank);
  return {machine::to_nanoseconds(std::ranges::max(ends)), right};
}

}  // namespace

Outcomes run_in_both(const machine::Machine& machine, const Collective& collective, int bytes,
                     const rondo::Options& options) {
  Buffers buffers(collective, bytes, own_rank());
  Outcomes outcomes{};
  {
    rondo::Request request = collective.init(buffers.send, buffers.recv, bytes, options);
    Execution& execution = RequestTable::process().at(request.native()).execution();
    CoreTime::of_rank().watch(execution, machine.parameters.tasks);
    outcomes.smpi = run_under_smpi(collective, request, buffers);
    const Schedules schedules = schedules_of_all(execution.schedule(), machine.ranks());
    if (own_rank() == 0) outcomes.loggp = run_in_loggp(machine, schedules, collective, bytes);
    MPI_Barrier(MPI_COMM_WORLD);  // till then rank 0 reads the schedules of all
  }
  CoreTime::of_rank().forget();
  return outcomes;
}

}  // namespace rondo::internal::smpi
