/// @file
/// Functions that read and write the bytes of a message, wherever in memory they lie.
#ifndef RONDO_RUNTIME_MACHINE_MESSAGE_DATA_HPP
#define RONDO_RUNTIME_MACHINE_MESSAGE_DATA_HPP

#include "runtime/execution/execution.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::machine {

/// Returns the number of bytes of a message.
[[nodiscard]] std::int64_t size_of(const Execution& execution, const Message& message);
/// Returns the number of pieces of memory in which the data of a message lie.
[[nodiscard]] std::int64_t pieces_of(const Execution& execution, const Message& message);

/// Returns a copy of the data that a send sends, packed.
[[nodiscard]] std::vector<std::byte> pack(const Execution& execution, const Message& send);
/// Writes all packed data to the memory of a receive.
void unpack(const Execution& execution, const Message& receive, std::span<const std::byte> packed);

}  // namespace rondo::internal::machine

#endif
