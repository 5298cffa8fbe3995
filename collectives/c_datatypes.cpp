// The C interface: datatype constructors.
#include <rondo/rondo.h>

#include "collectives/c_errors.hpp"
#include "datatypes/vector_constructors.hpp"

#include <span>

using namespace rondo;

namespace {

/// A constructor of the C interface: `make` returns the new datatype.
template <typename Make>
int constructed(const char* function, MPI_Datatype* newtype, Make make) {
  return guarded(MPI_COMM_NULL, function, [&] {
    require(newtype, "newtype");
    *newtype = MPI_DATATYPE_NULL;
    *newtype = make();
  });
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
