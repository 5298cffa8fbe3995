#include "collectives/operations/own_collective.hpp"
#include "collectives/binding/message_balance.hpp"

#include <rondo/cart_comm.hpp>
#include <rondo/comm.hpp>
#include <rondo/error.hpp>

#include "collectives/binding/learning_operation.hpp"
#include "collectives/binding/make_operation.hpp"
#include "collectives/calls/blocking_call.hpp"
#include "collectives/calls/calls_in_turn.hpp"
#include "collectives/calls/late_call.hpp"
#include "collectives/calls/timed_call.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/proof/gathered_check.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "runtime/base/host_memory.hpp"
#include "runtime/base/mix.hpp"
#include "runtime/check/schedule_checker.hpp"
#include "runtime/schedule/schedule_stream.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

using learning::FormOfCall;
using learning::LearningCalls;

std::uint64_t hash_of(std::string_view text) { return mix_text(text.size(), text); }

void check_host_buffers_of(const OwnBuffer& send, const OwnBuffer& recv) {
  if (send.address != MPI_IN_PLACE) check_host_memory(send.address, "send");
  check_host_memory(recv.address, "recv");
}

[[nodiscard]] Buffers buffers_of(const OwnBuffer& send, const OwnBuffer& recv) {
  return {send.address == MPI_IN_PLACE ? nullptr : send.address, const_cast<void*>(recv.address)};
}

/// Sets the operation's explanation. `learning`: adds its report; null if nothing is learned.
void explain_as_own(Operation& operation, const std::shared_ptr<const Chosen>& chosen,
                    const std::shared_ptr<LearningCalls>& learning = nullptr) {
  operation.explain = [chosen, learning, of = &operation] {
    return explain_own(*chosen) + ways_of(*of) + (learning == nullptr ? std::string() : learning->told());
  };
}

/// Throws Error if the checker finds a flaw in the schedules of all ranks.
void judge(std::span<const ByteReader> readers) {
  std::vector<Schedule> kept;
  kept.reserve(readers.size());
  std::vector<const Schedule*> schedules;
  for (ByteReader reader : readers) {
    kept.push_back(read_schedule(reader));
    schedules.push_back(&kept.back());
  }
  if (const auto finding = check_without_definition(schedules))
    throw Error(MPI_ERR_ARG, std::string(name(finding->flaw)) + ": " + finding->story);
}

}  // namespace

OwnComm OwnComm::of(MPI_Comm comm, const char* function) {
  require_mpi(function);
  std::shared_ptr<DenseContext> context = DenseContext::ready(comm, function);
  return {std::shared_ptr<CallState>(context, &context->calls()), context};
}

OwnComm OwnComm::of(const Comm& comm) {
  std::shared_ptr<DenseContext> context = comm.context();
  return {std::shared_ptr<CallState>(context, &context->calls()), context};
}

OwnComm OwnComm::of(const CartComm& grid) {
  NeighborhoodContext& context = grid.context();  // throws if the grid has none
  return {std::shared_ptr<CallState>(grid.context_, &context.calls()), nullptr};
}

/// The result of one run of a lowering.
class OwnCalls::Lowered {
 public:
  void lower(const OwnLowering& lower, const CallState& calls, const Settings& settings) {
    builder_.emplace(calls.on()->rank(), calls.on()->size(), settings.ordering, settings.messages,
                     calls.costs(settings).form_costs());
    lower(*builder_);
  }
  [[nodiscard]] std::uint32_t tags() const { return builder_ ? builder_->tags() : 0; }
  [[nodiscard]] OwnSchedule build(std::uint32_t tags) { return std::move(*builder_).build(tags); }

 private:
  std::optional<OwnBuilder> builder_;
};

struct OwnCalls::LoweredForms {
  Lowered chosen;
  std::list<Lowered> others;  // a list, because an empty one takes no memory, which may run out on one rank

  [[nodiscard]] std::uint32_t tags() const {
    std::uint32_t most = chosen.tags();
    for (const Lowered& other : others) most = std::max(most, other.tags());
    return most;
  }
};

const OwnCalls::Form& OwnCalls::Forms::of(std::string_view algorithm) const noexcept {
  const auto found =
      std::ranges::find_if(others, [&](const Form& other) { return other.chosen->algorithm == algorithm; });
  return found == others.end() ? chosen : *found;
}

