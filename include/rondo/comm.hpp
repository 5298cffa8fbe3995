/// @file
/// Communicators with dense collectives, in C++.
#ifndef RONDO_COMM_HPP
#define RONDO_COMM_HPP

#include <rondo/basics/cpp20.hpp>

#include <mpi.h>
#include <rondo/basics/element_buffer.hpp>
#include <rondo/options.hpp>
#include <rondo/request.hpp>

#include <cstddef>
#include <memory>
#include <ranges>
#include <span>

namespace rondo::internal {
class DenseContext;
struct OwnComm;
}  // namespace rondo::internal

namespace rondo {

/// The type of rondo::in_place, which stands for the send buffer of an operation in place: received data replace the
/// sent data.
struct InPlace {};
/// Pass this instead of a send buffer to run an operation in place.
inline constexpr InPlace in_place{};

/// A communicator of any number of processes p with dense collectives. In an alltoall, block j goes to rank j, and
/// block j comes from rank j (zero-copy Bruck, ICS 2014; randomized alltoall for Slim Fly); reductions combine the
/// vectors of all ranks. Move-only. Functions throw Error. Functions that move data are collective, in the same order
/// on all ranks.
///
/// Blocks must not share bytes, except that in place each block is both sent and received. A block has the same length,
/// in bytes, on its sender and on its receiver. Buffers are contiguous ranges, as in CartComm.
class Comm {
 public:
  /// Makes a Comm of an intracommunicator, which is duplicated: operations on it and on other Comm objects of the same
  /// communicator do not interfere. `options` are the same on all ranks. Collective over `comm`; throws Error on all
  /// ranks: MPI_ERR_COMM, MPI_ERR_INFO_VALUE, and MPI_ERR_ARG (Options::reorder; an error on another rank).
  explicit Comm(MPI_Comm comm, const Options& options = {});
  Comm(Comm&& other) noexcept = default;
  Comm& operator=(Comm&& other) noexcept = default;
  /// Frees the duplicate, or leaves this to the last operation on it.
  ~Comm() = default;

  /// The caller's rank.
  [[nodiscard]] int rank() const;
  /// The number of processes p.
  [[nodiscard]] int size() const;

