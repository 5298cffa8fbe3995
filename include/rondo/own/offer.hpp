/// @file
/// User-defined algorithms for the library's collectives.
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
  broadcast,      ///< a block of the root for all other ranks
  allgather,      ///< a block of each rank for all ranks; also allgatherv
  alltoall,       ///< a block of each rank for each rank, all of one size
  allreduce,      ///< a vector of each rank, combined for all
  reduce_scatter  ///< a vector of each rank, combined: block j of the result for rank j; also with blocks of one size
};

/// One problem of a dense collective, as all ranks know it. A value.
struct DenseProblem {
  DenseCollective collective = DenseCollective::barrier;  ///< the collective of the problem
  int size = 1;                                           ///< number of ranks
  int root = 0;                                           ///< root rank of a broadcast
  /// Bytes of the blocks: one block in broadcasts and allreduces, those of all ranks in the other collectives, none in
  /// barriers.
  std::vector<std::int64_t> bytes{};
  std::vector<std::int64_t> counts{};         ///< in reductions: elements of each block
  MPI_Datatype datatype = MPI_DATATYPE_NULL;  ///< in reductions: datatype of the elements
  MPI_Op op = MPI_OP_NULL;  ///< in reductions: operation, as ScheduleBuilder::set_reduction() takes it
  bool commutative = true;  ///< if false, the operands of rank 0, 1, 2, ... must stay in this order

  /// Returns the elements of part `part` of `parts` of a block of a reduction: see DenseBlocks.
  [[nodiscard]] std::int64_t elements(int block = 0, int part = 0, int parts = 1) const;

  // Functions that make problems for tests and predictions, with one size for all blocks. Local. Throw Error,
  // MPI_ERR_ARG, for a size below 1, a root that is no rank and a negative length; those of reductions also throw
  // MPI_ERR_TYPE and MPI_ERR_OP, and need MPI to run.

  /// Makes a barrier of `size` ranks.
  [[nodiscard]] static DenseProblem of_barrier(int size);
  /// Makes a broadcast of `bytes` bytes from `root`.
  [[nodiscard]] static DenseProblem of_broadcast(int size, int root, std::int64_t bytes);
  /// Makes an allgather of `bytes` bytes from each rank.
  [[nodiscard]] static DenseProblem of_allgather(int size, std::int64_t bytes);
  /// Makes an alltoall of `bytes` bytes from each rank to each.
  [[nodiscard]] static DenseProblem of_alltoall(int size, std::int64_t bytes);
  /// Makes an allreduce of `count` elements.
  [[nodiscard]] static DenseProblem of_allreduce(int size, std::int64_t count, MPI_Datatype datatype, MPI_Op op);
  /// Makes a reduce-scatter that leaves `count` elements on each rank.
  [[nodiscard]] static DenseProblem of_reduce_scatter(int size, std::int64_t count, MPI_Datatype datatype, MPI_Op op);
};

/// The blocks of a problem on one rank, as its builder knows them, wherever they lie and whatever their datatype. A
/// lowering takes a block as a whole, or in parts, each of which is a block; a received block must be one or the other
/// throughout. If a block has `parts` parts, all but the last have the same length, in whole elements in reductions and
/// whole 64 bytes otherwise; the last ones may be shorter or empty. In place, sent blocks are copies, except the block
/// that a rank sends itself in allgathers and alltoalls: that is the block that it receives from itself, to be taken in
/// the same parts, and copying it, or exchanging it with oneself, does nothing. In place, the blocks that a reduction
/// sends may have up to 250 different lengths.
///
/// Lowerings use no other blocks of buffers (no send_block(), recv_block() or set_in_place()), but may freely use
/// transit(), operand() and scratch memory. In reductions the builder's reduction is initially that of the result's
/// whole block. For parts, or other blocks, call set_reduction(problem.elements(block, part, parts), problem.datatype,
/// problem.op) before operand() and reduce(). Because reduce(from, into) puts `from` on the left, a lowering keeps the
/// order of ranks if it begins with the last rank's operand.
class DenseBlocks {
 public:
  /// The rank to which the blocks belong.
  [[nodiscard]] int rank() const noexcept;
  /// Returns a block that this rank sends: its block in broadcasts (at the root only), allgathers and allreduces; block
  /// j, for rank j, in alltoalls and reduce-scatters; in barriers a byte without meaning. The block may only be read.
  /// Throws Error, MPI_ERR_ARG, for a block that does not exist.
  [[nodiscard]] Block sent(int block = 0, int part = 0, int parts = 1) const;
  /// Returns a block that this rank receives: its block in broadcasts (not at the root), allreduces and
  /// reduce-scatters; block j, of rank j, in allgathers and alltoalls. The block holds nothing until it is written.
  /// Throws as sent().
  [[nodiscard]] Block received(int block = 0, int part = 0, int parts = 1) const;

