#include "collectives/rehearsal/prediction.hpp"
#include "collectives/binding/message_balance.hpp"

#include <rondo/error.hpp>

#include "collectives/own/lowering.hpp"
#include "collectives/rehearsal/machine_costs.hpp"
#include "runtime/machine/simulated_start.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rondo {
namespace internal {
namespace {

std::vector<OwnSchedule> lower_ranks(const OwnLowering& lower, int size, const BuiltAs& as) {
  std::deque<OwnBuilder> builders;
  std::uint32_t tags = 0;
  for (int rank = 0; rank < size; ++rank) {
    OwnBuilder& builder = builders.emplace_back(rank, size, as.ordering, as.form, as.costs);
    builder.leave_functions_out();
    lower(builder);
    tags = std::max(tags, builder.tags());
  }
  std::vector<OwnSchedule> schedules;
  std::uint64_t balance = 0;
  for (OwnBuilder& builder : builders) {
    const int rank = builder.rank();
    schedules.push_back(std::move(builder).build(tags));
    balance += message_balance(*schedules.back().schedule, rank);
  }
  if (balance != 0) throw Error(MPI_ERR_ARG, "lower: the messages of the ranks do not match; check() tells which");
  return schedules;
}

/// Memory for the buffers of all ranks, whose contents are never read.
class SharedBuffer {
 public:
  explicit SharedBuffer(const ByteRange& range)
      : begin_(std::min<std::int64_t>(range.begin, 0)),
        bytes_(std::make_unique_for_overwrite<std::byte[]>(
            static_cast<std::size_t>(std::max<std::int64_t>(range.end, 0) - begin_ + 1))) {}
  [[nodiscard]] std::byte* address() const { return bytes_.get() - begin_; }

 private:
  std::int64_t begin_;
  std::unique_ptr<std::byte[]> bytes_;
};

void extend(ByteRange& range, const ByteRange& by) {
  range.begin = std::min(range.begin, by.begin);
  range.end = std::max(range.end, by.end);
}

PredictedTime run_on(const machine::Machine& machine, const std::vector<OwnSchedule>& schedules) {
  machine::LogGPNetwork network(machine, machine::Data::none);
  ByteRange send{0, 0};
  ByteRange recv{0, 0};
  for (const OwnSchedule& built : schedules) {
    extend(send, built.send);
    extend(recv, built.recv);
  }
  const SharedBuffer sent(send);
  const SharedBuffer received(recv);
  std::deque<Execution> executions;
  std::vector<Execution*> all;
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    Execution& execution =
        executions.emplace_back(schedules[rank].schedule, network.transport(static_cast<int>(rank)), MPI_COMM_NULL, 0);
    execution.bind(schedules[rank].schedule->in_place() ? nullptr : sent.address(), received.address());
    all.push_back(&execution);
  }
  PredictedTime time;
  try {
    for (const machine::SimulatedTime end : machine::run(network, all))
      time.ranks.push_back(machine::to_nanoseconds(end));
  } catch (const std::runtime_error&) {
    throw Error(MPI_ERR_ARG, "lower: the ranks wait for each other for ever; check() tells which");
  }
  time.nanoseconds = std::ranges::max(time.ranks);
  const machine::Traffic& traffic = network.traffic();
  time.far_messages = traffic.far;
  time.far_bytes = traffic.far_bytes;
  time.near_messages = traffic.near;
  time.near_bytes = traffic.near_bytes;
  return time;
}

}  // namespace

PredictedTime predict_own(const OwnLowering& lower, int size, const rondo::Machine& machine, const BuiltAs& as) {
  if (size < 1) throw Error(MPI_ERR_ARG, "size: is " + std::to_string(size) + ", must be at least 1");
  const machine::Machine simulated = simulated_machine(machine, size);
  return run_on(simulated, lower_ranks(lower, size, as));
}

}  // namespace internal

PredictedTime predict(const Lowering& lower, int size, const Machine& machine, const Options& options) {
  return internal::predict_own([&](internal::OwnBuilder& builder) { internal::lower_own(lower, builder); }, size,
                               machine,
                               {options.schedule.value_or(Ordering::dependencies),
                                options.messages.value_or(MessageForm::automatic), internal::measured_form_costs()});
}

}  // namespace rondo
