/// @file
/// Contenders: the plans among which an operation, or calls, find the fastest.
#ifndef RONDO_COLLECTIVES_LEARNING_CONTENDERS_HPP
#define RONDO_COLLECTIVES_LEARNING_CONTENDERS_HPP

#include <rondo/progress.hpp>

#include "collectives/selection/selection.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::internal::learning {

/// Maximum factor between the predictions of the second candidate and of the best: the model is rarely wrong by more.
inline constexpr double kFactor = 2;
/// Maximum factor for later candidates, which must be nearer because each candidate that is tried costs starts.
inline constexpr double kFactorOfThird = 1.5;
/// Maximum factor between the predictions of an outsider and of the best candidate: predictions of whole algorithms
/// are rarely wrong by more. An outsider is the best plan of an algorithm that kFactor and kFactorOfThird rule out. At
/// most one outsider is tried, as the last candidate, if fewer than kMostCandidates come before it.
inline constexpr double kFactorOfOutsider = 3;
/// Maximum factor for plans over MPI when there is shared memory: they cost more than predicted as soon as ranks share
/// cores.
inline constexpr double kFactorOverMpi = 1.25;

/// The name of the contender that is MPI's own function, not a plan of Rondo.
inline constexpr std::string_view kMpisOwn = "MPI's";

struct Contender {
  std::string name;                               ///< name of its plan, by which choose() builds it, or kMpisOwn
  MessageForm messages = MessageForm::automatic;  ///< form of all its messages; automatic: as without learning
  bool over_mpi = false;                          ///< none of its messages goes through shared memory
  double predicted = 0;                           ///< ns; 0: not known
  double measured = 0;                            ///< ns, mean over all ranks, as they last agreed; 0: never
  /// Progress mode; automatic: as without learning.
  ProgressMode progress = ProgressMode::automatic;
};

/// Returns a contender's name in the file of RONDO_LEARNED. named_contender() returns the parts of such a name.
[[nodiscard]] std::string name_of(const Contender& contender);
struct NamedContender {
  std::string_view plan;
  MessageForm messages;
  bool over_mpi = false;
  ProgressMode progress = ProgressMode::automatic;
};
[[nodiscard]] NamedContender named_contender(std::string_view name) noexcept;

/// Times of the chosen plan if all its messages have one form, in ns; infinite: not to be tried.
struct TimesOfForms {
  double staged = std::numeric_limits<double>::infinity();
  double datatype = std::numeric_limits<double>::infinity();
};

/// Returns at most `most` candidates to be tried, the same on all ranks; none if nothing was compared. The order is:
/// the chosen plan; the best plan of another algorithm, if the model predicts at most twice the best time; the chosen
/// plan in another progress mode; the chosen plan with other forms of its messages, within a factor of one and a half;
/// the plan that would be chosen if all messages used MPI, within a quarter; the best plans of further algorithms, and
/// then further plans of the same ones, within one and a half. With an `outsider` the best plan of a remaining
/// algorithm, within a factor of three, comes last. Of plans that are alike to the model only one is returned.
/// `over_mpi`: null if no such plan is to be tried. `other_mode`: automatic if none is to be tried.
[[nodiscard]] std::vector<Contender> contenders(const Chosen& chosen, std::size_t most, bool outsider,
                                                const TimesOfForms& forms = {}, const Chosen* over_mpi = nullptr,
                                                ProgressMode other_mode = ProgressMode::automatic);

/// Adds MPI's own function as the last contender, in place of the last one if there are `most`.
void add_mpis_own(std::vector<Contender>& contenders, std::size_t most);

}  // namespace rondo::internal::learning

#endif
