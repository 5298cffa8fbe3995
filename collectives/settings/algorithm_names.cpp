#include "collectives/settings/algorithm_names.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

#include "collectives/barrier/algorithms.hpp"
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/cart_allgather/algorithms.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/cart_reduction/algorithms.hpp"
#include "collectives/dense_allgather/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/halo/algorithms.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace rondo::internal {
namespace {

template <typename Problem, typename Visit>
void visit_names(const Registry<Problem>& registry, Visit visit) {
  for (const Algorithm<Problem>& row : registry.algorithms) visit(row.name);
}

/// Some more than once.
template <typename Visit>
void visit_all_names(Visit visit) {
  visit(std::string_view("auto"));
  visit_names(alltoall::registry(), visit);
  visit_names(allgather::registry(), visit);
  visit_names(reduction::registry(), visit);
  visit_names(halo::registry(), visit);
  visit_names(dense::registry(), visit);
  visit_names(dense_allgather::registry(), visit);
  visit_names(broadcast::registry(), visit);
  visit_names(barrier::registry(), visit);
  visit_names(dense_reduction::registry(), visit);
}

/// "auto, direct, ... or paper".
std::string list_names() {
  std::vector<std::string_view> names;
  visit_all_names([&](std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  });
  std::string list;
  for (const std::string_view name : names) {
    if (!list.empty()) list += name == names.back() ? " or " : ", ";
    list += name;
  }
  return list;
}

}  // namespace

void check_algorithm_name(std::string_view name) {
  bool known = name.starts_with(kOwnPrefix) && name.size() > kOwnPrefix.size();
  visit_all_names([&](std::string_view other) { known = known || other == name; });
  if (known) return;
  throw Error(MPI_ERR_INFO_VALUE, "rondo_algorithm: is \"" + std::string(name) + "\", must be " + list_names() +
                                      ", or " + std::string(kOwnPrefix) + "NAME for an algorithm that was offered");
}

}  // namespace rondo::internal
