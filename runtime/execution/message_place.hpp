/// @file
/// MessagePlace: one end of a message in this process's memory.
#ifndef RONDO_RUNTIME_EXECUTION_MESSAGE_PLACE_HPP
#define RONDO_RUNTIME_EXECUTION_MESSAGE_PLACE_HPP

#include "datatypes/layout/layout.hpp"
#include "runtime/execution/execution.hpp"

#include <cstddef>
#include <cstdint>

namespace rondo::internal {

/// Where it begins, and its layout from there if it is not one piece.
struct MessagePlace {
  MessagePlace(const Execution& execution, const Message& message) : address(message.address) {
    const Layout* scattered = execution.layout_of(message);
    if (scattered == nullptr) return;
    if (address != nullptr) {
      layout = *scattered;
    } else {  // absolute addresses: from the first of them on
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
