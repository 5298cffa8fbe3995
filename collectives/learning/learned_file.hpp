/// @file
/// The file of RONDO_LEARNED: what was found out, for later runs.
#ifndef RONDO_COLLECTIVES_LEARNING_LEARNED_FILE_HPP
#define RONDO_COLLECTIVES_LEARNING_LEARNED_FILE_HPP

#include "collectives/selection/selection.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rondo::internal::learning {

/// Names of contenders, by problem_name().
using LearnedPlans = std::map<std::string, std::string>;

/// As JSON, and back. The latter throws Error, MPI_ERR_FILE, that says what is wrong.
[[nodiscard]] std::string print_plans(const LearnedPlans& plans);
[[nodiscard]] LearnedPlans parse_plans(std::string_view json);

/// What a problem is called there: with everything that all ranks know and the model goes by, but for the costs, which
/// may be timed anew. `through`: what its messages go through. `mpi`: see mpi_name().
[[nodiscard]] std::string problem_name(const Chosen& chosen, std::string_view function, int ranks,
                                       std::string_view through, std::string_view mpi);

/// Whether RONDO_LEARNED names a file.
[[nodiscard]] bool has_learned_file();
/// What this run or an earlier one has found out. The file is read once; one that does not exist says nothing. Any
/// thread. Throws Error, MPI_ERR_FILE.
[[nodiscard]] std::optional<std::string> learned_plan(const std::string& problem);
/// Has MPI_Finalize write_learned_file() with this. Any thread. Throws std::bad_alloc, and Error.
void keep_learned_plan(const std::string& problem, const std::string& plan);
/// Writes what is kept and was not written yet, beside what other processes have written there meanwhile. The log says
/// where that is not possible.
void write_learned_file();

}  // namespace rondo::internal::learning

#endif