 private:
  friend class internal::OfferedBlocks;
  explicit DenseBlocks(internal::OfferedBlocks& blocks) noexcept : blocks_(blocks) {}
  internal::OfferedBlocks& blocks_;
};

/// A user-defined algorithm for a collective of the library.
struct OfferedAlgorithm {
  /// The name that Request::algorithm() reports and DenseOptions::own_algorithm takes. Not empty, without blanks,
  /// colons or commas, and different from the names of the other algorithms of this collective.
  std::string name;
  /// Writes the schedule of a rank, as a Lowering does. The function may depend on the problem, on the rank of the
  /// blocks, and on the state of the function object, and must build the same messages whenever it is called: twice in
  /// place, and for all ranks if there is no `predict`. It is not called for problems without messages: barriers and
  /// broadcasts of one rank, and blocks without bytes.
  std::function<void(rondo::ScheduleBuilder& build, const DenseProblem& problem, const DenseBlocks& blocks)> lower;
  /// Returns whether the algorithm can do a problem: the same on all ranks. Empty: it can do any problem.
  std::function<bool(const DenseProblem& problem)> applies{};
  /// Predicts the algorithm's time in nanoseconds on the communicator's machine, at least 0 and the same on all ranks;
  /// infinite: the algorithm runs only if it is requested by name. Empty: each rank simulates all ranks on the machine
  /// (predict()) for each problem that it meets for the first time.
  std::function<double(const Machine& machine, const DenseProblem& problem)> predict{};
  /// Maximum number of messages from one rank to another in one run of any problem, from 1 to 1024. A lowering with
  /// more messages throws.
  int messages = 64;
};

/// Offers an algorithm to a collective on a communicator. Later calls on the communicator, blocking, nonblocking and
/// persistent, compare the predicted times of the algorithm and of the library's algorithms, and use the offered one if
/// it is predicted to be the fastest, if it is requested by name, or if it is measured to be the fastest
/// (Options::learn). The library prefers some of its algorithms, such as `direct`, unless another is predicted to take
/// much less time, and explain() says so. An alltoall must have blocks of one size for this; an alltoallv or alltoallw
/// qualifies only if an `_init` call has found that its blocks have one size.
///
/// Collective over `comm`; all ranks offer the same algorithms, in the same order. Throws Error on all ranks if it
/// throws on one: MPI_ERR_ARG for fields with values that are not allowed. A later exception of `lower`, `applies` or
/// `predict` is thrown by the call that has the problem, with the algorithm's name: by `_init` calls on all ranks, by
/// other calls only on the rank of the exception, and the other ranks wait there. The three functions are called with
/// the communicator locked, and must not call Rondo (MPI_ERR_OTHER).
///
/// If the messages of the ranks do not match, an `_init` call throws MPI_ERR_ARG on all ranks. In other calls the ranks
/// hang, unless there is no `predict`, so that each rank has simulated all ranks. RONDO_CHECK, or Options::check,
/// proves in `_init` calls which data reach which blocks, each operand once (MPI_ERR_INTERN, with a report). It does
/// not prove the order of operands, nor that the problem's operation combines them; check() with data does. Thread
/// level as for Comm.
void offer(const Comm& comm, DenseCollective collective, const OfferedAlgorithm& algorithm);
/// Offers an algorithm to calls that take an MPI communicator, as those of the C interface. Duplicates of the
/// communicator do not have the offer.
void offer(MPI_Comm comm, DenseCollective collective, const OfferedAlgorithm& algorithm);

/// Returns a lowering of the algorithm on contiguous buffers, for check(), predict() and to_dot(): sent blocks lie in
/// the send buffer, one after the other, and received blocks in the receive buffer. Copies `algorithm` and `problem`;
/// `problem.size` must be the number of ranks for which the lowering is called. Local.
[[nodiscard]] Lowering lowering_of(const OfferedAlgorithm& algorithm, const DenseProblem& problem);

}  // namespace rondo

#endif
