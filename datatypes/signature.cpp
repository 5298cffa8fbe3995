#include "datatypes/signature.hpp"

#include <rondo/error.hpp>

#include "datatypes/mpi_check.hpp"
#include "datatypes/type_contents.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace rondo {
namespace {

constexpr std::uint64_t kModulus = (std::uint64_t{1} << 61U) - 1;
constexpr std::uint64_t kBase = 0x0BD1'7F5A'3C96'E84DU;

__extension__ using Wide = unsigned __int128;

std::uint64_t multiply(std::uint64_t one, std::uint64_t other) {
  return static_cast<std::uint64_t>(Wide{one} * other % kModulus);
}

std::uint64_t add(std::uint64_t one, std::uint64_t other) { return (one + other) % kModulus; }

/// Elements of one type, one after the other, `lengths` from integer `first` on.
template <typename Contents>
std::int64_t sum_of_integers(const Contents& contents, int first, int count) {
  std::int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += contents.integer(first + i);
  return sum;
}

}  // namespace

/// The pair types are structs of two basic ones.
Signature Signature::of_named(MPI_Datatype type) {
  struct Pair {
    MPI_Datatype pair;
    MPI_Datatype first;
    MPI_Datatype second;
  };
  for (const Pair& known : {Pair{MPI_FLOAT_INT, MPI_FLOAT, MPI_INT}, Pair{MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT},
                            Pair{MPI_LONG_INT, MPI_LONG, MPI_INT}, Pair{MPI_SHORT_INT, MPI_SHORT, MPI_INT},
                            Pair{MPI_2INT, MPI_INT, MPI_INT}, Pair{MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT}}) {
    if (type != known.pair) continue;
    Signature signature = of_basic(known.first);
    signature.append(of_basic(known.second));
    return signature;
  }
  Signature signature = of_basic(type);
  signature.packed_ = type == MPI_PACKED;
  return signature;
}

Signature Signature::of_basic(MPI_Datatype type) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  check_mpi(MPI_Type_get_name(type, name.data(), &length), "MPI_Type_get_name");
  const std::string_view text(name.data(), static_cast<std::size_t>(length));
  std::uint64_t code = 1;
  for (const char letter : text) code = add(multiply(code, 257), static_cast<unsigned char>(letter));
  Signature signature;
  signature.hash_ = code;
  signature.shift_ = kBase;
  signature.elements_ = 1;
  std::copy_n(text.begin(), std::min(text.size(), sizeof(first_) - 1), signature.first_);
  return signature;
}

void Signature::append(const Signature& next) {
  if (elements_ == 0) std::copy_n(next.first_, sizeof(first_), first_);
  hash_ = add(multiply(hash_, next.shift_), next.hash_);
  shift_ = multiply(shift_, next.shift_);
  elements_ += next.elements_;
  packed_ = packed_ || next.packed_;
}

Signature Signature::repeated(std::int64_t count) const {
  Signature result;
  Signature power = *this;
  for (; count > 0; count /= 2) {
    if (count % 2 != 0) result.append(power);
    power.append(Signature(power));
  }
  return result;
}

Signature Signature::of(MPI_Datatype type) {
  const TypeContents contents(type);
  const auto times = [&](std::int64_t count) { return of(contents.type(0)).repeated(count); };
  switch (contents.combiner()) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return times(1);
    case MPI_COMBINER_CONTIGUOUS:
      return times(contents.integer(0));
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
      return times(std::int64_t{contents.integer(0)} * contents.integer(1));
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
      return times(sum_of_integers(contents, 1, contents.integer(0)));
    case MPI_COMBINER_STRUCT: {
      Signature signature;
      for (int i = 0; i < contents.integer(0); ++i)
        signature.append(of(contents.type(i)).repeated(contents.integer(1 + i)));
      return signature;
    }
    case MPI_COMBINER_SUBARRAY: {
      const int dimensions = contents.integer(0);
      std::int64_t count = 1;
      for (int k = 0; k < dimensions; ++k) count *= contents.integer(1 + dimensions + k);
      return times(count);
    }
    case MPI_COMBINER_DARRAY: {
      MPI_Count size = 0;
      MPI_Count element = 0;
      check_mpi(MPI_Type_size_x(type, &size), "MPI_Type_size_x");
      check_mpi(MPI_Type_size_x(contents.type(0), &element), "MPI_Type_size_x");
      return element == 0 ? Signature{} : times(size / element);
    }
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
      return of_named(type);
    default:
      throw Error(MPI_ERR_TYPE, "datatype: is made by a constructor that is not known (combiner " +
                                    std::to_string(contents.combiner()) + ")");
  }
}

std::string Signature::describe() const {
  if (elements_ == 0) return "nothing";
  return std::to_string(elements_) + " basic elements, the first of type " + first_;
}

}  // namespace rondo
