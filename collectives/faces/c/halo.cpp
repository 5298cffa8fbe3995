// The C interface: the halo exchange.
#include <rondo/halo.h>

#include "collectives/faces/c/errors.hpp"
#include "collectives/faces/handles/request_making.hpp"
#include "collectives/operations/halo_exchange.hpp"

#include <exception>
#include <string>
#include <vector>

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

HaloCallArray array_from(const Rondo_Halo_array& from) {
  return {from.array,  from.ndims, from.sizes, from.strides, from.depth_low, from.depth_high, order_from(from.order),
          from.element};
}

/// A halo call from C with its numbers, which may be wrong on one rank alone.
class CallFromC {
 public:
  CallFromC(const char* name, const Rondo_Halo_array& array, int stencil)
      : given_(&array), narrays_(1), stencil_(stencil), call_{name, {}, Stencil::box, false} {}
  CallFromC(const char* name, int narrays, const Rondo_Halo_array arrays[], int stencil)
      : given_(arrays), narrays_(narrays), stencil_(stencil), call_{name, {}, Stencil::box, true} {}

  [[nodiscard]] const char* name() const noexcept { return call_.name; }
  /// Returns the call, as far as take() came.
  [[nodiscard]] const HaloCall& call() const noexcept { return call_; }
  /// Converts the arguments. Throws Error, and std::bad_alloc if there are several arrays.
  void take() {
    if (call_.is_list) {
      if (narrays_ < 1) throw Error(MPI_ERR_ARG, "narrays: is " + std::to_string(narrays_) + ", must be at least 1");
      require(given_, "arrays");
      for (int i = 0; i < narrays_; ++i) take_numbered(i);
      call_.arrays = many_;
    } else {
      one_ = array_from(*given_);
      call_.arrays = {&one_, 1};
    }
    call_.stencil = stencil_from(stencil_);
  }

 private:
  void take_numbered(int i) {
    try {
      many_.push_back(array_from(given_[i]));
    } catch (const Error& error) {
      throw Error(error.error_class(), "arrays[" + std::to_string(i) + "]." + error.what());
    }
  }

  const Rondo_Halo_array* given_;
  int narrays_;
  int stencil_;
  HaloCallArray one_{};
  std::vector<HaloCallArray> many_;
  HaloCall call_;
};

int run_from_c(CallFromC call, MPI_Comm cartcomm) {
  return guarded(cartcomm, call.name(), [&] {
    NeighborhoodContext& context = NeighborhoodContext::ready(cartcomm);
    call.take();
    run_halo(call.call(), context);
  });
}

int start_from_c(CallFromC call, MPI_Comm cartcomm, Rondo_Request* request) {
  return guarded(cartcomm, call.name(), [&] {
    require(request, "request");
    *request = RONDO_REQUEST_NULL;
    NeighborhoodContext& context = NeighborhoodContext::ready(cartcomm);
    call.take();
    *request = started_request([&] { return start_halo(call.call(), context); });
  });
}

int init_from_c(CallFromC call, MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return guarded(cartcomm, call.name(), [&] {
    if (request != nullptr) *request = RONDO_REQUEST_NULL;
    NeighborhoodContext& context = NeighborhoodContext::ready(cartcomm);
    const auto check = [&] {
      require(request, "request");
      call.take();
    };
    *request = persistent_request(check, [&](const std::exception_ptr& trouble) {
      return init_halo(call.call(), context, {.info = info}, trouble);
    });
  });
}

}  // namespace

int Rondo_Halo_exchange(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                        const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm) {
  const Rondo_Halo_array given{array, ndims, sizes, strides, depth_low, depth_high, order, element};
  return run_from_c({"Rondo_Halo_exchange", given, stencil}, cartcomm);
}

int Rondo_Ihalo_exchange(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                         const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm,
                         Rondo_Request* request) {
  const Rondo_Halo_array given{array, ndims, sizes, strides, depth_low, depth_high, order, element};
  return start_from_c({"Rondo_Ihalo_exchange", given, stencil}, cartcomm, request);
}

int Rondo_Halo_init(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                    const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm,
                    MPI_Info info, Rondo_Request* request) {
  const Rondo_Halo_array given{array, ndims, sizes, strides, depth_low, depth_high, order, element};
  return init_from_c({"Rondo_Halo_init", given, stencil}, cartcomm, info, request);
}

int Rondo_Halos_exchange(int narrays, const Rondo_Halo_array arrays[], int stencil, MPI_Comm cartcomm) {
  return run_from_c({"Rondo_Halos_exchange", narrays, arrays, stencil}, cartcomm);
}

int Rondo_Ihalos_exchange(int narrays, const Rondo_Halo_array arrays[], int stencil, MPI_Comm cartcomm,
                          Rondo_Request* request) {
  return start_from_c({"Rondo_Ihalos_exchange", narrays, arrays, stencil}, cartcomm, request);
}

int Rondo_Halos_init(int narrays, const Rondo_Halo_array arrays[], int stencil, MPI_Comm cartcomm, MPI_Info info,
                     Rondo_Request* request) {
  return init_from_c({"Rondo_Halos_init", narrays, arrays, stencil}, cartcomm, info, request);
}
