/// @file
/// The randomized alltoall: in which order blocks go, in which segments, and when.
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

  /// The first row.
  [[nodiscard]] std::span<const int> ranks() const noexcept { return ranks_; }
  /// The rank that this one sends to in iteration i, from 0 to p - 1: the entry of its row.
  [[nodiscard]] int send_to(int i) const { return ranks_[(static_cast<std::size_t>(i) + rank_) % ranks_.size()]; }
  /// The one that it receives from: the rank whose row has this rank there.
  [[nodiscard]] int receive_from(int i) const {
    return static_cast<int>((place_ + ranks_.size() - static_cast<std::size_t>(i)) % ranks_.size());
  }

 private:
  std::size_t rank_;
  std::vector<int> ranks_;
  std::size_t place_;  ///< of this rank in the first row
};

/// Most segments that a block is cut into: a segment of every pair is a message of its own, with a tag of its own.
inline constexpr std::int64_t kMostSegments = 1024;

/// How blocks are cut (algorithm 3): into segments of so many bytes each from the start; what is left of a block comes
/// last.
struct Segments {
  std::int64_t bytes;
  int count;  ///< whole ones of the largest block
};
/// From options.segment, but longer where that would be more than kMostSegments. The same on all ranks.
[[nodiscard]] Segments segments_of(const Problem& problem);

/// Where it begins and ends that the paper's dynamic selection randomizes, by the bytes of a block: less than 512 are
/// not, 512 to 16384 are by algorithms 1 and 2, more by algorithm 3 (section 2, footnotes 2 to 4).
inline constexpr std::int64_t kMediumBlock = 512;
inline constexpr std::int64_t kLargestMediumBlock = 16384;
/// Up to so many processes are few, for which algorithm 1 takes medium blocks. The paper gives no number.
inline constexpr int kFewProcesses = 16;

enum class PaperChoice : std::uint8_t { direct, scatter, randomized, segmented };
/// What the dynamic selection takes for p ranks and blocks of `bytes` bytes.
[[nodiscard]] constexpr PaperChoice paper_choice(int size, std::int64_t bytes) noexcept {
  if (bytes < kMediumBlock) return PaperChoice::direct;
  if (bytes > kLargestMediumBlock) return PaperChoice::segmented;
  return size <= kFewProcesses ? PaperChoice::scatter : PaperChoice::randomized;
}

/// Algorithm 1: all receives, then all sends, each in the order of the shuffled ranks.
/// Predicted as the direct algorithm.
void build_scatter(const Problem& problem, ScheduleBuilder& builder);

/// Algorithm 2: in iteration i a rank sends to and receives from those that the matrix says; `exchanges` iterations, at
/// least 1, are in flight, as a window or in batches. Predicted as the direct algorithm through as many ports.
void build_randomized(const Problem& problem, Queue queue, int exchanges, ScheduleBuilder& builder);

/// Algorithm 3, for problems whose largest block is known: algorithm 2 for each segment, then algorithm 1 for what is
/// left of the blocks. A batch ends with each segment.
void build_segmented(const Problem& problem, Queue queue, int exchanges, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_segmented(const Problem& problem, Queue queue, int exchanges);

}  // namespace rondo::internal::dense

#endif
