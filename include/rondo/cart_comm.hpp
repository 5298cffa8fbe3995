/// @file
/// Cartesian communicators with a neighborhood, and their collective operations, in C++.
#ifndef RONDO_CART_COMM_HPP
#define RONDO_CART_COMM_HPP

#include <rondo/basics/cpp20.hpp>

#include <mpi.h>
#include <rondo/basics/element_buffer.hpp>
#include <rondo/neighborhood.hpp>
#include <rondo/options.hpp>
#include <rondo/request.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace rondo::internal {
class NeighborhoodContext;
struct GridOfHalo;
struct OwnComm;
}  // namespace rondo::internal

namespace rondo {

/// A torus or mesh of processes with a neighborhood (ICPP 2019, section 2). Move-only; owns its communicator. Functions
/// throw Error. Functions that move data are collective over the grid, in the same order on all ranks; queries are
/// local.
///
/// Beyond the edges of a dimension that is not periodic, neighbors are MPI_PROC_NULL.
///
/// Blocks must not share bytes between sending and receiving. A neighborhood of t offsets takes t blocks on either
/// side: block i goes to neighbor i, and block i comes from the process that has the caller as its neighbor i.
///
/// Buffers are contiguous ranges, such as std::vector, std::array, arrays and std::span. Both have the same element
/// type, which is deduced; `alltoall<int>(send, recv)` may state it. Operations that outlive the call do not take a
/// temporary that owns its elements, and no operation receives into one.
class CartComm {
 public:
  /// Makes the torus. Collective over `comm`, whose size must be the product of `dimensions`. See
  /// Rondo_Cart_neighborhood_create for the errors.
  CartComm(MPI_Comm comm, std::span<const int> dimensions, const Neighborhood& neighborhood,
           const Options& options = {})
      : CartComm(comm, dimensions, {}, neighborhood, options) {}
  /// Makes the torus with its dimensions as a list.
  CartComm(MPI_Comm comm, std::initializer_list<int> dimensions, const Neighborhood& neighborhood,
           const Options& options = {})
      : CartComm(comm, std::span<const int>(dimensions.begin(), dimensions.size()), neighborhood, options) {}
  /// Makes a grid with periodic and other dimensions: `periods` has a flag for each dimension, zero if the dimension is
  /// not periodic; empty `periods` make a torus.
  CartComm(MPI_Comm comm, std::span<const int> dimensions, std::span<const int> periods,
           const Neighborhood& neighborhood, const Options& options = {});
  /// Makes a grid with its dimensions and periods as lists.
  CartComm(MPI_Comm comm, std::initializer_list<int> dimensions, std::initializer_list<int> periods,
           const Neighborhood& neighborhood, const Options& options = {})
      : CartComm(comm, std::span<const int>(dimensions.begin(), dimensions.size()),
                 std::span<const int>(periods.begin(), periods.size()), neighborhood, options) {}
  CartComm(CartComm&& other) noexcept = default;
  CartComm& operator=(CartComm&& other) noexcept = default;
  /// The last CartComm of a communicator frees it, which is collective. Does nothing after MPI_Finalize.
  ~CartComm() = default;

  /// Makes another neighborhood on the same communicator, which both share: makes a list of offsets and no
  /// communicator. Local if `options`, or those of this grid, assert isomorphism; otherwise one small allreduce checks
  /// it. Options that are not set are those of this grid; reorder is not allowed. Operations on all neighborhoods of a
  /// communicator come in the same order on all ranks. Throws as the constructors do; if the allreduce
  /// checks the list, on all ranks.
  [[nodiscard]] CartComm with_neighborhood(const Neighborhood& neighborhood, const Options& options = {}) const;

  /// Finds a neighborhood in a distributed graph whose rank r is at the r-th place of a grid (ICPP 2019, section 2.2):
  /// see Rondo_Neighborhood_from_graph. Returns nothing if the processes have different neighborhoods, and then sets
  /// `reason`, if given, to the reason, the same on all ranks. `periods` may be empty for a torus. Collective over
  /// `graph`; throws as the constructors do.
  [[nodiscard]] static std::optional<CartComm> from_graph(MPI_Comm graph, std::span<const int> dimensions,
                                                          std::span<const int> periods = {},
                                                          const Options& options = {}, std::string* reason = nullptr);

