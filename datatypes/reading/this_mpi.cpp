#include "datatypes/reading/this_mpi.hpp"

#include <mpi.h>

#include "datatypes/reading/mpi_check.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <system_error>

namespace rondo::internal {
namespace {

/// The text of MPI_Get_library_version, as far as it fits.
struct VersionText {
  std::array<char, 8192> characters{};  // MPICH's limit, the highest
  int length = 0;
  int code = MPI_Get_library_version(characters.data(), &length);

  [[nodiscard]] std::string_view text() const noexcept {
    return {characters.data(), static_cast<std::size_t>(code == MPI_SUCCESS ? length : 0)};
  }
};

}  // namespace

MpiVersion read_mpi_version(std::string_view text, MpiKind otherwise) noexcept {
  MpiVersion version{otherwise};
  const bool is_open_mpi = text.starts_with("Open MPI");
  const bool is_mpich = text.starts_with("MPICH");
  if (!is_open_mpi && !is_mpich) return version;  // the numbers are those of another MPI
  version.kind = is_open_mpi ? MpiKind::open_mpi : MpiKind::mpich;
  text.remove_prefix(std::min(text.size(), text.find_first_of("0123456789")));
  for (const int weight : {10000, 100, 1}) {
    int part = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
    if (error != std::errc()) break;
    version.number += weight * part;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  const bool is_prerelease = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0;
  if (is_prerelease) --version.number;
  return version;
}

MpiVersion this_mpi() noexcept {
#if defined(OPEN_MPI)
  constexpr MpiKind kOfHeaders = MpiKind::open_mpi;
#else
  constexpr MpiKind kOfHeaders = MpiKind::mpich;
#endif
  static const MpiVersion version = read_mpi_version(VersionText().text(), kOfHeaders);
  return version;
}

std::string mpi_name() {
  const VersionText version;
  check_mpi(version.code, "MPI_Get_library_version");
  const std::string_view whole = version.text();
  std::string name(whole.substr(0, whole.find_first_of(",\n")));
  std::ranges::replace(name, '\t', ' ');
  return name;
}

}  // namespace rondo::internal
