/// @file
/// Call: the arguments of a collective of blocks, whatever its function's name and whichever of its three forms it has.
#ifndef RONDO_COLLECTIVES_BLOCKS_CALL_HPP
#define RONDO_COLLECTIVES_BLOCKS_CALL_HPP

#include <mpi.h>

#include "collectives/blocks/call_side.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace rondo::internal {

/// The kinds of collectives. On a communicator without a neighborhood, all ranks are targets and sources: an allreduce
/// is a reduce there, and a reduce-scatter a scatter-reduce.
enum class Collective : std::uint8_t {
  alltoall,        ///< a block for each target, a block from each source
  allgather,       ///< one block for all targets, a block from each source
  reduce,          ///< one vector for all targets; the vectors of all sources are combined
  scatter_reduce,  ///< a vector for each target; the vectors of all sources are combined
  broadcast,       ///< one block, from the root to all others
  barrier          ///< no blocks
};

/// Returns the name of a collective for people, the same for all functions that make its calls.
[[nodiscard]] constexpr std::string_view name_of(Collective collective) noexcept {
  switch (collective) {
    case Collective::alltoall:
      return "alltoall";
    case Collective::allgather:
      return "allgather";
    case Collective::reduce:
      return "reduce";
    case Collective::scatter_reduce:
      return "scatter-reduce";
    case Collective::broadcast:
      return "broadcast";
    case Collective::barrier:
      break;
  }
  return "barrier";
}

/// Returns the name that rondo_algorithm has for a kind of dense collectives.
[[nodiscard]] constexpr std::string_view kind_of_dense(Collective collective) noexcept {
  switch (collective) {
    case Collective::alltoall:
      return "alltoall";
    case Collective::allgather:
      return "allgather";
    case Collective::reduce:
      return "allreduce";
    case Collective::scatter_reduce:
      return "reduce_scatter";
    case Collective::broadcast:
      return "bcast";
    case Collective::barrier:
      break;
  }
  return "barrier";
}

/// The arguments of one call of a collective. Refers to the user's arguments.
struct Call {
  const char* name;  ///< name of the function, for error messages
  Collective collective;
  CallSide send;  ///< its buffer may be MPI_IN_PLACE, in dense collectives; see sent()
  CallSide recv;
  MPI_Op op = MPI_OP_NULL;  ///< for reductions
  // For broadcasts:
  int root = 0;
  bool at_root = false;  ///< whether this rank is the root

  [[nodiscard]] bool reduces() const noexcept {
    return collective == Collective::reduce || collective == Collective::scatter_reduce;
  }
  [[nodiscard]] bool sends_one_block() const noexcept {
    return (collective == Collective::allgather && !in_place()) || collective == Collective::reduce;
  }
  /// Returns the number of blocks that a process with so many targets sends.
  [[nodiscard]] int sent_blocks(int targets) const noexcept {
    if (collective == Collective::barrier) return 0;
    if (collective == Collective::broadcast) return at_root ? 1 : 0;
    return sends_one_block() ? std::min(targets, 1) : targets;
  }
  /// Returns the number of blocks that a process with so many sources receives.
  [[nodiscard]] int received_blocks(int sources) const noexcept {
    if (collective == Collective::barrier) return 0;
    if (collective == Collective::broadcast) return at_root ? 0 : 1;
    return reduces() ? std::min(sources, 1) : sources;
  }

  [[nodiscard]] bool in_place() const noexcept { return send.buffer == MPI_IN_PLACE; }
  /// Returns whether the send side's counts and types are significant. In a call in place, they are significant only if
  /// the call reduces: the blocks to reduce lie in the receive buffer and may differ from the result.
  [[nodiscard]] bool describes_sent() const noexcept { return !in_place() || reduces(); }
  /// Returns the side that describes the blocks that are sent. In place, these lie in the receive buffer.
  [[nodiscard]] CallSide sent() const noexcept {
    if (!in_place()) return send;
    CallSide side = reduces() ? send : recv;
    side.buffer = recv.buffer;
    return side;
  }
  /// Returns the buffer that Space::send of the schedule stands for, or null in place.
  [[nodiscard]] const void* send_buffer() const noexcept { return in_place() ? nullptr : send.buffer; }
  /// Returns the buffer that Space::recv of the schedule stands for.
  [[nodiscard]] void* recv_buffer() const noexcept { return const_cast<void*>(recv.buffer); }
};

// These functions make calls from arguments as MPI's functions and Rondo's give them, with counts and displacements of
// either width; displacements of the w forms are in bytes. The calls refer to the arguments.

template <CountType Count>
[[nodiscard]] Call alltoall_call(const char* name, const void* sendbuf, const Count& sendcount,
                                 const MPI_Datatype& sendtype, const void* recvbuf, const Count& recvcount,
                                 const MPI_Datatype& recvtype) {
  return {name, Collective::alltoall, CallSide::alltoall("send", sendbuf, sendcount, sendtype),
          CallSide::alltoall("recv", recvbuf, recvcount, recvtype)};
}

