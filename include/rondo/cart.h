/* Cartesian communicators with a neighborhood, and their collectives (Cartesian Collective Communication, ICPP 2019;
 * isomorphic collectives, EuroMPI 2015). Part of rondo.h, which says how errors are reported and which threads may
 * call.
 *
 * Arrays of weights are declared as pointers, because GCC warns if MPI_UNWEIGHTED is passed as an array.
 */
#ifndef RONDO_CART_H
#define RONDO_CART_H

#include <mpi.h>
#include <rondo/basics/error.h>
#include <rondo/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Neighborhoods (paper: section 2, listings 1 and 2) -----------------------------------------------------------
 */

/* Makes a Cartesian communicator with a neighborhood of t relative offsets.
 *
 *   comm            intracommunicator; its size must be the product of the dimensions
 *   d               number of dimensions, at least 1
 *   dimensions      d sizes, in processes
 *   periods         d flags, any mix: nonzero if the dimension is a ring, zero if it ends at its edges and neighbors
 *                   beyond are MPI_PROC_NULL
 *   t               number of neighbors, at least 0
 *   targetrelative  t*d offsets, flattened, in processes; repetitions, zero vectors and offsets larger than the grid
 *                   are all allowed
 *   weight          t weights, at least 0, or MPI_UNWEIGHTED
 *   info            MPI_INFO_NULL, or keys. Each key has an environment variable in capitals (RONDO_ALGORITHM, ...)
 *                   that counts if the key is absent:
 *                     rondo_algorithm          auto, or the name of an algorithm (docs/algorithms.md)
 *                     rondo_schedule           dependencies, phases
 *                     rondo_messages           how blocks that are not contiguous travel: auto, staged (through Rondo's
 *                                              own memory), datatype (as one MPI datatype)
 *                     rondo_shm                whether messages of persistent operations to ranks on this node go
 *                                              through memory that both have mapped: on, off, odd (docs/settings.md);
 *                                              each rank sets this for itself, and a message does so if both ends want
 *                                              it and can
 *                     rondo_learn              persistent operations, and other calls on a communicator made with this
 *                                              key, try the algorithms that may be the fastest, in turn, and keep the
 *                                              fastest: off, auto, or how many times each is started before the ranks
 *                                              decide, at least 4 (docs/tuning.md)
 *                     rondo_learn_again        whether persistent operations that have learned compare the two fastest
 *                                              algorithms again, in case the machine has changed: off, auto (every
 *                                              12000 starts), or every how many starts, at least 100
 *                     rondo_ports              exchanges that the algorithm direct has in flight at once (EuroMPI 2015,
 *                                              section 5.1); 0: all
 *                     rondo_progress           auto, inline, workers, async: see progress.h; each rank sets this for
 *                                              itself
 *                     rondo_check              true: see Rondo_Cart_alltoall_init
 *                     rondo_assert_isomorphic  true: skip the check that all ranks gave the same list
 *                     rondo_assert_uniform     true: blocks have the same size in bytes on all ranks, block i in every
 *                                              alltoallv and alltoallw of this communicator, the one block in every
 *                                              allgatherv and allgatherw; otherwise ranks may hang
 *   reorder         nonzero: processes may get other ranks in cartcomm than in comm, so that neighbors share a node;
 *                   see below
 *   cartcomm        the new communicator: a real Cartesian one (MPI_Cart_coords works on it). MPI_Comm_dup keeps the
 *                   neighborhood, MPI_Comm_free releases everything.
 *
 * With reorder the weighted distance, the sum of the weights of all neighbors that are on another node, never grows.
 * Rondo compares three placements: each node takes a box of the grid (all shapes that fill the grid, if all nodes have
 * the same number of processes); nodes grow in turn by the place that is tied to them most; and the ranks as they are,
 * which are kept if nothing is gained. Rondo takes the placement whose busiest node has the least part of that sum. A
 * node is a set of processes that MPI_COMM_TYPE_SHARED puts together. The cost is an MPI_Comm_split_type, a gather of
 * one number per process to rank 0, which searches for the places, and, if ranks change, an MPI_Comm_split.
 *
 * Collective over comm. All ranks must give the same arguments; one small allreduce checks this, and if arguments
 * differ, or any rank has a bad argument or lacks memory, all ranks return an error. Operations in flight go on
 * meanwhile, except with rondo_assert_isomorphic. Errors: MPI_ERR_COMM, MPI_ERR_DIMS, MPI_ERR_ARG, MPI_ERR_INFO_VALUE,
 * MPI_ERR_NO_MEM, MPI_ERR_TOPOLOGY (ranks differ), MPI_ERR_OTHER (another rank failed). */
