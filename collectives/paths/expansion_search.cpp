#include "collectives/paths/expansion_search.hpp"

#include "collectives/blocks/message_cut.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace rondo::internal {
namespace {

constexpr std::size_t kMostDimensionsExactly = 6;
constexpr std::size_t kMostDimensionsAtAll = 64;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::int64_t farthest(const LinearEmbedding& embedding) {
  std::int64_t greatest = 0;
  for (const std::int64_t multiple : embedding.multiples) greatest = std::max(greatest, std::abs(multiple));
  return greatest;
}

/// Returns the number of a digit of either sign, 0 for 0, among 2 * radix. `unit`: a power of the radix.
std::uint32_t number_of_digit(std::int64_t multiple, std::int64_t unit, int radix) {
  const auto magnitude = static_cast<std::uint64_t>(std::abs(multiple));
  const auto ones = static_cast<std::uint64_t>(unit);
  const auto base = static_cast<std::uint64_t>(radix);
  const std::uint64_t digit =
      std::has_single_bit(base) ? (magnitude >> std::countr_zero(ones)) & (base - 1) : magnitude / ones % base;
  return static_cast<std::uint32_t>(multiple < 0 && digit != 0 ? base + digit : digit);
}

}  // namespace

double PathSearch::Crossing::cost(bool with_digits) const {
  return with_digits ? std::min(at_once, in_digits) : at_once;
}

/// Adds up stages, and remembers by which message each vector's blocks arrive.
class PathSearch::Forecast {
 public:
  explicit Forecast(const PathSearch& search) : search_(search), shares_(search.loads_.size()) {}

  /// Adds the costs of a stage to the forecast. `number_of`: for each vector the number of the step that it
  /// takes, or 0 if it takes none. `by_step`: the nearness of each step, by number; element 0 stands for no step.
  void add_stage(std::span<const std::uint32_t> number_of, std::span<const Nearness> by_step) {
    loads_.clear();
    for (const Nearness nearness : by_step) loads_.push_back({0, 0, nearness});
    for (std::size_t v = 0; v < number_of.size(); ++v) loads_[number_of[v]].add(search_.loads_[v]);
    search_.add_stage(prediction_, std::span(loads_).subspan(1));
    for (std::size_t v = 0; v < number_of.size(); ++v) {
      if (number_of[v] != 0) shares_[v] = loads_[number_of[v]].blocks > 1;
    }
  }
  /// Returns the prediction with the copies of blocks that arrive together with others.
  [[nodiscard]] Prediction finished() const {
    Prediction prediction = prediction_;
    Load arriving;
    for (std::size_t v = 0; v < shares_.size(); ++v) {
      if (shares_[v]) arriving.add(search_.loads_[v]);
    }
    search_.costs_.add_copies(prediction, arriving.blocks, arriving.bytes);
    return prediction;
  }

 private:
  const PathSearch& search_;
  std::vector<Load> loads_;
  std::vector<bool> shares_;
  Prediction prediction_;
};

PathSearch::PathSearch(const NeighborhoodFacts& facts, std::span<const std::int64_t> bytes, const CostModel& costs,
                       const NearOffsets* near)
    : grid_(facts.grid()),
      costs_(costs),
      near_(near),
      neighborhood_(facts.folded()),
      projections_(facts.get<Projections>()),
      along_(projections_.along()),
      d_(along_.size()),
      loads_(neighborhood_.size()) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] > 0) loads_[neighborhood_.vector_of()[i]].add({1, bytes[i]});
  }
}

Nearness PathSearch::nearness_of_step(DimensionSet dimensions, std::uint32_t v) const {
  if (near_ == nullptr || d_ > kMostDimensionsAtAll) return Nearness::far;
  const std::span<const int> vector = neighborhood_[v];
  std::vector<int> step(vector.begin(), vector.end());
  for (std::size_t k = 0; k < d_; ++k) {
    if ((dimensions >> k & 1U) == 0) step[k] = 0;
  }
  return near_->nearness(step);
}

