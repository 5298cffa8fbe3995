/// @file
/// SignatureDigest: a signature as a few bytes, to be sent to other ranks and compared there.
#ifndef RONDO_DATATYPES_READING_SIGNATURE_DIGEST_HPP
#define RONDO_DATATYPES_READING_SIGNATURE_DIGEST_HPP

#include <mpi.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace rondo::internal {

/// A sequence of basic types as a number. Different sequences have different numbers, with a chance of failure of one
/// in 2^60: two ends of a message must have the same number. The number is the same on all ranks of a job. A value;
/// repeating a digest costs the logarithm of the count.
class SignatureDigest {
 public:
  /// Makes the digest of no elements.
  SignatureDigest() = default;
  /// Returns the digest of one element of a predefined datatype that is not a pair. Local. Throws Error, MPI_ERR_TYPE.
  [[nodiscard]] static SignatureDigest of_basic(MPI_Datatype type);

  [[nodiscard]] SignatureDigest repeated(std::int64_t count) const;
  void append(const SignatureDigest& next);
  /// Number of basic elements.
  [[nodiscard]] std::int64_t elements() const noexcept { return elements_; }
  /// Returns whether one signature may be sent and the other received: they are equal, or one of the two has
  /// MPI_PACKED.
  [[nodiscard]] bool matches(const SignatureDigest& other) const noexcept {
    return *this == other || packed_ || other.packed_;
  }
  /// Returns a text for people: the number of elements, and the name of the first element's type.
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const SignatureDigest& one, const SignatureDigest& other) {
    return one.hash_ == other.hash_ && one.elements_ == other.elements_;
  }

 private:
  // A polynomial in a fixed base modulo 2^61 - 1, whose coefficients are the types: appending is shifting and adding.
  std::uint64_t hash_ = 0;
  std::uint64_t shift_ = 1;  ///< the base to the power of elements_
  std::int64_t elements_ = 0;
  bool packed_ = false;  ///< some element is MPI_PACKED, which may be anything
  char first_[24] = {};  ///< name of the first element's type, cut off if it is long
};
static_assert(std::is_trivially_copyable_v<SignatureDigest>);

}  // namespace rondo::internal

#endif