[[nodiscard]] inline Call alltoallv_call(const char* name, const void* sendbuf, Integers sendcounts, Integers sdispls,
                                         const MPI_Datatype& sendtype, const void* recvbuf, Integers recvcounts,
                                         Integers rdispls, const MPI_Datatype& recvtype) {
  return {name, Collective::alltoall, CallSide::alltoallv("send", sendbuf, sendcounts, sdispls, sendtype),
          CallSide::alltoallv("recv", recvbuf, recvcounts, rdispls, recvtype)};
}

[[nodiscard]] inline Call alltoallw_call(const char* name, const void* sendbuf, Integers sendcounts, Integers sdispls,
                                         const MPI_Datatype* sendtypes, const void* recvbuf, Integers recvcounts,
                                         Integers rdispls, const MPI_Datatype* recvtypes) {
  return {name, Collective::alltoall, CallSide::alltoallw("send", sendbuf, sendcounts, sdispls, sendtypes),
          CallSide::alltoallw("recv", recvbuf, recvcounts, rdispls, recvtypes)};
}

template <CountType Count>
[[nodiscard]] Call allgather_call(const char* name, const void* sendbuf, const Count& sendcount,
                                  const MPI_Datatype& sendtype, const void* recvbuf, const Count& recvcount,
                                  const MPI_Datatype& recvtype) {
  return {name, Collective::allgather, CallSide::alltoall("send", sendbuf, sendcount, sendtype),
          CallSide::alltoall("recv", recvbuf, recvcount, recvtype)};
}

template <CountType Count>
[[nodiscard]] Call allgatherv_call(const char* name, const void* sendbuf, const Count& sendcount,
                                   const MPI_Datatype& sendtype, const void* recvbuf, Integers recvcounts,
                                   Integers rdispls, const MPI_Datatype& recvtype) {
  return {name, Collective::allgather, CallSide::alltoall("send", sendbuf, sendcount, sendtype),
          CallSide::alltoallv("recv", recvbuf, recvcounts, rdispls, recvtype)};
}

template <CountType Count>
[[nodiscard]] Call allgatherw_call(const char* name, const void* sendbuf, const Count& sendcount,
                                   const MPI_Datatype& sendtype, const void* recvbuf, Integers recvcounts,
                                   Integers rdispls, const MPI_Datatype* recvtypes) {
  return {name, Collective::allgather, CallSide::alltoall("send", sendbuf, sendcount, sendtype),
          CallSide::alltoallw("recv", recvbuf, recvcounts, rdispls, recvtypes)};
}

template <CountType Count>
[[nodiscard]] Call reduce_call(const char* name, const void* sendbuf, const void* recvbuf, const Count& count,
                               const MPI_Datatype& datatype, MPI_Op op) {
  return {name, Collective::reduce, CallSide::alltoall("send", sendbuf, count, datatype),
          CallSide::alltoall("recv", recvbuf, count, datatype), op};
}

/// Makes the call of a reduce-scatter with equal vectors, one for each rank, which lie in a row.
template <CountType Count>
[[nodiscard]] Call reduce_scatter_block_call(const char* name, const void* sendbuf, const void* recvbuf,
                                             const Count& recvcount, const MPI_Datatype& datatype, MPI_Op op) {
  return {name, Collective::scatter_reduce, CallSide::alltoall("send", sendbuf, recvcount, datatype),
          CallSide::alltoall("recv", recvbuf, recvcount, datatype), op};
}

/// Makes the call of a reduce-scatter. `own`: this rank's entry of the counts.
template <CountType Count>
[[nodiscard]] Call reduce_scatter_call(const char* name, const void* sendbuf, const void* recvbuf, Integers recvcounts,
                                       const Count& own, const MPI_Datatype& datatype, MPI_Op op) {
  return {name, Collective::scatter_reduce,
          CallSide::one_after_the_other("send", sendbuf, "recv", recvcounts, datatype),
          CallSide::alltoall("recv", recvbuf, own, datatype), op};
}

template <CountType Count>
[[nodiscard]] Call scatter_reduce_call(const char* name, const void* sendbuf, Integers sendcounts, Integers sdispls,
                                       const MPI_Datatype* sendtypes, const void* recvbuf, const Count& count,
                                       const MPI_Datatype& datatype, MPI_Op op) {
  return {name, Collective::scatter_reduce, CallSide::alltoallw("send", sendbuf, sendcounts, sdispls, sendtypes),
          CallSide::alltoall("recv", recvbuf, count, datatype), op};
}

/// Makes the call of a broadcast. `rank`: the rank of the caller.
template <CountType Count>
[[nodiscard]] Call broadcast_call(const char* name, const void* buf, const Count& count, const MPI_Datatype& type,
                                  int root, int rank) {
  Call call{name, Collective::broadcast, CallSide::alltoall("", buf, count, type),
            CallSide::alltoall("", buf, count, type)};
  call.root = root;
  call.at_root = rank == root;
  return call;
}

/// Makes the call of a barrier. Its messages carry a byte of the send buffer, which is never read.
[[nodiscard]] inline Call barrier_call(const char* name) {
  static constexpr char kToken = 0;
  static constexpr int kNone = 0;
  static const MPI_Datatype byte = MPI_BYTE;
  return {name, Collective::barrier, CallSide::alltoall("send", &kToken, kNone, byte),
          CallSide::alltoall("recv", nullptr, kNone, byte)};
}

}  // namespace rondo::internal

#endif
