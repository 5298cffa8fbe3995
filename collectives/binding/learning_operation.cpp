#include "collectives/binding/learning_operation.hpp"

#include "collectives/binding/make_operation.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/learning/contenders.hpp"
#include "collectives/learning/learned_choice.hpp"
#include "collectives/learning/learned_file.hpp"
#include "collectives/tuning/tuning_file.hpp"

#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

/// For the sums of all ranks' times: a vector in place.
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

std::string problem_of(const Operation& first, const Chosen& chosen, const CallState& calls, const Settings& settings) {
  std::string through(name_of(calls.medium(settings)));
  if (calls.on()->spans_nodes()) through += " and between nodes";
  return learning::problem_name(chosen, first.name(), calls.on()->size(), through, mpi_name());
}

/// The number of the candidate that this or an earlier run has found to be the fastest, plus 1; 0 where none has.
std::uint64_t known_candidate(const Chosen& chosen, const std::string& problem) {
  const std::optional<std::string> plan = learning::learned_plan(problem);
  for (std::size_t i = 0; plan && i < chosen.candidates.size(); ++i) {
    if (name_of_plan(chosen.candidates[i].algorithm, chosen.candidates[i].name) == *plan) return i + 1;
  }
  return 0;
}

/// The operation of a candidate that is known to be the fastest. Collective.
std::unique_ptr<Operation> begin_with_known(std::unique_ptr<Operation> first, const Chosen& chosen, std::size_t known,
                                            const Settings& settings, const MakeCandidate& make) {
  const Candidate& candidate = chosen.candidates[known];
  const std::string plan = name_of_plan(candidate.algorithm, candidate.name);
  std::unique_ptr<Operation> operation = std::move(first);
  if (known != 0) {
    Settings of_one = settings;
    of_one.algorithm = plan;
    operation = make(of_one);
  }
  operation->explain = [alone = std::move(operation->explain), plan] {
    return alone() + "learned before: " + plan + " is the fastest, says the file of RONDO_LEARNED on rank 0\n";
  };
  return operation;
}

/// Collective.
std::unique_ptr<learning::SummedTimes> make_sums(CallState& calls, const Settings& settings) {
  auto sums = std::make_unique<learning::SummedTimes>();
  std::unique_ptr<Operation> operation;
  const std::exception_ptr trouble = trouble_in([&] {
    auto chosen = std::make_shared<const Chosen>(schedule_of_sums(calls, settings));
    void* const words = sums->words().data();
    operation =
        bind_persistent("learning", calls, std::move(chosen), {}, {words, words}, settings, true, settings.progress);
  });
  settle(trouble, true, operation, calls, settings, [] {});
  calls.tags().take_persistent(operation->execution().schedule().tags());
  sums->set_operation(std::move(operation));
  return sums;
}

}  // namespace

std::unique_ptr<Operation> learn_from(std::unique_ptr<Operation> first, const Chosen& chosen, CallState& calls,
                                      const Settings& settings, std::uint32_t most_tags, const MakeCandidate& make) {
  if (chosen.candidates.size() < 2) return first;
  const int size = calls.on()->size();
  std::vector<learning::Contender> contenders;
  std::uint32_t tags = dense_reduction::most_tags(size);
  std::string problem;
  std::uint64_t known = 0;
  const std::exception_ptr trouble = trouble_in([&] {
    contenders = learning::contenders(chosen, learning::kMostCandidates);
    tags += static_cast<std::uint32_t>(contenders.size()) * most_tags;
    calls.tags().prepare_room(tags);
    if (calls.on()->rank() != 0 || !learning::has_learned_file()) return;
    problem = problem_of(*first, chosen, calls, settings);
    known = known_candidate(chosen, problem);
  });
  known = agree_that_all_is_well(trouble, {known, 0}, calls.on()->comm())[0];
  if (contenders.size() < 2) return first;
  calls.tags().make_room(tags);
  if (known != 0)
    return begin_with_known(std::move(first), chosen, static_cast<std::size_t>(known - 1), settings, make);
  std::vector<learning::Candidate> candidates;
  for (const learning::Contender& contender : contenders) {
    std::unique_ptr<Operation> operation;
    if (candidates.empty()) {
      operation = std::move(first);
    } else {
      Settings of_one = settings;
      of_one.algorithm = contender.name;
      operation = make(of_one);
    }
    candidates.push_back({contender.name, contender.predicted, std::move(operation)});
  }
  std::unique_ptr<learning::SummedTimes> sums = make_sums(calls, settings);
  return learning::LearnedChoice::hand_out(std::make_unique<learning::LearnedChoice>(
      std::move(candidates), settings.learn, std::move(sums), calls.on()->rank(), size, std::move(problem)));
}

}  // namespace rondo::internal
