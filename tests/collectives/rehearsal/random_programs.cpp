// Random lowerings: steps of all ranks in one order, of which each rank says its own. What they do one after the other
// is what the schedules must do in any order that the builder allows, in all orderings and forms of messages.
#include <gtest/gtest.h>
#include <rondo/own/check.hpp>

#include "tests/support/cases/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::random_programs_test {
namespace {

/// Unsigned numbers, as sums may wrap.
using Number = unsigned;

/// Each rank has as many blocks of each kind, of one length.
enum class Kind { sent, received, operand, transit };
constexpr int kOfEachKind = 3;
constexpr int kBlocks = 4 * kOfEachKind;
Kind kind_of(int block) { return static_cast<Kind>(block / kOfEachKind); }

struct Step {
  enum class What { message, copy, compute, reduce, phase } what;
  int from_rank;
  int to_rank;  ///< the same but for a message
  std::vector<int> from{};
  std::vector<int> to{};
};

class DrawnProgram {
 public:
  DrawnProgram(std::uint64_t seed, bool strided)
      : random_(seed), strided_(strided), ranks_(1 + draw(5)), states_(static_cast<std::size_t>(ranks_ * kBlocks)) {
    for (int i = 0; i < 40; ++i) add_step();
  }

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] std::size_t elements() const { return static_cast<std::size_t>(kOfEachKind * span()); }
  [[nodiscard]] std::size_t steps() const { return steps_.size(); }

  void build(rondo::ScheduleBuilder& build, int rank, MPI_Datatype type) const {
    std::vector<Block> blocks;
    if (!strided_) build.set_reduction(kLength, MPI_UNSIGNED, MPI_SUM);
    for (int block = 0; block < kBlocks; ++block) blocks.push_back(make_block(build, block, type));
    const auto those = [&](const std::vector<int>& numbers) {
      std::vector<Block> chosen;
      for (const int number : numbers) chosen.push_back(blocks[static_cast<std::size_t>(number)]);
      return chosen;
    };
    for (const Step& step : steps_) {
      if (step.what == Step::What::phase) build.begin_phase();
      if (step.what == Step::What::message && step.from_rank == rank) build.send(step.to_rank, those(step.from));
      if (step.what == Step::What::message && step.to_rank == rank) build.receive(step.from_rank, those(step.to));
      if (step.what == Step::What::copy && step.from_rank == rank) build.copy(those(step.from), those(step.to));
      if (step.what == Step::What::compute && step.from_rank == rank)
        build.compute(those(step.from), those(step.to), [this, &step](const ComputeBlocks& it) { compute(step, it); });
      if (step.what == Step::What::reduce && step.from_rank == rank) build.reduce(those(step.from), those(step.to));
    }
  }

  /// One step after the other.
  void define(int rank, std::span<const std::vector<Number>> sent, std::vector<Number>& recv) const {
    std::vector<std::vector<Number>> held(static_cast<std::size_t>(ranks_ * kBlocks), std::vector<Number>(kLength));
    for (int of_rank = 0; of_rank < ranks_; ++of_rank) {
      for (int block = 0; block < kOfEachKind; ++block) {
        for (int i = 0; i < kLength; ++i)
          held[at(of_rank, block)][static_cast<std::size_t>(i)] =
              sent[static_cast<std::size_t>(of_rank)][place(block, i)];
      }
    }
    for (const Step& step : steps_) {
      const auto before = held;
      for (std::size_t i = 0; i < step.to.size(); ++i) {
        const std::vector<Number>& source = before[at(step.from_rank, step.from[i])];
        std::vector<Number>& target = held[at(step.to_rank, step.to[i])];
        if (step.what != Step::What::reduce) target.assign(target.size(), 0);
        const Number times = step.what == Step::What::compute ? kTimes : 1;
        for (std::size_t k = 0; k < target.size(); ++k) target[k] += times * source[k];
      }
    }
    for (int block = 0; block < kOfEachKind; ++block) {
      const int number = kOfEachKind + block;
      if (!states_[at(rank, number)].written) continue;  // holds what it held
      for (int i = 0; i < kLength; ++i) recv[place(block, i)] = held[at(rank, number)][static_cast<std::size_t>(i)];
    }
  }

 private:
  static constexpr int kLength = 3;
  static constexpr Number kTimes = 3;  ///< what a function does

