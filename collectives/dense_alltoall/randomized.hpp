/// @file
/// The randomized alltoall: the order of blocks, their segments, and the dynamic selection.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_RANDOMIZED_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_RANDOMIZED_HPP

#include "collectives/dense_alltoall/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::dense {

/// The row of one rank in the randomized anti-circulant matrix (randomized alltoall, section 2, figure 1): a row for
/// each rank, a column for each iteration, the first row the shuffled ranks, each further one the row before shifted to
/// the left by one. Every column is a permutation of the ranks.
class AntiCirculant {
 public:
  AntiCirculant(int rank, std::vector<int> shuffled_ranks);

  /// Returns the first row.
  [[nodiscard]] std::span<const int> ranks() const noexcept { return ranks_; }
  /// Returns the rank to which this one sends in iteration i, from 0 to p - 1: the entry of its row.
  [[nodiscard]] int send_to(int i) const { return ranks_[(static_cast<std::size_t>(i) + rank_) % ranks_.size()]; }
  /// Returns the rank from which this one receives in iteration i: the rank whose row has this rank in column i.
  [[nodiscard]] int receive_from(int i) const {
    return static_cast<int>((place_ + ranks_.size() - static_cast<std::size_t>(i)) % ranks_.size());
  }

 private:
  std::size_t rank_;
  std::vector<int> ranks_;
  std::size_t place_;  ///< place of this rank in the first row
};

/// Maximum number of segments of a block. A segment of every pair is a separate message with a separate tag.
inline constexpr std::int64_t kMostSegments = 1024;

/// The way in which algorithm 3 cuts blocks: into segments of `bytes` bytes each from the start; the rest of a block
/// comes last.
struct Segments {
  std::int64_t bytes;
  int count;  ///< number of whole segments of the largest block
};
/// Returns how to cut blocks: into segments of options.segment bytes, or longer ones if there would be more than
/// kMostSegments. The same on all ranks.
[[nodiscard]] Segments segments_of(const Problem& problem);

/// Bounds, in bytes, of the blocks that the paper's dynamic selection calls medium: blocks of less than 512 bytes are
/// not randomized, those of 512 to 16384 are by algorithms 1 and 2, longer ones by algorithm 3 (section 2, footnotes 2
/// to 4).
inline constexpr std::int64_t kMediumBlock = 512;
inline constexpr std::int64_t kLargestMediumBlock = 16384;
/// Maximum number of processes for which algorithm 1 takes medium blocks. The paper gives no number.
inline constexpr int kFewProcesses = 16;

/// The algorithms among which the paper's dynamic selection chooses.
enum class PaperChoice : std::uint8_t { direct, scatter, randomized, segmented };
/// Returns the algorithm that the paper's dynamic selection takes for `size` ranks and blocks of `bytes` bytes.
[[nodiscard]] constexpr PaperChoice paper_choice(int size, std::int64_t bytes) noexcept {
  if (bytes < kMediumBlock) return PaperChoice::direct;
  if (bytes > kLargestMediumBlock) return PaperChoice::segmented;
  return size <= kFewProcesses ? PaperChoice::scatter : PaperChoice::randomized;
}

/// Builds algorithm 1 of the paper: all receives, then all sends, each in the order of the shuffled ranks. Predicted as
/// the direct algorithm.
void build_scatter(const Problem& problem, ScheduleBuilder& builder);

/// Builds algorithm 2 of the paper: in iteration i a rank sends to and receives from the ranks that the matrix says.
/// `exchanges` iterations, at least 1, are in flight, as a window or in batches. Predicted as the direct algorithm
/// through as many ports.
void build_randomized(const Problem& problem, Queue queue, int exchanges, ScheduleBuilder& builder);

/// Builds algorithm 3 of the paper, for problems whose largest block is known: algorithm 2 for each segment, then
/// algorithm 1 for the rests of the blocks. A batch ends with each segment.
void build_segmented(const Problem& problem, Queue queue, int exchanges, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_segmented(const Problem& problem, Queue queue, int exchanges);

}  // namespace rondo::internal::dense

#endif
