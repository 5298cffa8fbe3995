#include "runtime/machine/message_data.hpp"

#include <algorithm>

namespace rondo::internal::machine {
namespace {

/// The place where a message's data lie: a layout, and the address from which its offsets count.
struct Place {
  Place(const Execution& execution, const Message& message) : base(message.address) {
    const Layout* const given = execution.layout_of(message);
    if (given == nullptr) {
      layout = Layout::contiguous(size_of(execution, message));
    } else if (base != nullptr) {
      layout = *given;
    } else {  // from several spaces, at absolute addresses: counted from the first address
      const std::int64_t first = given->true_begin();
      base = reinterpret_cast<std::byte*>(static_cast<std::intptr_t>(first));
      layout.append(*given, -first);
    }
  }

  std::byte* base;
  Layout layout;
};

}  // namespace

std::int64_t size_of(const Execution& execution, const Message& message) {
  return execution.schedule().tasks()[message.task].bytes;
}

std::int64_t pieces_of(const Execution& execution, const Message& message) {
  const Layout* const layout = execution.layout_of(message);
  return layout == nullptr ? 1 : layout->pieces();
}

std::vector<std::byte> pack(const Execution& execution, const Message& send) {
  const Place place(execution, send);
  std::vector<std::byte> packed;
  packed.reserve(static_cast<std::size_t>(place.layout.size()));
  place.layout.for_each_piece([&](std::int64_t offset, std::int64_t length) {
    packed.insert(packed.end(), place.base + offset, place.base + offset + length);
  });
  return packed;
}

void unpack(const Execution& execution, const Message& receive, std::span<const std::byte> packed) {
  const Place place(execution, receive);
  place.layout.for_each_piece([&](std::int64_t offset, std::int64_t length) {
    const auto now = packed.first(std::min(packed.size(), static_cast<std::size_t>(length)));
    std::ranges::copy(now, place.base + offset);
    packed = packed.subspan(now.size());
  });
}

}  // namespace rondo::internal::machine
