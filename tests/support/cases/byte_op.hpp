/// @file
/// Operations on bytes, for reductions of which every byte is compared.
#ifndef RONDO_TESTS_BYTE_OP_HPP
#define RONDO_TESTS_BYTE_OP_HPP

#include "datatypes/layout/layout.hpp"

#include <mpi.h>

#include <cstddef>

namespace rondo::internal {

/// An operation on each byte of a datatype, as MPI runs it and as a test computes it.
struct ByteOp {
  MPI_Op op;
  std::byte (*combine)(std::byte, std::byte);
};

namespace byte_op_detail {

inline std::byte sum(std::byte one, std::byte other) {
  return static_cast<std::byte>(std::to_integer<unsigned>(one) + std::to_integer<unsigned>(other));
}
inline std::byte fold(std::byte one, std::byte other) {
  return static_cast<std::byte>(3 * (std::to_integer<unsigned>(one) + std::to_integer<unsigned>(other)) + 1);
}

template <std::byte (*Combine)(std::byte, std::byte)>
void apply(void* in, void* inout, int* length, MPI_Datatype* type) {
  const auto* source = static_cast<const std::byte*>(in);
  auto* target = static_cast<std::byte*>(inout);
  flatten(*type).repeated(*length).for_each_piece([&](std::int64_t offset, std::int64_t bytes) {
    for (std::int64_t i = offset; i < offset + bytes; ++i) target[i] = Combine(source[i], target[i]);
  });
}

/// f(g(x)) for f(x) = ax + b modulo 16: a, which is odd, in three bits and b in four.
inline std::byte compose(std::byte one, std::byte other) {
  const auto f = std::to_integer<unsigned>(one);
  const auto g = std::to_integer<unsigned>(other);
  const auto a_of = [](unsigned byte) { return 2 * (byte >> 4U & 7U) + 1; };
  const unsigned a = a_of(f) * a_of(g) % 16;
  const unsigned b = (a_of(f) * (g & 15U) + f) % 16;
  return static_cast<std::byte>(((f ^ g) & 128U) | (a / 2) << 4U | b);
}

template <std::byte (*Combine)(std::byte, std::byte)>
ByteOp make(bool commutative = true) {
  ByteOp made{MPI_OP_NULL, Combine};
  MPI_Op_create(apply<Combine>, commutative ? 1 : 0, &made.op);
  return made;
}

}  // namespace byte_op_detail

/// Modulo 256. Between MPI_Init and MPI_Finalize; never freed.
inline const ByteOp& byte_sum() {
  static const ByteOp op = byte_op_detail::make<byte_op_detail::sum>();
  return op;
}

/// 3 * (one + other) + 1 modulo 256: commutative and not associative, so that a result tells in which order it was
/// made.
inline const ByteOp& byte_fold() {
  static const ByteOp op = byte_op_detail::make<byte_op_detail::fold>();
  return op;
}

/// One after the other: associative and not commutative, so that a result tells in which order ranks were combined.
inline const ByteOp& byte_composition() {
  static const ByteOp op = byte_op_detail::make<byte_op_detail::compose>(false);
  return op;
}

}  // namespace rondo::internal

#endif
