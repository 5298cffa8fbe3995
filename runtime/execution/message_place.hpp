/// @file
/// MessagePlace: one end of a message in this process's memory.
#ifndef RONDO_RUNTIME_EXECUTION_MESSAGE_PLACE_HPP
#define RONDO_RUNTIME_EXECUTION_MESSAGE_PLACE_HPP

#include "datatypes/layout/layout.hpp"
#include "runtime/execution/execution.hpp"

#include <cstddef>
#include <cstdint>

namespace rondo::internal {

/// The address at which a message begins, and its layout from that address if it is not in one piece.
struct MessagePlace {
  MessagePlace(const Execution& execution, const Message& message) : address(message.address) {
    const Layout* scattered = execution.layout_of(message);
    if (scattered == nullptr) return;
    if (address != nullptr) {
      layout = *scattered;
    } else {  // absolute addresses: the layout begins at the first of them
      const std::int64_t first = scattered->true_begin();
      address = reinterpret_cast<std::byte*>(static_cast<std::intptr_t>(first));
      layout.append(*scattered, -first);
    }
    is_scattered = true;
  }
  std::byte* address;
  Layout layout;
  bool is_scattered = false;
};

}  // namespace rondo::internal

#endif
