/// @file
/// Texts of numbers of things.
#ifndef RONDO_RUNTIME_BASE_COUNT_OF_HPP
#define RONDO_RUNTIME_BASE_COUNT_OF_HPP

#include <concepts>
#include <string>
#include <string_view>

namespace rondo::internal {

/// Returns "1 message" or "2 messages". `thing`: the noun in the singular, to which the plural adds an s.
[[nodiscard]] std::string count_of(std::integral auto number, std::string_view thing) {
  return std::to_string(number) + " " + std::string(thing) + (number == 1 ? "" : "s");
}

}  // namespace rondo::internal

#endif
