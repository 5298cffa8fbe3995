#include "collectives/binding/learning_operation.hpp"

#include "collectives/binding/make_operation.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/learning/contenders.hpp"
#include "collectives/learning/learned_choice.hpp"
#include "collectives/learning/learned_file.hpp"
#include "collectives/tuning/tuning_file.hpp"
#include "datatypes/reading/this_mpi.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

/// Returns the schedule that sums the ranks' times of the candidates: an allreduce of a vector in place.
Chosen schedule_of_sums(const CallState& calls, const Settings& settings) {
  static const Layout word = Layout::contiguous(sizeof(std::int64_t));
  static const Layout words = Layout::contiguous(sizeof(learning::Times));
  const std::array<std::int64_t, 1> counts{learning::kMostCandidates};
  const std::array<BlockShape, 1> vector{BlockShape{0, &words}};
  const CommState& on = *calls.on();
  const dense_reduction::Problem problem{.rank = on.rank(),
                                         .size = on.size(),
                                         .kind = dense_reduction::Kind::allreduce,
                                         .send = vector,
                                         .counts = counts,
                                         .recv = vector[0],
                                         .op = {MPI_SUM, MPI_INT64_T, &word, true},
                                         .costs = calls.costs(settings),
                                         .in_place = true,
                                         .ranks_per_core = on.ranks_per_core()};
  return dense_reduction::choose(problem, "recursive-doubling", Ordering::dependencies);
}

std::string problem_of(std::string_view calls_of, const Chosen& chosen, const CallState& calls,
                       const Settings& settings) {
  std::string through(name_of(calls.medium(settings)));
  if (calls.on()->spans_nodes()) through += " and between nodes";
  if (settings.messages != MessageForm::automatic) through += std::string(", all ") + name(settings.messages);
  return learning::problem_name(chosen, calls_of, calls.on()->size(), through, mpi_name());
}

/// Returns whether this rank runs the operation inline, could run it in the background, and was asked for neither mode.
/// The opposite is never tried: if auto is async, programs may count on operations that advance by themselves.
bool may_choose_mode(Operation& first, const Settings& settings) {
  Engine& engine = Engine::process();
  return settings.progress == ProgressMode::automatic && first.progress() != ProgressMode::async &&
         engine.surroundings().thread_level >= level_for(ProgressMode::async) && engine.can_poll() &&
         first.execution().schedule().computations().empty();  // the user's functions keep to their threads
}

/// The result of agree_on_forms(): predicted times if the messages of all ranks had other forms than the builders
/// chose, and another mode in which operations could advance.
struct FormsOfAll {
  learning::TimesOfForms times;
  std::uint64_t pieces = 0;
  bool through_shm = false;                           ///< whether messages of some rank go through shared memory
  ProgressMode other_mode = ProgressMode::automatic;  ///< automatic: there is none that all ranks can have
};

/// Returns the other forms of messages and progress mode that all ranks could have. Collective; allocates nothing.
FormsOfAll agree_on_forms(const Chosen& chosen, Operation& first, const CommState& on, const Settings& settings) {
  const auto word = [](bool holds) { return holds ? std::uint64_t{1} : std::uint64_t{0}; };
  const OtherForms& here = chosen.other_forms;
  std::array words{static_cast<std::uint64_t>(here.staged), static_cast<std::uint64_t>(here.datatype),
                   static_cast<std::uint64_t>(here.pieces), word(first.execution().connected()),
                   word(may_choose_mode(first, settings))};
  sum_over_ranks(words, on.comm());
  const auto time_of = [&](std::uint64_t more) {
    const double mean = static_cast<double>(more) / on.size();
    return more == 0 ? std::numeric_limits<double>::infinity()
                     : chosen.candidates.front().prediction.nanoseconds + mean;
  };
  const auto ranks = static_cast<std::uint64_t>(on.size());
  const bool all_may = ranks > 1 && words[4] == ranks;
  return {{time_of(words[0]), time_of(words[1])},
          words[2],
          words[3] > 0,
          all_may ? ProgressMode::async : ProgressMode::automatic};
}

/// Returns a word, never 0, that names a candidate to other ranks, with the form of its messages and its mode. The
/// candidate is one of those for messages that may take shared memory, or for messages over MPI alone.
std::uint64_t word_of(std::size_t candidate, MessageForm messages, bool over_mpi, ProgressMode progress) {
  static_assert(kProgressModes <= 4);
  return 32 * (static_cast<std::uint64_t>(candidate) + 1) + 8 * static_cast<std::uint64_t>(progress) +
         (over_mpi ? 4 : 0) + static_cast<std::uint64_t>(messages);
}

