/// @file
/// Rotation: several operations behind one request, of which each start runs one.
#ifndef RONDO_RUNTIME_OPERATION_ROTATION_HPP
#define RONDO_RUNTIME_OPERATION_ROTATION_HPP

#include <cstdint>
#include <limits>
#include <memory>

namespace rondo::internal {

class Operation;

/// A Rotation consists of persistent operations that do the same with the same buffers, of which each start runs one;
/// or of a single nonblocking operation. The operation in the user's hands owns the rotation, and the rotation owns all
/// others.
class Rotation {
 public:
  Rotation() = default;
  Rotation(const Rotation&) = delete;
  Rotation& operator=(const Rotation&) = delete;
  virtual ~Rotation() = default;

  static constexpr std::uint32_t kForGood = std::numeric_limits<std::uint32_t>::max();
  /// Starts the next operation of the rotation in place of `held`, which must not be started. Returns the number of
  /// following starts that run the same operation: the rotation rests until that many have been made. Returns kForGood
  /// if the rotation is never needed again. Throws as Operation::start(); no start has been made then.
  [[nodiscard]] virtual std::uint32_t start(std::unique_ptr<Operation>& held) = 0;
  /// Records that the user begins to wait for the start, or asks whether the operation, or a block of it, is complete.
  /// Thread-safe. Not called while the rotation rests.
  virtual void is_waited_for() noexcept = 0;
  /// Records that the start has ended. Not called while the rotation rests.
  virtual void is_finished() noexcept = 0;
};

/// Starts a persistent operation, or another operation of its rotation in its place. Throws as Operation::start().
void start_persistent(std::unique_ptr<Operation>& held);

}  // namespace rondo::internal

#endif
