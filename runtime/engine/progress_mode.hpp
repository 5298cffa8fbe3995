/// @file
/// Progress modes: on which threads operations advance.
#ifndef RONDO_RUNTIME_ENGINE_PROGRESS_MODE_HPP
#define RONDO_RUNTIME_ENGINE_PROGRESS_MODE_HPP

#include <rondo/progress.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rondo::internal {

inline constexpr std::size_t kProgressModes = 4;

/// The facts that decide on the granted mode, besides the mode that is wanted.
struct Surroundings {
  int thread_level = 0;   ///< MPI's thread level, as MPI_Query_thread returns it
  int cores = 1;          ///< cores of this node that its ranks may use
  int ranks_on_node = 1;  ///< ranks of this job on this node
};

struct Granted {
  ProgressMode mode;
  std::string why;  ///< reason for this mode, for people
};

/// Returns the mode that a process in these surroundings can have.
[[nodiscard]] Granted grant(ProgressMode wanted, const Surroundings& surroundings);

/// Returns the thread level of MPI that a mode needs.
[[nodiscard]] int level_for(ProgressMode wanted) noexcept;

/// Returns the mode that `text` names, as in RONDO_PROGRESS, or nothing for any other text.
[[nodiscard]] std::optional<ProgressMode> progress_mode_from(std::string_view text) noexcept;
inline constexpr const char* kProgressModeNames = "auto, inline, workers or async";

}  // namespace rondo::internal

#endif