std::size_t candidate_of(std::uint64_t word) { return static_cast<std::size_t>(word / 32 - 1); }
ProgressMode mode_of(std::uint64_t word) { return static_cast<ProgressMode>(word / 8 % 4); }
bool is_over_mpi(std::uint64_t word) { return word / 4 % 2 == 1; }
MessageForm form_of(std::uint64_t word) { return static_cast<MessageForm>(word % 4); }

/// Returns the word of the candidate that this or an earlier run has found to be the fastest. Returns 0 if none was
/// found, or the one found cannot be had now.
std::uint64_t known_candidate(const Chosen& chosen, const Chosen* over_mpi, ProgressMode other_mode,
                              const std::string& problem) {
  const std::optional<std::string> known = learning::learned_plan(problem);
  if (!known) return 0;
  const auto find = [&](const learning::NamedContender& one) -> std::uint64_t {
    if (one.progress != ProgressMode::automatic && one.progress != other_mode) return 0;
    const Chosen* from = one.over_mpi ? over_mpi : &chosen;
    for (std::size_t i = 0; from != nullptr && i < from->candidates.size(); ++i) {
      const Candidate& candidate = from->candidates[i];
      if (name_of_plan(candidate.algorithm, candidate.name) == one.plan)
        return word_of(i, one.messages, one.over_mpi, one.progress);
    }
    return 0;
  };
  const std::uint64_t word = find({*known, MessageForm::automatic});
  return word != 0 ? word : find(learning::named_contender(*known));
}

/// Sets in `settings` the form of messages and the progress mode that the word of a candidate names. A form of messages
/// that the user asked for is kept.
void take_known(Settings& settings, std::uint64_t word) noexcept {
  if (settings.messages == MessageForm::automatic) settings.messages = form_of(word);
  if (mode_of(word) != ProgressMode::automatic) settings.progress = mode_of(word);
}

/// Makes an operation of another candidate explain by which predictions all candidates were compared, and which way its
/// own messages take. Must not fail on one rank alone: without memory, the operation explains less.
void explain_as(const std::shared_ptr<const Chosen>& chosen, Explanation explanation, Operation& operation) {
  if (explanation == Explanation::its_own) return;
  static_cast<void>(
      trouble_in([&] { operation.explain = [chosen, of = &operation] { return explain(*chosen) + ways_of(*of); }; }));
}

/// Adds to an operation's explanation that the file of RONDO_LEARNED names it as the fastest.
void explain_as_known(Operation& operation, const std::string& plan, std::uint64_t known) {
  static_cast<void>(trouble_in([&] {
    const std::string fastest = learning::name_of(
        {.name = plan, .messages = form_of(known), .over_mpi = is_over_mpi(known), .progress = mode_of(known)});
    std::string more = "learned before: " + fastest + " is the fastest, says the file of RONDO_LEARNED on rank 0\n";
    auto explain = [alone = operation.explain, more = std::move(more)] { return alone() + more; };
    operation.explain = std::move(explain);
  }));
}

/// The part of learn_from() that takes memory on this rank. It is prepared before the ranks make operations together.
struct Prepared {
  std::vector<Settings> settings;           ///< for each contender; empty if there is nothing to learn
  std::vector<Settings> of_known;           ///< for each candidate, because any may be known to be the fastest
  std::vector<Settings> of_known_over_mpi;  ///< for each candidate over MPI
  std::unique_ptr<learning::LearnedChoice> choice;
  std::string problem;
  std::uint64_t known = 0;  ///< see known_candidate()
};

/// Returns the settings by which no message of the same call goes through shared memory.
Settings over_mpi(const Settings& settings, const CommState& on) {
  Settings its = settings;
  its.shm = SharedMemory::off;
  its.through_slots = false;
  its.through_mpi = on.counts_on_lanes();
  return its;
}

std::vector<Settings> for_each_candidate(const Chosen& chosen, const Settings& settings) {
  std::vector<Settings> all;
  for (const Candidate& candidate : chosen.candidates)
    all.emplace_back(settings).force(name_of_plan(candidate.algorithm, candidate.name));
  return all;
}

