#include "collectives/calls/call_to_operation.hpp"

#include <rondo/error.hpp>

#include "collectives/agreement/sizes_at_both_ends.hpp"
#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/binding/learning_operation.hpp"
#include "collectives/binding/make_operation.hpp"
#include "collectives/blocks/type_probe.hpp"
#include "collectives/calls/cached_calls.hpp"
#include "collectives/calls/calls_in_turn.hpp"
#include "collectives/calls/calls_of_any_size.hpp"
#include "collectives/calls/host_buffers.hpp"
#include "collectives/calls/late_call.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/selection/selection.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

/// A call's arguments after all checks that a rank can make by itself.
struct Parsed {
  std::optional<CheckedCall> checked;
  std::shared_ptr<const CallShapes> shapes;

  void parse(CollectiveFamily& family, const Call& call, const Settings& settings) {
    checked.emplace(call, family.pattern(), type_probe());
    shapes = std::make_shared<const CallShapes>(*checked);
    check_sizes(*checked, *shapes);
    check_buffers(call, *shapes);
    check_host_buffers(*checked);
    family.note(*checked, *shapes, settings);
  }
};

/// Returns whether an algorithm of the user's own will run. All ranks find the same.
bool runs_offer(const Chosen& chosen) {
  return !chosen.candidates.empty() && chosen.candidates.front().prediction.phases == kNotCounted;
}

/// Compares the sizes that blocks have at their two ends. Collective. Throws Error (MPI_ERR_TRUNCATE) on all ranks
/// alike if a block is not as long as what is sent to it.
void compare_sizes(CollectiveFamily& family, const CallShapes& shapes) {
  const CommState& on = *family.calls().on();
  std::unique_ptr<SizesAtBothEnds> sizes;
  const std::exception_ptr trouble = trouble_in([&] {
    OtherEnds ends = family.other_ends();
    std::vector<std::int64_t> received;
    std::vector<std::int64_t> sent;
    const std::vector<BlockShape>& from = shapes.send.blocks;
    for (std::size_t i = 0; i < ends.sources.size(); ++i) received.push_back(shapes.recv.blocks[i].layout->size());
    for (std::size_t i = 0; i < ends.targets.size(); ++i) sent.push_back(from[from.size() == 1 ? 0 : i].layout->size());
    sizes = std::make_unique<SizesAtBothEnds>(std::move(ends.sources), std::move(ends.targets), std::move(received),
                                              std::move(sent));
  });
  agree_that_all_is_well(trouble, on.comm());
  TagSpace& tags = family.calls().tags();
  const int tag = tags.next_nonblocking(1);
  tags.take_nonblocking(tag, 1);
  SizesAtBothEnds::compare(std::move(sizes), on.comm(), tag);
}

}  // namespace

[[gnu::hot]] std::unique_ptr<Operation> start_again(CallState& calls, const Call& call, const Settings& settings,
                                                    MpisTurn* mpis) {
  return named(call.name, [&]() -> std::unique_ptr<Operation> {
    const std::scoped_lock lock(calls.mutex());
    if (std::unique_ptr<Operation> operation = start_at_any_size(calls, call, settings)) return operation;
    RecentPools* const known = &settings == &calls.settings() ? calls.recent().find(call) : nullptr;
    if (known == nullptr) return start_at_any_places(calls, call, settings);
    if (known->turns != nullptr || known->mpis) [[unlikely]]
      return start_in_turn_again(calls, call, *known, mpis);
    return start_idle_of(known->pool, calls, buffers_of(call), known->tags);
  });
}

std::unique_ptr<Operation> start_collective(CollectiveFamily& family, const Call& call, const Settings& settings) {
  return named(call.name, [&]() -> std::unique_ptr<Operation> {
    const std::scoped_lock lock(family.calls().mutex());
    Learning waits_for_nothing;
    if (takes_turns(family, call, settings))
      return start_in_turn(family, call, learning::FormOfCall::nonblocking, waits_for_nothing);
    family.calls().on()->own()->require_usable();
    const CheckedCall checked(call, family.pattern(), type_probe());
    std::optional<Settings> by_plan;
    const PlanOfClass plan = plan_of_class(family, checked, settings);
    if (plan) {
      if (std::unique_ptr<Operation> operation = start_first_of_class(family, checked, plan, settings))
        return operation;
      by_plan.emplace(settings);
      by_plan->force(name_of_plan(plan.chosen->algorithm, plan.chosen->plan));
    }
    const Settings& used = by_plan ? *by_plan : settings;
    std::vector<std::int64_t> key = key_of(family, checked, used).words;
    CachedSchedule* found = family.calls().cache().find(key);
    if (found == nullptr) {
      if (std::unique_ptr<Operation> operation = start_first_at_any_places(family, checked, plan, settings))
        return operation;
      found = &cached_schedule(family, checked, nullptr, used, std::move(key));
    }
    CachedSchedule& entry = *found;
    check_buffers_again(checked, entry);
    if (plan && !std::exchange(entry.is_told, true)) {
      auto told = std::make_shared<Chosen>(*entry.chosen);
      plan.tell(*told);
      entry.chosen = std::move(told);
    }
    CallState& calls = family.calls();
    Started started = start_cached(call.name, calls, entry, buffers_of(call), family.progress(settings));
    if (started.repeated && may_be_remembered(calls, call, settings)) remember(calls, checked, {.pool = entry.pool});
    return std::move(started.operation);
  });
}

