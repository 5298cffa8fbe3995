/// @file
/// Compares variants of one operation, interleaved in one run.
#ifndef RONDO_BENCH_HARNESS_HPP
#define RONDO_BENCH_HARNESS_HPP

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One way to do the operation. `run` does it `times` times; `verify` does it once and says whether the data is right.
struct Variant {
  std::string name;
  bool ours;  ///< Rondo's; what is not is a rival
  std::function<void(int times)> run;
  std::function<bool()> verify;
  std::function<void()> clean_up{};  ///< called, if given, after each timing and not timed
  std::function<void()> set_up{};    ///< the same before each
};

/// What comes before each operation.
enum class Regime : std::uint8_t {
  back_to_back,  ///< the same operation
  alone          ///< what an application does between two exchanges: a pass over memory, and then a barrier
};

struct Options {
  double window_seconds = 0.006;  ///< length of one timing, of many repetitions, times the ranks that share a core
  int rounds = 15;                ///< good timings wanted of each variant
  int most_rounds = 40;
  double good_share = 0.9;  ///< of the cores' time that the ranks must have got together
  Regime regime = Regime::back_to_back;

  /// What a point is called: with the regime, where it is not back to back.
  [[nodiscard]] std::string named(const std::string& point) const {
    return regime == Regime::alone ? point + ", alone" : point;
  }
};

struct Quartiles {
  double lower;
  double median;
  double upper;
};
[[nodiscard]] Quartiles quartiles(std::vector<double> values);

struct Result {
  std::string name;
  bool ours;
  bool right;                   ///< delivers the data that the definition says
  std::vector<double> seconds;  ///< per operation, one for each round; rounds in which any window was bad are left out
};

struct Comparison {
  std::vector<Result> results;
  int discarded = 0;  ///< rounds left out because the machine was busy with something else
};

/// Times all variants, once each in a round, in an order that is drawn anew for each round, alike on all ranks: what
/// runs before an operation makes it faster or slower, and no variant is to follow the same other one always. Back to
/// back, a window's time is the slowest rank's, between two barriers. Alone, each operation of a window has a barrier
/// before it, and before that a pass over memory larger than the second-level cache; its time is that from its start to
/// its end on the slowest rank, and the window's the median of them. Collective over `comm`; the result is the same on
/// all ranks.
[[nodiscard]] Comparison compare(MPI_Comm comm, const std::vector<Variant>& variants, const Options& options);

/// The median over rounds of `of`'s time divided by `by`'s time in the same round, with quartiles.
[[nodiscard]] Quartiles ratio(const Result& of, const Result& by);

/// The fastest by median among those that deliver right data and that `wanted` picks; nullptr when there is none.
[[nodiscard]] const Result* best(const Comparison& comparison, const std::function<bool(const Result&)>& wanted);

}  // namespace bench

#endif
