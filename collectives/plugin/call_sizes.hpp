/// @file
/// How much a call sends, for the report.
#ifndef RONDO_COLLECTIVES_PLUGIN_CALL_SIZES_HPP
#define RONDO_COLLECTIVES_PLUGIN_CALL_SIZES_HPP

#include "collectives/cart_call.hpp"

#include <cstdint>

namespace rondo::plugin {

/// Bytes of all `blocks` blocks of a side; 0 where nobody wants a report. Arguments need not be right.
[[nodiscard]] std::int64_t sent_bytes(const CallSide& side, int blocks) noexcept;

}  // namespace rondo::plugin

#endif
