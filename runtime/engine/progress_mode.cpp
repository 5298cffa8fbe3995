#include "runtime/engine/progress_mode.hpp"

#include <mpi.h>

#include <array>

namespace rondo {

const char* name(ProgressMode mode) noexcept {
  switch (mode) {
    case ProgressMode::automatic:
      return "auto";
    case ProgressMode::inlined:
      return "inline";
    case ProgressMode::workers:
      return "workers";
    case ProgressMode::async:
      return "async";
  }
  return "?";
}

}  // namespace rondo

namespace rondo::internal {
namespace {

constexpr std::array<ProgressMode, kProgressModes> kModes{ProgressMode::automatic, ProgressMode::inlined,
                                                          ProgressMode::workers, ProgressMode::async};

const char* level_name(int level) {
  if (level >= MPI_THREAD_MULTIPLE) return "MPI_THREAD_MULTIPLE";
  if (level >= MPI_THREAD_SERIALIZED) return "MPI_THREAD_SERIALIZED";
  if (level >= MPI_THREAD_FUNNELED) return "MPI_THREAD_FUNNELED";
  return "MPI_THREAD_SINGLE";
}

std::string gives(const Surroundings& surroundings) {
  return std::string("MPI was started with ") + level_name(surroundings.thread_level);
}

Granted grant_automatic(const Surroundings& surroundings) {
  const std::string on_node = std::to_string(surroundings.ranks_on_node) + " ranks on " +
                              std::to_string(surroundings.cores) + " cores of the node";
  if (surroundings.ranks_on_node >= surroundings.cores) return {ProgressMode::inlined, on_node + ": no core is spare"};
  const std::string why = on_node + ", and " + gives(surroundings);
  if (surroundings.thread_level >= MPI_THREAD_MULTIPLE) return {ProgressMode::async, why};
  if (surroundings.thread_level >= MPI_THREAD_FUNNELED) return {ProgressMode::workers, why};
  return {ProgressMode::inlined, why};
}

}  // namespace

int level_for(ProgressMode wanted) noexcept {
  if (wanted == ProgressMode::async) return MPI_THREAD_MULTIPLE;
  if (wanted == ProgressMode::workers) return MPI_THREAD_FUNNELED;
  return MPI_THREAD_SINGLE;
}

std::optional<ProgressMode> progress_mode_from(std::string_view text) noexcept {
  for (const ProgressMode mode : kModes) {
    if (text == name(mode)) return mode;
  }
  return std::nullopt;
}

Granted grant(ProgressMode wanted, const Surroundings& surroundings) {
  switch (wanted) {
    case ProgressMode::automatic:
      return grant_automatic(surroundings);
    case ProgressMode::inlined:
      break;
    case ProgressMode::workers:
      if (surroundings.thread_level < level_for(wanted))
        return {ProgressMode::inlined,
                gives(surroundings) + ", workers need MPI_THREAD_FUNNELED: see Rondo_Init_thread"};
      break;
    case ProgressMode::async:
      if (surroundings.thread_level < level_for(wanted))
        return {ProgressMode::inlined,
                gives(surroundings) + ", async needs MPI_THREAD_MULTIPLE: see Rondo_Init_thread"};
      break;
  }
  return {wanted, "as requested"};
}

}  // namespace rondo::internal
