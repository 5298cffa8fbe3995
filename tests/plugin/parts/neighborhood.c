#include "neighborhood.h"

#include <stdio.h>

static void stop(const char* why) {
  fprintf(stderr, "%s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Ranks of a communicator's group, or its remote group, as ranks in MPI_COMM_WORLD. */
static int in_world(MPI_Group group, int rank) {
  MPI_Group world = MPI_GROUP_NULL;
  int result = MPI_PROC_NULL;
  if (rank == MPI_PROC_NULL) return rank;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(group, 1, &rank, world, &result);
  MPI_Group_free(&world);
  return result;
}

static struct neighborhood begin(MPI_Comm comm, MPI_Group* group, int* rank) {
  struct neighborhood hood = {0, 0, 0, {0}, {0}};
  MPI_Comm_rank(comm, rank);
  MPI_Comm_group(comm, group);
  hood.me = in_world(*group, *rank);
  return hood;
}

struct neighborhood all_of(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  int rank = 0, between_groups = 0, k = 0;
  struct neighborhood hood = begin(comm, &group, &rank);
  MPI_Comm_test_inter(comm, &between_groups);
  if (between_groups) {
    MPI_Group_free(&group);
    MPI_Comm_remote_group(comm, &group);
  }
  MPI_Group_size(group, &hood.sources);
  if (hood.sources > MOST_BLOCKS) stop("too many ranks");
  hood.targets = hood.sources;
  for (k = 0; k < hood.sources; k++) {
    hood.source[k] = in_world(group, k);
    hood.source_block[k] = rank;
  }
  MPI_Group_free(&group);
  return hood;
}

/* What was sent in one direction arrives from the opposite one. */
static void set_cartesian(MPI_Comm comm, MPI_Group group, struct neighborhood* hood) {
  int dimensions = 0, k = 0;
  MPI_Cartdim_get(comm, &dimensions);
  hood->sources = hood->targets = 2 * dimensions;
  for (k = 0; k < dimensions; k++) {
    int before = MPI_PROC_NULL, after = MPI_PROC_NULL;
    MPI_Cart_shift(comm, k, 1, &before, &after);
    hood->source[2 * k] = in_world(group, before);
    hood->source_block[2 * k] = 2 * k + 1;
    hood->source[2 * k + 1] = in_world(group, after);
    hood->source_block[2 * k + 1] = 2 * k;
  }
}

/* The place in `list` of the occurrence number `which` of `rank`. */
static int find(int rank, int which, const int list[], int length) {
  int k = 0;
  for (k = 0; k < length; k++) {
    if (list[k] == rank && which-- == 0) return k;
  }
  stop("the lists of sources and targets do not match");
  return -1;
}

/* The k-th edge in the one's list of targets is the k-th one in the other's list of sources. */
static void set_graph(MPI_Comm comm, MPI_Group group, int rank, const int sources[], const int targets[],
                      struct neighborhood* hood) {
  enum { MOST_RANKS = 8, LIST = MOST_BLOCKS + 1 };
  int mine[LIST] = {0}, all[MOST_RANKS][LIST], size = 0, k = 0;
  MPI_Comm_size(comm, &size);
  if (size > MOST_RANKS) stop("too many ranks");
  mine[0] = hood->targets;
  for (k = 0; k < hood->targets; k++) mine[k + 1] = targets[k];
  MPI_Allgather(mine, LIST, MPI_INT, all, LIST, MPI_INT, comm);
  for (k = 0; k < hood->sources; k++) {
    int earlier = 0, j = 0;
    for (j = 0; j < k; j++) earlier += sources[j] == sources[k];
    hood->source[k] = in_world(group, sources[k]);
    hood->source_block[k] = find(rank, earlier, all[sources[k]] + 1, all[sources[k]][0]);
  }
}

struct neighborhood neighbors_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, rank = 0, weighted = 0, sources[MOST_BLOCKS], targets[MOST_BLOCKS];
  int weights[MOST_BLOCKS];
  MPI_Group group = MPI_GROUP_NULL;
  struct neighborhood hood = begin(comm, &group, &rank);
  MPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    set_cartesian(comm, group, &hood);
  } else if (kind == MPI_DIST_GRAPH) {
    MPI_Dist_graph_neighbors_count(comm, &hood.sources, &hood.targets, &weighted);
    if (hood.sources > MOST_BLOCKS || hood.targets > MOST_BLOCKS) stop("too many neighbors");
    MPI_Dist_graph_neighbors(comm, hood.sources, sources, weights, hood.targets, targets, weights);
    set_graph(comm, group, rank, sources, targets, &hood);
  } else if (kind == MPI_GRAPH) {
    MPI_Graph_neighbors_count(comm, rank, &hood.sources);
    if (hood.sources > MOST_BLOCKS) stop("too many neighbors");
    hood.targets = hood.sources;
    MPI_Graph_neighbors(comm, rank, hood.sources, sources);
    set_graph(comm, group, rank, sources, sources, &hood);
  } else {
    stop("a communicator without a topology");
  }
  MPI_Group_free(&group);
  return hood;
}
