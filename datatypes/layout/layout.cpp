#include "datatypes/layout/layout.hpp"

#include <algorithm>
#include <utility>

namespace rondo::internal {
namespace {

/// Maximum number of items of a body that is written out if it occurs once: a reference to the body would be as long.
constexpr std::size_t kShortBody = 4;
/// Maximum number of pieces of an element whose last piece is joined with the first piece of the next element.
constexpr std::int64_t kPiecesToJoin = 16;

std::int64_t last_offset(const Run& run) { return run.offset + (run.count - 1) * run.stride; }

/// Returns a run of the same bytes without empty pieces, and with as few pieces as possible.
Run normalized(Run run) {
  if (run.growth != 0 && run.count > 0) {
    if (run.length <= 0) {  // the pieces grow from nothing: lengths are linear, so the first pieces are the empty ones
      const std::int64_t empty = run.growth > 0 ? std::min(run.count, (-run.length) / run.growth + 1) : run.count;
      run.offset += empty * run.stride;
      run.length += empty * run.growth;
      run.count -= empty;
    } else if (run.growth < 0) {  // or the last pieces are
      run.count = std::min(run.count, (run.length - 1) / -run.growth + 1);
    }
  }
  if (run.length <= 0 || run.count <= 0) return {};
  if (run.count > 1 && run.growth == 0 && run.stride == run.length) run = {run.offset, run.length * run.count, 1, 0};
  if (run.count == 1) run.stride = run.growth = 0;
  return run;
}

/// Removes the last piece of a run and returns it. The run is empty afterwards if it had only one piece.
Run take_last_piece(Run& run) {
  const Run piece{last_offset(run), run.length + (run.count - 1) * run.growth, 1, 0};
  --run.count;
  run = normalized(run);
  return piece;
}

bool is_piece(const Layout::Item& item) { return item.body == nullptr && item.run.count == 1; }

}  // namespace

Layout Layout::contiguous(std::int64_t bytes) {
  Layout layout;
  layout.become_contiguous(bytes);
  return layout;
}

void Layout::become_contiguous(std::int64_t bytes) {
  std::vector<Item> memory = std::move(items_);
  memory.clear();
  *this = {};
  items_ = std::move(memory);
  append({0, bytes, 1, 0});
  set_extent(bytes);
}

/// Adds an item's bytes, pieces and bounds to the layout's. Call this before the item is merged with others.
void Layout::take_note(const Item& added) {
  const Run& run = added.run;
  const std::int64_t first = std::min(run.offset, last_offset(run));
  const std::int64_t last = std::max(run.offset, last_offset(run));
  size_ += added.body == nullptr ? run.size() : run.length * run.count;
  pieces_ += added.body == nullptr ? run.count : added.body->pieces_ * run.count;
  if (added.body != nullptr) {
    begin_ = std::min(begin_, first + added.body->begin_);
    end_ = std::max(end_, last + added.body->end_);
  } else {
    begin_ = std::min(begin_, first);
    end_ = std::max({end_, run.offset + run.length, last_offset(run) + run.length + (run.count - 1) * run.growth});
  }
}

/// Extends the last piece by a piece that touches it. Returns false, and changes nothing, if the last piece does not.
bool Layout::extend_last_piece(const Run& added) {
  if (items_.empty() || items_.back().body != nullptr) return false;
  Run& last = items_.back().run;
  if (last_offset(last) + last.length + (last.count - 1) * last.growth != added.offset) return false;
  Run piece = take_last_piece(last);
  piece.length += added.length;
  --pieces_;
  if (last.count == 0) items_.pop_back();
  if (!merge_with_last(piece)) items_.push_back({piece, nullptr});  // the piece may now be as long as those before it
  return true;
}

/// Merges the last item and a run that does not touch it. Returns false, and changes nothing, if they do not fit.
bool Layout::merge_with_last(const Run& added) {
  if (items_.empty() || items_.back().body != nullptr) return false;
  Run& last = items_.back().run;
  const std::int64_t step = added.offset - last_offset(last);
  const bool last_fits = last.count == 1 || last.stride == step;
  if (last.length == added.length && last.growth == 0 && added.growth == 0) {
    if (!last_fits || (added.count > 1 && added.stride != step)) return false;
    last.count += added.count;
    last.stride = step;
    return true;
  }
  // The lengths of two pieces always grow evenly, so only a third piece makes a growing run of them.
  if (added.count != 1) return false;
  if (last.growth != 0) {
    if (last.stride != step || added.length != last.length + last.count * last.growth) return false;
    ++last.count;
    return true;
  }
  if (last.count != 1 || items_.size() < 2 || !is_piece(items_[items_.size() - 2])) return false;
  Run& first = items_[items_.size() - 2].run;
  const std::int64_t growth = added.length - last.length;
  if (last.length - first.length != growth || last.offset - first.offset != step) return false;
  first = {first.offset, first.length, 3, step, growth};
  items_.pop_back();
  return true;
}

void Layout::append(const Run& run) {
  Run added = normalized(run);
  if (added.count == 0) return;
  take_note({added, nullptr});
  if (extend_last_piece({added.offset, added.length, 1, 0})) {
    added.offset += added.stride;
    added.length += added.growth;
    --added.count;
    added = normalized(added);
    if (added.count == 0) return;
  }
  if (!merge_with_last(added)) items_.push_back({added, nullptr});
}

void Layout::append_loop(const Item& loop) {
  take_note(loop);
  if (!items_.empty() && items_.back().body != nullptr &&
      (items_.back().body == loop.body || *items_.back().body == *loop.body)) {
    Run& last = items_.back().run;
    const std::int64_t step = loop.run.offset - last_offset(last);
    if ((last.count == 1 || last.stride == step) && (loop.run.count == 1 || loop.run.stride == step)) {
      last.count += loop.run.count;
      last.stride = step;
      return;
    }
  }
  items_.push_back(loop);
}

void Layout::append(const Layout& other, std::int64_t displacement) {
  for (Item item : other.items_) {
    item.run.offset += displacement;
    if (item.body == nullptr)
      append(item.run);
    else
      append_loop(item);
  }
}

void Layout::append_elements(const std::shared_ptr<const Layout>& element, std::int64_t count,
                             std::int64_t displacement) {
  const std::vector<Item>& items = element->items_;
  if (count <= 0 || items.empty()) return;
  const std::int64_t extent = element->extent_;
  if (items.size() == 1) {  // one run or one loop goes on if it ends one extent from its start
    Item item = items.front();
    item.run.offset += displacement;
    const bool goes_on = item.run.growth == 0 && (item.run.count == 1 || extent == item.run.count * item.run.stride);
    if (goes_on && count > 1) {
      if (item.run.count == 1) item.run.stride = extent;
      item.run.count *= count;
    }
    if (goes_on || count == 1) {
      if (item.body == nullptr)
        append(item.run);
      else
        append_loop(item);
      return;
    }
  }
  if (count == 1 && (items.size() <= kShortBody || items_.empty())) {
    append(*element, displacement);
    return;
  }
  // The last piece of an element may continue in the first piece of the next: then the loop's body begins with that
  // piece.
  if (count > 1 && items.size() <= kShortBody && items.front().body == nullptr && items.back().body == nullptr &&
      element->pieces_ > 1 && element->pieces_ <= kPiecesToJoin) {
    Layout rest;
    rest.items_ = items;
    const Run last = take_last_piece(rest.items_.back().run);
    if (last.offset + last.length == items.front().run.offset + extent) {
      if (rest.items_.back().run.count == 0) rest.items_.pop_back();
      Layout body;
      body.append(last);
      body.append(rest, extent);
      body.set_extent(extent);
      append(rest, displacement);
      append_elements(std::make_shared<const Layout>(std::move(body)), count - 1, displacement);
      append({last.offset + displacement + (count - 1) * extent, last.length, 1, 0});
      return;
    }
  }
  append_loop({{displacement, element->size_, count, count > 1 ? extent : 0}, element});
}

Layout Layout::repeated(std::int64_t count) const {
  Layout result;
  if (count == 1) result.append(*this, 0);
  if (count > 1) result.append_elements(std::make_shared<const Layout>(*this), count, 0);
  result.set_extent(count * extent_);
  return result;
}

}  // namespace rondo::internal
