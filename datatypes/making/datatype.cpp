#include <rondo/datatypes.hpp>

#include <rondo/error.hpp>

#include "datatypes/making/vector_constructors.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "datatypes/reading/signature.hpp"

namespace rondo {

using namespace internal;

Datatype::~Datatype() {
  if (type_ != MPI_DATATYPE_NULL && mpi_runs()) MPI_Type_free(&type_);
}

void Datatype::commit() {
  require_mpi("Datatype::commit");
  if (type_ == MPI_DATATYPE_NULL) throw Error(MPI_ERR_TYPE, "datatype: is MPI_DATATYPE_NULL");
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
}

Datatype vector_bounded(int bound, int blocklength, int stride, MPI_Datatype oldtype) {
  require_mpi("vector_bounded");
  return Datatype(create_vector_bounded(bound, blocklength, stride, oldtype));
}

Datatype vector_circular(int extent, int start, int bound, int blocklength, int stride, MPI_Datatype oldtype) {
  require_mpi("vector_circular");
  return Datatype(create_vector_circular(extent, start, bound, blocklength, stride, oldtype));
}

Datatype bucket(std::span<const int> counts, int bucketsize, MPI_Datatype oldtype) {
  require_mpi("bucket");
  return Datatype(create_bucket(counts, bucketsize, oldtype));
}

Datatype triangular(int count, int firstblock, int blockincrement, int stride, int strideincrement,
                    MPI_Datatype oldtype) {
  require_mpi("triangular");
  return Datatype(create_triangular(count, firstblock, blockincrement, stride, strideincrement, oldtype));
}

Datatype signature_type(MPI_Datatype type) {
  require_mpi("signature_type");
  if (type == MPI_DATATYPE_NULL) throw Error(MPI_ERR_TYPE, "type: is MPI_DATATYPE_NULL");
  return Datatype(Signature::of(type).make_type());
}

}  // namespace rondo
