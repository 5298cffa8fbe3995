#include "collectives/operations/halo_exchange.hpp"

#include "collectives/agreement/halo_agreement.hpp"
#include "collectives/binding/learning_operation.hpp"
#include "collectives/binding/make_operation.hpp"
#include "collectives/blocks/handle_word.hpp"
#include "collectives/blocks/type_probe.hpp"
#include "collectives/calls/blocking_call.hpp"
#include "collectives/calls/calls_in_turn.hpp"
#include "collectives/calls/host_buffers.hpp"
#include "collectives/calls/late_call.hpp"
#include "collectives/calls/timed_call.hpp"
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/halo/algorithms.hpp"
#include "collectives/halo/user_blocks.hpp"
#include "collectives/proof/check_halo_at_init.hpp"
#include "collectives/settings/algorithm_names.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

namespace rondo::internal {
namespace {

using learning::FormOfCall;
using learning::LearningCalls;

/// Returns an upper bound of a schedule's tags: one for each round, which brings at least one direction, or those of
/// carriers and one for messages that stay on a node.
std::uint32_t most_tags(const halo::Bundle& arrays) {
  const halo::Shape& hull = arrays.hull();
  std::uint32_t directions = 1;
  for (int axis = 0; axis < hull.axes(); ++axis) directions *= hull[axis].low > 0 || hull[axis].high > 0 ? 3 : 1;
  return std::max(directions, 1 + kCarriedTags);
}

/// Appends everything that a call says of an array to `words`. Returns true, or false if not all of it can be read.
bool write_down(const HaloCallArray& array, std::vector<std::int64_t>& words) {
  const auto has_all = [&](std::int64_t entries) { return entries == -1 || entries == array.axes; };
  const bool strided = array.strides != nullptr;
  if (array.axes < 0 || !has_all(array.depths) || (strided && !has_all(array.stride_entries)) ||
      array.sizes == nullptr || !array.low || !array.high)
    return false;
  for (const std::int64_t word :
       {handle_word(array.data), handle_word(array.element), std::int64_t{array.axes},
        static_cast<std::int64_t>(array.order), array.elements, std::int64_t{strided ? 1 : 0}})
    words.push_back(word);
  for (int axis = 0; axis < array.axes; ++axis) {
    words.push_back(array.sizes[axis]);
    words.push_back(array.low[axis]);
    words.push_back(array.high[axis]);
    if (strided) words.push_back(array.strides[axis]);
  }
  return true;
}

/// Writes everything that a call says to `words`. Returns true, or false (the call is checked) if not all can be read.
bool write_down(const HaloCall& call, std::vector<std::int64_t>& words) {
  words.clear();
  words.push_back(handle_word(call.name));
  words.push_back(static_cast<std::int64_t>(call.stencil));
  return std::ranges::all_of(call.arrays, [&](const HaloCallArray& array) { return write_down(array, words); });
}

/// Returns the key of a cached schedule. No key of a call of blocks begins like this one.
std::vector<std::int64_t> key_of_halo(const halo::Bundle& arrays, const Settings& settings) {
  constexpr std::int64_t kHalo = -1;
  std::vector<std::int64_t> key{kHalo, static_cast<std::int64_t>(settings.fingerprint()),
                                static_cast<std::int64_t>(settings.progress)};
  for (const auto& [shape, offset] : arrays.arrays()) {
    for (const std::int64_t word :
         {offset, handle_word(shape->shared_element().get()), static_cast<std::int64_t>(shape->order()),
          static_cast<std::int64_t>(shape->stencil()), std::int64_t{shape->axes()}})
      key.push_back(word);
    for (int axis = 0; axis < shape->axes(); ++axis) {
      key.push_back((*shape)[axis].inside);
      key.push_back((*shape)[axis].low);
      key.push_back((*shape)[axis].high);
      key.push_back(shape->stride(axis));
    }
  }
  return key;
}

/// Returns the schedule of a call for which the ranks exchange nothing, from the cache if an equal call was made
/// before. Local. Throws Error and std::bad_alloc before anything is taken.
CachedSchedule& cached_halo_schedule(const HaloCall& call, const std::shared_ptr<const halo::Bundle>& arrays,
                                     NeighborhoodContext& context, const Settings& settings) {
  CallState& calls = context.calls();
  std::vector<std::int64_t> key = key_of_halo(*arrays, settings);
  if (CachedSchedule* found = calls.cache().find(key)) return *found;
  check_host_buffers(call);
  const std::unique_ptr<const halo::Bundle> assumed = assumed_arrays(context.grid(), *arrays);
  const halo::Problem problem{context.grid(), *arrays, *assumed, calls.costs(settings), settings.ports, context.near()};
  CachedSchedule entry;
  entry.key = std::move(key);
  for (const halo::PlacedShape& array : arrays->arrays()) entry.recv_layouts.push_back(array.shape->shared_element());
  entry.chosen = logged(call.name, calls,
                        halo::choose(problem, settings.algorithm_of(kHaloKind), settings.ordering, settings.messages));
  entry.blocks = halo::user_blocks(arrays);
  return calls.cache().add(std::move(entry));
}

/// Starts a call that write_down() has written down if an equal one is remembered; otherwise returns null.
std::unique_ptr<Operation> start_recent_halo(const HaloCall& call, CallState& calls) {
  const KnownPool* known = calls.recent_halos().find();
  return known == nullptr ? nullptr : start_idle_of(known->pool, calls, {nullptr, base_of(call)}, known->tags);
}

/// Lets equal calls reuse the operations of this one. A call that cannot be remembered is looked up in the cache.
void remember_halo(const HaloCall& call, CallState& calls, const halo::Bundle& arrays,
                   const KnownPool& known) noexcept {
  static_cast<void>(trouble_in([&] {
    std::vector<WordsType> types;
    for (std::size_t i = 0; i < call.arrays.size(); ++i)
      types.push_back({call.arrays[i].element, arrays.arrays()[i].shape->shared_element()});
    calls.recent_halos().remember(std::move(types), known);
  }));
}

/// Returns the bytes of this rank's halos, corners included.
std::int64_t halo_bytes(const halo::Bundle& arrays) {
  std::int64_t bytes = 0;
  for (const auto& [shape, offset] : arrays.arrays()) {
    std::int64_t whole = shape->element().size();
    std::int64_t inside = whole;
    for (int axis = 0; axis < shape->axes(); ++axis) {
      const halo::Axis& its = (*shape)[axis];
      whole *= its.low + its.inside + its.high;
      inside *= its.inside;
    }
    bytes += whole - inside;
  }
  return bytes;
}

/// A call for which the ranks exchange nothing, and which may learn.
class HaloInTurn {
 public:
  /// Checks the call's arguments.
  HaloInTurn(const HaloCall& call, NeighborhoodContext& context)
      : call_(call),
        context_(context),
        calls_(context.calls()),
        arrays_(check_halo_call(call, context.grid(), type_probe())),
        bytes_(halo_bytes(*arrays_)) {}

