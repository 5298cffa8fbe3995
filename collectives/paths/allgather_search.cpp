#include "collectives/paths/allgather_search.hpp"

#include "collectives/blocks/message_cut.hpp"
#include "collectives/topology/flat_index.hpp"
#include "collectives/topology/numbering.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace rondo::internal {
namespace {

/// A set of moving dimensions, as bits.
using Set = std::uint32_t;
constexpr std::size_t kMostDimensionsToSearch = 10;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Returns the dimensions along which some vector moves.
std::vector<int> moving_dimensions(const FoldedNeighborhood& neighborhood) {
  std::vector<int> moving;
  const auto d = static_cast<std::size_t>(neighborhood.dimensions());
  for (std::size_t k = 0; k < d; ++k) {
    const std::span<const int> all = neighborhood.vectors();
    for (std::size_t at = k; at < all.size(); at += d) {
      if (all[at] == 0) continue;
      moving.push_back(static_cast<int>(k));
      break;
    }
  }
  return moving;
}

/// How to cross a part in digits.
struct Digits {
  int radix;
  LinearEmbedding embedding;  ///< the embedding of the projections, by number
};

class Search {
 public:
  Search(const Grid& grid, const FoldedNeighborhood& neighborhood, std::int64_t bytes, const CostModel& costs,
         const NearOffsets* near)
      : grid_(grid),
        neighborhood_(neighborhood),
        bytes_(bytes),
        costs_(costs),
        near_(near),
        moving_(moving_dimensions(neighborhood)),
        all_((Set{1} << moving_.size()) - 1),
        projections_(std::size_t{all_} + 1),
        is_end_(projections_.size()),
        nearness_(projections_.size()),
        digits_(projections_.size()) {
    for (std::uint32_t v = 0; v < neighborhood.size(); ++v) {
      if (grid.reaches(neighborhood[v])) vectors_.push_back(v);
    }
    for (Set set = 0; set <= all_; ++set) projections_[set] = project(set);
    for (Set set = 0; set <= all_; ++set) find_ends(set);
    for (Set set = 0; set <= all_; ++set) find_nearness(set);
  }

  FoundPaths find() {
    std::vector<double> groups(projections_.size(), kNever);
    std::vector<double> mixtures(projections_.size(), kNever);
    std::vector<Set> last_group(projections_.size());
    std::vector<Choice> last_part(projections_.size());
    groups[0] = mixtures[0] = 0;
    for (Set part = 1; part <= all_; ++part) choose_digits(part);
    for (Set set = 1; set <= all_; ++set) {
      for (Set part = set; part != 0; part = (part - 1) & set) {
        const double at_once = cost_at_once(set ^ part, part);
        const double in_digits = digits_[part] ? cost_in_digits(set ^ part, part, *digits_[part]) : kNever;
        if (groups[set ^ part] + at_once < groups[set]) {
          groups[set] = groups[set ^ part] + at_once;
          last_group[set] = part;
        }
        if (mixtures[set ^ part] + std::min(at_once, in_digits) < mixtures[set]) {
          mixtures[set] = mixtures[set ^ part] + std::min(at_once, in_digits);
          last_part[set] = {part, in_digits < at_once};
        }
      }
    }
    // No partition with two or more phases costs less than these. Any partition with a single phase is one stage for
    // all.
    const double one_stage = cost_at_once(0, all_);
    if (one_stage <= groups[all_] + costs_.second_phase()) last_group[all_] = all_;
    if (one_stage <= mixtures[all_] + costs_.second_phase()) last_part[all_] = {all_, false};
    FoundPaths found;
    for (Set set = all_; set != 0; set ^= last_group[set]) found.groups.push_back(make_part({last_group[set], false}));
    for (Set set = all_; set != 0; set ^= last_part[set].part) found.mixtures.push_back(make_part(last_part[set]));
    for (std::vector<PathPart>* parts : {&found.groups, &found.mixtures}) {
      std::ranges::reverse(*parts);
      add_still_dimensions(*parts);
    }
    return found;
  }

 private:
  struct Choice {
    Set part;
    bool in_digits;
  };

  [[nodiscard]] std::vector<int> dimensions_of(Set part) const {
    std::vector<int> dimensions;
    for (std::size_t place = 0; place < moving_.size(); ++place) {
      if ((part >> place & 1U) != 0) dimensions.push_back(moving_[place]);
    }
    return dimensions;
  }

