#include "collectives/c_calls.hpp"

#include "collectives/c_errors.hpp"
#include "collectives/cart_collective.hpp"
#include "runtime/request_table.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace rondo {

int run_call(const CartCall& call, MPI_Comm comm) {
  return guarded(comm, call.name, [&] { run_collective(call, CommContext::of(comm)); });
}

int start_call(const CartCall& call, MPI_Comm comm, Rondo_Request* request) {
  return guarded(comm, call.name, [&] {
    require(request, "request");
    *request = RONDO_REQUEST_NULL;
    ReservedRequest reserved;
    *request = reserved.fill(start_collective(call, CommContext::of(comm)));
  });
}

int init_call(const CartCall& call, MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return guarded(comm, call.name, [&] {
    if (request != nullptr) *request = RONDO_REQUEST_NULL;
    std::optional<ReservedRequest> reserved;
    const auto steps = [&](CartCall& completed, Settings& settings) {
      settings.take_assertions(info);
      require(request, "request");
      settings.take(info);
      completed = call;
      reserved.emplace();
    };
    std::unique_ptr<Operation> operation = init_collective(call.name, CommContext::of(comm), std::ref(steps));
    *request = reserved->fill(std::move(operation));
  });
}

}  // namespace rondo
