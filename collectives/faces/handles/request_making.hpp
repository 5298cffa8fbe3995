/// @file
/// Functions that make request handles for new operations, for the C and the C++ interface.
#ifndef RONDO_COLLECTIVES_FACES_HANDLES_REQUEST_MAKING_HPP
#define RONDO_COLLECTIVES_FACES_HANDLES_REQUEST_MAKING_HPP

#include <rondo/request.h>

#include "collectives/comm_state/agreement.hpp"
#include "runtime/operation/request_table.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace rondo::internal {

/// Returns a request for the operation that `start` makes and starts. If no handle is free, `start` is not called.
template <typename Start>
[[nodiscard]] Rondo_Request started_request(Start start) {
  ReservedRequest reserved;
  return reserved.fill(start());
}

/// Returns a request for the operation that `init` makes together with the other ranks. `init` is called with this
/// rank's trouble, which it tells the others: an exception of `check`, which checks the arguments, or that no handle is
/// free.
template <typename Check, typename Init>
[[nodiscard]] Rondo_Request persistent_request(Check check, Init init) {
  std::optional<ReservedRequest> reserved;
  const std::exception_ptr trouble = trouble_in([&] {
    check();
    reserved.emplace();
  });
  std::unique_ptr<Operation> operation = init(trouble);  // throws if there is trouble
  return reserved.value().fill(std::move(operation));
}

}  // namespace rondo::internal

#endif
