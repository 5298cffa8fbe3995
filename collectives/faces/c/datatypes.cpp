// The C interface: datatypes.
#include <rondo/datatypes.h>
#include <rondo/datatypes.hpp>

#include "collectives/faces/c/errors.hpp"
#include "datatypes/making/vector_constructors.hpp"

#include <cstddef>
#include <span>
#include <string>

using namespace rondo;
using namespace rondo::internal;

namespace {

/// Runs a constructor of the C interface, in which `make` returns the new datatype.
template <typename Make>
int constructed(const char* function, MPI_Datatype* newtype, Make make) {
  return guarded(MPI_COMM_NULL, function, [&] {
    require(newtype, "newtype");
    *newtype = MPI_DATATYPE_NULL;
    *newtype = make();
  });
}

[[noreturn, gnu::cold]] void refuse(const char* argument, MPI_Aint value, const std::string& allowed) {
  throw Error(MPI_ERR_ARG, std::string(argument) + ": is " + std::to_string(value) + ", must be " + allowed);
}

std::size_t checked_size(const char* argument, MPI_Aint bytes) {
  if (bytes < 0) [[unlikely]]
    refuse(argument, bytes, "at least 0");
  return static_cast<std::size_t>(bytes);
}

std::size_t checked_position(const MPI_Aint* position, MPI_Aint bytes) {
  require(position, "position");
  if (*position < 0 || *position > bytes) [[unlikely]]
    refuse("position", *position, "in [0, " + std::to_string(bytes) + "]");
  return static_cast<std::size_t>(*position);
}

}  // namespace

int Rondo_Type_create_vector_bounded(int bound, int blocklength, int stride, MPI_Datatype oldtype,
                                     MPI_Datatype* newtype) {
  return constructed("Rondo_Type_create_vector_bounded", newtype,
                     [&] { return create_vector_bounded(bound, blocklength, stride, oldtype); });
}

int Rondo_Type_create_vector_circular(int extent, int start, int bound, int blocklength, int stride,
                                      MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return constructed("Rondo_Type_create_vector_circular", newtype,
                     [&] { return create_vector_circular(extent, start, bound, blocklength, stride, oldtype); });
}

int Rondo_Type_create_bucket(int count, int bucketsize, const int counts[], MPI_Datatype oldtype,
                             MPI_Datatype* newtype) {
  return constructed("Rondo_Type_create_bucket", newtype, [&] {
    if (count < 0) throw Error(MPI_ERR_COUNT, "count: is " + std::to_string(count) + ", must be at least 0");
    if (count > 0) require(counts, "counts");
    return create_bucket(std::span(counts, static_cast<std::size_t>(count)), bucketsize, oldtype);
  });
}

int Rondo_Type_create_triangular(int count, int firstblock, int blockincrement, int stride, int strideincrement,
                                 MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return constructed("Rondo_Type_create_triangular", newtype, [&] {
    return create_triangular(count, firstblock, blockincrement, stride, strideincrement, oldtype);
  });
}

int Rondo_Type_create_signature(MPI_Datatype datatype, MPI_Datatype* newtype) {
  return constructed("Rondo_Type_create_signature", newtype, [&] { return signature_type(datatype).release(); });
}

int Rondo_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, MPI_Aint outsize,
               MPI_Aint* position) {
  return guarded(MPI_COMM_NULL, "Rondo_Pack", [&] {
    const std::span whole(static_cast<std::byte*>(outbuf), checked_size("outsize", outsize));
    *position += pack(inbuf, incount, datatype, whole.subspan(checked_position(position, outsize)));
  });
}

int Rondo_Unpack(const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf, int outcount,
                 MPI_Datatype datatype) {
  return guarded(MPI_COMM_NULL, "Rondo_Unpack", [&] {
    const std::span whole(static_cast<const std::byte*>(inbuf), checked_size("insize", insize));
    *position += unpack(whole.subspan(checked_position(position, insize)), outbuf, outcount, datatype);
  });
}

int Rondo_Transpack(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype) {
  return guarded(MPI_COMM_NULL, "Rondo_Transpack",
                 [&] { transpack(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype); });
}
