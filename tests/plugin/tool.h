/* A tool that lies between the plug-in and MPI, and what it has seen. */
#ifndef RONDO_TESTS_PLUGIN_TOOL_H
#define RONDO_TESTS_PLUGIN_TOOL_H

struct seen_calls {
  int init, comm_dup, alltoall, ialltoall, allreduce, wait;
};

struct seen_calls calls_seen_by_tool(void);

#endif