  void compute(const Step& step, const ComputeBlocks& blocks) const {
    const auto element = [&](int block, auto* address, int i) {
      const bool gaps = strided_ && (kind_of(block) == Kind::sent || kind_of(block) == Kind::received);
      return address + (gaps ? 2 * i : i);
    };
    for (std::size_t pair = 0; pair < step.to.size(); ++pair) {
      const auto* from = static_cast<const Number*>(blocks.read_address(pair));
      auto* to = static_cast<Number*>(blocks.write_address(pair));
      for (int i = 0; i < kLength; ++i) *element(step.to[pair], to, i) = kTimes * *element(step.from[pair], from, i);
    }
  }

  struct State {
    bool written = false;
    bool read = true;  ///< since it was written
  };

  [[nodiscard]] int draw(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }
  /// Elements from one block to the next.
  [[nodiscard]] int span() const { return strided_ ? 2 * kLength : kLength; }
  [[nodiscard]] std::size_t place(int block, int element) const {
    return static_cast<std::size_t>(block * span() + element * (strided_ ? 2 : 1));
  }
  [[nodiscard]] static std::size_t at(int rank, int block) { return static_cast<std::size_t>(rank * kBlocks + block); }
  [[nodiscard]] Block make_block(rondo::ScheduleBuilder& build, int block, MPI_Datatype type) const {
    const std::int64_t offset = std::int64_t{block % kOfEachKind} * span() * 4;
    const int count = strided_ ? 1 : kLength;
    switch (kind_of(block)) {
      case Kind::sent:
        return build.send_block(offset, count, type);
      case Kind::received:
        return build.recv_block(offset, count, type);
      case Kind::operand:
        return strided_ ? build.transit(kLength * 4) : build.operand();
      case Kind::transit:
        break;
    }
    return build.transit(kLength * 4);
  }

  void add_step() {
    if (draw(12) == 0) {
      steps_.push_back({Step::What::phase, 0, 0});
      return;
    }
    Step step{static_cast<Step::What>(draw(strided_ ? 3 : 4)), draw(ranks_), draw(ranks_)};
    if (step.what != Step::What::message) step.to_rank = step.from_rank;
    for (int left = step.what == Step::What::message ? 1 + draw(3) : 1; left > 0; --left) add_pair(step);
    if (step.to.empty()) return;
    for (const int block : step.from) states_[at(step.from_rank, block)].read = true;
    for (const int block : step.to) states_[at(step.to_rank, block)] = {true, false};
    steps_.push_back(std::move(step));
  }
  /// One block more, if chance finds some that may be read and written.
  void add_pair(Step& step) {
    const int from = draw(kBlocks);
    const int to = kOfEachKind + draw(kBlocks - kOfEachKind);
    const bool reduces = step.what == Step::What::reduce;
    const State& source = states_[at(step.from_rank, from)];
    const State& target = states_[at(step.to_rank, to)];
    if (kind_of(from) != Kind::sent && !source.written) return;
    if (reduces ? !target.written : !target.read) return;
    if (reduces && (kind_of(from) == Kind::transit || kind_of(to) == Kind::transit)) return;
    const bool same_rank = step.from_rank == step.to_rank;
    const auto in = [](const std::vector<int>& list, int block) { return std::ranges::count(list, block) > 0; };
    if (in(step.from, from) || in(step.to, to)) return;
    if (same_rank && (from == to || in(step.from, to) || in(step.to, from))) return;
    step.from.push_back(from);
    step.to.push_back(to);
  }

  std::mt19937_64 random_;
  bool strided_;
  int ranks_;
  std::vector<State> states_;
  std::vector<Step> steps_;
};

TEST(RandomPrograms, DoWhatTheirStepsDoOneAfterTheOther) {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_UNSIGNED, &column);
  MPI_Type_commit(&column);
  std::size_t steps = 0;
  for (const std::uint64_t seed : seeds(400)) {
    const bool strided = seed % 4 == 3;
    const DrawnProgram program(seed, strided);
    const Lowering lower = [&](rondo::ScheduleBuilder& build, int rank, int) {
      program.build(build, rank, strided ? column : MPI_UNSIGNED);
    };
    const auto define = [&](int rank, std::span<const std::vector<Number>> sent, std::vector<Number>& recv) {
      program.define(rank, sent, recv);
    };
    const CheckResult result =
        rondo::check<Number>(lower, program.ranks(), {.send = program.elements(), .recv = program.elements()}, define,
                             CheckOptions{.seeds = 6});
    ASSERT_TRUE(result.ok()) << "RONDO_SEED=" << seed << ", " << program.ranks() << " ranks: " << result;
    steps += program.steps();
  }
  EXPECT_GT(steps, 10 * seeds(400).size());
  MPI_Type_free(&column);
}

}  // namespace
}  // namespace rondo::internal::random_programs_test
