/// @file
/// The rival: the same halo exchange with MPI_Neighbor_alltoallw alone.
///
/// On a torus of few processes several of the eight neighbors are the same process. MPI's collectives tell blocks of
/// one pair of processes apart by their order, in which installed MPIs differ and err, above all on a Cartesian
/// communicator with a periodic dimension of size 1 or 2. So the graph here has one edge for each process, whose
/// datatype is a struct of all that goes there: no order is left to be wrong, and no message is sent that need not be.
/// A program written by hand can hardly do better with this function.
#ifndef RONDO_EXAMPLES_STENCIL_MPI_EXCHANGE_HPP
#define RONDO_EXAMPLES_STENCIL_MPI_EXCHANGE_HPP

#include "exchange.hpp"
#include "kernels.hpp"

#include <mpi.h>

#include <array>
#include <span>
#include <vector>

namespace stencil {

/// Owns a datatype.
class Datatype {
 public:
  /// Commits it.
  explicit Datatype(MPI_Datatype made) : type_(made) { MPI_Type_commit(&type_); }
  Datatype(Datatype&& other) noexcept : type_(other.type_) { other.type_ = MPI_DATATYPE_NULL; }
  Datatype& operator=(Datatype&&) = delete;
  ~Datatype() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
};

/// Owns a communicator.
class Communicator {
 public:
  explicit Communicator(MPI_Comm made) : comm_(made) {}
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() { MPI_Comm_free(&comm_); }
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_;
};

class MpiExchange final : public Exchange {
 public:
  /// Collective over `comm`. `sources` and `targets` are the ranks of the eight neighbors in the order of
  /// rondo::moore(2, 1), which is row by row; `tiles` are both of this process and of one size.
  MpiExchange(MPI_Comm comm, std::span<const int> sources, std::span<const int> targets,
              std::array<Tile<double>, 2> tiles);

  void start(int which) override;
  void finish(int /*which*/) override {}
  [[nodiscard]] bool blocks() const override { return true; }

 private:
  /// One side of the exchange: what each distinct process gets, or gives, as one datatype.
  struct Side {
    std::vector<int> processes;
    std::vector<Datatype> owned;
    std::vector<MPI_Datatype> types;
    std::vector<int> counts;              ///< all 1
    std::vector<MPI_Aint> displacements;  ///< all 0: the types say where in the tile
  };
  enum class Direction : bool { in, out };
  [[nodiscard]] static Side side(std::span<const int> neighbors, const Tile<double>& tile, Direction direction);

  std::array<Tile<double>, 2> tiles_;
  Side in_;
  Side out_;
  Communicator graph_;
};

}  // namespace stencil

#endif