  /// Exchanges blocks of equal size: `send` and `recv` hold p blocks of `count` elements each, one after the other.
  /// Blocking.
  template <typename T = Deduced, SendElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  void alltoall(Send&& send, Recv&& recv, int count = 1) {
    alltoall(ElementBuffer::of(send), ElementBuffer::of(recv), count);
  }
  /// Nonblocking: never waits for another rank.
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request ialltoall(Send&& send, Recv&& recv, int count = 1) {
    return ialltoall(ElementBuffer::of(send), ElementBuffer::of(recv), count);
  }
  /// Returns a persistent alltoall. Does all preparation once, in this call, which waits for the other ranks.
  /// Options that are not set are the communicator's.
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request alltoall_init(Send&& send, Recv&& recv, int count = 1, const Options& options = {}) {
    return alltoall_init(ElementBuffer::of(send), ElementBuffer::of(recv), count, options);
  }
  /// In place: the received blocks replace the p blocks of `count` elements in `buffer`.
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  void alltoall(InPlace, Buffer&& buffer, int count = 1) {
    alltoall(nothing_sent(), ElementBuffer::of(buffer), count);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request ialltoall(InPlace, Buffer&& buffer, int count = 1) {
    return ialltoall(nothing_sent(), ElementBuffer::of(buffer), count);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request alltoall_init(InPlace, Buffer&& buffer, int count = 1, const Options& options = {}) {
    return alltoall_init(nothing_sent(), ElementBuffer::of(buffer), count, options);
  }
  /// Alltoall of any datatype; `send` may be MPI_IN_PLACE.
  void alltoall(const void* send, void* recv, int count, MPI_Datatype type) {
    alltoall(unchecked(send, type), unchecked(recv, type), count);
  }
  [[nodiscard]] Request ialltoall(const void* send, void* recv, int count, MPI_Datatype type) {
    return ialltoall(unchecked(send, type), unchecked(recv, type), count);
  }
  [[nodiscard]] Request alltoall_init(const void* send, void* recv, int count, MPI_Datatype type,
                                      const Options& options = {}) {
    return alltoall_init(unchecked(send, type), unchecked(recv, type), count, options);
  }

  /// Exchanges blocks of different sizes: counts and displacements in elements, p of each.
  template <typename T = Deduced, SendElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  void alltoallv(Send&& send, const BlockPlaces& send_places, Recv&& recv, const BlockPlaces& recv_places) {
    alltoallv(ElementBuffer::of(send), send_places, ElementBuffer::of(recv), recv_places);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request ialltoallv(Send&& send, const BlockPlaces& send_places, Recv&& recv,
                                   const BlockPlaces& recv_places) {
    return ialltoallv(ElementBuffer::of(send), send_places, ElementBuffer::of(recv), recv_places);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request alltoallv_init(Send&& send, const BlockPlaces& send_places, Recv&& recv,
                                       const BlockPlaces& recv_places, const Options& options = {}) {
    return alltoallv_init(ElementBuffer::of(send), send_places, ElementBuffer::of(recv), recv_places, options);
  }
  /// In place: the received blocks replace the sent ones in `buffer`.
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  void alltoallv(InPlace, Buffer&& buffer, const BlockPlaces& places) {
    alltoallv(nothing_sent(), {}, ElementBuffer::of(buffer), places);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request ialltoallv(InPlace, Buffer&& buffer, const BlockPlaces& places) {
    return ialltoallv(nothing_sent(), {}, ElementBuffer::of(buffer), places);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request alltoallv_init(InPlace, Buffer&& buffer, const BlockPlaces& places,
                                       const Options& options = {}) {
    return alltoallv_init(nothing_sent(), {}, ElementBuffer::of(buffer), places, options);
  }

  /// Exchanges blocks of any datatype anywhere in memory, p to send and p to receive.
  void alltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv);
  [[nodiscard]] Request ialltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv);
  [[nodiscard]] Request alltoallw_init(std::span<const SendBlock> send, std::span<const RecvBlock> recv,
                                       const Options& options = {});
  /// In place: the received blocks replace the sent ones in `blocks`.
  void alltoallw(InPlace, std::span<const RecvBlock> blocks);
  [[nodiscard]] Request ialltoallw(InPlace, std::span<const RecvBlock> blocks);
  [[nodiscard]] Request alltoallw_init(InPlace, std::span<const RecvBlock> blocks, const Options& options = {});

  /// Combines the vectors of all ranks by `op`, element by element: `recv`, of as many elements as `send`, becomes the
  /// result, on every rank the same to the last bit. `op` is associative; if it is not commutative, it is applied in
  /// the order of the ranks. A user-defined `op` must live as long as the request. All ranks give the same number of
  /// elements.
  template <typename T = Deduced, SendElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  void allreduce(Send&& send, Recv&& recv, MPI_Op op) {
    allreduce(ElementBuffer::of(send), ElementBuffer::of(recv), length(send), op);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request iallreduce(Send&& send, Recv&& recv, MPI_Op op) {
    return iallreduce(ElementBuffer::of(send), ElementBuffer::of(recv), length(send), op);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request allreduce_init(Send&& send, Recv&& recv, MPI_Op op, const Options& options = {}) {
    return allreduce_init(ElementBuffer::of(send), ElementBuffer::of(recv), length(send), op, options);
  }
  /// In place: the result replaces the vector in `buffer`.
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  void allreduce(InPlace, Buffer&& buffer, MPI_Op op) {
    allreduce(nothing_sent(), ElementBuffer::of(buffer), length(buffer), op);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request iallreduce(InPlace, Buffer&& buffer, MPI_Op op) {
    return iallreduce(nothing_sent(), ElementBuffer::of(buffer), length(buffer), op);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request allreduce_init(InPlace, Buffer&& buffer, MPI_Op op, const Options& options = {}) {
    return allreduce_init(nothing_sent(), ElementBuffer::of(buffer), length(buffer), op, options);
  }
  /// Allreduce of any datatype; `send` may be MPI_IN_PLACE.
  void allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op) {
    allreduce(unchecked(send, type), unchecked(recv, type), count, op);
  }
  [[nodiscard]] Request iallreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op) {
    return iallreduce(unchecked(send, type), unchecked(recv, type), count, op);
  }
  [[nodiscard]] Request allreduce_init(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                                       const Options& options = {}) {
    return allreduce_init(unchecked(send, type), unchecked(recv, type), count, op, options);
  }

  /// Combines the vectors of all ranks as allreduce() does, and gives rank j the j-th part of the result: `send` holds
  /// p parts of recv.size() elements each, one after the other.
  template <typename T = Deduced, SendElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  void reduce_scatter_block(Send&& send, Recv&& recv, MPI_Op op) {
    reduce_scatter_block(ElementBuffer::of(send), ElementBuffer::of(recv), length(recv), op);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request ireduce_scatter_block(Send&& send, Recv&& recv, MPI_Op op) {
    return ireduce_scatter_block(ElementBuffer::of(send), ElementBuffer::of(recv), length(recv), op);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request reduce_scatter_block_init(Send&& send, Recv&& recv, MPI_Op op, const Options& options = {}) {
    return reduce_scatter_block_init(ElementBuffer::of(send), ElementBuffer::of(recv), length(recv), op, options);
  }
  /// In place: `buffer` holds p parts of `count` elements, and its first `count` elements become this rank's part of
  /// the result; the content of the others is then undefined.
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  void reduce_scatter_block(InPlace, Buffer&& buffer, int count, MPI_Op op) {
    reduce_scatter_block(nothing_sent(), ElementBuffer::of(buffer), count, op);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request ireduce_scatter_block(InPlace, Buffer&& buffer, int count, MPI_Op op) {
    return ireduce_scatter_block(nothing_sent(), ElementBuffer::of(buffer), count, op);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request reduce_scatter_block_init(InPlace, Buffer&& buffer, int count, MPI_Op op,
                                                  const Options& options = {}) {
    return reduce_scatter_block_init(nothing_sent(), ElementBuffer::of(buffer), count, op, options);
  }
  /// Reduce-scatter of any datatype; `send` may be MPI_IN_PLACE.
  void reduce_scatter_block(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op) {
    reduce_scatter_block(unchecked(send, type), unchecked(recv, type), count, op);
  }
  [[nodiscard]] Request ireduce_scatter_block(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op) {
    return ireduce_scatter_block(unchecked(send, type), unchecked(recv, type), count, op);
  }
  [[nodiscard]] Request reduce_scatter_block_init(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                                                  const Options& options = {}) {
    return reduce_scatter_block_init(unchecked(send, type), unchecked(recv, type), count, op, options);
  }

  /// Reduce-scatter with parts of different sizes: `counts` has p sizes in elements, the same on all ranks.
  template <typename T = Deduced, SendElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  void reduce_scatter(Send&& send, Recv&& recv, std::span<const int> counts, MPI_Op op) {
    reduce_scatter(ElementBuffer::of(send), ElementBuffer::of(recv), counts, op);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request ireduce_scatter(Send&& send, Recv&& recv, std::span<const int> counts, MPI_Op op) {
    return ireduce_scatter(ElementBuffer::of(send), ElementBuffer::of(recv), counts, op);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request reduce_scatter_init(Send&& send, Recv&& recv, std::span<const int> counts, MPI_Op op,
                                            const Options& options = {}) {
    return reduce_scatter_init(ElementBuffer::of(send), ElementBuffer::of(recv), counts, op, options);
  }
  /// In place: this rank's part of the result replaces the first elements of `buffer`.
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  void reduce_scatter(InPlace, Buffer&& buffer, std::span<const int> counts, MPI_Op op) {
    reduce_scatter(nothing_sent(), ElementBuffer::of(buffer), counts, op);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request ireduce_scatter(InPlace, Buffer&& buffer, std::span<const int> counts, MPI_Op op) {
    return ireduce_scatter(nothing_sent(), ElementBuffer::of(buffer), counts, op);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request reduce_scatter_init(InPlace, Buffer&& buffer, std::span<const int> counts, MPI_Op op,
                                            const Options& options = {}) {
    return reduce_scatter_init(nothing_sent(), ElementBuffer::of(buffer), counts, op, options);
  }

  /// Waits until all ranks have entered the barrier. Blocking.
  void barrier();
  /// Nonblocking: never waits for another rank; the request is complete once all ranks have made this call.
  [[nodiscard]] Request ibarrier();
  /// Persistent: the request is complete once all ranks have started theirs. Options that are not set are the
  /// communicator's, in this and all other _init functions.
  [[nodiscard]] Request barrier_init(const Options& options = {});

  /// Sends `buffer` from `root` to all other ranks, into their `buffer`. All ranks give the same number of elements and
  /// the same root.
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  void bcast(Buffer&& buffer, int root) {
    bcast(ElementBuffer::of(buffer), length(buffer), root);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request ibcast(Buffer&& buffer, int root) {
    return ibcast(ElementBuffer::of(buffer), length(buffer), root);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request bcast_init(Buffer&& buffer, int root, const Options& options = {}) {
    return bcast_init(ElementBuffer::of(buffer), length(buffer), root, options);
  }
  /// Broadcast of any datatype.
  void bcast(void* buffer, int count, MPI_Datatype type, int root) { bcast(unchecked(buffer, type), count, root); }
  [[nodiscard]] Request ibcast(void* buffer, int count, MPI_Datatype type, int root) {
    return ibcast(unchecked(buffer, type), count, root);
  }
  [[nodiscard]] Request bcast_init(void* buffer, int count, MPI_Datatype type, int root, const Options& options = {}) {
    return bcast_init(unchecked(buffer, type), count, root, options);
  }

  /// Sends all of `send` to all ranks; the j-th block of send.size() elements in `recv` becomes the data from rank j.
  /// All ranks send the same number of elements.
  template <typename T = Deduced, SendElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  void allgather(Send&& send, Recv&& recv) {
    allgather(ElementBuffer::of(send), ElementBuffer::of(recv), length(send));
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request iallgather(Send&& send, Recv&& recv) {
    return iallgather(ElementBuffer::of(send), ElementBuffer::of(recv), length(send));
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request allgather_init(Send&& send, Recv&& recv, const Options& options = {}) {
    return allgather_init(ElementBuffer::of(send), ElementBuffer::of(recv), length(send), options);
  }
  /// In place: `buffer` holds p blocks of `count` elements, and this rank's own block already holds the data to send.
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  void allgather(InPlace, Buffer&& buffer, int count = 1) {
    allgather(nothing_sent(), ElementBuffer::of(buffer), count);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request iallgather(InPlace, Buffer&& buffer, int count = 1) {
    return iallgather(nothing_sent(), ElementBuffer::of(buffer), count);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request allgather_init(InPlace, Buffer&& buffer, int count = 1, const Options& options = {}) {
    return allgather_init(nothing_sent(), ElementBuffer::of(buffer), count, options);
  }
  /// Allgather of any datatype; `send` may be MPI_IN_PLACE.
  void allgather(const void* send, void* recv, int count, MPI_Datatype type) {
    allgather(unchecked(send, type), unchecked(recv, type), count);
  }
  [[nodiscard]] Request iallgather(const void* send, void* recv, int count, MPI_Datatype type) {
    return iallgather(unchecked(send, type), unchecked(recv, type), count);
  }
  [[nodiscard]] Request allgather_init(const void* send, void* recv, int count, MPI_Datatype type,
                                       const Options& options = {}) {
    return allgather_init(unchecked(send, type), unchecked(recv, type), count, options);
  }

  /// Allgather in which ranks may send different numbers of elements: `places` has p counts, the same on all ranks, and
  /// p displacements, both in elements, which say where in `recv` the data from rank j arrive.
  template <typename T = Deduced, SendElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  void allgatherv(Send&& send, Recv&& recv, const BlockPlaces& places) {
    allgatherv(ElementBuffer::of(send), length(send), ElementBuffer::of(recv), places);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request iallgatherv(Send&& send, Recv&& recv, const BlockPlaces& places) {
    return iallgatherv(ElementBuffer::of(send), length(send), ElementBuffer::of(recv), places);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request allgatherv_init(Send&& send, Recv&& recv, const BlockPlaces& places,
                                        const Options& options = {}) {
    return allgatherv_init(ElementBuffer::of(send), length(send), ElementBuffer::of(recv), places, options);
  }
  /// In place: this rank's own block of `buffer` already holds the data to send.
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  void allgatherv(InPlace, Buffer&& buffer, const BlockPlaces& places) {
    allgatherv(nothing_sent(), 0, ElementBuffer::of(buffer), places);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request iallgatherv(InPlace, Buffer&& buffer, const BlockPlaces& places) {
    return iallgatherv(nothing_sent(), 0, ElementBuffer::of(buffer), places);
  }
  template <typename T = Deduced, WritableElements<T> Buffer = std::span<T>>
  [[nodiscard]] Request allgatherv_init(InPlace, Buffer&& buffer, const BlockPlaces& places,
                                        const Options& options = {}) {
    return allgatherv_init(nothing_sent(), 0, ElementBuffer::of(buffer), places, options);
  }

  // Calls with other arguments are deleted, so that the compiler's error says in one line what the arguments must be.
  template <typename...>
  BuffersAreContiguousRangesOfTheSameElements alltoall(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall ialltoall(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall alltoall_init(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesOfTheSameElements alltoallv(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall ialltoallv(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall alltoallv_init(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesOfTheSameElements allreduce(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall iallreduce(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall allreduce_init(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesOfTheSameElements reduce_scatter_block(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall ireduce_scatter_block(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall reduce_scatter_block_init(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesOfTheSameElements reduce_scatter(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall ireduce_scatter(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall reduce_scatter_init(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesOfTheSameElements bcast(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall ibcast(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall bcast_init(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesOfTheSameElements allgather(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall iallgather(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall allgather_init(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesOfTheSameElements allgatherv(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall iallgatherv(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall allgatherv_init(...) = delete;

 private:
  [[nodiscard]] static ElementBuffer unchecked(const void* address, MPI_Datatype type) {
    return {const_cast<void*>(address), -1, type};
  }
  [[nodiscard]] static ElementBuffer nothing_sent() { return unchecked(MPI_IN_PLACE, MPI_DATATYPE_NULL); }
  void alltoall(const ElementBuffer& send, const ElementBuffer& recv, int count);
  [[nodiscard]] Request ialltoall(const ElementBuffer& send, const ElementBuffer& recv, int count);
  [[nodiscard]] Request alltoall_init(const ElementBuffer& send, const ElementBuffer& recv, int count,
                                      const Options& options);
  void alltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                 const BlockPlaces& recv_places);
  [[nodiscard]] Request ialltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                                   const BlockPlaces& recv_places);
  [[nodiscard]] Request alltoallv_init(const ElementBuffer& send, const BlockPlaces& send_places,
                                       const ElementBuffer& recv, const BlockPlaces& recv_places,
                                       const Options& options);
  /// Returns a number of elements as an int. Throws Error, MPI_ERR_COUNT, if it does not fit.
  [[nodiscard]] static int checked_length(std::size_t elements);
  template <typename Range>
  [[nodiscard]] static int length(Range& elements) {
    return checked_length(static_cast<std::size_t>(std::ranges::size(elements)));
  }
  void allreduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op);
  [[nodiscard]] Request iallreduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op);
  [[nodiscard]] Request allreduce_init(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op,
                                       const Options& options);
  void reduce_scatter_block(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op);
  [[nodiscard]] Request ireduce_scatter_block(const ElementBuffer& send, const ElementBuffer& recv, int count,
                                              MPI_Op op);
  [[nodiscard]] Request reduce_scatter_block_init(const ElementBuffer& send, const ElementBuffer& recv, int count,
                                                  MPI_Op op, const Options& options);
  void reduce_scatter(const ElementBuffer& send, const ElementBuffer& recv, std::span<const int> counts, MPI_Op op);
  [[nodiscard]] Request ireduce_scatter(const ElementBuffer& send, const ElementBuffer& recv,
                                        std::span<const int> counts, MPI_Op op);
  [[nodiscard]] Request reduce_scatter_init(const ElementBuffer& send, const ElementBuffer& recv,
                                            std::span<const int> counts, MPI_Op op, const Options& options);
  void bcast(const ElementBuffer& buffer, int count, int root);
  [[nodiscard]] Request ibcast(const ElementBuffer& buffer, int count, int root);
  [[nodiscard]] Request bcast_init(const ElementBuffer& buffer, int count, int root, const Options& options);
  void allgather(const ElementBuffer& send, const ElementBuffer& recv, int count);
  [[nodiscard]] Request iallgather(const ElementBuffer& send, const ElementBuffer& recv, int count);
  [[nodiscard]] Request allgather_init(const ElementBuffer& send, const ElementBuffer& recv, int count,
                                       const Options& options);
  void allgatherv(const ElementBuffer& send, int count, const ElementBuffer& recv, const BlockPlaces& places);
  [[nodiscard]] Request iallgatherv(const ElementBuffer& send, int count, const ElementBuffer& recv,
                                    const BlockPlaces& places);
  [[nodiscard]] Request allgatherv_init(const ElementBuffer& send, int count, const ElementBuffer& recv,
                                        const BlockPlaces& places, const Options& options);
  [[nodiscard]] const std::shared_ptr<internal::DenseContext>& context() const;
  friend struct internal::OwnComm;

  std::shared_ptr<internal::DenseContext> context_;
};

}  // namespace rondo

#endif
