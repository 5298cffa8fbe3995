#include "collectives/calls/cached_calls.hpp"

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/blocks/user_blocks.hpp"
#include "collectives/calls/host_buffers.hpp"
#include "collectives/comm_state/agreement.hpp"

#include <utility>

namespace rondo::internal {

CacheKey key_of(const CollectiveFamily& family, const CheckedCall& checked, const Settings& settings) {
  CacheKey key{checked.key(), 0};
  key.fingerprint = key.words.size();
  key.words.push_back(static_cast<std::int64_t>(settings.fingerprint()));
  key.words.push_back(static_cast<std::int64_t>(settings.progress));
  family.append_key(settings, key.words);
  return key;
}

CachedSchedule& cached_schedule(CollectiveFamily& family, const CheckedCall& checked,
                                std::shared_ptr<const CallShapes> shapes, const Settings& settings,
                                std::vector<std::int64_t> key) {
  CallState& calls = family.calls();
  if (CachedSchedule* found = calls.cache().find(key)) return *found;
  if (shapes == nullptr) {
    shapes = std::make_shared<const CallShapes>(checked);
    check_sizes(checked, *shapes);
    check_host_buffers(checked);
  }
  family.take_as_known(checked, *shapes, settings);
  CachedSchedule entry;
  entry.key = std::move(key);
  entry.send_layouts = checked.send_layouts;
  entry.recv_layouts = checked.recv_layouts;
  entry.send_range = range_of(shapes->send);
  entry.recv_range = range_of(shapes->recv);
  entry.chosen = logged(checked.call.name, calls, family.choose(checked, *shapes, settings));
  entry.blocks = user_blocks(std::move(shapes), checked.call.reduces(), checked.call.sends_one_block());
  return calls.cache().add(std::move(entry));
}

void check_buffers_again(const CheckedCall& checked, CachedSchedule& entry) {
  const Call& call = checked.call;
  if (call.describes_sent()) check_buffer(call.sent(), entry.send_range);
  check_buffer(call.recv, entry.recv_range);
  if (call.in_place()) return;
  check_disjoint(entry, call.send.buffer, call.recv.buffer, [&] {
    const CallShapes shapes(checked);
    check_aliases(call.send, shapes.send, call.recv, shapes.recv);
  });
}

bool may_be_remembered(CallState& calls, const Call& call, const Settings& settings) {
  if (call.reduces() && !reduction::is_predefined_op(call.op)) return false;
  return &settings == &calls.settings() && settings.seed != Seed::calls && calls.on()->own()->made();
}

void remember(CallState& calls, const CheckedCall& checked, RecentPools pools) noexcept {
  static_cast<void>(trouble_in([&] {
    calls.recent().remember(checked.call, {checked.sent_blocks(), checked.existing_targets(), checked.send_layouts},
                            {checked.received_blocks(), checked.existing_sources(), checked.recv_layouts},
                            std::move(pools));
  }));
}

}  // namespace rondo::internal