int Rondo_Cart_neighborhood_create(MPI_Comm comm, int d, const int dimensions[], const int periods[], int t,
                                   const int targetrelative[], const int* weight, MPI_Info info, int reorder,
                                   MPI_Comm* cartcomm);

/* Returns the rank of the process at the given offset (d integers) from the caller; MPI_PROC_NULL beyond the edge of a
 * mesh. Local. Errors: MPI_ERR_COMM, MPI_ERR_TOPOLOGY (cartcomm has no neighborhood), MPI_ERR_ARG. */
int Rondo_Cart_relative_rank(MPI_Comm cartcomm, const int relative[], int* rank);

/* Returns the ranks of the process that has the caller at the given offset (inrank) and of the process at that offset
 * from the caller (outrank), each MPI_PROC_NULL if there is none. Local. Errors: as in Rondo_Cart_relative_rank. */
int Rondo_Cart_relative_shift(MPI_Comm cartcomm, const int relative[], int* inrank, int* outrank);

/* Returns the offset (d integers) of a rank from the caller: in each periodic dimension of size p the residue in
 * (-p/2, p/2], in the others the difference of the coordinates. Local. Errors: as in Rondo_Cart_relative_rank, and
 * MPI_ERR_RANK. */
int Rondo_Cart_relative_coord(MPI_Comm cartcomm, const int rank, int relative[]);

/* Returns the number of neighbors, t: the number of sources and also of targets, including those that do not exist on a
 * mesh. Local. Errors: as in Rondo_Cart_relative_rank. */
int Rondo_Cart_neighbor_count(MPI_Comm cartcomm, int* t);

/* Returns the ranks and weights of the sources and the targets, in the order of the neighborhood, MPI_PROC_NULL for
 * those that a mesh does not have; at most maxin sources and maxout targets. A weight array may be MPI_UNWEIGHTED or
 * NULL if weights are not wanted; an unweighted neighborhood gives ones. Local. Errors: as in Rondo_Cart_relative_rank.
 */
int Rondo_Cart_neighbor_get(MPI_Comm cartcomm, const int maxin, int source[], int* sourceweight, const int maxout,
                            int target[], int* targetweight);

/* Write a list of offsets by shape, in lexicographic order, for the functions that make a neighborhood. *t becomes the
 * number of vectors that the shape has; at most maxt of them are written, d integers each, so that a call with maxt 0
 * (targetrelative may then be NULL) asks how many there are. The first n vectors of a list are its first n*d integers.
 * Local. Errors, which go to the handler of MPI_COMM_WORLD: MPI_ERR_DIMS, MPI_ERR_ARG (also: more than 2^28 offsets),
 * MPI_ERR_NO_MEM.
 *
 * Moore: coordinates in [-radius, radius], but the zero vector. Von Neumann: sum of absolute values in [1, radius].
 * Box: coordinates in [first, first+n), the zero vector among them. */
int Rondo_Neighborhood_moore(int d, int radius, int maxt, int targetrelative[], int* t);
int Rondo_Neighborhood_von_neumann(int d, int radius, int maxt, int targetrelative[], int* t);
int Rondo_Neighborhood_box(int d, int n, int first, int maxt, int targetrelative[], int* t);

/* Removes the vectors of another list from a list, in place and without changing its order, and sets *t to the number
 * left. weight: the t weights, of which those of removed vectors are removed, or NULL. Local. Errors: MPI_ERR_DIMS,
 * MPI_ERR_ARG, MPI_ERR_NO_MEM. */
int Rondo_Neighborhood_subtract(int d, int* t, int targetrelative[], int* weight, int othert, const int other[]);

/* Puts a list, and its weights unless they are NULL, in a random order, the same on all ranks and machines for the same
 * t and seed. Local. Errors: as in Rondo_Neighborhood_subtract. */
int Rondo_Neighborhood_shuffle(int d, int t, int targetrelative[], int* weight, unsigned long long seed);

