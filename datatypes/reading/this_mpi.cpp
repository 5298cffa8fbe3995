#include "datatypes/reading/this_mpi.hpp"

#include <mpi.h>

#include "datatypes/reading/mpi_check.hpp"

#include <algorithm>
#include <array>
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

MpiVersion read_mpi_version(std::string_view text) noexcept {
  MpiVersion version;
  const auto begins = [&](std::string_view name) { return text.starts_with(name); };
  if (begins("Open MPI") || text.find("Spectrum MPI") != std::string_view::npos) version.kind = MpiKind::open_mpi;
  if (!begins("Open MPI") && !begins("MPICH")) return version;  // the numbers are those of another MPI
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
  return version;
}

MpiVersion this_mpi() noexcept {
  static const MpiVersion version = read_mpi_version(VersionText().text());
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
