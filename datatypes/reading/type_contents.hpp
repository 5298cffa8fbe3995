/// @file
/// How an MPI datatype was made.
#ifndef RONDO_DATATYPES_READING_TYPE_CONTENTS_HPP
#define RONDO_DATATYPES_READING_TYPE_CONTENTS_HPP

#include <mpi.h>

#include "datatypes/reading/mpi_check.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::internal {

/// Whether a datatype of this combiner is one of MPI's own, which cannot be freed.
[[nodiscard]] inline bool is_predefined(int combiner) noexcept {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

/// The constructor by which a datatype was made, and the numbers of its arguments of each kind. `large_counts` are
/// those of MPI 4's constructors with the suffix _c, which MPI 3 does not have.
struct TypeEnvelope {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large_counts = 0;
  MPI_Count types = 0;
  int combiner = MPI_COMBINER_NAMED;

  /// Reads the envelope of a datatype. Returns MPI's error code.
  [[nodiscard]] int read(MPI_Datatype type) noexcept {
#if MPI_VERSION >= 4
    return MPI_Type_get_envelope_c(type, &integers, &addresses, &large_counts, &types, &combiner);
#else
    int numbers[] = {0, 0, 0};
    const int code = MPI_Type_get_envelope(type, &numbers[0], &numbers[1], &numbers[2], &combiner);
    integers = numbers[0];
    addresses = numbers[1];
    types = numbers[2];
    return code;
#endif
  }
};

/// Returns the constructor by which a datatype was made. Throws Error with MPI's class, whose text begins with
/// `argument`.
[[nodiscard]] inline int combiner_of(MPI_Datatype type, const char* argument = "MPI_Type_get_envelope") {
  TypeEnvelope envelope;
  check_mpi(envelope.read(type), argument);
  return envelope.combiner;
}

/// The arguments with which a datatype was made, with large counts converted to integers and addresses. The destructor
/// frees the derived types among them.
class TypeContents {
 public:
  explicit TypeContents(MPI_Datatype type) {
    TypeEnvelope envelope;
    check_mpi(envelope.read(type), "MPI_Type_get_envelope");
    combiner_ = envelope.combiner;
    if (combiner_ == MPI_COMBINER_NAMED) return;
    std::vector<int> integers(static_cast<std::size_t>(envelope.integers));
    addresses_.resize(static_cast<std::size_t>(envelope.addresses));
    types_.resize(static_cast<std::size_t>(envelope.types));
#if MPI_VERSION >= 4
    std::vector<MPI_Count> large_counts(static_cast<std::size_t>(envelope.large_counts));
    check_mpi(
        MPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.large_counts, envelope.types,
                                integers.data(), addresses_.data(), large_counts.data(), types_.data()),
        "MPI_Type_get_contents_c");
    integers_.assign(integers.begin(), integers.end());
    if (!large_counts.empty()) sort_in(large_counts);
#else
    check_mpi(
        MPI_Type_get_contents(type, static_cast<int>(envelope.integers), static_cast<int>(envelope.addresses),
                              static_cast<int>(envelope.types), integers.data(), addresses_.data(), types_.data()),
        "MPI_Type_get_contents");
    integers_.assign(integers.begin(), integers.end());
#endif
  }
  TypeContents(const TypeContents&) = delete;
  TypeContents& operator=(const TypeContents&) = delete;
  ~TypeContents() {
    for (MPI_Datatype& type : types_) {
      TypeEnvelope envelope;
      if (envelope.read(type) == MPI_SUCCESS && !is_predefined(envelope.combiner)) MPI_Type_free(&type);
    }
  }

  [[nodiscard]] int combiner() const { return combiner_; }
  [[nodiscard]] std::int64_t integer(std::int64_t i) const { return integers_.at(static_cast<std::size_t>(i)); }
  [[nodiscard]] MPI_Aint address(std::int64_t i) const { return addresses_.at(static_cast<std::size_t>(i)); }
  [[nodiscard]] MPI_Datatype type(std::int64_t i) const { return types_.at(static_cast<std::size_t>(i)); }

 private:
#if MPI_VERSION >= 4
  /// Sorts large counts into integers and addresses. MPI 4.0, section 5.1.13: constructors with large counts return as
  /// large counts what those with ints return as integers and addresses, in that order, except the integers that an
  /// array has besides its sizes.
  void sort_in(const std::vector<MPI_Count>& large_counts) {
    const std::size_t addresses = addresses_among(large_counts);
    const auto end = large_counts.end() - static_cast<std::ptrdiff_t>(addresses);
    std::size_t before = 0;
    if (combiner_ == MPI_COMBINER_SUBARRAY) before = 1;
    if (combiner_ == MPI_COMBINER_DARRAY) before = 3;
    integers_.insert(integers_.begin() + static_cast<std::ptrdiff_t>(before), large_counts.begin(), end);
    addresses_.assign(end, large_counts.end());
  }
  /// Returns how many of the last large counts are addresses, in bytes.
  [[nodiscard]] std::size_t addresses_among(const std::vector<MPI_Count>& large_counts) const {
    switch (combiner_) {
      case MPI_COMBINER_HVECTOR:
        return 1;
      case MPI_COMBINER_RESIZED:
        return 2;
      case MPI_COMBINER_HINDEXED:
      case MPI_COMBINER_HINDEXED_BLOCK:
      case MPI_COMBINER_STRUCT:
        return static_cast<std::size_t>(large_counts.front());
      default:
        return 0;
    }
  }
#endif

  int combiner_ = MPI_COMBINER_NAMED;
  std::vector<std::int64_t> integers_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace rondo::internal

#endif
