/// @file
/// Signature: the sequence of basic types that a datatype stands for.
#ifndef RONDO_DATATYPES_READING_SIGNATURE_HPP
#define RONDO_DATATYPES_READING_SIGNATURE_HPP

#include <mpi.h>

#include "datatypes/reading/signature_digest.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rondo::internal {

/// The basic types of a datatype in order, as a list of items with a type and a count. Sequences that repeat are loops,
/// so that a signature is as long as the datatype's description. A value.
class Signature {
 public:
  /// An item of the list: `count` elements of a predefined datatype that is not a pair, or, with a body, `count`
  /// repetitions of the body.
  struct Item {
    MPI_Datatype basic;
    std::int64_t count;
    std::shared_ptr<const Signature> body;
  };

  /// Makes a signature without elements.
  Signature() = default;
  /// Returns the signature of a datatype, committed or not. Local. Throws Error, MPI_ERR_TYPE.
  [[nodiscard]] static Signature of(MPI_Datatype type);

  [[nodiscard]] Signature repeated(std::int64_t count) const;
  void append(const Signature& next);
  [[nodiscard]] std::span<const Item> items() const noexcept { return items_; }
  /// Number of basic elements.
  [[nodiscard]] std::int64_t elements() const noexcept { return digest_.elements(); }
  /// Bytes of all elements together.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  /// The digest, for comparing: two signatures are the same if their digests are, however their lists are divided.
  [[nodiscard]] const SignatureDigest& digest() const noexcept { return digest_; }
  /// Makes the signature type (zero-copy Bruck paper, section 3.1): the basic types one after the other, without holes.
  /// The caller owns the datatype, which is not committed. Local. Throws Error.
  [[nodiscard]] MPI_Datatype make_type() const;

 private:
  static Signature of_named(MPI_Datatype type);
  static Signature of_basic(MPI_Datatype type);
  void append(const Item& item);

  std::vector<Item> items_;
  std::int64_t bytes_ = 0;
  SignatureDigest digest_;
};

}  // namespace rondo::internal

#endif
