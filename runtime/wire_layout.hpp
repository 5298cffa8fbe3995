/// @file
/// WireLayout: where the data of a message lies that is not one piece of memory.
#ifndef RONDO_RUNTIME_WIRE_LAYOUT_HPP
#define RONDO_RUNTIME_WIRE_LAYOUT_HPP

#include "datatypes/layout.hpp"
#include "runtime/task.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo {

/// What a message sends from, or receives into, in the order of its data: parts of one or of several spaces, as in the
/// zero-copy Bruck algorithm. Adjacent blocks of a space are one piece (section 3.3 of that paper: "collapse
/// consecutive elements").
class WireLayout {
 public:
  struct Part {
    Space space;
    Layout layout;
  };

  void append(Space space, const Layout& layout, std::int64_t displacement) {
    if (parts_.empty() || parts_.back().space != space) parts_.push_back({space, {}});
    parts_.back().layout.append(layout, displacement);
  }
  [[nodiscard]] std::span<const Part> parts() const noexcept { return parts_; }
  [[nodiscard]] bool in_one_space() const noexcept { return parts_.size() == 1; }
  /// All parts as one layout, once it is known where the spaces begin.
  [[nodiscard]] Layout at(const std::array<std::byte*, kSpaces>& bases) const {
    Layout layout;
    for (const Part& part : parts_) {
      const auto base = reinterpret_cast<std::intptr_t>(bases[static_cast<std::size_t>(part.space)]);
      layout.append(part.layout, static_cast<std::int64_t>(base));
    }
    return layout;
  }

 private:
  std::vector<Part> parts_;
};

}  // namespace rondo

#endif