void OwnCalls::set_up(const Asked& asked) {
  const CallState& calls = *on_.calls;
  once_.chosen.settings = calls.settings();
  once_.chosen.settings.take(asked, calls.on()->comm());
  if (!calls.on()->counts_on_slots()) return;
  persistent_.emplace(Forms{.chosen = {.settings = once_.chosen.settings, .built = {}}, .others = {}});
  persistent_->chosen.settings.through_slots = true;
}

/// Returns the predicted time of each way, in the order of all_forms(). Collective. Throws on all ranks alike.
std::vector<double> OwnCalls::predictions(const OwnComm& on, OwnCalls* made, std::span<const OwnWay> ways,
                                          std::exception_ptr trouble) {
  std::vector<double> times;
  // Before the communicator is locked, because a lowering may call anything.
  if (!trouble) {
    trouble = trouble_in([&] {
      check_ways(ways);
      const std::vector<Forms*> forms = made->all_forms();
      times.resize(ways.size() * forms.size());
      for (std::size_t i = 0; i < forms.size() && on.calls->on()->rank() == 0; ++i)
        predict_ways(ways, *on.calls, forms[i]->chosen.settings,
                     std::span(times).subspan(i * ways.size(), ways.size()));
    });
  }
  const std::scoped_lock lock(on.calls->mutex());
  on.calls->on()->own()->require_usable();
  const Making making("OwnCollective");
  if (on.dense != nullptr) on.dense->wait_for_numbers();
  Agreement words(trouble, on.calls->on()->comm());
  const Agreement::Same same_names = words.same(hash_of_names(ways));
  words.reach("comm");
  if (!words.holds(same_names)) {
    throw Error(MPI_ERR_ARG,
                "algorithms: all ranks must give the same names in the same order, but another one did not");
  }
  take_from_rank_0(std::as_writable_bytes(std::span(times)), on.calls->on()->comm());
  return times;
}

void OwnCalls::lower(std::span<const OwnWay> ways, std::span<const double> times, std::span<LoweredForms> lowered) {
  const std::vector<Forms*> all = all_forms();
  for (std::size_t i = 0; i < all.size(); ++i) {
    Forms& forms = *all[i];
    if (!times.empty()) forms.chosen.choice = fastest(ways, times.subspan(i * ways.size(), ways.size()));
    prepare_to_learn(forms, ways);
    const auto lower_form = [&](const Form& form, Lowered& its) {
      its.lower(ways[form.choice.way].lower, *on_.calls, form.settings);
    };
    lower_form(forms.chosen, lowered[i].chosen);
    for (const Form& other : forms.others) lower_form(other, lowered[i].others.emplace_back());
  }
}

void OwnCalls::prepare_to_learn(Forms& forms, std::span<const OwnWay> ways) const {
  const Form& form = forms.chosen;
  if (form.settings.learn == 0) return;
  const Chosen chosen{.schedule = {}, .algorithm = {}, .note = {}, .candidates = form.choice.candidates};
  for (const learning::Contender& contender : contenders_of(chosen, *on_.calls)) {
    const auto its = std::ranges::find(ways, contender.name, &OwnWay::name);
    const auto way = static_cast<std::size_t>(its - ways.begin());
    if (way == form.choice.way) continue;
    forms.others.push_back({.settings = form.settings, .choice = {way, form.choice.candidates}, .built = {}});
  }
}

