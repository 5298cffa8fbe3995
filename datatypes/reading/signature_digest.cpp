#include "datatypes/reading/signature_digest.hpp"

#include "datatypes/reading/mpi_check.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace rondo::internal {
namespace {

constexpr std::uint64_t kModulus = (std::uint64_t{1} << 61U) - 1;
constexpr std::uint64_t kBase = 0x0BD1'7F5A'3C96'E84DU;

__extension__ using Wide = unsigned __int128;

std::uint64_t multiply(std::uint64_t one, std::uint64_t other) {
  return static_cast<std::uint64_t>(Wide{one} * other % kModulus);
}

std::uint64_t add(std::uint64_t one, std::uint64_t other) { return (one + other) % kModulus; }

}  // namespace

SignatureDigest SignatureDigest::of_basic(MPI_Datatype type) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  check_mpi(MPI_Type_get_name(type, name.data(), &length), "MPI_Type_get_name");
  const std::string_view text(name.data(), static_cast<std::size_t>(length));
  std::uint64_t code = 1;
  for (const char letter : text) code = add(multiply(code, 257), static_cast<unsigned char>(letter));
  SignatureDigest digest;
  digest.hash_ = code;
  digest.shift_ = kBase;
  digest.elements_ = 1;
  digest.packed_ = type == MPI_PACKED;
  std::copy_n(text.begin(), std::min(text.size(), sizeof(first_) - 1), digest.first_);
  return digest;
}

void SignatureDigest::append(const SignatureDigest& next) {
  if (elements_ == 0) std::copy_n(next.first_, sizeof(first_), first_);
  hash_ = add(multiply(hash_, next.shift_), next.hash_);
  shift_ = multiply(shift_, next.shift_);
  elements_ += next.elements_;
  packed_ = packed_ || next.packed_;
}

SignatureDigest SignatureDigest::repeated(std::int64_t count) const {
  SignatureDigest result;
  SignatureDigest power = *this;
  for (; count > 0; count /= 2) {
    if (count % 2 != 0) result.append(power);
    power.append(SignatureDigest(power));
  }
  return result;
}

std::string SignatureDigest::describe() const {
  if (elements_ == 0) return "nothing";
  return std::to_string(elements_) + " basic elements, the first of type " + first_;
}

}  // namespace rondo::internal
