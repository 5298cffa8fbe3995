#include "collectives/binding/make_operation.hpp"
#include "collectives/binding/message_balance.hpp"

#include "collectives/binding/connecting.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "runtime/base/count_of.hpp"
#include "runtime/base/log.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace rondo::internal {

namespace {

/// Returns ways_of() an operation that is not persistent. Which lanes have room is not known before a start.
std::string ways_with_lanes(const Execution& execution) {
  const std::span<const TaskId> messages = execution.schedule().messages();
  std::string text = "this rank: " + std::to_string(execution.ways().in_lanes.size()) + " of " +
                     std::to_string(messages.size()) +
                     " messages go through lanes where there is room, the others over MPI\n";
  const auto has_no_lane = [&](TaskId id) {
    if (execution.lanes() == nullptr) return true;
    const Task& task = execution.schedule().tasks()[id];
    const LaneTable::Way& way = (*execution.lanes())[task.peer];
    return (task.kind == TaskKind::send ? way.longest_sent : way.longest_received) == 0;
  };
  if (const auto count = std::ranges::count_if(messages, has_no_lane); count > 0)
    text += "of the others, " + std::to_string(count) + " have no lane from the one rank to the other\n";
  return text;
}

}  // namespace

std::string ways_of(Operation& operation) {
  const Execution& execution = operation.execution();
  const std::size_t all = execution.schedule().messages().size();
  if (all == 0) return {};
  if (!operation.persistent()) return ways_with_lanes(execution);
  std::string text = "this rank: " + std::to_string(execution.shared_messages().size()) + " of " + std::to_string(all) +
                     " messages go through shared memory, the others over MPI\n";
  const Connection* connection = operation.execution().connection();
  if (connection == nullptr) return text;
  if (connection->claimed() > 0) {
    text += "of these, " + std::to_string(connection->claimed()) +
            " lie in allocated arrays at both ends, and are copied once\n";
  }
  if (const std::size_t published = execution.published_messages(); published > 0)
    text +=
        "of these, " + std::to_string(published) + " are sent with data that are packed once for several partners\n";
  for (const Connection::Obstacle& obstacle : connection->obstacles())
    text += "no shared memory with a partner: " + obstacle.reason + "\n";
  return text;
}

std::shared_ptr<const Chosen> logged(const char* name, CallState& calls, Chosen chosen) {
  auto kept = std::make_shared<const Chosen>(std::move(chosen));
  const std::string_view comm = calls.on()->own()->original();
  log(LogLevel::debug, name, " on ", comm, ": algorithm ", kept->algorithm, ", ",
      count_of(kept->schedule->messages().size(), "message"), " here, ", count_of(kept->schedule->phases(), "phase"));
  if (!kept->note.empty() && calls.says_first(kept->note) && calls.on()->rank() == 0)
    log(LogLevel::warning, name, " on ", comm, ": ", kept->note);
  return kept;
}

std::unique_ptr<Operation> make_operation(const char* name, std::shared_ptr<const Chosen> chosen, UserBlocks blocks,
                                          const TagSpace::TagRange& tags, ProgressMode progress, bool persistent) {
  auto operation = std::make_unique<Operation>(Engine::process(), chosen->schedule, tags.comm, tags.first_tag, name,
                                               chosen->algorithm, persistent);
  operation->set_progress(progress);
  operation->explain = [chosen = std::move(chosen), of = operation.get()] { return explain(*chosen) + ways_of(*of); };
  operation->blocks = std::move(blocks);
  return operation;
}

std::unique_ptr<Operation> make_nonblocking(const char* name, std::shared_ptr<const Chosen> chosen, UserBlocks blocks,
                                            CallState& calls, ProgressMode progress) {
  std::unique_ptr<Operation> operation =
      make_operation(name, std::move(chosen), std::move(blocks), {calls.tags().comm(), 0}, progress, false);
  operation->use_lanes(calls.on()->lanes());
  return operation;
}

std::unique_ptr<Operation> bind_persistent(const char* name, CallState& calls, std::shared_ptr<const Chosen> chosen,
                                           UserBlocks blocks, const Buffers& buffers, const Settings& settings,
                                           bool connects, ProgressMode progress) {
  const auto range = calls.tags().next_persistent(chosen->schedule->tags());
  std::unique_ptr<Operation> operation =
      make_operation(name, std::move(chosen), std::move(blocks), range, progress, true);
  operation->execution().bind(buffers.send, buffers.recv);
  operation->prepare();
  if (connects) operation->prepare_connection(calls.on()->rank(), settings.shm, calls.on()->nodes());
  return operation;
}

Started start_cached(const char* name, CallState& calls, const CachedSchedule& entry, const Buffers& buffers,
                     ProgressMode progress, std::uint32_t least_tags) {
  std::unique_ptr<Operation> operation = entry.pool->take();
  const bool repeated = operation != nullptr;
  if (!repeated) operation = make_nonblocking(name, entry.chosen, entry.blocks, calls, progress);
  operation->pool = entry.pool;
  start_idle(calls, buffers, *operation, least_tags);
  return {std::move(operation), repeated};
}

void settle(const std::exception_ptr& trouble, bool ask, std::unique_ptr<Operation>& operation, CallState& calls,
            const Settings& settings, const std::function<void(bool)>& prove) {
  std::uint64_t wanted = 0;
  std::uint64_t balance = 0;
  if (ask) {
    if (settings.shm != SharedMemory::off) wanted = 1;
    if (!trouble) balance = message_balance(operation->execution().schedule(), calls.on()->rank());
    const auto sums = agree_that_all_is_well(trouble, {wanted, balance}, calls.on()->comm());
    wanted = sums[0];
    balance = sums[1];
  } else if (trouble) {
    std::rethrow_exception(trouble);
  }
  const std::exception_ptr mistake = trouble_in([&] {
    prove(balance == 0);
    if (balance != 0) throw Error(MPI_ERR_INTERN, "the messages of the ranks do not match");
  });
  if (!mistake && wanted != 0) connect(operation);
  static_cast<void>(trouble_in([&] { operation->draw(); }));
  if (mistake) std::rethrow_exception(mistake);
}

}  // namespace rondo::internal