/* Finds out whether the processes of a distributed graph all have the same neighborhood (paper: section 2.2), and makes
 * a communicator that has it.
 *
 *   graphcomm   a communicator of MPI_Dist_graph_create or MPI_Dist_graph_create_adjacent; its rank r is at the place
 *               that rank r has in a Cartesian communicator of these dimensions
 *   d, dimensions, periods
 *               the grid, as in Rondo_Cart_neighborhood_create
 *   info        as in Rondo_Cart_neighborhood_create, for the new communicator
 *   isomorphic  1 or 0, the same on all ranks
 *   reason      NULL, or an array of RONDO_MAX_ERROR_STRING bytes, which takes the reason why the neighborhoods differ,
 *               or an empty string; the same on all ranks
 *   cartcomm    the new communicator, with the ranks of graphcomm, or MPI_COMM_NULL if isomorphic is 0
 *
 * The neighborhood is the same if there is a list of offsets such that every process has exactly these neighbors: for
 * each offset the target at that offset, and the source from which the process lies at that offset, unless they would
 * lie beyond an edge. The order of the lists in the graph does not matter and may differ from process to process;
 * Rondo_Neighborhood_graph_order returns it. In a periodic dimension of size p offsets are taken in (-p/2, p/2]: the
 * graph does not say which of several offsets that lead to one process was meant, and the difference does not matter.
 * The neighborhood has the order of the targets of the process in the middle, coordinates dimensions[k]/2; on a mesh,
 * offsets that this process cannot have come after them. If all processes list their neighbors in one order, sources as
 * targets, as Rondo_Cart_neighbor_get and Rondo_Iso_neighborhood_graph_get do, this is that order. Weights are those of
 * the targets in that process.
 *
 * Collective over graphcomm: a few allreduces, a broadcast of the list, and what MPI_Cart_create and MPI_Comm_create
 * take. rondo_assert_isomorphic does not avoid this cost. If something is wrong on one rank, all ranks return an error:
 * MPI_ERR_COMM, MPI_ERR_TOPOLOGY (not a distributed graph, MPI_PROC_NULL among the neighbors, or ranks gave different
 * grids), MPI_ERR_DIMS, MPI_ERR_ARG, MPI_ERR_INFO_VALUE, MPI_ERR_NO_MEM, MPI_ERR_OTHER (another rank failed). */
int Rondo_Neighborhood_from_graph(MPI_Comm graphcomm, int d, const int dimensions[], const int periods[], MPI_Info info,
                                  int* isomorphic, char* reason, MPI_Comm* cartcomm);

/* Returns the positions of the neighbors in the caller's lists of the graph, so that the graph's buffers can be used:
 * source i of cartcomm is source sourceindex[i] of graphcomm, and block i of an alltoall goes to the rank to which the
 * graph's block targetindex[i] went. An index is MPI_UNDEFINED if a mesh lacks the neighbor. At most maxt of each are
 * written. MPI_Comm_dup keeps the positions. Local. Errors: MPI_ERR_COMM, MPI_ERR_TOPOLOGY (not from
 * Rondo_Neighborhood_from_graph), MPI_ERR_ARG. */
int Rondo_Neighborhood_graph_order(MPI_Comm cartcomm, int maxt, int sourceindex[], int targetindex[]);

/* ---- Isomorphic neighborhoods (EuroMPI 2015, section 6) -----------------------------------------------------------
 */

/* Gives a Cartesian communicator, MPI_Cart_create's own or Rondo's, a neighborhood of s relative offsets.
 *
 *   cartcomm              a Cartesian communicator of at least one dimension
 *   s                     number of neighbors, at least 0
 *   relative_coordinates  s*d offsets, flattened: as targetrelative of Rondo_Cart_neighborhood_create
 *   isocomm               the communicator that has the neighborhood. If cartcomm had none, isocomm is cartcomm, the
 *                         same handle, to be freed once; this also frees the neighborhood. If cartcomm had one, isocomm
 *                         is a new communicator with the same ranks and places, to be freed separately
 *
 * Everything that takes a communicator with a neighborhood takes isocomm. MPI_Comm_dup keeps the neighborhood. Settings
 * are those of the environment (RONDO_ALGORITHM, ...), or those of cartcomm if it had a neighborhood.
 *
 * Collective over cartcomm. All ranks must give the same list; one small allreduce checks this (unless
 * RONDO_ASSERT_ISOMORPHIC is set), and if something is wrong on any rank, all ranks return an error. Errors:
 * MPI_ERR_COMM, MPI_ERR_TOPOLOGY (not Cartesian; ranks differ), MPI_ERR_DIMS, MPI_ERR_ARG, MPI_ERR_INFO_VALUE
 * (environment), MPI_ERR_NO_MEM, MPI_ERR_OTHER (another rank failed). */
