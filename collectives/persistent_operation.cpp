#include "collectives/persistent_operation.hpp"

#include "collectives/agreement.hpp"

#include <exception>
#include <utility>

namespace rondo {

std::unique_ptr<Operation> make_operation(const char* name, std::shared_ptr<const Chosen> chosen, UserBlocks blocks,
                                          const TagSpace::Ticket& ticket, ProgressMode progress, bool persistent) {
  auto operation = std::make_unique<Operation>(Engine::process(), chosen->schedule, ticket.comm, ticket.first_tag, name,
                                               chosen->algorithm, persistent);
  operation->set_progress(progress);
  operation->explain = [chosen = std::move(chosen)] { return explain(*chosen); };
  operation->blocks = std::move(blocks);
  return operation;
}

std::unique_ptr<Operation> make_persistent(const char* name, TagSpace& tags, bool agrees, std::uint32_t most_tags,
                                           const std::function<PersistentParts()>& make) {
  tags.make_room(most_tags);
  std::unique_ptr<Operation> operation;
  const std::exception_ptr trouble = trouble_in([&] {
    PersistentParts parts = make();
    const auto ticket = tags.next_persistent(parts.chosen->schedule->tags());
    operation = make_operation(name, std::move(parts.chosen), std::move(parts.blocks), ticket, parts.progress, true);
    operation->execution().bind(parts.send, parts.recv);
    operation->prepare();
  });
  if (agrees)
    agree_that_all_is_well(trouble, tags.comm()->get());
  else if (trouble)
    std::rethrow_exception(trouble);
  tags.take_persistent(operation->execution().schedule().tags());
  return operation;
}

}  // namespace rondo