  /// The Cartesian MPI communicator, owned by this CartComm and all those that share it through with_neighborhood().
  /// Functions of the C interface find the neighborhood of the first of them on it.
  [[nodiscard]] MPI_Comm native() const noexcept { return comm_ == nullptr ? MPI_COMM_NULL : *comm_; }
  [[nodiscard]] int rank() const;
  /// Returns the number of processes in the grid.
  [[nodiscard]] int size() const;
  /// The caller's d coordinates.
  [[nodiscard]] std::vector<int> coordinates() const;
  /// t, the number of neighbors.
  [[nodiscard]] int neighbor_count() const;
  /// Returns the rank at an offset (d entries) from the caller, or MPI_PROC_NULL.
  [[nodiscard]] int relative_rank(std::span<const int> offset) const;
  [[nodiscard]] int relative_rank(std::initializer_list<int> offset) const {
    return relative_rank(std::span<const int>(offset.begin(), offset.size()));
  }
  /// Returns the offset (d entries) of a rank from the caller: in each periodic dimension of size p the residue in
  /// (-p/2, p/2], in the others the difference of the coordinates. Throws Error, MPI_ERR_RANK, for a rank that the grid
  /// does not have.
  [[nodiscard]] std::vector<int> offset_of(int rank) const;
  /// The offsets, with their weights. Valid as long as this communicator, or the one that it is moved to.
  [[nodiscard]] const Neighborhood& neighborhood() const;
  /// Return the ranks of the t sources and of the t targets, in the order of the neighborhood; MPI_PROC_NULL for
  /// neighbors that a mesh does not have.
  [[nodiscard]] std::vector<int> sources() const;
  [[nodiscard]] std::vector<int> targets() const;
  /// Return, for a CartComm made by from_graph(), the position of source i (target i) in the caller's list of sources
  /// (targets) of the graph, -1 if a mesh has no such neighbor. Throw Error, MPI_ERR_TOPOLOGY, on any other CartComm.
  [[nodiscard]] std::span<const int> graph_sources() const;
  [[nodiscard]] std::span<const int> graph_targets() const;

  /// Exchanges blocks of equal size: `send` and `recv` hold t blocks of `count` elements each, one after the other.
  template <typename T = Deduced, SendElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  void alltoall(Send&& send, Recv&& recv, int count = 1) {
    alltoall(ElementBuffer::of(send), ElementBuffer::of(recv), count);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request ialltoall(Send&& send, Recv&& recv, int count = 1) {
    return ialltoall(ElementBuffer::of(send), ElementBuffer::of(recv), count);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request alltoall_init(Send&& send, Recv&& recv, int count = 1, const Options& options = {}) {
    return alltoall_init(ElementBuffer::of(send), ElementBuffer::of(recv), count, options);
  }
  /// Alltoall of any datatype.
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

  /// Exchanges blocks of different sizes, with t counts and t displacements on each side, in elements:
  /// `alltoallv(send, {counts, displacements}, recv, {counts, displacements})`.
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

  /// Exchanges blocks of any datatype anywhere in memory, t to send and t to receive.
  void alltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv);
  [[nodiscard]] Request ialltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv);
  [[nodiscard]] Request alltoallw_init(std::span<const SendBlock> send, std::span<const RecvBlock> recv,
                                       const Options& options = {});

  /// Sends all of `send` to every target and receives as many elements from every source: `recv` holds t blocks of
  /// send.size() elements, one after the other (ICPP 2019, section 3.2). All ranks send the same number of elements. On
  /// a mesh, the blocks of missing sources stay unchanged, in this and the other allgathers.
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
  /// Allgather of any datatype.
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