std::vector<Nearness> PathSearch::nearness_along(const Projection& projection) const {
  std::vector<Nearness> by_step(projection.first_of.size(), Nearness::far);
  for (std::size_t number = 1; near_ != nullptr && number < by_step.size(); ++number)
    by_step[number] = nearness_of_step(projection.dimensions, projection.first_of[number]);
  return by_step;
}

std::vector<Nearness> PathSearch::nearness_in_digits(const LinearEmbedding& embedding, std::int64_t unit,
                                                     int radix) const {
  std::vector<Nearness> by_step(2 * static_cast<std::size_t>(radix), Nearness::far);
  std::vector<int> step(embedding.vector.size());
  for (int number = 1; near_ != nullptr && number < 2 * radix; ++number) {
    const std::int64_t times = (number < radix ? number : radix - number) * unit;
    for (std::size_t k = 0; k < step.size(); ++k) {
      const std::int64_t size = grid_.sizes()[k];
      const std::int64_t offset = times * embedding.vector[k];
      // Beyond the edges there is no process, at any distance.
      step[k] = static_cast<int>(grid_.periodic(static_cast<int>(k)) ? offset % size : std::clamp(offset, -size, size));
    }
    by_step[static_cast<std::size_t>(number)] = near_->nearness(step);
  }
  return by_step;
}

/// Adds the messages of one stage, and the copies of blocks that leave in them. The copy of an arriving block is added
/// up elsewhere, because it is the same on every way.
void PathSearch::add_stage(Prediction& cost, std::span<const Load> loads) const {
  bool any = false;
  Nearness slowest = Nearness::near;
  for (const Load& load : loads) {
    if (load.blocks == 0) continue;
    any = true;
    if (load.nearness == Nearness::far) slowest = Nearness::far;
    // The messages are cut as if all blocks were equally long.
    const std::int64_t each = load.bytes / load.blocks;
    const std::int64_t rest = load.bytes % load.blocks;
    for_each_message(load.blocks, each, [&](std::int64_t begin, std::int64_t blocks) {
      const std::int64_t bytes = blocks * each + std::clamp<std::int64_t>(rest - begin, 0, blocks);
      costs_.add_message(cost, blocks, bytes, SentData::cold, load.nearness);
    });
    if (load.blocks > 1) costs_.add_copies(cost, load.blocks, load.bytes, load.nearness);
  }
  if (any) costs_.add_phase(cost, slowest);
}

double PathSearch::cost_in_digits(const LinearEmbedding& embedding, std::span<const Load> loads, int radix) const {
  const std::int64_t greatest = farthest(embedding);
  Prediction cost;
  std::vector<Load> digits(2 * static_cast<std::size_t>(radix));
  for (std::int64_t unit = 1; unit <= greatest; unit *= radix) {
    const std::vector<Nearness> by_step = nearness_in_digits(embedding, unit, radix);
    for (std::size_t number = 0; number < digits.size(); ++number) digits[number] = {0, 0, by_step[number]};
    for (std::size_t number = 0; number < loads.size(); ++number)
      digits[number_of_digit(embedding.multiples[number], unit, radix)].add(loads[number]);
    add_stage(cost, std::span(digits).subspan(1));
  }
  return costs_.of_part(cost);
}

PathSearch::Crossing PathSearch::crossing(const Projection& projection) const {
  std::vector<Load> loads;
  for (const Nearness nearness : nearness_along(projection)) loads.push_back({0, 0, nearness});
  for (std::size_t v = 0; v < loads_.size(); ++v) loads[projection.number_of[v]].add(loads_[v]);
  Prediction at_once;
  add_stage(at_once, std::span(loads).subspan(1));
  Crossing result{costs_.of_part(at_once), at_once.rounds, kInfinite, 0, {}};
  if (loads.size() <= 3) return result;  // digits do not save any of one or two steps
  for (LinearEmbedding& embedding : projections_.embeddings_of(projection)) {
    for (const int radix : kRadices) {
      if (radix > 2 && radix > farthest(embedding)) break;  // the radix would cross all at once
      const double cost = cost_in_digits(embedding, loads, radix);
      if (cost >= result.in_digits) continue;
      result.in_digits = cost;
      result.radix = radix;
      result.embedding = embedding;
    }
  }
  return result;
}

