/// @file
/// Rotation: several operations that are started in turn, as one request.
#ifndef RONDO_RUNTIME_OPERATION_ROTATION_HPP
#define RONDO_RUNTIME_OPERATION_ROTATION_HPP

#include <cstdint>
#include <limits>
#include <memory>

namespace rondo::internal {

class Operation;

/// Persistent operations that do the same with the same buffers, of which each start is one's turn; or a nonblocking
/// one alone. The one that is in its user's hands holds the rotation, and the rotation all others.
class Rotation {
 public:
  Rotation() = default;
  Rotation(const Rotation&) = delete;
  Rotation& operator=(const Rotation&) = delete;
  virtual ~Rotation() = default;

  static constexpr std::uint32_t kForGood = std::numeric_limits<std::uint32_t>::max();
  /// Starts the operation whose turn it is, in place of `held`, which may be started. Returns how many starts after
  /// this one are for the same: the rotation rests, and is asked again when that many have been made; kForGood: never,
  /// and nobody needs it any more. Throws as Operation::start(), and no start has been made then.
  [[nodiscard]] virtual std::uint32_t start(std::unique_ptr<Operation>& held) = 0;
  /// The user begins to wait for what was started, or looks whether it, or a block of it, is complete. Any thread. Not
  /// told while it rests.
  virtual void is_waited_for() noexcept = 0;
  /// It has ended. Not told while it rests.
  virtual void is_finished() noexcept = 0;
};

/// Starts a persistent operation, or another one of its rotation in its place. Throws as Operation::start().
void start_persistent(std::unique_ptr<Operation>& held);

}  // namespace rondo::internal

#endif
