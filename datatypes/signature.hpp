/// @file
/// Signature: the sequence of basic types that a datatype stands for.
#ifndef RONDO_DATATYPES_SIGNATURE_HPP
#define RONDO_DATATYPES_SIGNATURE_HPP

#include <mpi.h>

#include <cstdint>
#include <string>

namespace rondo {

/// A sequence of basic types as a number that differs, but for a chance of one in 2^60, when the sequence does: two
/// ends of a message must have the same. The same on all ranks of a job. A value; repeating one costs the logarithm of
/// the count, so a signature costs what the datatype's description does, not what its data does.
class Signature {
 public:
  /// No elements.
  Signature() = default;
  /// The signature of a datatype. Local. Throws Error, MPI_ERR_TYPE.
  [[nodiscard]] static Signature of(MPI_Datatype type);

  [[nodiscard]] Signature repeated(std::int64_t count) const;
  void append(const Signature& next);
  /// Number of basic elements.
  [[nodiscard]] std::int64_t elements() const noexcept { return elements_; }
  /// Whether one may be sent and the other received: equal, or one of the two is MPI_PACKED.
  [[nodiscard]] bool matches(const Signature& other) const noexcept {
    return *this == other || packed_ || other.packed_;
  }
  /// For people: how many elements, and the name of the first one's type.
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const Signature& one, const Signature& other) {
    return one.hash_ == other.hash_ && one.elements_ == other.elements_;
  }

 private:
  static Signature of_named(MPI_Datatype type);
  static Signature of_basic(MPI_Datatype type);

  // A polynomial in a fixed base modulo 2^61 - 1, whose coefficients are the types: appending is shifting and adding.
  std::uint64_t hash_ = 0;
  std::uint64_t shift_ = 1;  ///< the base to the power of elements_
  std::int64_t elements_ = 0;
  bool packed_ = false;  ///< some of it is MPI_PACKED, which may be anything
  char first_[24] = {};  ///< name of the first element's type, cut off where it is long
};

}  // namespace rondo

#endif
