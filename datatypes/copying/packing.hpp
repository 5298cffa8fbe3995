/// @file
/// pack_for_another_core(): packs scattered data into memory that another core has read.
#ifndef RONDO_DATATYPES_COPYING_PACKING_HPP
#define RONDO_DATATYPES_COPYING_PACKING_HPP

#include "datatypes/copying/copy_run.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::internal {

/// Returns whether a program packs, that is, whether its pieces fill the target from the first byte on, one after the
/// other. Costs as much as the length of the program's description.
[[nodiscard]] bool packs(std::span<const CopyRun> program);

/// Runs a program of `bytes` bytes. Call this only if packs() is true for the program, and rather than run_copies() if
/// another process has read the target since it was written. Pieces that are written to such a target one by one wait
/// for their cache lines; a long copy does not. So the data are first packed into memory of this core, part by part.
void pack_for_another_core(std::span<const CopyRun> program, const std::byte* source, std::byte* target,
                           std::int64_t bytes);

}  // namespace rondo::internal

#endif
