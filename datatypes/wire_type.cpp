#include "datatypes/wire_type.hpp"

#include <rondo/error.hpp>

#include "datatypes/mpi_check.hpp"

#include <limits>

namespace rondo {
namespace {

constexpr std::int64_t kChunk = std::int64_t{1} << 30;

/// Frees the intermediate types when a constructor fails half-way.
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    for (MPI_Datatype& type : types_) MPI_Type_free(&type);
  }
  MPI_Datatype keep(MPI_Datatype type) {
    types_.push_back(type);
    return type;
  }

 private:
  std::vector<MPI_Datatype> types_;
};

MPI_Datatype make_struct(std::span<const int> lengths, std::span<const MPI_Aint> displacements,
                         std::span<const MPI_Datatype> types) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_struct(static_cast<int>(types.size()), lengths.data(), displacements.data(), types.data(),
                                   &result),
            "MPI_Type_create_struct");
  return result;
}

/// `bytes` bytes in a row; MPI counts are ints, so long pieces are made of chunks.
MPI_Datatype make_piece(std::int64_t bytes, Owned& owned) {
  MPI_Datatype piece = MPI_DATATYPE_NULL;
  if (bytes <= std::numeric_limits<int>::max()) {
    check_mpi(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &piece), "MPI_Type_contiguous");
    return owned.keep(piece);
  }
  check_mpi(MPI_Type_contiguous(static_cast<int>(kChunk), MPI_BYTE, &piece), "MPI_Type_contiguous");
  owned.keep(piece);
  const int lengths[] = {static_cast<int>(bytes / kChunk), static_cast<int>(bytes % kChunk)};
  const MPI_Aint displacements[] = {0, bytes / kChunk * kChunk};
  const MPI_Datatype types[] = {piece, MPI_BYTE};
  return owned.keep(make_struct(lengths, displacements, types));
}

}  // namespace

WireType::WireType(const Layout& layout) {
  Owned owned;
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  std::vector<MPI_Datatype> types;
  for (const Run& run : layout.runs()) {
    MPI_Datatype piece = make_piece(run.length, owned);
    if (run.count > 1) {
      if (run.count > std::numeric_limits<int>::max()) throw Error(MPI_ERR_COUNT, "layout: too many pieces in one run");
      MPI_Datatype strided = MPI_DATATYPE_NULL;
      check_mpi(MPI_Type_create_hvector(static_cast<int>(run.count), 1, run.stride, piece, &strided),
                "MPI_Type_create_hvector");
      piece = owned.keep(strided);
    }
    lengths.push_back(1);
    displacements.push_back(run.offset);
    types.push_back(piece);
  }
  MPI_Datatype built = owned.keep(make_struct(lengths, displacements, types));
  MPI_Datatype result = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_dup(built, &result), "MPI_Type_dup");
  type_ = result;
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
}

WireType::~WireType() {
  int finalized = 0;
  if (type_ == MPI_DATATYPE_NULL || MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  MPI_Type_free(&type_);
}

}  // namespace rondo
