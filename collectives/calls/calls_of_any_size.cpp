#include "collectives/calls/calls_of_any_size.hpp"

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/binding/make_operation.hpp"
#include "collectives/calls/cached_calls.hpp"
#include "collectives/calls/host_buffers.hpp"
#include "collectives/comm_state/type_probe.hpp"
#include "collectives/earlier_calls/scaled_calls.hpp"
#include "datatypes/reading/layout_cache.hpp"
#include "runtime/schedule/scaled_schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace rondo::internal {
namespace {

/// Returns the bytes of one block of a call; 0 if its blocks are not of one size that all ranks know.
std::int64_t block_bytes_of(const CheckedCall& checked) {
  const Call& call = checked.call;
  if (call.collective == Collective::barrier || !call.send.regular || !call.recv.regular) return 0;
  if (call.reduces()) {
    // All ranks have the same operation and datatype.
    const std::shared_ptr<const Layout>& element = checked.recv_layouts[0];
    if (!reduction::is_predefined_op(call.op) || element == nullptr || element->size() == 0 ||
        SizeClass::kStep % element->size() != 0 || element->extent() != element->size())
      return 0;
  }
  return checked.received_blocks() > 0 ? checked.received_bytes() : checked.sent_bytes();
}

/// Returns whether a call's datatypes are MPI's own, without holes, and its blocks follow each other.
bool has_basic_types(const CheckedCall& checked) {
  const auto is_basic = [](const CallSide& side) { return side.places == nullptr && is_always_known(side.types[0]); };
  return is_basic(checked.call.recv) && (!checked.call.describes_sent() || is_basic(checked.call.send));
}

/// A call that stands for all calls whose blocks have sizes of one class. It has the longest of these blocks, of
/// MPI_BYTE unless they are combined, and no buffers, because it is never started.
struct LongestOfClass {
  LongestOfClass(const CheckedCall& checked, std::int64_t bytes)
      : type(checked.call.reduces() ? checked.call.recv.types[0] : MPI_BYTE),
        count(checked.call.reduces() ? bytes / checked.recv_layouts[0]->size() : bytes),
        call(checked.call) {
    const void* const place = call.in_place() ? MPI_IN_PLACE : nullptr;
    call.send = CallSide::alltoall(call.send.side, place, count, type);
    call.recv = CallSide::alltoall(call.recv.side, nullptr, count, type);
  }
  LongestOfClass(const LongestOfClass&) = delete;
  LongestOfClass& operator=(const LongestOfClass&) = delete;

  MPI_Datatype type;
  std::int64_t count;
  Call call;
};

/// Returns where the user's blocks lie: one after the other, as long as in the call that runs when somebody asks.
UserBlocks blocks_of(const CheckedCall& checked, const ScaledSchedule& scaled) {
  const Call& call = checked.call;
  const auto block = [&scaled](int i) {
    return UserBlock{i * scaled.block_bytes(), Layout::contiguous(scaled.block_bytes())};
  };
  return {call.reduces() ? 1 : checked.received_blocks(), call.sends_one_block() ? 1 : checked.sent_blocks(), block,
          block};
}

/// Returns the first candidate that is for blocks of any size. Returns null if there is none, or if the best candidate
/// is predicted to save more than a quarter of its time, or more than about a fifth of the time to build the best one's
/// schedule for each size anew.
const Candidate* plan_for_any_size(const Chosen& chosen) {
  constexpr double kWorthBuilding = 3000;  // nanoseconds
  if (chosen.candidates.empty()) return nullptr;
  const double best = chosen.candidates.front().prediction.nanoseconds;
  const double most = std::min(best + kWorthBuilding, best / 0.75);
  const auto is_for_any_size = [&](const Candidate& candidate) {
    return candidate.whole_blocks && candidate.prediction.nanoseconds <= most;
  };
  const auto found = std::ranges::find_if(chosen.candidates, is_for_any_size);
  return found == chosen.candidates.end() ? nullptr : &*found;
}

/// Returns whether this process records traces or draws schedules, which must show the sizes of the call that was made.
bool is_looked_at() {
  const Observers& observers = Engine::process().observers();
  return observers.trace != nullptr || observers.drawings != nullptr;
}

std::unique_ptr<Operation> make_for_any_size(const CheckedCall& checked, CallState& calls, const PlanOfClass& plan,
                                             ProgressMode progress) {
  auto scaled = std::make_unique<ScaledSchedule>(*plan.chosen->schedule, plan.largest);
  auto own = std::make_shared<Chosen>(*plan.chosen);
  own->schedule = scaled->schedule();
  plan.tell(*own);
  UserBlocks blocks = blocks_of(checked, *scaled);
  std::unique_ptr<Operation> operation =
      make_operation(checked.call.name, std::move(own), std::move(blocks), {calls.tags().comm(), 0}, progress, false);
  operation->use_lanes(calls.on()->lanes(), std::move(scaled));
  return operation;
}

std::unique_ptr<Operation> start_scaled(std::unique_ptr<Operation> operation, CallState& calls, const Call& call,
                                        const std::shared_ptr<OperationPool>& pool, std::int64_t block_bytes) {
  operation->scale_to(block_bytes);
  operation->pool = pool;
  start_idle(calls, buffers_of(call), *operation, 0);
  return operation;
}

}  // namespace

