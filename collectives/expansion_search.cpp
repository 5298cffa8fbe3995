#include "collectives/expansion_search.hpp"

#include "collectives/numbering.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

namespace rondo {
namespace {

using DimensionSet = std::uint32_t;
constexpr int kMostDimensions = 6;
constexpr std::array kRadices{2, 3, 4, 8, 16};

/// What travels by one step, or along one vector.
struct Load {
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;

  void add(const Load& other) {
    blocks += other.blocks;
    bytes += other.bytes;
  }
};

/// The vectors projected onto a set of dimensions.
struct Projection {
  DimensionSet dimensions;
  std::vector<std::uint32_t> number_of;  ///< of each vector; 0 is the projection that is zero
  std::vector<std::uint32_t> first_of;   ///< of each number
};

/// The cheapest way to cross a set of dimensions.
struct Crossing {
  double at_once = 0;
  double in_digits = std::numeric_limits<double>::infinity();
  int radix = 0;
  LinearEmbedding embedding = {};  ///< of the projections, by number

  [[nodiscard]] double cost(bool with_digits) const { return with_digits ? std::min(at_once, in_digits) : at_once; }
};

class Search {
 public:
  Search(const Grid& grid, const FoldedNeighborhood& neighborhood, std::span<const std::int64_t> bytes,
         const CostModel& costs)
      : grid_(grid), costs_(costs), d_(static_cast<std::size_t>(grid.dimensions())) {
    vectors_.assign(d_, 0);
    vectors_.insert(vectors_.end(), neighborhood.vectors().begin(), neighborhood.vectors().end());
    loads_.resize(1 + neighborhood.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] > 0) loads_[1 + neighborhood.vector_of()[i]].add({1, bytes[i]});
    }
    for (std::size_t k = 0; k < d_; ++k) along_.push_back(project(k));
  }

  [[nodiscard]] std::vector<PathPart> best(bool with_digits) {
    const bool exactly = d_ <= kMostDimensions && (loads_.size() << d_) <= kMostVisits;
    std::vector<PathPart> parts;
    for (const DimensionSet set : exactly ? best_partition(with_digits) : merge_greedily(with_digits))
      parts.push_back(part(set, with_digits));
    return parts;
  }

 private:
  [[nodiscard]] Projection project(std::size_t k) const {
    std::vector<int> residues;
    for (std::size_t at = k; at < vectors_.size(); at += d_) residues.push_back(vectors_[at]);
    const Numbering numbering = number_rows(residues, 1);
    // The first vector is zero: its number and 0 change places.
    Projection projection{DimensionSet{1} << k, numbering.number_of, numbering.first_of};
    const std::uint32_t zero = projection.number_of.front();
    for (std::uint32_t& number : projection.number_of) number = number == zero ? 0 : number == 0 ? zero : number;
    std::swap(projection.first_of[0], projection.first_of[zero]);
    return projection;
  }

  [[nodiscard]] static Projection joined(const Projection& one, const Projection& other) {
    std::vector<std::uint64_t> keys(one.number_of.size());
    const std::uint64_t others = other.first_of.size();
    for (std::size_t v = 0; v < keys.size(); ++v) keys[v] = one.number_of[v] * others + other.number_of[v];
    Numbering numbering = number_keys(keys, one.first_of.size() * others);
    return {one.dimensions | other.dimensions, std::move(numbering.number_of), std::move(numbering.first_of)};
  }

  [[nodiscard]] Projection projection_on(DimensionSet set) const {
    Projection projection{0, std::vector<std::uint32_t>(loads_.size()), {0}};
    for (std::size_t k = 0; k < d_; ++k) {
      if ((set >> k & 1U) != 0) projection = joined(projection, along_[k]);
    }
    return projection;
  }

  void add_stage(Prediction& cost, std::span<const Load> loads) const {
    bool any = false;
    for (const Load& load : loads) {
      if (load.blocks == 0) continue;
      any = true;
      costs_.add_message(cost, load.blocks, load.bytes);
      // Where a block arrives it is copied once more, whichever way it came.
      if (load.blocks > 1) costs_.add_copies(cost, load.blocks, load.bytes);
    }
    if (any) costs_.add_phase(cost);
  }

  [[nodiscard]] double cost_in_digits(const LinearEmbedding& embedding, std::span<const Load> loads, int radix) const {
    std::int64_t greatest = 0;
    for (const std::int64_t multiple : embedding.multiples) greatest = std::max(greatest, std::abs(multiple));
    Prediction cost;
    std::vector<Load> digits(2 * static_cast<std::size_t>(radix));
    for (std::int64_t unit = 1; unit <= greatest; unit *= radix) {
      std::ranges::fill(digits, Load{});
      for (std::size_t number = 0; number < loads.size(); ++number) {
        const std::int64_t digit = embedding.multiples[number] / unit % radix;
        if (digit != 0) digits[static_cast<std::size_t>(digit + radix)].add(loads[number]);
      }
      add_stage(cost, digits);
    }
    return cost.nanoseconds;
  }

