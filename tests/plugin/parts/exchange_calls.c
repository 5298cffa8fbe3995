/* The calls of an exchange. */
#include <mpi.h>

#include "exchange.h"
#include "outcome.h"
#include "persistent.h"

int exchange_now(struct exchange* e) {
  const struct side *s = &e->sent, *r = &e->received;
  switch (e->variant.operation) {
    case ALLTOALL:
      return MPI_Alltoall(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts[0], r->types[0], e->comm);
    case ALLTOALLV:
      return MPI_Alltoallv(s->buffer, s->counts, s->displacements, s->types[0], r->buffer, r->counts, r->displacements,
                           r->types[0], e->comm);
    case ALLTOALLW:
      return MPI_Alltoallw(s->buffer, s->counts, s->displacements, s->types, r->buffer, r->counts, r->displacements,
                           r->types, e->comm);
    case NEIGHBOR_ALLTOALL:
      return MPI_Neighbor_alltoall(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts[0], r->types[0], e->comm);
    case NEIGHBOR_ALLTOALLV:
      return MPI_Neighbor_alltoallv(s->buffer, s->counts, s->displacements, s->types[0], r->buffer, r->counts,
                                    r->displacements, r->types[0], e->comm);
    case NEIGHBOR_ALLTOALLW:
      return MPI_Neighbor_alltoallw(s->buffer, s->counts, s->addresses, s->types, r->buffer, r->counts, r->addresses,
                                    r->types, e->comm);
    case NEIGHBOR_ALLGATHER:
      return MPI_Neighbor_allgather(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts[0], r->types[0],
                                    e->comm);
    case NEIGHBOR_ALLGATHERV:
      return MPI_Neighbor_allgatherv(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts, r->displacements,
                                     r->types[0], e->comm);
    default:
      return MPI_ERR_ARG;
  }
}

int exchange_begin(struct exchange* e, MPI_Request* request) {
  const struct side *s = &e->sent, *r = &e->received;
  switch (e->variant.operation) {
    case ALLTOALL:
      return MPI_Ialltoall(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts[0], r->types[0], e->comm,
                           request);
    case ALLTOALLV:
      return MPI_Ialltoallv(s->buffer, s->counts, s->displacements, s->types[0], r->buffer, r->counts, r->displacements,
                            r->types[0], e->comm, request);
    case ALLTOALLW:
      return MPI_Ialltoallw(s->buffer, s->counts, s->displacements, s->types, r->buffer, r->counts, r->displacements,
                            r->types, e->comm, request);
    case NEIGHBOR_ALLTOALL:
      return MPI_Ineighbor_alltoall(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts[0], r->types[0], e->comm,
                                    request);
    case NEIGHBOR_ALLTOALLV:
      return MPI_Ineighbor_alltoallv(s->buffer, s->counts, s->displacements, s->types[0], r->buffer, r->counts,
                                     r->displacements, r->types[0], e->comm, request);
    case NEIGHBOR_ALLTOALLW:
      return MPI_Ineighbor_alltoallw(s->buffer, s->counts, s->addresses, s->types, r->buffer, r->counts, r->addresses,
                                     r->types, e->comm, request);
    case NEIGHBOR_ALLGATHER:
      return MPI_Ineighbor_allgather(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts[0], r->types[0],
                                     e->comm, request);
    case NEIGHBOR_ALLGATHERV:
      return MPI_Ineighbor_allgatherv(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts, r->displacements,
                                      r->types[0], e->comm, request);
    default:
      return MPI_ERR_ARG;
  }
}

int exchange_init(struct exchange* e, MPI_Request* request) {
  const struct side *s = &e->sent, *r = &e->received;
  switch (e->variant.operation) {
    case ALLTOALL:
      return PERSISTENT(Alltoall_init)(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts[0], r->types[0],
                                       e->comm, MPI_INFO_NULL, request);
    case ALLTOALLV:
      return PERSISTENT(Alltoallv_init)(s->buffer, s->counts, s->displacements, s->types[0], r->buffer, r->counts,
                                        r->displacements, r->types[0], e->comm, MPI_INFO_NULL, request);
    case ALLTOALLW:
      return PERSISTENT(Alltoallw_init)(s->buffer, s->counts, s->displacements, s->types, r->buffer, r->counts,
                                        r->displacements, r->types, e->comm, MPI_INFO_NULL, request);
    case NEIGHBOR_ALLTOALL:
      return PERSISTENT(Neighbor_alltoall_init)(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts[0],
                                                r->types[0], e->comm, MPI_INFO_NULL, request);
    case NEIGHBOR_ALLTOALLV:
      return PERSISTENT(Neighbor_alltoallv_init)(s->buffer, s->counts, s->displacements, s->types[0], r->buffer,
                                                 r->counts, r->displacements, r->types[0], e->comm, MPI_INFO_NULL,
                                                 request);
    case NEIGHBOR_ALLTOALLW:
      return PERSISTENT(Neighbor_alltoallw_init)(s->buffer, s->counts, s->addresses, s->types, r->buffer, r->counts,
                                                 r->addresses, r->types, e->comm, MPI_INFO_NULL, request);
    case NEIGHBOR_ALLGATHER:
      return PERSISTENT(Neighbor_allgather_init)(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts[0],
                                                 r->types[0], e->comm, MPI_INFO_NULL, request);
    case NEIGHBOR_ALLGATHERV:
      return PERSISTENT(Neighbor_allgatherv_init)(s->buffer, s->counts[0], s->types[0], r->buffer, r->counts,
                                                  r->displacements, r->types[0], e->comm, MPI_INFO_NULL, request);
    default:
      return MPI_ERR_ARG;
  }
}

void exchange_once(MPI_Comm comm, struct variant variant, int nonblocking, int round, const char* where) {
  struct exchange* exchange = make_exchange(comm, variant);
  fill(exchange, round);
  if (nonblocking) {
    MPI_Request request = MPI_REQUEST_NULL;
    succeeds(where, exchange_begin(exchange, &request));
    free_types(exchange);
    succeeds(where, MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (request != MPI_REQUEST_NULL) wrong("%s: the request is not null after MPI_Wait", where);
  } else {
    succeeds(where, exchange_now(exchange));
  }
  check(exchange, where);
  free_exchange(exchange);
}
