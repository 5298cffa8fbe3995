// Scatter and allgather: Barnett, Gupta, Payne, Shuler, van de Geijn and Watts, "Interprocessor Collective
// Communication Library (InterCom)", SHPCC 1994, section 5; Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005,
// section 4.2. The scatter goes down a binomial tree; the allgather is that of a circulant graph (Träff, arXiv
// 2407.18004, section 2.3), in which nobody gets what it has from the scatter.
#include "collectives/blocks/round_messages.hpp"
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/topology/circulant_graph.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace rondo::internal::broadcast {
namespace {

Segments shares_of(const Problem& problem) { return segments_of(problem.bytes(), 0, problem.size); }

class ScatterAllgather {
 public:
  ScatterAllgather(const Problem& problem, ScheduleBuilder& builder)
      : problem_(problem),
        builder_(builder),
        shares_(shares_of(problem)),
        number_(problem.number()),
        parts_(problem, shares_, problem.size, builder) {}

  void build() {
    const int top = static_cast<int>(std::bit_ceil(static_cast<unsigned>(problem_.size))) / 2;
    for (int half = top; half > 0 && parts_.count() > 0; half /= 2) scatter(half);
    const std::vector<int> skips = circulant_skips(problem_.size);
    for (std::size_t k = 0; k + 1 < skips.size() && parts_.count() > 0; ++k) gather(skips[k], skips[k + 1]);
    builder_.reserve_tags(tag_);
  }

 private:
  /// Returns whether the rank with a number has a part after the scatter.
  [[nodiscard]] static bool is_given(int number, int part) {
    const int lowest_bit = number & -number;
    return number == 0 || (part >= number && part < number + lowest_bit);
  }
  void add(RoundSide<>& side, int part) {
    if (part < parts_.count()) side.add(parts_[part], builder_.bytes(parts_[part]));
  }

  /// Builds a level of the scatter: ranks whose number is a multiple of twice `half` send half of their parts away.
  void scatter(int half) {
    builder_.begin_phase();
    clear();
    const bool gives = number_ % (2 * half) == 0 && number_ + half < problem_.size;
    const bool takes = number_ % (2 * half) == half;
    for (int i = 0; i < half; ++i) {
      if (gives) add(outgoing_, number_ + half + i);
      if (takes) take(number_ + i);
    }
    finish(gives ? number_ + half : 0, takes ? number_ - half : 0, half);
  }

  /// Builds a round of the allgather: the rank has parts [number, number + skip) and gets those up to number + next.
  void gather(int skip, int next) {
    const int p = problem_.size;
    const int to = (number_ - skip + p) % p;
    const int from = (number_ + skip) % p;
    builder_.begin_phase();
    clear();
    for (int j = 0; j < next - skip; ++j) {
      const int going = (number_ + j) % p;
      const int coming = (from + j) % p;
      if (!is_given(to, going)) add(outgoing_, going);
      if (!is_given(number_, coming)) take(coming);
    }
    finish(to, from, next - skip);
  }

  void clear() {
    outgoing_.clear();
    incoming_.clear();
    taken_.clear();
  }
  void take(int part) {
    if (part >= parts_.count()) return;
    add(incoming_, part);
    taken_.push_back(part);
  }
  void finish(int to, int from, int most) {
    exchange_round(problem_.rank_of(to), problem_.rank_of(from), tag_, outgoing_, incoming_, builder_);
    parts_.land(taken_, builder_);
    tag_ += messages_of(most, shares_.bytes);  // the same on all ranks: fewer parts do not need more tags
  }

  const Problem& problem_;
  ScheduleBuilder& builder_;
  Segments shares_;
  int number_;
  Parts parts_;
  std::uint32_t tag_ = 1;
  RoundSide<> outgoing_;
  RoundSide<> incoming_;
  std::vector<int> taken_;
};

}  // namespace

void build_scatter_allgather(const Problem& problem, ScheduleBuilder& builder) {
  ScatterAllgather(problem, builder).build();
}

Prediction predict_scatter_allgather(const Problem& problem) {
  const CostModel& costs = problem.costs;
  const Segments shares = shares_of(problem);
  Prediction prediction;
  if (shares.count == 0) return prediction;
  const auto add_round = [&](std::int64_t parts) {
    costs.add_phase(prediction);
    for_each_message(std::min<std::int64_t>(parts, shares.count), shares.bytes, [&](std::int64_t, std::int64_t each) {
      costs.add_message(prediction, each, each * shares.bytes, SentData::warm);
    });
  };
  for (auto half = std::bit_ceil(static_cast<unsigned>(problem.size)) / 2; half > 0; half /= 2) add_round(half);
  const std::vector<int> skips = circulant_skips(problem.size);
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) add_round(skips[k + 1] - skips[k]);
  return prediction;
}

}  // namespace rondo::internal::broadcast
