#include "collectives/plugin/other_mpi.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::internal::plugin {
namespace {

enum class MpiFamily : std::uint8_t { open_mpi, mpich, unknown };

#if defined(OPEN_MPI)
constexpr MpiFamily kOurFamily = MpiFamily::open_mpi;
constexpr const char* kOurName = "Open MPI";
#else
constexpr MpiFamily kOurFamily = MpiFamily::mpich;
constexpr const char* kOurName = "MPICH";
#endif

MpiFamily family_of(std::string_view version) noexcept {
  const auto says = [&](std::string_view name) { return version.find(name) != std::string_view::npos; };
  if (says("Open MPI") || says("Spectrum MPI")) return MpiFamily::open_mpi;
  if (says("MPICH") || says("MVAPICH") || says("Intel(R) MPI")) return MpiFamily::mpich;
  return MpiFamily::unknown;
}

/// Paths of the loaded libraries that are named as MPIs name theirs.
std::vector<std::string> loaded_mpi_libraries() {
  std::vector<std::string> paths;
  const auto look = [](dl_phdr_info* info, std::size_t, void* found) {
    const std::string_view path = info->dlpi_name;
    if (path.substr(path.rfind('/') + 1).starts_with("libmpi"))
      static_cast<std::vector<std::string>*>(found)->emplace_back(path);
    return 0;
  };
  dl_iterate_phdr(look, &paths);
  return paths;
}

/// What a loaded library says that it is, in short, such as "Open MPI v4.1.4"; empty if it is no MPI.
std::string version_of(const std::string& path) {
  using GetVersion = int(char*, int*);
  void* library = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return {};
  auto* const get = reinterpret_cast<GetVersion*>(dlsym(library, "PMPI_Get_library_version"));
  std::array<char, 8192> text{};  // MPICH's limit, the highest
  int length = 0;
  if (get == nullptr || get(text.data(), &length) != MPI_SUCCESS) length = 0;
  dlclose(library);
  const std::string_view whole(text.data(), static_cast<std::size_t>(length));
  std::string version(whole.substr(0, whole.find_first_of(",\n")));
  std::ranges::replace(version, '\t', ' ');
  return version;
}

const char* path_of_plugin() noexcept {
  Dl_info info{};
  return dladdr(reinterpret_cast<void*>(&end_under_other_mpi), &info) != 0 ? info.dli_fname : "the plug-in";
}

}  // namespace

void end_under_other_mpi() noexcept {
  for (const std::string& path : loaded_mpi_libraries()) {
    const std::string version = version_of(path);
    const MpiFamily family = family_of(version);
    if (family == MpiFamily::unknown || family == kOurFamily) continue;
    std::fprintf(stderr,
                 "rondo_pmpi: %s was built for %s, and this program uses %s (%s), which it cannot stand in front of: "
                 "load a plug-in that was built for that MPI, or none. The program ends here.\n",
                 path_of_plugin(), kOurName, version.c_str(), path.c_str());
    std::_Exit(EXIT_FAILURE);
  }
}

}  // namespace rondo::internal::plugin