std::shared_ptr<OwnCalls> OwnCalls::make(const OwnComm& on, std::string_view name, const GivenWays& given,
                                         const Asked& asked) {
  return named(name, [&] {
    CallState& calls = *on.calls;
    const std::span<const OwnWay> ways = given.here;
    std::shared_ptr<OwnCalls> made;
    std::exception_ptr trouble = given.trouble;
    if (!trouble) {
      trouble = trouble_in([&] {
        made = std::make_shared<OwnCalls>(on, name);
        made->set_up(asked);
      });
    }
    std::vector<double> times;
    if (given.number != 1) times = predictions(on, made.get(), ways, trouble);
    std::array<LoweredForms, 2> forms;
    // Before the communicator is locked, because a lowering may call anything.
    if (!trouble) trouble = trouble_in([&] { made->lower(ways, times, forms); });
    const std::scoped_lock lock(calls.mutex());
    calls.on()->own()->require_usable();
    const Making making("OwnCollective");
    if (on.dense != nullptr) on.dense->wait_for_numbers();
    Agreement words(trouble, calls.on()->comm());
    const Agreement::Same same_name = words.same(hash_of(name));
    static const Settings nothing_asked;
    // A reference, because a copy would take memory.
    const Settings& here = made != nullptr ? made->once_.chosen.settings : nothing_asked;
    const Agreement::Same same_learning = words.same(static_cast<std::uint64_t>(here.learn));
    const Agreement::Same same_learning_again = words.same(static_cast<std::uint64_t>(here.learn_again));
    const Agreement::Greatest tags = words.greatest(std::max(forms[0].tags(), forms[1].tags()));
    const Agreement::Greatest check = words.greatest(here.check ? 1 : 0);
    words.reach("comm");
    if (!words.holds(same_name))
      throw Error(MPI_ERR_ARG, "name: all ranks must make the same collective, but another one's is not this");
    const auto check_same = [&](Agreement::Same same, const char* option, int value) {
      if (words.holds(same)) return;
      throw Error(MPI_ERR_ARG, "options." + std::string(option) + ": is " + std::to_string(value) +
                                   ", must be the same on all ranks, but another one's is not");
    };
    check_same(same_learning, "learn", here.learn);
    check_same(same_learning_again, "learn_again", here.learn_again);
    made->complete(forms, ways, static_cast<std::uint32_t>(words.of(tags)), words.of(check) != 0);
    return made;
  });
}

/// Builds the schedules of all forms with `tags` tags, and checks them if that is asked for or needed. Collective.
void OwnCalls::complete(std::span<LoweredForms> lowered, std::span<const OwnWay> ways, std::uint32_t tags, bool check) {
  const CommState& on = *on_.calls->on();
  std::array<std::uint64_t, 2> balance{};
  const std::exception_ptr trouble = trouble_in([&] {
    const auto build = [&](Form& form, Lowered& its, const std::string& why, const std::string& costs = {}) {
      form.built = its.build(tags);
      form.chosen = logged(name_.c_str(), *on_.calls,
                           Chosen{.schedule = form.built.schedule,
                                  .algorithm = ways[form.choice.way].name,
                                  .why = why,
                                  .note = {},
                                  .candidates = form.choice.candidates,
                                  .costs = costs});
    };
    const std::vector<Forms*> all = all_forms();
    for (std::size_t i = 0; i < all.size(); ++i) {
      Form& chosen = all[i]->chosen;
      build(chosen, lowered[i].chosen, reason("auto", ways.size(), true, 0),
            on_.calls->costs(chosen.settings).origin());
      auto its = lowered[i].others.begin();
      for (Form& other : all[i]->others) build(other, *its++, "to take turns with others");
    }
    balance = {message_balance(*once_.chosen.built.schedule, on.rank()),
               message_balance(*persistent().chosen.built.schedule, on.rank())};
  });
  balance = agree_that_all_is_well(trouble, balance, on.comm());
  if (balance[0] != 0 || check) check_together_on(once_.chosen, balance[0] != 0);
  if (persistent_ && (balance[1] != 0 || check)) check_together_on(persistent_->chosen, balance[1] != 0);
  if (!once_.others.empty()) complete_others(once_, check);
  if (persistent_ && !persistent_->others.empty()) complete_others(*persistent_, check);
}

/// Checks the other candidates, and drops all of them if the results could show which one ran. Collective.
void OwnCalls::complete_others(Forms& forms, bool check) const {
  const CommState& on = *on_.calls->on();
  std::array<std::uint64_t, 2> inexact_and_bytes{};
  const auto add_form = [&](const Form& form) {
    inexact_and_bytes[0] += form.built.is_exact ? 0 : 1;
    for (const TaskId id : form.built.schedule->messages())
      inexact_and_bytes[1] += static_cast<std::uint64_t>(form.built.schedule->tasks()[id].bytes);
  };
  add_form(forms.chosen);
  for (const Form& other : forms.others) {
    std::array<std::uint64_t, 2> its{};
    const std::exception_ptr trouble = trouble_in([&] { its[0] = message_balance(*other.built.schedule, on.rank()); });
    its = agree_that_all_is_well(trouble, its, on.comm());
    if (its[0] != 0 || check) check_together_on(other, its[0] != 0);
    add_form(other);
  }
  sum_over_ranks(inexact_and_bytes, on.comm());
  if (inexact_and_bytes[0] != 0) {
    forms.others.clear();
    return;
  }
  const auto bytes = static_cast<std::int64_t>(inexact_and_bytes[1]);
  const std::exception_ptr trouble = trouble_in([&] { forms.to_learn_from = to_learn_from(forms, bytes); });
  agree_that_all_is_well(trouble, on.comm());
}

