/// @file
/// The steps of every replaced function: Rondo takes the call, or it is left to MPI.
#ifndef RONDO_COLLECTIVES_PLUGIN_TAKE_OR_LEAVE_HPP
#define RONDO_COLLECTIVES_PLUGIN_TAKE_OR_LEAVE_HPP

#include <mpi.h>

#include "collectives/blocks/call.hpp"
#include "collectives/blocks/left_to_mpi.hpp"
#include "collectives/calls/call_to_operation.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/faces/c/errors.hpp"
#include "collectives/plugin/buffered_sends.hpp"
#include "collectives/plugin/choice/call_report.hpp"
#include "collectives/plugin/choice/comms_of_mpi.hpp"
#include "collectives/plugin/choice/decision.hpp"
#include "collectives/plugin/choice/left_comms.hpp"
#include "collectives/plugin/choice/settled_calls.hpp"
#include "collectives/plugin/choice/world_choice.hpp"
#include "collectives/plugin/original/original_mpi.hpp"
#include "collectives/plugin/requested_call.hpp"
#include "runtime/base/private_comm.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace rondo::internal::plugin {

/// Has Rondo take a call, or leaves it to MPI. `make` makes the call; `take` does it and returns true. `call_mpi`
/// leaves the call to MPI, and is called if `take` returns false or throws LeftToMpi, which all ranks do alike. Returns
/// the function's result. Anything else that `take` throws is an error of `comm`, except that there is no private
/// communicator: then the calls on `comm` are left to MPI. In a program with sessions only there is no MPI_COMM_WORLD
/// whose ranks have agreed on anything, and all calls are left to MPI.
template <typename Make, typename Take, typename CallMpi>
int take_or_leave(ReplacedCall what, MPI_Comm comm, Make make, Take take, CallMpi call_mpi) {
  if (goes_unchecked_to_mpi(what) || comms_of_mpi(what).contains(comm) || inside_tool || !mpi_runs()) return call_mpi();
  const Call call = make();
  bool taken = false;
  const int code = guarded_anywhere(comm, call.name, [&] {
    try {
      taken = take(call);
    } catch (const LeftToMpi&) {
      static_cast<void>(carry_out(leave_to_mpi("arguments that are not Rondo's"), what, comm));
    } catch (const NoPrivateComm& none) {
      leave_comm_to_mpi(comm, none.what());
    }
  });
  if (taken) BufferedSends::make_room_next();
  return taken || code != MPI_SUCCESS ? code : call_mpi();
}

// run(), start() and init() are the three forms of a function. `Family` decides on its calls, and returns the
// communicator's context with those that Rondo takes. It also runs, starts and makes operations.

/// `settle` is called after a call that was left to MPI if all calls like it will be left to MPI, too; null if such
/// calls are not recognized.
template <typename Family, typename Make, typename CallMpi, typename Settle>
int run_or_learn(ReplacedCall what, MPI_Comm comm, Make make, CallMpi call_mpi, Settle settle) {
  constexpr bool kIsRecognized = !std::is_same_v<Settle, std::nullptr_t>;
  CallReport* const report = CallReport::wanted();
  const auto since = report == nullptr ? CallReport::Clock::time_point() : CallReport::Clock::now();
  std::int64_t bytes = 0;
  const auto took = [&](const std::string& algorithm) {
    if (report != nullptr) report->took(what, bytes, algorithm, CallReport::Clock::now() - since);
  };
  Decision decision;
  MpisTurn mpis(kIsRecognized);
  const auto take = [&](const Call& call) {
    typename Family::Context context{};
    decision = Family::decide(what, call, comm, context);
    if (!carry_out(decision, what, comm)) return false;
    if (report == nullptr) {
      Family::run(call, context, {}, mpis);
    } else {
      bytes = Family::sent_bytes(call, *context);
      const auto look = [&](const Operation& operation) { took(operation.algorithm()); };
      Family::run(call, context, std::ref(look), mpis);
    }
    return !mpis.has_begun();
  };
  const auto call_mpi_and_learn = [&] {
    const int code = call_mpi();
    if (mpis.has_begun()) {
      mpis.is_over();
      took(std::string(learning::kMpisOwn));
    }
    if constexpr (kIsRecognized) {
      if ((decision.alike == Alike::arguments || mpis.is_for_good()) && report == nullptr && code == MPI_SUCCESS)
        settle();
    }
    return code;
  };
  return take_or_leave(what, comm, make, take, call_mpi_and_learn);
}

template <typename Family, typename Make, typename CallMpi>
int run(ReplacedCall what, MPI_Comm comm, Make make, CallMpi call_mpi) {
  return run_or_learn<Family>(what, comm, make, call_mpi, nullptr);
}

/// Returns whether such a call was left to MPI before because of its block size, and is again: a check that costs
/// little.
inline bool is_left_by_size(ReplacedCall what, MPI_Comm comm, const CallValues& values) noexcept {
  if (comm == MPI_COMM_NULL ||
      std::ranges::none_of(kBlockSizes, [&](BlockSize blocks) { return comms_of_mpi(what, blocks).contains(comm); }))
    return false;
  const std::int64_t bytes = values.block_bytes();
  return bytes >= 0 && comms_of_mpi(what, block_size(bytes, longest_block_in_lanes())).contains(comm);
}

/// Runs a call whose blocks have one size.
template <typename Family, typename Make, typename CallMpi>
int run(ReplacedCall what, MPI_Comm comm, const CallValues& values, Make make, CallMpi call_mpi) {
  if (goes_unchecked_to_mpi(what) || is_left_by_size(what, comm, values) || is_settled(what, comm, values))
    return call_mpi();
  return run_or_learn<Family>(what, comm, make, call_mpi, [&] { remember_settled(what, comm, values); });
}

template <typename Family, typename Make, typename CallMpi>
int start(ReplacedCall what, MPI_Comm comm, MPI_Request* request, Make make, CallMpi call_mpi) {
  const auto take = [&](const Call& call) {
    typename Family::Context context{};
    if (!carry_out(Family::decide(what, call, comm, context), what, comm)) return false;
    require(request, "request");
    const auto begin = [&] { return Family::start(call, context); };
    RequestedCall::start({what, until_freed(comm), Family::sent_bytes(call, *context)}, std::ref(begin), request);
    return true;
  };
  return take_or_leave(what, comm, make, take, call_mpi);
}

template <typename Family, typename Make, typename CallMpi>
int init(ReplacedCall what, MPI_Comm comm, MPI_Request* request, Make make, CallMpi call_mpi) {
  const auto take = [&](const Call& call) {
    typename Family::Context context{};
    if (!carry_out(Family::decide(what, call, comm, context), what, comm)) return false;
    MPI_Request reserved = MPI_REQUEST_NULL;
    const std::exception_ptr trouble = trouble_in([&] {
      require(request, "request");
      reserved = RequestedCall::reserve({what, until_freed(comm), Family::sent_bytes(call, *context)});
    });
    try {
      RequestedCall::make(reserved, Family::init(call, context, trouble));
    } catch (...) {
      if (reserved != MPI_REQUEST_NULL) RequestedCall::free(&reserved);
      throw;
    }
    *request = reserved;
    return true;
  };
  return take_or_leave(what, comm, make, take, call_mpi);
}

}  // namespace rondo::internal::plugin

#endif
