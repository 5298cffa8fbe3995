#include "layout.h"

#include <stddef.h>

enum { PAIR = 2 };

static const int extents[LAYOUTS] = {1, 4, 5, 4};
/* SHIFTED goes backwards, and begins before the block's address. */
static const int places[LAYOUTS][PAIR] = {{0, 1}, {0, 3}, {0, 1}, {2, -1}};

int items_of(enum layout layout, int pairs) { return layout == PLAIN ? PAIR * pairs : pairs; }

int extent_of(enum layout layout) { return extents[layout]; }

int place_of(enum layout layout, int element) {
  if (layout == PLAIN) return element;
  return element / PAIR * extents[layout] + places[layout][element % PAIR];
}

static MPI_Datatype make_pair(enum layout layout) {
  const MPI_Aint size = (MPI_Aint)sizeof(int);
  MPI_Datatype pair = MPI_DATATYPE_NULL, item = MPI_DATATYPE_NULL;
  if (layout == STRIDED) {
    MPI_Type_vector(PAIR, 1, places[STRIDED][1], MPI_INT, &item);
    return item;
  }
  MPI_Type_create_indexed_block(PAIR, 1, places[layout], MPI_INT, &pair);
  MPI_Type_create_resized(pair, layout == SHIFTED ? -size : 0, extents[layout] * size, &item);
  MPI_Type_free(&pair);
  return item;
}

MPI_Datatype make_type(enum layout layout, const void* base) {
  MPI_Datatype relative = layout == PLAIN ? MPI_INT : make_pair(layout), type = relative;
  if (base != NULL) {
    MPI_Aint address = 0;
    MPI_Get_address(base, &address);
    MPI_Type_create_hindexed_block(1, 1, &address, relative, &type);
    free_type(&relative);
  }
  if (type != MPI_INT) MPI_Type_commit(&type);
  return type;
}

void free_type(MPI_Datatype* type) {
  if (*type != MPI_INT) MPI_Type_free(type);
}
