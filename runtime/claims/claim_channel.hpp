/// @file
/// ClaimChannel: one end of a message that either of its two ends may copy.
#ifndef RONDO_RUNTIME_CLAIMS_CLAIM_CHANNEL_HPP
#define RONDO_RUNTIME_CLAIMS_CLAIM_CHANNEL_HPP

#include "datatypes/copying/copy_run.hpp"
#include "runtime/shared_memory/claim.hpp"

#include <cstddef>
#include <span>
#include <type_traits>

namespace rondo::internal {

/// This rank's end of a message that lies in allocated arrays at both ends. One end copies it, usually the end that
/// arrives second.
struct ClaimChannel {
  ClaimEnd<> end;
  const std::byte* source;
  std::byte* target;
  std::span<const CopyRun> program;
};
static_assert(std::is_trivially_copyable_v<ClaimChannel>);

}  // namespace rondo::internal

#endif
