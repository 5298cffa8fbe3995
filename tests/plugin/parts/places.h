/* Functions of MPI's that block, as places where a rank can be while the others wait for an operation of theirs. */
#ifndef RONDO_TESTS_PLUGIN_PLACES_H
#define RONDO_TESTS_PLUGIN_PLACES_H

/* Ranks that are `inside` call `be_there` first, and it ends when the others have called it, too. Rank 0 is alone on
 * one of the two sides: messages go between it and each other rank. */
struct place {
  const char* name;
  void (*be_there)(int inside);
};

enum { PLACES = 17 };
extern const struct place places[PLACES];
/* One more, which takes long: starts the program of this name, which must end the connection to its parents. */
extern const struct place spawning;
extern const char* program_to_spawn;

#endif
