/// @file
/// What every replaced function does: Rondo takes the call, or it is left to MPI.
#ifndef RONDO_COLLECTIVES_PLUGIN_TAKE_OR_PASS_HPP
#define RONDO_COLLECTIVES_PLUGIN_TAKE_OR_PASS_HPP

#include <mpi.h>

#include "collectives/blocks/call.hpp"
#include "collectives/calls/call_to_operation.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/faces/c/errors.hpp"
#include "collectives/plugin/choice/reasons_to_pass.hpp"
#include "collectives/plugin/choice/settled_calls.hpp"
#include "collectives/plugin/requested_call.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace rondo::internal::plugin {

/// `make` makes the call; `take` does it and returns true, or returns false where it is left to MPI, which `pass` does.
/// Returns what the function returns; what `take` throws is an error of `comm`.
template <typename Make, typename Take, typename Pass>
int take_or_pass(ReplacedCall what, MPI_Comm comm, Make make, Take take, Pass pass) {
  if (passes_unseen(what) || passed_comms(what).contains(comm)) return pass();
  const Call call = make();
  bool taken = false;
  const int code = guarded(comm, call.name, [&] { taken = take(call); });
  return taken || code != MPI_SUCCESS ? code : pass();
}

// The three forms of a function. `Family` says of its calls whether they are left to MPI, by what is kept for the
// communicator or, where nothing is yet, by what is known of kind and communicator; makes or finds that; and runs,
// starts and makes operations.

/// Where calls learn, `settle` is told of one that was for MPI's own function, as all further ones for its problem are.
template <typename Family, typename Make, typename Pass, typename Settle>
int run_or_learn(ReplacedCall what, MPI_Comm comm, Make make, Pass pass, Settle settle) {
  int code_of_mpi = MPI_SUCCESS;
  const auto take = [&](const Call& call) {
    auto context = Family::find_context(comm);
    if (context == nullptr) {
      if (Family::is_passed(what, call, comm) || Family::is_passed_yet(what, call, comm)) return false;
      context = Family::context_of(comm);
    }
    if (Family::is_passed(what, call, comm, *context)) return false;
    CallReport* const report = CallReport::wanted();
    if (report == nullptr) {
      const auto mpis = [&](bool for_good) {
        code_of_mpi = pass();
        if (for_good) settle();
      };
      Family::run(call, context, {.look = {}, .mpis = std::ref(mpis)});
      return true;
    }
    const auto since = CallReport::Clock::now();
    const auto took = [&](const std::string& algorithm) {
      report->took(what, Family::sent_bytes(call, *context), algorithm, CallReport::Clock::now() - since);
    };
    const auto look = [&](const Operation& operation) { took(operation.algorithm()); };
    const auto mpis = [&](bool /*for_good*/) {
      code_of_mpi = pass();
      took(std::string(learning::kMpisOwn));
    };
    Family::run(call, context, {.look = std::ref(look), .mpis = std::ref(mpis)});
    return true;
  };
  const int code = take_or_pass(what, comm, make, take, pass);
  return code != MPI_SUCCESS ? code : code_of_mpi;
}

template <typename Family, typename Make, typename Pass>
int run(ReplacedCall what, MPI_Comm comm, Make make, Pass pass) {
  return run_or_learn<Family>(what, comm, make, pass, [] {});
}

/// With blocks of one size.
template <typename Family, typename Make, typename Pass>
int run(ReplacedCall what, MPI_Comm comm, const CallValues& values, Make make, Pass pass) {
  if (settled_calls(what).contains(comm, values)) return pass();
  return run_or_learn<Family>(what, comm, make, pass, [&] { remember_settled(what, comm, values); });
}

template <typename Family, typename Make, typename Pass>
int start(ReplacedCall what, MPI_Comm comm, MPI_Request* request, Make make, Pass pass) {
  const auto take = [&](const Call& call) {
    const auto context = Family::find_context(comm);
    // It cannot be made here: nonblocking calls wait for nobody.
    if (context == nullptr) {
      if (!Family::is_passed(what, call, comm)) static_cast<void>(is_passed_once(what, Family::kNotReady));
      return false;
    }
    if (Family::is_passed(what, call, comm, *context)) return false;
    require(request, "request");
    const auto begin = [&] { return Family::start(call, context); };
    RequestedCall::start({what, until_freed(comm), Family::sent_bytes(call, *context)}, std::ref(begin), request);
    return true;
  };
  return take_or_pass(what, comm, make, take, pass);
}

template <typename Family, typename Make, typename Pass>
int init(ReplacedCall what, MPI_Comm comm, MPI_Request* request, Make make, Pass pass) {
  const auto take = [&](const Call& call) {
    if (Family::is_passed(what, call, comm)) return false;
    const auto context = Family::context_of(comm);
    if (Family::is_passed(what, call, comm, *context)) return false;
    CommUntilFreed lasting;
    const std::exception_ptr trouble = trouble_in([&] {
      require(request, "request");
      lasting = until_freed(comm);
    });
    std::unique_ptr<Operation> operation = Family::init(call, context, trouble);
    RequestedCall::make({what, std::move(lasting), Family::sent_bytes(call, *context)}, std::move(operation), request);
    return true;
  };
  return take_or_pass(what, comm, make, take, pass);
}

}  // namespace rondo::internal::plugin

#endif
