/// @file
/// Contenders: the plans among which an operation, or calls, find out the fastest.
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

/// The model is rarely wrong by more.
inline constexpr double kFactor = 2;
/// Each one that is tried costs starts, so those after the first two must be nearer.
inline constexpr double kFactorOfThird = 1.5;
/// The model is rarely wrong by more than this about whole algorithms, of which the best one beyond the others' factor
/// is tried, too, where there is room.
inline constexpr double kFactorOfOutsider = 3;
/// What takes MPI where there is shared memory costs more than predicted as soon as ranks share cores.
inline constexpr double kFactorOverMpi = 1.25;

/// The name of the contender that is no plan of Rondo's: MPI's own function.
inline constexpr std::string_view kMpisOwn = "MPI's";

struct Contender {
  std::string name;                               ///< of its plan, by which choose() builds it, or kMpisOwn
  MessageForm messages = MessageForm::automatic;  ///< of all of them; automatic: as without learning
  bool over_mpi = false;                          ///< no messages of it go through shared memory
  double predicted = 0;                           ///< ns; 0: nobody knows
  double measured = 0;                            ///< ns, the mean over all ranks, as they last agreed on it; 0: never
  /// Automatic: as without learning.
  ProgressMode progress = ProgressMode::automatic;
};

/// What a contender is called in the file of RONDO_LEARNED, and what this says of it.
[[nodiscard]] std::string name_of(const Contender& contender);
struct NamedContender {
  std::string_view plan;
  MessageForm messages;
  bool over_mpi = false;
  ProgressMode progress = ProgressMode::automatic;
};
[[nodiscard]] NamedContender named_contender(std::string_view name) noexcept;

/// What the chosen plan takes where all its messages have one form, in ns; infinite: that is not to be tried.
struct TimesOfForms {
  double staged = std::numeric_limits<double>::infinity();
  double datatype = std::numeric_limits<double>::infinity();
};

/// The chosen one first; the best plan of another algorithm, if the model puts it within a factor of two of the best;
/// the chosen one in another progress mode; the chosen one with other forms of its messages, within a factor of one and
/// a half; what would be chosen if all messages took MPI, within a quarter; the best plans of further algorithms, and
/// further plans of the same ones, within one and a half. With an `outsider` the best plan of an algorithm that is
/// left, within a factor of three, comes last. Of those that are alike to the model, one. At most `most`; the same on
/// all ranks. None where nothing was compared. `over_mpi`: null where that is not to be tried; `other_mode`: automatic
/// where there is none to be tried.
[[nodiscard]] std::vector<Contender> contenders(const Chosen& chosen, std::size_t most, bool outsider,
                                                const TimesOfForms& forms = {}, const Chosen* over_mpi = nullptr,
                                                ProgressMode other_mode = ProgressMode::automatic);

/// Adds MPI's own function behind the others; in place of the last one where there are `most`.
void add_mpis_own(std::vector<Contender>& contenders, std::size_t most);

}  // namespace rondo::internal::learning

#endif
