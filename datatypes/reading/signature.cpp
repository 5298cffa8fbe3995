#include "datatypes/reading/signature.hpp"

#include <rondo/error.hpp>

#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/owned_types.hpp"
#include "datatypes/reading/type_contents.hpp"

#include <limits>
#include <string>

namespace rondo::internal {
namespace {

/// Returns the sum of `count` integers of `contents`, from integer `first` on: the number of elements of all blocks.
std::int64_t sum_of_integers(const TypeContents& contents, std::int64_t first, std::int64_t count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += contents.integer(first + i);
  return sum;
}

std::int64_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  check_mpi(MPI_Type_size_x(type, &size), "MPI_Type_size_x");
  return size;
}

MPI_Datatype make_struct(std::span<const MPI_Datatype> types, std::span<const MPI_Aint> places, std::int64_t bytes,
                         OwnedTypes& owned) {
  const std::vector<int> ones(types.size(), 1);
  MPI_Datatype members = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), places.data(), types.data(), &members),
            "MPI_Type_create_struct");
  owned.keep(members);
  MPI_Datatype packed = MPI_DATATYPE_NULL;  // MPI may round the extent of a struct up
  check_mpi(MPI_Type_create_resized(members, 0, bytes, &packed), "MPI_Type_create_resized");
  return owned.keep(packed);
}

/// Makes a datatype of `count` elements of a type without holes. MPI counts are ints, so many elements are rows of
/// rows.
MPI_Datatype make_row(std::int64_t count, MPI_Datatype element, OwnedTypes& owned) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  MPI_Datatype row = MPI_DATATYPE_NULL;
  if (count <= kMost) {
    check_mpi(MPI_Type_contiguous(static_cast<int>(count), element, &row), "MPI_Type_contiguous");
    return owned.keep(row);
  }
  const MPI_Datatype rows = make_row(count / kMost, make_row(kMost, element, owned), owned);
  const std::int64_t in_rows = count / kMost * kMost * size_of(element);
  const MPI_Datatype types[] = {rows, make_row(count % kMost, element, owned)};
  const MPI_Aint places[] = {0, in_rows};
  return make_struct(types, places, count * size_of(element), owned);
}

MPI_Datatype make_packed(const Signature& signature, OwnedTypes& owned) {
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> places;
  MPI_Aint place = 0;
  for (const Signature::Item& item : signature.items()) {
    const MPI_Datatype element = item.body == nullptr ? item.basic : make_packed(*item.body, owned);
    types.push_back(make_row(item.count, element, owned));
    places.push_back(place);
    place += item.count * (item.body == nullptr ? size_of(item.basic) : item.body->bytes());
  }
  if (types.size() == 1) return types.front();
  return make_struct(types, places, signature.bytes(), owned);
}

}  // namespace

Signature Signature::of_basic(MPI_Datatype type) {
  Signature signature;
  signature.items_.push_back({type, 1, nullptr});
  signature.bytes_ = size_of(type);
  signature.digest_ = SignatureDigest::of_basic(type);
  return signature;
}

/// Returns the signature of a predefined datatype. The pair types are structs of two basic types.
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
  return of_basic(type);
}

void Signature::append(const Item& item) {
  if (!items_.empty()) {
    Item& last = items_.back();
    const bool continues = last.body == nullptr ? item.body == nullptr && last.basic == item.basic
                                                : item.body != nullptr && (last.body == item.body ||
                                                                           last.body->digest_ == item.body->digest_);
    if (continues) {
      last.count += item.count;
      return;
    }
  }
  items_.push_back(item);
}

void Signature::append(const Signature& next) {
  for (const Item& item : next.items_) append(item);
  bytes_ += next.bytes_;
  digest_.append(next.digest_);
}

Signature Signature::repeated(std::int64_t count) const {
  Signature result;
  if (count <= 0 || items_.empty()) return result;
  if (items_.size() == 1)
    result.items_.push_back({items_.front().basic, items_.front().count * count, items_.front().body});
  else if (count == 1)
    result.items_ = items_;
  else
    result.items_.push_back({MPI_DATATYPE_NULL, count, std::make_shared<const Signature>(*this)});
  result.bytes_ = bytes_ * count;
  result.digest_ = digest_.repeated(count);
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
      return times(contents.integer(0) * contents.integer(1));
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
      return times(sum_of_integers(contents, 1, contents.integer(0)));
    case MPI_COMBINER_STRUCT: {
      Signature signature;
      for (std::int64_t i = 0; i < contents.integer(0); ++i)
        signature.append(of(contents.type(i)).repeated(contents.integer(1 + i)));
      return signature;
    }
    case MPI_COMBINER_SUBARRAY: {
      const std::int64_t dimensions = contents.integer(0);
      std::int64_t count = 1;
      for (std::int64_t k = 0; k < dimensions; ++k) count *= contents.integer(1 + dimensions + k);
      return times(count);
    }
    case MPI_COMBINER_DARRAY: {
      const std::int64_t element = size_of(contents.type(0));
      return element == 0 ? Signature{} : times(size_of(type) / element);
    }
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
      return of_named(type);
    default:
      throw Error(MPI_ERR_TYPE,
                  "datatype: is made by an unknown constructor (combiner " + std::to_string(contents.combiner()) + ")");
  }
}

MPI_Datatype Signature::make_type() const {
  OwnedTypes owned;
  if (items_.empty()) return owned.release(make_row(0, MPI_BYTE, owned));
  return owned.release(make_packed(*this, owned));
}

}  // namespace rondo::internal
