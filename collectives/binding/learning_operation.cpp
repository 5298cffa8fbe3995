#include "collectives/binding/learning_operation.hpp"

#include "collectives/binding/make_operation.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/learning/contenders.hpp"
#include "collectives/learning/learned_choice.hpp"

#include <array>
#include <cstddef>
#include <exception>
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
  const std::exception_ptr trouble = trouble_in([&] {
    contenders = learning::contenders(chosen, learning::kMostCandidates);
    tags += static_cast<std::uint32_t>(contenders.size()) * most_tags;
    calls.tags().prepare_room(tags);
  });
  agree_that_all_is_well(trouble, calls.on()->comm());
  if (contenders.size() < 2) return first;
  calls.tags().make_room(tags);
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
      std::move(candidates), settings.learn, std::move(sums), calls.on()->rank(), size));
}

}  // namespace rondo::internal
