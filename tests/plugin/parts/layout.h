/* How the numbers of a block lie in memory: as MPI's datatype, and as plain arithmetic to check it by. */
#ifndef RONDO_TESTS_PLUGIN_LAYOUT_H
#define RONDO_TESTS_PLUGIN_LAYOUT_H

#include <mpi.h>

/* Blocks are made of pairs of ints. PLAIN has one int an item, the others a pair. */
enum layout { PLAIN, STRIDED, SPACED, SHIFTED, LAYOUTS };

int items_of(enum layout layout, int pairs);

/* From one item to the next, in ints. */
int extent_of(enum layout layout);

/* Where the int number `element` of a block lies, in ints from the block's address. */
int place_of(enum layout layout, int element);

/* The committed type of an item; where `base` is not NULL, to be used with MPI_BOTTOM and shifted there. */
MPI_Datatype make_type(enum layout layout, const void* base);

void free_type(MPI_Datatype* type);

#endif
