/// @file
/// Halo exchanges as cases for the checker and the simulation.
#ifndef RONDO_TESTS_HALO_CASE_HPP
#define RONDO_TESTS_HALO_CASE_HPP

#include "collectives/halo/algorithms.hpp"
#include "collectives/halo/lowering.hpp"
#include "collectives/halo/user_blocks.hpp"
#include "collectives/proof/halo_definition.hpp"
#include "tests/support/cases/collective_case.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rondo::internal {

struct HaloCase {
  std::vector<int> sizes = {};    ///< of the grid
  std::vector<int> periods = {};  ///< empty: a torus
  std::vector<int> low = {};      ///< depths, one for each dimension of the array
  std::vector<int> high = {};
  Stencil stencil = Stencil::box;
  StorageOrder order = StorageOrder::row_major;
  /// Elements inside along a dimension where a process has a coordinate; along those that are not the grid's it is 0.
  std::function<std::int64_t(int axis, int coordinate)> inside = [](int, int) { return std::int64_t{4}; };
  /// Elements that each row, plane and so on is longer than the sizes say, on ranks of even number; twice as many on
  /// the others. Empty: there are no gaps.
  std::vector<int> padding = {};
  Layout element = Layout::contiguous(1);
  /// Further arrays, of which only what is above counts but the grid and the stencil.
  std::vector<HaloCase> others = {};
  Ordering ordering = Ordering::dependencies;
  MessageForm form = MessageForm::automatic;
  int ports = 0;
  std::vector<std::int64_t> nodes = {};  ///< a number for each rank's node (NodeMembers); empty: nobody knows
};

[[nodiscard]] Layout element_of(std::int64_t bytes);

/// Two pieces and a gap.
[[nodiscard]] Layout element_with_gaps();

[[nodiscard]] std::string describe(const HaloCase& given);

/// Strides in bytes of an array whose padding counts so many times; none where there is no padding.
[[nodiscard]] std::vector<std::int64_t> padded_strides(const HaloCase& given, const std::vector<halo::Axis>& axes,
                                                       int times);

/// The arrays of all ranks.
class HaloArrays {
 public:
  explicit HaloArrays(const HaloCase& given);

  [[nodiscard]] const Grid& grid() const { return grid_; }
  [[nodiscard]] const halo::Bundle& bundle(int rank) const { return *bundles_[static_cast<std::size_t>(rank)]; }
  /// The first array.
  [[nodiscard]] const halo::Shape& shape(int rank) const { return *bundle(rank).arrays().front().shape; }
  [[nodiscard]] UserBlocks blocks(int rank) const {
    return halo::user_blocks(bundles_[static_cast<std::size_t>(rank)]);
  }
  [[nodiscard]] const halo::Bundle& typical_bundle() const { return *typical_; }
  [[nodiscard]] const halo::Shape& typical() const { return typical_->hull(); }
  /// What ranks that told each other their sizes know.
  [[nodiscard]] const halo::InsideOfAll& inside() const { return inside_; }
  [[nodiscard]] std::vector<Placement> definition() const;
  [[nodiscard]] std::int64_t bytes(int rank) const;

 private:
  Grid grid_;
  std::vector<std::shared_ptr<const halo::Bundle>> bundles_;
  std::shared_ptr<const halo::Bundle> typical_;
  halo::InsideOfAll inside_;
};

/// A way to lower a halo exchange.
struct HaloWay {
  std::string name;
  std::function<void(const halo::Problem&, ScheduleBuilder&)> build;
};
[[nodiscard]] HaloWay halo_way(const halo::Expansion& expansion);
/// The plans with carriers for a case whose ranks are on some nodes.
[[nodiscard]] std::vector<HaloWay> node_aware_ways(const HaloCase& given, const HaloArrays& arrays);

[[nodiscard]] CollectiveCase halo_case(const HaloCase& given, const HaloArrays& arrays,
                                       const std::vector<Placement>& definition, const HaloWay& way);
[[nodiscard]] inline CollectiveCase halo_case(const HaloCase& given, const HaloArrays& arrays,
                                              const std::vector<Placement>& definition,
                                              const halo::Expansion& expansion) {
  return halo_case(given, arrays, definition, halo_way(expansion));
}

/// Every expansion that an algorithm of the registry offers, and dimension-wise ones in every order of up to three
/// axes.
[[nodiscard]] std::vector<halo::Expansion> halo_expansions(const Grid& grid, const halo::Shape& shape);

/// Calls visit(case) for every expansion, and for every plan with carriers where the ranks are on some nodes, in both
/// orderings, with staged messages and with datatypes: what is automatic is one of these.
template <typename Visit>
void for_each_halo(HaloCase given, Visit visit) {
  const HaloArrays arrays(given);
  const std::vector<Placement> definition = arrays.definition();
  std::vector<HaloWay> ways = node_aware_ways(given, arrays);
  for (const halo::Expansion& expansion : halo_expansions(arrays.grid(), arrays.typical()))
    ways.push_back(halo_way(expansion));
  for (const HaloWay& way : ways) {
    for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
      for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
        given.ordering = ordering;
        given.form = form;
        visit(halo_case(given, arrays, definition, way));
      }
    }
  }
}

}  // namespace rondo::internal

#endif
