/// @file
/// What a child after fork() must not do.
#ifndef RONDO_RUNTIME_BASE_CHILD_PROCESS_HPP
#define RONDO_RUNTIME_BASE_CHILD_PROCESS_HPP

namespace rondo::internal {

/// Whether this process is a child, after fork(), of the one that asked first, which made what is here: a child has
/// neither its MPI nor the threads that would go on with something. Any thread.
[[nodiscard]] bool is_child_process() noexcept;

}  // namespace rondo::internal

#endif