/// Returns the candidates to be tried. `bytes`: those of all messages of all ranks, which tell this collective from
/// others of its name.
std::shared_ptr<const Chosen> OwnCalls::to_learn_from(const Forms& forms, std::int64_t bytes) {
  Chosen chosen = *forms.chosen.chosen;
  std::erase_if(chosen.candidates, [&](const Candidate& candidate) {
    return forms.of(candidate.name).chosen->algorithm != candidate.name;
  });
  for (Candidate& candidate : chosen.candidates) candidate.prediction.bytes = bytes;
  return std::make_shared<const Chosen>(std::move(chosen));
}

/// Throws the checker's finding if the schedules of all ranks are wrong together. Collective.
void OwnCalls::check_together_on(const Form& form, bool mismatched) const {
  const auto write = [&](ByteWriter& writer) { write_schedule(writer, *form.built.schedule); };
  check_together(std::ref(write), std::ref(judge), on_.calls->on()->comm(), mismatched ? "" : "RONDO_CHECK: ");
  if (mismatched) throw Error(MPI_ERR_INTERN, "the messages of the ranks do not match, but it is not known which");
}

std::unique_ptr<Operation> OwnCalls::start(const OwnBuffer& send, const OwnBuffer& recv) {
  return named(name_.c_str(), [&] {
    const std::scoped_lock lock(on_.calls->mutex());
    Learning waits_for_nothing;
    return start_in_turn(FormOfCall::nonblocking, send, recv, waits_for_nothing);
  });
}

/// Returns an idle operation from the form's pool, or a new one. Local. Throws Error and std::bad_alloc.
IdleOperation OwnCalls::idle(const Form& form, FormOfCall of, const OwnBuffer& send, const OwnBuffer& recv) {
  const std::shared_ptr<OperationPool>& pool = form.pools[static_cast<std::size_t>(of)];
  std::unique_ptr<Operation> operation = pool->take();
  if (operation == nullptr) {
    check_host_buffers_of(send, recv);
    operation = make_nonblocking(name_.c_str(), form.chosen, user_blocks_of(form.built.blocks), *on_.calls,
                                 form.settings.progress);
    explain_as_own(*operation, form.chosen, learned(of).learning);
  }
  return {std::move(operation), pool};
}

/// Starts an operation by a form's schedule. All algorithms take equally many tags. Local. Throws Error and
/// std::bad_alloc before anything is taken.
std::unique_ptr<Operation> OwnCalls::start_by(const Form& form, FormOfCall of, const OwnBuffer& send,
                                              const OwnBuffer& recv) {
  check_own_buffers(form.built, send, recv);
  auto [operation, pool] = idle(form, of, send, recv);
  operation->pool = std::move(pool);
  start_idle(*on_.calls, buffers_of(send, recv), *operation, 0);
  return std::move(operation);
}

void OwnCalls::run(const OwnBuffer& send, const OwnBuffer& recv) {
  finish_blocking(start_when_plan_is_known(name_.c_str(), *on_.calls, [&](Learning& waits_for) {
    return start_in_turn(FormOfCall::blocking, send, recv, waits_for);
  }));
}

