/// @file
/// Algorithms of one's own for the library's collectives.
#ifndef RONDO_OWN_OFFER_HPP
#define RONDO_OWN_OFFER_HPP

#include <rondo/basics/cpp20.hpp>

#include <mpi.h>
#include <rondo/basics/machine.hpp>
#include <rondo/comm.hpp>
#include <rondo/error.hpp>
#include <rondo/schedule.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rondo::internal {
class OfferedBlocks;
}

namespace rondo {

/// The library's collectives on a communicator, the variants with a count for each block (v) included.
enum class DenseCollective : std::uint8_t {
  barrier,        ///< no blocks
  broadcast,      ///< a block of the root's for all others
  allgather,      ///< a block of each rank for all; also allgatherv
  alltoall,       ///< a block of each rank for each; where all have one size
  allreduce,      ///< a vector of each rank, combined for all
  reduce_scatter  ///< the same, block j of the result for rank j; also with blocks of one size
};

/// One problem of such a collective, as all ranks know it. A value.
struct DenseProblem {
  DenseCollective collective = DenseCollective::barrier;  ///< which one
  int size = 1;                                           ///< ranks
  int root = 0;                                           ///< of a broadcast
  /// Of the blocks: one in broadcasts and allreduces, those of all ranks in the others, none in barriers.
  std::vector<std::int64_t> bytes{};
  std::vector<std::int64_t> counts{};         ///< reductions: elements of each block
  MPI_Datatype datatype = MPI_DATATYPE_NULL;  ///< and what they are
  MPI_Op op = MPI_OP_NULL;                    ///< and what combines them, as ScheduleBuilder::set_reduction() takes it
  bool commutative = true;                    ///< otherwise the operands of rank 0, 1, 2, ... must stay in this order

  /// Elements of part `part` of `parts` of a block of a reduction: see DenseBlocks.
  [[nodiscard]] std::int64_t elements(int block = 0, int part = 0, int parts = 1) const;

  // Problems for tests and predictions, with one size for all blocks. Local. They throw Error, MPI_ERR_ARG, for a size
  // below 1, a root that is no rank and a length below 0; reductions throw MPI_ERR_TYPE and MPI_ERR_OP, too, and need
  // MPI to run.

  /// A barrier of `size` ranks.
  [[nodiscard]] static DenseProblem of_barrier(int size);
  /// A broadcast of `bytes` bytes from `root`.
  [[nodiscard]] static DenseProblem of_broadcast(int size, int root, std::int64_t bytes);
  /// An allgather of `bytes` bytes from each rank.
  [[nodiscard]] static DenseProblem of_allgather(int size, std::int64_t bytes);
  /// An alltoall of `bytes` bytes from each rank to each.
  [[nodiscard]] static DenseProblem of_alltoall(int size, std::int64_t bytes);
  /// An allreduce of `count` elements.
  [[nodiscard]] static DenseProblem of_allreduce(int size, std::int64_t count, MPI_Datatype datatype, MPI_Op op);
  /// A reduce-scatter that leaves `count` elements on each rank.
  [[nodiscard]] static DenseProblem of_reduce_scatter(int size, std::int64_t count, MPI_Datatype datatype, MPI_Op op);
};

/// The blocks of a problem on one rank, as its builder knows them, wherever they lie and of whatever datatype. A block
/// is had as a whole, or in parts, each a block for itself; for what is received it must be one or the other. Of a
/// block in `parts` parts all but the last have the same length, in whole elements in reductions and whole 64 bytes
/// otherwise; the last ones may be shorter or empty. In place, what is sent is a copy, but for what a rank sends itself
/// in allgathers and alltoalls: that is what it receives from there, to be asked for in the same parts, and copying it,
/// or exchanging it with oneself, does nothing. In place, what a reduction sends may have up to 250 different lengths.
///
/// Lowerings use no other blocks of buffers (no send_block(), recv_block() or set_in_place()), and transit(), operand()
/// and scratch memory as they like. In reductions the builder's reduction is that of the result's block, as a whole;
/// for parts, or other blocks, set_reduction(problem.elements(block, part, parts), problem.datatype, problem.op) comes
/// before operand() and reduce(). As reduce(from, into) puts `from` on the left, an order of ranks is kept by beginning
/// with the last rank's operand.
class DenseBlocks {
 public:
  /// Whose they are.
  [[nodiscard]] int rank() const noexcept;
  /// What this rank sends: its block in broadcasts (at the root only), allgathers and allreduces; block j, for rank j,
  /// in alltoalls and reduce-scatters; in barriers a byte, which nobody looks at. Only read. Throws Error, MPI_ERR_ARG,
  /// for a block that there is not.
  [[nodiscard]] Block sent(int block = 0, int part = 0, int parts = 1) const;
  /// What it receives: its block in broadcasts (not at the root), allreduces and reduce-scatters; block j, of rank j,
  /// in allgathers and alltoalls. Holds nothing until it is written. Throws as sent().
  [[nodiscard]] Block received(int block = 0, int part = 0, int parts = 1) const;

