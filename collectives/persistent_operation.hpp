/// @file
/// The last steps of every `_init` call: from a schedule to an operation that can be started.
#ifndef RONDO_COLLECTIVES_PERSISTENT_OPERATION_HPP
#define RONDO_COLLECTIVES_PERSISTENT_OPERATION_HPP

#include <rondo/error.hpp>

#include "collectives/selection.hpp"
#include "collectives/tag_space.hpp"
#include "runtime/operation.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace rondo {

/// What a persistent operation is made of; buffers are those that the schedule's spaces stand for.
struct PersistentParts {
  std::shared_ptr<const Chosen> chosen;
  const void* send = nullptr;
  void* recv = nullptr;
  UserBlocks blocks = {};
  ProgressMode progress = ProgressMode::automatic;
};

/// An operation that runs what was chosen, with its explanation. Its buffers are still to be bound.
[[nodiscard]] std::unique_ptr<Operation> make_operation(const char* name, std::shared_ptr<const Chosen> chosen,
                                                        UserBlocks blocks, const TagSpace::Ticket& ticket,
                                                        ProgressMode progress, bool persistent);

/// Makes an operation with a persistent ticket. Collective over the communicator of `tags`, which must have room for
/// `most_tags` (TagSpace::prepare_room was called); `make` is local, and what it throws is told to all ranks when
/// `agrees` is set, by one small allreduce; to be passed by std::ref, which allocates nothing.
[[nodiscard]] std::unique_ptr<Operation> make_persistent(const char* name, TagSpace& tags, bool agrees,
                                                         std::uint32_t most_tags,
                                                         const std::function<PersistentParts()>& make);

/// Runs `body` and names the function in what it throws.
template <typename Body>
auto named(const char* function, Body body) {
  try {
    return body();
  } catch (const Error& error) {
    const std::string text = error.what();
    throw Error(error.error_class(), text.starts_with(function) ? text : std::string(function) + ": " + text);
  }
}

}  // namespace rondo

#endif