const PathSearch::Crossing& PathSearch::crossing_of(const Projection& projection) {
  const auto found = crossings_.find(projection.dimensions);
  if (found != crossings_.end()) return found->second;
  return crossings_.emplace(projection.dimensions, crossing(projection)).first->second;
}

/// Finds the crossings of all sets that hold `base` and some of the dimensions from `k` on. Leaves out sets that must
/// cost more than `most`, because they cannot take fewer rounds than a set within them. In digits they can, but only if
/// the vectors are multiples of one: then a set within them takes as many rounds as a dimension, and no set is left
/// out.
void PathSearch::look_at_sets(const Projection* base, std::size_t k, double most) {
  for (; k < d_; ++k) {
    const Projection larger = base == nullptr ? along_[k] : joined(*base, along_[k]);
    const auto rounds = static_cast<double>(crossing_of(larger).rounds);
    const double least = std::min(costs_.message(1, 1), costs_.message(1, 1, SentData::cold, Nearness::near));
    if (rounds * least < most) look_at_sets(&larger, k + 1, most);
  }
}

std::vector<DimensionSet> PathSearch::best_partition(bool with_digits) {
  const DimensionSet all = (DimensionSet{1} << d_) - 1;
  if (!looked_at_sets_) {
    double one_by_one = 0;
    for (const Projection& each : along_) one_by_one += crossing_of(each).at_once;
    look_at_sets(nullptr, 0, one_by_one);
    looked_at_sets_ = true;
  }
  std::vector<double> cost(all + std::size_t{1}, kInfinite);
  std::vector<DimensionSet> last(all + std::size_t{1});
  cost[0] = 0;
  for (DimensionSet set = 1; set <= all; ++set) {
    const DimensionSet lowest = set & -set;  // its part is chosen; the rest is a smaller problem
    for (DimensionSet part = set; part != 0; part = (part - 1) & set) {
      const auto looked_at = crossings_.find(part);
      if ((part & lowest) == 0 || looked_at == crossings_.end()) continue;
      const double together = looked_at->second.cost(with_digits) + cost[set ^ part];
      if (together >= cost[set]) continue;
      cost[set] = together;
      last[set] = part;
    }
  }
  std::vector<DimensionSet> parts;
  for (DimensionSet set = all; set != 0; set ^= last[set]) parts.push_back(last[set]);
  return parts;
}

std::vector<DimensionSet> PathSearch::merge_greedily(bool with_digits) {
  std::vector<Projection> parts(along_.begin(), along_.end());
  const auto cost = [&](const Projection& part) { return crossing_of(part).cost(with_digits); };
  for (;;) {
    double most_saved = 0;
    std::pair<std::size_t, std::size_t> best{};
    for (std::size_t one = 0; one < parts.size(); ++one) {
      for (std::size_t other = one + 1; other < parts.size(); ++other) {
        const auto known = crossings_.find(parts[one].dimensions | parts[other].dimensions);
        const double together =
            known != crossings_.end() ? known->second.cost(with_digits) : cost(joined(parts[one], parts[other]));
        const double saved = cost(parts[one]) + cost(parts[other]) - together;
        if (saved <= most_saved) continue;
        most_saved = saved;
        best = {one, other};
      }
    }
    if (most_saved <= 0) break;
    parts[best.first] = joined(parts[best.first], parts[best.second]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best.second));
  }
  std::vector<DimensionSet> sets;
  for (const Projection& each : parts) {
    crossing_of(each);  // not known yet if there is one part from the start
    sets.push_back(each.dimensions);
  }
  return sets;
}