  /// Returns the distinct projections of zero (the first) and of the vectors that lead to a process. Zero has number 0.
  [[nodiscard]] Numbering project(Set set) const {
    const Set lowest = set & -set;
    if (set == 0) return {std::vector<std::uint32_t>(1 + vectors_.size()), {0}};
    if (set == lowest) {
      std::vector<int> residues{0};
      const auto k = static_cast<std::size_t>(moving_[static_cast<std::size_t>(std::countr_zero(set))]);
      for (const std::uint32_t v : vectors_) residues.push_back(neighborhood_[v][k]);
      Numbering numbering = number_rows(residues, 1);
      const std::uint32_t zero =
          numbering.number_of.front();  // on a mesh residues may be less than zero: zero becomes number 0
      for (std::uint32_t& number : numbering.number_of) number = number == zero ? 0 : number == 0 ? zero : number;
      std::swap(numbering.first_of[0], numbering.first_of[zero]);
      return numbering;
    }
    const Numbering& one = projections_[lowest];
    const Numbering& other = projections_[set ^ lowest];
    std::vector<std::uint64_t> keys(one.number_of.size());
    for (std::size_t v = 0; v < keys.size(); ++v)
      keys[v] = one.number_of[v] * std::uint64_t{other.size()} + other.number_of[v];
    return number_keys(keys, std::uint64_t{one.size()} * other.size());
  }

  /// Finds which projections onto a set are neighbors themselves.
  void find_ends(Set set) {
    is_end_[set].assign(projections_[set].size(), 0);
    for (std::size_t v = 1; v <= vectors_.size(); ++v) {
      if (projections_[all_ ^ set].number_of[v] == 0) is_end_[set][projections_[set].number_of[v]] = 1;
    }
  }

  /// Finds the nearness of the steps along a set's dimensions.
  void find_nearness(Set set) {
    const Numbering& steps = projections_[set];
    nearness_[set].assign(steps.size(), Nearness::far);
    if (near_ == nullptr) return;
    const std::vector<int> dimensions = dimensions_of(set);
    std::vector<int> step(static_cast<std::size_t>(grid_.dimensions()));
    for (std::size_t number = 1; number < steps.size(); ++number) {
      const std::span<const int> vector = neighborhood_[vectors_[steps.first_of[number] - 1]];
      for (const int k : dimensions) step[static_cast<std::size_t>(k)] = vector[static_cast<std::size_t>(k)];
      nearness_[set][number] = near_->nearness(step);
    }
  }

  /// Adds a round to a prediction: one message, or several if MPI cannot count the bytes.
  void add_round(Prediction& cost, std::int64_t blocks, std::int64_t ends, Nearness nearness) const {
    std::int64_t together = 0;
    for_each_message(blocks, bytes_, [&](std::int64_t, std::int64_t in_message) {
      costs_.add_message(cost, in_message, in_message * bytes_, SentData::warm, nearness);
      if (in_message > 1) together += in_message;
    });
    if (together == 0) return;
    // Copies into the messages and out of them; a block that comes alone is not copied.
    const std::int64_t copied = together + ends * together / blocks;
    costs_.add_copies(cost, copied, copied * bytes_);
  }

  /// Returns the cost of one stage for `part`, after the stages for `before`.
  [[nodiscard]] double cost_at_once(Set before, Set part) const {
    const Numbering& nodes = projections_[before | part];
    const Numbering& steps = projections_[part];
    std::vector<std::pair<std::int64_t, std::int64_t>> blocks_and_ends(steps.size());
    for (std::size_t node = 0; node < nodes.first_of.size(); ++node) {
      auto& round = blocks_and_ends[steps.number_of[nodes.first_of[node]]];
      ++round.first;
      round.second += is_end_[before | part][node];
    }
    Prediction cost;
    Nearness slowest = Nearness::near;
    for (std::size_t step = 1; step < blocks_and_ends.size(); ++step) {
      add_round(cost, blocks_and_ends[step].first, blocks_and_ends[step].second, nearness_[part][step]);
      if (nearness_[part][step] == Nearness::far) slowest = Nearness::far;
    }
    if (cost.rounds > 0) costs_.add_phase(cost, slowest);
    return costs_.of_part(cost);
  }

  /// Returns the cost of crossing `part` after `before` with a stage for each digit, lowest digit first.
  [[nodiscard]] double cost_in_digits(Set before, Set part, const Digits& digits) const {
    const Numbering& nodes = projections_[before | part];
    const Numbering& steps = projections_[part];
    const std::vector<std::int64_t>& multiples = digits.embedding.multiples;
    const Nearness nearness =
        nearness_of(near_, digits.embedding.vector);  // multiples of a vector that stays on a node stay there, too
    std::int64_t greatest = 0;
    for (const std::int64_t multiple : multiples) greatest = std::max(greatest, std::abs(multiple));
    Prediction cost;
    std::vector<std::int64_t> blocks(2 * static_cast<std::size_t>(digits.radix));
    FlatIndex known(nodes.first_of.size());
    for (std::int64_t unit = 1; unit <= greatest; unit *= digits.radix) {
      std::ranges::fill(blocks, 0);
      known.clear();
      for (const std::uint32_t v : nodes.first_of) {
        const std::int64_t multiple = multiples[steps.number_of[v]];
        const std::int64_t digit = multiple / unit % digits.radix;
        if (digit == 0) continue;
        const std::int64_t passed = multiple % (unit * digits.radix) + greatest;
        const std::int64_t key = projections_[before].number_of[v] * (2 * greatest + 1) + passed;
        if (known.find_or_add(key, v) == v) ++blocks[static_cast<std::size_t>(digit + digits.radix)];
      }
      const std::int64_t rounds = cost.rounds;
      for (const std::int64_t together : blocks) {
        if (together > 0) add_round(cost, together, together, nearness);
      }
      if (cost.rounds > rounds) costs_.add_phase(cost, nearness);
    }
    return costs_.of_part(cost);
  }

