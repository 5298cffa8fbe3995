#include <mpi.h>
#include <rondo/rondo.h>
#include <string.h>

static int wrong = 0;
static void expect(int right) { wrong += !right; }

/* A start that comes back twice with what the neighbors sent. */
static void persistent(MPI_Comm ring, int rank, int p) {
  int send[2], recv[2], round, arrived;
  char text[RONDO_MAX_ALGORITHM_NAME];
  int length;
  Rondo_Request request;
  expect(Rondo_Cart_alltoall_init(send, 1, MPI_INT, recv, 1, MPI_INT, ring, MPI_INFO_NULL, &request) == MPI_SUCCESS);
  expect(Rondo_Request_get_algorithm(request, text, &length) == MPI_SUCCESS && length > 0);
  for (round = 0; round < 2; ++round) {
    send[0] = rank + round;
    send[1] = 100 + rank;
    Rondo_Start(&request);
    Rondo_Arrived(request, 0, &arrived);
    Rondo_Wait(&request, MPI_STATUS_IGNORE);
    expect(recv[0] == (rank + p - 1) % p + round && recv[1] == 100 + (rank + 1) % p);
  }
  Rondo_Request_free(&request);
  expect(request == RONDO_REQUEST_NULL);
}

static void other_collectives(MPI_Comm ring, int rank, int p) {
  int gathered[2], sum = 0, all[16], ranks[16], i, flag;
  Rondo_Request request;
  Rondo_Cart_allgather(&rank, 1, MPI_INT, gathered, 1, MPI_INT, ring);
  expect(gathered[0] == (rank + p - 1) % p && gathered[1] == (rank + 1) % p);
  Rondo_Cart_reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, ring);
  expect(sum == gathered[0] + gathered[1]);
  for (i = 0; i < p; ++i) ranks[i] = 10 * rank + i;
  Rondo_Ialltoall(ranks, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
  Rondo_Progress(&flag);
  Rondo_Wait(&request, MPI_STATUS_IGNORE);
  expect(all[p - 1] == 10 * (p - 1) + rank);
}

static void halo(MPI_Comm ring, int rank, int p) {
  int array[6], i;
  const int size = 6, depth = 1;
  Rondo_Request request;
  for (i = 0; i < 6; ++i) array[i] = 10 * rank + i;
  Rondo_Halo_init(array, 1, &size, NULL, &depth, &depth, MPI_ORDER_C, MPI_INT, RONDO_STENCIL_BOX, ring, MPI_INFO_NULL,
                  &request);
  Rondo_Start(&request);
  Rondo_Wait(&request, MPI_STATUS_IGNORE);
  Rondo_Request_free(&request);
  expect(array[0] == 10 * ((rank + p - 1) % p) + 4 && array[5] == 10 * ((rank + 1) % p) + 1);
}

static void local_functions(MPI_Comm ring) {
  int offsets[8], t, length;
  MPI_Aint place = 0;
  const int from[3] = {1, 2, 3};
  char packed[12], text[RONDO_MAX_ERROR_STRING];
  MPI_Datatype type;
  Rondo_Neighborhood_moore(1, 2, 8, offsets, &t);
  expect(t == 4 && offsets[0] == -2);
  Rondo_Cart_neighbor_count(ring, &t);
  expect(t == 2);
  Rondo_Type_create_vector_bounded(9, 2, 4, MPI_INT, &type);
  expect(type != MPI_DATATYPE_NULL);
  MPI_Type_free(&type);
  Rondo_Pack(from, 3, MPI_INT, packed, sizeof packed, &place);
  expect(place == (MPI_Aint)sizeof from && memcmp(packed, from, sizeof from) == 0);
  Rondo_Trace_mark("consumer");
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  expect(Rondo_Cart_alltoall(NULL, -1, MPI_INT, NULL, 1, MPI_INT, ring) == MPI_ERR_COUNT);
  Rondo_Error_string(MPI_ERR_COUNT, text, &length);
  expect(strstr(text, "-1") != NULL);
}

int main(int argc, char** argv) {
  int p, rank;
  const int period = 1;
  const int offsets[2] = {1, -1};
  MPI_Comm ring;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &p, &period, 2, offsets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  MPI_Comm_rank(ring, &rank);
  persistent(ring, rank, p);
  other_collectives(ring, rank, p);
  halo(ring, rank, p);
  local_functions(ring);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return wrong;
}