/// Returns the cost of crossing all dimensions at once, with a message along each vector.
double PathSearch::cost_of_one_stage() const {
  std::vector<Load> loads;
  for (std::size_t v = 0; v < loads_.size(); ++v) {
    const bool moves = std::ranges::any_of(along_, [v](const Projection& along) { return along.number_of[v] != 0; });
    if (!moves) continue;
    loads.push_back(loads_[v]);
    loads.back().nearness = nearness_of(near_, neighborhood_[v]);
  }
  Prediction cost;
  add_stage(cost, loads);
  return cost.nanoseconds;
}

std::vector<PathPart> PathSearch::best(bool with_digits) {
  if (d_ == 0 || d_ > kMostDimensionsAtAll) return projections_.dimension_wise();
  const bool exactly = d_ <= kMostDimensionsExactly && (loads_.size() << d_) <= kMostVisits;
  const std::vector<DimensionSet> sets = exactly ? best_partition(with_digits) : merge_greedily(with_digits);
  // No partition with two or more phases costs less than these. Any partition with a single phase is one stage for all.
  double apart = costs_.second_phase();
  for (const DimensionSet set : sets) apart += crossings_.at(set).cost(with_digits);
  if (cost_of_one_stage() <= apart) {
    PathPart all{std::vector<int>(d_), 0, std::nullopt};
    std::iota(all.dimensions.begin(), all.dimensions.end(), 0);
    return {std::move(all)};
  }
  std::vector<PathPart> parts;
  for (const DimensionSet set : sets) {
    std::vector<int> dimensions;
    for (std::size_t k = 0; k < d_; ++k) {
      if ((set >> k & 1U) != 0) dimensions.push_back(static_cast<int>(k));
    }
    const Crossing& chosen = crossings_.at(set);
    PathPart part;
    if (with_digits && chosen.in_digits < chosen.at_once) {
      projections_.with_projection(dimensions, [&](const Projection& projection) {
        part = part_in_digits(projection, chosen.embedding, chosen.radix);
      });
    }
    part.dimensions = std::move(dimensions);
    parts.push_back(std::move(part));
  }
  return parts;
}

Prediction PathSearch::predict(std::span<const PathPart> parts) const {
  Forecast forecast(*this);
  std::vector<std::uint32_t> number_of(loads_.size());
  for (const PathPart& part : parts) {
    if (part.radix == 0) {
      projections_.with_projection(part.dimensions, [&](const Projection& projection) {
        forecast.add_stage(projection.number_of, nearness_along(projection));
      });
      continue;
    }
    const std::int64_t greatest = farthest(*part.embedding);
    for (std::int64_t unit = 1; unit <= greatest; unit *= part.radix) {
      for (std::size_t v = 0; v < number_of.size(); ++v)
        number_of[v] = number_of_digit(part.embedding->multiples[v], unit, part.radix);
      forecast.add_stage(number_of, nearness_in_digits(*part.embedding, unit, part.radix));
    }
  }
  return forecast.finished();
}

Prediction PathSearch::predict_through_neighbors() const {
  const std::vector<bool> by_neighbors = through_neighbors(neighborhood_);
  Forecast forecast(*this);
  std::vector<std::uint32_t> number_of(loads_.size());
  for (std::size_t k = 0; k < d_; ++k) {
    std::vector<Nearness> by_step = nearness_along(along_[k]);
    for (std::size_t v = 0; v < number_of.size(); ++v) {
      number_of[v] = by_neighbors[v] ? along_[k].number_of[v] : 0;
      if (by_neighbors[v] || k > 0) continue;
      number_of[v] = static_cast<std::uint32_t>(by_step.size());  // a separate step
      by_step.push_back(nearness_of(near_, neighborhood_[v]));
    }
    forecast.add_stage(number_of, by_step);
  }
  return forecast.finished();
}

}  // namespace rondo::internal
