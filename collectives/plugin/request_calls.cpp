// The plug-in's waits, tests and starts. Operations of Rondo behind the requests are driven until they are complete,
// and ended; MPI's own function does the rest: statuses, indices, which requests become null. Other operations of Rondo
// need no progress meanwhile: they run in the background, or have all their messages under way.
#include <rondo/error.hpp>

#include "collectives/faces/c/errors.hpp"
#include "collectives/plugin/buffered_sends.hpp"
#include "collectives/plugin/original/original_mpi.hpp"
#include "collectives/plugin/requested_call.hpp"
#include "collectives/plugin/requests_of_ours.hpp"
#include "runtime/engine/engine.hpp"

#include <string>

using namespace rondo;
using namespace rondo::internal;
using namespace rondo::internal::plugin;

namespace {

/// Returns whether no request that is waited for can be Rondo's.
bool none_active() noexcept { return active_calls.load(std::memory_order_relaxed) == 0 || inside_tool; }

/// Calls `test`, which returns whether the wait is over, between passes of progress.
template <typename Test>
void wait_by(RequestsOfOurs& ours, Test test) {
  const Engine::Waiter waiter(Engine::process());
  for (unsigned idle_passes = 0;;) {
    ours.end_complete();
    if (test()) return;
    Engine::process().idle(++idle_passes);
  }
}

/// Calls `body` with the active requests of Rondo among `requests`, and returns its result, unless there is an error.
template <typename Body>
int with_ours(const char* function, int count, const MPI_Request* requests, Body body) {
  int code = MPI_SUCCESS;
  const int trouble = guarded(MPI_COMM_WORLD, function, [&] {
    RequestsOfOurs ours(count, requests);
    code = body(ours);
  });
  return trouble != MPI_SUCCESS ? trouble : code;
}

/// Calls `body` with the call behind a request; errors are reported on its communicator.
template <typename Body>
int on_call(RequestedCall& call, const char* function, Body body) {
  return guarded(call.caller().comm->load(), function, [&] { body(call); });
}

[[noreturn]] void refuse(const RequestedCall& call, const char* what) {
  throw Error(MPI_ERR_REQUEST, "request: stands for " + std::string(name(call.caller().call)) + ", which " + what);
}

}  // namespace

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (none_active()) return original_mpi().wait(request, status);
  return with_ours("MPI_Wait", 1, request, [&](RequestsOfOurs& ours) {
    ours.wait_and_end();
    const int code = original_mpi().wait(request, status);
    return code != MPI_SUCCESS ? code : ours.tell_one(0, status);
  });
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  if (none_active()) return original_mpi().waitall(count, requests, statuses);
  return with_ours("MPI_Waitall", count, requests, [&](RequestsOfOurs& ours) {
    ours.wait_and_end();
    const int code = original_mpi().waitall(count, requests, statuses);
    return ours.tell_several(code, count, nullptr, statuses);
  });
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  if (none_active()) return original_mpi().waitany(count, requests, index, status);
  return with_ours("MPI_Waitany", count, requests, [&](RequestsOfOurs& ours) {
    int code = MPI_SUCCESS;
    if (ours.none()) {
      code = original_mpi().waitany(count, requests, index, status);
      return code != MPI_SUCCESS ? code : ours.tell_one(*index, status);  // an earlier call may have ended this one
    }
    wait_by(ours, [&] {
      int flag = 0;
      code = original_mpi().testany(count, requests, index, &flag, status);
      return code != MPI_SUCCESS || (flag != 0 && (*index != MPI_UNDEFINED || ours.none()));
    });
    return code != MPI_SUCCESS ? code : ours.tell_one(*index, status);
  });
}

