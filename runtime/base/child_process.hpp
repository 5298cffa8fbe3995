/// @file
/// The function is_child_process(), which tells a child after fork() from its parent, because some things must not be
/// done in a child.
#ifndef RONDO_RUNTIME_BASE_CHILD_PROCESS_HPP
#define RONDO_RUNTIME_BASE_CHILD_PROCESS_HPP

namespace rondo::internal {

/// Returns whether this process is a child, after fork(), of the process that called this function first. A child has
/// neither the MPI of its parent nor the threads that would continue its parent's work. Any thread.
[[nodiscard]] bool is_child_process() noexcept;

}  // namespace rondo::internal

#endif
