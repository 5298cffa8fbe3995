/// @file
/// Counts the bytes that the program asks operator new for.
#ifndef RONDO_BENCH_ALLOCATED_BYTES_HPP
#define RONDO_BENCH_ALLOCATED_BYTES_HPP

namespace bench {

struct AllocatedBytes {
  long long now;
  long long most;  ///< at any time since forget_most_bytes()
};

[[nodiscard]] AllocatedBytes allocated_bytes() noexcept;
void forget_most_bytes() noexcept;

}  // namespace bench

#endif
