/// @file
/// Counts the bytes that a call sends, for the report.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_CALL_SIZES_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_CALL_SIZES_HPP

#include "collectives/blocks/call_side.hpp"

#include <cstdint>

namespace rondo::internal::plugin {

/// Returns the bytes of all `blocks` blocks of a side; 0 if no report is wanted. Arguments need not be right.
[[nodiscard]] std::int64_t bytes_of(const CallSide& side, int blocks) noexcept;

}  // namespace rondo::internal::plugin

#endif
