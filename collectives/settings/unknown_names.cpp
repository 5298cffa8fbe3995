#include "collectives/settings/unknown_names.hpp"

#include "collectives/selection/once_log.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/world.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

namespace rondo::internal {
namespace {

/// Environment variables that are no settings of a communicator. Those of the tests begin with RONDO_TEST_.
const std::array<std::string, 12> kOtherVariables{
    "RONDO_DOT",          "RONDO_LEARNED",   "RONDO_LOG",     "RONDO_NODE",    "RONDO_PMPI",  "RONDO_REPORT",
    "RONDO_SHARED_CACHE", "RONDO_SHM_BYTES", "RONDO_SIGNALS", "RONDO_TIMEOUT", "RONDO_TRACE", "RONDO_TRACE_EVENTS"};
constexpr std::string_view kOfTests = "RONDO_TEST_";
/// Variables of module files and of CMake, which say where Rondo is installed.
constexpr std::array<std::string_view, 4> kOfInstallations{"RONDO_DIR", "RONDO_HOME", "RONDO_ROOT", "RONDO_VERSION"};

/// Returns how many letters must be put in, taken out or changed to make one name of the other (Levenshtein).
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::size_t changed = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

std::string complaint_about(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t kNear = 4;
  if (known.empty() || std::ranges::find(known, name) != known.end()) return {};
  const std::string& nearest =
      *std::ranges::min_element(known, {}, [&](const std::string& one) { return distance(name, one); });
  std::string complaint = std::string(name) + ": is unknown and has no effect";
  if (distance(name, nearest) <= kNear) complaint += "; did you mean " + nearest + "?";
  return complaint;
}

void warn_of_unknown_variables(std::span<const std::string> of_settings) {
  static std::once_flag once;
  if (world_rank() > 0) return;  // all ranks have the same environment, and one line is enough
  std::call_once(once, [&] {
    std::vector<std::string> known(of_settings.begin(), of_settings.end());
    known.insert(known.end(), kOtherVariables.begin(), kOtherVariables.end());
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string_view text = *variable;
      const std::string_view name = text.substr(0, text.find('='));
      if (!name.starts_with("RONDO_") || name.starts_with(kOfTests)) continue;
      if (std::ranges::find(kOfInstallations, name) != kOfInstallations.end()) continue;
      const std::string complaint = complaint_about(name, known);
      if (!complaint.empty()) log(LogLevel::warning, "environment variable ", complaint);
    }
  });
}

void warn_of_unknown_keys(MPI_Info info, std::span<const std::string> known, MPI_Comm comm) {
  int keys = 0;
  int rank = 0;
  check_mpi(MPI_Info_get_nkeys(info, &keys), "MPI_Info_get_nkeys");
  for (int i = 0; i < keys; ++i) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    check_mpi(MPI_Info_get_nthkey(info, i, key.data()), "MPI_Info_get_nthkey");
    if (!std::string_view(key.data()).starts_with("rondo_")) continue;
    const std::string complaint = complaint_about(key.data(), known);
    if (complaint.empty()) continue;
    check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    if (rank != 0) continue;  // one line is enough
    static OnceLog told;
    if (told.first(key.data())) log(LogLevel::warning, "info key ", complaint);
  }
}

}  // namespace rondo::internal