std::unique_ptr<Operation> ask_and_start(CollectiveFamily& family, const Call& call, const Settings& settings) {
  return named(call.name, [&] {
    const std::scoped_lock lock(family.calls().mutex());
    family.calls().on()->own()->require_usable();
    const Making making(call.name);
    Parsed parsed;
    const std::exception_ptr trouble = trouble_in([&] { parsed.parse(family, call, settings); });
    family.wait_for_earlier_calls();
    family.ask(call, settings, trouble);
    CallState& calls = family.calls();
    const Buffers buffers = buffers_of(call);
    std::unique_ptr<Operation> operation;
    // A receive block of a wrong size is found here. No rank may start unless all do, so all memory is taken here, too.
    const std::exception_ptr misfit = trouble_in([&] {
      // Not const: GCC 14 would take it for a reference to a temporary.
      CachedSchedule& entry = cached_schedule(family, *parsed.checked, parsed.shapes, settings);
      IdleOperation idle = idle_or_new(call.name, calls, entry, family.progress(settings));
      operation = std::move(idle.operation);
      operation->pool = std::move(idle.pool);
      operation->execution().bind(buffers.send, buffers.recv);
    });
    agree_that_all_is_well(misfit, calls.on()->comm());
    start_idle(calls, buffers, *operation, 0);
    return operation;
  });
}

std::unique_ptr<Operation> init_collective(CollectiveFamily& family, const Call& call, const Asked& asked,
                                           std::exception_ptr trouble) {
  return named(call.name, [&] {
    CallState& calls = family.calls();
    const std::scoped_lock lock(calls.mutex());
    calls.on()->own()->require_usable();
    const Making making(call.name);
    const MPI_Comm comm = calls.on()->comm();

    // Parse: what can fail on one rank alone comes before the ranks exchange whether it did.
    Settings settings;
    settings.take_assertions(calls.settings(), asked);
    Parsed parsed;
    if (!trouble) {
      trouble = trouble_in([&] {
        settings = calls.settings();
        settings.take(asked, comm);
        parsed.parse(family, call, settings);
        calls.tags().prepare_room(family.most_tags());
      });
    }

    // Agree.
    family.wait_for_earlier_calls();
    const bool asks = family.asks(settings);
    settings.through_slots = asks && calls.on()->counts_on_slots();
    settings.through_mpi = !settings.through_slots && calls.on()->counts_on_lanes();
    if (asks) {
      family.ask(call, settings, trouble);
    } else {
      if (trouble) std::rethrow_exception(trouble);
      family.take_as_known(*parsed.checked, *parsed.shapes, settings);
    }

    // Take the schedule from the cache or build it, and bind it.
    calls.tags().make_room(family.most_tags());
    std::shared_ptr<const Chosen> chosen;
    const auto make = [&](const Settings& by) {
      std::unique_ptr<Operation> operation;
      const std::exception_ptr misfit = trouble_in([&] {
        // Not const: GCC 14 would take it for a reference to a temporary.
        CachedSchedule& entry = cached_schedule(family, *parsed.checked, parsed.shapes, by);
        chosen = entry.chosen;
        operation =
            bind_persistent(call.name, calls, chosen, entry.blocks, buffers_of(call), by, asks, family.progress(by));
      });
      const auto prove = [&](bool messages_match) {
        if (!messages_match && runs_offer(*chosen)) {
          throw Error(MPI_ERR_ARG, "algorithm " + chosen->algorithm +
                                       ": the messages of the ranks do not match; RONDO_CHECK=1, or check() of "
                                       "lowering_of(), tells which");
        }
        if (!messages_match && !by.check) compare_sizes(family, *parsed.shapes);
        if (by.check) check_at_init(operation->execution().schedule(), *parsed.checked, family.arrivals(call), comm);
      };
      settle(misfit, asks, operation, calls, by, std::ref(prove));
      calls.tags().take_persistent(operation->execution().schedule().tags());
      return operation;
    };
    std::unique_ptr<Operation> operation = make(settings);
    if (settings.learn != 0 && asks && family.may_learn(call)) {
      const std::shared_ptr<const Chosen> first = chosen;
      const auto choose = [&](const Settings& by) {
        return cached_schedule(family, *parsed.checked, parsed.shapes, by).chosen;
      };
      // A user's function keeps to its threads. A copy of the settings would take memory, which is not allowed here.
      if (call.reduces() && !reduction::is_predefined_op(call.op)) settings.progress = operation->progress();
      operation = learn_from(std::move(operation), first, calls, settings, family.most_tags(), std::ref(make),
                             std::cref(choose));
    }
    calls.count_call();
    return operation;
  });
}

}  // namespace rondo::internal
