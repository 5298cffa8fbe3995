// The C interface: the halo exchange.
#include <rondo/halo.h>

#include "collectives/faces/c/errors.hpp"
#include "collectives/faces/handles/request_making.hpp"
#include "collectives/operations/halo_exchange.hpp"

#include <exception>
#include <string>

using namespace rondo;
using namespace rondo::internal;

namespace {

Stencil stencil_from(int stencil) {
  if (stencil == RONDO_STENCIL_BOX) return Stencil::box;
  if (stencil == RONDO_STENCIL_STAR) return Stencil::star;
  throw Error(MPI_ERR_ARG,
              "stencil: is " + std::to_string(stencil) + ", must be RONDO_STENCIL_BOX or RONDO_STENCIL_STAR");
}

StorageOrder order_from(int order) {
  if (order == MPI_ORDER_C) return StorageOrder::row_major;
  if (order == MPI_ORDER_FORTRAN) return StorageOrder::column_major;
  throw Error(MPI_ERR_ARG, "order: is " + std::to_string(order) + ", must be MPI_ORDER_C or MPI_ORDER_FORTRAN");
}

/// The array's order and what elements are wanted, as numbers still to be checked.
struct Choices {
  int order;
  int stencil;

  void take_into(HaloCall& call) const {
    call.order = order_from(order);
    call.stencil = stencil_from(stencil);
  }
};

}  // namespace

int Rondo_Halo_exchange(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                        const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm) {
  constexpr const char* kName = "Rondo_Halo_exchange";
  return guarded(cartcomm, kName, [&] {
    HaloCall call{kName,   array,       ndims, sizes, strides, depth_low, depth_high, StorageOrder::row_major,
                  element, Stencil::box};
    Choices{order, stencil}.take_into(call);
    run_halo(call, NeighborhoodContext::of(cartcomm));
  });
}

int Rondo_Ihalo_exchange(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                         const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm,
                         Rondo_Request* request) {
  constexpr const char* kName = "Rondo_Ihalo_exchange";
  return guarded(cartcomm, kName, [&] {
    require(request, "request");
    *request = RONDO_REQUEST_NULL;
    HaloCall call{kName,   array,       ndims, sizes, strides, depth_low, depth_high, StorageOrder::row_major,
                  element, Stencil::box};
    Choices{order, stencil}.take_into(call);
    *request = started_request([&] { return start_halo(call, NeighborhoodContext::of(cartcomm)); });
  });
}

int Rondo_Halo_init(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                    const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm,
                    MPI_Info info, Rondo_Request* request) {
  constexpr const char* kName = "Rondo_Halo_init";
  return guarded(cartcomm, kName, [&] {
    if (request != nullptr) *request = RONDO_REQUEST_NULL;
    NeighborhoodContext& context = NeighborhoodContext::of(cartcomm);
    HaloCall call{kName,   array,       ndims, sizes, strides, depth_low, depth_high, StorageOrder::row_major,
                  element, Stencil::box};
    const auto check = [&] {
      require(request, "request");
      Choices{order, stencil}.take_into(call);
    };
    *request = persistent_request(
        check, [&](const std::exception_ptr& trouble) { return init_halo(call, context, {.info = info}, trouble); });
  });
}