/// Starts an operation by the candidate that is due. While that is not known, a blocking call gets no operation, and
/// sets `waits_for`; a nonblocking call gets an operation that begins once it is known. Throws the errors of
/// start_by().
std::unique_ptr<Operation> OwnCalls::start_in_turn(FormOfCall form_of_call, const OwnBuffer& send,
                                                   const OwnBuffer& recv, Learning& waits_for) {
  CallState& calls = *on_.calls;
  calls.on()->own()->require_usable();
  if (once_.others.empty()) return start_by(once_.chosen, FormOfCall::blocking, send, recv);
  Learned& its = learned(form_of_call);
  if (its.settled != nullptr) return start_by(*its.settled, form_of_call, send, recv);
  const Settings& settings = once_.chosen.settings;
  // Wrong buffers are reported by every call, whichever candidate is due.
  check_own_buffers(once_.chosen.built, send, recv);
  for (const Form& other : once_.others) check_own_buffers(other.built, send, recv);
  if (its.learning == nullptr) its.learning = learning_of(form_of_call, name_, *once_.to_learn_from, calls, settings);
  if (its.learning == nullptr) {
    settle_on(once_.chosen, form_of_call);
    return start_by(once_.chosen, form_of_call, send, recv);
  }
  LearningCalls& learning = *its.learning;
  auto timed = std::make_unique<TimedCall>(its.learning);
  const std::optional<std::size_t> plan = next_plan(learning, calls, settings);
  if (!plan && form_of_call == FormOfCall::nonblocking) {
    const auto idle_of = [&](std::size_t of) { return idle(once_.of(learning.name_of(of)), form_of_call, send, recv); };
    const OwnSchedule& built = once_.chosen.built;
    return start_late(calls,
                      {name_.c_str(), buffers_of(send, recv), user_blocks_of(built.blocks), settings.progress,
                       built.schedule->tags()},
                      learning, std::move(timed), std::ref(idle_of));
  }
  if (!plan) {
    waits_for = its.learning;
    return nullptr;
  }
  const Form& form = once_.of(learning.name_of(*plan));
  std::unique_ptr<Operation> operation = start_by(form, form_of_call, send, recv);
  TimedCall::begun(std::move(timed), *operation);
  if (learning.over()) settle_on(form, form_of_call);
  return operation;
}

/// Uses `form` for all further calls of a form of call, and gives back the idle operations of the other candidates.
void OwnCalls::settle_on(const Form& form, FormOfCall of) noexcept {
  learned(of).settled = &form;
  const auto give_back = [&](Form& one) {
    if (&one != &form) one.pools[static_cast<std::size_t>(of)] = nullptr;
  };
  give_back(once_.chosen);
  std::ranges::for_each(once_.others, give_back);
}

std::unique_ptr<Operation> OwnCalls::init(const OwnBuffer& send, const OwnBuffer& recv, std::exception_ptr trouble) {
  return named(name_.c_str(), [&] {
    CallState& calls = *on_.calls;
    const std::scoped_lock lock(calls.mutex());
    calls.on()->own()->require_usable();
    const Making making(name_.c_str());
    const Forms& forms = persistent();
    const std::uint32_t tags = forms.chosen.built.schedule->tags();
    if (!trouble) {
      trouble = trouble_in([&] {
        check_own_buffers(forms.chosen.built, send, recv);
        for (const Form& other : forms.others) check_own_buffers(other.built, send, recv);
        check_host_buffers_of(send, recv);
        calls.tags().prepare_room(tags);
      });
    }
    if (on_.dense != nullptr) on_.dense->wait_for_numbers();
    Agreement words(trouble, calls.on()->comm());
    words.reach("comm");
    calls.tags().make_room(tags);
    const auto make = [&](const Form& form, ProgressMode progress) {
      std::unique_ptr<Operation> operation;
      const std::exception_ptr misfit = trouble_in([&] {
        operation = bind_persistent(name_.c_str(), calls, form.chosen, user_blocks_of(form.built.blocks),
                                    buffers_of(send, recv), form.settings, true, progress);
        explain_as_own(*operation, form.chosen);
      });
      const auto nothing_to_prove = [](bool) {};
      settle(misfit, true, operation, calls, form.settings, std::ref(nothing_to_prove));
      calls.tags().take_persistent(tags);
      return operation;
    };
    std::unique_ptr<Operation> operation = make(forms.chosen, forms.chosen.settings.progress);
    if (!forms.others.empty()) {
      const auto make_other = [&](const Settings& by) { return make(forms.of(by.algorithm), by.progress); };
      operation = learn_from(std::move(operation), forms.to_learn_from, calls, forms.chosen.settings, tags,
                             std::ref(make_other), {}, Explanation::its_own);
    }
    calls.count_call();
    return operation;
  });
}

}  // namespace rondo::internal