  [[nodiscard]] Crossing crossing(const Projection& projection) const {
    const std::size_t count = projection.first_of.size();
    std::vector<Load> loads(count);
    for (std::size_t v = 0; v < loads_.size(); ++v) loads[projection.number_of[v]].add(loads_[v]);
    Crossing result;
    Prediction at_once;
    add_stage(at_once, std::span(loads).subspan(1));
    result.at_once = at_once.nanoseconds;
    if (count <= 3) return result;  // one or two steps: digits save none
    std::vector<int> vectors(count * d_);
    for (std::size_t number = 0; number < count; ++number) {
      for (std::size_t k = 0; k < d_; ++k) {
        if ((projection.dimensions >> k & 1U) != 0)
          vectors[number * d_ + k] = vectors_[projection.first_of[number] * d_ + k];
      }
    }
    for (const LinearEmbedding& embedding : linear_embeddings(grid_, vectors)) {
      for (const int radix : kRadices) {
        const double cost = cost_in_digits(embedding, loads, radix);
        if (cost >= result.in_digits) continue;
        result.in_digits = cost;
        result.radix = radix;
        result.embedding = embedding;
      }
    }
    return result;
  }

  const Crossing& crossing_of(const Projection& projection) {
    const auto found = crossings_.find(projection.dimensions);
    if (found != crossings_.end()) return found->second;
    return crossings_.emplace(projection.dimensions, crossing(projection)).first->second;
  }

  /// All sets that hold `base` and some of the dimensions from `k` on.
  void look_at_sets(const Projection& base, std::size_t k) {
    for (; k < d_; ++k) {
      const Projection larger = joined(base, along_[k]);
      crossing_of(larger);
      look_at_sets(larger, k + 1);
    }
  }

  std::vector<DimensionSet> best_partition(bool with_digits) {
    const DimensionSet all = (DimensionSet{1} << d_) - 1;
    if (crossings_.size() < all) look_at_sets(projection_on(0), 0);
    std::vector<double> cost(all + std::size_t{1}, std::numeric_limits<double>::infinity());
    std::vector<DimensionSet> last(all + std::size_t{1});
    cost[0] = 0;
    for (DimensionSet set = 1; set <= all; ++set) {
      const DimensionSet lowest = set & -set;  // its part is chosen, and the rest is a smaller problem
      for (DimensionSet part = set; part != 0; part = (part - 1) & set) {
        if ((part & lowest) == 0) continue;
        const double together = crossings_.at(part).cost(with_digits) + cost[set ^ part];
        if (together >= cost[set]) continue;
        cost[set] = together;
        last[set] = part;
      }
    }
    std::vector<DimensionSet> parts;
    for (DimensionSet set = all; set != 0; set ^= last[set]) parts.push_back(last[set]);
    return parts;
  }

  std::vector<DimensionSet> merge_greedily(bool with_digits) {
    std::vector<Projection> parts = along_;
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
    for (const Projection& each : parts) sets.push_back(each.dimensions);
    return sets;
  }

  /// The part with its embedding, for all vectors of the neighborhood.
  PathPart part(DimensionSet set, bool with_digits) {
    PathPart made;
    for (std::size_t k = 0; k < d_; ++k) {
      if ((set >> k & 1U) != 0) made.dimensions.push_back(static_cast<int>(k));
    }
    const Crossing& chosen = crossings_.at(set);
    if (!with_digits || chosen.at_once <= chosen.in_digits) return made;
    made.radix = chosen.radix;
    made.embedding = LinearEmbedding{chosen.embedding.vector, {}};
    const Projection projection = projection_on(set);
    for (std::size_t v = 1; v < loads_.size(); ++v)
      made.embedding->multiples.push_back(chosen.embedding.multiples[projection.number_of[v]]);
    return made;
  }

  const Grid& grid_;
  const CostModel& costs_;
  std::size_t d_;
  std::vector<int> vectors_;  ///< the zero vector, so that 0 always is a projection's number, then the neighborhood's
  std::vector<Load> loads_;   ///< of each
  std::vector<Projection> along_;
  std::map<DimensionSet, Crossing> crossings_;
};

}  // namespace

FoundPaths search_paths(const Grid& grid, const FoldedNeighborhood& neighborhood, std::span<const std::int64_t> bytes,
                        const CostModel& costs) {
  Search search(grid, neighborhood, bytes, costs);
  FoundPaths found{search.best(false), {}};
  found.mixtures = search.best(true);
  return found;
}

std::string describe(std::span<const PathPart> parts) {
  std::string text;
  for (const PathPart& part : parts) {
    text += text.empty() ? "dimensions " : ", ";
    for (std::size_t i = 0; i < part.dimensions.size(); ++i)
      text += (i == 0 ? "" : "+") + std::to_string(part.dimensions[i]);
    if (part.radix != 0) text += " in powers of " + std::to_string(part.radix);
  }
  return text;
}

}  // namespace rondo
