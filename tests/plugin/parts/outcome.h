/* What the applications here say at the end. */
#ifndef RONDO_TESTS_PLUGIN_OUTCOME_H
#define RONDO_TESTS_PLUGIN_OUTCOME_H

/* Counts an error of this rank, and prints the first ones. */
void wrong(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Counts an error if `code` is one. */
void succeeds(const char* call, int code);

/* Ends MPI. Rank 0 says "no errors" where no rank counted any. Returns what main returns. */
int finish(void);

#endif
