#include "collectives/faces/handles/request_calls.hpp"

#include <rondo/error.hpp>

#include "datatypes/reading/mpi_running.hpp"
#include "runtime/functions/inside_function.hpp"
#include "runtime/operation/callback.hpp"
#include "runtime/operation/request_table.hpp"
#include "runtime/schedule/dot.hpp"

#include <memory>
#include <utility>

namespace rondo::internal {
namespace {

constexpr const char* kToBeChosen = "to be chosen";

/// Returns the name of an operation for the texts of errors. Another thread may write the description while the
/// algorithm is chosen.
const std::string& known_as(const Operation& operation) {
  return operation.choosing() ? operation.name() : operation.description();
}

}  // namespace

[[gnu::hot]] void start_request(Rondo_Request request) {
  std::unique_ptr<Operation>& held = RequestTable::process().held(request);
  if (!held->persistent()) {
    throw Error(MPI_ERR_REQUEST,
                known_as(*held) + ": request: is not persistent, only requests of _init calls can be started");
  }
  start_persistent(held);
}

std::string algorithm_of_request(Rondo_Request request) {
  const Operation& operation = RequestTable::process().at(request);
  return operation.choosing() ? kToBeChosen : operation.running().algorithm();
}

[[gnu::hot]] std::string explain_request(Rondo_Request request) {
  const Operation& held = RequestTable::process().at(request);
  if (held.choosing())
    return std::string(kToBeChosen) + ": the ranks are still telling each other what it depends on\n";
  const Operation& operation = held.running();
  return operation.explain ? operation.explain() : operation.algorithm() + "\n";
}

std::string dot_of_request(Rondo_Request request) {
  Operation& held = RequestTable::process().at(request);
  if (held.choosing())
    throw Error(MPI_ERR_REQUEST, held.name() + ": request: its algorithm is still to be chosen, wait for it first");
  Operation& operation = held.running();
  return to_dot(operation.execution().schedule(), operation.title(), operation.execution().ways());
}

bool is_idle(Rondo_Request request) { return active_operation(request) == nullptr; }

[[gnu::hot]] Operation* active_operation(Rondo_Request request) {
  if (request == RONDO_REQUEST_NULL) [[unlikely]] {
    require_mpi("request");
    return nullptr;
  }
  Operation& operation = RequestTable::process().at(request);
  return operation.started() ? &operation : nullptr;
}

void begin_waiting(Rondo_Request request) {
  const Operation* operation = active_operation(request);
  if (operation != nullptr && operation->rotation() != nullptr) operation->rotation()->is_waited_for();
}

bool test_request(Rondo_Request request) { return RequestTable::process().at(request).test(); }

bool block_arrived(Rondo_Request request, int block) {
  return RequestTable::process().at(request).is_done_with(BlockSide::received, block);
}

bool block_sent(Rondo_Request request, int block) {
  return RequestTable::process().at(request).is_done_with(BlockSide::sent, block);
}

std::optional<int> wait_any_block(Rondo_Request request) {
  return RequestTable::process().at(request).wait_any_block();
}

bool call_when_complete(Rondo_Request request, std::function<void()> callback) {
  if (is_idle(request)) return false;
  Operation& operation = RequestTable::process().at(request);
  auto armed = std::make_unique<Callback>(known_as(operation), std::move(callback));
  if (!operation.when_complete(*armed)) return false;
  static_cast<void>(armed.release());  // the callback may be gone already
  return true;
}

ProgressMode progress_of_request(Rondo_Request request) { return RequestTable::process().at(request).progress(); }

void complete_request(Rondo_Request& request) { complete_request(request, RequestTable::process().at(request)); }

[[gnu::hot]] void complete_request(Rondo_Request& request, Operation& operation) {
  if (operation.persistent())
    operation.finish();
  else
    retire(RequestTable::process().remove(std::exchange(request, RONDO_REQUEST_NULL)));
}

void free_request(Rondo_Request& request) {
  refuse_inside_function();
  const Operation& operation = RequestTable::process().at(request);
  if (operation.started()) {
    throw Error(MPI_ERR_REQUEST, known_as(operation) + ": request: is active, wait for it before it is freed");
  }
  static_cast<void>(RequestTable::process().remove(std::exchange(request, RONDO_REQUEST_NULL)));
}

}  // namespace rondo::internal
