/// @file
/// SignatureDigest: a signature as a few bytes, to be sent to other ranks and compared there.
#ifndef RONDO_DATATYPES_READING_SIGNATURE_DIGEST_HPP
#define RONDO_DATATYPES_READING_SIGNATURE_DIGEST_HPP

#include <mpi.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace rondo::internal {

/// A sequence of basic types as a number that differs, but for a chance of one in 2^60, when the sequence does: two
/// ends of a message must have the same. The same on all ranks of a job. A value; repeating one costs the logarithm of
/// the count.
class SignatureDigest {
 public:
  /// Of no elements.
  SignatureDigest() = default;
  /// Of one element of a predefined datatype that is not a pair. Local. Throws Error, MPI_ERR_TYPE.
  [[nodiscard]] static SignatureDigest of_basic(MPI_Datatype type);

  [[nodiscard]] SignatureDigest repeated(std::int64_t count) const;
  void append(const SignatureDigest& next);
  /// Number of basic elements.
  [[nodiscard]] std::int64_t elements() const noexcept { return elements_; }
  /// Whether one may be sent and the other received: equal, or one of the two is MPI_PACKED.
  [[nodiscard]] bool matches(const SignatureDigest& other) const noexcept {
    return *this == other || packed_ || other.packed_;
  }
  /// For people: how many elements, and the name of the first one's type.
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const SignatureDigest& one, const SignatureDigest& other) {
    return one.hash_ == other.hash_ && one.elements_ == other.elements_;
  }

 private:
  // A polynomial in a fixed base modulo 2^61 - 1, whose coefficients are the types: appending is shifting and adding.
  std::uint64_t hash_ = 0;
  std::uint64_t shift_ = 1;  ///< the base to the power of elements_
  std::int64_t elements_ = 0;
  bool packed_ = false;  ///< some of it is MPI_PACKED, which may be anything
  char first_[24] = {};  ///< name of the first element's type, cut off where it is long
};
static_assert(std::is_trivially_copyable_v<SignatureDigest>);

}  // namespace rondo::internal

#endif
