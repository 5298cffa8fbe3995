#include "collectives/calls/calls_of_any_size.hpp"

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/binding/make_operation.hpp"
#include "collectives/blocks/type_probe.hpp"
#include "collectives/calls/cached_calls.hpp"
#include "collectives/calls/host_buffers.hpp"
#include "collectives/earlier_calls/scaled_calls.hpp"
#include "datatypes/reading/layout_cache.hpp"
#include "runtime/base/host_memory.hpp"
#include "runtime/schedule/scaled_schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

/// Returns whether the blocks of a call may differ in size.
bool is_irregular(const Call& call) { return !call.send.regular || !call.recv.regular; }

/// Returns the bytes of the longest of `blocks` blocks of a side, which all ranks describe alike; 0 if they differ so
/// much that this says little of the others, or if a part of a reduce-scatter, which are in a row, has no bytes.
std::int64_t longest_of(const CallSide& side, const SideLayouts& layouts, int blocks) {
  if (side.type_per_block || layouts.empty() || layouts[0] == nullptr) return 0;
  std::int64_t longest = 0;
  std::int64_t all = 0;
  for (int i = 0; i < blocks; ++i) {
    if (side.in_a_row && side.count(i) == 0) return 0;
    longest = std::max(longest, side.count(i));
    all += side.count(i);
  }
  return PlacedCalls::are_alike(all, longest, blocks) ? longest * layouts[0]->size() : 0;
}

/// Returns the bytes of the longest block of a call; 0 if its ranks do not all know them, or if one plan cannot serve
/// all calls with blocks of that class.
std::int64_t block_bytes_of(const CheckedCall& checked) {
  const Call& call = checked.call;
  if (call.collective == Collective::allgather && !call.recv.regular)
    return longest_of(call.recv, checked.recv_layouts, checked.received_blocks());
  if (call.collective == Collective::barrier || (is_irregular(call) && !call.send.in_a_row)) return 0;
  if (call.reduces()) {
    // All ranks have the same operation and datatype.
    const std::shared_ptr<const Layout>& element = checked.recv_layouts[0];
    if (!reduction::is_predefined_op(call.op) || element == nullptr || element->size() == 0 ||
        SizeClass::kStep % element->size() != 0 || element->extent() != element->size())
      return 0;
  }
  if (call.send.in_a_row) return longest_of(call.send, checked.send_layouts, checked.sent_blocks());
  return checked.received_blocks() > 0 ? checked.received_bytes() : checked.sent_bytes();
}

/// Returns whether each side of a call has one datatype, which is one of MPI's own without holes, and no list of places
/// by number.
bool has_basic_types(const CheckedCall& checked) {
  const auto is_basic = [](const CallSide& side) {
    return side.places == nullptr && !side.type_per_block && is_always_known(side.types[0]);
  };
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

constexpr std::int64_t kStandIn = 64;  ///< bytes of a block for which choose_for_any_places() chooses a schedule

/// Chooses a schedule for a call whose messages do not depend on the sizes of its blocks.
Chosen choose_for_any_places(CollectiveFamily& family, const CheckedCall& checked, const Settings& settings) {
  LongestOfClass any(checked, kStandIn);
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(std::max(checked.sent_blocks(), checked.received_blocks())),
                                  kStandIn);
  std::vector<std::int64_t> places(bytes.size());
  std::exclusive_scan(bytes.begin(), bytes.end(), places.begin(), std::int64_t{0});
  for (CallSide* const side : {&any.call.send, &any.call.recv}) {
    // An irregular call needs an irregular one: in a regular call a family knows the sizes that the others send.
    if (!(side == &any.call.send ? checked.call.send : checked.call.recv).regular)
      *side = CallSide::alltoallv(side->side, nullptr, bytes.data(), places.data(), any.type);
  }
  const CheckedCall checked_any(any.call, checked.pattern, type_probe());
  return family.choose(checked_any, CallShapes(checked_any), settings);
}

/// Makes an operation for blocks of any sizes and places from a schedule for regular blocks of `block_bytes` bytes;
/// null if that does not move each block by itself.
std::unique_ptr<Operation> make_for_any_places(CollectiveFamily& family, const CheckedCall& checked, Chosen chosen,
                                               std::int64_t block_bytes, const Settings& settings) {
  if (!ScaledSchedule::is_of_single_blocks(*chosen.schedule, block_bytes)) return nullptr;
  // The offset of a task divided by block_bytes is the number of its block.
  auto scaled = std::make_unique<ScaledSchedule>(*chosen.schedule, block_bytes);
  chosen.schedule = scaled->schedule();
  const auto block_in = [](const std::vector<PlacedBlock>& blocks, int i) {
    const PlacedBlock& block = blocks[static_cast<std::size_t>(i)];
    return UserBlock{block.begin, Layout::contiguous(block.bytes)};
  };
  UserBlocks blocks{checked.received_blocks(), checked.sent_blocks(),
                    [block_in, &scaled = *scaled](int i) { return block_in(scaled.received(), i); },
                    [block_in, &scaled = *scaled](int i) { return block_in(scaled.sent(), i); }};
  CallState& calls = family.calls();
  const char* const name = checked.call.name;
  std::unique_ptr<Operation> operation = make_operation(name, logged(name, calls, std::move(chosen)), std::move(blocks),
                                                        {calls.tags().comm(), 0}, family.progress(settings), false);
  operation->use_lanes(calls.on()->lanes(), std::move(scaled));
  return operation;
}