void prepare(Prepared& prepared, const Operation& first, const Chosen& chosen, const FormsOfAll& forms,
             CallState& calls, const Settings& settings, std::uint32_t most_tags, const ChooseBy& choose) {
  const CommState& on = *calls.on();
  const Settings apart = over_mpi(settings, on);
  std::shared_ptr<const Chosen> without_shm;
  if (choose && settings.through_slots && forms.through_shm) {
    without_shm = choose(apart);
    prepared.of_known_over_mpi = for_each_candidate(*without_shm, apart);
  }
  if (on.rank() == 0 && learning::has_learned_file()) {
    prepared.problem = problem_of(first.name(), chosen, calls, settings);
    if (settings.through_slots && !forms.through_shm) prepared.problem += ", none in shared memory";
    // Both the timings and the meaning of a plan whose name has no mode depend on the modes.
    if (forms.other_mode != ProgressMode::automatic) {
      prepared.problem += std::string(", RONDO_PROGRESS=") + name(first.progress()) + " or " + name(forms.other_mode);
    }
    if (forms.pieces > 0) prepared.problem += ", scattered in " + std::to_string(forms.pieces) + " pieces";
    prepared.known = known_candidate(chosen, without_shm.get(), forms.other_mode, prepared.problem);
  }
  std::vector<learning::Contender> contenders =
      contenders_of(chosen, calls, forms.times, without_shm.get(), forms.other_mode);
  for (const learning::Contender& contender : contenders) {
    Settings& its = prepared.settings.emplace_back(contender.over_mpi ? apart : settings);
    its.force(contender.name);
    if (contender.messages != MessageForm::automatic) its.messages = contender.messages;
    if (contender.progress != ProgressMode::automatic) its.progress = contender.progress;
  }
  prepared.of_known = for_each_candidate(chosen, settings);
  calls.tags().prepare_room(dense_reduction::most_tags(on.size()) +
                            static_cast<std::uint32_t>(contenders.size()) * most_tags);
  prepared.choice = std::make_unique<learning::LearnedChoice>(
      std::move(contenders), settings.learn, settings.learn_again, std::make_unique<learning::SummedTimes>(), on.rank(),
      on.size(), prepared.problem);
}

/// Returns the operation of the candidate known to be the fastest: `first`, or one made by `settings`. Collective.
std::unique_ptr<Operation> begin_with_known(std::unique_ptr<Operation> first,
                                            const std::shared_ptr<const Chosen>& chosen, std::uint64_t known,
                                            const Settings& settings, const MakeCandidate& make,
                                            Explanation explanation) {
  std::unique_ptr<Operation> operation = std::move(first);
  if (known != word_of(0, MessageForm::automatic, false, ProgressMode::automatic)) {
    operation.reset();  // and its shared memory
    operation = make(settings);
    explain_as(chosen, explanation, *operation);
  }
  explain_as_known(*operation, settings.algorithm, known);
  return operation;
}

/// Returns the operation that sums the times in `sums` over all ranks. `connects`: see bind_persistent(). Local.
std::unique_ptr<Operation> bind_sums(learning::SummedTimes& sums, CallState& calls, const Settings& settings,
                                     bool connects) {
  auto chosen = std::make_shared<const Chosen>(schedule_of_sums(calls, settings));
  void* const words = sums.words().data();
  return bind_persistent("learning", calls, std::move(chosen), {}, {words, words}, settings, connects,
                         settings.progress);
}

/// Makes the operation that sums the times in `sums` over all ranks, and connects it. Collective.
void make_sums(learning::SummedTimes& sums, CallState& calls, const Settings& settings) {
  std::unique_ptr<Operation> operation;
  const std::exception_ptr trouble = trouble_in([&] { operation = bind_sums(sums, calls, settings, true); });
  settle(trouble, true, operation, calls, settings, [](bool) {});
  calls.tags().take_persistent(operation->execution().schedule().tags());
  sums.set_operation(std::move(operation));
}

/// Returns the sums of times for calls that are not persistent, or null if there is no room for their tags. If it
/// throws, no tags were taken. Local.
std::shared_ptr<learning::SummedTimes> sums_of_calls(CallState& calls, const Settings& settings) {
  if (!calls.tags().has_room(dense_reduction::most_tags(calls.on()->size()))) return nullptr;
  auto sums = std::make_shared<learning::SummedTimes>();
  std::unique_ptr<Operation> operation = bind_sums(*sums, calls, settings, false);
  const std::shared_ptr<const PrivateComm>& own = calls.on()->own();
  if (!own->made()) sums->begin_after([on = calls.on()] { return on->own()->advance_duplicate(); });
  calls.tags().take_persistent(operation->execution().schedule().tags());
  sums->set_operation(std::move(operation));
  return sums;
}

