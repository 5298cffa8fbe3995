#include "collectives/cart_reduction/reach.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace rondo::internal::reduction {

/// The collector of displacements. A displacement is a number to which steps are added: its digits, which may be
/// negative, are the coordinates along dimensions with edges. No contribution and no result is as far away as the grid
/// is long.
class Reach::Collector {
 public:
  Collector(const Tree& tree, std::span<const std::size_t> open, std::span<const int> sizes)
      : tree_(tree), open_(open) {
    std::int64_t stride = 1;
    for (const int size : sizes) {
      strides_.push_back(stride);
      stride *= 2 * std::int64_t{size} - 1;
    }
  }

  using Numbers = std::vector<std::int64_t>;
  /// The displacements of each value of a boundary, as numbers, one value after the other.
  struct Lists {
    std::vector<std::size_t> first{0};
    Numbers numbers;

    [[nodiscard]] std::span<const std::int64_t> of(ValueId value) const {
      return std::span(numbers).subspan(first[value], first[value + 1] - first[value]);
    }
    void add(Numbers& list) {
      std::ranges::sort(list);
      numbers.insert(numbers.end(), list.begin(), std::unique(list.begin(), list.end()));
      first.push_back(numbers.size());
      list.clear();
    }
  };

  [[nodiscard]] Lists sources(std::size_t boundary, const Lists& before) const {
    const Numbers steps = boundary == 0 ? Numbers{} : steps_of(boundary - 1);
    Lists lists;
    Numbers list;
    for (ValueId value = 0; value < tree_.values(boundary); ++value) {
      if (boundary == 0) {
        list.push_back(0);
      } else {
        for (const Term& term : tree_.terms(boundary, value)) {
          for (const std::int64_t source : before.of(term.value)) list.push_back(source + taken(steps, term.step));
        }
      }
      lists.add(list);
    }
    return lists;
  }

  [[nodiscard]] Lists results(std::size_t boundary, const Lists& after) const {
    std::vector<std::pair<ValueId, std::int64_t>> all;
    if (boundary == tree_.stages()) {
      for (ValueId value = 0; value < tree_.values(boundary); ++value) all.emplace_back(value, 0);
    } else {
      const Numbers steps = steps_of(boundary);
      for (ValueId value = 0; value < tree_.values(boundary + 1); ++value) {
        for (const Term& term : tree_.terms(boundary + 1, value)) {
          for (const std::int64_t result : after.of(value))
            all.emplace_back(term.value, result + taken(steps, term.step));
        }
      }
      std::ranges::sort(all);
    }
    Lists lists;
    Numbers list;
    auto next = all.begin();
    for (ValueId value = 0; value < tree_.values(boundary); ++value) {
      for (; next != all.end() && next->first == value; ++next) list.push_back(next->second);
      lists.add(list);
    }
    return lists;
  }

  [[nodiscard]] Displacements written_out(const Lists& lists) const {
    Displacements displacements{lists.first, {}};
    displacements.steps.resize(lists.numbers.size() * open_.size());
    for (std::size_t i = 0; i < lists.numbers.size(); ++i) {
      std::int64_t number = lists.numbers[i];
      for (std::size_t k = open_.size(); k-- > 0;) {
        // Round to the nearest multiple of the stride, because the rest is less than half a stride.
        const std::int64_t half = strides_[k] / 2;
        const std::int64_t digit = (number + (number < 0 ? -half : half)) / strides_[k];
        number -= digit * strides_[k];
        displacements.steps[i * open_.size() + k] = static_cast<int>(digit);
      }
    }
    return displacements;
  }

 private:
  [[nodiscard]] Numbers steps_of(std::size_t stage) const {
    const ExpansionStage& of = tree_.expansion().stages()[stage];
    Numbers numbers;
    for (StepId step = 0; step < tree_.expansion().steps(of); ++step) {
      const auto coordinates = tree_.expansion().step(of, step);
      std::int64_t number = 0;
      for (std::size_t k = 0; k < open_.size(); ++k) number += coordinates[open_[k]] * strides_[k];
      numbers.push_back(number);
    }
    return numbers;
  }
  [[nodiscard]] static std::int64_t taken(const Numbers& steps, StepId step) {
    return step == kStays ? 0 : steps[step];
  }

  const Tree& tree_;
  std::span<const std::size_t> open_;
  std::vector<std::int64_t> strides_;
};

Reach::Reach(const Tree& tree, const Grid& grid) {
  for (int k = 0; k < grid.dimensions(); ++k) {
    if (grid.periodic(k)) continue;
    open_.push_back(static_cast<std::size_t>(k));
    sizes_.push_back(grid.sizes()[static_cast<std::size_t>(k)]);
  }
  if (open_.empty()) return;
  const Collector collector(tree, open_, sizes_);
  Collector::Lists lists;
  for (std::size_t boundary = 0; boundary <= tree.stages(); ++boundary) {
    lists = collector.sources(boundary, lists);
    sources_.push_back(collector.written_out(lists));
  }
  results_.resize(tree.stages() + 1);
  for (std::size_t boundary = tree.stages() + 1; boundary-- > 0;) {
    lists = collector.results(boundary, lists);
    results_[boundary] = collector.written_out(lists);
  }
}

bool Reach::reaches(const Displacements& all, ValueId value, std::span<const int> coordinates, int sign) const {
  for (std::size_t at = all.first[value]; at < all.first[value + 1]; ++at) {
    bool on_grid = true;
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const std::int64_t step = all.steps[at * open_.size() + k];
      const std::int64_t coordinate = coordinates[open_[k]] + sign * step;
      on_grid = on_grid && coordinate >= 0 && coordinate < sizes_[k];
    }
    if (on_grid) return true;
  }
  return false;
}

}  // namespace rondo::internal::reduction