  [[nodiscard]] const halo::Bundle& arrays() const noexcept { return *arrays_; }
  [[nodiscard]] Buffers buffers() const noexcept { return {nullptr, base_of(call_)}; }
  /// Returns the bytes of this rank's halos.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  /// Returns the schedule of a candidate. Candidate 0 is the one that the model chooses.
  [[nodiscard]] CachedSchedule& schedule_of(std::size_t plan, const LearningCalls* learning) {
    if (plan == 0) return cached_halo_schedule(call_, arrays_, context_, calls_.settings());
    Settings of_plan = calls_.settings();
    of_plan.force(learning->name_of(plan));
    return cached_halo_schedule(call_, arrays_, context_, of_plan);
  }
  /// Returns the learning state of this form of call, or null if there is nothing to learn. Calls for which the same
  /// arrays were assumed are one problem.
  [[nodiscard]] std::shared_ptr<LearningCalls> learning(FormOfCall form) {
    CachedSchedule& entry = schedule_of(0, nullptr);
    auto& known = entry.learning[static_cast<std::size_t>(form)];
    if (!known) {
      known = learning_of(form, "halo exchange", *entry.chosen, calls_, calls_.settings(), MpisOwn::is_not_to_be_had,
                          ", " + std::to_string(bytes_) + " bytes on rank 0");
    }
    return *known;
  }
  /// Returns the tags of a call while candidates are tried; 0 for a blocking call.
  [[nodiscard]] std::uint32_t tags(FormOfCall form, const LearningCalls& learning) {
    if (form == FormOfCall::blocking) return 0;
    return tags_of_turns(learning, [&](std::size_t plan) -> CachedSchedule& { return schedule_of(plan, &learning); });
  }
  /// Starts a nonblocking call whose candidate is not known yet.
  [[nodiscard]] std::unique_ptr<Operation> start_late(const std::shared_ptr<LearningCalls>& learning,
                                                      std::unique_ptr<TimedCall> timed) {
    const ProgressMode progress = calls_.settings().progress;
    const std::uint32_t most_of_a_plan = tags(FormOfCall::nonblocking, *learning);
    const CachedSchedule& first = schedule_of(0, nullptr);
    const auto idle_of = [&](std::size_t plan) {
      IdleOperation idle = idle_or_new(call_.name, calls_, schedule_of(plan, learning.get()), progress);
      explain_in_turn(*idle.operation, first.chosen, learning);
      return idle;
    };
    return internal::start_late(calls_, {call_.name, buffers(), first.blocks, progress, most_of_a_plan}, *learning,
                                std::move(timed), std::ref(idle_of));
  }