PlanOfClass plan_of_class(CollectiveFamily& family, const CheckedCall& checked, const Settings& settings) {
  if (family.calls().scaled(settings) == nullptr || settings.learn != 0 || settings.seed == Seed::calls) return {};
  const std::unique_ptr<CollectiveFamily> other = family.make_another();
  if (other == nullptr) return {};
  const std::int64_t bytes = block_bytes_of(checked);
  if (bytes <= 0 || bytes > SizeClass::kLongest) return {};
  const std::int64_t largest = SizeClass::of(bytes).largest;
  // If a block does not fit one message, the number of a plan's messages depends on the length of the block.
  if (largest * checked.pattern.targets > std::numeric_limits<int>::max()) return {};
  const LongestOfClass longest(checked, largest);
  const CheckedCall checked_longest(longest.call, checked.pattern, type_probe());
  const std::shared_ptr<const Chosen> best = cached_schedule(*other, checked_longest, nullptr, settings).chosen;
  const Candidate* const taken = plan_for_any_size(*best);
  if (taken == nullptr) return {};
  if (taken == best->candidates.data()) return {best, best, bytes, largest};
  Settings by_plan = settings;
  by_plan.force(name_of_plan(taken->algorithm, taken->name));
  const std::unique_ptr<CollectiveFamily> for_plan = family.make_another();
  return {cached_schedule(*for_plan, checked_longest, nullptr, by_plan).chosen, best, bytes, largest};
}

void PlanOfClass::tell(Chosen& made) const {
  const auto is_it = [&](const Candidate& candidate) {
    return candidate.name == made.plan && candidate.algorithm == made.algorithm;
  };
  made.candidates = best->candidates;
  std::rotate(made.candidates.begin(), std::ranges::find_if(made.candidates, is_it), made.candidates.end());
  made.why =
      chosen == best ? best->why : "as it is about as fast as the best, and one schedule serves blocks of any size";
  made.why += "; for blocks of up to " + std::to_string(largest) + " bytes";
}

std::unique_ptr<Operation> start_at_any_size(CallState& calls, const Call& call, const Settings& settings) {
  ScaledCalls* const scaled = calls.scaled(settings);
  if (scaled == nullptr) return nullptr;
  const ScaledCalls::Found found = scaled->find(call, calls.on()->size());
  if (found.pool == nullptr) return nullptr;
  std::unique_ptr<Operation> operation = (*found.pool)->take();
  if (operation == nullptr) return nullptr;
  return start_scaled(std::move(operation), calls, call, *found.pool, found.block_bytes);
}

std::unique_ptr<Operation> start_first_of_class(CollectiveFamily& family, const CheckedCall& checked,
                                                const PlanOfClass& plan, const Settings& settings) {
  const Schedule& schedule = *plan.chosen->schedule;
  if (is_looked_at() || !has_basic_types(checked) || !ScaledSchedule::is_possible(schedule, plan.largest))
    return nullptr;
  const CallShapes shapes(checked);
  check_sizes(checked, shapes);
  check_buffers(checked.call, shapes);
  check_host_buffers(checked);
  CallState& calls = family.calls();
  constexpr std::int64_t kOfOperation = 4096;
  const auto tasks = static_cast<std::int64_t>(schedule.tasks().size() * 2 * sizeof(Task));
  const std::shared_ptr<OperationPool> pool =
      calls.scaled(settings)->pool_for(checked.call, plan.block_bytes, schedule.scratch_bytes() + tasks + kOfOperation);
  if (pool == nullptr) return nullptr;
  return start_scaled(make_for_any_size(checked, calls, plan, family.progress(settings)), calls, checked.call, pool,
                      plan.block_bytes);
}

}  // namespace rondo::internal