/// Returns whether candidates that are predicted to be slow may be tried. If ranks share cores they may not, because
/// each change of candidate costs the ranks turns at their core.
bool may_try_outsider(const CallState& calls) { return calls.on()->ranks_per_core() <= 1; }

}  // namespace

std::vector<learning::Contender> contenders_of(const Chosen& chosen, const CallState& calls,
                                               const learning::TimesOfForms& forms, const Chosen* over_mpi,
                                               ProgressMode other_mode) {
  return learning::contenders(chosen, learning::kMostCandidates, may_try_outsider(calls), forms, over_mpi, other_mode);
}

double reach_of_contenders(const CallState& calls, const Settings& settings) {
  if (settings.learn == 0) return 0;
  return may_try_outsider(calls) ? learning::kFactorOfOutsider : learning::kFactor;
}

std::unique_ptr<Operation> learn_from(std::unique_ptr<Operation> first, const std::shared_ptr<const Chosen>& chosen,
                                      CallState& calls, const Settings& settings, std::uint32_t most_tags,
                                      const MakeCandidate& make, const ChooseBy& choose, Explanation explanation) {
  if (chosen->candidates.empty()) return first;
  const FormsOfAll forms = agree_on_forms(*chosen, *first, *calls.on(), settings);
  Prepared prepared;
  const std::exception_ptr trouble =
      trouble_in([&] { prepare(prepared, *first, *chosen, forms, calls, settings, most_tags, choose); });
  const std::uint64_t known = agree_that_all_is_well(trouble, {prepared.known, 0}, calls.on()->comm())[0];
  const std::size_t count = prepared.settings.size();
  calls.tags().make_room(dense_reduction::most_tags(calls.on()->size()) +
                         static_cast<std::uint32_t>(count) * most_tags);
  if (known != 0) {
    Settings& its = (is_over_mpi(known) ? prepared.of_known_over_mpi : prepared.of_known)[candidate_of(known)];
    take_known(its, known);
    return begin_with_known(std::move(first), chosen, known, its, make, explanation);
  }
  if (count < 2) return first;
  prepared.choice->set_operation(0, std::move(first));
  for (std::size_t i = 1; i < count; ++i) {
    std::unique_ptr<Operation> operation = make(prepared.settings[i]);
    explain_as(chosen, explanation, *operation);
    prepared.choice->set_operation(i, std::move(operation));
  }
  make_sums(prepared.choice->sums(), calls, settings);
  return learning::LearnedChoice::hand_out(std::move(prepared.choice));
}

std::shared_ptr<learning::LearningCalls> learning_of(learning::FormOfCall form, std::string_view collective,
                                                     const Chosen& chosen, CallState& calls, const Settings& settings,
                                                     MpisOwn mpis, const std::string& here) {
  const bool has_mpis = mpis == MpisOwn::is_to_be_had;
  if (chosen.candidates.size() + (has_mpis ? 1 : 0) < 2) return nullptr;
  const CommState& on = *calls.on();
  const std::string of_form =
      (form == learning::FormOfCall::blocking ? "blocking " : "nonblocking ") + std::string(collective);
  const std::string problem = problem_of(of_form, chosen, calls, settings) + (has_mpis ? ", or by MPI's own" : "");
  return calls.learning().find(problem, [&]() -> std::shared_ptr<learning::LearningCalls> {
    std::vector<learning::Contender> contenders = contenders_of(chosen, calls);
    if (has_mpis && !contenders.empty()) learning::add_mpis_own(contenders, learning::kMostCandidates);
    if (contenders.size() < 2) return nullptr;
    return std::make_shared<learning::LearningCalls>(
        of_form + " on " + std::string(on.own()->original()), std::move(contenders), settings.learn, on.rank(),
        on.size(), on.rank() == 0 && learning::has_learned_file() ? problem + here : std::string());
  });
}

std::optional<std::size_t> next_plan(learning::LearningCalls& learning, CallState& calls, const Settings& settings) {
  return learning.next_plan([&] { return sums_of_calls(calls, settings); });
}

}  // namespace rondo::internal