int Rondo_Iso_neighborhood_create(MPI_Comm cartcomm, int s, const int relative_coordinates[], MPI_Comm* isocomm);

/* Returns the numbers of neighbors (s), and of sources (indegree) and targets (outdegree) that exist: fewer at the edge
 * of a mesh. Local. Errors: MPI_ERR_COMM, MPI_ERR_TOPOLOGY (no neighborhood), MPI_ERR_ARG. */
int Rondo_Iso_neighborhood_count(MPI_Comm isocomm, int* s, int* indegree, int* outdegree);

/* Returns the ranks of the first max_s sources and targets in the order of the neighborhood, MPI_PROC_NULL for those
 * that do not exist: at most max_s of each are written, and no more than there are. Local. Errors: as in
 * Rondo_Iso_neighborhood_count. */
int Rondo_Iso_neighborhood_get(MPI_Comm isocomm, int max_s, int sources[], int destinations[]);

/* Returns the ranks of the sources and targets that exist, indegree sources and outdegree targets, as
 * MPI_Dist_graph_create_adjacent takes them; otherwise as Rondo_Iso_neighborhood_get. */
int Rondo_Iso_neighborhood_graph_get(MPI_Comm isocomm, int max_s, int sources[], int destinations[]);

/* Do the same as Rondo_Iso_neighborhood_count, _get and _graph_get for the neighbors that every Cartesian communicator
 * has for MPI (MPI 3.1, section 7.6), whatever neighborhood it has in Rondo: s is 2*d, two for each dimension, one step
 * down, then one step up. Sources and targets are the same list. For an isomorphic neighborhood of these offsets they
 * are not: if target i is one step down, source i is one step up. Local. Errors: MPI_ERR_COMM, MPI_ERR_TOPOLOGY (not
 * Cartesian), MPI_ERR_ARG. */
int Rondo_Cart_mpi_neighbor_count(MPI_Comm cartcomm, int* s, int* indegree, int* outdegree);
int Rondo_Cart_mpi_neighbor_get(MPI_Comm cartcomm, int max_s, int sources[], int destinations[]);
int Rondo_Cart_mpi_neighbor_graph_get(MPI_Comm cartcomm, int max_s, int sources[], int destinations[]);

/* ---- Alltoall (paper: section 3, listing 4; section 3.1, algorithm 1) ----------------------------------------------
 */

/* Sends block i to neighbor i and receives block i from source i, for all i: arguments as in MPI_Neighbor_alltoall,
 * MPI_Neighbor_alltoallv (counts and displacements in elements) and MPI_Neighbor_alltoallw (displacements in bytes).
 * Blocking; collective over cartcomm. Send and receive blocks must not share a byte. Neither may two receive blocks, or
 * a receive block with itself; only an _init call with RONDO_CHECK=1 checks this (see Rondo_Cart_alltoall_init).
 * MPI_IN_PLACE is refused. Block i has the same length, in bytes, on its sender and on its receiver; unlike in MPI, a
 * shorter message is an error. Errors: MPI_ERR_COMM, MPI_ERR_TOPOLOGY, MPI_ERR_COUNT (also: a message came short),
 * MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_ARG, MPI_ERR_TRUNCATE (a message came too long), MPI_ERR_OTHER (a partner
 * failed). */
int Rondo_Cart_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm cartcomm);
int Rondo_Cart_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                         void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                         MPI_Comm cartcomm);
int Rondo_Cart_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm);

/* Nonblocking alltoalls, which start the operation and return: complete the request with Rondo_Wait or Rondo_Test,
 * which free the request. The buffers belong to the operation until then; counts, displacements and datatypes may be
 * freed at once. Collective: all ranks start their operations on cartcomm in the same order. Never waits for another
 * rank. */
int Rondo_Icart_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm cartcomm, Rondo_Request* request);
int Rondo_Icart_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                          void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                          MPI_Comm cartcomm, Rondo_Request* request);
int Rondo_Icart_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                          const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                          const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm,
                          Rondo_Request* request);

