#include "collectives/settings/algorithm_names.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

#include "collectives/barrier/algorithms.hpp"
#include "collectives/blocks/call.hpp"
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/cart_allgather/algorithms.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/cart_reduction/algorithms.hpp"
#include "collectives/dense_allgather/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/halo/algorithms.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {
namespace {

template <typename Problem>
std::vector<std::string_view> names_in(const Registry<Problem>& registry) {
  std::vector<std::string_view> names{"auto"};
  for (const Algorithm<Problem>& row : registry.algorithms) names.push_back(row.name);
  return names;
}

struct Kind {
  std::string_view name;
  std::vector<std::string_view> algorithms;
  bool is_dense;  ///< users may offer algorithms for dense kinds
};

std::vector<Kind> all_kinds() {
  return {{kHaloKind, names_in(halo::registry()), false},
          {kCartAlltoallKind, names_in(alltoall::registry()), false},
          {kCartAllgatherKind, names_in(allgather::registry()), false},
          {kCartReduceKind, names_in(reduction::registry()), false},
          {kind_of_dense(Collective::alltoall), names_in(dense::registry()), true},
          {kind_of_dense(Collective::allgather), names_in(dense_allgather::registry()), true},
          {kind_of_dense(Collective::broadcast), names_in(broadcast::registry()), true},
          {kind_of_dense(Collective::barrier), names_in(barrier::registry()), true},
          {kind_of_dense(Collective::reduce), names_in(dense_reduction::registry()), true},
          {kind_of_dense(Collective::scatter_reduce), names_in(dense_reduction::registry()), true}};
}

/// Returns a list: "auto, direct, ... or paper".
std::string list_of(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (!list.empty()) list += name == names.back() ? " or " : ", ";
    list += name;
  }
  return list;
}

bool is_own(std::string_view name) { return name.starts_with(kOwnPrefix) && name.size() > kOwnPrefix.size(); }

[[noreturn]] void refuse(std::string_view value, const std::string& why) {
  throw Error(MPI_ERR_INFO_VALUE, "rondo_algorithm: is \"" + std::string(value) + "\", " + why);
}

constexpr const char* kOwnAllowed = ", or own:NAME for an algorithm that was offered";

void check_name(std::string_view value, std::string_view name, const std::vector<Kind>& kinds) {
  if (is_own(name)) return;
  std::vector<std::string_view> known;
  for (const Kind& kind : kinds) {
    for (const std::string_view algorithm : kind.algorithms) {
      if (std::ranges::find(known, algorithm) == known.end()) known.push_back(algorithm);
    }
  }
  if (std::ranges::find(known, name) == known.end()) refuse(value, "must be " + list_of(known) + kOwnAllowed);
}

void check_name_of_kind(std::string_view value, std::string_view kind, std::string_view name,
                        const std::vector<Kind>& kinds) {
  const auto found = std::ranges::find(kinds, kind, &Kind::name);
  if (found == kinds.end()) {
    std::vector<std::string_view> names;
    for (const Kind& one : kinds) names.push_back(one.name);
    refuse(value, "but \"" + std::string(kind) + "\" is no kind of collective, must be " + list_of(names));
  }
  if (found->is_dense && is_own(name)) return;
  if (std::ranges::find(found->algorithms, name) == found->algorithms.end()) {
    refuse(value, "but " + std::string(kind) + " has no algorithm \"" + std::string(name) + "\", must be " +
                      list_of(found->algorithms) + (found->is_dense ? kOwnAllowed : ""));
  }
}

}  // namespace

AskedAlgorithms parse_algorithms(std::string_view value) {
  const std::vector<Kind> kinds = all_kinds();
  AskedAlgorithms asked;
  bool has_name_of_others = false;
  for (std::string_view rest = value;;) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const std::size_t colon = item.starts_with(kOwnPrefix) ? std::string_view::npos : item.find(':');
    if (colon != std::string_view::npos) {
      const std::string_view kind = item.substr(0, colon);
      check_name_of_kind(value, kind, item.substr(colon + 1), kinds);
      if (!algorithm_in(asked.of_kinds, kind).empty()) refuse(value, "must name each kind once");
      asked.of_kinds += (asked.of_kinds.empty() ? "" : ",") + std::string(item);
    } else {
      check_name(value, item, kinds);
      if (has_name_of_others) refuse(value, "must name at most one algorithm without a kind");
      has_name_of_others = true;
      asked.of_others = item;
    }
    if (item.size() == rest.size()) return asked;
    rest.remove_prefix(item.size() + 1);
  }
}

std::string_view algorithm_in(std::string_view of_kinds, std::string_view kind) noexcept {
  while (!of_kinds.empty()) {
    const std::string_view item = of_kinds.substr(0, of_kinds.find(','));
    if (item.starts_with(kind) && item.substr(kind.size()).starts_with(':')) return item.substr(kind.size() + 1);
    of_kinds.remove_prefix(std::min(of_kinds.size(), item.size() + 1));
  }
  return {};
}

}  // namespace rondo::internal
