#include "collectives/plugin/original/other_mpi.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
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

/// Returns the paths of the loaded libraries whose names begin as those of MPI libraries do.
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

/// Returns the first words of the version of a loaded MPI library, such as "Open MPI v4.1.4"; empty if it is no MPI.
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

struct OtherMpi {
  std::string version;
  std::string path;
};

std::optional<OtherMpi> find_other_mpi() {
  for (const std::string& path : loaded_mpi_libraries()) {
    const std::string version = version_of(path);
    const MpiFamily family = family_of(version);
    if (family == MpiFamily::unknown) continue;
    // Its version is that of the native library of the same MPI, which has other handles.
    if (path.find("/libmpi_abi") != std::string::npos) return OtherMpi{version + " with the ABI of MPI 5", path};
    if (family != kOurFamily) return OtherMpi{version, path};
  }
  return std::nullopt;
}

void say_why_not(const OtherMpi& other, const char* what_follows) {
  std::fprintf(stderr,
               "rondo_pmpi: %s was built for %s, and this program uses %s (%s), which it cannot stand in front of: "
               "load a plug-in that was built for that MPI, or none. %s\n",
               path_of_plugin(), kOurName, other.version.c_str(), other.path.c_str(), what_follows);
}

/// Returns whether the launcher says that this process is not rank 0; false if the launcher says nothing.
bool is_another_than_rank_0() {
  return std::ranges::any_of(std::array{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"},
                             [](const char* variable) {
                               const char* const rank = std::getenv(variable);
                               return rank != nullptr && std::string_view(rank) != "0";
                             });
}

/// Returns LD_PRELOAD without the plug-in, or null if LD_PRELOAD does not name the plug-in.
std::optional<std::string> preload_without_plugin() {
  const char* const value = std::getenv("LD_PRELOAD");
  const std::string_view all = value == nullptr ? "" : value;
  const std::string_view plugin = path_of_plugin();
  std::string others;
  bool found = false;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find_first_of(": ", begin), all.size());
    const std::string_view entry = all.substr(begin, end - begin);
    begin = end + 1;
    const bool is_name = entry.find('/') == std::string_view::npos && !entry.empty();
    if (entry == plugin || (is_name && plugin.ends_with("/" + std::string(entry)))) {
      found = true;
    } else if (!entry.empty()) {
      others.append(others.empty() ? "" : ":").append(entry);
    }
  }
  return found ? std::optional(others) : std::nullopt;
}

/// Runs before main. If the program is linked with another MPI, begins the program again without the plug-in, so that
/// it does what it does without the plug-in. glibc gives constructors the arguments of main.
[[gnu::constructor]] void begin_again_under_other_mpi(int /*count*/, char** arguments, char** /*environment*/) {
  const std::optional<OtherMpi> other = find_other_mpi();
  const std::optional<std::string> preload = other ? preload_without_plugin() : std::nullopt;
  if (!preload || setenv("LD_PRELOAD", preload->c_str(), 1) != 0) return;
  if (!is_another_than_rank_0()) say_why_not(*other, "It runs without.");
  execv("/proc/self/exe", arguments);
}

}  // namespace

void end_under_other_mpi() noexcept {
  if (const std::optional<OtherMpi> other = find_other_mpi()) {
    say_why_not(*other, "The program ends here.");
    std::_Exit(EXIT_FAILURE);
  }
}

}  // namespace rondo::internal::plugin
