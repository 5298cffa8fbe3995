/// @file
/// The file of RONDO_LEARNED, which keeps findings for later runs.
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

/// Returns plans as JSON. parse_plans() reads them back and throws Error (MPI_ERR_FILE), which says what is wrong.
[[nodiscard]] std::string print_plans(const LearnedPlans& plans);
[[nodiscard]] LearnedPlans parse_plans(std::string_view json);

/// Returns a problem's name in the file: everything that all ranks know and the model uses, except the costs, which may
/// be timed anew. `through`: the medium of its messages. `mpi`: see mpi_name().
[[nodiscard]] std::string problem_name(const Chosen& chosen, std::string_view function, int ranks,
                                       std::string_view through, std::string_view mpi);

/// Returns whether RONDO_LEARNED names a file.
[[nodiscard]] bool has_learned_file();
/// Returns the plan that this run or an earlier one has found. The file is read once; a file that does not exist has no
/// plans. Thread-safe. Throws Error (MPI_ERR_FILE).
[[nodiscard]] std::optional<std::string> learned_plan(const std::string& problem);
/// Keeps a plan, which MPI_Finalize will write by write_learned_file(). Thread-safe. Throws std::bad_alloc and Error.
void keep_learned_plan(const std::string& problem, const std::string& plan);
/// Adds the kept plans that were not written yet to the file. Plans for other problems that other processes have
/// written meanwhile stay in the file. Logs an error if the file cannot be written.
void write_learned_file();

}  // namespace rondo::internal::learning

#endif
