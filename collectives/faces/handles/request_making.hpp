/// @file
/// Request handles of new operations, under both faces.
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

/// Of the operation that `start` makes and starts: if no handle is free it is not called.
template <typename Start>
[[nodiscard]] Rondo_Request started_request(Start start) {
  ReservedRequest reserved;
  return reserved.fill(start());
}

/// Of the operation that `init` makes together with the other ranks, which it tells of the trouble that it is called
/// with: what `check`, of this rank's arguments, throws, or that no handle is free.
template <typename Check, typename Init>
[[nodiscard]] Rondo_Request persistent_request(Check check, Init init) {
  std::optional<ReservedRequest> reserved;
  const std::exception_ptr trouble = trouble_in([&] {
    check();
    reserved.emplace();
  });
  std::unique_ptr<Operation> operation = init(trouble);  // throws where there is trouble
  return reserved.value().fill(std::move(operation));
}

}  // namespace rondo::internal

#endif
