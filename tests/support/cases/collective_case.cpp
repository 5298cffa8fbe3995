#include "tests/support/cases/collective_case.hpp"

#include <iterator>
#include <memory>

namespace rondo::internal {

UserBlocks user_blocks(std::span<const PlacedLayout> received, std::span<const PlacedLayout> sent) {
  const auto keep = [](std::span<const PlacedLayout> side) {
    const auto kept = std::make_shared<std::vector<UserBlock>>();
    for (const PlacedLayout& block : side) kept->push_back({block.offset, *block.layout});
    return [kept](int i) { return kept->at(static_cast<std::size_t>(i)); };
  };
  return {static_cast<int>(std::ssize(received)), static_cast<int>(std::ssize(sent)), keep(received), keep(sent)};
}

std::optional<Finding> check(const CollectiveCase& collective) {
  std::vector<const Schedule*> schedules;
  for (const auto& schedule : collective.schedules) schedules.push_back(schedule.get());
  return check_schedules(schedules, collective.definition, collective.combinations);
}

std::string checked(const CollectiveCase& collective) {
  const auto finding = check(collective);
  return finding ? collective.name + ": " + name(finding->flaw) + ": " + finding->story : std::string{};
}

std::string describe_building(Ordering ordering, MessageForm form, int ports) {
  std::string text;
  if (ordering == Ordering::phases) text += ", phases";
  if (form != MessageForm::automatic) text += form == MessageForm::staged ? ", staged" : ", datatypes";
  if (ports > 0) text += ", ports " + std::to_string(ports);
  return text;
}

std::string describe_grid(const std::vector<int>& sizes, const std::vector<int>& periods,
                          const Neighborhood& neighborhood) {
  std::string text = ", grid";
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    text += " " + std::to_string(sizes[k]);
    if (!periods.empty() && periods[k] == 0) text += " (mesh)";
  }
  text += ", neighborhood";
  for (const int offset : neighborhood.flattened()) text += " " + std::to_string(offset);
  return text;
}

}  // namespace rondo::internal
