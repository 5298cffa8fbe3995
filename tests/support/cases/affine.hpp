/// @file
/// An operation that is not commutative, for reductions in an order.
#ifndef RONDO_TESTS_SUPPORT_CASES_AFFINE_HPP
#define RONDO_TESTS_SUPPORT_CASES_AFFINE_HPP

#include <mpi.h>

#include <cstdint>

namespace rondo::internal {

/// f(x) = ax + b, one after the other: the order matters.
struct Affine {
  std::int64_t a;
  std::int64_t b;
  friend bool operator==(const Affine&, const Affine&) = default;
};

inline Affine after(const Affine& outer, const Affine& inner) {
  constexpr std::int64_t kPrime = 1000003;
  return {outer.a * inner.a % kPrime, (outer.a * inner.b + outer.b) % kPrime};
}

/// For MPI_Op_create, of two MPI_INT64_T each.
inline void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    Affine& target = static_cast<Affine*>(inout)[i];
    target = after(static_cast<const Affine*>(in)[i], target);
  }
}

}  // namespace rondo::internal

#endif
