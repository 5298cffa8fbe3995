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

/// What decides on the mode, besides what is asked for.
struct Surroundings {
  int thread_level = 0;   ///< MPI's, as MPI_Query_thread says
  int cores = 1;          ///< of this node that its ranks may use
  int ranks_on_node = 1;  ///< of this job
};

struct Granted {
  ProgressMode mode;
  std::string why;  ///< this one, for people
};

/// The mode that a process in these surroundings can have.
[[nodiscard]] Granted grant(ProgressMode wanted, const Surroundings& surroundings);

/// The thread level of MPI that it needs.
[[nodiscard]] int level_for(ProgressMode wanted) noexcept;

/// As in RONDO_PROGRESS; nothing for any other text.
[[nodiscard]] std::optional<ProgressMode> progress_mode_from(std::string_view text) noexcept;
inline constexpr const char* kProgressModeNames = "auto, inline, workers or async";

}  // namespace rondo::internal

#endif
