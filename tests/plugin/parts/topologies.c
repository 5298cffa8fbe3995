#include "topologies.h"

static int world_rank(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int world_size(void) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/* Cartesian communicators. Sizes that are 0 are chosen by MPI; `fewer` ranks are left out. */
struct grid {
  int dimensions, sizes[3], periodic[3], fewer;
};

static MPI_Comm make_cartesian(const void* description) {
  const struct grid* grid = description;
  const int ranks = world_size() - grid->fewer;
  MPI_Comm comm = MPI_COMM_NULL;
  int sizes[3], fixed = 1, k = 0;
  for (k = 0; k < grid->dimensions; k++) {
    sizes[k] = grid->sizes[k];
    if (sizes[k] != 0) fixed *= sizes[k];
  }
  if (ranks < 1 || ranks % fixed != 0) return comm;
  if (grid->dimensions > 0) MPI_Dims_create(ranks, grid->dimensions, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, grid->dimensions, sizes, grid->periodic, 0, &comm);
  return comm;
}

static const struct grid line = {1, {0}, {0}, 0};
static const struct grid circle = {1, {0}, {1}, 0};
static const struct grid smaller_circle = {1, {0}, {1}, 1};
static const struct grid mesh = {2, {0, 0}, {0, 0}, 0};
static const struct grid torus = {2, {0, 0}, {1, 1}, 0};
static const struct grid cylinder = {2, {0, 0}, {1, 0}, 0};
static const struct grid flat_torus = {2, {1, 0}, {1, 1}, 0};
static const struct grid thin_torus = {2, {0, 2}, {1, 1}, 0};
static const struct grid thin_mesh = {2, {0, 1}, {1, 0}, 0};
static const struct grid deep_torus = {3, {0, 0, 0}, {1, 1, 1}, 0};
static const struct grid deep_mesh = {3, {0, 0, 0}, {0, 1, 0}, 0};

const struct topology cartesian_topologies[] = {
    {"line", make_cartesian, &line},
    {"circle", make_cartesian, &circle},
    {"circle of fewer ranks", make_cartesian, &smaller_circle},
    {"mesh", make_cartesian, &mesh},
    {"torus", make_cartesian, &torus},
    {"cylinder", make_cartesian, &cylinder},
    {"torus 1 x n", make_cartesian, &flat_torus},
    {"torus n x 2", make_cartesian, &thin_torus},
    {"circle x mesh of 1", make_cartesian, &thin_mesh},
    {"3-d torus", make_cartesian, &deep_torus},
    {"3-d, one dimension periodic", make_cartesian, &deep_mesh},
};
const int cartesian_topology_count = sizeof cartesian_topologies / sizeof *cartesian_topologies;

/* Isomorphic graphs: the same offsets at each rank, on a torus or on a mesh. */
struct stencil {
  struct grid grid;
  int reach, with_center, forward_only, from_cartesian;
};

enum { MOST_EDGES = 64 };

static int is_offset(const struct stencil* stencil, const int offset[3]) {
  int center = 1, backward = 0, k = 0;
  for (k = 0; k < stencil->grid.dimensions; k++) {
    center = center && offset[k] == 0;
    backward = backward || offset[k] < 0;
  }
  return (!center || stencil->with_center) && !(backward && stencil->forward_only);
}

/* The rank at an offset from this one, or MPI_PROC_NULL beyond the border. */
static int at_offset(const struct grid* grid, const int sizes[3], int rank, const int offset[3], int sign) {
  int place = 0, k = 0, stride = 1;
  for (k = grid->dimensions - 1; k >= 0; k--) {
    int coordinate = rank / stride % sizes[k] + sign * offset[k];
    if (!grid->periodic[k] && (coordinate < 0 || coordinate >= sizes[k])) return MPI_PROC_NULL;
    coordinate = (coordinate + 2 * sizes[k]) % sizes[k];
    place += coordinate * stride;
    stride *= sizes[k];
  }
  return place;
}

static MPI_Comm make_stencil(const void* description) {
  const struct stencil* stencil = description;
  const struct grid* grid = &stencil->grid;
  const int span = 2 * stencil->reach + 1, d = grid->dimensions, offsets = d == 3 ? span * span * span : span * span;
  int sizes[3] = {0, 0, 0}, sources[MOST_EDGES], targets[MOST_EDGES], weights[MOST_EDGES];
  int source_count = 0, target_count = 0, i = 0;
  MPI_Comm base = MPI_COMM_WORLD, comm = MPI_COMM_NULL;
  MPI_Dims_create(world_size(), d, sizes);
#if !defined(OPEN_MPI) || OMPI_MAJOR_VERSION != 5 || OMPI_MINOR_VERSION != 0
  /* Open MPI 5.0 takes a graph that is made from a grid for that grid, and crashes in its collectives. */
  if (stencil->from_cartesian) MPI_Cart_create(MPI_COMM_WORLD, d, sizes, grid->periodic, 0, &base);
#endif
  for (i = 0; i < offsets; i++) {
    const int offset[3] = {i % span - stencil->reach, i / span % span - stencil->reach,
                           i / span / span - stencil->reach};
    if (!is_offset(stencil, offset)) continue;
    targets[target_count] = at_offset(grid, sizes, world_rank(), offset, 1);
    sources[source_count] = at_offset(grid, sizes, world_rank(), offset, -1);
    target_count += targets[target_count] != MPI_PROC_NULL;
    source_count += sources[source_count] != MPI_PROC_NULL;
  }
  for (i = 0; i < MOST_EDGES; i++) weights[i] = 1 + i;
  if (stencil->from_cartesian)
    MPI_Dist_graph_create_adjacent(base, source_count, sources, MPI_UNWEIGHTED, target_count, targets, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
  else
    MPI_Dist_graph_create_adjacent(base, source_count, sources, weights, target_count, targets, weights, MPI_INFO_NULL,
                                   0, &comm);
  if (base != MPI_COMM_WORLD) MPI_Comm_free(&base);
  return comm;
}

static const struct stencil nine_points = {{2, {0, 0}, {1, 1}, 0}, 1, 1, 0, 1};
static const struct stencil nine_points_of_world = {{2, {0, 0}, {1, 1}, 0}, 1, 1, 0, 0};
static const struct stencil eight_points_of_mesh = {{2, {0, 0}, {0, 0}, 0}, 1, 0, 0, 1};
static const struct stencil one_way = {{2, {0, 0}, {1, 1}, 0}, 1, 0, 1, 0};
static const struct stencil twenty_seven_points = {{3, {0, 0, 0}, {1, 1, 1}, 0}, 1, 1, 0, 1};
static const struct stencil twenty_five_points = {{2, {0, 0}, {1, 1}, 0}, 2, 1, 0, 0};

/* Graphs given by a function: how many edges there are from one rank to another. */
typedef int edges_function(int from, int to, int ranks);

static int no_edges(int from, int to, int ranks) { return 0 * (from + to + ranks); }
static int some_edges(int from, int to, int ranks) { return ranks > 0 && (from * to + from + 2 * to) % 3 != 0; }
static int parallel_edges(int from, int to, int ranks) { return ranks > 0 ? (from + 2 * to + 1) % 3 : 0; }
static int edges_of_first(int from, int to, int ranks) { return from == 0 && to < ranks - 1; }
static int circle_edges(int from, int to, int ranks) { return ((from + 1) % ranks == to) + ((to + 1) % ranks == from); }

struct graph {
  edges_function* edges;
};

enum { MOST_PARALLEL = 2 };

/* Neighbors in an order of its own at each rank, parallel edges apart from each other. */
static int list_neighbors(edges_function* edges, int of_targets, int neighbors[]) {
  const int rank = world_rank(), ranks = world_size(), sign = of_targets && rank % 2 == 1 ? -1 : 1;
  int count = 0, i = 0, layer = 0;
  for (layer = 0; layer < MOST_PARALLEL; layer++) {
    for (i = 0; i < ranks; i++) {
      const int other = (rank + sign * i + ranks) % ranks;
      const int parallel = of_targets ? edges(rank, other, ranks) : edges(other, rank, ranks);
      if (parallel > layer) neighbors[count++] = other;
    }
  }
  return count;
}

static MPI_Comm make_adjacent(const void* description) {
  const struct graph* graph = description;
  int sources[MOST_EDGES], targets[MOST_EDGES];
  const int source_count = list_neighbors(graph->edges, 0, sources);
  const int target_count = list_neighbors(graph->edges, 1, targets);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, source_count, sources, MPI_UNWEIGHTED, target_count, targets,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  return comm;
}

/* Each rank gives the edges from the next one. */
static MPI_Comm make_distributed(const void* description) {
  const struct graph* graph = description;
  const int ranks = world_size(), from = (world_rank() + 1) % ranks;
  int targets[MOST_EDGES], degree = 0, to = 0, i = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  for (to = ranks - 1; to >= 0; to--) {
    for (i = graph->edges(from, to, ranks); i > 0; i--) targets[degree++] = to;
  }
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &from, &degree, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  return comm;
}

/* MPI_Graph_create, without the last rank where there are more than two. */
static MPI_Comm make_old_graph(const void* description) {
  const struct graph* graph = description;
  const int ranks = world_size() > 2 ? world_size() - 1 : world_size();
  int ends[MOST_EDGES], edges[MOST_EDGES], count = 0, from = 0, to = 0, i = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  for (from = 0; from < ranks; from++) {
    for (to = 0; to < ranks; to++) {
      for (i = graph->edges(from, to, ranks); i > 0; i--) edges[count++] = to;
    }
    ends[from] = count;
  }
  MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, edges, 0, &comm);
  return comm;
}

static const struct graph empty = {no_edges};
static const struct graph some = {some_edges};
static const struct graph parallel = {parallel_edges};
static const struct graph from_first = {edges_of_first};
static const struct graph both_ways = {circle_edges};

const struct topology graph_topologies[] = {
    {"9 points on a Cartesian communicator", make_stencil, &nine_points},
    {"9 points on MPI_COMM_WORLD", make_stencil, &nine_points_of_world},
    {"8 points on a mesh", make_stencil, &eight_points_of_mesh},
    {"3 points forward", make_stencil, &one_way},
    {"25 points", make_stencil, &twenty_five_points},
    {"27 points", make_stencil, &twenty_seven_points},
    {"adjacent graph without edges", make_adjacent, &empty},
    {"adjacent graph", make_adjacent, &some},
    {"adjacent graph with parallel edges and loops", make_adjacent, &parallel},
    {"adjacent graph from the first rank", make_adjacent, &from_first},
    {"adjacent circle", make_adjacent, &both_ways},
    {"distributed graph", make_distributed, &some},
    {"distributed graph with parallel edges and loops", make_distributed, &parallel},
    {"distributed graph from the first rank", make_distributed, &from_first},
    {"old circle", make_old_graph, &both_ways},
    {"old graph without edges", make_old_graph, &empty},
};
const int graph_topology_count = sizeof graph_topologies / sizeof *graph_topologies;
