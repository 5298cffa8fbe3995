#include "collectives/operations/halo_exchange.hpp"

#include "collectives/agreement/halo_agreement.hpp"
#include "collectives/binding/learning_operation.hpp"
#include "collectives/binding/make_operation.hpp"
#include "collectives/blocks/handle_word.hpp"
#include "collectives/calls/blocking_call.hpp"
#include "collectives/calls/host_buffers.hpp"
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/type_probe.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/halo/algorithms.hpp"
#include "collectives/halo/user_blocks.hpp"
#include "collectives/proof/check_halo_at_init.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

namespace rondo::internal {
namespace {

/// As many as a schedule's at most: one for each round, which brings at least one direction, or those of carriers and
/// one for what stays on a node.
std::uint32_t most_tags(const halo::Bundle& arrays) {
  const halo::Shape& hull = arrays.hull();
  std::uint32_t directions = 1;
  for (int axis = 0; axis < hull.axes(); ++axis) directions *= hull[axis].low > 0 || hull[axis].high > 0 ? 3 : 1;
  return std::max(directions, 1 + kCarriedTags);
}

/// Writes down everything that is said of an array; false where not all of it can be read.
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

/// Writes down everything that a call says; false, and it is to be checked, where not all of it can be read.
bool write_down(const HaloCall& call, std::vector<std::int64_t>& words) {
  words.clear();
  words.push_back(handle_word(call.name));
  words.push_back(static_cast<std::int64_t>(call.stencil));
  return std::ranges::all_of(call.arrays, [&](const HaloCallArray& array) { return write_down(array, words); });
}

/// Of a cached schedule; no call of blocks has a key that begins so.
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

/// The schedule of a call of which the ranks have told each other nothing, from the cache when the same call was made
/// before.
CachedSchedule& cached_halo_schedule(const HaloCall& call, const std::shared_ptr<const halo::Bundle>& arrays,
                                     NeighborhoodContext& context) {
  CallState& calls = context.calls();
  const Settings& settings = calls.settings();
  std::vector<std::int64_t> key = key_of_halo(*arrays, settings);
  if (CachedSchedule* found = calls.cache().find(key)) return *found;
  check_host_buffers(call);
  const std::unique_ptr<const halo::Bundle> assumed = assumed_arrays(context.grid(), *arrays);
  const halo::Problem problem{context.grid(), *arrays, *assumed, calls.costs(settings), settings.ports, context.near()};
  CachedSchedule entry;
  entry.key = std::move(key);
  for (const halo::PlacedShape& array : arrays->arrays()) entry.recv_layouts.push_back(array.shape->shared_element());
  entry.chosen =
      logged(call.name, calls, halo::choose(problem, settings.algorithm, settings.ordering, settings.messages));
  entry.blocks = halo::user_blocks(arrays);
  return calls.cache().add(std::move(entry));
}

}  // namespace

void run_halo(const HaloCall& call, NeighborhoodContext& context) { finish_blocking(start_halo(call, context)); }

std::unique_ptr<Operation> start_halo(const HaloCall& call, NeighborhoodContext& context) {
  return named(call.name, [&] {
    CallState& calls = context.calls();
    const std::scoped_lock lock(calls.mutex());
    RecentWords& recent = calls.recent_halos();
    const Buffers buffers{nullptr, base_of(call)};
    const bool written = write_down(call, recent.words());
    if (written) {
      // What follows, at once, for a call that was lately made with equal arguments.
      if (const std::shared_ptr<OperationPool>* pool = recent.find()) {
        if (std::unique_ptr<Operation> operation = start_idle_of(*pool, calls, buffers, 0)) return operation;
      }
    }
    const std::shared_ptr<const halo::Bundle> arrays = check_halo_call(call, context.grid(), type_probe());
    const CachedSchedule& entry = cached_halo_schedule(call, arrays, context);
    Started started = start_cached(call.name, calls, entry, buffers, calls.settings().progress);
    if (written && started.repeated && calls.on()->own()->made()) {
      // What cannot be remembered is looked up again.
      static_cast<void>(trouble_in([&] {
        std::vector<WordsType> types;
        for (std::size_t i = 0; i < call.arrays.size(); ++i)
          types.push_back({call.arrays[i].element, arrays->arrays()[i].shape->shared_element()});
        recent.remember(std::move(types), entry.pool);
      }));
    }
    return std::move(started.operation);
  });
}

/// The same way as that of a call of blocks (call_to_operation.cpp), with arrays in place of blocks and no cache.
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
        settings.take(asked);
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
      return logged(call.name, calls, halo::choose(problem, by.algorithm, by.ordering, by.messages));
    };
    std::shared_ptr<const Chosen> chosen;
    const auto make = [&](const Settings& by) {
      std::unique_ptr<Operation> operation;
      const std::exception_ptr misfit = trouble_in([&] {
        chosen = choose(by);
        operation = bind_persistent(call.name, calls, chosen, halo::user_blocks(arrays), {nullptr, base_of(call)}, by,
                                    true, by.progress);
      });
      const auto prove = [&] {
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
