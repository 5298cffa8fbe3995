/// @file
/// PathExpansion: how blocks reach their neighbors through other processes.
#ifndef RONDO_COLLECTIVES_PATHS_PATH_EXPANSION_HPP
#define RONDO_COLLECTIVES_PATHS_PATH_EXPANSION_HPP

#include "collectives/topology/linear_embedding.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

/// The radices that the searches try for a part in digits.
inline constexpr std::array kRadices{2, 3, 4, 8, 16};

/// Index of a step within its stage.
using StepId = std::uint32_t;
/// The step of a block that stays where it is during a stage.
inline constexpr StepId kStays = std::numeric_limits<StepId>::max();

/// One stage: blocks move by one of a few steps, or stay. All blocks that take the same step in a stage share a message
/// (a round); stages are a schedule's phases.
struct ExpansionStage {
  std::vector<int> steps;       ///< the distinct steps, d coordinates each, none of them zero, alike on all ranks
  std::vector<StepId> step_of;  ///< for each of the t neighbors, the step that its block takes, or kStays
};

/// A neighborhood whose offsets are each written as a sum of steps, one for each stage (ICPP 2019, section 3.1, "path
/// expansion", and 3.4). Steps are residues of the grid: in [0, size) in a periodic dimension, unchanged in another.
/// All processes expand alike, so that all blocks at one place on their paths take the same step. On a mesh a path goes
/// from coordinate to coordinate without turning back, so that it lies within the mesh whenever its ends do.
///
/// Takes O(t * stages) memory. A value; all functions are local.
class PathExpansion {
 public:
  PathExpansion(std::string name, int dimensions, std::vector<ExpansionStage> stages)
      : name_(std::move(name)), dimensions_(dimensions), stages_(std::move(stages)) {}

  /// Returns the expansion's name for people: "dimension-wise", ...
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] int dimensions() const noexcept { return dimensions_; }
  [[nodiscard]] std::span<const ExpansionStage> stages() const noexcept { return stages_; }
  /// Returns the d coordinates of a step.
  [[nodiscard]] std::span<const int> step(const ExpansionStage& stage, StepId step) const {
    const auto d = static_cast<std::size_t>(dimensions_);
    return std::span(stage.steps).subspan(step * d, d);
  }
  /// Returns the number of steps of a stage, which is its number of rounds.
  [[nodiscard]] StepId steps(const ExpansionStage& stage) const {
    return static_cast<StepId>(stage.steps.size() / static_cast<std::size_t>(dimensions_));
  }

 private:
  std::string name_;
  int dimensions_;
  std::vector<ExpansionStage> stages_;
};

/// How an expansion treats a group of dimensions. A block takes its residues along all of them in one stage, or, if
/// they are multiples m of one vector v, in a stage for each digit of m, by a step of the digit times a power of the
/// radix times v. All steps of a block have the sign of m, so that no block turns back.
struct PathPart {
  std::vector<int> dimensions;               ///< ascending
  int radix = 0;                             ///< 0 if crossed at once
  std::optional<LinearEmbedding> embedding;  ///< with a radix: that of the folded vectors along these dimensions
};

/// Returns a description of the parts for people: "dimensions 0, 1+2, 3 in powers of 2".
[[nodiscard]] std::string describe(std::span<const PathPart> parts);

/// Returns the stage of a part that is crossed at once, if it is known which vectors have equal residues along it.
/// `number_of`: the number of each vector, 0 if its residues are all zero. `first_of`: a vector of each number. O(t +
/// steps * d).
[[nodiscard]] ExpansionStage stage_across(const FoldedNeighborhood& neighborhood, std::span<const int> dimensions,
                                          std::span<const std::uint32_t> number_of,
                                          std::span<const std::uint32_t> first_of);
/// Returns the stages of a part that is crossed in digits, lowest digit first.
[[nodiscard]] std::vector<ExpansionStage> stages_in_digits(const Grid& grid, const FoldedNeighborhood& neighborhood,
                                                           const PathPart& part);

/// Returns the expansion that goes through the parts one after the other. Each dimension is in one part. O((t + u*d) *
/// stages) for t neighbors, u of them distinct.
[[nodiscard]] PathExpansion expand_in_parts(const Grid& grid, const FoldedNeighborhood& neighborhood,
                                            std::span<const PathPart> parts, std::string name);

/// Returns the expansion with one stage for each dimension, in the given order (a permutation of [0, d)). A block takes
/// its whole residue along a dimension at once: the paper's expansion. O(t*d).
[[nodiscard]] PathExpansion expand_by_dimension(const NeighborhoodFacts& facts, std::span<const int> order);
/// Returns the expansion with a single stage, in which each block takes its whole offset: nothing passes through other
/// processes.
[[nodiscard]] PathExpansion expand_directly(const NeighborhoodFacts& facts);

/// Returns the expansion with one stage for each group of dimensions, in the given order. A block takes its residues
/// along all dimensions of a group at once. Each dimension is in one group. A compromise between expand_by_dimension()
/// and expand_directly().
[[nodiscard]] PathExpansion expand_by_groups(const NeighborhoodFacts& facts, std::span<const std::vector<int>> groups,
                                             std::string name);

/// Returns for each distinct vector whether its basis vectors along all dimensions are in the neighborhood (EuroMPI
/// 2015, section 5.2). O(u*d).
[[nodiscard]] std::vector<bool> through_neighbors(const FoldedNeighborhood& neighborhood);

/// Returns an expansion dimension by dimension, but a block goes only through processes that are neighbors themselves:
/// if one of its basis vectors is not in the neighborhood, the block takes its whole offset in the first stage (EuroMPI
/// 2015, section 5.2).
[[nodiscard]] PathExpansion expand_through_neighbors(const Grid& grid, const FoldedNeighborhood& neighborhood);

/// Returns the dimensions in order of increasing C_k, the number of distinct non-zero residues along k (ICPP 2019,
/// section 3.2).
[[nodiscard]] std::vector<int> order_by_distinct_residues(const NeighborhoodFacts& facts);

}  // namespace rondo::internal

#endif