  /// Allgather in which ranks may send different numbers of elements: counts and displacements in elements, t of each.
  /// recv_places.counts[i] is the number of elements that source i sends.
  template <typename T = Deduced, SendElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  void allgatherv(Send&& send, Recv&& recv, const BlockPlaces& recv_places) {
    allgatherv(ElementBuffer::of(send), length(send), ElementBuffer::of(recv), recv_places);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request iallgatherv(Send&& send, Recv&& recv, const BlockPlaces& recv_places) {
    return iallgatherv(ElementBuffer::of(send), length(send), ElementBuffer::of(recv), recv_places);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request allgatherv_init(Send&& send, Recv&& recv, const BlockPlaces& recv_places,
                                        const Options& options = {}) {
    return allgatherv_init(ElementBuffer::of(send), length(send), ElementBuffer::of(recv), recv_places, options);
  }

  /// Allgather of blocks of any datatype anywhere in memory: one to send, t to receive (the paper's addition to MPI).
  void allgatherw(const SendBlock& send, std::span<const RecvBlock> recv);
  [[nodiscard]] Request iallgatherw(const SendBlock& send, std::span<const RecvBlock> recv);
  [[nodiscard]] Request allgatherw_init(const SendBlock& send, std::span<const RecvBlock> recv,
                                        const Options& options = {});

  /// Sends all of `send` to every target; `recv`, of as many elements, becomes the combination by `op` of the vectors
  /// from all sources (EuroMPI 2015, section 4). The process's own elements are combined only if the zero offset is a
  /// neighbor. `op` is commutative; a user-defined `op` must live as long as the request. Elements are combined in one
  /// order whichever algorithm runs, so that the result is the same to the last bit on every run. Without a source, as
  /// in an empty neighborhood or a corner of a mesh, `recv` stays unchanged.
  template <typename T = Deduced, SendElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  void reduce(Send&& send, Recv&& recv, MPI_Op op) {
    reduce(ElementBuffer::of(send), ElementBuffer::of(recv), length(send), op);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request ireduce(Send&& send, Recv&& recv, MPI_Op op) {
    return ireduce(ElementBuffer::of(send), ElementBuffer::of(recv), length(send), op);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request reduce_init(Send&& send, Recv&& recv, MPI_Op op, const Options& options = {}) {
    return reduce_init(ElementBuffer::of(send), ElementBuffer::of(recv), length(send), op, options);
  }
  /// Reduction of any datatype.
  void reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op) {
    reduce(unchecked(send, type), unchecked(recv, type), count, op);
  }
  [[nodiscard]] Request ireduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op) {
    return ireduce(unchecked(send, type), unchecked(recv, type), count, op);
  }
  [[nodiscard]] Request reduce_init(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                                    const Options& options = {}) {
    return reduce_init(unchecked(send, type), unchecked(recv, type), count, op, options);
  }

  /// Reduces as reduce() does, with a different vector for each target: `send` holds t vectors of recv.size() elements
  /// each, one after the other.
  template <typename T = Deduced, SendElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  void scatter_reduce(Send&& send, Recv&& recv, MPI_Op op) {
    scatter_reduce(ElementBuffer::of(send), ElementBuffer::of(recv), length(recv), op);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request iscatter_reduce(Send&& send, Recv&& recv, MPI_Op op) {
    return iscatter_reduce(ElementBuffer::of(send), ElementBuffer::of(recv), length(recv), op);
  }
  template <typename T = Deduced, LastingElements<T> Send = std::span<const T>, RecvElements<Send> Recv = std::span<T>>
  [[nodiscard]] Request scatter_reduce_init(Send&& send, Recv&& recv, MPI_Op op, const Options& options = {}) {
    return scatter_reduce_init(ElementBuffer::of(send), ElementBuffer::of(recv), length(recv), op, options);
  }
  /// Scatter-reduction with t vectors of any datatype anywhere in memory, whose basic types are those of the result.
  void scatter_reduce(std::span<const SendBlock> send, const RecvBlock& recv, MPI_Op op);
  [[nodiscard]] Request iscatter_reduce(std::span<const SendBlock> send, const RecvBlock& recv, MPI_Op op);
  [[nodiscard]] Request scatter_reduce_init(std::span<const SendBlock> send, const RecvBlock& recv, MPI_Op op,
                                            const Options& options = {});

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
  template <typename...>
  BuffersAreContiguousRangesOfTheSameElements reduce(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall ireduce(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall reduce_init(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesOfTheSameElements scatter_reduce(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall iscatter_reduce(...) = delete;
  template <typename...>
  BuffersAreContiguousRangesThatOutliveTheCall scatter_reduce_init(...) = delete;

 private:
  [[nodiscard]] static ElementBuffer unchecked(const void* address, MPI_Datatype type) {
    return {const_cast<void*>(address), -1, type};
  }
  /// Returns a number of elements as an int. Throws Error, MPI_ERR_COUNT, if it does not fit.
  [[nodiscard]] static int checked_length(std::size_t elements);
  template <typename Range>
  [[nodiscard]] static int length(Range& elements) {
    return checked_length(static_cast<std::size_t>(std::ranges::size(elements)));
  }
  void allgather(const ElementBuffer& send, const ElementBuffer& recv, int count);
  [[nodiscard]] Request iallgather(const ElementBuffer& send, const ElementBuffer& recv, int count);
  [[nodiscard]] Request allgather_init(const ElementBuffer& send, const ElementBuffer& recv, int count,
                                       const Options& options);
  void allgatherv(const ElementBuffer& send, int count, const ElementBuffer& recv, const BlockPlaces& recv_places);
  [[nodiscard]] Request iallgatherv(const ElementBuffer& send, int count, const ElementBuffer& recv,
                                    const BlockPlaces& recv_places);
  [[nodiscard]] Request allgatherv_init(const ElementBuffer& send, int count, const ElementBuffer& recv,
                                        const BlockPlaces& recv_places, const Options& options);
  void reduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op);
  [[nodiscard]] Request ireduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op);
  [[nodiscard]] Request reduce_init(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op,
                                    const Options& options);
  void scatter_reduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op);
  [[nodiscard]] Request iscatter_reduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op);
  [[nodiscard]] Request scatter_reduce_init(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op,
                                            const Options& options);
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

  CartComm(std::shared_ptr<MPI_Comm> comm, std::shared_ptr<internal::NeighborhoodContext> context) noexcept;
  [[nodiscard]] internal::NeighborhoodContext& context() const;
  friend struct internal::GridOfHalo;
  friend struct internal::OwnComm;

  std::shared_ptr<MPI_Comm> comm_;
  std::shared_ptr<internal::NeighborhoodContext> context_;
};

/// Returns the sizes of a grid of `dimensions` dimensions for the processes of `comm`, as equal as can be, in falling
/// order, as MPI_Dims_create computes them from zeros. Local. Throws Error: MPI_ERR_DIMS for fewer than one dimension,
/// MPI_ERR_COMM.
[[nodiscard]] std::vector<int> dims_create(MPI_Comm comm, int dimensions);

}  // namespace rondo

#endif