int MPI_Waitsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  if (none_active()) return original_mpi().waitsome(incount, requests, outcount, indices, statuses);
  return with_ours("MPI_Waitsome", incount, requests, [&](RequestsOfOurs& ours) {
    int code = MPI_SUCCESS;
    if (ours.none()) {
      code = original_mpi().waitsome(incount, requests, outcount, indices, statuses);
      return ours.tell_several(code, *outcount, indices, statuses);  // an earlier call may have ended some requests
    }
    wait_by(ours, [&] {
      code = original_mpi().testsome(incount, requests, outcount, indices, statuses);
      return code != MPI_SUCCESS || (*outcount != 0 && (*outcount != MPI_UNDEFINED || ours.none()));
    });
    return ours.tell_several(code, *outcount, indices, statuses);
  });
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (none_active()) return original_mpi().test(request, flag, status);
  return with_ours("MPI_Test", 1, request, [&](RequestsOfOurs& ours) {
    *flag = 0;
    if (!ours.end_all_or_none()) return MPI_SUCCESS;
    const int code = original_mpi().test(request, flag, status);
    return code != MPI_SUCCESS || *flag == 0 ? code : ours.tell_one(0, status);
  });
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  if (none_active()) return original_mpi().testall(count, requests, flag, statuses);
  return with_ours("MPI_Testall", count, requests, [&](RequestsOfOurs& ours) {
    *flag = 0;
    if (!ours.end_all_or_none()) return MPI_SUCCESS;
    const int code = original_mpi().testall(count, requests, flag, statuses);
    return code == MPI_SUCCESS && *flag == 0 ? code : ours.tell_several(code, count, nullptr, statuses);
  });
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  if (none_active()) return original_mpi().testany(count, requests, index, flag, status);
  return with_ours("MPI_Testany", count, requests, [&](RequestsOfOurs& ours) {
    ours.end_complete();
    const int code = original_mpi().testany(count, requests, index, flag, status);
    if (code != MPI_SUCCESS || *flag == 0) return code;
    if (*index == MPI_UNDEFINED && !ours.none()) *flag = 0;
    return ours.tell_one(*index, status);
  });
}

int MPI_Testsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  if (none_active()) return original_mpi().testsome(incount, requests, outcount, indices, statuses);
  return with_ours("MPI_Testsome", incount, requests, [&](RequestsOfOurs& ours) {
    ours.end_complete();
    const int code = original_mpi().testsome(incount, requests, outcount, indices, statuses);
    if (code == MPI_SUCCESS && *outcount == MPI_UNDEFINED && !ours.none()) *outcount = 0;
    return ours.tell_several(code, *outcount, indices, statuses);
  });
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (none_active()) return original_mpi().request_get_status(request, flag, status);
  return with_ours("MPI_Request_get_status", 1, &request, [&](RequestsOfOurs& ours) {
    *flag = 0;
    return ours.end_all_or_none() ? original_mpi().request_get_status(request, flag, status) : MPI_SUCCESS;
  });
}

int MPI_Start(MPI_Request* request) {
  RequestedCall* call = request == nullptr ? nullptr : RequestedCall::find_persistent(*request);
  if (call == nullptr) {
    BufferedSends::make_room_for_starts(1);
    return original_mpi().start(request);
  }
  return on_call(*call, "MPI_Start", [](RequestedCall& it) { it.start_again(); });
}

int MPI_Startall(int count, MPI_Request requests[]) {
  if (persistent_calls.load(std::memory_order_relaxed) == 0) {
    BufferedSends::make_room_for_starts(count);
    return original_mpi().startall(count, requests);
  }
  for (int i = 0; i < count; ++i) {
    const int code = MPI_Start(requests + i);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request* request) {
  if (none_active() && persistent_calls.load(std::memory_order_relaxed) == 0)
    return original_mpi().request_free(request);
  RequestedCall* call = request == nullptr ? nullptr : RequestedCall::find(*request);
  if (call == nullptr) return original_mpi().request_free(request);
  return on_call(*call, "MPI_Request_free", [&](RequestedCall& it) {
    if (!it.persistent()) refuse(it, "must be waited for");
    RequestsOfOurs::forget_failure(*request);
    RequestedCall::free(request);
  });
}

int MPI_Cancel(MPI_Request* request) {
  if (none_active() && persistent_calls.load(std::memory_order_relaxed) == 0) return original_mpi().cancel(request);
  RequestedCall* call = request == nullptr ? nullptr : RequestedCall::find(*request);
  if (call == nullptr) return original_mpi().cancel(request);
  return on_call(*call, "MPI_Cancel", [](RequestedCall& it) { refuse(it, "cannot be canceled"); });
}
}