/* Persistent alltoalls, prepared once and started with Rondo_Start any number of times; starting allocates nothing.
 * Collective over cartcomm, in the same order on all ranks. Waits for the other ranks: two small allreduces find out
 * whether block sizes agree, which message combining needs, and whether all ranks succeeded; then two short messages
 * each way with each partner find out whether both can share memory. With rondo_assert_uniform none of these messages
 * is sent on a torus, and the operation's messages go through MPI. On a mesh an irregular call needs one more small
 * collective, with two words for each neighbor. Operations in flight go on meanwhile. Starts may be in any order,
 * different on each rank. info: MPI_INFO_NULL, or the keys rondo_algorithm, rondo_schedule, rondo_messages, rondo_shm,
 * rondo_ports, rondo_progress, rondo_assert_uniform and rondo_check (or RONDO_CHECK=1 in the environment of all ranks):
 * with rondo_check, rank 0 gathers the schedules of all ranks and proves them right together, blocks must be of the
 * same basic types at both ends, and no byte may be received twice; time and memory are many times the operation's.
 * Errors of this check, reported to all ranks: MPI_ERR_BUFFER (receive blocks that share bytes), MPI_ERR_TRUNCATE and
 * MPI_ERR_TYPE (blocks that do not fit), MPI_ERR_INTERN (an error of Rondo's own). Free the request with
 * Rondo_Request_free. */
int Rondo_Cart_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                             MPI_Datatype recvtype, MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request);
int Rondo_Cart_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                              void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                              MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request);
int Rondo_Cart_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                              const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm,
                              MPI_Info info, Rondo_Request* request);

/* The Cartesian alltoalls under the names of the isomorphic collectives (EuroMPI 2015, section 6), for a communicator
 * made by either paper's function. */
int Rondo_Iso_neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                MPI_Datatype recvtype, MPI_Comm isocomm);
int Rondo_Iso_neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                                 MPI_Datatype recvtype, MPI_Comm isocomm);
int Rondo_Iso_neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                 const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                 const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm isocomm);
int Rondo_Iiso_neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm isocomm, Rondo_Request* request);
int Rondo_Iiso_neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                                  MPI_Datatype recvtype, MPI_Comm isocomm, Rondo_Request* request);
int Rondo_Iiso_neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                  const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm isocomm,
                                  Rondo_Request* request);
int Rondo_Iso_neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                     int recvcount, MPI_Datatype recvtype, MPI_Comm isocomm, MPI_Info info,
                                     Rondo_Request* request);
int Rondo_Iso_neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                      MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                                      MPI_Datatype recvtype, MPI_Comm isocomm, MPI_Info info, Rondo_Request* request);
int Rondo_Iso_neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                      const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm isocomm,
                                      MPI_Info info, Rondo_Request* request);

/* ---- Allgather (ICPP 2019, section 3.2, algorithm 2) ---------------------------------------------------------------
 */

/* Sends one block to all neighbors and receives block i from source i, for all i: arguments as in
 * MPI_Neighbor_allgather and MPI_Neighbor_allgatherv (displacements in elements); allgatherw, the paper's addition,
 * takes a count, a displacement in bytes and a datatype for each source. Ranks may send blocks of different sizes in
 * allgatherv and allgatherw; the block that rank r sends is as long, in bytes, as each block that is received from r.
 * Everything else, and the errors, are as in Rondo_Cart_alltoall. */
int Rondo_Cart_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm cartcomm);
int Rondo_Cart_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm cartcomm);
int Rondo_Cart_allgatherw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                          MPI_Comm cartcomm);

/* Nonblocking: see Rondo_Icart_alltoall. */
int Rondo_Icart_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                          MPI_Datatype recvtype, MPI_Comm cartcomm, Rondo_Request* request);
int Rondo_Icart_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm cartcomm,
                           Rondo_Request* request);
int Rondo_Icart_allgatherw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                           MPI_Comm cartcomm, Rondo_Request* request);

/* Persistent: see Rondo_Cart_alltoall_init. If ranks send blocks of different sizes, the _init call finds this out, and
 * the ranks exchange the sizes with one more small collective, so that blocks can still be combined. */
int Rondo_Cart_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                              MPI_Datatype recvtype, MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request);
int Rondo_Cart_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm cartcomm,
                               MPI_Info info, Rondo_Request* request);