 private:
  const HaloCall& call_;
  NeighborhoodContext& context_;
  CallState& calls_;
  std::shared_ptr<const halo::Bundle> arrays_;
  std::int64_t bytes_;
};

/// Starts a call that may learn, by the candidate that the model chooses or that is due to be tried. While that is not
/// known, a blocking call gets no operation, and sets `waits_for`; a nonblocking call gets an operation that begins
/// once it is known.
std::unique_ptr<Operation> start_halo_in_turn(const HaloCall& call, NeighborhoodContext& context, FormOfCall form,
                                              Learning& waits_for) {
  CallState& calls = context.calls();
  calls.on()->own()->require_usable();
  const Settings& settings = calls.settings();
  // Only calls whose trials are over are remembered.
  const bool written = write_down(call, calls.recent_halos().words());
  if (written) {
    if (std::unique_ptr<Operation> operation = start_recent_halo(call, calls)) return operation;
  }
  HaloInTurn in_turn(call, context);
  const std::shared_ptr<LearningCalls> learning = in_turn.learning(form);
  std::unique_ptr<TimedCall> timed;
  std::shared_ptr<const Chosen> compared;
  std::uint32_t tags = 0;
  std::size_t plan = 0;
  if (learning != nullptr) {
    timed = std::make_unique<TimedCall>(learning);
    learning->is_about(in_turn.bytes());
    const std::optional<std::size_t> known = next_plan(*learning, calls, settings);
    if (!known && form == FormOfCall::nonblocking) return in_turn.start_late(learning, std::move(timed));
    if (!known) {
      waits_for = learning;
      return nullptr;
    }
    plan = *known;
    tags = in_turn.tags(form, *learning);
    compared = in_turn.schedule_of(0, nullptr).chosen;
  }
  const CachedSchedule& entry = in_turn.schedule_of(plan, learning.get());
  Started started = start_cached(call.name, calls, entry, in_turn.buffers(), settings.progress, tags);
  if (learning != nullptr) {
    TimedCall::begun(std::move(timed), *started.operation);
    if (form == FormOfCall::nonblocking) explain_in_turn(*started.operation, compared, learning);
  }
  const bool is_settled = learning == nullptr || learning->over();
  if (written && started.repeated && is_settled && calls.on()->own()->made())
    remember_halo(call, calls, in_turn.arrays(), {entry.pool, tags});
  return std::move(started.operation);
}

}  // namespace

void run_halo(const HaloCall& call, NeighborhoodContext& context) {
  if (context.calls().settings().learn == 0) {
    finish_blocking(start_halo(call, context));
    return;
  }
  const auto start = [&](Learning& waits_for) {
    return start_halo_in_turn(call, context, FormOfCall::blocking, waits_for);
  };
  finish_blocking(start_when_plan_is_known(call.name, context.calls(), start));
}

std::unique_ptr<Operation> start_halo(const HaloCall& call, NeighborhoodContext& context) {
  return named(call.name, [&] {
    CallState& calls = context.calls();
    const std::scoped_lock lock(calls.mutex());
    Learning waits_for_nothing;
    if (calls.settings().learn != 0)
      return start_halo_in_turn(call, context, FormOfCall::nonblocking, waits_for_nothing);
    const bool written = write_down(call, calls.recent_halos().words());
    if (written) {
      if (std::unique_ptr<Operation> operation = start_recent_halo(call, calls)) return operation;
    }
    const std::shared_ptr<const halo::Bundle> arrays = check_halo_call(call, context.grid(), type_probe());
    const CachedSchedule& entry = cached_halo_schedule(call, arrays, context, calls.settings());
    Started started = start_cached(call.name, calls, entry, {nullptr, base_of(call)}, calls.settings().progress);
    if (written && started.repeated && calls.on()->own()->made())
      remember_halo(call, calls, *arrays, {.pool = entry.pool});
    return std::move(started.operation);
  });
}

/// Takes the steps of a call of blocks (call_to_operation.cpp), with arrays in place of blocks, and without a cache.
std::unique_ptr<Operation> init_halo(const HaloCall& call, NeighborhoodContext& context, const Asked& asked,
                                     std::exception_ptr trouble) {
  return named(call.name, [&] {
    CallState& calls = context.calls();
    const std::scoped_lock lock(calls.mutex());
    calls.on()->own()->require_usable();
    const Making making(call.name);
    const MPI_Comm comm = calls.on()->comm();

    // Parse.
    Settings settings;
    std::shared_ptr<const halo::Bundle> arrays;
    HaloAgreement agreement;
    if (!trouble) {
      trouble = trouble_in([&] {
        settings = calls.settings();
        settings.take(asked, comm);
        arrays = check_halo_call(call, context.grid(), type_probe());
        check_host_buffers(call);
        agreement.prepare(context.grid(), *arrays);
        calls.tags().prepare_room(most_tags(*arrays));
      });
    }

    // Agree.
    settings.through_slots = calls.on()->counts_on_slots();
    settings.through_mpi = !settings.through_slots && calls.on()->counts_on_lanes();
    agreement.agree(settings, trouble, comm);

    // Build a schedule, and bind it.
    calls.tags().make_room(most_tags(*arrays));
    const auto choose = [&](const Settings& by) {
      const std::unique_ptr<const halo::Bundle> typical = agreement.typical();
      const halo::InsideOfAll inside = agreement.inside_of_all();
      const halo::Problem problem{context.grid(),
                                  *arrays,
                                  *typical,
                                  calls.costs(by),
                                  by.ports,
                                  context.near(),
                                  context.on()->state->node_members(),
                                  &inside};
      return logged(call.name, calls, halo::choose(problem, by.algorithm_of(kHaloKind), by.ordering, by.messages));
    };
    std::shared_ptr<const Chosen> chosen;
    const auto make = [&](const Settings& by) {
      std::unique_ptr<Operation> operation;
      const std::exception_ptr misfit = trouble_in([&] {
        chosen = choose(by);
        operation = bind_persistent(call.name, calls, chosen, halo::user_blocks(arrays), {nullptr, base_of(call)}, by,
                                    true, by.progress);
      });
      const auto prove = [&](bool) {
        if (by.check) check_halo_at_init(operation->execution().schedule(), call, *arrays, context.grid(), comm);
      };
      settle(misfit, true, operation, calls, by, std::ref(prove));
      calls.tags().take_persistent(operation->execution().schedule().tags());
      return operation;
    };
    std::unique_ptr<Operation> operation = make(settings);
    if (settings.learn != 0) {
      const std::shared_ptr<const Chosen> first = chosen;
      operation = learn_from(std::move(operation), first, calls, settings, most_tags(*arrays), std::ref(make),
                             std::cref(choose));
    }
    calls.count_call();
    return operation;
  });
}

}  // namespace rondo::internal
