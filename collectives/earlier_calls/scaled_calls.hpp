/// @file
/// ScaledCalls: pools of operations for calls that differ from earlier calls in the size of their blocks.
#ifndef RONDO_COLLECTIVES_EARLIER_CALLS_SCALED_CALLS_HPP
#define RONDO_COLLECTIVES_EARLIER_CALLS_SCALED_CALLS_HPP

#include <mpi.h>

#include "collectives/blocks/call.hpp"
#include "runtime/operation/operation.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::internal {

/// A range of block sizes for which one plan is chosen: the best for the largest of them. A class depends on the size
/// alone, so that all ranks find the same class.
struct SizeClass {
  /// Maximum size of a block that has a class, in bytes. Longer blocks take so long that the time to find a plan does
  /// not matter.
  static constexpr std::int64_t kLongest = std::int64_t{256} << 10U;
  /// Unit in bytes of the classes' largest sizes, because schedules begin operands of reductions at multiples of it.
  static constexpr std::int64_t kStep = 64;

  std::size_t number;
  std::int64_t largest;  ///< maximum size, in bytes

  /// Returns the class of a size from 1 to kLongest bytes. Classes are 64 bytes apart up to 256, and from there on
  /// there are four to the next power of two.
  [[nodiscard]] static constexpr SizeClass of(std::int64_t bytes) noexcept {
    constexpr std::int64_t kFine = 4 * kStep;
    if (bytes <= kFine) {
      const std::int64_t steps = (bytes + kStep - 1) / kStep;
      return {static_cast<std::size_t>(steps - 1), steps * kStep};
    }
    const auto octave_of = [](std::int64_t size) {  // from one power of two, exclusive, to the next
      return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1))) - 1;
    };
    const int octave = octave_of(bytes);
    const std::int64_t quarter = std::int64_t{1} << (octave - 2);
    const std::int64_t quarters = (bytes + quarter - 1) / quarter;  // 5 to 8
    const std::int64_t classes_before = kFine / kStep + std::int64_t{4} * (octave - octave_of(2 * kFine));
    return {static_cast<std::size_t>(classes_before + quarters - 5), quarters * quarter};
  }
};

/// Pools of operations for regular calls of MPI's own datatypes whose blocks all have one size. Calls are of one kind
/// if they are equal except for counts and buffers. Each kind has operations for each class of sizes. For one thread at
/// a time.
class ScaledCalls {
 public:
  /// The result of find(): the pool of idle operations for a call, and the size of its blocks. The pool is null if
  /// there is none, or if the call's arguments need a full check.
  struct Found {
    const std::shared_ptr<OperationPool>* pool = nullptr;
    std::int64_t block_bytes = 0;
  };
  /// Returns the pool for a call. `processes`: number of processes of the communicator.
  [[nodiscard]] Found find(const Call& call, int processes);

  /// Returns the pool for calls of the call's kind and class; makes it for the first such call. Returns nullptr if a
  /// further operation, which keeps about `bytes` bytes, would exceed the limits. Throws Error and std::bad_alloc.
  [[nodiscard]] std::shared_ptr<OperationPool> pool_for(const Call& call, std::int64_t block_bytes, std::int64_t bytes);

 private:
  static constexpr std::size_t kClasses = SizeClass::of(SizeClass::kLongest).number + 1;
  // These limits suffice for most programs' calls on one communicator. Calls beyond them have a schedule for each size.
  static constexpr std::size_t kPlaces = 256;
  static constexpr std::size_t kMostKinds = 128;
  static constexpr std::int64_t kMostBytes = std::int64_t{32} << 20U;

  struct Kind {
    const char* name;  ///< name of the function
    Collective collective;
    bool in_place;
    int root;
    MPI_Op op;
    MPI_Datatype sent_type;  ///< MPI_DATATYPE_NULL unless Call::describes_sent()
    MPI_Datatype received_type;
    std::int64_t sent_size = 0;  ///< bytes of an element of sent_type
    std::int64_t received_size = 0;
    std::array<std::shared_ptr<OperationPool>, kClasses> by_class{};  ///< null: no pool was made for the class

    explicit Kind(const Call& call);
    [[nodiscard]] bool is(const Call& call) const noexcept;
  };
  [[nodiscard]] static std::size_t place_of(const Call& call) noexcept;
  [[nodiscard]] std::unique_ptr<Kind>& place_for(const Call& call) noexcept;

  std::vector<std::unique_ptr<Kind>> kinds_;  ///< probed from place_of() on; empty before the first call
  std::size_t count_ = 0;                     ///< number of kinds
  std::int64_t kept_bytes_ = 0;
};

}  // namespace rondo::internal

#endif
