#include "tests/support/cases/reduction_case.hpp"

namespace rondo::internal {

std::string describe(const ReductionCase& given, const reduction::Plan& plan) {
  std::string text(given.kind == reduction::Kind::reduce ? "reduce, " : "scatter-reduce, ");
  text += plan.name;
  if (given.foreign) text += ", foreign layouts";
  if (!given.reduction->layout().is_contiguous()) text += ", with holes";
  return text + describe_building(given.ordering, given.form, given.ports) +
         describe_grid(given.sizes, given.periods, given.neighborhood) + test::describe_nodes(given.nodes);
}

PlainAssociation::PlainAssociation(const reduction::Tree& tree, const Grid& grid, const Neighborhood& hood, int rank)
    : tree_(tree), grid_(grid), seen_from_(grid.seen_from(rank)) {
  for (int i = 0; i < hood.size(); ++i) {
    const int source = seen_from_.relative_rank(hood[i], -1);
    if (source != kNoRank) sources_.emplace_back(source, i);
  }
}

std::vector<int> PlainAssociation::operator()() const {
  if (tree_.values(tree_.stages()) == 0) return {};
  return expression(tree_.stages(), 0, seen_from_.rank());
}

std::vector<int> PlainAssociation::expression(std::size_t boundary, reduction::ValueId value, int rank) const {
  std::vector<int> sum;
  const auto add = [&](const std::vector<int>& term) {
    if (term.empty()) return;
    const bool first = sum.empty();
    sum.insert(sum.end(), term.begin(), term.end());
    if (!first) sum.push_back(CollectiveCase::kCombine);
  };
  if (boundary == 0) {
    if (tree_.kind() == reduction::Kind::reduce) return {number_of_source(rank, std::nullopt)};
    for (const int member : tree_.members(value)) add({number_of_source(rank, member)});
    return sum;
  }
  for (const reduction::Term& term : tree_.terms(boundary, value)) {
    int from = rank;
    if (term.step != kStays) {
      const auto step = tree_.expansion().step(tree_.expansion().stages()[boundary - 1], term.step);
      from = grid_.seen_from(rank).relative_rank(step, -1);
    }
    if (from == kNoRank) continue;
    const std::vector<int> part = expression(boundary - 1, term.value, from);
    for (std::uint32_t i = 0; i < term.times; ++i) add(part);
  }
  return sum;
}

int PlainAssociation::number_of_source(int rank, std::optional<int> neighbor) const {
  const auto found = std::ranges::find_if(
      sources_, [&](const auto& source) { return source.first == rank && (!neighbor || source.second == *neighbor); });
  return static_cast<int>(found - sources_.begin());
}

}  // namespace rondo::internal