int Rondo_Cart_allgatherw_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                               MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request);

/* The Cartesian allgathers under the names of the isomorphic collectives (EuroMPI 2015, section 6). */
int Rondo_Iso_neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm isocomm);
int Rondo_Iso_neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm isocomm);
int Rondo_Iso_neighbor_allgatherw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                  MPI_Comm isocomm);
int Rondo_Iiso_neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  int recvcount, MPI_Datatype recvtype, MPI_Comm isocomm, Rondo_Request* request);
int Rondo_Iiso_neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm isocomm,
                                   Rondo_Request* request);
int Rondo_Iiso_neighbor_allgatherw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                   MPI_Comm isocomm, Rondo_Request* request);
int Rondo_Iso_neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                      int recvcount, MPI_Datatype recvtype, MPI_Comm isocomm, MPI_Info info,
                                      Rondo_Request* request);
int Rondo_Iso_neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                       const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                       MPI_Comm isocomm, MPI_Info info, Rondo_Request* request);
int Rondo_Iso_neighbor_allgatherw_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                       const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                       MPI_Comm isocomm, MPI_Info info, Rondo_Request* request);

/* ---- Reductions (EuroMPI 2015, sections 4 and 6) -------------------------------------------------------------------
 */

/* Combines the vectors from all sources into recvbuf, element by element. In a reduce, count elements of datatype at
 * sendbuf go to all targets. In a scatter_reduce, each target i gets another vector: sendcounts[i] elements of
 * sendtypes[i] at sdispls[i] (in bytes), whose basic types are those of count elements of datatype. The process's own
 * elements are combined only if the process is a neighbor of itself (the zero offset). A source that occurs several
 * times in the neighborhood counts as many times. Without a source, as in an empty neighborhood or a corner of a mesh,
 * recvbuf stays unchanged. All ranks reduce the same number of elements.
 *
 *   op   commutative: predefined, with the datatypes that this MPI takes for it, or made by MPI_Op_create, with any
 *        datatype. A user-defined operation must not be freed before the last request that uses it.
 *
 * MPI_IN_PLACE is refused.
 *
 * Reproducible: elements are combined in one order, given by the grid and the neighborhood, whichever algorithm runs
 * and in whichever order messages arrive, so that floating-point results are the same to the last bit on every run.
 * Errors: as in Rondo_Cart_alltoall, and MPI_ERR_OP. */
int Rondo_Cart_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm cartcomm);
int Rondo_Cart_scatter_reduce(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm cartcomm);

/* Nonblocking: see Rondo_Icart_alltoall. */
int Rondo_Icart_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm cartcomm, Rondo_Request* request);
int Rondo_Icart_scatter_reduce(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                               const MPI_Datatype sendtypes[], void* recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm cartcomm, Rondo_Request* request);

/* Persistent: see Rondo_Cart_alltoall_init. */
int Rondo_Cart_reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                           MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request);
int Rondo_Cart_scatter_reduce_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                   const MPI_Datatype sendtypes[], void* recvbuf, int count, MPI_Datatype datatype,
                                   MPI_Op op, MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request);

/* The Cartesian reductions under the names of the isomorphic collectives (EuroMPI 2015, section 6). */
int Rondo_Iso_neighbor_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                              MPI_Comm isocomm);
int Rondo_Iso_neighbor_scatter_reduce(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                      const MPI_Datatype sendtypes[], void* recvbuf, int count, MPI_Datatype datatype,
                                      MPI_Op op, MPI_Comm isocomm);
int Rondo_Iiso_neighbor_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                               MPI_Comm isocomm, Rondo_Request* request);
int Rondo_Iiso_neighbor_scatter_reduce(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                       const MPI_Datatype sendtypes[], void* recvbuf, int count, MPI_Datatype datatype,
                                       MPI_Op op, MPI_Comm isocomm, Rondo_Request* request);
int Rondo_Iso_neighbor_reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                   MPI_Comm isocomm, MPI_Info info, Rondo_Request* request);
int Rondo_Iso_neighbor_scatter_reduce_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                           const MPI_Datatype sendtypes[], void* recvbuf, int count,
                                           MPI_Datatype datatype, MPI_Op op, MPI_Comm isocomm, MPI_Info info,
                                           Rondo_Request* request);

#ifdef __cplusplus
}
#endif

#endif
