#include "collectives/faces/c/calls.hpp"

#include "collectives/faces/c/errors.hpp"
#include "collectives/faces/handles/request_making.hpp"
#include "collectives/operations/cart_collective.hpp"
#include "collectives/operations/dense_collective.hpp"

#include <memory>

namespace rondo::internal {
namespace {

/// Starts an operation and stores its request. `start`: see started_request().
template <typename Start>
void start(Rondo_Request* request, Start start) {
  require(request, "request");
  *request = RONDO_REQUEST_NULL;
  *request = started_request(start);
}

/// Makes a persistent operation and stores its request. `init`: see persistent_request().
template <typename Init>
void init(Rondo_Request* request, Init init) {
  *request = persistent_request([&] { require(request, "request"); }, init);
}

}  // namespace

int run_call(const Call& call, MPI_Comm cartcomm) {
  return guarded(cartcomm, call.name, [&] { run_cart(call, NeighborhoodContext::ready(cartcomm)); });
}

int start_call(const Call& call, MPI_Comm cartcomm, Rondo_Request* request) {
  return guarded(cartcomm, call.name,
                 [&] { start(request, [&] { return start_cart(call, NeighborhoodContext::ready(cartcomm)); }); });
}

int init_call(const Call& call, MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return guarded(cartcomm, call.name, [&] {
    if (request != nullptr) *request = RONDO_REQUEST_NULL;
    NeighborhoodContext& context = NeighborhoodContext::ready(cartcomm);
    init(request, [&](const std::exception_ptr& trouble) { return init_cart(call, context, {.info = info}, trouble); });
  });
}

int run_dense_call(const Call& call, MPI_Comm comm) {
  return guarded(comm, call.name, [&] { run_dense(call, DenseContext::ready(comm, call.name)); });
}

int start_dense_call(const Call& call, MPI_Comm comm, Rondo_Request* request) {
  return guarded(comm, call.name, [&] {
    const std::shared_ptr<DenseContext> context = DenseContext::of(comm);
    context->begin(comm);
    start(request, [&] { return start_dense(call, context, context->settings()); });
  });
}

int init_dense_call(const Call& call, MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return guarded(comm, call.name, [&] {
    if (request != nullptr) *request = RONDO_REQUEST_NULL;
    const std::shared_ptr<DenseContext> context = DenseContext::ready(comm, call.name);
    init(request,
         [&](const std::exception_ptr& trouble) { return init_dense(call, context, {.info = info}, trouble); });
  });
}

int run_dense_call(const char* name, const CallOfRank& call_of, MPI_Comm comm) {
  return guarded(comm, name, [&] {
    const std::shared_ptr<DenseContext> context = DenseContext::ready(comm, name);
    run_dense(call_of(context->rank()), context);
  });
}

int start_dense_call(const char* name, const CallOfRank& call_of, MPI_Comm comm, Rondo_Request* request) {
  return guarded(comm, name, [&] {
    const std::shared_ptr<DenseContext> context = DenseContext::of(comm);
    context->begin(comm);
    start(request, [&] { return start_dense(call_of(context->rank()), context, context->settings()); });
  });
}

int init_dense_call(const char* name, const CallOfRank& call_of, MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return guarded(comm, name, [&] {
    if (request != nullptr) *request = RONDO_REQUEST_NULL;
    const std::shared_ptr<DenseContext> context = DenseContext::ready(comm, name);
    init(request, [&](const std::exception_ptr& trouble) {
      return init_dense(call_of(context->rank()), context, {.info = info}, trouble);
    });
  });
}

}  // namespace rondo::internal
