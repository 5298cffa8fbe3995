#include "collectives/calls/host_buffers.hpp"

#include "runtime/base/host_memory.hpp"

#include <cstddef>
#include <string>

namespace rondo::internal {
namespace {

void check_side(const CallSide& side, int blocks, ExistingBlocks existing) {
  const std::string name = std::string(side.side) + "buf";
  if (!side.addresses) {
    check_host_memory(side.buffer, name);
    return;
  }
  for (int i = 0; i < blocks; ++i) {
    if (existing.empty() || existing[static_cast<std::size_t>(i)] != 0)
      check_host_memory(side.addresses[i], name + "[" + std::to_string(i) + "]");
  }
}

}  // namespace

void check_host_buffers(const CheckedCall& checked) {
  const Call& call = checked.call;
  if (!call.in_place()) check_side(call.send, checked.sent_blocks(), checked.existing_targets());
  check_side(call.recv, checked.received_blocks(), checked.existing_sources());
}

void check_host_buffers(const HaloCall& call) {
  for (std::size_t i = 0; i < call.arrays.size(); ++i) {
    check_host_memory(call.arrays[i].data, call.is_list ? "arrays[" + std::to_string(i) + "].array" : "array");
  }
}

}  // namespace rondo::internal
