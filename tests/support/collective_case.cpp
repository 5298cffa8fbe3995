#include "tests/support/collective_case.hpp"

namespace rondo {

std::optional<Finding> check(const CollectiveCase& collective) {
  std::vector<const Schedule*> schedules;
  for (const auto& schedule : collective.schedules) schedules.push_back(schedule.get());
  return check_schedules(schedules, collective.definition, collective.combinations);
}

std::string checked(const CollectiveCase& collective) {
  const auto finding = check(collective);
  return finding ? collective.name + ": " + name(finding->flaw) + ": " + finding->story : std::string{};
}

}  // namespace rondo