std::unique_ptr<Operation> start_placed(std::unique_ptr<Operation> operation, CallState& calls, const Call& call,
                                        const PlacedCalls& placed, PlacedCalls::Kind& kind) {
  placed.count_start(kind, operation->place(placed.sent(), placed.received()));
  operation->pool = kind.pool;
  start_idle(calls, buffers_of(call), *operation, 0);
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
  if (family.calls().changing(settings) == nullptr || settings.learn != 0 || settings.seed == Seed::calls) return {};
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
  // One operation serves blocks of different sizes only if each of them is a message by itself.
  if (is_irregular(checked.call) && taken->name != "direct") return {};
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
  CallState::ChangingCalls* const changing = calls.changing(settings);
  if (changing == nullptr) return nullptr;
  const ScaledCalls::Found found = changing->scaled.find(call, calls.on()->size());
  if (found.pool == nullptr) return nullptr;
  std::unique_ptr<Operation> operation = (*found.pool)->take();
  if (operation == nullptr) return nullptr;
  return start_scaled(std::move(operation), calls, call, *found.pool, found.block_bytes);
}

std::unique_ptr<Operation> start_first_of_class(CollectiveFamily& family, const CheckedCall& checked,
                                                const PlanOfClass& plan, const Settings& settings) {
  const Schedule& schedule = *plan.chosen->schedule;
  if (is_irregular(checked.call)) return nullptr;
  if (is_looked_at() || !has_basic_types(checked) || !ScaledSchedule::is_possible(schedule, plan.largest))
    return nullptr;
  const CallShapes shapes(checked);
  check_sizes(checked, shapes);
  check_buffers(checked.call, shapes);
  check_host_buffers(checked);
  CallState& calls = family.calls();
  constexpr std::int64_t kOfOperation = 4096;
  const auto tasks = static_cast<std::int64_t>(schedule.tasks().size() * 2 * sizeof(Task));
  const std::shared_ptr<OperationPool> pool = calls.changing(settings)->scaled.pool_for(
      checked.call, plan.block_bytes, schedule.scratch_bytes() + tasks + kOfOperation);
  if (pool == nullptr) return nullptr;
  return start_scaled(make_for_any_size(checked, calls, plan, family.progress(settings)), calls, checked.call, pool,
                      plan.block_bytes);
}

std::unique_ptr<Operation> start_at_any_places(CallState& calls, const Call& call, const Settings& settings) {
  CallState::ChangingCalls* const changing = calls.changing(settings);
  if (changing == nullptr) return nullptr;
  PlacedCalls& placed = changing->placed;
  PlacedCalls::Kind* const kind = placed.find(call);
  if (kind == nullptr) return nullptr;
  check_host_memory(call.send.buffer, "sendbuf");
  check_host_memory(call.recv.buffer, "recvbuf");
  std::unique_ptr<Operation> operation = kind->pool->take();
  while (operation != nullptr && !operation->has_room_for(placed.received())) {
    placed.count_dropped(*kind, operation->execution().schedule().scratch_bytes());
    operation = kind->pool->take();
  }
  if (operation == nullptr) return nullptr;
  if (kind->repeated >= PlacedCalls::kRepetitions && operation->has_places(placed.sent(), placed.received())) {
    kind->pool->give(std::move(operation));
    kind->declined = true;
    return nullptr;
  }
  return start_placed(std::move(operation), calls, call, placed, *kind);
}

std::unique_ptr<Operation> start_first_at_any_places(CollectiveFamily& family, const CheckedCall& checked,
                                                     const PlanOfClass& plan, const Settings& settings) {
  CallState& calls = family.calls();
  const bool by_class = plan && is_irregular(checked.call);
  CallState::ChangingCalls* const changing = calls.changing(settings);
  if ((!by_class && !family.has_a_message_for_each_block(checked.call)) || changing == nullptr || is_looked_at() ||
      settings.learn != 0 || settings.seed == Seed::calls || !has_basic_types(checked) || !calls.on()->own()->made())
    return nullptr;
  const auto size_of = [](const SideLayouts& layouts) {
    if (layouts.empty()) return std::int64_t{1};  // there are no blocks
    return layouts[0] == nullptr ? 0 : layouts[0]->size();
  };
  const std::int64_t sent = size_of(checked.send_layouts);
  const std::int64_t received = size_of(checked.recv_layouts);
  if (sent == 0 || received == 0) return nullptr;
  PlacedCalls& placed = changing->placed;
  PlacedCalls::Kind* const kind = placed.count_build(checked.call, checked.pattern, sent, received);
  if (kind == nullptr) return nullptr;
  check_host_buffers(checked);
  Chosen chosen = by_class ? *plan.chosen : choose_for_any_places(family, checked, settings);
  if (by_class) plan.tell(chosen);
  const std::int64_t scratch = chosen.schedule->scratch_bytes();
  if (!placed.has_memory_for(scratch)) return nullptr;
  std::unique_ptr<Operation> operation =
      make_for_any_places(family, checked, std::move(chosen), by_class ? plan.largest : kStandIn, settings);
  if (by_class) kind->add_class(plan.largest);
  if (operation == nullptr) {
    kind->operations = PlacedCalls::kMostOperations;
    return nullptr;
  }
  placed.count_made(*kind, scratch);
  if (kind->pool == nullptr) kind->pool = std::make_shared<OperationPool>();
  return start_placed(std::move(operation), calls, checked.call, placed, *kind);
}

}  // namespace rondo::internal
