/// @file
/// TextLine: a line of text that is put together without allocating, for example in a signal handler.
#ifndef RONDO_RUNTIME_BASE_TEXT_LINE_HPP
#define RONDO_RUNTIME_BASE_TEXT_LINE_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace rondo::internal {

/// A line of up to 500 characters. Longer text is cut off.
class TextLine {
 public:
  TextLine& operator<<(std::string_view text) noexcept {
    const std::size_t fits = std::min(text.size(), text_.size() - size_);
    std::copy_n(text.begin(), fits, text_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += fits;
    return *this;
  }
  TextLine& operator<<(std::integral auto number) noexcept {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, 500> text_{};
  std::size_t size_ = 0;
};

}  // namespace rondo::internal

#endif
