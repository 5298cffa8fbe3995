#include "datatypes/layout/layout_words.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace rondo::internal {
namespace {

constexpr int kDeepest = 32;                                ///< maximum depth of nested loops in a layout that is read
constexpr std::int64_t kFarthest = std::int64_t{1} << 60U;  ///< limit of places whose sums a Layout need not check

template <typename... Values>
bool are_near(Values... values) noexcept {
  return ((values >= -kFarthest && values <= kFarthest) && ...);
}

/// A calculator of sums and products that remembers whether one overflowed.
class Checked {
 public:
  [[nodiscard]] std::int64_t sum(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t result = 0;
    holds_ = !__builtin_add_overflow(a, b, &result) && holds_;
    return result;
  }
  [[nodiscard]] std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t result = 0;
    holds_ = !__builtin_mul_overflow(a, b, &result) && holds_;
    return result;
  }
  [[nodiscard]] bool holds() const noexcept { return holds_; }

 private:
  bool holds_ = true;
};

/// A list of items that was read, its number of bytes, and the range of bytes that it touches.
struct ReadLayout {
  Layout layout{};
  std::int64_t bytes = 0;
  std::int64_t begin = INT64_MAX;
  std::int64_t end = INT64_MIN;
};

class LayoutReader {
 public:
  LayoutReader(std::span<const std::int64_t> words, std::int64_t bytes) noexcept : words_(words), bytes_(bytes) {}

  [[nodiscard]] std::optional<ReadLayout> list(int depth) {
    ReadLayout read;
    const std::optional<std::int64_t> items = next();
    if (!items || *items < 1 || depth > kDeepest) return std::nullopt;
    for (std::int64_t i = 0; i < *items; ++i) {
      if (!append_item(read, depth)) return std::nullopt;
    }
    return read;
  }
  [[nodiscard]] bool at_end() const noexcept { return words_.empty(); }

 private:
  std::optional<std::int64_t> next() noexcept {
    if (words_.empty()) return std::nullopt;
    const std::int64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  bool append_item(ReadLayout& read, int depth) {
    if (words_.size() < 6) return false;
    const Run run{words_[0], words_[1], words_[2], words_[3], words_[4]};
    const bool has_body = words_[5] != 0;
    words_ = words_.subspan(6);
    if (run.length < 1 || run.count < 1 || run.count > bytes_ || (has_body && run.growth != 0)) return false;
    std::optional<ReadLayout> body;
    if (has_body) {
      body = list(depth + 1);
      if (!body || body->bytes != run.length) return false;
    }
    // Places and lengths change evenly, so only the first and the last need a check.
    Checked checked;
    const std::int64_t last = checked.sum(run.offset, checked.product(run.stride, run.count - 1));
    const std::int64_t last_length = checked.sum(run.length, checked.product(run.growth, run.count - 1));
    const std::int64_t begin = has_body ? body->begin : 0;
    const std::int64_t first_end = checked.sum(run.offset, has_body ? body->end : run.length);
    const std::int64_t last_end = checked.sum(last, has_body ? body->end : last_length);
    const std::int64_t first_begin = checked.sum(run.offset, begin);
    const std::int64_t last_begin = checked.sum(last, begin);
    // The mean of evenly changing lengths is that of the first and the last.
    const std::int64_t twice = checked.product(checked.sum(run.length, last_length), run.count);
    read.bytes = checked.sum(read.bytes, twice / 2);
    if (!checked.holds() || last_length < 1 || read.bytes > bytes_) return false;
    if (!are_near(run.offset, run.stride, run.growth, first_begin, last_begin, first_end, last_end)) return false;
    read.begin = std::min({read.begin, first_begin, last_begin});
    read.end = std::max({read.end, first_end, last_end});
    if (!has_body) {
      read.layout.append(run);
      return true;
    }
    body->layout.set_extent(run.stride);
    read.layout.append_elements(std::make_shared<const Layout>(std::move(body->layout)), run.count, run.offset);
    return true;
  }

  std::span<const std::int64_t> words_;
  std::int64_t bytes_;  ///< bytes of the whole layout: no part has more
};

}  // namespace

void append_words(const Layout& layout, std::vector<std::int64_t>& words) {
  words.push_back(static_cast<std::int64_t>(layout.items().size()));
  for (const auto& [run, body] : layout.items()) {
    words.insert(words.end(), {run.offset, run.length, run.count, run.stride, run.growth, body == nullptr ? 0 : 1});
    if (body != nullptr) append_words(*body, words);
  }
}

std::optional<Layout> layout_from(std::span<const std::int64_t> words, std::int64_t bytes, std::int64_t end) {
  LayoutReader reader(words, bytes);
  std::optional<ReadLayout> read = reader.list(0);
  if (!read || !reader.at_end() || read->bytes != bytes || read->begin < 0 || read->end > end) return std::nullopt;
  return std::move(read->layout);
}

}  // namespace rondo::internal