 private:
  friend class internal::OfferedBlocks;
  explicit DenseBlocks(internal::OfferedBlocks& blocks) noexcept : blocks_(blocks) {}
  internal::OfferedBlocks& blocks_;
};

/// An algorithm of one's own for a collective of the library.
struct OfferedAlgorithm {
  /// What Request::algorithm() reports and DenseOptions::own_algorithm asks for. Not empty, without blanks, colons or
  /// commas, and no other algorithm's of this collective.
  std::string name;
  /// Writes the schedule of a rank, as a Lowering does. It may depend on the problem, on the rank of the blocks, and on
  /// what the function object holds, and must build the same messages whenever it is called: twice in place, and for
  /// all ranks where there is no `predict`. It is not called for what needs no messages at all: barriers and broadcasts
  /// of one rank, and blocks without bytes.
  std::function<void(rondo::ScheduleBuilder& build, const DenseProblem& problem, const DenseBlocks& blocks)> lower;
  /// Whether it can do a problem: the same on all ranks. Empty: any.
  std::function<bool(const DenseProblem& problem)> applies{};
  /// The nanoseconds that it is expected to take on the communicator's machine, at least 0 and the same on all ranks;
  /// infinite: it runs only when it is asked for. Empty: each rank runs all ranks on this machine (predict()) for each
  /// problem that it meets for the first time.
  std::function<double(const Machine& machine, const DenseProblem& problem)> predict{};
  /// From one rank to one other, in one run, at most, of any problem; from 1 to 1024. A lowering with more throws.
  int messages = 64;
};

/// Offers an algorithm to a collective on a communicator: calls that follow on it, blocking, nonblocking and
/// persistent, compare it with the library's own by what is predicted, take it where it is asked for by name, or where
/// it is found to be the fastest (Options::learn). The library prefers some of its own, such as `direct`, unless
/// another is predicted to take much less time, and explain() says so. An alltoall must have blocks of one size for
/// this, which an alltoallv or alltoallw has only where an `_init` call has found out that it is so.
///
/// Collective over `comm`; all ranks offer the same, in the same order. Throws Error on all ranks when it throws on
/// one: MPI_ERR_ARG for what the fields do not allow. What `lower`, `applies` and `predict` throw later comes out of
/// the call that met the problem, which names the algorithm: of `_init` calls on all ranks, of others on its own rank
/// only, and the others wait there. They are called with the communicator locked, and must not call Rondo
/// (MPI_ERR_OTHER).
///
/// Where the messages of the ranks do not match, an `_init` call throws MPI_ERR_ARG on all of them. In other calls they
/// hang, unless there is no `predict`, so that each rank has run them all. RONDO_CHECK, or Options::check, proves in
/// `_init` calls which data reach which blocks, each operand once (MPI_ERR_INTERN, with a story); not their order, nor
/// that they are combined by the problem's operation, which check() with data finds. Thread level as for Comm.
void offer(const Comm& comm, DenseCollective collective, const OfferedAlgorithm& algorithm);
/// The same for calls that are given an MPI communicator, as those of the C interface. Not for duplicates of it.
void offer(MPI_Comm comm, DenseCollective collective, const OfferedAlgorithm& algorithm);

/// The algorithm on contiguous buffers, for check(), predict() and to_dot(): what is sent lies in the send buffer, one
/// block after the other, and what is received in the receive buffer. Both are copied; `problem.size` must be the
/// number of ranks then. Local.
[[nodiscard]] Lowering lowering_of(const OfferedAlgorithm& algorithm, const DenseProblem& problem);

}  // namespace rondo

#endif
