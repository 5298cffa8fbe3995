/// @file
/// The bytes of a message, wherever they lie.
#ifndef RONDO_RUNTIME_MACHINE_MESSAGE_DATA_HPP
#define RONDO_RUNTIME_MACHINE_MESSAGE_DATA_HPP

#include "runtime/execution/execution.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::machine {

/// Bytes that a message has.
[[nodiscard]] std::int64_t size_of(const Execution& execution, const Message& message);
/// Pieces that they lie in.
[[nodiscard]] std::int64_t pieces_of(const Execution& execution, const Message& message);

/// A copy of what is sent.
[[nodiscard]] std::vector<std::byte> pack(const Execution& execution, const Message& send);
/// Puts it, as many bytes as there are, where it is received.
void unpack(const Execution& execution, const Message& receive, std::span<const std::byte> packed);

}  // namespace rondo::internal::machine

#endif