  [[nodiscard]] double least_of_two_digits(Nearness nearness) const {
    Prediction least;
    for (int digit = 0; digit < 2; ++digit) {
      costs_.add_message(least, 1, bytes_, SentData::warm, nearness);
      costs_.add_phase(least, nearness);
    }
    return costs_.of_part(least);
  }

  /// Finds the best way to cross a part in digits, by itself, if that costs less than crossing the part at once.
  void choose_digits(Set part) {
    const Numbering& steps = projections_[part];
    double best = cost_at_once(0, part);
    if (best <= std::min(least_of_two_digits(Nearness::near), least_of_two_digits(Nearness::far))) return;
    std::vector<std::uint32_t> which;  // a vector for each projection but zero
    for (const std::uint32_t first : std::span(steps.first_of).subspan(1)) which.push_back(vectors_[first - 1]);
    for (LinearEmbedding& embedding : linear_embeddings(grid_, neighborhood_, dimensions_of(part), which)) {
      embedding.multiples.insert(embedding.multiples.begin(), 0);
      for (const int radix : kRadices) {
        const Digits digits{radix, embedding};
        const double cost = cost_in_digits(0, part, digits);
        if (cost >= best) continue;
        best = cost;
        digits_[part] = digits;
      }
    }
  }

  [[nodiscard]] PathPart make_part(const Choice& choice) const {
    PathPart made{dimensions_of(choice.part), 0, std::nullopt};
    if (!choice.in_digits) return made;
    const Digits& digits = *digits_[choice.part];
    made.radix = digits.radix;
    made.embedding = LinearEmbedding{digits.embedding.vector, std::vector<std::int64_t>(neighborhood_.size())};
    for (std::size_t i = 0; i < vectors_.size(); ++i) {
      made.embedding->multiples[vectors_[i]] = digits.embedding.multiples[projections_[choice.part].number_of[i + 1]];
    }
    return made;
  }

  /// Adds a part for each dimension along which nothing moves: a stage without steps. Each dimension must be in a part.
  void add_still_dimensions(std::vector<PathPart>& parts) const {
    for (int k = 0; k < grid_.dimensions(); ++k) {
      if (!std::ranges::binary_search(moving_, k)) parts.push_back({{k}, 0, std::nullopt});
    }
  }

  const Grid& grid_;
  const FoldedNeighborhood& neighborhood_;
  std::int64_t bytes_;
  const CostModel& costs_;
  const NearOffsets* near_;
  std::vector<int> moving_;
  Set all_;
  std::vector<std::uint32_t> vectors_;             ///< vectors that lead to a process
  std::vector<Numbering> projections_;             ///< by set
  std::vector<std::vector<std::uint8_t>> is_end_;  ///< by set and projection
  std::vector<std::vector<Nearness>> nearness_;    ///< by set and projection
  std::vector<std::optional<Digits>> digits_;      ///< by part; none if they save nothing
};

}  // namespace

FoundPaths search_allgather_paths(const Grid& grid, const FoldedNeighborhood& neighborhood, std::int64_t bytes,
                                  const CostModel& costs, const NearOffsets* near) {
  return Search(grid, neighborhood, bytes, costs, near).find();
}

double expected_search_nanoseconds(const Grid& grid, const FoldedNeighborhood& neighborhood) {
  const std::size_t moving = moving_dimensions(neighborhood).size();
  if (moving > kMostDimensionsToSearch || grid.dimensions() > 64) return kNever;
  double parts = 1;
  for (std::size_t i = 0; i < moving; ++i) parts *= 3;
  const auto sets = static_cast<double>(std::size_t{1} << moving);
  const auto n = static_cast<double>(neighborhood.size() + 1);
  constexpr double kSet = 300;  // measured
  constexpr double kSetKey = 30;
  constexpr double kPart = 60;
  constexpr double kPartKey = 4;
  return sets * (kSet + kSetKey * n) + parts * (kPart + kPartKey * n);
}

}  // namespace rondo::internal
