/// @file
/// start() and init(): make the requests of Comm's collectives.
#ifndef RONDO_COLLECTIVES_FACES_CPP_DENSE_REQUESTS_HPP
#define RONDO_COLLECTIVES_FACES_CPP_DENSE_REQUESTS_HPP

#include <rondo/request.hpp>

#include "collectives/faces/handles/request_making.hpp"
#include "collectives/operations/dense_collective.hpp"

#include <exception>
#include <memory>

namespace rondo::internal {

/// Starts a nonblocking call of a dense collective and returns its request.
[[nodiscard]] inline Request start(const Call& call, const std::shared_ptr<DenseContext>& context) {
  return Request(started_request([&] { return start_dense(call, context, context->settings()); }));
}

/// Makes the persistent operation of a dense collective and returns its request.
[[nodiscard]] inline Request init(const Call& call, const std::shared_ptr<DenseContext>& context,
                                  const Options& options) {
  const auto operation = [&](const std::exception_ptr& trouble) {
    return init_dense(call, context, {.options = &options}, trouble);
  };
  return Request(persistent_request([] {}, operation));
}

}  // namespace rondo::internal

#endif
